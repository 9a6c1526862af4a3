//! Where the nodes of a round are: run directories on this machine behind a stand-in for `ssh`, or machines that are apart.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rustix::process::Signal;

use super::HOSTS;
use crate::chance::Chance;
use crate::cluster::Cluster;
use crate::processes::{self, Part};

/// What is wrong with the connection to a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connection {
    /// It is refused at once.
    Down,
    /// It is accepted, and nothing is said.
    Silent,
    /// The command runs, and its answer is lost.
    Deaf,
}

/// The machines of a round after another.
pub enum Machines {
    StandIn(tempfile::TempDir),
    Apart(Cluster),
    /// The same, lent by Slurm.
    Lent(Cluster),
}

/// In place of `ssh`: what it starts goes on when it is killed.
const SSH: &str = r#"#!/bin/bash
cd FOLDER
host="${@: -2:1}" line="${@: -1}"
state() { cat "connection-$host" 2>/dev/null; }
for _ in $(seq 150); do [ "$(state)" = Silent ] || break; sleep 0.1; done
case "$(state)" in
Down) echo "ssh: connect to host $host port 22: Connection refused" >&2; exit 255 ;;
Silent) echo "Connection timed out during banner exchange" >&2; exit 255 ;;
esac
setsid bash -c "$line" &
wait $!
code=$?
[ "$(state)" != Deaf ] || { echo "Connection reset by peer" >&2; exit 255; }
exit $code
"#;

impl Machines {
    pub fn stand_in() -> Self {
        let folder = tempfile::Builder::new().prefix("sweepdeck-chaos-nodes-").tempdir().unwrap();
        let ssh = folder.path().join("bin/ssh");
        fs::create_dir_all(ssh.parent().unwrap()).unwrap();
        fs::write(&ssh, SSH.replace("FOLDER", folder.path().to_str().unwrap())).unwrap();
        fs::set_permissions(&ssh, fs::Permissions::from_mode(0o755)).unwrap();
        Self::StandIn(folder)
    }

    pub fn apart(cluster: Cluster) -> Self {
        // Where it was built may be in a folder of which each machine has its own.
        fs::copy(env!("CARGO_BIN_EXE_sweepdeck"), Self::program_of(&cluster)).unwrap();
        Self::Apart(cluster)
    }

    pub fn lent(cluster: Cluster) -> Self {
        cluster.start_slurm();
        fs::copy(env!("CARGO_BIN_EXE_sweepdeck"), Self::program_of(&cluster)).unwrap();
        Self::Lent(cluster)
    }

    pub fn are_lent(&self) -> bool {
        matches!(self, Self::Lent(_))
    }

    /// Nodes of a sweep.
    pub fn table(&self) -> String {
        if self.are_lent() {
            // Shorter than some freezes.
            return format!(
                "[[nodes]]\nkind = \"slurm\"\ncount = {HOSTS}\nlease = \"4s\"\nsbatch = [\"--gres=gpu:4\"]\n"
            );
        }
        format!("[[nodes]]\nkind = \"ssh\"\nhosts = {:?}\n", Self::hosts())
    }

    fn program_of(cluster: &Cluster) -> PathBuf {
        cluster.witness().join("sweepdeck")
    }

    pub fn hosts() -> Vec<String> {
        (1..=HOSTS).map(|number| format!("gpu{number}")).collect()
    }

    /// A folder for a round that all machines see, and one for what its programs leave.
    pub fn folders(&self, seed: u64) -> (PathBuf, PathBuf) {
        let (share, witness) = match self {
            Self::StandIn(folder) => (folder.path().to_owned(), folder.path().join("witness")),
            Self::Apart(cluster) | Self::Lent(cluster) => (cluster.share(), cluster.witness()),
        };
        let name = format!("round-{seed}");
        let folders = (share.join(&name), witness.join(&name));
        fs::create_dir_all(&folders.0).unwrap();
        fs::create_dir_all(&folders.1).unwrap();
        folders
    }

    /// Kills Slurm on a machine, or starts it there again.
    pub fn serve(&self, machine: &str, is_served: bool) -> bool {
        let Self::Lent(cluster) = self else { return false };
        cluster.does(if is_served { "start-slurm" } else { "stop-slurm" }, machine).status.success()
    }

    /// Cancels a job of the nodes by hand.
    pub fn cancel_job(&self, chance: &mut Chance) -> bool {
        let Self::Lent(cluster) = self else { return false };
        let list =
            cluster.on("login", &["squeue".as_ref(), "-h".as_ref(), "-o%i".as_ref()]).output().unwrap();
        let jobs: Vec<String> = String::from_utf8_lossy(&list.stdout).lines().map(str::to_owned).collect();
        let Some(job) = chance.one_of(&jobs) else { return false };
        cluster.on("login", &["scancel".as_ref(), job.as_ref()]).output().unwrap().status.success()
    }

