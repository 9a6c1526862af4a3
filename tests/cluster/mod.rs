//! Machines that are apart: names, boots, processes, networks and stand-in GPUs of their own, and a folder that all see.
//!
//! `tests/cluster/machines` makes them. It needs root, `unshare`, `ip` and sshd; munge and Slurm where that is started.

#![allow(dead_code, reason = "each test binary uses its part")]
#![allow(clippy::unwrap_used, reason = "machines that cannot be made are a failed test")]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// How the machines see the folder that they share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// As one machine sees its own disk.
    Common,
    /// Locks are local to each machine, and what others did is seen up to three seconds late.
    Late,
}

/// `login` and `gpu1` … `gpuN`, until it is dropped.
pub struct Cluster {
    root: tempfile::TempDir,
}

impl Cluster {
    /// Switches them on.
    pub fn new(count: usize, share: Share, driver: Option<&Path>) -> Self {
        assert!(rustix::process::geteuid().is_root(), "machines that are apart need root");
        // Each has a /tmp of its own.
        let root = tempfile::Builder::new().prefix("sweepdeck-machines-").tempdir_in("/var/tmp").unwrap();
        let cluster = Self { root };
        let mut up = cluster.command("up", &[count.to_string().as_ref()]);
        up.envs(driver.map(|path| ("NVML", path)));
        up.envs((share == Share::Late).then_some(("SHARE", "late")));
        up.envs(std::env::var_os("SWEEPDECK_PYTHON").map(|python| ("PYTHON", python)));
        let output = up.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        cluster
    }

    /// The folder that all see at this path.
    pub fn share(&self) -> PathBuf {
        self.root.path().join("world/share")
    }

    /// A folder that all see as it is, beside the share.
    pub fn witness(&self) -> PathBuf {
        self.root.path().join("witness")
    }

    /// A command on one of them.
    pub fn on(&self, machine: &str, words: &[&OsStr]) -> Command {
        let mut all: Vec<&OsStr> = vec![machine.as_ref()];
        all.extend(words);
        self.command("in", &all)
    }

    /// Starts Slurm, with a job's place on every machine but `login`.
    pub fn start_slurm(&self) {
        let output = self.command("slurm", &[]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }

    /// `freeze`, `thaw`, `cut`, `join`, `crash`, `boot`, `stop-slurm`, `start-slurm`.
    pub fn does(&self, verb: &str, machine: &str) -> Output {
        self.command(verb, &[machine.as_ref()]).output().unwrap()
    }

    fn command(&self, verb: &str, words: &[&OsStr]) -> Command {
        let mut command = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cluster/machines"));
        command.arg(verb).arg(self.root.path()).args(words).stdin(Stdio::null());
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = self.command("down", &[]).output();
    }
}
