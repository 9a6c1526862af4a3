//! Waiting for a condition with a deadline.

use std::time::{Duration, Instant};

/// Long enough for a machine that is busy with other things; no test is meant to come near it.
const DEADLINE: Duration = Duration::from_secs(30);

/// Waits until the condition holds; `what` says it in words where it does not.
pub fn until(what: &str, condition: impl FnMut() -> bool) {
    until_or(what, condition, String::new);
}

/// Waits until the condition holds; tells what there is instead where it never does.
pub fn until_or(what: &str, mut condition: impl FnMut() -> bool, instead: impl Fn() -> String) {
    let deadline = Instant::now() + DEADLINE;
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
