//! The processes of commands of the user's own: with the terminal, or next to the screen.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};

use ratatui::crossterm::terminal::enable_raw_mode;

use crate::model::logs::printable::to_printable;
use crate::model::sweep::own_command::CommandMode;
use crate::tui::model::overlays::own_commands::OwnRun;

/// So much of the end of what a background command wrote is searched for its last line.
const TAIL: u64 = 8 << 10;

/// Exit status of most programs after Ctrl-C; the user who pressed it knows why they ended.
const INTERRUPTED: i32 = 130;

/// The program with its arguments, in its folder as long as that is there.
pub fn build_command(run: &OwnRun) -> Command {
    let (program, arguments) =
        run.argv.split_first().map_or(("true", &[][..]), |(program, rest)| (program, rest));
    let mut command = Command::new(program);
    command.args(arguments);
    if let Some(folder) = run.folder.as_ref().filter(|folder| folder.is_dir()) {
        command.current_dir(folder);
    }
    command
}

/// How a command ended that had the terminal. Its output stays on the terminal until Enter where it waits for
/// that by choice, and where it failed: the screen would hide the reason.
pub fn end_of_tenant(run: &OwnRun, ended: io::Result<ExitStatus>) -> Result<(), String> {
    let result = match ended {
        Ok(status) => check_status(status),
        Err(error) => Err(format!("cannot start {}: {error}", run.argv.first().map_or("it", String::as_str))),
    };
    let waits = run.mode == CommandMode::Wait || result.is_err();
    if waits {
        let how = result.as_ref().map_or_else(String::clone, |()| "done".to_owned());
        // A terminal that is gone ends the process by itself.
        let _ = wait_for_enter(&format!("{}: {how}", run.title()));
    }
    result
}

fn check_status(status: ExitStatus) -> Result<(), String> {
    match (status.code(), status.signal()) {
        (Some(0 | INTERRUPTED), _) => Ok(()),
        (Some(code), _) => Err(format!("exit code {code}")),
        (None, Some(signal)) => Err(format!("ended by signal {signal}")),
        (None, None) => Err("ended".to_owned()),
    }
}

/// The terminal is raw meanwhile, so that Ctrl-C is a key and leads back too.
fn wait_for_enter(text: &str) -> io::Result<()> {
    let mut out = File::from(rustix::io::dup(rustix::stdio::stdout())?);
    write!(out, "\r\n{}; Enter leads back to the dashboard ", to_printable(text))?;
    out.flush()?;
    enable_raw_mode()?;
    let mut byte = [0; 1];
    while rustix::io::read(rustix::stdio::stdin(), &mut byte)? == 1 {
        if matches!(byte[0], b'\r' | b'\n' | b'\x03' | b'\x1b' | b'q') {
            break;
        }
    }
    Ok(())
}

/// Starts a command next to the screen, in a group of its own, so that it outlives the screen. Its end is reported,
/// with its last line if it failed.
pub fn start_beside(
    run: &OwnRun,
    tell: impl FnOnce(Result<(), String>) + Send + 'static,
) -> Result<(), String> {
    let started = spawn_command(run).map_err(|error| format!("cannot start it: {error}"))?;
    let (mut child, output) = started;
    let wait = move || {
        let result = match child.wait() {
            Ok(status) => check_status(status).map_err(|how| match last_line(output) {
                Some(line) => format!("{how}: {line}"),
                None => how,
            }),
            Err(error) => Err(format!("cannot see its end: {error}")),
        };
        tell(result);
    };
    let thread = std::thread::Builder::new().name("own-command".to_owned()).spawn(wait);
    thread.map(|_| ()).map_err(|error| format!("cannot wait for it: {error}"))
}

/// Spawns the command with its output in a file without a name: a pipe would end it when nothing reads any more.
fn spawn_command(run: &OwnRun) -> io::Result<(Child, File)> {
    let output = tempfile::tempfile()?;
    let mut command = build_command(run);
    command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output.try_clone()?).process_group(0);
    Ok((command.spawn()?, output))
}

fn last_line(mut output: File) -> Option<String> {
    let length = output.seek(SeekFrom::End(0)).ok()?;
    output.seek(SeekFrom::Start(length.saturating_sub(TAIL))).ok()?;
    let mut bytes = Vec::new();
    output.take(TAIL).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
    Some(to_printable(line).into_owned())
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    fn run(line: &str) -> OwnRun {
        OwnRun {
            name: "try".to_owned(),
            shard: None,
            argv: vec!["bash".to_owned(), "-c".to_owned(), line.to_owned()],
            mode: CommandMode::Background,
            folder: None,
        }
    }

    fn result_of(run: &OwnRun) -> Result<(), String> {
        let (sender, results) = channel();
        start_beside(run, move |result| sender.send(result).expect("the test listens"))?;
        results.recv_timeout(Duration::from_secs(30)).expect("it ends")
    }

    #[test]
    fn a_failure_is_told_with_its_last_line() {
        assert_eq!(result_of(&run("echo good")), Ok(()));
        let failed = result_of(&run("echo begin; echo 'no room left' >&2; echo; exit 3"));
        assert_eq!(failed, Err("exit code 3: no room left".to_owned()));
        assert_eq!(result_of(&run("kill -9 $$")), Err("ended by signal 9".to_owned()));
        let missing = OwnRun { argv: vec!["/no/such/program".to_owned()], ..run("") };
        assert!(result_of(&missing).is_err_and(|why| why.contains("cannot start it")));
    }
}
