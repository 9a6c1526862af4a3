//! Where a run lives: only processes of that machine and container may start anything for it, and never for a copy.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::error::RunDirError;
use super::layout::RunDir;
use super::machine_wide::discover;
use super::{beat, life, records};
use crate::model::state::run_info::{RunInfo, RunPlace, SupervisorInfo};

/// Residence of a run, seen from this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Residence {
    /// Here: `/proc` shows whether its processes live.
    Here,
    /// Here before the machine was started again; or on another machine of the same name, as its beat would show.
    Rebooted,
    /// On another machine or in another container, whose processes cannot be seen.
    Elsewhere {
        /// Machine and container in words for the user: `gpu1 (another container)`.
        place: String,
    },
    /// Folder that is a copy of the run, and lives nowhere.
    Copy {
        /// The folder that it was copied from.
        of: PathBuf,
    },
}

/// Facts that are compared: a machine with its boot and container, and a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RunLocation {
    host: String,
    /// Empty where it is not known.
    boot_id: String,
    pid_namespace: Option<u64>,
    place: Option<RunPlace>,
}

/// Determines where the run lives.
pub fn find_residence(run: &RunDir) -> Result<Residence, RunDirError> {
    let info = discover::read_info(run)?;
    let last: Option<SupervisorInfo> = records::read_if_there(&run.supervisor_json()).ok().flatten();
    Ok(judge_residence(&recorded_home(info, last), &current_home(run)?))
}

/// Says for people which machine the run's records name, and which one this is.
pub fn compare_homes(run: &RunDir) -> Result<String, RunDirError> {
    let info = discover::read_info(run)?;
    let last: Option<SupervisorInfo> = records::read_if_there(&run.supervisor_json()).ok().flatten();
    let text = |home: &RunLocation| {
        let boot = home.boot_id.get(..8).filter(|boot| !boot.is_empty()).unwrap_or("unknown");
        let container = home
            .pid_namespace
            .map_or_else(String::new, |number| format!(", processes of container {number}"));
        format!("{} (boot {boot}{container})", home.host)
    };
    Ok(format!("the run was on {}, this is {}", text(&recorded_home(info, last)), text(&current_home(run)?)))
}

/// Names in words where a run lives that does not live here; `None` for one that does.
pub fn far_place(run: &RunDir) -> Result<Option<String>, RunDirError> {
    Ok(match find_residence(run)? {
        Residence::Here | Residence::Rebooted => None,
        Residence::Elsewhere { place } => Some(place),
        Residence::Copy { of } => Some(format!("a copy of {}", of.display())),
    })
}

/// A supervisor is at work for the run, wherever that is. One that cannot be seen is judged by its beat, which may be
/// waited for.
pub fn is_served(run: &RunDir) -> bool {
    life::living_supervisor(run).is_some() || is_elsewhere(run) && beat::is_beating(run)
}

/// The same at a glance, without waiting.
pub fn seems_served(run: &RunDir) -> bool {
    life::living_supervisor(run).is_some() || is_elsewhere(run) && beat::seems_beating(run)
}

/// The run lives where its processes cannot be seen.
pub fn is_elsewhere(run: &RunDir) -> bool {
    matches!(find_residence(run), Ok(Residence::Elsewhere { .. }))
}

/// Returns an error where nothing may be started for the run from here. A reboot is no reason: the caller that asks for
/// a start has looked for signs of another machine of that name before.
pub fn refuse_elsewhere(run: &RunDir) -> Result<(), RunDirError> {
    let path = run.path().to_owned();
    match find_residence(run)? {
        Residence::Here | Residence::Rebooted => Ok(()),
        Residence::Elsewhere { place } => Err(RunDirError::Elsewhere { path, place }),
        Residence::Copy { of } => Err(RunDirError::Copy { path, of }),
    }
}

/// Identifies the folder of the run, so that a copy can be recognised.
pub fn identify_place(path: &Path) -> Result<RunPlace, RunDirError> {
    let real = path.canonicalize().map_err(RunDirError::io("find", path))?;
    let folder = fs::metadata(&real).map_err(RunDirError::io("look at", &real))?;
    Ok(RunPlace { path: real, device: folder.dev(), inode: folder.ino() })
}

/// The name of this machine.
pub fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Makes this machine and container the home of the run.
pub fn move_here(run: &RunDir) -> Result<(), RunDirError> {
    let RunLocation { host, boot_id, pid_namespace, place } = current_home(run)?;
    // Cores of another machine do not count here.
    let info = RunInfo { host, boot_id, pid_namespace, place, cores: None, ..discover::read_info(run)? };
    records::write_durable(&run.run_json(), &info)
}

