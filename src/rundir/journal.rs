//! The journal: facts appended by the supervisor, read by everybody.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::MetadataExt;

use super::beneath::PathBeneath;
use super::error::RunDirError;
use super::lines::{LineReader, whole_length};
use crate::model::state::fact::{Event, Fact};

/// The writing end; only the holder of `supervisor.lock` may have one.
#[derive(Debug)]
pub struct Journal {
    path: PathBeneath,
    file: File,
    /// As this writer left it.
    length: u64,
}

impl Journal {
    /// Makes the journal of a new run.
    pub fn create(path: &PathBeneath) -> Result<Self, RunDirError> {
        let file = path.open_append().map_err(RunDirError::io("create", path))?;
        Ok(Self { path: path.clone(), file, length: 0 })
    }

    /// Opens an existing journal for appending. A torn last line of a killed writer is cut off: its fact was never
    /// acted upon. A journal without a whole line is left as it is.
    pub fn open(path: &PathBeneath) -> Result<Self, RunDirError> {
        if !path.exists() {
            return Err(missing_error(path));
        }
        let file = path.open_append().map_err(RunDirError::io("open", path))?;
        let length = whole_length(&file).map_err(RunDirError::io("read", path))?;
        if length == 0 {
            return Err(empty_error(path));
        }
        file.set_len(length).map_err(RunDirError::io("repair", path))?;
        Ok(Self { path: path.clone(), file, length })
    }

    /// Appends the facts of a decision in one write.
    pub fn append_facts(&mut self, facts: &[Fact]) -> Result<(), RunDirError> {
        let mut text = Vec::new();
        for fact in facts {
            serde_json::to_writer(&mut text, fact).map_err(|source| RunDirError::Malformed {
                path: self.path.full_path().to_owned(),
                source,
            })?;
            text.push(b'\n');
        }
        self.refuse_foreign_change()?;
        let written = self.file.write_all(&text).map_err(|source| {
            // A full disk may have taken a part; without this cut a second try would glue two lines together.
            let _ = self.file.set_len(self.length);
            RunDirError::io("append to", &self.path)(source)
        });
        if written.is_ok() {
            self.length += text.len() as u64;
        }
        written
    }

    /// Facts behind a gap would make the rest look whole.
    fn refuse_foreign_change(&self) -> Result<(), RunDirError> {
        let now = self.file.metadata().map_err(RunDirError::io("look at", &self.path))?;
        let problem = if now.nlink() == 0 {
            "was removed or replaced while the run was at work"
        } else if now.len() != self.length {
            "was changed by another program while the run was at work"
        } else {
            return Ok(());
        };
        Err(damaged_error(&self.path, problem))
    }

    /// Returns the path of the journal's file.
    pub fn path(&self) -> &PathBeneath {
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
    pub fn new(path: &PathBeneath) -> Self {
        Self { lines: LineReader::new(path), line: 0 }
    }

    /// The facts since the last call.
    pub fn read_new(&mut self) -> Result<Vec<Fact>, RunDirError> {
        let path = self.lines.path().clone();
        let new = self.lines.read_new().map_err(RunDirError::io("read", &path))?;
        if new.restarted {
            // The first fact comes again, and with it a fold begins again.
            self.line = 0;
            if new.text.is_empty() {
                return Err(empty_error(&path));
            }
        }
        let is_first = self.line == 0;
        // A long journal is read at once, and facts are large: a vector that grew would be copied again and again.
        let mut facts = Vec::with_capacity(memchr::memchr_iter(b'\n', &new.text).count());
        for line in new.lines() {
            self.line += 1;
            let fact = serde_json::from_slice(line).map_err(|source| RunDirError::Journal {
                path: path.full_path().to_owned(),
                line: self.line,
                source,
            })?;
            facts.push(fact);
        }
        match facts.first() {
            Some(Fact { event: Event::RunCreated { .. }, .. }) | None => Ok(facts),
            Some(_) if is_first => Err(damaged_error(&path, "has lost its beginning")),
            Some(_) => Ok(facts),
        }
    }
}

/// A journal that lost facts; `problem` is a predicate.
pub(super) fn damaged_error(path: &PathBeneath, problem: impl Into<String>) -> RunDirError {
    RunDirError::Damaged { path: path.full_path().to_owned(), problem: problem.into() }
}

/// The journal, or another record, of a run that was begun is not there.
pub(super) fn missing_error(path: &PathBeneath) -> RunDirError {
    damaged_error(path, "is missing")
}

/// The journal of a run that was begun holds no fact.
pub(super) fn empty_error(path: &PathBeneath) -> RunDirError {
    damaged_error(path, "is empty")
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;

    use jiff::Timestamp;

    use super::*;
    use crate::model::ids::RunId;
    use crate::model::state::fact::JOURNAL_VERSION;

    fn fact(run: &str) -> Fact {
        let (run, shards) = (RunId(run.to_owned()), Vec::new());
        let event = Event::RunCreated { version: JOURNAL_VERSION, run, shards, parallel: 1 };
        Fact { at: Timestamp::UNIX_EPOCH, event }
    }

    fn remark() -> Fact {
        Fact { at: Timestamp::UNIX_EPOCH, event: Event::Remarked { about: None, text: "later".to_owned() } }
    }

    #[test]
    fn a_torn_last_line_is_cut_and_the_next_fact_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = PathBeneath::of_file(folder.path().join("journal.jsonl"));
        Journal::create(&path).unwrap().append_facts(&[fact("a")]).unwrap();
        OpenOptions::new().append(true).open(path.full_path()).unwrap().write_all(b"{\"at\":\"2026").unwrap();
        let mut reader = JournalReader::new(&path);
        assert_eq!(reader.read_new().unwrap(), [fact("a")]);
        let mut journal = Journal::open(&path).unwrap();
        journal.append_facts(&[fact("b")]).unwrap();
        journal.sync().unwrap();
        assert_eq!(JournalReader::new(&path).read_new().unwrap(), [fact("a"), fact("b")]);
    }

    #[test]
    fn a_journal_without_its_beginning_is_damaged_and_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = PathBeneath::of_file(folder.path().join("journal.jsonl"));
        let refused = |text: &str| {
            std::fs::write(path.full_path(), text).unwrap();
            let opened = Journal::open(&path).err().or_else(|| JournalReader::new(&path).read_new().err());
            assert!(matches!(opened, Some(RunDirError::Damaged { .. })), "{text:?}: {opened:?}");
            assert_eq!(std::fs::read_to_string(path.full_path()).unwrap(), text);
        };
        refused("");
        refused("{\"at\":\"2026");
        refused(&format!("{}\n", serde_json::to_string(&remark()).unwrap()));
        path.remove().unwrap();
        assert!(matches!(Journal::open(&path), Err(RunDirError::Damaged { .. })));
        assert!(!path.exists());
    }

    #[test]
    fn a_journal_that_another_program_changed_is_not_appended_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = PathBeneath::of_file(folder.path().join("journal.jsonl"));
        let mut journal = Journal::create(&path).unwrap();
        journal.append_facts(&[fact("a")]).unwrap();
        let mut reader = JournalReader::new(&path);
        reader.read_new().unwrap();
        path.create().unwrap();
        assert!(matches!(reader.read_new(), Err(RunDirError::Damaged { .. })));
        assert!(matches!(journal.append_facts(&[remark()]), Err(RunDirError::Damaged { .. })));
        assert_eq!(path.metadata().unwrap().len(), 0);
        path.remove().unwrap();
        assert!(matches!(journal.append_facts(&[remark()]), Err(RunDirError::Damaged { .. })));
    }
}
