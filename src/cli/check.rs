//! `check`: what a sweep comes to and whether this machine can run it; starts nothing.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::args::CheckArgs;
use super::error::CliError;
use super::exit_code::Exit;
use super::fit::Fitted;
use super::gpu_look::GpuLook;
use super::sweep::Sweep;
use super::{fit, launch, output, recall};
use crate::model::plan::{Plan, ShardSpec};
use crate::model::printable::{filled, width};
use crate::model::units::format_duration;
use crate::preflight::finding::Report;
use crate::results::forecast::Forecast;
use crate::telemetry::host::cores;

/// Prints the plan and what preflight finds.
pub fn run(args: &CheckArgs) -> Result<Exit, CliError> {
    let mut sweep = Sweep::open(&args.sweep)?;
    let fitted = fit::fit(&mut sweep)?;
    let (report, gpus) = launch::look_at_machine(&sweep.plan, Path::new("results"));
    recall::recall(&mut sweep.plan, &gpus.permitted());
    if args.json {
        output::json(&document(&sweep.plan, &fitted, (&report, &gpus)))?;
    } else {
        output::text(&text(&sweep.plan, &fitted))?;
    }
    for finding in &report.findings {
        output::say(&finding.to_string());
    }
    Ok(if report.refuses() { Exit::Refused } else { Exit::Done })
}

fn document(plan: &Plan, fitted: &Fitted, (report, gpus): (&Report, &GpuLook)) -> Value {
    let shards: Vec<Value> = plan
        .shards
        .iter()
        .map(|shard| {
            json!({
                "id": shard.id,
                "vars": shard.vars,
                "command": shard.command,
                "cwd": shard.cwd,
                "expected_s": shard.expected.map(|expected| expected.as_secs_f64()),
                "learned": shard.learned,
            })
        })
        .collect();
    json!({
        "version": 1,
        "name": plan.name,
        "parallel": plan.schedule.parallel.limit(cores()),
        "parallel_because": fitted.parallel,
        "forecast": Forecast::of_plan(plan, plan.schedule.parallel.limit(cores())),
        "shards_because": fitted.shards,
        "shards": shards,
        "gpus": gpus.document(plan),
        "findings": report.findings,
    })
}

fn text(plan: &Plan, fitted: &Fitted) -> String {
    let parallel = plan.schedule.parallel.limit(cores());
    let shards = if plan.shards.len() == 1 { "shard" } else { "shards" };
    let mut text = format!("{}: {} {shards}, {parallel} side by side", plan.name, plan.shards.len());
    let forecast = Forecast::of_plan(plan, parallel);
    let known: Option<Duration> = plan.shards.iter().map(ShardSpec::foreseen).sum();
    if let Some(known) = known {
        text.push_str(&format!(", {} of work expected", format_duration(known)));
    }
    text.push('\n');
    text.push_str(&format!("{}\n", forecast.words()));
    if let Some(because) = &fitted.parallel {
        text.push_str(&format!("parallel = \"auto\": {parallel}, because {because}\n"));
    }
    if let Some(became) = &fitted.shards {
        text.push_str(&format!("shards = \"auto\": {became}\n"));
    }
    for source in recall::sources(plan) {
        text.push_str(&source);
        text.push('\n');
    }
    let cells = plan.shards.iter().map(|shard| width(shard.id.as_str())).max().unwrap_or(0);
    let durations: Vec<String> = plan.shards.iter().map(duration).collect();
    let duration_cells = durations.iter().map(|words| width(words)).max().unwrap_or(0);
    for (shard, duration) in plan.shards.iter().zip(&durations) {
        let (id, duration) = (filled(shard.id.as_str(), cells), filled(duration, duration_cells));
        let gap = if duration_cells > 0 { "  " } else { "" };
        text.push_str(&format!("  {id}{gap}{duration}  {}\n", in_one_line(&shard.command)));
    }
    text
}

/// How long the shard should take, and that this was learned, where it was; nothing where nobody knows.
fn duration(shard: &ShardSpec) -> String {
    let learned = if shard.learned.time.is_some() { " learned" } else { "" };
    shard.foreseen().map_or_else(String::new, |time| format!("{}{learned}", format_duration(time)))
}

/// The whole command, because what tells two shards apart often stands on its last line.
fn in_one_line(command: &str) -> String {
    let mut joined = String::new();
    for line in command.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match joined.strip_suffix('\\') {
            Some(open) => joined.truncate(open.len()),
            None if !joined.is_empty() => joined.push_str(" ⏎ "),
            None => {}
        }
        joined.push_str(line);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_of_several_lines_is_shown_whole() {
        assert_eq!(in_one_line("\npython eval.py \\\n    --policy flat\n"), "python eval.py --policy flat");
        assert_eq!(in_one_line("cd x\npython eval.py"), "cd x ⏎ python eval.py");
    }
}
