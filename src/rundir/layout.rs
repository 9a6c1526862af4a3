//! Where everything lies in a run directory.

use std::fs;
use std::path::{Path, PathBuf};

use super::beneath::{DirHandle, PathBeneath};
use super::nodes::link_target::{self, NODES};
use crate::model::ids::{AttemptKey, AttemptNumber, ShardId};
use crate::model::nodes::order::OrderNumber;
use crate::model::sweep::node_spec::NodeId;

/// The folder of a run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunDir(DirHandle);

/// The folder of an attempt.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttemptDir(PathBeneath);

impl RunDir {
    /// The run at a path; nothing is looked up.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(DirHandle::at(path))
    }

    /// Returns the path of the run's folder.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The folder, held open from its first use on.
    pub fn handle(&self) -> &DirHandle {
        &self.0
    }

    /// Path of the file in which the run describes itself.
    pub fn run_json(&self) -> PathBeneath {
        self.0.join("run.json")
    }

    /// The sweep as given.
    pub fn sweep_toml(&self) -> PathBeneath {
        self.0.join("sweep.toml")
    }

    /// The shards after expansion.
    pub fn plan_json(&self) -> PathBeneath {
        self.0.join("plan.json")
    }

    /// Path of the journal, which holds every fact.
    pub fn journal_path(&self) -> PathBeneath {
        self.0.join("journal.jsonl")
    }

    /// Path of the file with the reasons for which queued shards wait.
    pub fn waiting_json(&self) -> PathBeneath {
        self.0.join("waiting.json")
    }

    /// Path of the file that lists what the supervisor cannot write now.
    pub fn write_troubles_json(&self) -> PathBeneath {
        self.0.join("write_troubles.json")
    }

    /// Path of the file that names the present supervisor.
    pub fn supervisor_json(&self) -> PathBeneath {
        self.0.join("supervisor.json")
    }

    /// Held by the one keeper that starts supervisors again; made when the first one fails.
    pub fn keeper_lock(&self) -> PathBeneath {
        self.0.join("keeper.lock")
    }

    /// Held by the supervisor.
    pub fn supervisor_lock(&self) -> PathBeneath {
        self.0.join("supervisor.lock")
    }

    /// Path of the supervisor's log, for developers.
    pub fn supervisor_log(&self) -> PathBeneath {
        self.0.join("supervisor.log")
    }

    /// The folder of the telemetry files.
    pub fn telemetry_folder(&self) -> PathBeneath {
        self.0.join("telemetry")
    }

    /// Path of the file that describes the machine.
    pub fn system_json(&self) -> PathBeneath {
        self.telemetry_folder().join("system.json")
    }

    /// Path of the file that lists the machine's GPUs.
    pub fn gpus_json(&self) -> PathBeneath {
        self.telemetry_folder().join("gpus.json")
    }

    /// Path of the file with the faults of the GPUs.
    pub fn gpu_health_json(&self) -> PathBeneath {
        self.telemetry_folder().join("gpu_health.json")
    }

    /// Path of the table with a row per GPU and second.
    pub fn gpu_metrics(&self) -> PathBeneath {
        self.telemetry_folder().join("gpu_metrics.csv")
    }

    /// Path of the table with a row per second.
    pub fn host_metrics(&self) -> PathBeneath {
        self.telemetry_folder().join("host_metrics.csv")
    }

    /// Path of the table with a row per running attempt and second.
    pub fn shard_metrics(&self) -> PathBeneath {
        self.telemetry_folder().join("shard_metrics.csv")
    }

    /// Path of the folder with programs that are found before others of their names.
    pub fn bin_folder(&self) -> PathBeneath {
        self.0.join("bin")
    }

    /// The folder of results.
    pub fn results_folder(&self) -> PathBeneath {
        self.0.join("results")
    }

    /// The folder of all shards.
    pub fn shards_folder(&self) -> PathBeneath {
        self.0.join("shards")
    }

    /// The folder of one shard.
    pub fn shard_folder(&self, shard: &ShardId) -> PathBeneath {
        self.shards_folder().join(shard.as_str())
    }

    /// The folder of symlinks to the newest logs.
    pub fn logs_folder(&self) -> PathBeneath {
        self.0.join("logs")
    }

    /// The symlink to the newest log of a shard.
    pub fn log_link(&self, shard: &ShardId) -> PathBeneath {
        self.logs_folder().join(format!("{shard}.log"))
    }

    /// Target of the symlink of [`Self::log_link`], relative to its folder.
    pub fn log_link_target(key: &AttemptKey) -> PathBuf {
        PathBuf::from(format!("../shards/{}/{}/output.log", key.shard, attempt_name(key.attempt)))
    }

    /// The folder of one attempt, at the node where it ran.
    pub fn attempt_dir(&self, key: &AttemptKey) -> AttemptDir {
        let own = self.own_attempt_folder(key);
        // A run without nodes has no such links, and asks for each attempt more than ten times.
        if !self.nodes_folder().exists() {
            return AttemptDir(own);
        }
        let there = link_target::follow_link(&self.0, &own);
        // A fact of a node may be read before there is a link to its attempt.
        let there = there.or_else(|| if own.exists() { None } else { self.find_at_node(key) });
        AttemptDir(there.unwrap_or(own))
    }

    /// The folder of an attempt at the one node that has it.
    fn find_at_node(&self, key: &AttemptKey) -> Option<PathBeneath> {
        let names = fs::read_dir(self.nodes_folder().full_path()).ok()?;
        let names = names.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let folder = |node: String| {
            let inside = Path::new(NODES).join(node).join("shards").join(key.shard.as_str());
            self.0.join(inside.join(attempt_name(key.attempt)))
        };
        let mut found = names.map(folder).filter(PathBeneath::exists);
        found.next().filter(|_| found.next().is_none())
    }

    /// The folder of one attempt that runs here, or the link to it.
    pub fn own_attempt_folder(&self, key: &AttemptKey) -> PathBeneath {
        self.shard_folder(&key.shard).join(attempt_name(key.attempt))
    }

    /// The folder of all nodes.
    pub fn nodes_folder(&self) -> PathBeneath {
        self.0.join(NODES)
    }

    /// The run of a node, which has its part of this one.
    pub fn node_dir(&self, node: &NodeId) -> Self {
        Self::at(self.nodes_folder().full_path().join(node.as_str()))
    }

    /// What the job of a node prints.
    pub fn job_output(&self, node: &NodeId) -> PathBeneath {
        self.nodes_folder().join(format!("{node}.job.log"))
    }

    /// Held by the one start of a node that makes its folder.
    pub fn node_lock(&self, node: &NodeId) -> PathBeneath {
        self.nodes_folder().join(format!(".{node}.lock"))
    }

    /// The run whose node this is.
    pub fn of_node(&self) -> Option<Self> {
        Some(Self::at(self.path().parent()?.parent()?))
    }

    /// The folder of the orders that a node is given.
    pub fn orders_folder(&self, node: &NodeId) -> PathBeneath {
        self.all_orders().join(node.as_str())
    }

    /// The folder of the orders of all nodes.
    pub fn all_orders(&self) -> PathBeneath {
        self.0.join("orders")
    }

    /// The file of an order.
    pub fn order_file(&self, node: &NodeId, number: OrderNumber) -> PathBeneath {
        self.orders_folder(node).join(Self::order_name(number))
    }

    /// Name of the file of an order: names sort as their numbers do.
    pub fn order_name(number: OrderNumber) -> String {
        format!("{:06}.json", number.0)
    }

    /// The program that nodes run: the one that began the run, whatever is installed later.
    pub fn node_program(&self) -> PathBeneath {
        self.nodes_folder().join("sweepdeck")
    }
}

