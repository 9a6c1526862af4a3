//! The relief of the holder's one thread: while that hangs in a call, as in a write to a file server that does not
//! answer, a second thread reads the terminal. It sleeps while the holder does, and looks a few times a second while
//! that is busy.

use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime,
};

use super::spool::Spool;
use super::terminal::{TerminalRead, TerminalReader};
use crate::process::error::ProcessError;
use crate::process::stat;

/// Work that takes longer hangs. A terminal holds what a program writes meanwhile, up to 4 KiB.
const PATIENCE: Duration = Duration::from_millis(250);

/// The pause between two looks at a silent terminal, and at whether the first thread is back.
const LOOK: Duration = Duration::from_millis(100);

/// What is read at a time.
const BUFFER: usize = 16 * 1024;

/// The thread needs little, and each holder has one.
const STACK: usize = 64 * 1024;

/// A thread that was waited for is counted by the kernel for a moment longer.
const GONE_WITHIN: Duration = Duration::from_millis(100);

/// The second thread, and what the two share.
#[derive(Debug)]
pub struct Relief {
    post: Arc<Post>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Post {
    terminal: TerminalReader,
    /// Rings when it is time to look whether the work of the first thread takes too long.
    alarm: OwnedFd,
    backlog: Mutex<Backlog>,
}

/// Output that the log has not taken yet. Only who has it locked may read the terminal, so that the order is kept.
#[derive(Debug)]
pub struct Backlog {
    /// Output that follows what the first thread is writing.
    pub spool: Spool,
    /// Bytes at the end of the spool that no client was shown.
    unseen: usize,
    /// When the first thread began what it does now; `None` while it waits for events.
    busy: Option<Instant>,
    /// The alarm will ring. It is not stopped at the end of work: a flood of output is thousands of pieces of work a
    /// second, and would set it as often.
    is_alarm_set: bool,
    /// The second thread is to end.
    is_over: bool,
}

impl Backlog {
    /// The last of what the second thread has read, to be shown; once.
    pub fn take_unseen(&mut self, most: usize) -> Vec<u8> {
        match std::mem::take(&mut self.unseen).min(most) {
            0 => Vec::new(),
            unseen => self.spool.read_tail(unseen),
        }
    }

    fn is_relieved(&self) -> bool {
        !self.is_over && self.patience_left().is_some_and(|left| left.is_zero())
    }

    /// How much longer the work in hand may take; `None` while there is none.
    fn patience_left(&self) -> Option<Duration> {
        self.busy.map(|since| PATIENCE.saturating_sub(since.elapsed()))
    }
}

impl Relief {
    /// Prepares the relief; nothing is read before [`Self::begin`]. What memory does not hold goes to a file in `folder`.
    pub fn new(terminal: TerminalReader, folder: PathBuf) -> Result<Self, ProcessError> {
        let alarm = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC)
            .map_err(ProcessError::refused("make a timer"))?;
        let backlog =
            Backlog { spool: Spool::new(folder), unseen: 0, busy: None, is_alarm_set: false, is_over: false };
        let post = Arc::new(Post { terminal, alarm, backlog: Mutex::new(backlog) });
        Ok(Self { post, thread: None })
    }

    /// Starts the thread. From here on this process cannot be forked, except in [`Self::rest`].
    pub fn begin(&mut self) {
        let post = Arc::clone(&self.post);
        let thread = thread::Builder::new().name("relief".to_owned()).stack_size(STACK);
        // Short of processes: the program runs, and is read from as long as nothing hangs.
        self.thread = thread.spawn(move || post.stand_by()).ok();
        self.begin_work();
    }

    /// The calling thread does something that may hang.
    pub fn begin_work(&self) {
        let mut backlog = self.lock();
        backlog.busy = Some(Instant::now());
        if !std::mem::replace(&mut backlog.is_alarm_set, true) {
            self.post.set_alarm(PATIENCE);
        }
    }

    /// The calling thread has done it.
    pub fn end_work(&self) {
        self.lock().busy = None;
    }

    /// Returns the backlog; until it is dropped, no other thread reads the terminal.
    pub fn lock(&self) -> MutexGuard<'_, Backlog> {
        self.post.lock()
    }

    /// Does something that needs a process with one thread.
    pub fn rest<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let Some(thread) = self.thread.take() else { return work() };
        self.lock().is_over = true;
        self.post.set_alarm(Duration::from_nanos(1));
        let _ = thread.join();
        let deadline = Instant::now() + GONE_WITHIN;
        while stat::read_own().is_some_and(|own| own.threads > 1) && Instant::now() < deadline {
            thread::yield_now();
        }
        let done = work();
        let mut backlog = self.lock();
        (backlog.is_over, backlog.is_alarm_set) = (false, false);
        drop(backlog);
        self.begin();
        done
    }
}

impl Post {
    fn lock(&self) -> MutexGuard<'_, Backlog> {
        self.backlog.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_alarm(&self, after: Duration) {
        let never = Timespec { tv_sec: 0, tv_nsec: 0 };
        let alarm = Itimerspec { it_interval: never, it_value: Timespec::try_from(after).unwrap_or(never) };
        // The kernel takes any time from a timer that is open.
        let _ = timerfd_settime(&self.alarm, TimerfdTimerFlags::empty(), &alarm);
    }

    fn stand_by(&self) {
        let mut rings = [0; 8];
        loop {
            let rang = rustix::io::read(&self.alarm, &mut rings);
            let mut backlog = self.lock();
            if backlog.is_over || rang.is_err_and(|error| error != rustix::io::Errno::INTR) {
                return;
            }
            let left = backlog.patience_left().filter(|left| !left.is_zero());
            backlog.is_alarm_set = left.is_some();
            if let Some(left) = left {
                self.set_alarm(left);
            }
            drop(backlog);
            self.relieve();
        }
    }

    /// Reads the terminal until the first thread is back.
    fn relieve(&self) {
        let mut buffer = Vec::with_capacity(BUFFER);
        while let Some(read) = self.read_once(&mut buffer) {
            match read {
                TerminalRead::Some => {}
                TerminalRead::Nothing => {
                    let mut entries = [PollFd::new(&self.terminal, PollFlags::IN)];
                    let _ = poll(&mut entries, Timespec::try_from(LOOK).ok().as_ref());
                }
                TerminalRead::HungUp => thread::sleep(LOOK),
            }
        }
    }

    /// `None` once the first thread is back.
    fn read_once(&self, buffer: &mut Vec<u8>) -> Option<TerminalRead> {
        let mut backlog = self.lock();
        if !backlog.is_relieved() {
            return None;
        }
        buffer.clear();
        let end = self.terminal.read(buffer);
        backlog.spool.append(buffer);
        backlog.unseen += buffer.len();
        Some(end)
    }
}
