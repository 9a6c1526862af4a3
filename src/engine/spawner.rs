//! The small process that forks a holder for each line it is sent, and reports when one is gone.
//!
//! It is forked before its supervisor has threads or much memory, and so are the holders from it: they share all pages
//! that they do not change and start without an exec.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{self, PipeReader, PipeWriter, Read};
use std::mem;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use tracing::debug;

use super::event::EngineEvent;
use crate::model::attempt::StartRecord;
use crate::process::error::ProcessError;
use crate::process::signal_fd::{self, ChildSignal};
use crate::process::start::fork::{self, Fork};
use crate::process::start::title;
use crate::process::wait::{self, ChildWaitResult};
use crate::process::{identity, shortage, strays};

/// Runs one attempt to its end inside a fresh process, calls the closure when its program runs, and gives the exit
/// code of the process.
pub type Hold = fn(&Path, &mut dyn FnMut(&StartRecord)) -> i32;

/// Order of a supervisor that ends by itself: no folder has this name.
pub(super) const DISMISSAL: &[u8] = b"\n";

/// Reason why a process has no more orders to serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpawnerEnd {
    /// The supervisor has ended by itself.
    Dismissed,
    /// The supervisor died without a word.
    Orphaned,
    /// The process became a holder, whose attempt has ended.
    HolderEnded {
        /// Exit code of the holder.
        code: i32,
    },
}

impl SpawnerEnd {
    /// Returns the exit code of the process.
    pub(super) fn exit_code(self) -> i32 {
        match self {
            Self::Dismissed | Self::Orphaned => 0,
            Self::HolderEnded { code } => code,
        }
    }
}

/// Serves until the supervisor ends. Returns in the spawner and, after the end of its attempt, in every holder.
pub(super) fn serve_orders(
    run_dir: &Path,
    orders: PipeReader,
    events: PipeWriter,
    hold: Hold,
) -> Result<SpawnerEnd, ProcessError> {
    let title = [OsStr::new("sweepdeck"), OsStr::new("spawner"), run_dir.as_os_str()];
    title::set_title(&title, "sweepdeck-spawn");
    signal_fd::ignore_endings();
    strays::adopt_orphans();
    // The folder in which the supervisor was started must not be kept busy for days.
    let _ = rustix::process::chdir("/");
    // Read once here, it is known to every holder.
    identity::boot_id();
    identity::pid_namespace();
    let mut spawner = Spawner {
        orders,
        events,
        children: ChildSignal::open()?,
        holders: HashMap::new(),
        line: Vec::new(),
        unsent: Vec::new(),
    };
    loop {
        match spawner.run_turn()? {
            SpawnerStep::Served => {}
            SpawnerStep::Over(end) => return Ok(end),
            SpawnerStep::Holder(dir) => {
                return Ok(SpawnerEnd::HolderEnded { code: spawner.become_holder(&dir, hold) });
            }
        }
    }
}

struct Spawner {
    orders: PipeReader,
    events: PipeWriter,
    children: ChildSignal,
    holders: HashMap<u32, PathBuf>,
    /// Orders that were read and not carried out yet; the last one may be cut.
    line: Vec<u8>,
    /// Events that the pipe had no room for.
    unsent: Vec<u8>,
}

/// Next step after a turn of the spawner.
enum SpawnerStep {
    /// Another turn comes next.
    Served,
    /// The supervisor is gone.
    Over(SpawnerEnd),
    /// The process is a holder now, forked for this folder.
    Holder(PathBuf),
}

impl Spawner {
    fn run_turn(&mut self) -> Result<SpawnerStep, ProcessError> {
        let room = if self.unsent.is_empty() { PollFlags::empty() } else { PollFlags::OUT };
        let mut ready = [
            PollFd::new(&self.orders, PollFlags::IN),
            PollFd::new(&self.children, PollFlags::IN),
            PollFd::new(&self.events, room),
        ];
        match poll(&mut ready, None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(ProcessError::refused("wait for orders")(errno)),
        }
        let [ordered, ended, writable] = ready.map(|entry| !entry.revents().is_empty());
        if ended {
            self.children.clear();
            self.tell_the_gone();
        }
        if writable {
            self.flush();
        }
        Ok(if ordered { self.take_orders() } else { SpawnerStep::Served })
    }

