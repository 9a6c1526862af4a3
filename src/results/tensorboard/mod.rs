//! Event files of TensorBoard: frames with checksums around events in the encoding of protocol buffers.

pub mod event_file;
pub mod protobuf;
pub mod record;
