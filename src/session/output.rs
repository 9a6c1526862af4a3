//! The way of the output: from the terminal to the log and to all who watch.

use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::attach::Attach;
use super::output_log::{Appended, OutputLog};
use super::relief::Relief;
use super::terminal::{Terminal, TerminalRead};

/// The kernel gives at most [`CHUNK`] of a terminal at a time; several are put into one write to the log.
const BUFFER: usize = 64 * 1024;
const CHUNK: usize = 4 * 1024;

/// Bytes of the output that a joining client is shown, so that its screen is not empty.
const TAIL: usize = 16 * 1024;

/// A terminal that no process has open may be opened again by a program that closed its own descriptors. There is
/// no notice of that, so it is looked at this often.
const HUNG_UP_LOOK: Duration = Duration::from_millis(250);

/// How often a log that refuses bytes is tried.
const RETRY_LOG: Duration = Duration::from_secs(1);

/// How long the last output may take in all, and how long a silence is the end of it.
const DRAIN: Duration = Duration::from_secs(1);
const DRAIN_PAUSE: Duration = Duration::from_millis(50);

/// The copier and its state.
#[derive(Debug)]
pub struct Output {
    log: OutputLog,
    relief: Relief,
    /// Output on its way to the log, of which the first bytes are written. What the spool holds comes after it.
    chunk: Vec<u8>,
    written: usize,
    /// The log has refused bytes; when to try again.
    retry: Option<Instant>,
    /// Bytes that found no room in the spool and whose place in the log is marked.
    dropped: u64,
    /// No process has the terminal open; when to look again.
    hung_up: Option<Instant>,
}

impl Output {
    /// Output that goes to this log, and to the spool of the relief while that takes nothing.
    pub fn new(log: OutputLog, relief: Relief) -> Self {
        // Not filled with zeroes: memory that is never written to takes no room.
        let chunk = Vec::with_capacity(BUFFER);
        Self { log, relief, chunk, written: 0, retry: None, dropped: 0, hung_up: None }
    }

    /// Returns the relief of the thread that copies.
    pub fn relief(&mut self) -> &mut Relief {
        &mut self.relief
    }

    /// The terminal is worth polling: one that hung up would be ready all the time.
    pub fn is_expected(&self) -> bool {
        self.hung_up.is_none()
    }

    /// When to call [`Self::on_time`].
    pub fn due(&self, now: Instant) -> Option<Instant> {
        let forward = self.retry.or_else(|| self.is_behind().then_some(now));
        self.hung_up.into_iter().chain(forward).min()
    }

    /// Looks at a terminal that hung up again, and tries to bring the log up to date.
    pub fn on_time(&mut self, now: Instant, attach: &mut Attach) {
        if self.hung_up.is_some_and(|look| now >= look) {
            self.hung_up = None;
        }
        self.forward(now, attach);
    }

    /// Copies what there is, up to a buffer full, so that a flood of output leaves time for everything else.
    pub fn copy(&mut self, terminal: &Terminal, attach: &mut Attach) -> TerminalRead {
        let is_written = self.written == self.chunk.len();
        let mut backlog = self.relief.lock();
        attach.show_output(&backlog.take_unseen(TAIL));
        let end = if is_written && backlog.spool.is_empty() {
            self.chunk.clear();
            self.written = 0;
            let end = read_available(terminal, &mut self.chunk);
            attach.show_output(&self.chunk);
            end
        } else {
            let mut output = Vec::with_capacity(BUFFER);
            let end = read_available(terminal, &mut output);
            attach.show_output(&output);
            backlog.spool.append(&output);
            end
        };
        drop(backlog);
        let now = Instant::now();
        self.forward(now, attach);
        if end == TerminalRead::HungUp {
            self.hung_up = Some(now + HUNG_UP_LOOK);
        }
        end
    }

    /// Writes what waits for the log, a buffer full at most.
    fn forward(&mut self, now: Instant, attach: &mut Attach) {
        if self.retry.is_some_and(|retry| now < retry) {
            return;
        }
        self.retry = None;
        if self.written == self.chunk.len() {
            self.refill(attach);
        }
        match self.log.append(&self.chunk[self.written..]) {
            Appended::All => self.written = self.chunk.len(),
            Appended::Part { written } => {
                self.written += written;
                self.retry = Some(now + RETRY_LOG);
            }
        }
    }

    fn refill(&mut self, attach: &mut Attach) {
        self.chunk.clear();
        self.written = 0;
        let mut backlog = self.relief.lock();
        attach.show_output(&backlog.take_unseen(TAIL));
        backlog.spool.take(&mut self.chunk, BUFFER);
        let dropped = if self.chunk.is_empty() { backlog.spool.take_dropped() } else { 0 };
        if dropped > 0 {
            self.dropped += dropped;
            let gap = format!(
                "\r\n[sweepdeck: {dropped} bytes of output are missing here: the log took none for too long]\r\n"
            );
            self.chunk.extend_from_slice(gap.as_bytes());
        }
    }

    fn is_behind(&self) -> bool {
        self.written < self.chunk.len() || !self.relief.lock().spool.is_empty()
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

    /// Writes all that waits, as far as the log takes it at this moment; `true` when nothing is left.
    pub fn settle(&mut self, attach: &mut Attach) -> bool {
        self.retry = None;
        while self.retry.is_none() && self.is_behind() {
            self.forward(Instant::now(), attach);
        }
        !self.is_behind()
    }

    /// Bytes that are not in the log.
    pub fn missing_bytes(&self) -> u64 {
        let waiting = (self.chunk.len() - self.written) as u64;
        self.log.lost_bytes() + self.dropped + waiting + self.relief.lock().spool.missing()
    }

    /// The end of the output so far, from the start of a line if there is one.
    pub fn read_tail(&self) -> Vec<u8> {
        let mut tail = self.log.read_tail(TAIL as u64);
        tail.extend_from_slice(&self.chunk[self.written..]);
        tail.extend(self.relief.lock().spool.read_tail(TAIL));
        tail
    }
}

fn read_available(terminal: &Terminal, buffer: &mut Vec<u8>) -> TerminalRead {
    loop {
        match terminal.read(buffer) {
            TerminalRead::Some if buffer.len() + CHUNK > BUFFER => return TerminalRead::Some,
            TerminalRead::Some => {}
            end @ (TerminalRead::Nothing | TerminalRead::HungUp) => return end,
        }
    }
}
