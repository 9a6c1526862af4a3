//! The frames between a holder and its clients: one byte for the kind, four for the length, the payload.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::model::attempt::TerminalSize;
use crate::model::command::{HolderReply, HolderRequest};

/// No payload may be longer. Both sides cut what they send, so a longer one is a stranger's.
pub const MAX_PAYLOAD: usize = 64 * 1024;

/// The first line may not be longer.
pub const MAX_LINE: usize = 1024;

const HEADER: usize = 5;

/// From a client to the holder.
#[derive(Debug, Clone, PartialEq)]
pub enum ClientFrame {
    /// Bytes typed by the user.
    Input(Vec<u8>),
    /// The client's terminal has this size now.
    Resize(TerminalSize),
    /// Do something to the processes.
    Request(HolderRequest),
}

/// From the holder to a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HolderFrame {
    /// Bytes of the terminal.
    Output(Vec<u8>),
    /// The answer to a request.
    Reply(HolderReply),
    /// The attempt is over and its exit record is written.
    Ended,
}

/// Bytes that are no frame.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The length is out of bounds.
    #[error("a frame of {length} bytes, where {MAX_PAYLOAD} are the most")]
    TooLong {
        /// The length it claims.
        length: usize,
    },
    /// The first line does not end.
    #[error("a first line of more than {MAX_LINE} bytes")]
    LineTooLong,
    /// No such kind of frame in this direction.
    #[error("a frame of unknown kind {kind}")]
    UnknownKind {
        /// First byte of the frame.
        kind: u8,
    },
    /// The payload does not read.
    #[error("a payload that does not read: {problem}")]
    Payload {
        /// Description of what is wrong with it.
        problem: String,
    },
}

impl ClientFrame {
    /// The bytes on the wire; long input becomes several frames.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Input(bytes) => encode_bytes(b'i', bytes),
            Self::Resize(size) => encode_json(b's', size),
            Self::Request(request) => encode_json(b'r', request),
        }
    }

    fn decode(kind: u8, payload: &[u8]) -> Result<Self, FrameError> {
        match kind {
            b'i' => Ok(Self::Input(payload.to_vec())),
            b's' => decode_json(payload).map(Self::Resize),
            b'r' => decode_json(payload).map(Self::Request),
            kind => Err(FrameError::UnknownKind { kind }),
        }
    }
}

impl HolderFrame {
    /// The bytes on the wire; long output becomes several frames.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Output(bytes) => encode_bytes(b'o', bytes),
            Self::Reply(reply) => encode_json(b'a', reply),
            Self::Ended => encode_frame(b'e', &[]),
        }
    }

    fn decode(kind: u8, payload: &[u8]) -> Result<Self, FrameError> {
        match kind {
            b'o' => Ok(Self::Output(payload.to_vec())),
            b'a' => decode_json(payload).map(Self::Reply),
            b'e' => Ok(Self::Ended),
            kind => Err(FrameError::UnknownKind { kind }),
        }
    }
}

/// Puts frames together from whatever pieces the socket gives.
#[derive(Debug, Default)]
pub struct FrameReader {
    bytes: Vec<u8>,
    taken: usize,
}

impl FrameReader {
    /// Adds what was read.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.taken > 0 {
            self.bytes.drain(..self.taken);
            self.taken = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// The first line without its end, once it is complete.
    pub fn take_line(&mut self) -> Result<Option<Vec<u8>>, FrameError> {
        let rest = &self.bytes[self.taken..];
        let end = memchr::memchr(b'\n', &rest[..rest.len().min(MAX_LINE)]);
        match end {
            Some(end) => {
                let line = rest[..end].to_vec();
                self.taken += end + 1;
                Ok(Some(line))
            }
            None if rest.len() >= MAX_LINE => Err(FrameError::LineTooLong),
            None => Ok(None),
        }
    }

    /// The next frame of a client, once it is complete.
    pub fn client_frame(&mut self) -> Result<Option<ClientFrame>, FrameError> {
        self.next(ClientFrame::decode)
    }

    /// The next frame of a holder, once it is complete.
    pub fn holder_frame(&mut self) -> Result<Option<HolderFrame>, FrameError> {
        self.next(HolderFrame::decode)
    }

