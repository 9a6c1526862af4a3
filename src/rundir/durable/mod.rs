//! What survives a loss of power.

#[cfg(test)]
pub mod power_loss;
pub(super) mod sync;
