//! `evaldeck scan`: what evaldeck reads from a log that it did not launch.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use crate::progress::reader::LogReader;
use crate::progress::rules::LogRules;
use crate::progress::scan::{scan_json, scan_text};

/// Large enough that reading costs nothing beside matching.
const CHUNK: usize = 1 << 20;

/// Reads the log in chunks and gives what is printed: one JSON document or a text for people, ending in a newline.
pub fn scan(path: &Path, rules: Arc<LogRules>, json: bool) -> io::Result<String> {
    let mut log = File::open(path)?;
    let mut reader = LogReader::new(rules);
    let mut chunk = vec![0; CHUNK];
    // Nobody follows the marks of a finished log.
    let mut marks = Vec::new();
    loop {
        match log.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => reader.feed(&chunk[..length], &mut marks),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        marks.clear();
    }
    reader.finish(&mut marks);
    Ok(if json { format!("{}\n", scan_json(reader.reading())) } else { scan_text(reader.reading()) })
}
