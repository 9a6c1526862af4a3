//! The programs of the commands: are they there, and may they be run?

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use super::cwd::is_known;
use super::finding::{Finding, FindingSeverity};
use super::shell_text::first_word;
use super::surroundings::Surroundings;
use crate::config::templates::paths::expand_home;
use crate::model::sweep::command_template::CommandTemplate;
use crate::model::sweep::plan::{Plan, ShardSpec};

/// Folders in which programs without a `/` are searched by default.
const USUAL_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// A program to look for, once for all shards that run it there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct RequiredProgram {
    program: String,
    cwd: PathBuf,
    certain: bool,
}

/// Looks for every distinct program.
pub(super) fn inspect(plan: &Plan, around: &Surroundings) -> Vec<Finding> {
    let search =
        ProgramSearch { path: search_path(plan, around), around, sets_up: !plan.template.setup.is_empty() };
    let mut wanted: BTreeSet<RequiredProgram> = BTreeSet::new();
    if search.sets_up || matches!(plan.template.command, CommandTemplate::Shell(_)) {
        wanted.insert(RequiredProgram {
            program: "bash".to_owned(),
            cwd: plan.sweep_dir.clone(),
            certain: true,
        });
    }
    let folders: BTreeSet<&Path> = plan.shards.iter().map(|shard| shard.cwd.as_path()).collect();
    let usable: BTreeMap<&Path, bool> =
        folders.into_iter().map(|cwd| (cwd, is_known(cwd) && cwd.is_dir())).collect();
    for shard in &plan.shards {
        let in_folder = usable.get(shard.cwd.as_path()).copied().unwrap_or(false);
        wanted.extend(search.wanted_program(plan, shard, in_folder));
    }
    wanted.iter().filter_map(|wanted| search.check_program(wanted)).collect()
}

/// How programs are searched.
struct ProgramSearch<'a> {
    path: String,
    around: &'a Surroundings,
    /// Setup steps may change the search path, define functions and change the folder.
    sets_up: bool,
}

/// The search path that attempts will see; a templated one is not known before.
fn search_path(plan: &Plan, around: &Surroundings) -> String {
    let own = plan.template.env.get("PATH").filter(|path| !path.contains("{{"));
    own.or(around.env.get("PATH")).cloned().unwrap_or_else(|| USUAL_PATH.to_owned())
}

impl ProgramSearch<'_> {
    fn wanted_program(&self, plan: &Plan, shard: &ShardSpec, in_folder: bool) -> Option<RequiredProgram> {
        let (program, certain) = match &plan.template.command {
            CommandTemplate::Shell(_) => {
                let first = first_word(&shard.command)?;
                (first.word, first.alone)
            }
            CommandTemplate::Arguments(arguments) => (self.program_of(arguments.first()?, shard)?, true),
        };
        let is_path = program.contains('/');
        let moves = plan.template.setup.iter().any(|step| step.contains("cd ") || step.contains("pushd"));
        let unknown = match (is_path, program.starts_with('/')) {
            (false, _) => self.sets_up || self.is_function(&program),
            // A missing folder is reported by itself, and that is enough.
            (true, false) => !in_folder || moves,
            (true, true) => false,
        };
        // Names are searched the same way from every folder.
        let cwd = if is_path { shard.cwd.clone() } else { PathBuf::new() };
        (!unknown && !program.contains("{{")).then_some(RequiredProgram { program, cwd, certain })
    }

    /// The program of a list command, as the attempt will see it.
    fn program_of(&self, template: &str, shard: &ShardSpec) -> Option<String> {
        let text = if template.contains("{{") || template.contains("{%") {
            shell_words::split(&shard.command).ok()?.into_iter().next()?
        } else {
            template.to_owned()
        };
        let expanded = if text.starts_with("~/") {
            expand_home(&text, self.around.home_dir().as_deref()).ok()?
        } else {
            text.into()
        };
        expanded.to_str().map(str::to_owned)
    }

    /// Functions that the session exports to every bash.
    fn is_function(&self, name: &str) -> bool {
        self.around.env.contains_key(&format!("BASH_FUNC_{name}%%"))
    }

    fn check_program(&self, wanted: &RequiredProgram) -> Option<Finding> {
        let program = &wanted.program;
        let severity = if wanted.certain { FindingSeverity::Refuse } else { FindingSeverity::Warning };
        if program.contains('/') {
            return look_at(&wanted.cwd.join(program), program, severity);
        }
        let mut candidates = self.path.split(':').map(|folder| Path::new(folder).join(program));
        if candidates.any(|candidate| is_runnable(&candidate)) {
            return None;
        }
        let message = format!("the program `{program}` is not on the search path");
        let hint = "install it, give its whole path, or activate its environment in `setup`";
        Some(Finding::new(severity, "program", message).with_hint(hint))
    }
}

fn look_at(path: &Path, program: &str, severity: FindingSeverity) -> Option<Finding> {
    let refuse = |what: &str| {
        let shown = if path == Path::new(program) { String::new() } else { format!(" ({})", path.display()) };
        Some(Finding::new(severity, "program", format!("the program `{program}`{shown} {what}")))
    };
    match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => refuse("does not exist"),
        Err(error) => refuse(&format!("cannot be used: {error}")),
        Ok(found) if found.is_dir() => refuse("is a folder"),
        Ok(_) if !is_runnable(path) => {
            refuse("may not be run").map(|finding| finding.with_hint(format!("chmod +x {}", path.display())))
        }
        Ok(_) => None,
    }
}

fn is_runnable(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}
