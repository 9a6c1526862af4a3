//! Limits of the control groups that this process is in. A group is bound by its own limit and by that of every group
//! above it, so that all of them are read and the smallest counts.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::model::units::Bytes;

/// A version-1 group without a limit reports `9223372036854771712`; more than this is no limit.
const UNLIMITED: u64 = 1 << 60;

/// A limit of processor time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CpuLimit {
    /// So many cores' worth of time; may be a part of one.
    pub(super) cores: f64,
    /// File and group that set the limit.
    pub(super) by: String,
}

/// A limit of main memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MemoryLimit {
    /// The most that the group may hold.
    pub(super) most: Bytes,
    /// Memory that it holds and cannot give back, without the page cache; `None` if the group does not report
    /// it.
    pub(super) used: Option<Bytes>,
    /// File and group that set the limit.
    pub(super) by: String,
}

/// A limit of processes and threads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskLimit {
    /// How many there may be.
    pub most: u64,
    /// How many there are; `None` if the group does not report it.
    pub used: Option<u64>,
    /// File and group that set the limit.
    pub by: String,
}

/// Group on the way from ours to the top of what is mounted.
struct ControlGroup {
    /// Folder of the group in the mounted hierarchy.
    folder: PathBuf,
    /// Its name as the kernel writes it.
    name: String,
    version: CgroupVersion,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CgroupVersion {
    One,
    Two,
}

/// The smallest limit of processor time, if there is one.
pub(super) fn cpu_limit(root: &Path) -> Option<CpuLimit> {
    let limits = own_groups(root, "cpu").into_iter().filter_map(|group| cpu_limit_of(&group));
    limits.min_by(|a, b| a.cores.total_cmp(&b.cores))
}

/// All limits of main memory, ours first: each leaves as much as it does not hold already.
pub(super) fn memory_limits(root: &Path) -> Vec<MemoryLimit> {
    own_groups(root, "memory").iter().flat_map(memory_limits_of).collect()
}

/// All limits of processes, ours first.
pub fn task_limits(root: &Path) -> Vec<TaskLimit> {
    let limit = |group: &ControlGroup| {
        let most = group.read_number("pids.max")?;
        Some(TaskLimit {
            most,
            used: group.read_number("pids.current"),
            by: format!("pids.max of {}", group.name),
        })
    };
    own_groups(root, "pids").iter().filter_map(limit).collect()
}

fn cpu_limit_of(group: &ControlGroup) -> Option<CpuLimit> {
    let (quota, period, file) = match group.version {
        CgroupVersion::Two => {
            let text = group.read_file("cpu.max")?;
            let (quota, period) = text.trim().split_once(' ')?;
            (quota.parse::<f64>().ok()?, period.parse::<f64>().ok()?, "cpu.max")
        }
        CgroupVersion::One => {
            (group.read_number("cpu.cfs_quota_us")?, group.read_number("cpu.cfs_period_us")?, "CPU quota")
        }
    };
    let cores = quota / period;
    let is_limit = quota > 0.0 && period > 0.0;
    is_limit.then(|| CpuLimit { cores, by: format!("{file} of {}", group.name) })
}

fn memory_limits_of(group: &ControlGroup) -> Vec<MemoryLimit> {
    let files: &[&str] = match group.version {
        // Above `memory.high` the kernel takes memory away and slows the group down: it is no room to plan with.
        CgroupVersion::Two => &["memory.max", "memory.high"],
        CgroupVersion::One => &["memory.limit_in_bytes"],
    };
    let limit = |file: &&str| {
        let most = group.read_number::<u64>(file).filter(|most| *most < UNLIMITED)?;
        Some(MemoryLimit { most: Bytes(most), used: None, by: format!("{file} of {}", group.name) })
    };
    let mut limits: Vec<MemoryLimit> = files.iter().filter_map(limit).collect();
    if !limits.is_empty() {
        let used = group.memory_used();
        limits.iter_mut().for_each(|limit| limit.used = used);
    }
    limits
}

impl ControlGroup {
    fn read_file(&self, file: &str) -> Option<String> {
        fs::read_to_string(self.folder.join(file)).ok()
    }

    /// `None` also for `max`.
    fn read_number<T: std::str::FromStr>(&self, file: &str) -> Option<T> {
        self.read_file(file)?.trim().parse().ok()
    }

