//! Programs that not every machine has: a test that needs one says loudly that it is left out.

use std::process::{Command, Stdio};

/// Whether a program is there; if not, that is printed.
pub fn is_installed(program: &str) -> bool {
    does_work(program, &["--version"], &format!("`{program}` is not installed"))
}

/// Whether a Python has these modules; if not, that is printed.
pub fn has_modules(python: &str, modules: &str) -> bool {
    does_work(python, &["-c", &format!("import {modules}")], &format!("`{python}` has no {modules}"))
}

#[expect(clippy::print_stderr, reason = "a test that is left out must be seen")]
fn does_work(program: &str, words: &[&str], lack: &str) -> bool {
    let tried = Command::new(program).args(words).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let does_work = tried.is_ok_and(|status| status.success());
    if !does_work {
        eprintln!("left out: {lack}");
    }
    does_work
}
