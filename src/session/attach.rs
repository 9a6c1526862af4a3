//! The attach socket and everybody connected to it.

use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::client::Client;
use crate::socket::frame::HolderFrame;
use crate::socket::listen::{LOOK_EVERY, Listening};

/// More than this at a time is a client that leaks connections.
const MAX_CLIENTS: usize = 64;

/// The listening socket, while it could be bound, and its clients.
#[derive(Debug)]
pub struct Attach {
    path: PathBuf,
    listening: Option<Listening>,
    look: Instant,
    clients: Vec<Client>,
}

impl Attach {
    /// Binds the socket. An attempt runs without it too: when it cannot be bound, it is tried again later.
    pub fn open(path: &Path, now: Instant) -> Self {
        let listening = Listening::bind(path).ok();
        Self { path: path.to_owned(), listening, look: now + LOOK_EVERY, clients: Vec::new() }
    }

    /// The listener, to poll.
    pub fn listener(&self) -> Option<BorrowedFd<'_>> {
        Some(self.listening.as_ref()?.listener().as_fd())
    }

    /// The clients, to poll.
    pub fn clients(&self) -> &[Client] {
        &self.clients
    }

    /// Returns the client at this index of [`Self::clients`], to read from it or to answer it.
    pub fn client(&mut self, index: usize) -> Option<&mut Client> {
        self.clients.get_mut(index)
    }

    /// When to call [`Self::on_time`].
    pub fn due(&self) -> Instant {
        self.look
    }

    /// Looks whether the socket is still where clients look for it.
    pub fn on_time(&mut self, now: Instant) {
        if now < self.look {
            return;
        }
        self.look = now + LOOK_EVERY;
        if self.listening.as_ref().is_none_or(Listening::is_cut_off) {
            self.listening = Listening::bind(&self.path).ok();
        }
    }

    /// Takes the clients that wait.
    pub fn accept_clients(&mut self) {
        while let Some(listening) = &self.listening {
            match listening.accept() {
                Ok(Some(stream)) if self.clients.len() < MAX_CLIENTS => {
                    self.clients.extend(Client::new(stream))
                }
                Ok(Some(_)) => {}
                Ok(None) => return,
                // Out of descriptors. The waiting client would wake the loop for ever, so the socket is closed until
                // it is looked at the next time.
                Err(_) => self.listening = None,
            }
        }
    }

    /// Forgets clients that are gone.
    pub fn forget_gone(&mut self) {
        self.clients.retain(|client| !client.is_gone());
    }

    /// Shows output to everybody who watches.
    pub fn show_output(&mut self, output: &[u8]) {
        if self.clients.is_empty() || output.is_empty() {
            return;
        }
        let frame = HolderFrame::Output(output.to_vec());
        for client in &mut self.clients {
            client.show_output(&frame);
        }
    }

    /// Informs all clients that the attempt is over.
    pub fn send_end(&mut self) {
        for client in &mut self.clients {
            client.send(&HolderFrame::Ended);
        }
    }
}
