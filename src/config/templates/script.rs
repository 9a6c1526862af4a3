//! The text of `command.sh`: setup steps that must each succeed, then the command.

use std::path::Path;

use super::quote::shell_quote;

/// Part of the script after the setup steps.
pub(in crate::config) enum Body<'a> {
    /// Shell text that is run as it is.
    Command(&'a str),
    /// The arguments of the script itself, run in its place.
    Arguments,
}

/// Writes the script. `mark` is the file that holds the number of the setup step that runs, so that its failure can be
/// distinguished from a failure of the command whatever the step does, `exit` included.
pub(in crate::config) fn build_script(setup: &[String], body: &Body<'_>, mark: &Path) -> String {
    let mut lines = vec!["#!/usr/bin/env bash".to_owned()];
    if !setup.is_empty() {
        if matches!(body, Body::Arguments) {
            // A step such as `source activate` would take the program's arguments for its own.
            lines.push("sweepdeck_arguments=(\"$@\"); set --".to_owned());
        }
        let mark = shell_quote(&mark.to_string_lossy());
        for (index, step) in setup.iter().enumerate() {
            // `>|` writes also where a step has set `noclobber`.
            lines.push(format!("echo {} >| {mark}", index + 1));
            lines.push(step.replace("\r\n", "\n"));
            // Neither `case` nor a plain `exit` changes the status, and no variable is needed.
            lines.push("case $? in 0) ;; *) exit ;; esac".to_owned());
        }
        lines.push(format!("command rm -f {mark}"));
        if matches!(body, Body::Arguments) {
            lines.push("set -- \"${sweepdeck_arguments[@]}\"".to_owned());
        }
    }
    match body {
        // A sweep file with Windows line ends would hand bash a `\r` at the end of each line.
        Body::Command(command) => lines.push(command.replace("\r\n", "\n")),
        Body::Arguments => lines.push("exec \"$@\"".to_owned()),
    }
    lines.join("\n") + "\n"
}
