//! Keys from the terminal, on a thread that can be stopped while another program uses the terminal. It is the only
//! reader of stdin: crossterm's loses the readiness of the terminal when a change of its size comes at the same
//! moment, and never returns from a terminal that is gone.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use ratatui::crossterm::event::{Event, KeyEventKind, MouseEventKind};
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::io::Errno;

use super::decoder::InputDecoder;
use crate::tui::message::{Message, Pulse};

/// How long the main loop gets to take a key from a full queue before the stop is looked for again.
const FULL_QUEUE: Duration = Duration::from_millis(10);

/// What a screen did not get to. The terminal is one for the whole process, and so is this.
static TYPED_AHEAD: Mutex<Vec<Pulse>> = Mutex::new(Vec::new());

/// Keeps the keys that a screen which is over has not taken, and a signal to end: they are meant for the next screen. The
/// thread that reads keys is stopped.
pub fn keep_typed_ahead(pulses: &Receiver<Pulse>) {
    let is_kept = |pulse: &Pulse| matches!(pulse, Pulse::Heard(Message::Key(_)) | Pulse::Terminate(_));
    lock_typed_ahead().extend(pulses.try_iter().filter(is_kept));
}

fn lock_typed_ahead() -> MutexGuard<'static, Vec<Pulse>> {
    TYPED_AHEAD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The reading thread; dropping it stops the thread and waits for it.
#[derive(Debug)]
pub struct InputThread {
    stop: OwnedFd,
    thread: Option<JoinHandle<()>>,
}

impl InputThread {
    /// Starts the thread that reads the terminal's input.
    pub fn start(sender: SyncSender<Pulse>) -> io::Result<Self> {
        let stop = eventfd(0, EventfdFlags::CLOEXEC)?;
        let stopped = rustix::io::fcntl_dupfd_cloexec(&stop, 0)?;
        let mut reader = KeyReader { stop: stopped, sender, decoder: InputDecoder::default() };
        let thread = std::thread::Builder::new().name("input".to_owned()).spawn(move || {
            let typed_ahead = std::mem::take(&mut *lock_typed_ahead());
            if matches!(reader.send_pulses(typed_ahead), Ok(true)) {
                while matches!(reader.read_next(), Ok(true)) {}
            }
        })?;
        Ok(Self { stop, thread: Some(thread) })
    }
}

impl Drop for InputThread {
    fn drop(&mut self) {
        let _ = rustix::io::write(&self.stop, &1_u64.to_ne_bytes());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct KeyReader {
    stop: OwnedFd,
    sender: SyncSender<Pulse>,
    decoder: InputDecoder,
}

/// The reason why waiting ended.
enum WakeReason {
    /// Bytes can be read.
    Bytes,
    /// Nothing came for as long as was waited.
    Pause,
    /// The reading is over.
    Stop,
}

impl KeyReader {
    /// Waits for bytes and sends the keys they mean; false when the reading is over.
    fn read_next(&mut self) -> io::Result<bool> {
        let events = match self.wait_ready(true, self.decoder.pending_timeout())? {
            WakeReason::Stop => return Ok(false),
            WakeReason::Pause => self.decoder.expire_pending().into_iter().collect(),
            WakeReason::Bytes => {
                let mut bytes = [0; 4096];
                match rustix::io::read(rustix::stdio::stdin(), &mut bytes) {
                    // The end of a terminal; the thread that watches it ends the process.
                    Ok(0) => return Ok(false),
                    Ok(length) => self.decoder.feed(&bytes[..length]),
                    Err(Errno::INTR | Errno::AGAIN) => return Ok(true),
                    Err(error) => return Err(error.into()),
                }
            }
        };
        self.send_pulses(events.into_iter().filter_map(translate_event).map(Pulse::Heard))
    }

    /// Sends to the main loop; false when the reading is over.
    fn send_pulses(&self, pulses: impl IntoIterator<Item = Pulse>) -> io::Result<bool> {
        for pulse in pulses {
            if !self.send_pulse(pulse)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Waits until the terminal has bytes, where they are wanted, until the reading is stopped, or for so long.
    fn wait_ready(&self, for_bytes: bool, timeout: Option<Duration>) -> io::Result<WakeReason> {
        let stdin = rustix::stdio::stdin();
        let wanted = if for_bytes { PollFlags::IN } else { PollFlags::empty() };
        let mut fds = [PollFd::new(&stdin, wanted), PollFd::new(&self.stop, PollFlags::IN)];
        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        loop {
            match poll(&mut fds, timeout.as_ref()) {
                Ok(0) => return Ok(WakeReason::Pause),
                Ok(_) => break,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let (terminal, stopped) = (fds[0].revents(), fds[1].revents());
        let is_gone = terminal.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL);
        Ok(if is_gone || !stopped.is_empty() { WakeReason::Stop } else { WakeReason::Bytes })
    }

    /// Sends to the main loop; false when the reading is over. A stop ends the wait for a full queue: the main loop
    /// takes nothing from it while it waits for this thread.
    fn send_pulse(&self, mut pulse: Pulse) -> io::Result<bool> {
        loop {
            match self.sender.try_send(pulse) {
                Ok(()) => return Ok(true),
                Err(TrySendError::Disconnected(_)) => return Ok(false),
                Err(TrySendError::Full(unsent)) => pulse = unsent,
            }
            if matches!(self.wait_ready(false, Some(FULL_QUEUE))?, WakeReason::Stop) {
                return Ok(false);
            }
        }
    }
}

/// A press and the wheel; the release of a button wakes nothing.
fn is_meant(kind: MouseEventKind) -> bool {
    matches!(kind, MouseEventKind::Down(_) | MouseEventKind::ScrollUp | MouseEventKind::ScrollDown)
}

fn translate_event(event: Event) -> Option<Message> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => Some(Message::Key(key)),
        Event::Paste(text) => Some(Message::Pasted(text)),
        Event::Mouse(event) => is_meant(event.kind).then_some(Message::Mouse(event)),
        Event::Key(_) | Event::FocusGained | Event::FocusLost | Event::Resize(..) => None,
    }
}
