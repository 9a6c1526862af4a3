//! The containers of an attempt and their processes, which descend from the engine and from nothing of the attempt.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::fs::{Mode, OFlags, open};
use rustix::process::Signal;
use serde::{Deserialize, Serialize};

use super::start::fork::{self, Fork};
use super::stat::{self, ProcessState, Stat};
use super::{fd, identity, signal_fd};
use crate::model::attempt::ProcessIdentity;

/// Bytes of a record or of an id; more is neither.
const LARGEST_FILE: u64 = 64 * 1024;

/// A record of a container that the engine was asked to make; it may have come to nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContainerRecord {
    /// The program that was asked, absolute.
    pub program: PathBuf,
    /// Its options before the command.
    pub globals: Vec<String>,
    /// The file that holds the container's id once it is made.
    pub cidfile: PathBuf,
    /// The process that asked, which passes signals on to the container.
    pub client: ProcessIdentity,
}

/// The folder of an attempt in which the records of its containers are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Containers {
    folder: PathBuf,
}

/// A container that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Container {
    /// Its id in full.
    pub id: String,
    record: ContainerRecord,
}

impl Containers {
    /// Creates the set of containers with records in this folder, which need not be there.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Writes the record of a container that comes. Its name is that of the client, because each makes one.
    pub fn write_record(&self, record: &ContainerRecord) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let text = serde_json::to_vec(record)?;
        fs::write(self.folder.join(name_of(&record.client)).with_extension("json"), text)
    }

    /// The file for the id of a container that this client asks for.
    pub fn cidfile(&self, client: &ProcessIdentity) -> PathBuf {
        self.folder.join(name_of(client)).with_extension("cid")
    }

    /// Returns the containers that were made.
    pub fn list(&self) -> Vec<Container> {
        self.find().unwrap_or_default()
    }

    /// Returns the containers that were made; `None` where none was ever asked for, as by most attempts.
    pub fn find(&self) -> Option<Vec<Container>> {
        let entries = fs::read_dir(&self.folder).ok()?.flatten();
        let records =
            entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|is| is == "json"));
        Some(records.filter_map(|path| read_container(&path)).collect())
    }
}

fn name_of(client: &ProcessIdentity) -> String {
    format!("{}-{}", client.pid, client.start_ticks)
}

fn read_container(path: &Path) -> Option<Container> {
    let record: ContainerRecord = serde_json::from_slice(&read_small_file(path)?).ok()?;
    let id = String::from_utf8(read_small_file(&record.cidfile)?).ok()?.trim().to_owned();
    // A short one could be a part of some other path.
    let is_id = id.len() >= 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then_some(Container { id, record })
}

/// A pipe in its place would make everybody wait who watches the attempt, and a device would have no end.
fn read_small_file(path: &Path) -> Option<Vec<u8>> {
    let file =
        File::from(open(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty()).ok()?);
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(LARGEST_FILE).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

impl Container {
    /// The client lives and passes signals on.
    pub fn has_client(&self) -> bool {
        identity::is_alive(&self.record.client)
    }

    /// Has the engine do what this user may not do itself; an error means that the engine's program did not start.
    pub fn ask_engine(&self, signal: Signal) -> io::Result<()> {
        let mut command = Command::new(&self.record.program);
        command.args(&self.record.globals).args(words_for(signal)).arg(&self.id);
        command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // Below a holder it would be paused or killed together with what it is to pause or to kill.
        match fork::fork_sibling() {
            Ok(Fork::Parent(_)) => Ok(()),
            Ok(Fork::Child) => fork::run_child(|| {
                signal_fd::reset_all();
                let _ = rustix::process::setsid();
                fd::close_on_exec();
                // Only a failure returns; what was asked for is asked for again while processes are left.
                drop(command.exec());
                127
            }),
            // A supervisor has threads, and its descendants are not signalled.
            Err(_) => command.spawn().map(drop),
        }
    }
}

/// The engine's words for a signal. A paused container is frozen, which no signal from outside undoes.
fn words_for(signal: Signal) -> Vec<String> {
    if signal == Signal::STOP {
        vec!["pause".to_owned()]
    } else if signal == Signal::CONT {
        vec!["unpause".to_owned()]
    } else {
        vec!["kill".to_owned(), "--signal".to_owned(), signal.as_raw().to_string()]
    }
}

/// The living processes of containers by their control groups, each with the position of its container. This looks at
/// every process of the machine, unless there are no containers.
pub fn find_members(containers: &[Container]) -> Vec<(Stat, usize)> {
    if containers.is_empty() {
        return Vec::new();
    }
    let container_of = |process: &Stat| {
        let groups = fs::read_to_string(format!("/proc/{}/cgroup", process.pid)).ok()?;
        containers.iter().position(|container| is_inside(&groups, &container.id))
    };
    let living = stat::all_processes().filter(|process| process.state != ProcessState::Dead);
    living.filter_map(|process| container_of(&process).map(|container| (process, container))).collect()
}

/// These control groups, as `/proc/PID/cgroup` lists them, are those of a container: `/docker/ID`,
/// `/system.slice/docker-ID.scope`, `/libpod_parent/libpod-ID` and groups below them. The monitor of podman has a group
/// of its own, and reports the exit code only if it is left alone.
fn is_inside(groups: &str, id: &str) -> bool {
    let names = groups.lines().filter_map(|line| line.splitn(3, ':').nth(2)).flat_map(|path| path.split('/'));
    names.into_iter().any(|name| name.contains(id) && !name.contains("conmon"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_groups_of_every_engine_are_known_by_the_id() {
        let id = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
        for (group, inside) in [
            (format!("4:freezer:/docker/{id}\n0::/\n"), true),
            (format!("0::/system.slice/docker-{id}.scope\n"), true),
            (format!("0::/user.slice/u/libpod-{id}.scope/container\n"), true),
            (format!("1:pids:/libpod_parent/libpod-{id}\n"), true),
            (format!("0::/libpod_parent/libpod-conmon-{id}\n"), false),
            ("0::/user.slice\n".to_owned(), false),
        ] {
            assert_eq!(is_inside(&group, id), inside, "{group}");
        }
    }

    #[test]
    fn a_container_is_known_once_its_id_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let containers = Containers::in_folder(folder.path().join("containers"));
        assert_eq!(containers.list(), []);
        let client = identity::identify_self().unwrap();
        let cidfile = containers.cidfile(&client);
        let record = ContainerRecord { program: "/bin/true".into(), globals: Vec::new(), cidfile, client };
        containers.write_record(&record).unwrap();
        assert_eq!(containers.list(), [], "the engine has not made it yet");
        fs::write(&record.cidfile, "0123456789abcdef0123456789abcdef\n").unwrap();
        let [container] = &containers.list()[..] else { panic!("one container") };
        assert!(container.has_client());
        assert_eq!(find_members(&containers.list()), []);
        fs::write(&record.cidfile, "dead").unwrap();
        assert_eq!(containers.list(), [], "too short to tell it apart");
    }

    #[test]
    fn a_pipe_instead_of_a_file_is_no_container() {
        let folder = tempfile::tempdir().unwrap();
        let containers = Containers::in_folder(folder.path());
        let client = identity::identify_self().unwrap();
        let cidfile = containers.cidfile(&client);
        let made =
            Command::new("mkfifo").arg(&cidfile).arg(folder.path().join("other.json")).status().unwrap();
        assert!(made.success());
        containers
            .write_record(&ContainerRecord {
                program: "/bin/true".into(),
                globals: Vec::new(),
                cidfile,
                client,
            })
            .unwrap();
        assert_eq!(containers.list(), []);
    }
}
