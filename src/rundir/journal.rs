//! The journal: facts appended by the supervisor, read by everybody.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::error::RunDirError;
use super::lines::{LineReader, whole_length};
use crate::model::fact::Fact;
use crate::model::run_state::RunState;

/// The writing end; only the holder of `supervisor.lock` may have one.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens for appending. A torn last line of a killed writer is cut off: its fact was never acted upon.
    pub fn open(path: &Path) -> Result<Self, RunDirError> {
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(RunDirError::io("open", path))?;
        whole_length(&file)
            .and_then(|length| file.set_len(length))
            .map_err(RunDirError::io("repair", path))?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Appends the facts of a decision in one write.
    pub fn append(&mut self, facts: &[Fact]) -> Result<(), RunDirError> {
        let mut text = Vec::new();
        for fact in facts {
            serde_json::to_writer(&mut text, fact)
                .map_err(|source| RunDirError::Malformed { path: self.path.clone(), source })?;
            text.push(b'\n');
        }
        let before = self.file.metadata().map_err(RunDirError::io("look at", &self.path))?.len();
        self.file.write_all(&text).map_err(|source| {
            // A full disk may have taken a part; without this cut a second try would glue two lines together.
            let _ = self.file.set_len(before);
            RunDirError::io("append to", &self.path)(source)
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes what was appended survive a power cut; called before the deeds that the facts announce.
    pub fn sync(&self) -> Result<(), RunDirError> {
        self.file.sync_data().map_err(RunDirError::io("sync", &self.path))
    }
}

/// The reading end: facts as they come.
#[derive(Debug)]
pub struct JournalReader {
    lines: LineReader,
    line: u64,
}

impl JournalReader {
    /// A reader at the first fact.
    pub fn new(path: &Path) -> Self {
        Self { lines: LineReader::new(path), line: 0 }
    }

    /// The facts since the last call.
    pub fn read_new(&mut self) -> Result<Vec<Fact>, RunDirError> {
        let path = self.lines.path().to_owned();
        let new = self.lines.read_new().map_err(RunDirError::io("read", &path))?;
        if new.restarted {
            // The first fact comes again, and with it a fold begins anew.
            self.line = 0;
        }
        // A long journal is read at once, and facts are large: a vector that grew would be copied again and again.
        let mut facts = Vec::with_capacity(memchr::memchr_iter(b'\n', &new.text).count());
        for line in new.lines() {
            self.line += 1;
            let fact = serde_json::from_slice(line).map_err(|source| RunDirError::Journal {
                path: path.clone(),
                line: self.line,
                source,
            })?;
            facts.push(fact);
        }
        Ok(facts)
    }
}

/// The state after everything that is in the journal now.
pub fn fold(path: &Path) -> Result<RunState, RunDirError> {
    let facts = JournalReader::new(path).read_new()?;
    RunState::fold(&facts).map_err(|source| RunDirError::Fold { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::model::fact::Event;

    fn fact(text: &str) -> Fact {
        Fact { at: Timestamp::UNIX_EPOCH, event: Event::Remarked { about: None, text: text.to_owned() } }
    }

    #[test]
    fn a_torn_last_line_is_cut_and_the_next_fact_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        Journal::open(&path).unwrap().append(&[fact("a")]).unwrap();
        OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"at\":\"2026").unwrap();
        let mut reader = JournalReader::new(&path);
        assert_eq!(reader.read_new().unwrap(), [fact("a")]);
        let mut journal = Journal::open(&path).unwrap();
        journal.append(&[fact("b")]).unwrap();
        journal.sync().unwrap();
        assert_eq!(JournalReader::new(&path).read_new().unwrap(), [fact("a"), fact("b")]);
    }
}
