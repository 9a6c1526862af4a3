//! Commands on other machines by `ssh`, without a question and within a time limit.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A host that is frozen accepts a connection and then says nothing.
const CONNECT_TIMEOUT: u64 = 15;

const LOOK: Duration = Duration::from_millis(50);

/// No more of what ssh prints is kept.
const ENOUGH: u64 = 16 << 10;

/// Runs a line of a shell on that host and waits for its end. The reason of a failure is one line for people: the last
/// that was printed there or by ssh. That ssh failed does not show that the host is down.
pub fn run_remotely(host: &str, line: &str, patience: Duration) -> Result<(), String> {
    let mut command = Command::new("ssh");
    command.args([
        "-o",
        "BatchMode=yes",
        "-o",
        &format!("ConnectTimeout={CONNECT_TIMEOUT}"),
        "--",
        host,
        line,
    ]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("ssh cannot be started: {error}"))?;
    let deadline = Instant::now() + patience;
    let status = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break status,
            None if Instant::now() >= deadline => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("no answer within {} s", patience.as_secs()));
            }
            None => std::thread::sleep(LOOK),
        }
    };
    if status.success() {
        return Ok(());
    }
    let mut said = Vec::new();
    if let Some(stderr) = child.stderr.take() {
        let _ = stderr.take(ENOUGH).read_to_end(&mut said);
    }
    let said = String::from_utf8_lossy(&said);
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty());
    Err(last.map_or_else(|| format!("it ended with {status}"), str::to_owned))
}
