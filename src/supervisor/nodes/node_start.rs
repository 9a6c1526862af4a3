//! Starting a node from the machine of the run: what is started outlives the connection.

use std::path::Path;
use std::time::Duration;

use crate::config::templates::quote::shell_quote;
use crate::model::nodes::node_spec::{NodeReach, NodeSpec};
use crate::process::start::detach::{self, OWN_PROGRAM};
use crate::process::start::remote_shell;
use crate::rundir::error::RunDirError;
use crate::rundir::layout::RunDir;

/// So long a node may take to look at its machine and to listen.
const PATIENCE: Duration = Duration::from_secs(90);

/// Puts this program where all nodes find it, unless an earlier start of the run has done so.
pub(in crate::supervisor) fn place_program(run: &RunDir) -> Result<(), RunDirError> {
    let place = run.node_program();
    if place.exists() {
        return Ok(());
    }
    place.create_folder().map_err(RunDirError::io("create", &place))?;
    let program = detach::read_own_program().map_err(RunDirError::io("read", Path::new(OWN_PROGRAM)))?;
    place.write_program_once(&program).map(drop).map_err(RunDirError::io("write", &place))
}

/// Starts a node, or a supervisor for it where it has begun before, and waits until it listens. The reason of a failure
/// is one line for people.
pub(in crate::supervisor) fn start_node(run: &RunDir, node: &NodeSpec) -> Result<(), String> {
    let quote = |path: &Path| path.to_str().map(shell_quote);
    let (Some(program), Some(folder)) = (quote(run.node_program().full_path()), quote(run.path())) else {
        return Err("the folder of the run has a name that cannot be sent".to_owned());
    };
    let line = format!("exec {program} begin-node {folder} {}", shell_quote(node.id.as_str()));
    let NodeReach::Ssh { host } = &node.reach;
    remote_shell::run_remotely(host, &line, PATIENCE)
}
