//! The setup steps: the files they source, conda, and secrets that must be in the session.

use std::path::{Path, PathBuf};

use super::cwd::is_known;
use super::finding::{Finding, FindingSeverity};
use super::shell_text::plain_words;
use super::surroundings::Surroundings;
use crate::config::templates::paths::absolute_path;
use crate::model::sweep::plan::Plan;

/// Folders in which conda and its kin are usually installed.
const CONDA_FOLDERS: [&str; 7] = [
    "~/miniconda3", "~/anaconda3", "~/miniforge3", "~/mambaforge", "~/micromamba", "/opt/conda",
    "/opt/miniconda3",
];

/// The file of a conda installation that makes `conda activate` work in a script.
const CONDA_FILE: &str = "etc/profile.d/conda.sh";

/// Looks at each step that is plain enough to be judged.
pub(super) fn inspect(plan: &Plan, around: &Surroundings) -> Vec<Finding> {
    let home = around.home_dir();
    let mut findings = Vec::new();
    for step in &plan.template.setup {
        findings.extend(missing_file(step, plan, home.as_deref(), around));
    }
    findings.extend(inactive_conda(&plan.template.setup, home.as_deref(), around));
    for name in &plan.template.secret {
        if !around.env.contains_key(name) {
            let message = format!("the secret `{name}` is not set in this session");
            findings.push(
                Finding::new(FindingSeverity::Warning, "secret", message)
                    .with_hint(format!("export {name}=...")),
            );
        }
    }
    findings
}

/// `source FILE` alone fails without the file.
fn missing_file(step: &str, plan: &Plan, home: Option<&Path>, around: &Surroundings) -> Option<Finding> {
    let step = step.trim();
    let rest = step.strip_prefix("source ").or_else(|| step.strip_prefix(". "))?;
    if rest.contains([';', '&', '|', '\n', '$', '`', '\'', '"', '*', '{', '\\']) {
        return None;
    }
    let name = rest.split_whitespace().next()?;
    // A name without `/` is searched on the path as well.
    if !name.contains('/') || plan.template.setup.iter().any(|step| step.contains("cd ")) {
        return None;
    }
    let cwd = plan.shards.first().map(|shard| shard.cwd.as_path()).filter(|cwd| is_known(cwd))?;
    let path = absolute_path(name, cwd, home).ok()?;
    let lost_folder = !name.starts_with(['/', '~']) && !cwd.is_dir();
    if path.exists() || lost_folder {
        return None;
    }
    let finding = Finding::new(
        FindingSeverity::Refuse,
        "setup",
        format!("the setup step `{step}` has no file {}", path.display()),
    );
    let conda = if name.contains("conda") { installed_conda(home, around) } else { None };
    Some(match conda {
        Some(conda) => finding.with_hint(format!("conda is here: source {}", conda.display())),
        None => finding.with_hint("correct the path in `setup`"),
    })
}

/// `conda activate` is a function that a script does not have by itself.
fn inactive_conda(setup: &[String], home: Option<&Path>, around: &Surroundings) -> Option<Finding> {
    let activates = |step: &String| {
        let mut words = plain_words(step);
        words.next() == Some("conda") && words.next() == Some("activate")
    };
    let at = setup.iter().position(activates)?;
    let prepares = |step: &String| ["source", ". ", "eval", "hook"].iter().any(|word| step.contains(word));
    if setup[..at].iter().any(prepares) || around.env.contains_key("BASH_FUNC_conda%%") {
        return None;
    }
    let file = installed_conda(home, around).unwrap_or_else(|| Path::new("~/miniconda3").join(CONDA_FILE));
    let message = "`conda activate` in `setup` is not known to a script";
    let hint = format!("put `source {}` before it", file.display());
    Some(Finding::new(FindingSeverity::Warning, "setup", message).with_hint(hint))
}

/// The file of the first conda installation that is found.
fn installed_conda(home: Option<&Path>, around: &Surroundings) -> Option<PathBuf> {
    let files = CONDA_FOLDERS.iter().filter_map(|folder| absolute_path(folder, &around.root, home).ok());
    files.map(|folder| folder.join(CONDA_FILE)).find(|file| file.exists())
}
