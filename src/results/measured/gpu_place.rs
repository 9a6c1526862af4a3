//! Which GPU of which machine: numbers of GPUs are those of one machine.

use std::collections::BTreeMap;
use std::fmt;

use crate::model::ids::GpuIndex;
use crate::model::machine::sample::{GpuCard, GpuInventory};
use crate::model::sweep::node_spec::NodeId;

/// A GPU of a run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GpuPlace {
    /// The node that has it; none where it is of the machine of the run.
    pub node: Option<NodeId>,
    /// Its number there.
    pub index: GpuIndex,
}

impl fmt::Display for GpuPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.node {
            Some(node) => write!(f, "{node} {}", self.index),
            None => write!(f, "{}", self.index),
        }
    }
}

/// The GPUs that machines of a run have, by the node; of the machine of the run itself without one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GpuInventories(BTreeMap<Option<NodeId>, GpuInventory>);

impl GpuInventories {
    /// Adds what a machine has.
    pub fn insert(&mut self, node: Option<NodeId>, inventory: GpuInventory) {
        self.0.insert(node, inventory);
    }

    /// What the machine has; `None` where that is not known.
    pub fn of_machine(&self, node: Option<&NodeId>) -> Option<&GpuInventory> {
        self.0.get(&node.cloned())
    }

    /// All machines of which it is known.
    pub fn iter(&self) -> impl Iterator<Item = &GpuInventory> {
        self.0.values()
    }

    /// Every card of every machine.
    pub fn cards(&self) -> impl Iterator<Item = &GpuCard> {
        self.iter().flat_map(GpuInventory::cards)
    }

    /// The card at that place.
    pub fn find_card(&self, place: &GpuPlace) -> Option<&GpuCard> {
        let inventory = self.of_machine(place.node.as_ref())?;
        inventory.cards().iter().find(|card| card.index == place.index)
    }
}
