//! Attempts put into lanes so that none covers another: the slots of each GPU, one below the other.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::model::ids::GpuIndex;
use crate::results::measured::attempts::Attempt;

/// Attempts that ran one after the other, as positions in the list of attempts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lane {
    /// The GPUs they all were given.
    pub gpus: Vec<GpuIndex>,
    /// In the order of time.
    pub attempts: Vec<usize>,
}

/// The lanes, ordered by GPUs; each attempt takes the first lane that is free when it starts.
pub fn assign_lanes(attempts: &[Attempt<'_>]) -> Vec<Lane> {
    let mut order: Vec<usize> = (0..attempts.len()).collect();
    order.sort_by_key(|position| (attempts[*position].from, *position));
    let mut by_gpus: BTreeMap<&[GpuIndex], Vec<(Timestamp, Lane)>> = BTreeMap::new();
    for position in order {
        let attempt = &attempts[position];
        let lanes = by_gpus.entry(attempt.gpus).or_default();
        match lanes.iter_mut().find(|(free, _)| *free <= attempt.from) {
            Some((free, lane)) => {
                *free = attempt.to;
                lane.attempts.push(position);
            }
            None => lanes.push((attempt.to, Lane { gpus: attempt.gpus.to_vec(), attempts: vec![position] })),
        }
    }
    by_gpus.into_values().flatten().map(|(_, lane)| lane).collect()
}

/// `GPU 0`, `GPU 0+1`, or that there is none.
pub fn lane_name(gpus: &[GpuIndex]) -> String {
    let names: Vec<String> = gpus.iter().map(ToString::to_string).collect();
    if names.is_empty() { "no GPU".to_owned() } else { format!("GPU {}", names.join("+")) }
}