    fn next<T>(
        &mut self,
        decode: impl FnOnce(u8, &[u8]) -> Result<T, FrameError>,
    ) -> Result<Option<T>, FrameError> {
        let Some((&[kind, a, b, c, d], rest)) = self.bytes[self.taken..].split_first_chunk::<HEADER>() else {
            return Ok(None);
        };
        let length = u32::from_le_bytes([a, b, c, d]) as usize;
        if length > MAX_PAYLOAD {
            return Err(FrameError::TooLong { length });
        }
        let Some(payload) = rest.get(..length) else {
            return Ok(None);
        };
        let frame = decode(kind, payload)?;
        self.taken += HEADER + length;
        Ok(Some(frame))
    }
}

fn encode_bytes(kind: u8, bytes: &[u8]) -> Vec<u8> {
    bytes.chunks(MAX_PAYLOAD).flat_map(|chunk| encode_frame(kind, chunk)).collect()
}

fn encode_json(kind: u8, value: &impl Serialize) -> Vec<u8> {
    encode_frame(kind, &serde_json::to_vec(value).expect("plain numbers and words always serialise"))
}

fn encode_frame(kind: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(HEADER + payload.len());
    frame.push(kind);
    frame.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    frame.extend_from_slice(payload);
    frame
}

fn decode_json<T: DeserializeOwned>(payload: &[u8]) -> Result<T, FrameError> {
    serde_json::from_slice(payload).map_err(|error| FrameError::Payload { problem: error.to_string() })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::model::sweep::plan::Grace;

    fn client_frames() -> impl Strategy<Value = ClientFrame> {
        let size = (any::<u16>(), any::<u16>()).prop_map(|(rows, columns)| TerminalSize { rows, columns });
        let grace = (0..10_000_u64, 0..10_000_u64).prop_map(|(interrupt, terminate)| Grace {
            interrupt: Duration::from_millis(interrupt),
            terminate: Duration::from_millis(terminate),
        });
        prop_oneof![
            prop::collection::vec(any::<u8>(), 1..200).prop_map(ClientFrame::Input),
            size.prop_map(ClientFrame::Resize),
            Just(ClientFrame::Request(HolderRequest::Pause)),
            Just(ClientFrame::Request(HolderRequest::Resume)),
            grace.prop_map(|grace| ClientFrame::Request(HolderRequest::Stop(grace))),
        ]
    }

    proptest! {
        #[test]
        fn frames_survive_every_way_of_cutting_the_stream(
            frames in prop::collection::vec(client_frames(), 0..8),
            cut in 1_usize..50,
        ) {
            let bytes: Vec<u8> = frames.iter().flat_map(ClientFrame::encode).collect();
            let mut reader = FrameReader::default();
            let mut read = Vec::new();
            for piece in bytes.chunks(cut) {
                reader.push(piece);
                while let Some(frame) = reader.client_frame().unwrap() {
                    read.push(frame);
                }
            }
            prop_assert_eq!(read, frames);
        }

        #[test]
        fn no_bytes_make_the_reader_fall_over(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut reader = FrameReader::default();
            reader.push(&bytes);
            while let Ok(Some(_)) = reader.holder_frame() {}
            while let Ok(Some(_)) = reader.take_line() {}
        }
    }

    #[test]
    fn a_hello_line_and_frames_may_come_in_one_piece() {
        let mut reader = FrameReader::default();
        let mut bytes = b"{\"version\":1}\n".to_vec();
        bytes.extend(HolderFrame::Ended.encode());
        reader.push(&bytes);
        assert_eq!(reader.take_line().unwrap().unwrap(), b"{\"version\":1}");
        assert_eq!(reader.holder_frame().unwrap(), Some(HolderFrame::Ended));
        assert_eq!(reader.holder_frame().unwrap(), None);
    }

    #[test]
    fn long_output_is_cut_into_frames_and_longer_ones_are_refused() {
        let long = vec![7; MAX_PAYLOAD + 1];
        let mut reader = FrameReader::default();
        reader.push(&HolderFrame::Output(long.clone()).encode());
        let mut joined = Vec::new();
        while let Some(HolderFrame::Output(bytes)) = reader.holder_frame().unwrap() {
            joined.extend(bytes);
        }
        assert_eq!(joined, long);
        reader.push(&[b'o', 0xff, 0xff, 0xff, 0xff]);
        assert!(matches!(reader.holder_frame(), Err(FrameError::TooLong { .. })));
        let mut reader = FrameReader::default();
        reader.push(&[b'x'; MAX_LINE]);
        assert_eq!(reader.take_line(), Err(FrameError::LineTooLong));
    }
}
