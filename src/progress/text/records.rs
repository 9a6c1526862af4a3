//! Logs that are records of JSON, one a line: notebook services and containers write one for each piece of output.

use serde_json::Value;

/// The starts of such logs, with the key of the text in a record.
pub const STARTS: [(&[u8], &str); 3] =
    [(b"[{\"stream_name\":", "data"), (b"{\"stream_name\":", "data"), (b"{\"log\":\"", "log")];

/// A longer line is no record.
const LONGEST: usize = 1 << 20;

/// Records that may be cut anywhere.
#[derive(Debug)]
pub struct Records {
    key: &'static str,
    line: Vec<u8>,
}

impl Records {
    /// Begins with the start of the first record; the text of each is behind this key.
    pub fn new(key: &'static str, start: Vec<u8>) -> Self {
        Self { key, line: start }
    }

    /// Adds the text of all records that end in these bytes.
    pub fn decode(&mut self, bytes: &[u8], text: &mut Vec<u8>) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") || self.line.len() > LONGEST {
                self.end_line(text);
            }
        }
    }

    /// Ends a line, and adds the text of its record. What is none stays as it is, but for the brackets around all of them.
    pub fn end_line(&mut self, text: &mut Vec<u8>) {
        let line = self.line.trim_ascii();
        let record = line.strip_prefix(b"[").or_else(|| line.strip_prefix(b",")).unwrap_or(line);
        let record = record.strip_suffix(b",").or_else(|| record.strip_suffix(b"]")).unwrap_or(record);
        let said = serde_json::from_slice::<Value>(record).ok();
        match said.as_ref().and_then(|said| said[self.key].as_str()) {
            Some(said) => text.extend_from_slice(said.as_bytes()),
            None if record.is_empty() => {}
            None => text.extend_from_slice(&self.line),
        }
        self.line.clear();
    }
}
