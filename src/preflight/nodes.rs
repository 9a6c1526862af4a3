//! The nodes of a sweep: whether each is reached, runs this program, and sees the folder of the sweep as this machine does.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use tempfile::TempDir;

use super::finding::{Finding, FindingSeverity};
use super::node_probe::{self, ProbeAnswer};
use crate::config::templates::quote::shell_quote;
use crate::model::sweep::node_spec::{NodeId, NodeReach, NodeSpec};
use crate::model::sweep::plan::Plan;
use crate::process::slurm::jobs;
use crate::process::start::detach;
use crate::process::start::remote_shell;

/// So long a host may take to answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// From here on a node that is well may look silent: ten seconds without a sign of life count as silence.
const LATE: Duration = Duration::from_secs(5);

/// This program in the folder of the look.
const PROGRAM: &str = "sweepdeck";

/// Times of the one machine are shown beside those of the other.
const MOST_APART: SignedDuration = SignedDuration::from_secs(2);

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
}

/// Advice for a share that is late.
const SHORTER: &str = "a node that is well may seem silent; NFS is quicker with a shorter `acdirmax` among the options of its mount";

/// A folder beside the sweep, as long as the look lasts.
struct ProbeFolder {
    dir: TempDir,
    _lock: File,
}

/// Asks all nodes side by side. Fails where nothing can be written beside the sweep.
pub fn check_nodes(plan: &Plan) -> io::Result<Vec<NodeCheck>> {
    let folder = ProbeFolder::create(&plan.sweep_dir)?;
    let check = |node: &NodeSpec| {
        let mut check = NodeCheck {
            id: node.id.clone(),
            problem: None,
            is_job: matches!(node.reach, NodeReach::Slurm { .. }),
            seen_after_s: None,
            locks_hold: None,
            clock_ahead_s: None,
        };
        check.problem = ask_node(node, folder.dir.path(), &mut check).err();
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
fn ask_node(node: &NodeSpec, folder: &Path, check: &mut NodeCheck) -> Result<(), String> {
    let host = match &node.reach {
        NodeReach::Ssh { host } => host,
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
    let mut patience = PATIENCE;
    while let Some(line) = asked.next_line(patience) {
        // A shell may have something to say of its own.
        let Ok(answer) = serde_json::from_str::<ProbeAnswer>(&line) else { continue };
        match answer {
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
    asked.finish(PATIENCE).map(drop)
}

impl NodeCheck {
    /// What has to be known of it before a run.
    pub fn findings(&self, folder: &Path) -> Vec<Finding> {
        let finding =
            |text: String| Finding::new(FindingSeverity::Warning, "node", format!("{}: {text}", self.id));
        if self.is_job {
            let hint = "`sbatch --test-only` with these options says so";
            return self.problem.iter().map(|problem| finding(problem.clone()).with_hint(hint)).collect();
        }
        if let Some(problem) = &self.problem {
            let hint = format!(
                "`ssh` has to reach it without a question, and {} has to lie on a disk that all nodes share and run \
                 programs from",
                folder.display()
            );
            return vec![finding(problem.clone()).with_hint(hint)];
        }
        let mut findings = Vec::new();
        match self.seen_after_s {
            None => {
                let text = "a file that is written here is not seen there";
                findings.push(finding(text.to_owned()).with_hint(SHORTER));
            }
            Some(seconds) if seconds > LATE.as_secs_f64() => {
                let text = format!("a file that is written here is seen there only after {seconds:.0} s");
                findings.push(finding(text).with_hint(SHORTER));
            }
            Some(_) => {}
        }
        if let Some(ahead) = self.clock_ahead_s.filter(|ahead| ahead.abs() > MOST_APART.as_secs_f64()) {
            let side = if ahead > 0.0 { "ahead" } else { "behind" };
            let text = format!("its clock is {:.0} s {side}", ahead.abs());
            let hint = "times of its shards are shown beside those of this machine; set both clocks by NTP";
            findings.push(finding(text).with_hint(hint));
        }
        findings
    }

    /// A node that is of use, in one line.
    pub fn to_line(&self) -> Option<String> {
        let (None, Some(seen), Some(ahead)) = (&self.problem, self.seen_after_s, self.clock_ahead_s) else {
            return None;
        };
        let locks = match self.locks_hold {
            Some(true) => "locks hold between machines",
            Some(false) => "locks hold on each machine alone",
            None => "locks were not tried",
        };
        Some(format!("node {}: sees a new file after {seen:.1} s, {locks}, clock {ahead:+.1} s", self.id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(seen_after_s: Option<f64>, clock_ahead_s: f64) -> NodeCheck {
        let id = NodeId::new("gpu1").unwrap();
        NodeCheck {
            id,
            problem: None,
            is_job: false,
            seen_after_s,
            locks_hold: Some(false),
            clock_ahead_s: Some(clock_ahead_s),
        }
    }

    #[test]
    fn what_is_late_or_apart_is_said() {
        let texts = |check: &NodeCheck| -> Vec<String> {
            check.findings(Path::new("/data")).into_iter().map(|finding| finding.message).collect()
        };
        let well = check(Some(3.04), -0.2);
        assert!(texts(&well).is_empty());
        let line = "node gpu1: sees a new file after 3.0 s, locks hold on each machine alone, clock -0.2 s";
        assert_eq!(well.to_line().as_deref(), Some(line));
        assert_eq!(
            texts(&check(Some(12.3), -61.0)),
            [
                "gpu1: a file that is written here is seen there only after 12 s",
                "gpu1: its clock is 61 s behind"
            ]
        );
        assert_eq!(texts(&check(None, 0.0)), ["gpu1: a file that is written here is not seen there"]);
        assert_eq!(check(None, 0.0).to_line(), None);
    }
}
