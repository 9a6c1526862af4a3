//! Where the nodes of a round are: run directories on this machine behind a stand-in for `ssh`, or machines that are apart.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rustix::process::Signal;

use super::HOSTS;
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
            Self::Apart(cluster) => (cluster.share(), cluster.witness()),
        };
        let name = format!("round-{seed}");
        let folders = (share.join(&name), witness.join(&name));
        fs::create_dir_all(&folders.0).unwrap();
        fs::create_dir_all(&folders.1).unwrap();
        folders
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
            Self::Apart(cluster) => {
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
            Self::Apart(cluster) => drop(cluster.does("cut", host)),
        }
    }

    pub fn mend(&self, host: &str) {
        match self {
            Self::StandIn(folder) => {
                let _ = fs::remove_file(folder.path().join(format!("connection-{host}")));
            }
            Self::Apart(cluster) => drop(cluster.does("join", host)),
        }
    }

    /// Stops everything of a node at one moment.
    pub fn freeze(&self, run: &Path, host: &str) {
        match self {
            Self::StandIn(_) => {
                self.disturb(host, Connection::Silent);
                stop_all(&run.join("nodes").join(host));
            }
            Self::Apart(cluster) => drop(cluster.does("freeze", host)),
        }
    }

    pub fn thaw(&self, run: &Path, host: &str) {
        match self {
            Self::StandIn(_) => {
                let living = processes::list(&run.join("nodes").join(host));
                living.into_iter().for_each(|(_, pid)| _ = processes::send(pid, Signal::CONT));
                self.mend(host);
            }
            Self::Apart(cluster) => drop(cluster.does("thaw", host)),
        }
    }

    /// Takes the power of a node away, and gives it back; returns how many processes of the run that ended.
    pub fn power_off(&self, run: &Path, host: &str) -> u64 {
        let node = run.join("nodes").join(host);
        match self {
            Self::StandIn(_) => kill_all(&node),
            Self::Apart(cluster) => {
                let count = processes::list(&node).len() as u64;
                cluster.does("crash", host);
                let booted = cluster.does("boot", host);
                assert!(booted.status.success(), "{booted:?}");
                count
            }
        }
    }

    /// Ends what is left of a round, and mends what was disturbed.
    pub fn clear(&self, run: &Path) {
        for host in Self::hosts() {
            self.thaw(run, &host);
            self.mend(&host);
        }
        let mut folders: Vec<PathBuf> =
            Self::hosts().iter().map(|host| run.join("nodes").join(host)).collect();
        folders.push(run.to_owned());
        let mut looks_without = 0;
        while looks_without < 3 {
            let killed: u64 = folders.iter().map(|folder| kill_all(folder)).sum();
            let connections = processes::connections(run);
            connections.iter().for_each(|pid| _ = processes::send(*pid, Signal::KILL));
            looks_without = if killed == 0 && connections.is_empty() { looks_without + 1 } else { 0 };
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }
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
