//! What the document of `status --json` is made of.

use std::collections::HashMap;
use std::path::Path;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::waiting::Causes;
use crate::model::ids::{GpuIndex, ShardId};
use crate::model::machine::gpu_health::GpuHealth;
use crate::model::machine::sample::{FRESH, GpuCard, GpuInventory, GpuSample, TelemetrySample};
use crate::model::shortage::ShortageReport;
use crate::model::state::run_info::RunInfo;
use crate::model::state::run_state::RunState;
use crate::model::state::write_trouble::WriteTrouble;
use crate::model::sweep::node_spec::NodeId;
use crate::model::sweep::plan::Plan;
use crate::model::units::duration_between;
use crate::results::live::LiveReading;

/// GPUs of a node, as its own files have them.
#[derive(Debug, Clone)]
pub struct NodeGpus {
    /// Node that has them.
    pub node: NodeId,
    /// Its GPUs, or why nothing is known of them.
    pub inventory: Option<GpuInventory>,
    /// Faults of the GPUs, as of their last change.
    pub health: Vec<GpuHealth>,
    /// Newest sample of each, of whatever age.
    pub samples: Vec<GpuSample>,
}

/// GPUs of one machine, with all that is read of them.
#[derive(Debug, Clone, Copy)]
pub(in crate::results) struct MachineGpus<'a> {
    /// Node that has them; `None` for the machine of the run.
    pub(in crate::results) node: Option<&'a NodeId>,
    pub(in crate::results) cards: &'a [GpuCard],
    pub(in crate::results) health: &'a [GpuHealth],
    pub(in crate::results) samples: &'a [GpuSample],
}

/// Everything the document is made of.
#[derive(Debug)]
pub struct Sources<'a> {
    /// Folder of the run.
    pub dir: &'a Path,
    /// The description that the run gives of itself.
    pub info: &'a RunInfo,
    /// Plan of the run with all its shards.
    pub plan: &'a Plan,
    /// State of the run, folded from its journal.
    pub state: &'a RunState,
    /// Whether a supervisor lives.
    pub supervised: bool,
    /// Place where the run lives, where that is not here; or what it is a copy of.
    pub place: Option<&'a str>,
    /// Readings of the logs of active shards.
    pub readings: &'a HashMap<ShardId, LiveReading>,
    /// Faults of the GPUs, as of their last change.
    pub health: &'a [GpuHealth],
    /// The machine's GPUs, or why nothing is known of them.
    pub inventory: Option<&'a GpuInventory>,
    /// Resources that queued shards are short of.
    pub waiting: Option<&'a ShortageReport>,
    /// Outputs that its supervisor cannot write.
    pub unwritten: &'a [WriteTrouble],
    /// GPUs of the nodes that take its shards.
    pub node_gpus: &'a [NodeGpus],
    /// The newest telemetry, of whatever age.
    pub telemetry: &'a TelemetrySample,
    /// Current time of the reader.
    pub now: Timestamp,
    /// Time zone of the reader's clock.
    pub zone: &'a TimeZone,
}

impl<'a> Sources<'a> {
    /// How busy the busiest of these GPUs of a node, or of the machine of the run, is now.
    pub(in crate::results) fn busiest_utilization(
        &self,
        node: Option<&NodeId>,
        gpus: &[GpuIndex],
    ) -> Option<f64> {
        let machine = self.machines().find(|machine| machine.node == node)?;
        let newest = |gpu: &GpuIndex| {
            let mut samples = machine.samples.iter().rev();
            samples.find(|sample| sample.gpu == *gpu && self.is_fresh(sample.timestamp))?.utilization_percent
        };
        gpus.iter().filter_map(newest).reduce(f64::max)
    }

    /// The machine of the run, and its nodes.
    pub(in crate::results) fn machines(&self) -> impl Iterator<Item = MachineGpus<'a>> {
        let of_node = |gpus: &'a NodeGpus| MachineGpus {
            node: Some(&gpus.node),
            cards: gpus.inventory.as_ref().map_or(&[], GpuInventory::cards),
            health: &gpus.health,
            samples: &gpus.samples,
        };
        let own = MachineGpus {
            node: None,
            cards: self.inventory.map_or(&[], GpuInventory::cards),
            health: self.health,
            samples: &self.telemetry.gpus,
        };
        std::iter::once(own).chain(self.node_gpus.iter().map(of_node))
    }

    /// Returns everything that can hold a shard up.
    pub(in crate::results) fn wait_causes(&self) -> Causes<'a> {
        Causes {
            state: self.state,
            plan: self.plan,
            supervised: self.supervised,
            waiting: self.waiting,
            inventory: self.inventory,
            active: self.state.active_count(),
            now: self.now,
            zone: self.zone,
        }
    }

    /// A sample of that moment is still current.
    pub(in crate::results) fn is_fresh(&self, at: Timestamp) -> bool {
        // A clock that was set back makes negative ages; the sample is new all the same.
        duration_between(at, self.now) <= FRESH
    }
}
