//! `adopt`: a run whose shards are processes that something else started. Each has a watcher that copies its log, so
//! that progress, telemetry, verdict, report and every screen are those of any run.

use toml::Value;

use super::adopt_args::AdoptArgs;
use super::adopt_names::name_logs;
use super::adopt_work::{FoundWork, find_works};
use crate::cli::browsing::browse;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::start::launch::{self, Stay};
use crate::cli::start::sweep::Sweep;
use crate::model::ids::ShardId;
use crate::model::sweep::plan::{MetricSource, Plan};

/// Name of the only axis: each log is one value of it.
const AXIS: &str = "log";

/// Makes a run of the processes' logs and watches it.
pub fn run(args: &AdoptArgs) -> Result<CliExit, CliError> {
    let works = find_works(args)?;
    let logs: Vec<_> = works.iter().map(|found| found.work.log.as_path()).collect();
    let ids = name_logs(&logs);
    let mut sweep = Sweep::from_text("adopted.toml", sweep_text(&ids, args.preset.as_deref())?)?;
    if let Some(path) = &args.sweep {
        read_logs_like(&mut sweep.plan, Sweep::open(path)?.plan);
    }
    watch_works(&mut sweep.plan, works);
    let run = launch::create_watching(&sweep, args.new_run.out.as_deref())?;
    let stay = Stay::from_flags(args.detach, args.new_run.headless, &args.screen);
    let seen = launch::start_run(&run, &sweep.plan, stay, &args.screen)?;
    browse::continue_after(seen, false, &args.screen)
}

/// The sweep that the run's folder shows. Nothing is tried again: a second watcher would see the same end.
fn sweep_text(ids: &[ShardId], preset: Option<&str>) -> Result<String, CliError> {
    let program = std::env::current_exe().map_err(CliError::system("find this program"))?;
    let quoted = |text: &str| Value::String(text.to_owned()).to_string();
    let names: Vec<String> = ids.iter().map(|id| quoted(id.as_str())).collect();
    Ok(format!(
        "# Written by `sweepdeck adopt`: each shard watches a process that was started elsewhere.\n\
         name = \"adopted\"\n\n[matrix]\n{AXIS} = [{}]\n\n[shard]\ncommand = [{}, \"watch-log\"]\n\n\
         [resources]\ngpus = 0\n\n[schedule]\nparallel = {}\non_oom = \"fail\"\n\n[progress]\npreset = {}\n",
        names.join(", "),
        quoted(&program.to_string_lossy()),
        ids.len(),
        quoted(preset.unwrap_or("auto")),
    ))
}

/// Reads the logs with the patterns of another plan. Files that its shards write are not where its templates
/// put them.
fn read_logs_like(plan: &mut Plan, other: Plan) {
    plan.progress = other.progress;
    plan.progress.file = None;
    plan.metrics = other.metrics;
    plan.metrics.retain(|metric| match metric.source {
        MetricSource::Log { .. } => true,
        MetricSource::File { .. } => false,
    });
    plan.rules = other.rules;
    plan.value_log = other.value_log;
}

/// Gives each shard its work, which is what is shown as its command.
fn watch_works(plan: &mut Plan, works: Vec<FoundWork>) {
    for (shard, FoundWork { work, command, cwd }) in plan.shards.iter_mut().zip(works) {
        shard.command = command.unwrap_or_else(|| format!("(ended) {}", work.log.display()));
        shard.cwd = cwd;
        plan.foreign.insert(shard.id.clone(), work);
    }
}