    /// Runs the program on the machine of the run.
    pub fn sweepdeck(&self, words: &[&str]) -> Output {
        let mut command = match self {
            Self::StandIn(folder) => {
                let mut command = Command::new(env!("CARGO_BIN_EXE_sweepdeck"));
                let path = std::env::var("PATH").unwrap_or_default();
                command.args(words).env("PATH", format!("{}:{path}", folder.path().join("bin").display()));
                command.env("XDG_STATE_HOME", folder.path().join("state"));
                command.env("XDG_CONFIG_HOME", folder.path().join("config")).env_remove("SWEEPDECK_RUN");
                command
            }
            Self::Apart(cluster) | Self::Lent(cluster) => {
                let program = Self::program_of(cluster);
                let mut all = vec![program.as_os_str()];
                all.extend(words.iter().map(OsStr::new));
                cluster.on("login", &all)
            }
        };
        command.stdin(Stdio::null()).output().unwrap()
    }

    pub fn disturb(&self, host: &str, connection: Connection) {
        match self {
            Self::StandIn(folder) => {
                fs::write(folder.path().join(format!("connection-{host}")), format!("{connection:?}"))
                    .unwrap();
            }
            Self::Apart(cluster) | Self::Lent(cluster) => drop(cluster.does("cut", host)),
        }
    }

    pub fn mend(&self, host: &str) {
        match self {
            Self::StandIn(folder) => {
                let _ = fs::remove_file(folder.path().join(format!("connection-{host}")));
            }
            Self::Apart(cluster) | Self::Lent(cluster) => drop(cluster.does("join", host)),
        }
    }

    /// Stops everything of a node at one moment.
    pub fn freeze(&self, run: &Path, host: &str) {
        match self {
            Self::StandIn(_) => {
                self.disturb(host, Connection::Silent);
                stop_all(&run.join("nodes").join(host));
            }
            Self::Apart(cluster) | Self::Lent(cluster) => drop(cluster.does("freeze", host)),
        }
    }

    pub fn thaw(&self, run: &Path, host: &str) {
        match self {
            Self::StandIn(_) => {
                let living = processes::list(&run.join("nodes").join(host));
                living.into_iter().for_each(|(_, pid)| _ = processes::send(pid, Signal::CONT));
                self.mend(host);
            }
            Self::Apart(cluster) | Self::Lent(cluster) => drop(cluster.does("thaw", host)),
        }
    }

    /// Takes the power of a node away, and gives it back; returns how many processes of the run that ended.
    pub fn power_off(&self, run: &Path, host: &str) -> u64 {
        match self {
            Self::StandIn(_) => kill_all(&run.join("nodes").join(host)),
            Self::Apart(cluster) | Self::Lent(cluster) => {
                let count = || node_folders(run).iter().map(|node| processes::list(node).len() as u64).sum();
                let before: u64 = count();
                cluster.does("crash", host);
                let ended = before.saturating_sub(count());
                let booted = cluster.does("boot", host);
                assert!(booted.status.success(), "{booted:?}");
                ended
            }
        }
    }

    /// Ends what is left of a round, and mends what was disturbed.
    pub fn clear(&self, run: &Path) {
        for host in Self::hosts() {
            self.thaw(run, &host);
            self.mend(&host);
        }
        if let Self::Lent(cluster) = self {
            let all = ["scancel", "--user=root", "--signal=KILL", "--full"];
            let _ = cluster.on("login", &all.map(OsStr::new)).output();
        }
        let mut looks_without = 0;
        while looks_without < 3 {
            let folders = node_folders(run).into_iter().chain([run.to_owned()]);
            let killed: u64 = folders.map(|folder| kill_all(&folder)).sum();
            let connections = processes::connections(run);
            connections.iter().for_each(|pid| _ = processes::send(*pid, Signal::KILL));
            looks_without = if killed == 0 && connections.is_empty() { looks_without + 1 } else { 0 };
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }
}

/// Folders of all nodes that a run has had.
pub fn node_folders(run: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(run.join("nodes")).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

/// Kills everything of a run in its folder. Stopped first: what one look misses would start others while the rest dies.
pub fn kill_all(run: &Path) -> u64 {
    let stopped = stop_all(run);
    stopped.into_iter().filter(|(_, pid)| processes::send(*pid, Signal::KILL)).count() as u64
}

fn stop_all(run: &Path) -> Vec<(Part, u32)> {
    let mut stopped = Vec::new();
    loop {
        let living = processes::list(run);
        if living == stopped {
            return stopped;
        }
        living.iter().for_each(|(_, pid)| _ = processes::send(*pid, Signal::STOP));
        stopped = living;
    }
}
