//! Commands and setup steps as bash reads them: an open quote is found before the run.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use regex::Regex;

use super::finding::{Finding, FindingSeverity};
use crate::model::sweep::command_template::CommandTemplate;
use crate::model::sweep::plan::Plan;

/// Commands that differ by their values alone have the same mistakes.
const MOST_READ: usize = 32;

/// Value that only the start knows, as plans show it.
static PLACEHOLDER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\{\{[^}]*\}\}").expect("the pattern is a constant"));

/// Has bash read each command without running it; `None` from bash itself, where there is none, is no finding.
pub(super) fn inspect(plan: &Plan) -> Vec<Finding> {
    let CommandTemplate::Shell(_) = plan.template.command else { return Vec::new() };
    let commands: BTreeSet<&str> =
        plan.shards.iter().map(|shard| shard.command.as_str()).take(MOST_READ).collect();
    let read = |what: &'static str, text: &str| {
        let fault = syntax_fault(&PLACEHOLDER.replace_all(text, "0"))?;
        let hint = "close every quote and bracket, `do` by `done` and `if` by `fi`; an array of program and arguments needs no shell";
        let message = format!("bash cannot read `{}`: {fault}", shorten(text));
        Some(Finding::new(FindingSeverity::Refuse, what, message).with_hint(hint))
    };
    // Steps with variables are read as they are written: their values are quoted.
    let steps = plan.template.setup.iter().filter_map(|step| read("setup", step));
    steps.chain(commands.into_iter().find_map(|command| read("command", command))).collect()
}

/// What bash says against a text.
fn syntax_fault(text: &str) -> Option<String> {
    let mut command = Command::new("bash");
    command.args(["--noprofile", "--norc", "-n"]).env("LC_ALL", "C");
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().ok()?;
    let mut stdin = child.stdin.take()?;
    // A text that bash has given up on may have a rest.
    let _ = stdin.write_all(text.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().ok()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = said.lines().find(|line| line.contains("unexpected") || line.contains("syntax error"))?;
    // `bash: line 1: unexpected EOF while looking for matching ...`
    let fault = line.split_once(": line ").map_or(line, |(_, rest)| rest);
    (!output.status.success()).then(|| format!("line {fault}"))
}

fn shorten(text: &str) -> String {
    const LONGEST: usize = 80;
    let text = text.trim();
    let line = text.lines().next().unwrap_or_default();
    let short: String = line.chars().take(LONGEST).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_quote_is_a_fault_and_sound_text_is_none() {
        assert!(syntax_fault("echo \"hello").expect("a fault").contains("matching `\"'"));
        assert!(syntax_fault("for x in 1 2; do echo $x").is_some());
        assert_eq!(syntax_fault("for x in 1 2; do echo \"$x\"; done\necho $((1 + 0))"), None);
    }
}
