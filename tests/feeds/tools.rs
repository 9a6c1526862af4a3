//! Programs that not every machine has: a test that needs one says loudly that it is left out.

use std::process::{Command, Stdio};

/// Whether a program is there; if not, that is printed.
#[expect(clippy::print_stderr, reason = "a test that is left out must be seen")]
pub fn is_installed(program: &str, argument: &str) -> bool {
    let tried = Command::new(program).arg(argument).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is_there = tried.is_ok_and(|status| status.success());
    if !is_there {
        eprintln!("left out: `{program}` is not installed");
    }
    is_there
}
