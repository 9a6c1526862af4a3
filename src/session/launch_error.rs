//! A failed start, worded with what to mend.

use std::ffi::OsStr;
use std::io;

use crate::model::attempt::HolderOrder;
use crate::process::start::launch_failure::{LaunchFailure, LaunchStep};
use crate::process::start::program;

/// Explains the failure in one line for `exit.json`.
pub fn explain_failure(order: &HolderOrder, path: Option<&OsStr>, failure: &LaunchFailure) -> String {
    let error = &failure.source;
    match failure.step {
        LaunchStep::Terminal => format!("the terminal could not be made the program's own: {error}"),
        LaunchStep::DeathSignal => format!("the program could not be tied to its holder: {error}"),
        LaunchStep::Directory => explain_directory(order, error),
        LaunchStep::Cores => format!("the program could not be pinned to cores {:?}: {error}", order.cores),
        LaunchStep::Nice => format!("the niceness could not be changed by {}: {error}", order.nice),
        LaunchStep::Exec => explain_program(order, path, error),
    }
}

fn explain_directory(order: &HolderOrder, error: &io::Error) -> String {
    let cwd = order.cwd.display();
    match error.raw_os_error() {
        Some(libc::ENOENT) => format!("working directory `{cwd}` does not exist"),
        Some(libc::ENOTDIR) => format!("working directory `{cwd}` is not a directory"),
        Some(libc::EACCES) => format!("working directory `{cwd}` may not be entered (permission denied)"),
        _ => format!("working directory `{cwd}` cannot be used: {error}"),
    }
}

fn explain_program(order: &HolderOrder, path: Option<&OsStr>, error: &io::Error) -> String {
    let program = order.argv.first().map_or("", String::as_str);
    match error.raw_os_error() {
        Some(libc::ENOENT) => explain_missing(order, path, program),
        Some(libc::ENOEXEC) => {
            format!("`{program}` is not a program this machine can run (exec format error)")
        }
        Some(libc::EACCES) => {
            format!(
                "`{program}` may not be executed (permission denied); `chmod +x` it or name its interpreter"
            )
        }
        Some(libc::E2BIG) => format!("the arguments and variables of `{program}` are too long ({error})"),
        _ => format!("`{program}` could not be started: {error}"),
    }
}

fn explain_missing(order: &HolderOrder, path: Option<&OsStr>, name: &str) -> String {
    if name.is_empty() {
        return "the command is empty".to_owned();
    }
    // The kernel returns the same error when the file exists and its first line names an interpreter that
    // does not.
    let places = program::list_candidates(name, path);
    if let Some(found) = places.iter().map(|place| order.cwd.join(place)).find(|place| place.exists()) {
        return format!(
            "`{}` names an interpreter that was not found; look at its first line",
            found.display()
        );
    }
    if name.contains('/') {
        return format!("program `{name}` does not exist (looked for from {})", order.cwd.display());
    }
    format!("program `{name}` was not found in PATH ({})", path.unwrap_or_default().to_string_lossy())
}
