//! Waiting with a deadline: for a condition, and for the end of a program.

use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Long enough for a machine that is busy with other things; no test is meant to come near it.
const DEADLINE: Duration = Duration::from_secs(30);

/// Waits until the condition holds; `what` says it in words where it does not.
pub fn until(what: &str, condition: impl FnMut() -> bool) {
    until_or(what, condition, String::new);
}

/// Waits until the condition holds; tells what there is instead where it never does.
pub fn until_or(what: &str, condition: impl FnMut() -> bool, instead: impl Fn() -> String) {
    until_within(DEADLINE, what, condition, instead);
}

/// The same with another deadline, for what the program itself does only now and then.
pub fn until_within(
    patience: Duration,
    what: &str,
    mut condition: impl FnMut() -> bool,
    instead: impl Fn() -> String,
) {
    let deadline = Instant::now() + patience;
    while !condition() {
        assert!(Instant::now() < deadline, "waited in vain until {what}\n{}", instead());
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits until there is a value.
pub fn until_some<T>(what: &str, mut value: impl FnMut() -> Option<T>) -> T {
    let mut found = None;
    until(what, || {
        found = value();
        found.is_some()
    });
    found.expect("until returns only when the condition holds")
}

/// No test takes nearly so long to the end of one program.
const LONGEST: Duration = Duration::from_mins(5);

/// What a program has printed when it has ended. One that would never end fails its test, which then tells what there
/// is; the process is left to the end of the test's place.
pub fn output_of(command: &mut Command) -> Output {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let (told, heard) = mpsc::channel();
    std::thread::spawn(move || told.send(child.wait_with_output()));
    let output = heard.recv_timeout(LONGEST);
    let output = output.unwrap_or_else(|_| panic!("{command:?} has not ended after {LONGEST:?}"));
    output.expect("what it prints can be read")
}
