//! Keys from the terminal, on a thread that can be stopped while somebody else uses the terminal.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::mpsc::SyncSender;
use std::thread::JoinHandle;

use ratatui::crossterm::event::{self, Event, KeyEventKind};
use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};

use crate::tui::message::{Message, Pulse};

/// The reading thread; dropping it stops the thread and waits for it.
#[derive(Debug)]
pub struct Input {
    stop: OwnedFd,
    thread: Option<JoinHandle<()>>,
}

impl Input {
    /// Starts to read.
    pub fn start(sender: SyncSender<Pulse>) -> io::Result<Self> {
        let stop = eventfd(0, EventfdFlags::CLOEXEC)?;
        let stopped = rustix::io::fcntl_dupfd_cloexec(&stop, 0)?;
        let thread = std::thread::Builder::new()
            .name("input".to_owned())
            .spawn(move || while matches!(next(&stopped, &sender), Ok(true)) {})?;
        Ok(Self { stop, thread: Some(thread) })
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        let _ = rustix::io::write(&self.stop, &1_u64.to_ne_bytes());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Waits for bytes and sends what they mean; false when the reading is over. Crossterm is asked only when there is
/// something to read: on a terminal that is gone it would never return.
fn next(stop: &OwnedFd, sender: &SyncSender<Pulse>) -> io::Result<bool> {
    let stdin = rustix::stdio::stdin();
    let mut fds = [PollFd::new(&stdin, PollFlags::IN), PollFd::new(stop, PollFlags::IN)];
    match poll(&mut fds, None) {
        Ok(_) => {}
        Err(rustix::io::Errno::INTR) => return Ok(true),
        Err(error) => return Err(error.into()),
    }
    let (read, stopped) = (fds[0].revents(), fds[1].revents());
    if !stopped.is_empty() || read.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
        return Ok(false);
    }
    while event::poll(std::time::Duration::ZERO)? {
        if let Some(message) = translate(event::read()?)
            && sender.send(Pulse::Heard(message)).is_err()
        {
            return Ok(false);
        }
    }
    Ok(true)
}

fn translate(event: Event) -> Option<Message> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => Some(Message::Key(key)),
        Event::Paste(text) => Some(Message::Pasted(text)),
        Event::Key(_) | Event::FocusGained | Event::FocusLost | Event::Mouse(_) | Event::Resize(..) => None,
    }
}
