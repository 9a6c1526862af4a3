//! Which run and which shards the words of a command line mean.

use std::path::Path;

use super::target_args::{OneRun, OneShard, SomeShards};
use crate::cli::error::CliError;
use crate::model::command::Selection;
use crate::model::ids::ShardId;
use crate::model::state::service_state::ServiceState;
use crate::model::sweep::plan::Plan;
use crate::rundir::layout::RunDir;
use crate::rundir::machine_wide::discover;
use crate::rundir::{plans, proven_state};

/// The run of a verb that takes at most a run.
pub fn find_run(args: &OneRun) -> Result<RunDir, CliError> {
    match args.run.as_ref().or(args.word.as_ref()) {
        Some(word) => Ok(discover::find_run(word)?),
        None => Ok(discover::newest_run()?),
    }
}

/// The run and the shard of a verb that takes one shard.
pub fn find_shard(args: &OneShard) -> Result<(RunDir, ShardId), CliError> {
    let (run, rest) = match args.words.as_slice() {
        [first, second] if args.run.is_none() => (discover::find_run(first)?, vec![second.clone()]),
        words => split_run(args.run.as_deref(), words)?,
    };
    match rest.as_slice() {
        [shard] => {
            let mut known = resolve_names(&run, &rest)?;
            if let [first, second, ..] = &known[..] {
                let hint = format!("name one of them, such as `{first}` or `{second}`");
                return Err(CliError::usage(format!("`{shard}` has several instances")).with_hint(hint));
            }
            Ok((run, known.pop().ok_or_else(|| CliError::not_found(format!("there is no shard `{shard}`")))?))
        }
        [] => Err(CliError::usage("a shard is missing").with_hint(list_of_shards(&run)?)),
        [_, more, ..] => Err(CliError::usage(format!("`{more}` is one word too many"))),
    }
}

/// The run and the shards of a verb that takes any number of shards.
pub fn find_shards(args: &SomeShards) -> Result<(RunDir, Selection), CliError> {
    let (run, rest) = split_run(args.run.as_deref(), &args.words)?;
    let selection = match (args.all, args.failed, rest.as_slice()) {
        (true, _, []) => Selection::All,
        (_, true, []) => Selection::Failed,
        (false, false, []) => {
            return Err(
                CliError::usage("name shards, or say --all or --failed").with_hint(list_of_shards(&run)?)
            );
        }
        (false, false, shards) => Selection::These(resolve_names(&run, shards)?),
        (_, _, [word, ..]) => {
            let hint = "give either shards or one of --all and --failed";
            return Err(CliError::usage(format!("`{word}` beside --all or --failed")).with_hint(hint));
        }
    };
    Ok((run, selection))
}

/// Takes the run off the front of the words, if the first word names one.
pub fn split_run(named: Option<&str>, words: &[String]) -> Result<(RunDir, Vec<String>), CliError> {
    if let Some(named) = named {
        return Ok((discover::find_run(named)?, words.to_vec()));
    }
    match words.split_first() {
        Some((first, rest)) if is_run(first)? => Ok((discover::find_run(first)?, rest.to_vec())),
        Some(_) | None => Ok((discover::newest_run()?, words.to_vec())),
    }
}

/// A first word is a run if it is a path or a run's folder, or names a run and no shard of the newest one.
fn is_run(word: &str) -> Result<bool, CliError> {
    if word.contains('/') || RunDir::at(Path::new(word)).run_json().exists() {
        return Ok(true);
    }
    let runs = discover::list_runs()?;
    let Some(newest) = runs.first() else { return Ok(false) };
    if !runs.iter().any(|run| run.id.0 == word || run.name == word) {
        return Ok(false);
    }
    let plan = plans::read_plan(&RunDir::at(&newest.dir))?;
    let is_service = plan.services.iter().any(|service| service.name == word);
    Ok(!is_service && !plan.shards.iter().any(|shard| shard.id.as_str() == word))
}

/// Returns the shards and services of these names; all unknown names are reported at once. The name of a service means
/// all of its instances.
fn resolve_names(run: &RunDir, words: &[String]) -> Result<Vec<ShardId>, CliError> {
    let plan = plans::read_plan(run)?;
    let services = read_services(run, &plan)?;
    let mut found = Vec::new();
    let mut unknown = Vec::new();
    for word in words {
        let is_meant =
            |service: &&ServiceState| service.id().as_str() == word || service.instance.service == *word;
        let instances: Vec<ShardId> =
            services.iter().filter(is_meant).map(|service| service.id().clone()).collect();
        match plan.shards.iter().find(|shard| shard.id.as_str() == word) {
            Some(shard) => found.push(shard.id.clone()),
            None if instances.is_empty() => unknown.push(word.as_str()),
            None => found.extend(instances),
        }
    }
    let Some(first) = unknown.first() else { return Ok(found) };
    let similar = plan
        .shards
        .iter()
        .map(|shard| (strsim::jaro_winkler(first, shard.id.as_str()), &shard.id))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let hint = match similar {
        // Below this the closest name is a stranger.
        Some((likeness, id)) if likeness > 0.8 => format!("did you mean `{id}`?"),
        Some(_) | None => list_of_shards(run)?,
    };
    if let ([first, _, ..], [word, ..]) = (words, &unknown[..])
        && first == word
    {
        let message = format!("`{first}` is neither a run nor a shard of {}", run.path().display());
        return Err(CliError::not_found(message).with_hint(format!("{hint}; `sweepdeck ls` lists the runs")));
    }
    let names = unknown.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    Err(CliError::not_found(format!("the run {} has no shard {names}", run.path().display())).with_hint(hint))
}

/// The instances of services that the run has needed so far, those at its nodes among them.
fn read_services(run: &RunDir, plan: &Plan) -> Result<Vec<ServiceState>, CliError> {
    if plan.services.is_empty() {
        return Ok(Vec::new());
    }
    let mut services = proven_state::fold_journal(run)?.services;
    services.sort_by(|a, b| a.id().cmp(b.id()));
    services.dedup_by(|a, b| a.id() == b.id());
    Ok(services)
}

fn list_of_shards(run: &RunDir) -> Result<String, CliError> {
    const SHOWN: usize = 12;
    let plan = plans::read_plan(run)?;
    let names: Vec<&str> = plan.shards.iter().take(SHOWN).map(|shard| shard.id.as_str()).collect();
    let more = if plan.shards.len() > SHOWN {
        format!(" and {} more", plan.shards.len() - SHOWN)
    } else {
        String::new()
    };
    Ok(format!("its shards: {}{more}", names.join(", ")))
}
