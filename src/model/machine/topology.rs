//! Where the cores of a machine lie: which share a memory, which are two threads of one, and which are near a GPU.

use std::collections::BTreeMap;

use crate::model::ids::GpuIndex;

/// The cores that may be used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Topology {
    /// In the order of their numbers.
    pub cores: Vec<Core>,
    /// The NUMA node that each GPU is attached to, where the machine has several and reports it.
    pub gpu_nodes: BTreeMap<GpuIndex, u32>,
}

/// A CPU as the kernel counts them: one thread of a physical core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Core {
    /// The number that the kernel gives it.
    pub number: u32,
    /// Its NUMA node; 0 where the machine has no nodes.
    pub node: u32,
    /// The lowest number of the threads of its physical core.
    pub physical: u32,
}
