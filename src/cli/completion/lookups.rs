//! The live names behind a word: read from runs, sweeps and settings when a shell asks.

use std::ffi::OsStr;
use std::path::Path;

use clap_complete::engine::{CompletionCandidate, PathCompleter, ValueCompleter};

use super::choices::{self, Choice};
use super::typed_words::TypedWords;
use crate::cli::start::own_formats;
use crate::model::logs::printable::{is_hidden, to_printable};
use crate::model::sweep::plan::Plan;
use crate::model::sweep::presets::PRESETS;
use crate::rundir::machine_wide::discover;
use crate::rundir::{plans, proven_state};
use crate::tui::theme::store;

/// The kind of name that a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameKind {
    /// A run, by id or folder.
    Run,
    /// A shard, or before the first one a run.
    Shard,
    /// A shard of a sweep file.
    PlannedShard,
    /// Ids or values of `--only`.
    Only,
    /// An axis with a value that its run has.
    AxisValue,
    /// An axis that gets new values; before the first one a run.
    Axis,
    /// An axis that takes up new files.
    WatchedAxis,
    /// A sweep file.
    SweepFile,
    /// A log format.
    Preset,
    /// A theme.
    Theme,
}

/// Looks up all names of a kind that begin with what was typed.
pub fn find_candidates(kind: NameKind, typed: &TypedWords, current: &OsStr) -> Vec<CompletionCandidate> {
    let Some(text) = current.to_str() else { return Vec::new() };
    let mut candidates: Vec<CompletionCandidate> = find_choices(kind, typed, text)
        .into_iter()
        .filter(|choice| choice.word.starts_with(text) && !choice.word.contains(is_hidden))
        .map(to_candidate)
        .collect();
    match kind {
        NameKind::SweepFile => {
            let is_sweep = |path: &Path| path.extension().is_some_and(|end| end == "toml");
            candidates.extend(PathCompleter::any().filter(is_sweep).complete(current));
        }
        NameKind::Run | NameKind::Shard if is_path(text) => {
            candidates.extend(PathCompleter::dir().complete(current));
        }
        NameKind::Run
        | NameKind::Shard
        | NameKind::PlannedShard
        | NameKind::Only
        | NameKind::AxisValue
        | NameKind::Axis
        | NameKind::WatchedAxis
        | NameKind::Preset
        | NameKind::Theme => {}
    }
    candidates
}

fn is_path(text: &str) -> bool {
    text.starts_with('.') || text.contains('/')
}

fn to_candidate(choice: Choice) -> CompletionCandidate {
    let help = Some(choice.help).filter(|help| !help.is_empty());
    let help = help.map(|help| to_printable(&help).into_owned().into());
    CompletionCandidate::new(choice.word).help(help)
}

fn find_choices(kind: NameKind, typed: &TypedWords, text: &str) -> Vec<Choice> {
    match kind {
        NameKind::Run => runs(typed),
        NameKind::Shard => with_runs(shards(typed), typed),
        NameKind::PlannedShard => {
            typed.read_sweep().map(|plan| choices::planned_choices(&plan)).unwrap_or_default()
        }
        NameKind::Only => {
            typed.read_sweep().map(|plan| choices::only_choices(&plan, text)).unwrap_or_default()
        }
        NameKind::AxisValue => {
            plan_of_run(typed, |plan| choices::pair_choices(&choices::axes_of(plan), text))
        }
        NameKind::Axis => {
            with_runs(plan_of_run(typed, |plan| choices::axis_choices(&choices::axes_of(plan))), typed)
        }
        NameKind::WatchedAxis => plan_of_run(typed, |plan| {
            let watches = plan.expansion.iter().flat_map(|expansion| &expansion.watches);
            watches.map(|watch| Choice::new(&watch.axis, &watch.pattern)).collect()
        }),
        NameKind::SweepFile => Vec::new(),
        NameKind::Preset => {
            let own = own_formats::read_formats().into_keys().map(|name| Choice::new(name, "your own"));
            PRESETS.iter().map(|name| Choice::new(*name, "")).chain(own).collect()
        }
        NameKind::Theme => store::theme_names().into_iter().map(|name| Choice::new(name, "")).collect(),
    }
}

fn runs(typed: &TypedWords) -> Vec<Choice> {
    let mut choices = choices::run_choices(&discover::list_runs().unwrap_or_default());
    choices.retain(|choice| !typed.words.contains(&choice.word));
    choices
}

/// A run may come before the first word of a verb, unless `--run` names it.
fn with_runs(mut choices: Vec<Choice>, typed: &TypedWords) -> Vec<Choice> {
    if typed.run.is_none() && typed.words.is_empty() {
        choices.extend(runs(typed));
    }
    choices
}

fn shards(typed: &TypedWords) -> Vec<Choice> {
    let state = typed.find_run().and_then(|run| proven_state::fold_journal(&run).ok());
    state.map(|state| choices::shard_choices(&typed.verb, &state, &typed.words)).unwrap_or_default()
}

fn plan_of_run(typed: &TypedWords, choose: impl FnOnce(&Plan) -> Vec<Choice>) -> Vec<Choice> {
    let plan = typed.find_run().and_then(|run| plans::read_plan(&run).ok());
    plan.map(|plan| choose(&plan)).unwrap_or_default()
}
