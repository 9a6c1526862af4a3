//! The loop of the holder: it waits for the terminal, children, clients, the supervisor and the clock, and
//! acts on their events.

use std::os::fd::{AsFd, BorrowedFd};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use tracing::debug;

use super::attach::Attach;
use super::client::ClientMessage;
use super::lifecycle::Lifecycle;
use super::output::Output;
use super::processes::Processes;
use super::supervisor_watch::SupervisorWatch;
use super::terminal::Terminal;
use crate::process::signal_fd::ChildSignal;
use crate::socket::frame::HolderFrame;

/// State of the holder, with the sources of its events.
pub struct Conversation {
    /// The terminal of the attempt.
    pub terminal: Terminal,
    /// Log and clients to which the output goes.
    pub output: Output,
    /// Signal that reports ended children.
    pub children: ChildSignal,
    /// Processes that belong to the attempt.
    pub processes: Processes,
    /// Stage of the attempt, from running to over.
    pub course: Lifecycle,
    /// Clients that are connected now.
    pub attach: Attach,
    /// Watch over the supervisor of the run.
    pub watch: SupervisorWatch,
}

/// Source of events that poll waits for.
#[derive(Debug, Clone, Copy)]
enum PollSource {
    Children,
    Terminal,
    Supervisor,
    Newcomers,
    Client(usize),
}

impl Conversation {
    /// Runs until the attempt is over and all of its output is in the log.
    pub fn run(&mut self) {
        while !self.course.is_over() {
            for (source, ready) in self.wait_for_events() {
                self.handle_source(source, ready);
            }
            self.on_time(Instant::now());
            self.attach.forget_gone();
        }
        self.output.drain(&self.terminal, &mut self.attach);
    }

    /// Waits until a source has something to read or something is due.
    fn wait_for_events(&mut self) -> Vec<(PollSource, PollFlags)> {
        // Before anything is looked at: from here on only this thread adds to what waits for the log.
        self.output.relief().end_work();
        let ready = self.poll_sources();
        self.output.relief().begin_work();
        ready
    }

    fn poll_sources(&self) -> Vec<(PollSource, PollFlags)> {
        let sources = self.list_sources();
        let mut entries: Vec<PollFd<'_>> = sources
            .iter()
            .map(|(_, descriptor, flags)| PollFd::from_borrowed_fd(*descriptor, *flags))
            .collect();
        let now = Instant::now();
        let timeout = self.next_due(now).saturating_duration_since(now);
        match poll(&mut entries, Timespec::try_from(timeout).ok().as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            // Short of memory, which passes. An attempt is not given up for it.
            Err(_) => thread::sleep(Duration::from_millis(10)),
        }
        let ready = sources.iter().zip(&entries).map(|((source, ..), entry)| (*source, entry.revents()));
        ready.filter(|(_, flags)| !flags.is_empty()).collect()
    }

    fn list_sources(&self) -> Vec<(PollSource, BorrowedFd<'_>, PollFlags)> {
        let or_out = |yes: bool| if yes { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
        let mut sources = vec![(PollSource::Children, self.children.as_fd(), PollFlags::IN)];
        if self.output.is_expected() {
            sources.push((PollSource::Terminal, self.terminal.as_fd(), or_out(self.terminal.has_input())));
        }
        sources.extend(self.watch.descriptor().map(|pidfd| (PollSource::Supervisor, pidfd, PollFlags::IN)));
        sources
            .extend(self.attach.listener().map(|listener| (PollSource::Newcomers, listener, PollFlags::IN)));
        let clients = self.attach.clients().iter().enumerate();
        sources.extend(
            clients.map(|(index, client)| {
                (PollSource::Client(index), client.as_fd(), or_out(client.has_queue()))
            }),
        );
        sources
    }

    fn handle_source(&mut self, source: PollSource, ready: PollFlags) {
        match source {
            PollSource::Children => {
                self.children.clear();
                self.processes.reap_ended();
                self.course.on_end(Instant::now(), &mut self.processes);
            }
            PollSource::Terminal => {
                if ready.contains(PollFlags::OUT) {
                    self.terminal.flush();
                }
                if ready != PollFlags::OUT {
                    self.output.copy(&self.terminal, &mut self.attach);
                }
            }
            PollSource::Supervisor => self.watch.on_end(Instant::now()),
            PollSource::Newcomers => self.attach.accept_clients(),
            PollSource::Client(index) => self.hear_client(index, ready),
        }
    }

    fn hear_client(&mut self, index: usize, ready: PollFlags) {
        let Some(client) = self.attach.client(index) else { return };
        if ready.contains(PollFlags::OUT) {
            client.flush();
        }
        let heard = if ready == PollFlags::OUT { Vec::new() } else { client.read_events() };
        for heard in heard {
            match heard {
                ClientMessage::Joined(size) => {
                    let tail = self.output.read_tail();
                    self.answer_client(index, &HolderFrame::Output(tail));
                    self.terminal.resize(size);
                }
                ClientMessage::Typed(bytes) => self.terminal.write(&bytes),
                ClientMessage::Resized(size) => self.terminal.resize(size),
                ClientMessage::Asked(request) => {
                    debug!("is asked: {request:?}");
                    let reply = self.course.on_request(request, Instant::now(), &mut self.processes);
                    self.answer_client(index, &HolderFrame::Reply(reply));
                }
            }
        }
    }

    fn answer_client(&mut self, index: usize, frame: &HolderFrame) {
        if let Some(client) = self.attach.client(index) {
            client.send(frame);
        }
    }

    fn next_due(&self, now: Instant) -> Instant {
        let others = [self.course.due(), self.watch.due(), self.output.due(now)];
        others.into_iter().flatten().fold(self.attach.due(), Instant::min)
    }

    fn on_time(&mut self, now: Instant) {
        self.course.on_time(now, &mut self.processes);
        self.watch.on_time(now, self.output.relief());
        self.attach.on_time(now);
        self.output.on_time(now, &mut self.attach);
    }
}
