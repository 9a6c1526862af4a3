//! The series of one run, from its status.

use super::definitions as family;
use super::exposition_text::Exposition;
use crate::model::nodes::node_phase::NodePhase;
use crate::model::state::condition::Condition;
use crate::model::state::phase::PhaseKind;
use crate::model::sweep::node_spec::NodeId;
use crate::results::counted_unit::is_of_episodes;
use crate::results::status::document::{RunWord, Status};
use crate::results::status::nodes::NodeStatus;
use crate::results::status::shard::ShardStatus;

const STATES: [RunWord; 4] = [RunWord::Running, RunWord::Finished, RunWord::Stopped, RunWord::Unsupervised];

const CONDITIONS: [Condition; 3] = [Condition::Stalled, Condition::NeedsInput, Condition::Compiling];

/// So many shards at work have series of their own; no machine runs more side by side.
const MOST_SHARDS: usize = 256;

/// So many metrics of a shard are shown: a log may bring any number of names.
const MOST_METRICS: usize = 16;

/// Adds the series of a run.
pub fn add_run(exposition: &mut Exposition, status: &Status) {
    let id = status.run.id.0.as_str();
    exposition.add(&family::RUN_INFO, &[id, &status.run.name], 1.0);
    for state in STATES {
        exposition.add(&family::RUN_STATE, &[id, state.as_str()], as_number(state == status.run.state));
    }
    exposition.add(&family::RUN_START, &[id], status.run.started.as_millisecond() as f64 / 1000.0);
    exposition.add(&family::RUN_ELAPSED, &[id], status.run.elapsed_s);
    exposition.add(&family::RUN_ETA, &[id], status.run.eta_s);
    exposition.add(&family::RUN_PROGRESS, &[id], mean_progress(&status.shards));
    exposition.add(&family::RUN_TROUBLES, &[id], status.run.troubles.len() as f64);
    if let Some(headline) = &status.headline {
        exposition.add(&family::RUN_SUCCESS, &[id], headline.value);
        exposition.add(&family::RESULT_EPISODES, &[id], headline.sample.episodes);
        exposition.add(&family::RESULT_SUCCESSES, &[id], headline.sample.successes);
    }
    exposition.add(&family::EPISODES_DONE, &[id], episodes_done(&status.shards));
    for (phase, count) in status.counts.iter() {
        exposition.add(&family::SHARDS, &[id, phase.as_str()], count as f64);
    }
    status.run.nodes.iter().for_each(|node| add_node(exposition, id, node));
    add_counts(exposition, id, &status.shards);
    let at_work = status.shards.iter().filter(|shard| is_at_work(shard.phase));
    at_work.take(MOST_SHARDS).for_each(|shard| add_shard(exposition, id, shard));
}

fn add_counts(exposition: &mut Exposition, id: &str, shards: &[ShardStatus]) {
    for condition in CONDITIONS {
        let count = shards.iter().filter(|shard| shard.condition == Some(condition)).count();
        exposition.add(&family::CONDITIONS, &[id, condition.as_str()], count as f64);
    }
    let failed = || shards.iter().filter(|shard| shard.phase == PhaseKind::Failed);
    for reason in failed().filter_map(|shard| shard.reason) {
        let count = failed().filter(|shard| shard.reason == Some(reason)).count();
        exposition.add(&family::FAILURES, &[id, reason.as_str()], count as f64);
    }
    let attempts: u32 = shards.iter().filter_map(|shard| shard.attempt).map(|attempt| attempt.0).sum();
    exposition.add(&family::ATTEMPTS, &[id], f64::from(attempts));
}

fn add_node(exposition: &mut Exposition, run: &str, node: &NodeStatus) {
    let is_up = matches!(node.standing, NodePhase::Up);
    exposition.add(&family::NODE_UP, &[run, node.id.as_str()], as_number(is_up));
    let shards = [("running", node.running), ("waiting", node.waiting), ("ended", node.ended)];
    for (state, count) in shards {
        exposition.add(&family::NODE_SHARDS, &[run, node.id.as_str(), state], count as f64);
    }
}

fn add_shard(exposition: &mut Exposition, run: &str, shard: &ShardStatus) {
    // With one machine there is no question which.
    let node = shard.node.as_ref().map_or("", NodeId::as_str);
    let labels = [run, shard.id.as_str(), node];
    let progress = shard.progress.and_then(|progress| progress.fraction());
    exposition.add(&family::SHARD_PROGRESS, &labels, progress);
    exposition.add(&family::SHARD_ELAPSED, &labels, shard.elapsed_s);
    exposition.add(&family::SHARD_ETA, &labels, shard.eta_s);
    for (metric, value) in shard.metrics.iter().take(MOST_METRICS) {
        exposition.add(&family::SHARD_METRIC, &[run, shard.id.as_str(), node, metric], *value);
    }
    exposition.add(&family::SHARD_CPU, &labels, shard.cpu_percent.map(|percent| percent / 100.0));
    exposition.add(&family::SHARD_MEMORY, &labels, shard.rss_bytes.map(|bytes| bytes.0 as f64));
    exposition.add(&family::SHARD_VRAM, &labels, shard.vram_bytes.map(|bytes| bytes.0 as f64));
    exposition.add(&family::SHARD_ENERGY, &labels, shard.energy_j);
}

fn is_at_work(phase: PhaseKind) -> bool {
    match phase {
        PhaseKind::Starting | PhaseKind::Running | PhaseKind::Paused | PhaseKind::Stopping => true,
        PhaseKind::Queued | PhaseKind::Succeeded | PhaseKind::Failed | PhaseKind::Cancelled => false,
    }
}

fn mean_progress(shards: &[ShardStatus]) -> Option<f64> {
    let part = |shard: &ShardStatus| match shard.phase.is_final() {
        true => 1.0,
        false => shard.progress.and_then(|progress| progress.fraction()).unwrap_or(0.0),
    };
    (!shards.is_empty()).then(|| shards.iter().map(part).sum::<f64>() / shards.len() as f64)
}

/// Episodes of all shards that count in episodes; unknown where none does.
fn episodes_done(shards: &[ShardStatus]) -> Option<f64> {
    let of_episodes = shards.iter().filter(|shard| shard.unit.as_deref().is_none_or(is_of_episodes));
    let done: Vec<u64> = of_episodes.filter_map(|shard| Some(shard.progress?.done)).collect();
    (!done.is_empty()).then(|| done.iter().sum::<u64>() as f64)
}

fn as_number(is_so: bool) -> f64 {
    if is_so { 1.0 } else { 0.0 }
}
