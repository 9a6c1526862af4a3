//! A command that is waited for within a time limit, and whose failure is one line for people.

use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const LOOK: Duration = Duration::from_millis(20);

/// No more of what a command prints is kept.
const ENOUGH: u64 = 1 << 20;

/// Runs a command with that input to its end and gives what it prints. The reason of a failure is the last line that it
/// printed as an error.
pub fn run_command(mut command: Command, input: &str, patience: Duration) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("{name} cannot be started: {error}"))?;
    let stdin = child.stdin.take();
    let (stdout, stderr) = (read_later(child.stdout.take()), read_later(child.stderr.take()));
    if let Some(mut stdin) = stdin {
        // One that reads nothing has its reasons, and says them.
        let _ = stdin.write_all(input.as_bytes());
    }
    let Some(status) = wait_for_end(&mut child, patience).map_err(|error| error.to_string())? else {
        let _ = child.kill();
        let _ = child.wait();
        return Err(format!("no answer within {} s", patience.as_secs()));
    };
    let text = |reader: thread::JoinHandle<Vec<u8>>| {
        String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned()
    };
    if status.success() {
        return Ok(text(stdout));
    }
    let said = text(stderr);
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty());
    Err(last.map_or_else(|| format!("{name} ended with {status}"), str::to_owned))
}

fn wait_for_end(child: &mut Child, patience: Duration) -> std::io::Result<Option<ExitStatus>> {
    let deadline = Instant::now() + patience;
    loop {
        match child.try_wait()? {
            Some(status) => return Ok(Some(status)),
            None if Instant::now() >= deadline => return Ok(None),
            None => thread::sleep(LOOK),
        }
    }
}

/// Reads beside: a pipe that is full would hold the command up.
fn read_later(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.by_ref().take(ENOUGH).read_to_end(&mut bytes);
            let _ = std::io::copy(&mut pipe, &mut std::io::sink());
        }
        bytes
    })
}
