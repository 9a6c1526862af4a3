//! What ended and running shards taught about the needs of those to come.

pub mod footprint;
pub mod knowledge;
pub mod lessons;
pub mod machine_reading;
pub mod pack_families;
pub mod pack_size;
