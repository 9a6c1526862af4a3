//! Attempts as processes of this machine, each under a holder that a small forked process starts.

use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use rustix::io::Errno;
use rustix::pipe::fcntl_setpipe_size;

use super::error::EngineError;
use super::event::{Engine, EngineEvent};
use super::spawner::{self, DISMISSAL, Hold, SpawnerEnd};
use crate::process::start::fork::{self, Fork};

/// The supervisor's side of the spawner.
#[derive(Debug)]
pub struct LocalEngine {
    orders: PipeWriter,
    /// Orders that the pipe had no room for.
    unsent: Vec<u8>,
    events: PipeReader,
    /// The beginning of an event whose end has not come yet.
    partial: Vec<u8>,
}

impl LocalEngine {
    /// Forks the spawner of a run. This must come first in the life of a supervisor: with threads it is refused, and
    /// what memory there is by then every holder carries along. `guard` is what the spawner does last, unless the
    /// engine is dropped: its supervisor was killed.
    pub fn fork(run_dir: &Path, hold: Hold, guard: impl FnOnce()) -> Result<Self, EngineError> {
        let (orders_read, orders) = io::pipe()?;
        let (events, events_write) = io::pipe()?;
        // Room for the events of every attempt whose order fits into the other pipe. Where that much is not
        // allowed, the usual size does, because events that find no room wait.
        let _ = fcntl_setpipe_size(&events, 1 << 20);
        rustix::io::ioctl_fionbio(&orders, true).map_err(io::Error::from)?;
        rustix::io::ioctl_fionbio(&events, true).map_err(io::Error::from)?;
        rustix::io::ioctl_fionbio(&events_write, true).map_err(io::Error::from)?;
        match fork::fork_process()? {
            Fork::Parent(_) => Ok(Self { orders, unsent: Vec::new(), events, partial: Vec::new() }),
            Fork::Child => fork::run_child(|| {
                // With its own copies of the supervisor's ends the spawner would never see the supervisor end.
                drop((orders, events));
                let ended = spawner::serve_orders(run_dir, orders_read, events_write, hold);
                if matches!(ended, Ok(SpawnerEnd::Orphaned)) {
                    guard();
                }
                ended.map_or(1, SpawnerEnd::exit_code)
            }),
        }
    }

    fn flush(&mut self) -> Result<(), EngineError> {
        while !self.unsent.is_empty() {
            match rustix::io::write(&self.orders, &self.unsent) {
                Ok(written) => drop(self.unsent.drain(..written)),
                Err(Errno::INTR) => {}
                // The spawner is busy with those before; their events bring us back here.
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::PIPE) => return Err(EngineError::SpawnerGone),
                Err(errno) => return Err(io::Error::from(errno).into()),
            }
        }
        Ok(())
    }
}

impl Drop for LocalEngine {
    fn drop(&mut self) {
        // After half an order it would be the end of that one.
        if self.unsent.is_empty() {
            let _ = rustix::io::write(&self.orders, DISMISSAL);
        }
    }
}

impl Engine for LocalEngine {
    fn start_attempt(&mut self, attempt_dir: &Path) -> Result<(), EngineError> {
        // Orders are lines, and events are JSON.
        let path = attempt_dir.to_str().filter(|path| !path.contains('\n'));
        let path = path.ok_or_else(|| EngineError::Path { path: attempt_dir.to_owned() })?;
        self.unsent.extend_from_slice(path.as_bytes());
        self.unsent.push(b'\n');
        self.flush()
    }

    fn events_fd(&self) -> BorrowedFd<'_> {
        self.events.as_fd()
    }

    fn read_events(&mut self, events: &mut Vec<EngineEvent>) -> Result<(), EngineError> {
        let mut buffer = [0; 16 * 1024];
        let before = events.len();
        let ended = loop {
            match self.events.read(&mut buffer) {
                Ok(0) => break true,
                Ok(read) => self.partial.extend_from_slice(&buffer[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break false,
                Err(error) => return Err(error.into()),
            }
        };
        while let Some(end) = memchr::memchr(b'\n', &self.partial) {
            let line: Vec<u8> = self.partial.drain(..=end).collect();
            // Only our own processes write here; what does not read is nothing that could be acted on.
            events.extend(serde_json::from_slice::<EngineEvent>(&line));
        }
        // Events that were read are reported first: the caller gets the end at its next call.
        if ended && events.len() == before { Err(EngineError::SpawnerGone) } else { self.flush() }
    }
}
