//! `check`: what a sweep comes to and whether this machine can run it; starts nothing.

use std::path::Path;
use std::time::Duration;

use jiff::Zoned;
use serde_json::{Value, json};

use super::resolve_parallel::{self, ResolvedParallel};
use super::sweep::Sweep;
use super::{announced, check_services, launch, launcher, node_checks, recall};
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::gpu_survey::GpuSurvey;
use crate::cli::output;
use crate::cli::start::start_args::CheckArgs;
use crate::config::matrix::axis_source::describe_axes;
use crate::config::plan::read_axes;
use crate::model::claims::budget::Budget;
use crate::model::hours::opening_hours::Hours;
use crate::model::hours::wall_time::format_moment;
use crate::model::logs::printable::{cell_width, pad_to_width};
use crate::model::state::comparison_blocks::ComparisonBlocks;
use crate::model::sweep::axis::AxisValues;
use crate::model::sweep::plan::{Pack, PackSizing, Plan, ShardSpec};
use crate::model::units::format_duration;
use crate::model::value::Value as AxisValue;
use crate::preflight::finding::Report;
use crate::preflight::inspect;
use crate::preflight::node_findings;
use crate::preflight::nodes::{NodeCheck, ProbeDepth};
use crate::results::status::shortage;
use crate::results::time_left::forecast::Forecast;
use crate::rundir::machine_wide::announcements;
use crate::supervisor::measurements::foresight;
use crate::telemetry::host::count_cores;
use crate::telemetry::host_bounds;

/// So many values of a long axis are shown before its last one.
const SHOWN: usize = 5;

/// Prints the plan and what preflight finds.
pub fn run(args: &CheckArgs) -> Result<CliExit, CliError> {
    let mut sweep = Sweep::open(&launcher::named_or_only(args.sweep.as_deref())?)?;
    let fitted = resolve_parallel::resolve_parallel(&mut sweep)?;
    let (mut report, gpus) = launch::look_at_machine(&sweep.plan, Path::new("results"));
    let mut checked = Vec::new();
    if !sweep.plan.nodes.is_empty() {
        // What this machine has is not asked: shards run elsewhere.
        checked = node_checks::ask_nodes(&sweep.plan, ProbeDepth::Share)?;
        let folder = &sweep.plan.sweep_dir;
        let mut findings = inspect::inspect_sweep(&sweep.plan, Path::new("results"));
        findings.extend(checked.iter().flat_map(|node| node.findings(folder)));
        findings.extend(node_findings::found_at_nodes(&checked));
        report = Report::of_findings(findings);
    }
    recall::recall_history(&mut sweep.plan, &gpus.permitted_gpus());
    if args.json {
        output::print_json(&build_document(&sweep, &fitted, (&report, &gpus), &checked))?;
    } else {
        output::print_text(&format_plan(&sweep, &fitted))?;
        output::print_text(&hours_text(&sweep.plan))?;
        if checked.is_empty() {
            output::print_text(&budget_text(&sweep.plan, &gpus))?;
        }
        let lines: String = checked.iter().filter_map(NodeCheck::to_line).map(|line| line + "\n").collect();
        output::print_text(&lines)?;
        output::print_text(&announced::format_announced(&announcements::of_others(), &gpus.inventory))?;
    }
    for finding in &report.findings {
        output::print_message(&finding.to_string());
    }
    Ok(if report.refuses() { CliExit::Refused } else { CliExit::Done })
}

fn build_document(
    sweep: &Sweep,
    fitted: &ResolvedParallel,
    (report, gpus): (&Report, &GpuSurvey),
    checked: &[NodeCheck],
) -> Value {
    let plan = &sweep.plan;
    let axes = read_axes(&sweep.source, &sweep.found);
    let axes: Vec<Value> =
        axes.iter().map(|axis| json!({ "name": axis.name, "values": axis.values })).collect();
    let shards: Vec<Value> = plan
        .shards
        .iter()
        .map(|shard| {
            json!({
                "id": shard.id,
                "vars": shard.vars,
                "command": shard.command,
                "cwd": shard.cwd,
                "needs": shard.needs,
                "expected_s": shard.expected.map(|expected| expected.as_secs_f64()),
                "learned": shard.learned,
            })
        })
        .collect();
    json!({
        "version": 1,
        "name": plan.name,
        "parallel": plan.schedule.parallel.initial_limit(count_cores()),
        "parallel_because": fitted.parallel,
        "forecast": Forecast::of_plan(plan, plan.schedule.parallel.initial_limit(count_cores())),
        "axes": axes,
        "shards_because": fitted.shards,
        "shards": shards,
        "services": plan.services.iter().map(check_services::service_json).collect::<Vec<_>>(),
        "gpus": gpus.to_json(plan),
        "host": host_bounds::read_bounds(Path::new("/")),
        "budget": foresee_budget(plan, gpus),
        "announced": announced::to_json(&announcements::of_others(), &gpus.inventory),
        "nodes": checked,
        "findings": report.findings,
    })
}