    /// Returns the memory that the kernel could not take back: files that are only cached give way, files in shared
    /// memory do not.
    fn memory_used(&self) -> Option<Bytes> {
        let (current, cache, shared) = match self.version {
            CgroupVersion::Two => ("memory.current", "file", "shmem"),
            CgroupVersion::One => ("memory.usage_in_bytes", "total_cache", "total_shmem"),
        };
        let stat = self.read_file("memory.stat").unwrap_or_default();
        let field = |name: &str| {
            let is_it = |line: &&str| line.split(' ').next() == Some(name);
            stat.lines().find(is_it)?.split(' ').nth(1)?.trim().parse::<u64>().ok()
        };
        let cached = field(cache).unwrap_or(0).saturating_sub(field(shared).unwrap_or(0));
        let returned = cached.saturating_add(field("slab_reclaimable").unwrap_or(0));
        Some(Bytes(self.read_number::<u64>(current)?.saturating_sub(returned)))
    }
}

/// Our group for a controller and those above it, as far as they can be seen. In a container the path may name groups
/// outside of it; what is mounted is then the container's own group.
fn own_groups(root: &Path, controller: &str) -> Vec<ControlGroup> {
    let Ok(text) = fs::read_to_string(root.join("proc/self/cgroup")) else { return Vec::new() };
    let lines = || text.lines().filter_map(|line| line.split_once(':')?.1.split_once(':'));
    let mounted = root.join("sys/fs/cgroup");
    let one = lines().find(|(controllers, _)| controllers.split(',').any(|one| one == controller));
    let (mount, path, version) = match (one, lines().find(|(controllers, _)| controllers.is_empty())) {
        (Some((_, path)), _) => (mounted.join(controller), path, CgroupVersion::One),
        (None, Some((_, path))) => (mounted, path, CgroupVersion::Two),
        (None, None) => return Vec::new(),
    };
    let path = Path::new(path.trim_start_matches('/'));
    let is_below = path.components().all(|part| matches!(part, Component::Normal(_)));
    let path = if is_below { path } else { Path::new("") };
    let group = |path: &Path| ControlGroup {
        folder: mount.join(path),
        name: format!("/{}", path.display()),
        version,
    };
    path.ancestors().map(group).filter(|group| group.folder.is_dir()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    #[test]
    fn the_smallest_limit_of_all_groups_above_counts() {
        let root = machine(&[
            ("proc/self/cgroup", "0::/user.slice/job.scope/inner\n"),
            ("sys/fs/cgroup/user.slice/cpu.max", "150000 100000\n"),
            ("sys/fs/cgroup/user.slice/memory.max", "4294967296\n"),
            ("sys/fs/cgroup/user.slice/memory.current", "3221225472\n"),
            ("sys/fs/cgroup/user.slice/memory.stat", "anon 1\nfile 1073741824\nshmem 536870912\n"),
            ("sys/fs/cgroup/user.slice/job.scope/cpu.max", "400000 100000\n"),
            ("sys/fs/cgroup/user.slice/job.scope/memory.max", "8589934592\n"),
            ("sys/fs/cgroup/user.slice/job.scope/memory.high", "max\n"),
            ("sys/fs/cgroup/user.slice/job.scope/inner/cpu.max", "max 100000\n"),
            ("sys/fs/cgroup/user.slice/job.scope/inner/memory.max", "max\n"),
        ]);
        let cpu = cpu_limit(root.path()).unwrap();
        assert_eq!((cpu.cores, cpu.by.as_str()), (1.5, "cpu.max of /user.slice"));
        let told: Vec<(u64, Option<u64>)> = memory_limits(root.path())
            .iter()
            .map(|limit| (limit.most.0 >> 30, limit.used.map(|used| used.0 >> 20)))
            .collect();
        assert_eq!(told, [(8, None), (4, Some(2560))], "the page cache gives way, shared memory does not");
    }

    #[test]
    fn version_one_is_read_beside_a_version_two_without_controllers() {
        let root = machine(&[
            ("proc/self/cgroup", "4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n0::/\n"),
            // The container sees its own group as the top.
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "2147483648\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "1073741824\n"),
            ("sys/fs/cgroup/memory/memory.stat", "cache 1\ntotal_cache 536870912\ntotal_shmem 0\n"),
            ("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "250000\n"),
            ("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"),
        ]);
        let [memory] = &memory_limits(root.path())[..] else { panic!("one limit") };
        assert_eq!((memory.most, memory.used), (Bytes(2 << 30), Some(Bytes(512 << 20))));
        assert_eq!(memory.by, "memory.limit_in_bytes of /");
        assert_eq!(cpu_limit(root.path()).map(|limit| limit.cores), Some(2.5));
    }

    #[test]
    fn limits_of_processes_are_read_with_their_use() {
        let root = machine(&[
            ("proc/self/cgroup", "0::/job\n"),
            ("sys/fs/cgroup/job/pids.max", "512\n"),
            ("sys/fs/cgroup/job/pids.current", "17\n"),
            ("sys/fs/cgroup/pids.max", "max\n"),
        ]);
        let by = "pids.max of /job".to_owned();
        assert_eq!(task_limits(root.path()), [TaskLimit { most: 512, used: Some(17), by }]);
    }

    #[test]
    fn groups_without_limits_and_paths_that_lead_out_bind_nothing() {
        let root = machine(&[
            ("proc/self/cgroup", "0::/../../etc\n"),
            ("sys/fs/cgroup/cgroup.procs", ""),
            ("etc/memory.max", "1\n"),
        ]);
        assert_eq!((cpu_limit(root.path()), memory_limits(root.path())), (None, Vec::new()));
        let root = machine(&[
            ("proc/self/cgroup", "4:memory:/\n1:cpu:/\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"),
            ("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"),
        ]);
        assert_eq!((cpu_limit(root.path()), memory_limits(root.path())), (None, Vec::new()));
        assert_eq!(cpu_limit(machine(&[]).path()), None);
    }
}
