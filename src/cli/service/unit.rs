//! The text of the systemd unit.

use std::ffi::OsStr;
use std::path::Path;

/// Name of the unit.
pub(super) const UNIT: &str = "sweepdeck.service";

/// Variables by which runs are found and tools are called: they are those of the user's shell, which systemd lacks.
pub(super) const KEPT: [&str; 3] = ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "PATH"];

/// Returns the unit that continues all runs at boot; `None` for a path or value that is no text.
pub(super) fn unit_text<'a>(
    program: &Path,
    environment: impl IntoIterator<Item = (&'a str, &'a OsStr)>,
) -> Option<String> {
    let mut lines = String::new();
    for (name, value) in environment {
        lines += &format!("Environment={}\n", quote(&format!("{name}={}", value.to_str()?), false)?);
    }
    Some(format!(
        "# Written by `sweepdeck service install`; `sweepdeck service uninstall` removes it.\n\
         [Unit]\n\
         Description=Continue the runs of sweepdeck after a reboot\n\
         \n\
         [Service]\n\
         Type=oneshot\n\
         ExecStart={} recover --all\n\
         {lines}\
         # The runs stay in the unit: they outlive the command, and stopping the unit ends none of them.\n\
         RemainAfterExit=yes\n\
         KillMode=process\n\
         # One evaluation that runs out of memory is no reason to end the others.\n\
         OOMPolicy=continue\n\
         TimeoutStartSec=infinity\n\
         TasksMax=infinity\n\
         \n\
         [Install]\n\
         WantedBy=default.target\n",
        quote(program.to_str()?, true)?
    ))
}

/// Quotes a word for a unit file, where `%` begins a specifier and, in commands, `$` a variable.
fn quote(word: &str, is_command: bool) -> Option<String> {
    let mut quoted = String::from("\"");
    for letter in word.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '%' => quoted.push_str("%%"),
            '$' if is_command => quoted.push_str("$$"),
            '\n' | '\r' | '\0' => return None,
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    Some(quoted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_with_marks_of_systemd_are_quoted() {
        let environment = [("XDG_STATE_HOME", OsStr::new("/home/a b/50%"))];
        let text = unit_text(Path::new("/opt/a \"b\"/$sweep%deck"), environment).unwrap();
        assert!(text.contains("ExecStart=\"/opt/a \\\"b\\\"/$$sweep%%deck\" recover --all\n"), "{text}");
        assert!(text.contains("Environment=\"XDG_STATE_HOME=/home/a b/50%%\"\n"), "{text}");
        assert_eq!(unit_text(Path::new("/opt/a\nb"), []), None);
    }
}
