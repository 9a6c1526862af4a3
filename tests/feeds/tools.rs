//! Programs that not every machine has. A test that needs one is ignored by default, says in its mark what it needs, and
//! fails where that is missing: left out in silence it would prove nothing.

use std::process::{Command, Stdio};

/// Fails where a program is not there.
pub fn require_program(program: &str, package: &str) {
    assert!(does_work(program, &["--version"]), "`{program}` is missing: install {package}");
}

/// The Python of the tests, with these modules.
pub fn python_with(modules: &str) -> String {
    let python = std::env::var("SWEEPDECK_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has_all = does_work(&python, &["-c", &format!("import {modules}")]);
    assert!(has_all, "`{python}` has not all of: {modules}; SWEEPDECK_PYTHON names another");
    python
}

fn does_work(program: &str, words: &[&str]) -> bool {
    let tried = Command::new(program).args(words).stdout(Stdio::null()).stderr(Stdio::null()).status();
    tried.is_ok_and(|status| status.success())
}
