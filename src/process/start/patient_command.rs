//! A command that is waited for within a time limit, and whose failure is one line for people.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

const LOOK: Duration = Duration::from_millis(20);

/// No more of what a command prints is kept.
const ENOUGH: u64 = 1 << 20;

/// So long the rest of what a command printed may take after its end: what it has started may hold the pipe for ever, as
/// the shared connection of ssh does.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A command that runs. It ends when this is dropped.
#[derive(Debug)]
pub struct PatientCommand {
    name: String,
    child: Child,
    lines: Receiver<String>,
    errors: Receiver<String>,
}

impl PatientCommand {
    /// Starts a command with that input.
    pub fn start(mut command: Command, input: &str) -> Result<Self, String> {
        let name = command.get_program().to_string_lossy().into_owned();
        let stdin = if input.is_empty() { Stdio::null() } else { Stdio::piped() };
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut start = || -> io::Result<Self> {
            let mut child = command.spawn()?;
            let lines = read_lines(child.stdout.take())?;
            let errors = read_lines(child.stderr.take())?;
            if let Some(mut stdin) = child.stdin.take() {
                // One that reads nothing has its reasons, and says them.
                let _ = stdin.write_all(input.as_bytes());
            }
            Ok(Self { name: name.clone(), child, lines, errors })
        };
        start().map_err(|error| format!("{name} cannot be started: {error}"))
    }

    /// The next line that it prints; none where it prints no more, or not in time.
    pub fn next_line(&self, patience: Duration) -> Option<String> {
        self.lines.recv_timeout(patience).ok()
    }

    /// Waits for its end and gives the lines that nobody has taken. The reason of a failure is the last line that it
    /// printed as an error.
    pub fn finish(mut self, patience: Duration) -> Result<Vec<String>, String> {
        let Some(status) = self.wait_for_end(patience).map_err(|error| error.to_string())? else {
            return Err(format!("no answer within {} s", patience.as_secs()));
        };
        if status.success() {
            return Ok(read_rest(&self.lines));
        }
        let last = read_rest(&self.errors).into_iter().rfind(|line| !line.is_empty());
        Err(last.unwrap_or_else(|| format!("{} ended with {status}", self.name)))
    }

    fn wait_for_end(&mut self, patience: Duration) -> io::Result<Option<ExitStatus>> {
        let deadline = Instant::now() + patience;
        loop {
            match self.child.try_wait()? {
                Some(status) => return Ok(Some(status)),
                None if Instant::now() >= deadline => return Ok(None),
                None => thread::sleep(LOOK),
            }
        }
    }
}

impl Drop for PatientCommand {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a command with that input to its end and gives the lines that it prints.
pub fn run_command(command: Command, input: &str, patience: Duration) -> Result<Vec<String>, String> {
    PatientCommand::start(command, input)?.finish(patience)
}

fn read_rest(lines: &Receiver<String>) -> Vec<String> {
    std::iter::from_fn(|| lines.recv_timeout(LAST_WORDS).ok()).collect()
}

/// Reads lines in a thread of its own, which lasts as long as the pipe: a full one would stop the command.
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
        let _ = io::copy(&mut pipe, &mut io::sink());
    };
    thread::Builder::new().name("command output".to_owned()).spawn(read)?;
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(20);

    fn shell(line: &str) -> Command {
        let mut command = Command::new("bash");
        command.args(["-c", line]);
        command
    }

    #[test]
    fn a_command_prints_fails_and_is_given_up() {
        assert_eq!(run_command(shell("cat; echo b"), "a\n", PATIENCE).unwrap(), ["a", "b"]);
        let failed = run_command(shell("echo x; echo why >&2; echo >&2; exit 3"), "", PATIENCE);
        assert_eq!(failed.unwrap_err(), "why");
        assert_eq!(run_command(shell("exit 3"), "", PATIENCE).unwrap_err(), "bash ended with exit status: 3");
        let endless = run_command(shell("exec sleep 600"), "", Duration::from_secs(1));
        assert_eq!(endless.unwrap_err(), "no answer within 1 s");
        assert!(
            run_command(Command::new("/nowhere"), "", PATIENCE).unwrap_err().contains("cannot be started")
        );
    }

    #[test]
    fn what_a_command_leaves_behind_holds_nobody_up() {
        // It keeps both pipes, as the shared connection of ssh does, and gives its pid.
        let failed = run_command(shell("sleep 1000 & echo $! >&2; exit 255"), "", PATIENCE).unwrap_err();
        let done = run_command(shell("sleep 1000 & echo $!"), "", PATIENCE).unwrap();
        for left in [&failed, &done[0]] {
            assert!(
                Command::new("kill").arg(left).status().unwrap().success(),
                "it has been waited for: {left}"
            );
        }
    }

    #[test]
    fn a_command_that_prints_more_than_is_kept_comes_to_its_end() {
        let line = "head -c 3000000 /dev/zero | tr '\\0' 'x'; echo";
        assert!(run_command(shell(line), "", PATIENCE).unwrap()[0].len() <= 1 << 20);
    }
}
