//! One call of the user's hook: fed, drained, and ended with all it has started when its time is up.

use std::io::{self, Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rustix::process::{Signal, WaitOptions, WaitStatus};
use serde::Deserialize;
use tracing::warn;

use super::hook_output::HookOutput;
use crate::model::sweep::hook::Hook;
use crate::model::units::format_duration;
use crate::process::{signal, tree};
use crate::rundir::layout::RunDir;
use crate::rundir::plans;

/// How long killed processes may take to go.
const PATIENCE: Duration = Duration::from_secs(5);

/// Pause between looks whether it has ended: no one waits for it.
const LOOK: Duration = Duration::from_millis(20);

/// The longest document that is taken.
const LONGEST: u64 = 1 << 20;

/// Texts of the document, for hooks that read no JSON.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Words {
    title: String,
    message: String,
}

/// How a call went wrong.
#[derive(Debug, thiserror::Error)]
enum HookError {
    #[error("the plan of the run cannot be read: {0}")]
    Plan(#[from] crate::rundir::error::RunDirError),
    #[error("bash cannot be started: {0}")]
    Start(#[from] io::Error),
    #[error("it ended with exit code {0}")]
    Code(i32),
    #[error("it was ended by signal {0}")]
    Signal(i32),
    #[error("it was killed after {}", format_duration(*.0))]
    Late(Duration),
}

/// Calls the hook of a run with the document on standard input, or in its place `own_hook`, that of the settings. What
/// goes wrong is one line on standard output.
pub fn call_hook(run: &RunDir, own_hook: Option<&Hook>) {
    // Its terminal, if any, is not the hook's; and what the hook starts stays below this process.
    let _ = rustix::process::setsid();
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    let mut document = Vec::new();
    let _ = io::stdin().lock().take(LONGEST).read_to_end(&mut document);
    let mut printed = String::new();
    let ended = carry_out(run, own_hook, &document, &mut printed);
    log_call(run, &printed, &ended);
    if let Err(error) = ended {
        let last = printed.lines().rev().map(str::trim).find(|line| !line.is_empty());
        let last = last.map(|line| format!(": {}", line.chars().take(200).collect::<String>()));
        let which = if own_hook.is_some() { "the hook of the settings" } else { "the hook" };
        let text = format!("{which} failed: {error}{}", last.unwrap_or_default());
        // The supervisor of a run that ended does not wait for it; then `supervisor.log` has it, in addition to
        // `hooks.log`.
        if writeln!(io::stdout(), "{text}").is_err() {
            warn!("{text}");
        }
    }
}

fn carry_out(
    run: &RunDir,
    own_hook: Option<&Hook>,
    document: &[u8],
    printed: &mut String,
) -> Result<(), HookError> {
    let plan = plans::read_first_plan(run)?;
    let Some(Hook { command, timeout, .. }) = own_hook.or(plan.hook.as_ref()) else { return Ok(()) };
    // Another program may call this one by hand, with any document or none.
    let words: Words = serde_json::from_slice(document).unwrap_or_default();
    let (out, both) = io::pipe()?;
    let mut child = Command::new("bash")
        .args(["-c", command])
        .current_dir(&plan.sweep_dir)
        .env("SWEEPDECK_RUN", run.path())
        .env("SWEEPDECK_TITLE", words.title.replace('\0', ""))
        .env("SWEEPDECK_MESSAGE", words.message.replace('\0', ""))
        .stdin(Stdio::piped())
        .stdout(both.try_clone()?)
        .stderr(both)
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A hook need not read; and a document fits into a pipe that no process reads.
        let _ = stdin.write_all(document);
    }
    let output = HookOutput::from_reader(out);
    let ended = wait_for_hook(child.id(), *timeout);
    // Processes of a hook that had to be killed may be left; nothing waits for what they print.
    let is_late = matches!(ended, Err(HookError::Late(_)));
    *printed = if is_late { output.so_far() } else { output.wait_for_output() };
    ended
}

/// Waits for the hook and for everything it has started, orphans too; when the time is up, kills all of it.
fn wait_for_hook(main: u32, limit: Duration) -> Result<(), HookError> {
    let deadline = Instant::now() + limit;
    let mut ended = Ok(());
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) if pid.as_raw_nonzero().get().unsigned_abs() == main => {
                ended = judge_exit(status)
            }
            Ok(Some(_)) => {}
            Ok(None) if Instant::now() < deadline => std::thread::sleep(LOOK),
            Ok(None) => {
                end_all();
                return Err(HookError::Late(limit));
            }
            Err(rustix::io::Errno::INTR) => {}
            // No child is left.
            Err(_) => return ended,
        }
    }
}

fn judge_exit(status: WaitStatus) -> Result<(), HookError> {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(0), _) => Ok(()),
        (Some(code), _) => Err(HookError::Code(code)),
        (None, signal) => Err(HookError::Signal(signal.unwrap_or_default())),
    }
}

/// Kills everything below this process; what is started meanwhile is found in the next pass.
fn end_all() {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        let living = tree::find_descendants(std::process::id());
        if living.is_empty() {
            return;
        }
        for process in &living {
            // One that cannot be killed is still there at the deadline.
            let _ = signal::send_signal(process, Signal::KILL);
        }
        std::thread::sleep(LOOK);
    }
}

/// Notes the call in `hooks.log`.
fn log_call(run: &RunDir, printed: &str, ended: &Result<(), HookError>) {
    let word = ended.as_ref().map_or_else(HookError::to_string, |()| "done".to_owned());
    let newline = if printed.is_empty() || printed.ends_with('\n') { "" } else { "\n" };
    let entry = format!("{} the hook was called: {word}\n{printed}{newline}", Timestamp::now());
    // A log that cannot be written (a full disk) changes nothing of the call.
    let file = run.handle().join("hooks.log").open_append();
    let _ = file.and_then(|mut file| file.write_all(entry.as_bytes()));
}
