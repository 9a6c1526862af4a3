//! The machines on which shards of a run are: its own, or those of its nodes.

use super::machine::MachineHistory;
use crate::model::ids::GpuIndex;
use crate::model::machine::sample::{GpuCard, GpuInventory};
use crate::model::state::shard_state::ShardState;
use crate::model::sweep::node_spec::NodeId;
use crate::tui::model::screen::Model;
use crate::tui::model::views::View;

impl Model {
    /// Reports whether shards are dealt to nodes, so that none is on the machine of the run.
    pub fn has_nodes(&self) -> bool {
        !self.plan.nodes.is_empty()
    }

    /// The views that the run has.
    pub fn available_views(&self) -> &'static [View] {
        View::of_run(self.has_nodes())
    }

    /// The machines on which shards may be, each with its node, in the order of the sweep; in a run without nodes that
    /// of the run.
    pub fn machines(&self) -> Vec<(Option<&NodeId>, &MachineHistory)> {
        if !self.has_nodes() {
            return vec![(None, &self.machine)];
        }
        let of_node = |id| Some((Some(id), self.node_machines.get(id)?));
        self.current_nodes().filter_map(of_node).collect()
    }

    /// The nodes that have the places of those of the plan now.
    pub fn current_nodes(&self) -> impl Iterator<Item = &NodeId> {
        self.plan.nodes.iter().map(|node| self.state.nodes.current(&node.id))
    }

    /// Makes room for the readings of nodes that have taken the places of others.
    pub fn add_node_machines(&mut self) {
        let nodes: Vec<NodeId> = self.current_nodes().cloned().collect();
        nodes.into_iter().for_each(|node| _ = self.node_machines.entry(node).or_default());
    }

    /// The machine that a shard is on, or was last.
    pub fn machine_of(&self, shard: &ShardState) -> &MachineHistory {
        self.find_machine(shard.node.as_ref()).unwrap_or(&self.machine)
    }

    /// The machine of a node; none stands for that of the run.
    pub fn find_machine(&self, node: Option<&NodeId>) -> Option<&MachineHistory> {
        match node {
            Some(node) => self.node_machines.get(node),
            None => Some(&self.machine),
        }
    }

    /// The shards at work on a node, or on the machine of the run, with their positions.
    pub fn shards_at_work<'a>(
        &'a self,
        node: Option<&'a NodeId>,
    ) -> impl Iterator<Item = (usize, &'a ShardState)> {
        let is_here = move |shard: &ShardState| shard.phase.kind().is_active() && shard.node.as_ref() == node;
        self.state.shards.iter().enumerate().filter(move |(_, shard)| is_here(shard))
    }

    /// Every GPU that is known, with its machine.
    pub fn all_cards(&self) -> impl Iterator<Item = (Option<&NodeId>, &MachineHistory, &GpuCard)> {
        let machines = self.machines().into_iter();
        machines.flat_map(|(node, machine)| machine.cards().iter().map(move |card| (node, machine, card)))
    }
}

impl MachineHistory {
    /// The GPUs of the machine, as far as they are known.
    pub fn cards(&self) -> &[GpuCard] {
        self.inventory.as_ref().map_or(&[], GpuInventory::cards)
    }
}

/// `GPU 3`, or `gpu1 GPU 3` where there are several machines.
pub fn name_gpu(node: Option<&NodeId>, gpu: GpuIndex) -> String {
    match node {
        Some(node) => format!("{node} GPU {gpu}"),
        None => format!("GPU {gpu}"),
    }
}
