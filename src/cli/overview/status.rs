//! `status`: the state of a run, as text or as the document of the contract.

use std::collections::HashMap;

use jiff::tz::TimeZone;

use crate::cli::addressing::target;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::cli::overview::overview_args::StatusArgs;
use crate::model::ids::{AttemptKey, ShardId};
use crate::model::machine::sample::TelemetrySample;
use crate::model::state::run_state::RunState;
use crate::model::sweep::node_spec::NodeSpec;
use crate::model::sweep::plan::Plan;
use crate::results::live::LiveReading;
use crate::results::status::document::{Status, build_status};
use crate::results::status::plain_text;
use crate::results::status::sources::{NodeGpus, Sources};
use crate::rundir::layout::RunDir;
use crate::rundir::machine_wide::discover;
use crate::rundir::marks::MarkReader;
use crate::rundir::{clock, plans, proven_state, records, residence, telemetry, troubles};

/// Prints the state of the run.
pub fn run(args: &StatusArgs) -> Result<CliExit, CliError> {
    let status = read_status(&target::find_run(&args.run)?)?;
    if args.json {
        output::print_json(&status)?;
    } else {
        output::print_text(&plain_text::render_status_text(&status))?;
    }
    Ok(CliExit::Done)
}

/// Returns the state of a run now; reads files only.
pub fn read_status(run: &RunDir) -> Result<Status, CliError> {
    let info = discover::read_info(run)?;
    let mut plan = plans::read_first_plan(run)?;
    // Before the journal: a supervisor that ends between the two has its last fact read.
    let supervised = residence::is_served(run);
    let place = residence::far_place(run)?;
    let state = proven_state::read_state(run)?;
    plan.catch_up(&state);
    let inventory = telemetry::read_inventory(run)?;
    // A file that a newer program wrote is not used here.
    let waiting = records::read_if_there(&run.waiting_json()).unwrap_or_default();
    let unwritten = troubles::read_troubles(run).unwrap_or_default();
    Ok(build_status(&Sources {
        dir: run.path(),
        info: &info,
        plan: &plan,
        state: &state,
        supervised,
        place: place.as_deref(),
        readings: &collect_readings(run, &state)?,
        health: &telemetry::read_health(run)?.unwrap_or_default(),
        inventory: inventory.as_ref(),
        waiting: waiting.as_ref(),
        unwritten: &unwritten,
        node_gpus: &read_node_gpus(run, &plan, &state),
        telemetry: &read_telemetry(run, &plan, &state)?,
        now: clock::of_run(state.clock.as_ref()),
        zone: &TimeZone::system(),
    }))
}

/// The newest telemetry, with that of shards at nodes. A node whose files do not read has none.
fn read_telemetry(run: &RunDir, plan: &Plan, state: &RunState) -> Result<TelemetrySample, CliError> {
    let mut latest = telemetry::read_latest(run)?;
    for node in plan.nodes.iter().map(|node| state.nodes.current(&node.id)) {
        latest.shards.extend(telemetry::read_latest_of_shards(&run.node_dir(node)).unwrap_or_default());
    }
    Ok(latest)
}

/// The GPUs of each node. Of one whose files do not read nothing is known.
fn read_node_gpus(run: &RunDir, plan: &Plan, state: &RunState) -> Vec<NodeGpus> {
    let read = |place: &NodeSpec| {
        let node = state.nodes.current(&place.id).clone();
        let dir = run.node_dir(&node);
        NodeGpus {
            inventory: telemetry::read_inventory(&dir).ok().flatten(),
            health: telemetry::read_health(&dir).ok().flatten().unwrap_or_default(),
            samples: telemetry::read_latest_of_gpus(&dir).unwrap_or_default(),
            node,
        }
    };
    plan.nodes.iter().map(read).collect()
}

fn collect_readings(run: &RunDir, state: &RunState) -> Result<HashMap<ShardId, LiveReading>, CliError> {
    let mut readings = HashMap::new();
    for shard in &state.shards {
        if let Some(live) = shard.phase.live() {
            let key = AttemptKey { shard: shard.id.clone(), attempt: live.attempt };
            let marks = MarkReader::new(&run.attempt_dir(&key).marks_path()).read_new()?.marks;
            readings.insert(shard.id.clone(), LiveReading::from_marks(&shard.phase, &marks));
        }
    }
    Ok(readings)
}
