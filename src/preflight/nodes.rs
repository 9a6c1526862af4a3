//! The nodes of a sweep: whether each is reached, runs this program, and sees the folder of the sweep as this machine does.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde::Serialize;
use tempfile::TempDir;

use super::finding::Finding;
use super::node_probe::{self, ProbeAnswer};
use crate::config::templates::quote::shell_quote;
use crate::model::sweep::node_spec::{NodeId, NodeReach, NodeSpec};
use crate::model::sweep::plan::Plan;
use crate::process::slurm::jobs;
use crate::process::start::detach;
use crate::process::start::remote_shell;

/// So long a host may take to answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// The same before a run, which starts without the answer: its nodes show by themselves what they lack.
const SHORT_PATIENCE: Duration = Duration::from_secs(5);

/// This program in the folder of the look.
const PROGRAM: &str = "sweepdeck";

/// What a look at a node has shown, as far as it came.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeCheck {
    /// Name of the node.
    pub id: NodeId,
    /// Why it is of no use now; `None` where it is.
    pub problem: Option<String>,
    /// It is no machine yet: Slurm is asked for one.
    #[serde(skip)]
    pub is_job: bool,
    /// Seconds until a file that is written here is seen there; `None` where it was not seen.
    pub seen_after_s: Option<f64>,
    /// Whether a lock that is held here is noticed there.
    pub locks_hold: Option<bool>,
    /// Seconds by which its clock is ahead of this one.
    pub clock_ahead_s: Option<f64>,
    /// What it finds of itself for the sweep; `None` where it was not asked.
    #[serde(skip)]
    pub found: Option<Vec<Finding>>,
}

/// How much is asked of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeDepth {
    /// What it finds of itself.
    Node,
    /// Also how it sees the shared folder.
    Share,
}

/// A folder beside the sweep, as long as the look lasts.
struct ProbeFolder {
    dir: TempDir,
    _lock: File,
}

/// Asks all nodes side by side, each with its plan. Fails where nothing can be written beside the sweep.
pub fn check_nodes(
    plan: &Plan,
    cut_plan: impl Fn(&NodeSpec) -> Plan,
    depth: ProbeDepth,
) -> io::Result<Vec<NodeCheck>> {
    let folder = ProbeFolder::create(&plan.sweep_dir)?;
    for node in &plan.nodes {
        let text = serde_json::to_vec(&cut_plan(node))?;
        fs::write(folder.dir.path().join(node_probe::plan_for(node.id.as_str())), text)?;
    }
    let check = |node: &NodeSpec| {
        let mut check = NodeCheck {
            id: node.id.clone(),
            problem: None,
            is_job: matches!(node.reach, NodeReach::Slurm { .. }),
            seen_after_s: None,
            locks_hold: None,
            clock_ahead_s: None,
            found: None,
        };
        check.problem = ask_node((node, depth), folder.dir.path(), &mut check).err();
        check
    };
    thread::scope(|scope| {
        let asked: Vec<_> = plan.nodes.iter().map(|node| scope.spawn(|| check(node))).collect();
        Ok(asked.into_iter().filter_map(|asked| asked.join().ok()).collect())
    })
}

impl ProbeFolder {
    fn create(beside: &Path) -> io::Result<Self> {
        let dir = tempfile::Builder::new().prefix(".sweepdeck-check-").tempdir_in(beside)?;
        let lock = File::create(dir.path().join(node_probe::LOCK))?;
        lock.try_lock().map_err(io::Error::from)?;
        let program = dir.path().join(PROGRAM);
        fs::write(&program, detach::read_own_program()?)?;
        fs::set_permissions(&program, fs::Permissions::from_mode(0o700))?;
        Ok(Self { dir, _lock: lock })
    }
}

/// Asks one node; the reason why it is of no use is one line for people.
fn ask_node(
    (node, depth): (&NodeSpec, ProbeDepth),
    folder: &Path,
    check: &mut NodeCheck,
) -> Result<(), String> {
    let host = match &node.reach {
        NodeReach::Ssh { host } => host,
        NodeReach::Slurm { .. } if depth == ProbeDepth::Node => return Ok(()),
        NodeReach::Slurm { sbatch } => return jobs::test_job(sbatch),
    };
    let quote = |path: &Path| path.to_str().map(shell_quote);
    let names = (folder.parent().and_then(quote), quote(folder), quote(&folder.join(PROGRAM)));
    let (Some(beside), Some(quoted), Some(program)) = names else {
        return Err("the folder of the sweep has a name that cannot be sent".to_owned());
    };
    let line = format!(
        "fail() {{ echo \"$@\" >&2; exit 1; }}; [ -d {beside} ] || fail {beside} is not there; \
         [ -d {quoted} ] || fail {beside} is another folder there; exec {program} probe-node {quoted} {}",
        shell_quote(node.id.as_str())
    );
    let asked = remote_shell::start_remotely(host, &line)?;
    let mut written = None;
    let mut patience = match depth {
        ProbeDepth::Node => SHORT_PATIENCE,
        ProbeDepth::Share => PATIENCE,
    };
    while let Some(line) = asked.next_line(patience) {
        // A shell may have something to say of its own.
        let Ok(answer) = serde_json::from_str::<ProbeAnswer>(&line) else { continue };
        match answer {
            ProbeAnswer::Looked { findings } => {
                check.found = Some(findings);
                if depth == ProbeDepth::Node {
                    return Ok(());
                }
            }
            ProbeAnswer::Ready { clock } => {
                check.clock_ahead_s = Some(clock.duration_since(Timestamp::now()).as_secs_f64());
                let file = folder.join(node_probe::file_for(node.id.as_str()));
                fs::write(file, "").map_err(|error| format!("no file can be written here: {error}"))?;
                (written, patience) = (Some(Instant::now()), node_probe::PATIENCE + PATIENCE);
            }
            ProbeAnswer::Seen => {
                check.seen_after_s = written.map(|written| written.elapsed().as_secs_f64());
            }
            ProbeAnswer::Lock { holds } => check.locks_hold = Some(holds),
        }
    }
    match depth {
        ProbeDepth::Node => Ok(()),
        ProbeDepth::Share => asked.finish(PATIENCE).map(drop),
    }
}
