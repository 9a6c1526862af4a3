//! What is written of a panic before the process ends: when, in which process, where, and why.

use std::fs;
use std::io::Write;
use std::panic::{self, PanicHookInfo};

use jiff::Timestamp;

use super::report;

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
    // The name of the process says its part: `sweepdeck-hold`.
    let name = fs::read_to_string("/proc/self/comm").unwrap_or_default();
    let why = panic.payload_as_str().unwrap_or("no reason is known").replace('\n', " ");
    let place = panic.location().map_or_else(String::new, |at| format!(" at {}:{}", at.file(), at.line()));
    format!("{} {} {} panicked{place}: {why}", Timestamp::now(), name.trim(), std::process::id())
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
        assert!(lines[0].contains(&format!(" {pid} panicked at src/process/panics/note.rs:")), "{text}");
        assert!(lines[0].ends_with(": two lines"), "{text}");
    }
}
