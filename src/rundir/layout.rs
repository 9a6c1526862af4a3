//! Where everything lies in a run directory.

use std::path::{Path, PathBuf};

use crate::model::ids::{AttemptKey, AttemptNumber, ShardId};

/// The folder of a run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunDir(PathBuf);

/// The folder of an attempt.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttemptDir(PathBuf);

impl RunDir {
    /// The run at a path; nothing is looked up.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// What the run says of itself.
    pub fn run_json(&self) -> PathBuf {
        self.0.join("run.json")
    }

    /// The sweep as given.
    pub fn sweep_toml(&self) -> PathBuf {
        self.0.join("sweep.toml")
    }

    /// The shards after expansion.
    pub fn plan_json(&self) -> PathBuf {
        self.0.join("plan.json")
    }

    /// Every fact.
    pub fn journal(&self) -> PathBuf {
        self.0.join("journal.jsonl")
    }

    /// What queued shards wait for.
    pub fn waiting_json(&self) -> PathBuf {
        self.0.join("waiting.json")
    }

    /// What the supervisor cannot write now.
    pub fn write_troubles_json(&self) -> PathBuf {
        self.0.join("write_troubles.json")
    }

    /// Who supervises now.
    pub fn supervisor_json(&self) -> PathBuf {
        self.0.join("supervisor.json")
    }

    /// Held by the supervisor.
    pub fn supervisor_lock(&self) -> PathBuf {
        self.0.join("supervisor.lock")
    }

    /// What the supervisor has to say to a developer.
    pub fn supervisor_log(&self) -> PathBuf {
        self.0.join("supervisor.log")
    }

    /// The folder of the telemetry files.
    pub fn telemetry(&self) -> PathBuf {
        self.0.join("telemetry")
    }

    /// What GPUs the machine has.
    pub fn gpus_json(&self) -> PathBuf {
        self.telemetry().join("gpus.json")
    }

    /// What is wrong with the GPUs.
    pub fn gpu_health_json(&self) -> PathBuf {
        self.telemetry().join("gpu_health.json")
    }

    /// One row per GPU and second.
    pub fn gpu_metrics(&self) -> PathBuf {
        self.telemetry().join("gpu_metrics.csv")
    }

    /// One row per second.
    pub fn host_metrics(&self) -> PathBuf {
        self.telemetry().join("host_metrics.csv")
    }

    /// One row per running attempt and second.
    pub fn shard_metrics(&self) -> PathBuf {
        self.telemetry().join("shard_metrics.csv")
    }

    /// The folder of results.
    pub fn results(&self) -> PathBuf {
        self.0.join("results")
    }

    /// The folder of all shards.
    pub fn shards(&self) -> PathBuf {
        self.0.join("shards")
    }

    /// The folder of one shard.
    pub fn shard(&self, shard: &ShardId) -> PathBuf {
        self.shards().join(shard.as_str())
    }

    /// The folder of symlinks to the newest logs.
    pub fn logs(&self) -> PathBuf {
        self.0.join("logs")
    }

    /// The symlink to the newest log of a shard.
    pub fn log_link(&self, shard: &ShardId) -> PathBuf {
        self.logs().join(format!("{shard}.log"))
    }

    /// Where the symlink of [`Self::log_link`] points, relative to its folder.
    pub fn log_link_target(key: &AttemptKey) -> PathBuf {
        PathBuf::from(format!("../shards/{}/{}/output.log", key.shard, attempt_name(key.attempt)))
    }

    /// The folder of one attempt.
    pub fn attempt(&self, key: &AttemptKey) -> AttemptDir {
        AttemptDir(self.shard(&key.shard).join(attempt_name(key.attempt)))
    }
}

fn attempt_name(attempt: AttemptNumber) -> String {
    format!("attempt-{:02}", attempt.0)
}

impl AttemptDir {
    /// The attempt at a path; nothing is looked up.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// What the holder was told to run.
    pub fn order(&self) -> PathBuf {
        self.0.join("order.json")
    }

    /// The script of a shell command.
    pub fn script(&self) -> PathBuf {
        self.0.join("command.sh")
    }

    /// The number of the setup step at work; gone when all are done.
    pub fn setup_step(&self) -> PathBuf {
        self.0.join("setup-step")
    }

    /// Who runs.
    pub fn started(&self) -> PathBuf {
        self.0.join("started.json")
    }

    /// Raw bytes of the pty.
    pub fn output_log(&self) -> PathBuf {
        self.0.join("output.log")
    }

    /// What was read from the log.
    pub fn marks(&self) -> PathBuf {
        self.0.join("marks.jsonl")
    }

    /// How it ended.
    pub fn exit(&self) -> PathBuf {
        self.0.join("exit.json")
    }

    /// Held by the holder.
    pub fn holder_lock(&self) -> PathBuf {
        self.0.join("holder.lock")
    }

    /// The attempt's own output folder: `{{ out }}`.
    pub fn out(&self) -> PathBuf {
        self.0.join("out")
    }
}
