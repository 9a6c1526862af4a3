//! A run that grows while it goes on: shards that are added, watched axes, and edits.

pub(super) mod additions;
pub(super) mod axis_watch;
pub(super) mod edits;
pub(super) mod growing;
