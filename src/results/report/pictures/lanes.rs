//! Attempts put into lanes so that none covers another: the slots of each GPU, one below the other.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::model::ids::GpuIndex;
use crate::model::sweep::node_spec::NodeId;
use crate::results::measured::attempts::Attempt;
use crate::results::measured::gpu_place::GpuPlace;

/// Attempts that ran one after the other, as positions in the list of attempts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lane {
    /// The node where they all ran; none in a run of one machine.
    pub node: Option<NodeId>,
    /// The GPUs they all were given.
    pub gpus: Vec<GpuIndex>,
    /// In the order of time.
    pub attempts: Vec<usize>,
}

/// GPUs of a machine.
type Slots<'a> = (Option<&'a NodeId>, &'a [GpuIndex]);

/// The lanes, ordered by GPUs; each attempt takes the first lane that is free when it starts.
pub fn assign_lanes(attempts: &[Attempt<'_>]) -> Vec<Lane> {
    let mut order: Vec<usize> = (0..attempts.len()).collect();
    order.sort_by_key(|position| (attempts[*position].from, *position));
    let mut by_gpus: BTreeMap<Slots<'_>, Vec<(Timestamp, Lane)>> = BTreeMap::new();
    for position in order {
        let attempt = &attempts[position];
        let lanes = by_gpus.entry((attempt.node, attempt.gpus)).or_default();
        match lanes.iter_mut().find(|(free, _)| *free <= attempt.from) {
            Some((free, lane)) => {
                *free = attempt.to;
                lane.attempts.push(position);
            }
            None => {
                let (node, gpus) = (attempt.node.cloned(), attempt.gpus.to_vec());
                lanes.push((attempt.to, Lane { node, gpus, attempts: vec![position] }));
            }
        }
    }
    by_gpus.into_values().flatten().map(|(_, lane)| lane).collect()
}

impl Lane {
    /// Reports whether both are slots of the same GPUs.
    pub fn is_beside(&self, other: &Self) -> bool {
        (&self.node, &self.gpus) == (&other.node, &other.gpus)
    }

    /// Reports whether its attempts were on that GPU.
    pub fn has_gpu(&self, place: &GpuPlace) -> bool {
        self.node == place.node && self.gpus.contains(&place.index)
    }
}

/// `GPU 0`, `GPU 0+1`, or that there is none; after the name of a node.
pub fn lane_name(node: Option<&NodeId>, gpus: &[GpuIndex]) -> String {
    let names: Vec<String> = gpus.iter().map(ToString::to_string).collect();
    let names = names.join("+");
    match (node, gpus) {
        (None, []) => "no GPU".to_owned(),
        (None, _) => format!("GPU {names}"),
        (Some(node), []) => node.to_string(),
        (Some(node), _) => format!("{node} {names}"),
    }
}
