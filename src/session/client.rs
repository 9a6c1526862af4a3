//! One client of the attach socket: its frames in, its bounded queue out.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use crate::model::attempt::TerminalSize;
use crate::model::command::{AttachHello, AttachPurpose, HolderReply, HolderRequest, PROTOCOL_VERSION};
use crate::socket::frame::{ClientFrame, FrameError, FrameReader, HolderFrame};
use crate::socket::peer;

/// A client that has not read this much is let go: the others and the log must not wait for it.
const MAX_QUEUE: usize = 1024 * 1024;

/// A connected client, with what waits to be sent to it.
#[derive(Debug)]
pub struct Client {
    stream: UnixStream,
    reader: FrameReader,
    state: ClientState,
    queue: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClientState {
    /// Its first line has not come yet.
    Silent,
    /// The client sees the output and may type.
    Driving,
    /// The client only asks questions.
    Asking,
    /// The client gets what is in its queue and is then let go.
    Leaving,
    /// The client has gone and can be forgotten.
    Gone,
}

/// Message of a client.
#[derive(Debug, Clone, PartialEq)]
pub enum ClientMessage {
    /// The client came to drive, with a terminal of this size.
    Joined(TerminalSize),
    /// The client typed these bytes.
    Typed(Vec<u8>),
    /// The size of its terminal has changed.
    Resized(TerminalSize),
    /// The client asks for something; answer it.
    Asked(HolderRequest),
}

impl Client {
    /// Takes a new connection; a user who may not act gets a refusal and is let go.
    pub fn new(stream: UnixStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        let peer = peer::peer_of(&stream)?;
        let mut client =
            Self { stream, reader: FrameReader::default(), state: ClientState::Silent, queue: Vec::new() };
        if !peer.may_act() {
            client.turn_away(format!("user {} may not act on this attempt", peer.uid));
        }
        Ok(client)
    }

    /// Reads what is there.
    pub fn read_events(&mut self) -> Vec<ClientMessage> {
        let mut buffer = [0; 4096];
        let mut heard = Vec::new();
        match self.stream.read(&mut buffer) {
            Ok(0) => self.state = ClientState::Gone,
            // Messages of a user who is turned away do not count.
            Ok(_) if self.state == ClientState::Leaving => {}
            Ok(read) => {
                self.reader.push(&buffer[..read]);
                if let Err(problem) = self.parse_frames(&mut heard) {
                    self.turn_away(problem.to_string());
                }
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
            Err(_) => self.state = ClientState::Gone,
        }
        heard
    }

    fn parse_frames(&mut self, heard: &mut Vec<ClientMessage>) -> Result<(), FrameError> {
        if self.state == ClientState::Silent {
            let Some(line) = self.reader.take_line()? else { return Ok(()) };
            self.handle_hello(&line, heard)?;
        }
        while let Some(frame) = self.reader.client_frame()? {
            heard.push(match frame {
                ClientFrame::Input(bytes) => ClientMessage::Typed(bytes),
                ClientFrame::Resize(size) => ClientMessage::Resized(size),
                ClientFrame::Request(request) => ClientMessage::Asked(request),
            });
        }
        Ok(())
    }

    fn handle_hello(&mut self, line: &[u8], heard: &mut Vec<ClientMessage>) -> Result<(), FrameError> {
        let problem = |problem: String| FrameError::Payload { problem };
        let hello: AttachHello = serde_json::from_slice(line).map_err(|error| problem(error.to_string()))?;
        if hello.version != PROTOCOL_VERSION {
            let versions =
                format!("the client speaks version {}, this holder {PROTOCOL_VERSION}", hello.version);
            return Err(problem(versions));
        }
        match hello.purpose {
            AttachPurpose::Drive(size) => {
                self.state = ClientState::Driving;
                heard.push(ClientMessage::Joined(size));
            }
            AttachPurpose::Control => self.state = ClientState::Asking,
        }
        Ok(())
    }

    /// Sends output, if this client is here to see it.
    pub fn show_output(&mut self, output: &HolderFrame) {
        if self.state == ClientState::Driving {
            self.send(output);
        }
    }

    /// Sends a frame, or as much of it as the client takes now.
    pub fn send(&mut self, frame: &HolderFrame) {
        self.queue.extend(frame.encode());
        self.flush();
        if self.queue.len() > MAX_QUEUE {
            self.state = ClientState::Gone;
        }
    }

    /// Sends what waits in the queue.
    pub fn flush(&mut self) {
        while !self.queue.is_empty() {
            match self.stream.write(&self.queue) {
                Ok(written) => drop(self.queue.drain(..written)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => {
                    self.state = ClientState::Gone;
                    return;
                }
            }
        }
        if self.state == ClientState::Leaving {
            self.state = ClientState::Gone;
        }
    }

    fn turn_away(&mut self, message: String) {
        self.state = ClientState::Leaving;
        self.send(&HolderFrame::Reply(HolderReply::Refused { message }));
    }

    /// Something waits to be sent.
    pub fn has_queue(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Reports whether the client can be forgotten.
    pub fn is_gone(&self) -> bool {
        self.state == ClientState::Gone
    }
}

impl AsFd for Client {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}
