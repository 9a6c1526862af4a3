//! Asks a supervisor for something and waits for its answer.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::time::Duration;

use super::connect;
use super::error::SocketError;
use crate::model::command::{Command, ControlReply, ControlRequest, PROTOCOL_VERSION};

/// Answers are a few lines of notes; more than this is not a supervisor.
const MAX_REPLY: u64 = 4 * 1024 * 1024;

/// Sends one command; the answer comes when its facts are in the journal.
pub fn send_command(socket: &Path, command: Command, timeout: Duration) -> Result<ControlReply, SocketError> {
    let mut stream = connect::connect_within(socket, timeout)?;
    let failed = |error| connect::stream_error(socket, timeout, error);
    let request = ControlRequest { version: PROTOCOL_VERSION, command };
    let mut line = serde_json::to_vec(&request).expect("ids and numbers always serialise");
    line.push(b'\n');
    stream.write_all(&line).map_err(failed)?;
    let mut reply = Vec::new();
    BufReader::new(stream.take(MAX_REPLY)).read_until(b'\n', &mut reply).map_err(failed)?;
    if reply.is_empty() {
        return Err(SocketError::Closed { path: socket.to_owned() });
    }
    serde_json::from_slice(&reply)
        .map_err(|error| SocketError::Protocol { path: socket.to_owned(), problem: error.to_string() })
}