fn format_plan(sweep: &Sweep, fitted: &ResolvedParallel) -> String {
    let plan = &sweep.plan;
    let parallel = plan.schedule.parallel.initial_limit(count_cores());
    let shards = if plan.shards.len() == 1 { "shard" } else { "shards" };
    let mut text = format!("{}: {} {shards}, {parallel} side by side", plan.name, plan.shards.len());
    let forecast = Forecast::of_plan(plan, parallel);
    let known: Option<Duration> = plan.shards.iter().map(ShardSpec::expected_duration).sum();
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
    text.push_str(&auto_packs(plan));
    text.push_str(&described_axes(sweep));
    let compared = ComparisonBlocks::from_plan(plan).map(|blocks| format!("{}\n", blocks.to_text()));
    text.push_str(&compared.unwrap_or_default());
    plan.services.iter().for_each(|service| text.push_str(&check_services::format_service(service)));
    for source in recall::format_sources(plan) {
        text.push_str(&source);
        text.push('\n');
    }
    let cells = plan.shards.iter().map(|shard| cell_width(shard.id.as_str())).max().unwrap_or(0);
    let durations: Vec<String> = plan.shards.iter().map(format_expected).collect();
    let needs: Vec<String> = plan.shards.iter().map(|shard| shard.needs.to_text()).collect();
    let columns = [pad_column(&durations), pad_column(&needs)];
    for (place, shard) in plan.shards.iter().enumerate() {
        let id = pad_to_width(shard.id.as_str(), cells);
        let about: String = columns.iter().flatten().map(|column| format!("  {}", column[place])).collect();
        text.push_str(&format!("  {id}{about}  {}\n", in_one_line(&shard.command)));
    }
    text
}

/// Returns the note that packs are cut when they start, if the plan has such packs.
fn auto_packs(plan: &Plan) -> String {
    let is_auto = |pack: &&Pack| pack.sizing == PackSizing::Auto;
    let pack = plan.shards.iter().filter_map(|shard| shard.pack.as_ref()).find(is_auto);
    pack.map_or_else(String::new, |pack| {
        format!("size = \"auto\": a pack starts with as many values of {} as fit\n", pack.axis_name())
    })
}

/// Foresees what the run would claim if it started now.
fn foresee_budget(plan: &Plan, gpus: &GpuSurvey) -> Option<Budget> {
    let parallel = plan.schedule.parallel.initial_limit(count_cores());
    foresight::foresee_budget(plan, &gpus.permit, (&gpus.inventory, &gpus.readings), parallel)
}

/// The windows of the sweep, and whether one is open now.
fn hours_text(plan: &Plan) -> String {
    let Some(window) = &plan.schedule.hours.window else { return String::new() };
    let now = Zoned::now();
    let moment = |at| format_moment(at, now.timestamp(), now.time_zone());
    let told = match window.state_at(now.timestamp(), now.time_zone()) {
        Hours::Open { closes: Some(closes) } => format!("open until {}", moment(closes)),
        Hours::Open { closes: None } => "always open".to_owned(),
        Hours::Shut { opens } => format!("shut, opens at {}", moment(opens)),
    };
    format!("window {window}: {told}\n")
}

/// Formats the accounts of the machine before the start, and what the shards wait for that do not fit in addition to
/// the others.
fn budget_text(plan: &Plan, gpus: &GpuSurvey) -> String {
    let Some(budget) = foresee_budget(plan, gpus) else { return String::new() };
    let mut text: String = budget.to_lines().iter().map(|line| format!("{line}\n")).collect();
    let slots = (plan.schedule.parallel.initial_limit(count_cores()) as usize).min(plan.shards.len());
    if let Some(group) = budget.waiting.first().filter(|_| budget.starts < slots) {
        let (starts, reason) = (budget.starts, shortage::describe_shortage(&group.short_of));
        text.push_str(&format!("{starts} of {slots} start at once; the next one {reason}\n"));
    }
    text
}

/// Formats the values of axes that the file describes instead of listing them, a line each.
fn described_axes(sweep: &Sweep) -> String {
    let described = describe_axes(&sweep.source);
    let line = |axis: &AxisValues| {
        let (_, from) = described.iter().find(|(name, _)| *name == axis.name)?;
        let count = axis.values.len();
        let values = if count == 1 { "value" } else { "values" };
        if count == 0 {
            return Some(format!(
                "{}: 0 values from {from} so far; those that come are taken up\n",
                axis.name
            ));
        }
        Some(format!("{}: {count} {values} from {from}: {}\n", axis.name, shorten_values(&axis.values)))
    };
    read_axes(&sweep.source, &sweep.found).iter().filter_map(line).collect()
}

/// The first values and the last one.
fn shorten_values(values: &[AxisValue]) -> String {
    let words: Vec<String> = values.iter().map(ToString::to_string).collect();
    match &words[..] {
        [first @ .., last] if first.len() > SHOWN => format!("{}, … {last}", first[..SHOWN].join(", ")),
        all => all.join(", "),
    }
}

/// The cells filled to one width; `None` if all are empty.
fn pad_column(cells: &[String]) -> Option<Vec<String>> {
    let widest = cells.iter().map(|words| cell_width(words)).max().filter(|widest| *widest > 0)?;
    Some(cells.iter().map(|words| pad_to_width(words, widest)).collect())
}

/// Formats how long the shard should take, and whether this was learned; empty where the time is unknown.
fn format_expected(shard: &ShardSpec) -> String {
    let learned = if shard.learned.time.is_some() { " learned" } else { "" };
    shard.expected_duration().map_or_else(String::new, |time| format!("{}{learned}", format_duration(time)))
}

/// Joins the lines of a command: all of them, because the part that distinguishes two shards is often on the last line.
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