fn current_home(run: &RunDir) -> Result<RunLocation, RunDirError> {
    Ok(RunLocation {
        host: host_name(),
        boot_id: life::boot_id().unwrap_or_default().to_owned(),
        pid_namespace: life::pid_namespace(),
        place: Some(identify_place(run.path())?),
    })
}

/// The machine is the one that the run belongs to, the rest is what the newest supervisor wrote down.
fn recorded_home(info: RunInfo, last: Option<SupervisorInfo>) -> RunLocation {
    let RunInfo { host, boot_id, pid_namespace, place, .. } = info;
    match last {
        Some(SupervisorInfo { process, place: newest, .. }) => RunLocation {
            host,
            boot_id: process.boot_id,
            pid_namespace: process.pid_namespace,
            place: newest.or(place),
        },
        None => RunLocation { host, boot_id, pid_namespace, place },
    }
}

fn judge_residence(recorded: &RunLocation, here: &RunLocation) -> Residence {
    let is_boot_known = !recorded.boot_id.is_empty() && !here.boot_id.is_empty();
    let is_other_boot = is_boot_known && recorded.boot_id != here.boot_id;
    if let (Some(recorded), Some(here)) = (&recorded.place, &here.place) {
        // Device numbers are assigned again by each boot, those of folders are not.
        let is_moved = recorded.inode == here.inode && (is_other_boot || recorded.device == here.device);
        if recorded.path != here.path && !is_moved {
            return Residence::Copy { of: recorded.path.clone() };
        }
    }
    // No two machines share a boot, so its id outweighs a name that was changed.
    if recorded.host != here.host && (is_other_boot || !is_boot_known) {
        return Residence::Elsewhere { place: recorded.host.clone() };
    }
    if is_other_boot {
        return Residence::Rebooted;
    }
    match (recorded.pid_namespace, here.pid_namespace) {
        (Some(recorded_in), Some(own)) if recorded_in != own => {
            Residence::Elsewhere { place: format!("{} (another container)", recorded.host) }
        }
        (Some(_), Some(_)) | (None, _) | (_, None) => Residence::Here,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home() -> RunLocation {
        let place = RunPlace { path: "/data/run".into(), device: 1, inode: 7 };
        RunLocation {
            host: "gpu1".to_owned(),
            boot_id: "first".to_owned(),
            pid_namespace: Some(10),
            place: Some(place),
        }
    }

    fn at(path: &str, device: u64, inode: u64) -> Option<RunPlace> {
        Some(RunPlace { path: path.into(), device, inode })
    }

    #[test]
    fn boot_container_and_folder_say_where_a_run_lives() {
        let elsewhere = |place: &str| Residence::Elsewhere { place: place.to_owned() };
        let copy = Residence::Copy { of: "/data/run".into() };
        let second = || "second".to_owned();
        let cases = [
            (home(), Residence::Here),
            (RunLocation { boot_id: second(), ..home() }, Residence::Rebooted),
            (RunLocation { boot_id: second(), pid_namespace: Some(11), ..home() }, Residence::Rebooted),
            (RunLocation { pid_namespace: Some(11), ..home() }, elsewhere("gpu1 (another container)")),
            (RunLocation { pid_namespace: None, ..home() }, Residence::Here),
            (RunLocation { host: "gpu2".to_owned(), boot_id: second(), ..home() }, elsewhere("gpu1")),
            (RunLocation { host: "gpu2".to_owned(), ..home() }, Residence::Here),
            (RunLocation { host: "gpu2".to_owned(), boot_id: String::new(), ..home() }, elsewhere("gpu1")),
            (
                RunLocation { host: "gpu2".to_owned(), pid_namespace: Some(11), ..home() },
                elsewhere("gpu1 (another container)"),
            ),
            (RunLocation { place: at("/data/moved", 1, 7), ..home() }, Residence::Here),
            (RunLocation { place: at("/data/run", 1, 8), ..home() }, Residence::Here),
            (RunLocation { place: at("/data/copy", 1, 8), ..home() }, copy.clone()),
            (RunLocation { place: at("/other/run", 2, 7), ..home() }, copy),
            (RunLocation { place: at("/other/run", 2, 7), boot_id: second(), ..home() }, Residence::Rebooted),
            (RunLocation { place: None, ..home() }, Residence::Here),
        ];
        for (here, wanted) in cases {
            assert_eq!(judge_residence(&home(), &here), wanted, "{here:?}");
        }
    }
}
