//! The journal: facts appended by the supervisor, read by everybody.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use super::beneath::PathBeneath;
use super::durable;
use super::error::{LineProblem, RunDirError};
use super::lines::{LineReader, whole_length};
use super::seal::{self, Seal};
use crate::model::state::fact::{Event, Fact};

/// The writing end; only the holder of `supervisor.lock` may have one.
#[derive(Debug)]
pub struct Journal {
    path: PathBeneath,
    file: File,
    /// As this writer left it.
    length: u64,
    lines: u64,
    /// The end of it that may not be on the disk yet.
    unsynced: Vec<u8>,
    /// The disk refused to keep that end, and may take it for written all the same.
    was_refused: bool,
}

impl Journal {
    /// Makes the journal of a new run.
    pub fn create(path: &PathBeneath) -> Result<Self, RunDirError> {
        let file = path.open_append().map_err(RunDirError::io("create", path))?;
        Ok(Self::at(path, file, 0, 0))
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
        let end = read_from(&file, length.saturating_sub(ENOUGH), length);
        let end = end.map_err(RunDirError::io("read", path))?;
        let lines = count_lines(&file, length, &end).map_err(RunDirError::io("read", path))?;
        // The writer before may have died before its sync.
        Ok(Self { unsynced: end, ..Self::at(path, file, length, lines) })
    }

    fn at(path: &PathBeneath, file: File, length: u64, lines: u64) -> Self {
        Self { path: path.clone(), file, length, lines, unsynced: Vec::new(), was_refused: false }
    }

    /// Appends the facts of a decision in one write.
    pub fn append_facts(&mut self, facts: &[Fact]) -> Result<(), RunDirError> {
        let text = encode_facts(facts, self.lines)
            .map_err(|source| RunDirError::Malformed { path: self.path.full_path().to_owned(), source })?;
        self.refuse_foreign_change()?;
        let written = self.file.write_all(&text).map_err(|source| {
            // A full disk may have taken a part; without this cut a second try would glue two lines together.
            let _ = self.file.set_len(self.length);
            RunDirError::io("append to", &self.path)(source)
        });
        if written.is_ok() {
            self.length += text.len() as u64;
            self.lines += facts.len() as u64;
            self.unsynced.extend(text);
        }
        written
    }

    /// Facts after a gap would make the rest look whole.
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
    pub fn sync(&mut self) -> Result<(), RunDirError> {
        let synced = match self.was_refused {
            true => self.write_again().and_then(|()| durable::sync::sync_file(&self.file)),
            false => durable::sync::sync_file(&self.file),
        };
        self.was_refused = synced.is_err();
        if synced.is_ok() {
            self.unsynced = Vec::new();
        }
        synced.map_err(RunDirError::io("sync", &self.path))
    }

    /// Pages that could not be written count as clean afterwards, and a second sync would answer that all is well.
    fn write_again(&self) -> io::Result<()> {
        let flags = fcntl_getfl(&self.file)?;
        // With it the kernel appends wherever the bytes are to go.
        fcntl_setfl(&self.file, flags - OFlags::APPEND)?;
        let start = self.length - self.unsynced.len() as u64;
        let written = self.file.write_all_at(&self.unsynced, start);
        fcntl_setfl(&self.file, flags)?;
        written
    }
}

/// The lines of facts that follow on `before` lines.
pub(super) fn encode_facts(facts: &[Fact], before: u64) -> Result<Vec<u8>, serde_json::Error> {
    let mut text = Vec::new();
    for (number, fact) in (before + 1..).zip(facts) {
        let start = text.len();
        serde_json::to_writer(&mut text, fact)?;
        seal::seal_line(&mut text, start, number);
        text.push(b'\n');
    }
    Ok(text)
}

/// More than one sync has ever had to keep. A line that is longer is counted like one without a number.
const ENOUGH: u64 = 64 << 10;

fn read_from(file: &File, start: u64, end: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(end - start).unwrap_or(usize::MAX)];
    file.read_exact_at(&mut bytes, start)?;
    Ok(bytes)
}

/// Counts the lines up to `length`, which is the end of one; the last one says it, unless an earlier version wrote it.
fn count_lines(file: &File, length: u64, end: &[u8]) -> io::Result<u64> {
    let end = end.strip_suffix(b"\n").unwrap_or(end);
    let start = memchr::memrchr(b'\n', end).map_or(0, |newline| newline + 1);
    match seal::check_seal(&end[start..]) {
        Seal::Sound { number } => Ok(number),
        Seal::Absent | Seal::Broken => Ok(read_from(file, 0, length)?
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .count() as u64),
    }
}

/// The reading end: facts as they come.
#[derive(Debug)]
pub struct JournalReader {
    lines: LineReader,
    line: u64,
    /// A line before had a seal, so that all that follow have one.
    is_sealed: bool,
}

impl JournalReader {
    /// A reader at the first fact.
    pub fn new(path: &PathBeneath) -> Self {
        Self { lines: LineReader::new(path), line: 0, is_sealed: false }
    }