fn attempt_name(attempt: AttemptNumber) -> String {
    format!("attempt-{:02}", attempt.0)
}

impl AttemptDir {
    /// The attempt in a folder of a run, `RUN/shards/ID/attempt-01`; nothing is looked up.
    pub fn at(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        let run = RunDir::at(path.ancestors().nth(3).unwrap_or(Path::new("/")));
        let inside = path.strip_prefix(run.path()).unwrap_or(path);
        Self(run.0.join(inside))
    }

    /// Returns the path of the attempt's folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The folder as a place in its run.
    pub fn folder(&self) -> &PathBeneath {
        &self.0
    }

    /// Path of the file with what the holder was asked to run.
    pub fn order_json(&self) -> PathBeneath {
        self.0.join("order.json")
    }

    /// The script of a shell command.
    pub fn command_script(&self) -> PathBeneath {
        self.0.join("command.sh")
    }

    /// The number of the setup step at work; gone when all are done.
    pub fn setup_step(&self) -> PathBeneath {
        self.0.join("setup-step")
    }

    /// Path of the file that names the running processes.
    pub fn started_json(&self) -> PathBeneath {
        self.0.join("started.json")
    }

    /// Raw bytes of the pty.
    pub fn output_log(&self) -> PathBeneath {
        self.0.join("output.log")
    }

    /// Path of the file with the marks read from the log.
    pub fn marks_path(&self) -> PathBeneath {
        self.0.join("marks.jsonl")
    }

    /// Path of the record of how the attempt ended.
    pub fn exit_json(&self) -> PathBeneath {
        self.0.join("exit.json")
    }

    /// The folder with a record of each container that was started.
    pub fn containers_folder(&self) -> PathBeneath {
        self.0.join("containers")
    }

    /// Held by the holder.
    pub fn holder_lock(&self) -> PathBeneath {
        self.0.join("holder.lock")
    }

    /// The attempt's own output folder: `{{ out }}`.
    pub fn out_folder(&self) -> PathBeneath {
        self.0.join("out")
    }
}
