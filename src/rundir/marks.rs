//! `marks.jsonl`: what was read from a log, appended while it grows.

use std::fs::File;
use std::io::Write;

use super::beneath::PathBeneath;
use super::error::RunDirError;
use super::lines::LineReader;
use crate::model::logs::mark::Mark;

/// The writing end; the supervisor has one for each running attempt.
#[derive(Debug)]
pub struct MarkWriter {
    path: PathBeneath,
    file: File,
    written: u64,
    /// Path under which the file is made before it takes its name, while an adopted log is read again.
    unnamed: Option<PathBeneath>,
}

impl MarkWriter {
    /// Starts a file of marks.
    pub fn create(path: &PathBeneath) -> Result<Self, RunDirError> {
        Ok(Self { path: path.clone(), file: create_file(path)?, written: 0, unnamed: None })
    }

    /// Starts a file that replaces the present one only with [`Self::take_name`].
    pub fn create_replacement(path: &PathBeneath) -> Result<Self, RunDirError> {
        let unnamed = path.with_extension("jsonl.new");
        Ok(Self { path: path.clone(), file: create_file(&unnamed)?, written: 0, unnamed: Some(unnamed) })
    }

    /// Gives a replacement its name.
    pub fn take_name(&mut self) -> Result<(), RunDirError> {
        let Some(unnamed) = self.unnamed.take() else { return Ok(()) };
        unnamed
            .rename(self.path.file_name().unwrap_or_default())
            .map_err(RunDirError::io("rename to", &self.path))
    }

    /// Bytes written to this file.
    pub fn bytes_written(&self) -> u64 {
        self.written
    }

    /// Appends marks in one write.
    pub fn append_marks(&mut self, marks: &[Mark]) -> Result<(), RunDirError> {
        let mut text = Vec::new();
        for mark in marks {
            serde_json::to_writer(&mut text, mark).map_err(|source| RunDirError::Malformed {
                path: self.path.full_path().to_owned(),
                source,
            })?;
            text.push(b'\n');
        }
        self.file.write_all(&text).map_err(RunDirError::io("append to", &self.path))?;
        self.written += text.len() as u64;
        Ok(())
    }
}

fn create_file(path: &PathBeneath) -> Result<File, RunDirError> {
    path.create().map_err(RunDirError::io("write", path))
}

/// The reading end of a file of marks.
#[derive(Debug)]
pub struct MarkReader {
    lines: LineReader,
}

/// Marks since the last reading.
#[derive(Debug, Default, PartialEq)]
pub struct NewMarks {
    /// The file was rewritten: marks read before count no more.
    pub restarted: bool,
    /// In the order of the log.
    pub marks: Vec<Mark>,
}

impl MarkReader {
    /// A reader at the first mark of a file that need not exist yet.
    pub fn new(path: &PathBeneath) -> Self {
        Self { lines: LineReader::new(path) }
    }

    /// The marks since the last call. Lines that do not read are of a newer program and are passed over.
    pub fn read_new(&mut self) -> Result<NewMarks, RunDirError> {
        let path = self.lines.path().clone();
        let new = self.lines.read_new().map_err(RunDirError::io("read", &path))?;
        let marks = new.lines().filter_map(|line| serde_json::from_slice(line).ok()).collect();
        Ok(NewMarks { restarted: new.restarted, marks })
    }
}
