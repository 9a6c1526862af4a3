//! Commands on other machines by `ssh`, without a question and within a time limit.

use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use super::patient_command::run_command;

/// A host that is frozen accepts a connection and then says nothing.
const CONNECT_TIMEOUT: u64 = 15;

const LOOK: Duration = Duration::from_millis(50);

/// No more of what ssh prints is kept.
const ENOUGH: u64 = 16 << 10;

/// So long the rest of what a command printed may take after its end: what it has started may hold the pipe for ever.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A command that runs on another machine. It ends when this is dropped, as far as ssh sees to that.
#[derive(Debug)]
pub struct RemoteCommand {
    child: Child,
    lines: Receiver<String>,
    errors: Receiver<String>,
}

impl RemoteCommand {
    /// Runs a line of a shell on that host.
    pub fn start(host: &str, line: &str) -> Result<Self, String> {
        let mut command = call_ssh(host, line);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut start = || -> io::Result<Self> {
            let mut child = command.spawn()?;
            let lines = read_lines(child.stdout.take())?;
            let errors = read_lines(child.stderr.take())?;
            Ok(Self { child, lines, errors })
        };
        start().map_err(|error| format!("ssh cannot be started: {error}"))
    }

    /// The next line that the command prints; none where it prints no more, or not in time.
    pub fn next_line(&self, patience: Duration) -> Option<String> {
        self.lines.recv_timeout(patience).ok()
    }

    /// Waits for its end, as [`run_remotely`] does.
    pub fn finish(mut self, patience: Duration) -> Result<(), String> {
        let deadline = Instant::now() + patience;
        let status = loop {
            match self.child.try_wait().map_err(|error| error.to_string())? {
                Some(status) => break status,
                None if Instant::now() >= deadline => {
                    return Err(format!("no answer within {} s", patience.as_secs()));
                }
                None => thread::sleep(LOOK),
            }
        };
        if status.success() {
            return Ok(());
        }
        let (mut last, deadline) = (None, Instant::now() + LAST_WORDS);
        while let Ok(line) = self.errors.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            last = Some(line).filter(|line| !line.is_empty()).or(last);
        }
        Err(last.unwrap_or_else(|| format!("it ended with {status}")))
    }
}

impl Drop for RemoteCommand {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a line of a shell on that host and waits for its end. The reason of a failure is one line for people: the last
/// that was printed there or by ssh. That ssh failed does not show that the host is down.
pub fn run_remotely(host: &str, line: &str, patience: Duration) -> Result<(), String> {
    run_command(call_ssh(host, line), "", patience).map(drop)
}

fn call_ssh(host: &str, line: &str) -> Command {
    let mut command = Command::new("ssh");
    let timeout = format!("ConnectTimeout={CONNECT_TIMEOUT}");
    command.args(["-o", "BatchMode=yes", "-o", &timeout, "--", host, line]);
    command
}

/// Reads lines in a thread of its own, which lasts as long as the pipe.
fn read_lines(pipe: Option<impl Read + Send + 'static>) -> io::Result<Receiver<String>> {
    let (sent, lines) = mpsc::channel();
    let Some(pipe) = pipe else { return Ok(lines) };
    let read = move || {
        let mut pipe = BufReader::new(pipe);
        let mut bytes = Vec::new();
        let mut enough = (&mut pipe).take(ENOUGH);
        while let Ok(1..) = enough.read_until(b'\n', &mut bytes) {
            if sent.send(String::from_utf8_lossy(&bytes).trim().to_owned()).is_err() {
                break;
            }
            bytes.clear();
        }
        drop(sent);
        // A full pipe would stop the command.
        let _ = io::copy(&mut pipe, &mut io::sink());
    };
    thread::Builder::new().name("ssh output".to_owned()).spawn(read)?;
    Ok(lines)
}
