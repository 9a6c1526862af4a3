//! What other runs of this user hold of the machine, by run: so that a waiting shard can name the run that it waits
//! for.

use std::collections::BTreeMap;

use crate::model::shortage::ReservationElsewhere;

/// Promises of other runs, in bytes or in cores.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Elsewhere(BTreeMap<String, u64>);

impl Elsewhere {
    /// Another attempt of that run was promised so much.
    pub fn add_promise(&mut self, holder: &str, amount: u64) {
        match self.0.get_mut(holder) {
            Some(all) => *all = all.saturating_add(amount),
            None => _ = self.0.insert(holder.to_owned(), amount),
        }
    }

    /// The run that holds most.
    pub fn largest_holder(&self) -> Option<ReservationElsewhere> {
        let (holder, amount) = self.0.iter().max_by_key(|(_, amount)| **amount)?;
        Some(ReservationElsewhere { holder: holder.clone(), amount: *amount })
    }
}
