//! Where links of a run to attempts at its nodes lead.

use std::path::Component;

use crate::rundir::beneath::{DirHandle, PathBeneath};

/// The folder of all nodes in that of their run.
pub const NODES: &str = "nodes";

/// The place in a run that a link to an attempt at a node leads to; `None` for what is none.
pub fn follow_link(run: &DirHandle, link: &PathBeneath) -> Option<PathBeneath> {
    let target = link.read_link()?;
    let inside = target.strip_prefix("../..").ok()?;
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    (inside.starts_with(NODES) && inside.components().all(is_plain)).then(|| run.join(inside))
}
