//! The nodes of a run as lists of them show them: what the journal says, and the newest readings of their machines.

use super::gpu_sums::GpuSums;
use super::machine::{Freshness, MachineHistory};
use crate::model::machine::sample::HostSample;
use crate::results::status::nodes::{NodeStatus, list_nodes};
use crate::tui::format;
use crate::tui::model::screen::Model;

/// A node with its machine.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeRow<'a> {
    /// The node as its run knows it.
    pub status: NodeStatus,
    /// GPUs and host as last read, however long ago.
    pub machine: &'a MachineHistory,
    /// The host, where its reading is recent enough to hold.
    pub host: Option<&'a HostSample>,
    /// Whether the readings of the GPUs are recent enough to hold.
    pub has_fresh_gpus: bool,
}

impl Model {
    /// The nodes of the run, in the order of the sweep.
    pub fn node_rows(&self) -> Vec<NodeRow<'_>> {
        let of_node = |status: NodeStatus| {
            let machine = self.node_machines.get(&status.id)?;
            let is_fresh = machine.host_freshness(self.now) == Freshness::Fresh;
            let host = machine.host.back().filter(|_| is_fresh);
            let has_fresh_gpus = machine.gpu_freshness(self.now) == Freshness::Fresh;
            Some(NodeRow { status, machine, host, has_fresh_gpus })
        };
        list_nodes(&self.plan, &self.state).into_iter().filter_map(of_node).collect()
    }
}

/// The GPUs of the nodes whose readings hold, and `8 GPUs on 2 nodes`; none before there is such a reading.
pub fn sum_gpus(rows: &[NodeRow<'_>]) -> Option<(GpuSums, String)> {
    let fresh: Vec<&MachineHistory> =
        rows.iter().filter(|row| row.has_fresh_gpus).map(|row| row.machine).collect();
    let sums = GpuSums::from_machines(fresh.iter().copied());
    let text = format!("{} on {}", format::plural(sums.count, "GPU"), format::plural(fresh.len(), "node"));
    (sums.count > 0).then_some((sums, text))
}
