//! One instance of a service in the document of `status --json`.

use serde::Serialize;

use super::sources::Sources;
use crate::model::ids::{AttemptNumber, GpuIndex, ShardId};
use crate::model::state::fact::Condition;
use crate::model::state::service_state::{ServicePhase, ServiceState};
use crate::model::sweep::node_spec::NodeId;
use crate::model::units::Bytes;
use crate::model::value::Variables;

/// State of an instance of a service.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ServiceStatus {
    /// Name of the instance.
    pub id: ShardId,
    /// The name of the service.
    pub service: String,
    /// The node that has it, in a run on nodes.
    pub node: Option<NodeId>,
    /// The GPU whose shards it serves, where there is one for each.
    pub gpu: Option<GpuIndex>,
    /// The values that its shards have in common.
    pub vars: Variables,
    /// Phase of the instance: `waiting`, `starting`, `ready`, `paused`, `stopping`, `ended` or `failed`.
    pub phase: &'static str,
    /// Shown on top of it.
    pub condition: Option<Condition>,
    /// Why it failed last, as long as that matters.
    pub message: Option<String>,
    /// The newest try; none before the first.
    pub attempt: Option<AttemptNumber>,
    /// How often in a row it was started again after a failure.
    pub restarts: u32,
    /// TCP port that it listens on, while it is ready and has one.
    pub port: Option<u16>,
    /// The shards that use it now.
    pub shards: Vec<ShardId>,
    /// So many may use it at the same time.
    pub serves: Option<u32>,
    /// Its main process while it runs.
    pub pid: Option<u32>,
    /// The GPUs it was given.
    pub gpus: Vec<GpuIndex>,
    /// VRAM over all GPUs now.
    pub vram_bytes: Option<Bytes>,
    /// Processor use now, in % of one core.
    pub cpu_percent: Option<f64>,
    /// Size of its resident memory now.
    pub rss_bytes: Option<Bytes>,
    /// How long it has run, or ran, without pauses.
    pub elapsed_s: Option<f64>,
}

/// Every instance that shards have needed so far.
pub(in crate::results) fn service_statuses(sources: &Sources<'_>) -> Vec<ServiceStatus> {
    sources.state.services.iter().map(|service| service_status(sources, service)).collect()
}

fn service_status(sources: &Sources<'_>, service: &ServiceState) -> ServiceStatus {
    let (life, phase) = (&service.life, service.phase());
    let live = life.phase.live();
    let sample = sources.telemetry.shards.iter().rev().find(|sample| {
        sample.shard == life.id
            && live.is_some_and(|live| live.attempt == sample.attempt)
            && sources.is_fresh(sample.timestamp)
    });
    let elapsed = life.phase.worked_time(sources.now);
    ServiceStatus {
        id: life.id.clone(),
        service: service.instance.service.clone(),
        node: life.node.clone(),
        gpu: service.instance.gpu,
        vars: service.instance.vars.clone(),
        phase: phase.as_str(),
        condition: life.condition(),
        message: service.last_failure().map(str::to_owned),
        attempt: life.attempt,
        restarts: life.retries,
        port: if let ServicePhase::Ready { port, .. } = phase { port } else { None },
        shards: sources.state.users_of(service).map(|shard| shard.id.clone()).collect(),
        serves: sources.plan.service(&service.instance.service).and_then(|spec| spec.serves),
        pid: live.and_then(|live| live.pid),
        gpus: life.phase.gpus().to_vec(),
        vram_bytes: sample.and_then(|sample| sample.vram_bytes),
        cpu_percent: sample.and_then(|sample| sample.cpu_percent),
        rss_bytes: sample.and_then(|sample| sample.rss_bytes),
        elapsed_s: elapsed.map(|elapsed| elapsed.as_secs_f64()),
    }
}
