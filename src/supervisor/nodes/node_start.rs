//! Starting a node from the machine of the run: what is started outlives the connection.

use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::config::templates::quote::shell_quote;
use crate::model::nodes::node_spec::{NodeReach, NodeSpec};
use crate::process::start::detach::{self, OWN_PROGRAM};
use crate::rundir::error::RunDirError;
use crate::rundir::layout::RunDir;

/// A host that is frozen accepts a connection and then says nothing.
const CONNECT_TIMEOUT: u64 = 15;

/// So long a node may take to look at its machine and to listen.
const PATIENCE: Duration = Duration::from_secs(90);

const LOOK: Duration = Duration::from_millis(50);

/// No more of what ssh prints is kept.
const ENOUGH: u64 = 16 << 10;

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

/// Starts a node, or a supervisor for it where it has begun before, and waits until it listens. The reason is one line
/// for people.
pub(in crate::supervisor) fn start_node(run: &RunDir, node: &NodeSpec) -> Result<(), String> {
    let mut command = reach(run, node)?;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("ssh cannot be started: {error}"))?;
    let deadline = Instant::now() + PATIENCE;
    let status = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break status,
            None if Instant::now() >= deadline => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("no answer within {} s", PATIENCE.as_secs()));
            }
            None => std::thread::sleep(LOOK),
        }
    };
    if status.success() {
        return Ok(());
    }
    let mut said = Vec::new();
    if let Some(stderr) = child.stderr.take() {
        let _ = stderr.take(ENOUGH).read_to_end(&mut said);
    }
    let said = String::from_utf8_lossy(&said);
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty());
    Err(last.map_or_else(|| format!("it ended with {status}"), str::to_owned))
}

/// The command that starts the node.
fn reach(run: &RunDir, node: &NodeSpec) -> Result<Command, String> {
    let NodeReach::Ssh { host } = &node.reach;
    let words = [run.node_program().full_path().as_os_str().to_owned(), "begin-node".into()]
        .into_iter()
        .chain([run.path().as_os_str().to_owned(), OsString::from(node.id.as_str())]);
    let quoted: Option<Vec<String>> = words.map(|word| Some(shell_quote(word.to_str()?))).collect();
    let line = quoted.ok_or("the folder of the run has a name that cannot be sent")?.join(" ");
    let mut command = Command::new("ssh");
    command.args(["-o", "BatchMode=yes", "-o", &format!("ConnectTimeout={CONNECT_TIMEOUT}"), "--", host]);
    command.arg(format!("exec {line}"));
    Ok(command)
}
