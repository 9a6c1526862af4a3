//! The rows of a telemetry file in their time: those up to a moment, and from any moment on.

use std::collections::VecDeque;

use jiff::Timestamp;
use serde::de::DeserializeOwned;

use crate::rundir::beneath::PathBeneath;
use crate::rundir::csv_file::{read_past, read_rows, seek_row};

/// As many places of the past as charts have columns.
const PLACES: u64 = 240;

/// A file of rows in the order of their times.
#[derive(Debug)]
pub struct Tape<T> {
    path: PathBeneath,
    time: fn(&T) -> Timestamp,
    offset: u64,
    /// Rows that were read and lie ahead.
    ahead: VecDeque<T>,
}

impl<T: DeserializeOwned> Tape<T> {
    /// At the start of its file; a missing file has no rows.
    pub fn new(path: PathBeneath, time: fn(&T) -> Timestamp) -> Self {
        Self { path, time, offset: 0, ahead: VecDeque::new() }
    }

    /// The next rows are those from that moment on.
    pub fn turn_to(&mut self, from: Timestamp) {
        self.ahead.clear();
        // Parts that cannot be read have no rows, here and below: the journal gives what matters.
        self.offset = seek_row(&self.path, |row| (self.time)(row) < from).unwrap_or(0);
        self.take_rows(|at| at < from);
    }

    /// The rows up to that moment that were not given yet.
    pub fn up_to(&mut self, to: Timestamp) -> Vec<T> {
        self.take_rows(|at| at <= to)
    }

    /// Some rows of all that lie between these moments, evenly apart.
    pub fn sample_between(&self, from: Timestamp, to: Timestamp) -> Vec<T> {
        let mut rows = read_past(&self.path, PLACES, 0).unwrap_or_default();
        rows.retain(|row| (from..to).contains(&(self.time)(row)));
        rows
    }

    fn take_rows(&mut self, wanted: impl Fn(Timestamp) -> bool) -> Vec<T> {
        let mut taken = Vec::new();
        loop {
            while let Some(row) = self.ahead.pop_front_if(|row| wanted((self.time)(row))) {
                taken.push(row);
            }
            if !self.ahead.is_empty() {
                return taken;
            }
            match read_rows(&self.path, self.offset) {
                Ok(read) if read.offset > self.offset => {
                    self.offset = read.offset;
                    self.ahead.extend(read.rows);
                }
                Ok(_) | Err(_) => return taken,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::machine::sample::HostSample;
    use crate::rundir::csv_file::CsvWriter;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn tape(folder: &tempfile::TempDir) -> Tape<HostSample> {
        Tape::new(PathBeneath::of_file(folder.path().join("host.csv")), |row| row.timestamp)
    }

    fn seconds(rows: &[HostSample]) -> Vec<i64> {
        rows.iter().map(|row| row.timestamp.as_second()).collect()
    }

    #[test]
    fn rows_come_in_their_time_from_wherever_it_is_turned_to() {
        let folder = tempfile::tempdir().unwrap();
        let row = |second| HostSample {
            timestamp: at(second),
            cpu_percent: Some(50.0),
            cores: 2,
            ram_used_bytes: None,
            ram_total_bytes: None,
            load_1m: None,
            ..HostSample::unknown(Timestamp::UNIX_EPOCH)
        };
        let rows: Vec<HostSample> = (0..20_000).map(row).collect();
        CsvWriter::open(&PathBeneath::of_file(folder.path().join("host.csv")))
            .unwrap()
            .append_rows(&rows)
            .unwrap();
        let mut tape = tape(&folder);
        assert_eq!(seconds(&tape.up_to(at(3))), [0, 1, 2, 3]);
        assert_eq!(seconds(&tape.up_to(at(3))), [] as [i64; 0], "each comes once");
        for begin in [0, 1, 700, 9_999, 13_337, 19_998] {
            tape.turn_to(at(begin));
            assert_eq!(seconds(&tape.up_to(at(begin + 1))), [begin, begin + 1]);
        }
        tape.turn_to(at(30_000));
        assert_eq!(seconds(&tape.up_to(at(40_000))), [] as [i64; 0]);
        let past = seconds(&tape.sample_between(at(5_000), at(15_000)));
        assert!(
            past.is_sorted()
                && past.iter().all(|second| (5_000..15_000).contains(second))
                && past.len() > 100
        );
    }

    #[test]
    fn a_file_that_is_not_there_has_no_rows() {
        let folder = tempfile::tempdir().unwrap();
        let mut tape = tape(&folder);
        tape.turn_to(at(5));
        assert_eq!(tape.up_to(at(10)), []);
    }
}
