//! Scripts with Windows line ends: Linux looks for an interpreter named `bash\r`.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::cwd::is_known;
use super::finding::{Finding, FindingSeverity};
use super::shell_text::{first_word, plain_words};
use super::surroundings::Surroundings;
use crate::config::templates::paths::absolute_path;
use crate::model::sweep::command_template::CommandTemplate;
use crate::model::sweep::plan::Plan;

/// How much of a script is read: its first line is shorter.
const HEAD: u64 = 512;

/// Looks at the programs that are paths, and at every word that is named like a shell script.
pub(super) fn inspect(plan: &Plan, around: &Surroundings) -> Vec<Finding> {
    let home = around.home_dir();
    let mut scripts: BTreeSet<(PathBuf, bool)> = BTreeSet::new();
    let mut seen: BTreeSet<(&Path, &str)> = BTreeSet::new();
    for shard in plan.shards.iter().filter(|shard| is_known(&shard.cwd)) {
        let first = match &plan.template.command {
            CommandTemplate::Shell(_) => first_word(&shard.command).map(|first| first.word),
            CommandTemplate::Arguments(arguments) => arguments.first().cloned(),
        };
        for word in plain_words(&shard.command) {
            let runs = first.as_deref() == Some(word) && word.contains('/');
            let is_script = [".sh", ".bash"].iter().any(|end| word.ends_with(end));
            if (runs || is_script) && seen.insert((&shard.cwd, word)) {
                scripts
                    .extend(absolute_path(word, &shard.cwd, home.as_deref()).ok().map(|path| (path, runs)));
            }
        }
    }
    scripts.iter().filter_map(|(path, runs)| inspect_script(path, *runs)).collect()
}

/// A script that is run itself cannot start; one that a shell reads goes wrong somewhere.
fn inspect_script(path: &Path, runs: bool) -> Option<Finding> {
    let mut head = Vec::new();
    File::open(path).ok().filter(|_| path.is_file())?.take(HEAD).read_to_end(&mut head).ok()?;
    let first_line = head.split(|byte| *byte == b'\n').next()?;
    if !first_line.ends_with(b"\r") || (runs && !first_line.starts_with(b"#!")) {
        return None;
    }
    let severity = if runs { FindingSeverity::Refuse } else { FindingSeverity::Warning };
    let message = format!("the script {} has Windows line ends", path.display());
    Some(Finding::new(severity, "script", message).with_hint(format!("sed -i 's/\\r$//' {}", path.display())))
}
