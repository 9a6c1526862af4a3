//! What an admitted shard gets.

use crate::model::claims::claim::Claim;
use crate::model::ids::GpuIndex;

/// Resources that an admitted shard gets.
#[derive(Debug, Clone, PartialEq)]
pub struct Grant {
    /// Its GPUs, one for each slot.
    pub gpus: Vec<GpuIndex>,
    /// Promise of memory and cores that it is given.
    pub claim: Claim,
}
