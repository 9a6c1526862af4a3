//! What the document of `status --json` is made of.

use std::collections::HashMap;
use std::path::Path;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::waiting::Causes;
use crate::model::ids::{GpuIndex, ShardId};
use crate::model::machine::gpu_health::GpuHealth;
use crate::model::machine::sample::{FRESH, GpuCard, GpuInventory, TelemetrySample};
use crate::model::shortage::ShortageReport;
use crate::model::state::run_info::RunInfo;
use crate::model::state::run_state::RunState;
use crate::model::state::write_trouble::WriteTrouble;
use crate::model::sweep::plan::Plan;
use crate::model::units::duration_between;
use crate::results::live::LiveReading;

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
    /// The newest telemetry, of whatever age.
    pub telemetry: &'a TelemetrySample,
    /// Current time of the reader.
    pub now: Timestamp,
    /// Time zone of the reader's clock.
    pub zone: &'a TimeZone,
}

impl<'a> Sources<'a> {
    /// How busy the busiest of these GPUs is now.
    pub(in crate::results) fn busiest_utilization(&self, gpus: &[GpuIndex]) -> Option<f64> {
        let newest = |gpu: &GpuIndex| {
            let mut samples = self.telemetry.gpus.iter().rev();
            samples.find(|sample| sample.gpu == *gpu && self.is_fresh(sample.timestamp))?.utilization_percent
        };
        gpus.iter().filter_map(newest).reduce(f64::max)
    }

    /// Returns the machine's GPUs, if they are known.
    pub(in crate::results) fn gpu_cards(&self) -> &'a [GpuCard] {
        self.inventory.map_or(&[], GpuInventory::cards)
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
