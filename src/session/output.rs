//! The way of the output: from the terminal to the log and to all who watch.

use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::attach::Attach;
use super::output_log::OutputLog;
use super::terminal::{Terminal, TerminalRead};

/// The kernel gives at most [`CHUNK`] of a terminal at a time; several are put into one write to the log.
const BUFFER: usize = 64 * 1024;
const CHUNK: usize = 4 * 1024;

/// A terminal that no process has open may be opened again by a program that closed its own descriptors. There is
/// no notice of that, so it is looked at this often.
const HUNG_UP_LOOK: Duration = Duration::from_millis(250);

/// How long the last output may take in all, and how long a silence is the end of it.
const DRAIN: Duration = Duration::from_secs(1);
const DRAIN_PAUSE: Duration = Duration::from_millis(50);

/// The copier and its state.
#[derive(Debug)]
pub struct Output {
    log: OutputLog,
    buffer: Vec<u8>,
    /// No process has the terminal open; when to look again.
    hung_up: Option<Instant>,
}

impl Output {
    /// Output that goes to this log.
    pub fn new(log: OutputLog) -> Self {
        // Not filled with zeroes: memory that is never written to takes no room.
        Self { log, buffer: Vec::with_capacity(BUFFER), hung_up: None }
    }

    /// Returns the log that the output goes to.
    pub fn log(&self) -> &OutputLog {
        &self.log
    }

    /// The terminal is worth polling: one that hung up would be ready all the time.
    pub fn is_expected(&self) -> bool {
        self.hung_up.is_none()
    }

    /// When to call [`Self::on_time`].
    pub fn due(&self) -> Option<Instant> {
        self.hung_up
    }

    /// Looks at a terminal that hung up again.
    pub fn on_time(&mut self, now: Instant) {
        if self.hung_up.is_some_and(|look| now >= look) {
            self.hung_up = None;
        }
    }

    /// Copies what there is, up to a buffer full, so that a flood of output leaves time for everything else.
    pub fn copy(&mut self, terminal: &Terminal, attach: &mut Attach) -> TerminalRead {
        self.buffer.clear();
        let end = loop {
            match terminal.read(&mut self.buffer) {
                TerminalRead::Some if self.buffer.len() + CHUNK > BUFFER => break TerminalRead::Some,
                TerminalRead::Some => {}
                end @ (TerminalRead::Nothing | TerminalRead::HungUp) => break end,
            }
        };
        if !self.buffer.is_empty() {
            self.log.append(&self.buffer);
            attach.show_output(&self.buffer);
        }
        if end == TerminalRead::HungUp {
            self.hung_up = Some(Instant::now() + HUNG_UP_LOOK);
        }
        end
    }

    /// Copies the last of it. The end of the main process hangs its terminal up, so reading comes to an end; where
    /// the main process could not be ended, the clock brings it.
    pub fn drain(&mut self, terminal: &Terminal, attach: &mut Attach) {
        let deadline = Instant::now() + DRAIN;
        while self.copy(terminal, attach) != TerminalRead::HungUp && Instant::now() < deadline {
            let mut entries = [PollFd::new(terminal, PollFlags::IN)];
            let pause = Timespec::try_from(DRAIN_PAUSE).ok();
            if poll(&mut entries, pause.as_ref()) == Ok(0) {
                return;
            }
        }
    }
}
