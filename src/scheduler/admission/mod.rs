//! What a shard needs, what the machine has left, and who gets it.

pub mod auto_packs;
pub mod class;
pub mod grant;
pub mod kind;
pub mod ledger;
pub mod need;
pub mod pack_room;
pub mod pinning;
pub mod placement;
pub mod queue;
pub mod reservation;
pub mod room;
pub mod survey_age;
