//! Attempts that ran at a node: the run has a link to each in place of its folder.

use std::path::Path;

use crate::model::ids::AttemptKey;
use crate::model::sweep::node_spec::NodeId;
use crate::rundir::error::RunDirError;
use crate::rundir::layout::RunDir;

/// Links the folder of an attempt to that at the node.
pub fn link_attempt(run: &RunDir, key: &AttemptKey, node: &NodeId) -> Result<(), RunDirError> {
    let link = run.own_attempt_folder(key);
    let there = run.node_dir(node);
    let inside = there.own_attempt_folder(key);
    let inside = inside.full_path().strip_prefix(run.path()).unwrap_or(inside.full_path());
    link.link_to(&Path::new("../..").join(inside)).map_err(RunDirError::io("link", &link))
}
