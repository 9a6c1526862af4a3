//! Starting a node from the machine of the run, and ending one: what is started outlives the connection.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::config::templates::quote::shell_quote;
use crate::model::sweep::node_spec::NodeId;
use crate::process::start::detach::{self, OWN_PROGRAM};
use crate::process::start::remote_shell;
use crate::rundir::error::RunDirError;
use crate::rundir::layout::RunDir;

/// So long a node may take to look at its machine and to listen, or to end everything.
const PATIENCE: Duration = Duration::from_secs(90);

/// The program that all nodes of a run find in its folder: the one that began the run.
#[derive(Clone)]
pub(super) struct NodeProgram {
    run: RunDir,
    placed: Arc<OnceLock<Result<(), String>>>,
}

impl NodeProgram {
    /// That of a run; nothing is placed yet.
    pub(super) fn of_run(run: &RunDir) -> Self {
        Self { run: run.clone(), placed: Arc::default() }
    }

    /// Puts it there, unless an earlier start of the run has done so.
    pub(super) fn place(&self) -> Result<(), String> {
        let place = || place_program(&self.run).map_err(|error| error.to_string());
        self.placed.get_or_init(place).clone()
    }
}

fn place_program(run: &RunDir) -> Result<(), RunDirError> {
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
pub(super) fn start_node(run: &RunDir, host: &str, node: &NodeId, place: &NodeId) -> Result<(), String> {
    let line = begin_line(run, node, place);
    remote_shell::run_remotely(host, &format!("exec {line}"), PATIENCE)
}

/// Ends everything of a node, also what is stopped, and waits until nothing of it is left.
pub(super) fn end_node(run: &RunDir, host: &str, dir: &RunDir) -> Result<(), String> {
    let program = quote(run.node_program().full_path());
    remote_shell::run_remotely(host, &format!("exec {program} end-node {}", quote(dir.path())), PATIENCE)
}

/// The script of a job that is a node as long as it lasts.
pub(super) fn job_script(run: &RunDir, node: &NodeId, place: &NodeId) -> String {
    format!("#!/bin/bash\nexec {} --stay\n", begin_line(run, node, place))
}

fn begin_line(run: &RunDir, node: &NodeId, place: &NodeId) -> String {
    let (program, folder) = (quote(run.node_program().full_path()), quote(run.path()));
    let (node, place) = (shell_quote(node.as_str()), shell_quote(place.as_str()));
    format!("{program} begin-node {folder} {node} --place {place}")
}

fn quote(path: &Path) -> String {
    // Folders of runs have names that are text: they are part of commands and records.
    shell_quote(&path.to_string_lossy())
}
