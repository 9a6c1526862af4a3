//! Which processes write a file, found among the descriptors that each has open.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, StatxFlags, statx};

use super::stat;

/// No tree of processes is as deep; a longer way up would be a circle of pids that were reused.
const HIGHEST: usize = 64;

/// The processes that write a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Writers {
    /// Their pids; one that another of them has started is left out.
    pub pids: Vec<u32>,
    /// Processes whose descriptors this user may not see.
    pub hidden: usize,
}

/// Finds the processes that have a file open to write to it. Of one that copies a pipe into it, such as `tee`, those
/// that write to the pipe are among them.
pub fn find_writers(path: &Path) -> io::Result<Writers> {
    let file = FileIdentity::from_path(path)?;
    let open = OpenFiles::read_all();
    let mut found: HashSet<u32> = open.writers(|descriptor| descriptor.points_to(&file)).collect();
    let pipes: HashSet<PathBuf> = found.iter().filter_map(|pid| open.pipe_read_by(*pid)).collect();
    found.extend(open.writers(|descriptor| pipes.contains(&descriptor.target)));
    let mut pids: Vec<u32> = found.iter().copied().filter(|pid| !has_ancestor_in(*pid, &found)).collect();
    pids.sort_unstable();
    Ok(Writers { pids, hidden: open.hidden })
}

/// The descriptors of all processes but this one.
struct OpenFiles {
    descriptors: Vec<Descriptor>,
    hidden: usize,
}

struct Descriptor {
    pid: u32,
    /// Its entry in `/proc/PID/fd`.
    entry: PathBuf,
    number: u32,
    /// A path, or `pipe:[INODE]`.
    target: PathBuf,
}

impl OpenFiles {
    fn read_all() -> Self {
        let mut open = Self { descriptors: Vec::new(), hidden: 0 };
        for process in stat::all_processes().filter(|process| process.pid != std::process::id()) {
            match fs::read_dir(format!("/proc/{}/fd", process.pid)) {
                Ok(entries) => {
                    let entries = entries.flatten().map(|entry| entry.path());
                    open.descriptors
                        .extend(entries.filter_map(|entry| Descriptor::from_entry(process.pid, entry)));
                }
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => open.hidden += 1,
                // It has ended meanwhile.
                Err(_) => {}
            }
        }
        open
    }

    fn writers(&self, is_meant: impl Fn(&Descriptor) -> bool) -> impl Iterator<Item = u32> {
        let meant = self.descriptors.iter().filter(move |descriptor| is_meant(descriptor));
        meant.filter(|descriptor| descriptor.is_writable()).map(|descriptor| descriptor.pid)
    }

    /// The pipe that is the standard input of a process.
    fn pipe_read_by(&self, pid: u32) -> Option<PathBuf> {
        let input =
            self.descriptors.iter().find(|descriptor| descriptor.pid == pid && descriptor.number == 0)?;
        let is_pipe = input.target.to_str().is_some_and(|target| target.starts_with("pipe:["));
        is_pipe.then(|| input.target.clone())
    }
}

impl Descriptor {
    fn from_entry(pid: u32, entry: PathBuf) -> Option<Self> {
        let number = entry.file_name()?.to_str()?.parse().ok()?;
        let target = fs::read_link(&entry).ok()?;
        Some(Self { pid, entry, number, target })
    }

    /// Reports whether this very file is open, by whatever path.
    fn points_to(&self, file: &FileIdentity) -> bool {
        self.target.is_absolute() && FileIdentity::from_path(&self.entry).is_ok_and(|open| open == *file)
    }

    /// Reports whether the file was opened to write.
    fn is_writable(&self) -> bool {
        const WRITE_ONLY: u32 = 1;
        const READ_WRITE: u32 = 2;
        let about =
            fs::read_to_string(format!("/proc/{}/fdinfo/{}", self.pid, self.number)).unwrap_or_default();
        let flags = about.lines().find_map(|line| line.strip_prefix("flags:"));
        let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
        flags.is_some_and(|flags| matches!(flags & 3, WRITE_ONLY | READ_WRITE))
    }
}

/// Device and inode, which distinguish a file from every other one.
#[derive(Debug, PartialEq, Eq)]
struct FileIdentity {
    device: (u32, u32),
    inode: u64,
}

impl FileIdentity {
    /// Asks no file server: one that hangs would hold up the search for other files.
    fn from_path(path: &Path) -> io::Result<Self> {
        let about = statx(CWD, path, AtFlags::STATX_DONT_SYNC, StatxFlags::INO)?;
        Ok(Self { device: (about.stx_dev_major, about.stx_dev_minor), inode: about.stx_ino })
    }
}

fn has_ancestor_in(pid: u32, processes: &HashSet<u32>) -> bool {
    let mut pid = pid;
    for _ in 0..HIGHEST {
        let Some(process) = stat::read_stat(pid).filter(|process| process.parent > 1) else { return false };
        if processes.contains(&process.parent) {
            return true;
        }
        pid = process.parent;
    }
    false
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{BufRead, BufReader};
    use std::process::{Child, Command, Stdio};

    use super::*;

    /// Starts the script and waits until it reports that it is ready: its descriptors no longer change.
    fn start(script: &str, log: &Path) -> Child {
        let mut child = Command::new("bash")
            .args(["-c", script, "-"])
            .arg(log)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .process_group_of_its_own()
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        child
    }

    trait OwnGroup {
        fn process_group_of_its_own(&mut self) -> &mut Self;
    }

    impl OwnGroup for Command {
        fn process_group_of_its_own(&mut self) -> &mut Self {
            std::os::unix::process::CommandExt::process_group(self, 0)
        }
    }

    fn end(child: &mut Child) {
        let _ = Command::new("kill").args(["-9", "--", &format!("-{}", child.id())]).status();
        child.wait().unwrap();
    }

    #[test]
    fn a_writer_is_found_and_a_reader_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("a b.log");
        File::create(&log).unwrap();
        assert_eq!(find_writers(&log).unwrap().pids, Vec::<u32>::new());
        let mut reader = start("exec 5<\"$1\"; echo ready >&2; sleep 60", &log);
        let mut writer = start("exec >>\"$1\"; (sleep 61) & echo ready >&2; wait", &log);
        let found = find_writers(&log).unwrap();
        assert_eq!(found.pids, [writer.id()], "its child is found through it");
        end(&mut reader);
        end(&mut writer);
    }

    #[test]
    fn whoever_writes_into_tee_writes_the_log() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        File::create(&log).unwrap();
        let script = "{ echo ready >&2; exec sleep 60; } | tee \"$1\"";
        let mut pipeline = start(script, &log);
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        let names = loop {
            let found = find_writers(&log).unwrap().pids;
            let mut names: Vec<String> =
                found.into_iter().filter_map(|pid| Some(stat::read_stat(pid)?.name)).collect();
            names.sort();
            if names == ["sleep", "tee"] || std::time::Instant::now() > deadline {
                break names;
            }
            std::thread::yield_now();
        };
        end(&mut pipeline);
        assert_eq!(names, ["sleep", "tee"]);
    }

    #[test]
    fn a_file_that_is_not_there_is_an_error() {
        assert!(find_writers(Path::new("/nowhere/x.log")).is_err());
    }
}
