//! Attempts that ran at a node: the run has a link to each in place of its folder.

use std::path::Path;

use crate::model::ids::AttemptKey;
use crate::model::sweep::node_spec::NodeId;
use crate::rundir::error::RunDirError;
use crate::rundir::layout::RunDir;

/// Links the folder of an attempt to that at the node, and the newest log of its shard to the log there.
pub fn link_attempt(run: &RunDir, key: &AttemptKey, node: &NodeId) -> Result<(), RunDirError> {
    let link = run.own_attempt_folder(key);
    link.create_folder().map_err(RunDirError::io("create", &link))?;
    let there = run.node_dir(node);
    let inside = there.own_attempt_folder(key);
    let inside = inside.full_path().strip_prefix(run.path()).unwrap_or(inside.full_path());
    link.link_to(&Path::new("../..").join(inside)).map_err(RunDirError::io("link", &link))?;
    let log = run.log_link(&key.shard);
    log.link_to(&Path::new("..").join(inside).join("output.log")).map_err(RunDirError::io("link", &log))
}
