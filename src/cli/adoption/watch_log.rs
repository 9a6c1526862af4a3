//! `watch-log`: represents a process that something else started. It prints what is written to the process's log and
//! ends when the process has.

use std::fs::{File, Metadata};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::model::attempt::ProcessIdentity;
use crate::model::claims::foreign_work::ForeignWork;
use crate::process::{identity, signal};
use crate::rundir::layout::RunDir;
use crate::rundir::plans;

/// As often as logs of shards are read. A look at a file that has not grown is one call, on any file system.
const LOOK_EVERY: Duration = Duration::from_millis(200);

const CHUNK: usize = 64 << 10;

/// Watches the work of the shard that it was started for.
pub fn run() -> Result<CliExit, CliError> {
    let work = find_work()?;
    let _ = pass_bytes_unchanged();
    let mut watched = WatchedProcesses::from_processes(&work.processes);
    let mut log = GrowingLog::open(&work.log).map_err(CliError::for_file("read", &work.log))?;
    loop {
        // Looked at first: what was written before the end is read after it.
        let has_ended = watched.have_ended();
        log.copy_new(&mut io::stdout().lock()).map_err(CliError::for_file("copy", &work.log))?;
        if has_ended {
            return Ok(CliExit::Done);
        }
        watched.wait();
    }
}

fn find_work() -> Result<ForeignWork, CliError> {
    let variable = |name| std::env::var_os(name).ok_or_else(|| only_in_runs(name));
    let run = RunDir::at(PathBuf::from(variable("SWEEPDECK_RUN")?));
    let shard = variable("SWEEPDECK_SHARD")?;
    let mut plan = plans::read_plan(&run)?;
    let id = plan.foreign.keys().find(|id| shard == *id.as_str()).cloned();
    id.and_then(|id| plan.foreign.remove(&id)).ok_or_else(|| only_in_runs("a log in its plan"))
}

fn only_in_runs(lacks: &str) -> CliError {
    CliError::usage(format!("watch-log works in runs of `sweepdeck adopt` only: there is no {lacks}"))
}

/// The terminal is a pipe here: it must not turn line ends into others, nor typed keys into signals.
fn pass_bytes_unchanged() -> rustix::io::Result<()> {
    let mut settings = tcgetattr(io::stdout())?;
    settings.make_raw();
    tcsetattr(io::stdout(), OptionalActions::Now, &settings)
}

/// The processes whose end is waited for.
struct WatchedProcesses {
    processes: Vec<ProcessIdentity>,
    /// Readable when one has ended; none for those that this kernel does not announce.
    ends: Vec<OwnedFd>,
}

impl WatchedProcesses {
    fn from_processes(processes: &[ProcessIdentity]) -> Self {
        let ends = processes.iter().filter_map(|process| signal::watch_process(process).ok()).collect();
        Self { processes: processes.to_vec(), ends }
    }

    fn have_ended(&mut self) -> bool {
        let before = self.processes.len();
        self.processes.retain(identity::is_alive);
        if self.processes.len() < before {
            // The descriptor of one that has ended would be ready for ever.
            self.ends =
                self.processes.iter().filter_map(|process| signal::watch_process(process).ok()).collect();
        }
        self.processes.is_empty()
    }

    /// Waits for the next look, or for an end.
    fn wait(&self) {
        let mut entries: Vec<PollFd<'_>> =
            self.ends.iter().map(|end| PollFd::new(end, PollFlags::IN)).collect();
        let pause = Timespec::try_from(LOOK_EVERY).ok();
        // An interrupted wait is followed by a look like any other.
        let _ = poll(&mut entries, pause.as_ref());
    }
}

/// A log that grows, is cut or replaced by another.
struct GrowingLog {
    path: PathBuf,
    file: File,
    read: u64,
    buffer: Vec<u8>,
}

impl GrowingLog {
    fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), file: File::open(path)?, read: 0, buffer: vec![0; CHUNK] })
    }

    /// Copies what is new.
    fn copy_new(&mut self, out: &mut impl Write) -> io::Result<()> {
        if self.file.metadata()?.len() < self.read {
            self.begin_again(File::open(&self.path)?);
        }
        self.copy_open(out)?;
        // One that was rotated is read to its end before the next one.
        if let Some(next) = self.find_replacement() {
            self.begin_again(next);
            self.copy_open(out)?;
        }
        out.flush()
    }

    fn copy_open(&mut self, out: &mut impl Write) -> io::Result<()> {
        loop {
            match self.file.read(&mut self.buffer) {
                Ok(0) => return Ok(()),
                Ok(length) => {
                    out.write_all(&self.buffer[..length])?;
                    self.read += length as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The file that is now where the open one was.
    fn find_replacement(&self) -> Option<File> {
        let identity = |about: &Metadata| (about.dev(), about.ino());
        let next = File::open(&self.path).ok()?;
        let (old, new) = (self.file.metadata().ok()?, next.metadata().ok()?);
        (new.is_file() && identity(&old) != identity(&new)).then_some(next)
    }

    fn begin_again(&mut self, file: File) {
        self.file = file;
        self.read = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_log_that_is_cut_or_replaced_is_read_from_its_begin() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.log");
        fs::write(&path, "one\r\n").unwrap();
        let mut log = GrowingLog::open(&path).unwrap();
        let mut seen = Vec::new();
        log.copy_new(&mut seen).unwrap();
        fs::write(&path, "2\n").unwrap();
        log.copy_new(&mut seen).unwrap();
        fs::rename(&path, folder.path().join("a.log.1")).unwrap();
        log.copy_new(&mut seen).unwrap();
        fs::write(&path, "three\n").unwrap();
        log.copy_new(&mut seen).unwrap();
        log.copy_new(&mut seen).unwrap();
        assert_eq!(String::from_utf8(seen).unwrap(), "one\r\n2\nthree\n");
    }
}
