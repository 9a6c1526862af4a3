//! Collects the facts about this machine from the kernel and the driver.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rustix::fs::statvfs;
use rustix::process::{Resource, getrlimit};

use super::facts::{
    ClockFacts, CountLimit, DescriptorLimit, FolderFacts, GpuFacts, MachineFacts, SessionFacts,
};
use super::folder_trial::try_folder;
use crate::model::units::Bytes;
use crate::preflight::surroundings::{MachineTelemetry, Surroundings};
use crate::preflight::{gpu_faults, logout, output};
use crate::process::{clock_sync, usage};
use crate::tail::filesystem;
use crate::telemetry::{cgroup, gpu, host_bounds, system};

/// How long the GPUs may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Collects all facts; `folder` is where runs are created, which need not exist yet.
pub fn gather_facts(folder: &Path, around: &Surroundings, session: SessionFacts) -> MachineFacts {
    let own = usage::count_own();
    let read = |file: &str| read_number(&around.root.join("proc/sys").join(file));
    MachineFacts {
        gpus: gather_gpus(&around.root),
        host: host_bounds::read_bounds(&around.root),
        descriptors: descriptor_limit(),
        processes: tightest_of_processes(&around.root, own.threads),
        terminals: CountLimit {
            used: read("kernel/pty/nr"),
            most: read("kernel/pty/max"),
            by: "kernel.pty.max".to_owned(),
        },
        inotify_instances: CountLimit {
            used: Some(own.inotify_instances),
            most: read("fs/inotify/max_user_instances"),
            by: "fs.inotify.max_user_instances".to_owned(),
        },
        inotify_watches: read("fs/inotify/max_user_watches"),
        clock: gather_clock(),
        logout: logout::inspect(around),
        folder: gather_folder(folder),
        session,
    }
}

fn gather_gpus(root: &Path) -> GpuFacts {
    let (inventory, readings) = gpu::inspect_once(PATIENCE);
    let cards = inventory.cards().len();
    let telemetry = MachineTelemetry { inventory: &inventory, gpus: &readings };
    let faults = gpu_faults::inspect(cards.min(1), cards, telemetry);
    let has_device_files = root.join("dev/nvidiactl").exists() || root.join("dev/nvidia0").exists();
    let cuda = if cards == 0 { None } else { system::cuda_version() };
    GpuFacts { inventory, faults, cuda, has_device_files }
}

fn descriptor_limit() -> DescriptorLimit {
    let limit = getrlimit(Resource::Nofile);
    DescriptorLimit { soft: limit.current, hard: limit.maximum }
}

/// The limit of the user or of a control group, of which less is left.
fn tightest_of_processes(root: &Path, threads: u64) -> CountLimit {
    let by_user = CountLimit {
        used: Some(threads),
        // The kernel does not hold root to it.
        most: getrlimit(Resource::Nproc).current.filter(|_| !rustix::process::geteuid().is_root()),
        by: "limit of the user, ulimit -u".to_owned(),
    };
    let groups = cgroup::task_limits(root);
    let groups =
        groups.into_iter().map(|group| CountLimit { used: group.used, most: Some(group.most), by: group.by });
    let known = groups.chain([by_user.clone()]).filter(|limit| limit.most.is_some());
    known.min_by_key(|limit| limit.left().unwrap_or(u64::MAX)).unwrap_or(by_user)
}

fn gather_clock() -> ClockFacts {
    let zone = TimeZone::system();
    ClockFacts {
        now: Timestamp::now(),
        is_synchronised: clock_sync::is_synchronised(),
        zone: zone.iana_name().map(str::to_owned),
    }
}

fn gather_folder(folder: &Path) -> FolderFacts {
    let path: PathBuf = folder.ancestors().find(|path| path.is_dir()).unwrap_or(Path::new("/")).to_owned();
    let mut findings = output::inspect(folder);
    findings.sort_by_key(|finding| finding.severity);
    let free = statvfs(&path).ok().map(|space| Bytes(space.f_bavail.saturating_mul(space.f_frsize)));
    let shared = File::open(&path).ok().and_then(filesystem::shared_filesystem);
    let trial = try_folder(&path);
    FolderFacts { path, findings, free, shared, trial }
}

fn read_number(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}
