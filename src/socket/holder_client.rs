//! Talks to the holder of one attempt: asks for signals, or drives its terminal.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::connect;
use super::error::SocketError;
use super::frame::{ClientFrame, FrameReader, HolderFrame};
use crate::model::attempt::TerminalSize;
use crate::model::command::{AttachHello, AttachPurpose, HolderReply, HolderRequest, PROTOCOL_VERSION};

/// Asks for one thing and waits until the holder has taken it on.
pub fn send_request(
    socket: &Path,
    request: HolderRequest,
    timeout: Duration,
) -> Result<HolderReply, SocketError> {
    let mut session = Session::open(socket, AttachPurpose::Control, timeout)?;
    session.send(&ClientFrame::Request(request))?;
    loop {
        for frame in session.receive_frames()? {
            match frame {
                HolderFrame::Reply(reply) => return Ok(reply),
                // It ended between the connection and the request: there is no process left to ask.
                HolderFrame::Ended => return Err(SocketError::Absent { path: socket.to_owned() }),
                HolderFrame::Output(_) => {}
            }
        }
    }
}

/// A connection to a holder.
#[derive(Debug)]
pub struct Session {
    stream: UnixStream,
    path: PathBuf,
    timeout: Duration,
    reader: FrameReader,
}

impl Session {
    /// Connects to drive the terminal, which takes this client's size.
    pub fn drive(socket: &Path, size: TerminalSize, timeout: Duration) -> Result<Self, SocketError> {
        Self::open(socket, AttachPurpose::Drive(size), timeout)
    }

    fn open(socket: &Path, purpose: AttachPurpose, timeout: Duration) -> Result<Self, SocketError> {
        let stream = connect::connect_within(socket, timeout)?;
        let mut session = Self { stream, path: socket.to_owned(), timeout, reader: FrameReader::default() };
        let hello = AttachHello { version: PROTOCOL_VERSION, purpose };
        let mut line = serde_json::to_vec(&hello).expect("numbers and words always serialise");
        line.push(b'\n');
        session.write(&line)?;
        Ok(session)
    }

    /// Sends what was typed.
    pub fn send_input(&mut self, bytes: &[u8]) -> Result<(), SocketError> {
        self.write(&ClientFrame::Input(bytes.to_vec()).encode())
    }

    /// Sends the size of this client's terminal.
    pub fn send_size(&mut self, size: TerminalSize) -> Result<(), SocketError> {
        self.send(&ClientFrame::Resize(size))
    }

    /// Reads once and gives the frames that are complete, perhaps none. Blocks at most for the time-out; poll
    /// [`Self::as_fd`] first where that matters.
    pub fn receive_frames(&mut self) -> Result<Vec<HolderFrame>, SocketError> {
        let mut buffer = [0; 16 * 1024];
        match self.stream.read(&mut buffer) {
            Ok(0) => return Err(SocketError::Closed { path: self.path.clone() }),
            Ok(read) => self.reader.push(&buffer[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(connect::stream_error(&self.path, self.timeout, error)),
        }
        let mut frames = Vec::new();
        let foreign = |problem: super::frame::FrameError| SocketError::Protocol {
            path: self.path.clone(),
            problem: problem.to_string(),
        };
        while let Some(frame) = self.reader.holder_frame().map_err(foreign)? {
            frames.push(frame);
        }
        Ok(frames)
    }

    fn send(&mut self, frame: &ClientFrame) -> Result<(), SocketError> {
        self.write(&frame.encode())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), SocketError> {
        self.stream.write_all(bytes).map_err(|error| connect::stream_error(&self.path, self.timeout, error))
    }
}

impl AsFd for Session {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}
