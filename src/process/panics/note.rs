//! What is written of a panic before the process ends: when, in which process, where, and why.

use std::io::Write;
use std::panic::{self, PanicHookInfo};

use tracing::Level;

use super::report;
use crate::process::log::LineHead;

/// From now on, in this process and in all that are forked from it, a panic writes one line to the standard error, which
/// is `supervisor.log`, and leaves a report. Nothing can be caught: a release build ends at once.
pub fn write_panics_with_role() {
    panic::set_hook(Box::new(|panic| {
        let _ = writeln!(std::io::stderr(), "{}", describe_panic(panic));
        if let Some(file) = report::save(panic) {
            let _ = writeln!(std::io::stderr(), "the report of this panic is in {}", file.display());
        }
    }));
}

fn describe_panic(panic: &PanicHookInfo<'_>) -> String {
    // Written whatever is asked to be logged.
    let head = LineHead { level: Level::ERROR, target: module_path!() };
    let why = panic.payload_as_str().unwrap_or("no reason is known").replace('\n', " ");
    let place = panic.location().map_or_else(String::new, |at| format!(" at {}:{}", at.file(), at.line()));
    format!("{head}panicked{place}: {why}")
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    /// The hook is one for a whole process, so that this test is one of its own.
    const IN_A_CHILD: &str = "SWEEPDECK_TEST_OF_A_PANIC";

    #[test]
    fn a_panic_is_one_line_with_process_place_and_reason() {
        if std::env::var_os(IN_A_CHILD).is_some() {
            write_panics_with_role();
            panic!("two\nlines");
        }
        let name = concat!(module_path!(), "::a_panic_is_one_line_with_process_place_and_reason");
        let (_, name) = name.split_once("::").unwrap();
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", name])
            .env(IN_A_CHILD, "yes")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let pid = child.id();
        let ended = child.wait_with_output().unwrap();
        let text = String::from_utf8(ended.stderr).unwrap();
        let lines: Vec<&str> = text.lines().filter(|line| line.contains("panicked")).collect();
        assert!(!ended.status.success() && lines.len() == 1, "{text}");
        assert!(
            lines[0].contains(&format!(
                "[{pid}] sweepdeck::process::panics::note: panicked at src/process/panics/note.rs:"
            )),
            "{text}"
        );
        assert!(lines[0].ends_with(": two lines"), "{text}");
    }
}