    /// Number of the line that was read last.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The facts since the last call.
    pub fn read_new(&mut self) -> Result<Vec<Fact>, RunDirError> {
        let path = self.lines.path().clone();
        let new = self.lines.read_new().map_err(RunDirError::io("read", &path))?;
        if new.restarted {
            // The first fact comes again, and with it a fold begins again.
            (self.line, self.is_sealed) = (0, false);
            if new.text.is_empty() {
                return Err(empty_error(&path));
            }
        }
        let is_first = self.line == 0;
        // A long journal is read at once, and facts are large: a vector that grew would be copied again and again.
        let mut facts = Vec::with_capacity(memchr::memchr_iter(b'\n', &new.text).count());
        for line in new.lines() {
            self.line += 1;
            let fact = self.check_line(line).and_then(|()| Ok(serde_json::from_slice(line)?));
            facts.push(fact.map_err(|problem| RunDirError::Journal {
                path: path.full_path().to_owned(),
                line: self.line,
                problem,
            })?);
        }
        match facts.first() {
            Some(Fact { event: Event::RunCreated { .. }, .. }) | None => Ok(facts),
            Some(_) if is_first => Err(damaged_error(&path, "has lost its beginning")),
            Some(_) => Ok(facts),
        }
    }

    /// The line is as it was written, and where it was written.
    fn check_line(&mut self, line: &[u8]) -> Result<(), LineProblem> {
        match seal::check_seal(line) {
            Seal::Absent if self.is_sealed => Err(LineProblem::Unsealed),
            Seal::Absent => Ok(()),
            Seal::Sound { number } => {
                self.is_sealed = true;
                LineProblem::check_number(self.line, number)
            }
            Seal::Broken => Err(LineProblem::Changed),
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
        Fact::new(Timestamp::UNIX_EPOCH, event)
    }

    fn remark() -> Fact {
        Fact::new(Timestamp::UNIX_EPOCH, Event::Remarked { about: None, text: "later".to_owned() })
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
    fn lines_that_were_changed_moved_repeated_or_taken_out_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = PathBeneath::of_file(folder.path().join("journal.jsonl"));
        let facts: Vec<Fact> = [fact("a")].into_iter().chain((0..3).map(|_| remark())).collect();
        Journal::create(&path).unwrap().append_facts(&facts).unwrap();
        let whole = std::fs::read_to_string(path.full_path()).unwrap();
        let lines: Vec<&str> = whole.lines().collect();
        let problem = |lines: &[&str]| {
            std::fs::write(path.full_path(), lines.join("\n") + "\n").unwrap();
            match JournalReader::new(&path).read_new() {
                Err(RunDirError::Journal { line, problem, .. }) => Some((line, problem.to_string())),
                read => read.map(|_| None).unwrap(),
            }
        };
        assert_eq!(problem(&lines), None);
        let changed = lines[1].replace("later", "latex");
        let found = [
            problem(&[lines[0], &changed, lines[2]]),
            problem(&[lines[0], lines[2], lines[3]]),
            problem(&[lines[0], lines[1], lines[1]]),
            problem(&[lines[0], lines[2], lines[1]]),
            problem(&[lines[0], &serde_json::to_string(&remark()).unwrap()]),
        ];
        let found: Vec<(u64, String)> = found.into_iter().map(|problem| problem.unwrap()).collect();
        let words =
            ["does not fit its checksum", "1 line before it is missing", "is there twice or out of order"];
        for ((line, text), (at, word)) in found.iter().zip([
            (2, words[0]),
            (2, words[1]),
            (3, words[2]),
            (2, words[1]),
            (2, "has no checksum"),
        ]) {
            assert!(*line == at && text.contains(word), "{line}: {text}");
        }
    }

    #[test]
    fn what_was_synced_survives_a_loss_of_power_wherever_it_cuts() {
        let folder = tempfile::tempdir().unwrap();
        let path = PathBeneath::of_file(folder.path().join("journal.jsonl"));
        let mut journal = Journal::create(&path).unwrap();
        journal.append_facts(&[fact("a"), remark()]).unwrap();
        journal.sync().unwrap();
        let synced = path.metadata().unwrap().len() as usize;
        journal.append_facts(&[remark(), remark()]).unwrap();
        let whole = std::fs::read(path.full_path()).unwrap();
        for cut in synced..=whole.len() {
            // Some file systems keep the length and lose the bytes.
            for lost in [vec![], vec![0; whole.len() - cut]] {
                std::fs::write(path.full_path(), [&whole[..cut], &lost].concat()).unwrap();
                let kept = whole[synced..cut].iter().filter(|byte| **byte == b'\n').count();
                Journal::open(&path).unwrap().append_facts(&[remark()]).unwrap();
                let facts = JournalReader::new(&path).read_new().unwrap();
                assert_eq!(facts.len(), 2 + kept + 1, "cut at {cut} of {}", whole.len());
            }
        }
    }

    #[test]
    fn a_journal_of_an_earlier_version_is_continued_with_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let path = PathBeneath::of_file(folder.path().join("journal.jsonl"));
        let old: String =
            [fact("a"), remark()].iter().map(|fact| serde_json::to_string(fact).unwrap() + "\n").collect();
        std::fs::write(path.full_path(), &old).unwrap();
        for _ in 0..2 {
            Journal::open(&path).unwrap().append_facts(&[remark()]).unwrap();
        }
        let text = std::fs::read_to_string(path.full_path()).unwrap();
        assert!(
            text.starts_with(&old) && text.contains("\"seq\":3,") && text.contains("\"seq\":4,"),
            "{text}"
        );
        assert_eq!(JournalReader::new(&path).read_new().unwrap().len(), 4);
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
