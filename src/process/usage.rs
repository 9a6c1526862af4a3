//! How much of the limits on a user its processes use.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Resources in use by all processes of this user that can be seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OwnUsage {
    /// Threads, each of which counts as a process.
    pub threads: u64,
    /// Instances of inotify.
    pub inotify_instances: u64,
}

/// Counts over `/proc`.
pub fn count_own() -> OwnUsage {
    let uid = rustix::process::getuid().as_raw();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let is_own = |path: &Path| fs::metadata(path).is_ok_and(|found| found.uid() == uid);
    let is_process = |path: &Path| {
        path.file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| name.bytes().all(|c| c.is_ascii_digit()))
    };
    let mut usage = OwnUsage::default();
    for path in entries.map(|entry| entry.path()).filter(|path| is_process(path) && is_own(path)) {
        usage.threads += fs::read_dir(path.join("task")).map_or(0, |tasks| tasks.count() as u64);
        let descriptors = fs::read_dir(path.join("fd")).into_iter().flatten().flatten();
        let targets = descriptors.filter_map(|descriptor| fs::read_link(descriptor.path()).ok());
        usage.inotify_instances +=
            targets.filter(|target| target.as_os_str() == "anon_inode:inotify").count() as u64;
    }
    usage
}

#[cfg(test)]
mod tests {
    use rustix::fs::inotify::{self, CreateFlags};

    use super::*;

    #[test]
    fn an_instance_of_inotify_is_counted_while_it_is_open() {
        let _instance = inotify::init(CreateFlags::CLOEXEC).unwrap();
        let usage = count_own();
        assert!(usage.threads >= 1 && usage.inotify_instances >= 1, "{usage:?}");
    }
}