    fn tell_the_gone(&mut self) {
        while let ChildWaitResult::Ended { pid, status, .. } = wait::any_child() {
            debug!("process {pid} is gone: {status:?}");
            let holder = self.holders.remove(&pid);
            // A holder that ended by itself leaves nothing. Any other child is an orphan of a killed one, whose own
            // children are this process's now, or a supervisor that a holder started.
            if holder.is_none() || status.signal().is_some() {
                strays::end_strays();
            }
            if let Some(dir) = holder {
                self.send_event(&EngineEvent::Gone { dir });
            }
        }
    }

    fn take_orders(&mut self) -> SpawnerStep {
        let mut buffer = [0; 4096];
        match self.orders.read(&mut buffer) {
            Ok(0) => return SpawnerStep::Over(SpawnerEnd::Orphaned),
            Ok(read) => self.line.extend_from_slice(&buffer[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return SpawnerStep::Over(SpawnerEnd::Orphaned),
        }
        while let Some(end) = memchr::memchr(b'\n', &self.line) {
            let line: Vec<u8> = self.line.drain(..=end).collect();
            if line == DISMISSAL {
                return SpawnerStep::Over(SpawnerEnd::Dismissed);
            }
            let dir = PathBuf::from(OsStr::from_bytes(&line[..end]));
            match fork::fork_process() {
                Ok(Fork::Child) => return SpawnerStep::Holder(dir),
                Ok(Fork::Parent(pid)) => {
                    debug!("holder {pid} of {}", dir.display());
                    self.holders.insert(pid, dir);
                }
                Err(error) => {
                    let (message, lack) = (error.to_string(), shortage::find_shortage(&error));
                    self.send_event(&EngineEvent::Failed { dir, message, lack });
                }
            }
        }
        SpawnerStep::Served
    }

    fn become_holder(self, dir: &Path, hold: Hold) -> i32 {
        let Self { orders, events, children, holders, line, unsent } = self;
        drop((orders, children));
        // Freeing memory writes to it, and pages that are written to are not shared any more.
        mem::forget((holders, line, unsent));
        title::set_title(&[OsStr::new("sweepdeck"), OsStr::new("hold"), dir.as_os_str()], "sweepdeck-hold");
        let mut events = Some(events);
        hold(dir, &mut |started| {
            // Closed once it is reported: the pipe must end when the spawner does, not when the last holder does.
            if let Some(events) = events.take() {
                announce_start(&events, dir, started);
            }
        })
    }

    fn send_event(&mut self, event: &EngineEvent) {
        self.unsent.extend(encode_event(event));
        self.flush();
    }

    fn flush(&mut self) {
        while !self.unsent.is_empty() {
            match rustix::io::write(&self.events, &self.unsent) {
                Ok(written) => drop(self.unsent.drain(..written)),
                Err(Errno::INTR) => {}
                // No room, or no process reads any more; the end of the orders shows which.
                Err(_) => return,
            }
        }
    }
}

/// Reports the start in one write of one line, which the pipe takes whole or not at all. A supervisor that reads so
/// slowly that there is no room finds `started.json` when it looks.
fn announce_start(events: &PipeWriter, dir: &Path, started: &StartRecord) {
    let line = encode_event(&EngineEvent::Started { dir: dir.to_owned(), started: started.clone() });
    if line.len() <= PIPE_BUF {
        let _ = rustix::io::write(events, &line);
    }
}

/// Writes up to this size are not mixed with those of others.
const PIPE_BUF: usize = 4096;

fn encode_event(event: &EngineEvent) -> Vec<u8> {
    // Only a path that is not UTF-8 does not serialise, and the engine takes no such order.
    let mut line = serde_json::to_vec(event).unwrap_or_default();
    line.push(b'\n');
    line
}
