//! Growing CSV files: rows are appended whole, and read on from where a reader stopped.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;

use csv::StringRecord;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::beneath::PathBeneath;
use super::error::RunDirError;
use super::lines::whole_length;

/// No reader takes in more than this at once, whatever the length of the file.
const CHUNK: u64 = 4 << 20;

/// At each place of the past so many bytes are read: a row of each of a machine's GPUs.
const PLACE: u64 = 2 << 10;

/// So near to a place its rows are read one by one.
const NEAR: u64 = 64 << 10;

/// The writing end; a file has only one.
#[derive(Debug)]
pub struct CsvWriter {
    path: PathBeneath,
    file: File,
    /// Up to here the file holds whole rows.
    length: u64,
}

impl CsvWriter {
    /// Opens or creates the file and cuts off a row that a crash or a full disk has torn.
    pub fn open(path: &PathBeneath) -> Result<Self, RunDirError> {
        let open = || -> io::Result<Self> {
            let file = path.open_append()?;
            let length = whole_length(&file)?;
            file.set_len(length)?;
            Ok(Self { path: path.clone(), file, length })
        };
        open().map_err(RunDirError::io("write", path))
    }

    /// Writes the header of such rows, if the file is empty: a table without rows still has its columns.
    pub fn write_header<T: Serialize>(&mut self, row: &T) -> Result<(), RunDirError> {
        if self.length > 0 {
            return Ok(());
        }
        let write = |file: &mut File| -> io::Result<u64> {
            let text = encode_rows(std::slice::from_ref(row), true)?;
            let header = text.iter().position(|byte| *byte == b'\n').map_or(&text[..], |end| &text[..=end]);
            file.write_all(header)?;
            Ok(header.len() as u64)
        };
        self.length = write(&mut self.file).map_err(|error| {
            let _ = self.file.set_len(0);
            RunDirError::io("append to", &self.path)(error)
        })?;
        Ok(())
    }

    /// Appends rows in one write, under a header if they are the first.
    pub fn append_rows<T: Serialize>(&mut self, rows: &[T]) -> Result<(), RunDirError> {
        if rows.is_empty() {
            return Ok(());
        }
        let append = |file: &mut File| -> io::Result<u64> {
            let text = encode_rows(rows, self.length == 0)?;
            file.write_all(&text)?;
            Ok(text.len() as u64)
        };
        match append(&mut self.file) {
            Ok(written) => self.length += written,
            Err(source) => {
                // Half a row would spoil the next one; should the cut fail as well, the next opening makes it.
                let _ = self.file.set_len(self.length);
                return Err(RunDirError::Io {
                    doing: "append to",
                    path: self.path.full_path().to_owned(),
                    source,
                });
            }
        }
        Ok(())
    }
}

fn encode_rows<T: Serialize>(rows: &[T], with_header: bool) -> io::Result<Vec<u8>> {
    let mut writer = csv::WriterBuilder::new().has_headers(with_header).from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).map_err(io::Error::other)?;
    }
    writer.into_inner().map_err(|error| io::Error::other(error.to_string()))
}

/// Rows, and where to read on.
#[derive(Debug, Clone, PartialEq)]
pub struct CsvRows<T> {
    /// In the order of the file.
    pub rows: Vec<T>,
    /// The end of the last whole row that was read; equal to the offset asked for when nothing is new.
    pub offset: u64,
}

/// Reads whole rows from an offset that an earlier reading gave, or from 0. A row that is still being written waits
/// for the next call, a row that does not parse is left out, a file that is not there has no rows. One call reads a
/// few mebibytes at most: call again until the offset stays.
pub fn read_rows<T: DeserializeOwned>(path: &PathBeneath, offset: u64) -> Result<CsvRows<T>, RunDirError> {
    let nothing = CsvRows { rows: Vec::new(), offset };
    let Some(mut file) = open_if_there(path)? else { return Ok(nothing) };
    let read = || -> io::Result<CsvRows<T>> {
        let header = read_header(&file)?;
        let start = offset.max(header.end);
        let text = whole_rows(&mut file, start)?;
        if text.is_empty() {
            return Ok(nothing);
        }
        Ok(CsvRows { rows: parse_rows(&text, &header.names), offset: start + text.len() as u64 })
    };
    read().map_err(RunDirError::io("read", path))
}

/// Gives every whole row of a file in turn, and holds only a few mebibytes of them at a time.
pub fn each_row<T: DeserializeOwned>(
    path: &PathBeneath,
    mut take: impl FnMut(&T),
) -> Result<(), RunDirError> {
    let mut offset = 0;
    loop {
        let read = read_rows::<T>(path, offset)?;
        read.rows.iter().for_each(&mut take);
        if read.offset == offset {
            return Ok(());
        }
        offset = read.offset;
    }
}

/// Reads the rows in the last `bytes` of a file, for readers that do not need its past.
pub fn read_tail<T: DeserializeOwned>(path: &PathBeneath, bytes: u64) -> Result<CsvRows<T>, RunDirError> {
    let start = || -> io::Result<u64> {
        let Some(file) = path.open().map(Some).or_else(none_if_absent)? else { return Ok(0) };
        let Some(from) = file.metadata()?.len().checked_sub(bytes.min(CHUNK)) else { return Ok(0) };
        next_row(&file, from)
    };
    let start = start().map_err(RunDirError::io("read", path))?;
    read_rows(path, start)
}

/// Reads some rows at each of so many places between the header and the last `tail` bytes, evenly apart: the past of a
/// long file at the price of a short one. Nothing where the file is not longer than its tail.
pub fn read_past<T: DeserializeOwned>(
    path: &PathBeneath,
    places: u64,
    tail: u64,
) -> Result<Vec<T>, RunDirError> {
    let Some(file) = open_if_there(path)? else { return Ok(Vec::new()) };
    let read = || -> io::Result<Vec<T>> {
        let header = read_header(&file)?;
        let length = file.metadata()?.len().saturating_sub(tail.min(CHUNK));
        let step = (length.saturating_sub(header.end) / places.max(1)).max(PLACE);
        let mut rows = Vec::new();
        let mut from = header.end;
        while from < length {
            let mut block = vec![0; PLACE as usize];
            let read = file.read_at(&mut block, from)?;
            let begin = match memchr::memchr(b'\n', &block[..read]) {
                Some(newline) if from > header.end => newline + 1,
                Some(_) | None => 0,
            };
            let end = memchr::memrchr(b'\n', &block[..read]).map_or(begin, |newline| newline + 1);
            rows.extend(parse_rows::<T>(&block[begin..end.max(begin)], &header.names));
            from += step;
        }
        Ok(rows)
    };
    read().map_err(RunDirError::io("read", path))
}

/// A place before the first row for which `before` does not hold, and not far before it, in a file whose rows are in
/// that order; found by halves, so that a long file costs little.
pub fn seek_row<T: DeserializeOwned>(
    path: &PathBeneath,
    before: impl Fn(&T) -> bool,
) -> Result<u64, RunDirError> {
    let Some(file) = open_if_there(path)? else { return Ok(0) };
    let find = || -> io::Result<u64> {
        let header = read_header(&file)?;
        let (mut low, mut high) = (header.end, file.metadata()?.len());
        while high.saturating_sub(low) > NEAR {
            let middle = low + (high - low) / 2;
            let start = next_row(&file, middle)?;
            let mut block = vec![0; 4096];
            let length = file.read_at(&mut block, start)?;
            let whole = memchr::memchr(b'\n', &block[..length]).map_or(0, |newline| newline + 1);
            match parse_rows::<T>(&block[..whole], &header.names).first() {
                Some(row) if before(row) => low = start,
                Some(_) | None => high = middle,
            }
        }
        Ok(low)
    };
    find().map_err(RunDirError::io("read", path))
}

fn open_if_there(path: &PathBeneath) -> Result<Option<File>, RunDirError> {
    path.open().map(Some).or_else(none_if_absent).map_err(RunDirError::io("read", path))
}

fn none_if_absent(error: io::Error) -> io::Result<Option<File>> {
    if error.kind() == ErrorKind::NotFound { Ok(None) } else { Err(error) }
}

/// The first line and where it ends.
struct Header {
    names: StringRecord,
    end: u64,
}

fn read_header(file: &File) -> io::Result<Header> {
    let mut block = vec![0; 4096];
    let length = file.read_at(&mut block, 0)?;
    let end = memchr::memchr(b'\n', &block[..length]).map_or(0, |newline| newline + 1);
    let names = parse_records(&block[..end]).next().unwrap_or_default();
    Ok(Header { names, end: end as u64 })
}

/// Finds the start of the first row that is wholly after `from`.
fn next_row(file: &File, from: u64) -> io::Result<u64> {
    let mut block = vec![0; 4096];
    let length = file.read_at(&mut block, from)?;
    Ok(memchr::memchr(b'\n', &block[..length]).map_or(from, |newline| from + newline as u64 + 1))
}

fn whole_rows(file: &mut File, start: u64) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.take(CHUNK).read_to_end(&mut text)?;
    let whole = memchr::memrchr(b'\n', &text).map_or(0, |newline| newline + 1);
    text.truncate(whole);
    Ok(text)
}

fn parse_rows<T: DeserializeOwned>(text: &[u8], names: &StringRecord) -> Vec<T> {
    parse_records(text).filter_map(|record| record.deserialize(Some(names)).ok()).collect()
}

fn parse_records(text: &[u8]) -> impl Iterator<Item = StringRecord> {
    let reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text);
    reader.into_records().filter_map(Result::ok)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};

    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Row {
        name: String,
        power_w: Option<f64>,
    }

    fn row(name: &str, power_w: Option<f64>) -> Row {
        Row { name: name.to_owned(), power_w }
    }

    fn append_raw(path: &PathBeneath, text: &str) {
        OpenOptions::new()
            .append(true)
            .create(true)
            .open(path.full_path())
            .unwrap()
            .write_all(text.as_bytes())
            .unwrap();
    }

    #[test]
    fn rows_come_back_as_they_went_and_unknown_is_an_empty_field() {
        let folder = tempfile::tempdir().unwrap();
        let path = PathBeneath::of_file(folder.path().join("metrics.csv"));
        let rows = [row("a, \"b\"", Some(1.5)), row("c", None)];
        CsvWriter::open(&path).unwrap().append_rows(&rows).unwrap();
        CsvWriter::open(&path).unwrap().append_rows(&[row("d", Some(0.0))]).unwrap();
        assert_eq!(
            fs::read_to_string(path.full_path()).unwrap(),
            "name,power_w\n\"a, \"\"b\"\"\",1.5\nc,\nd,0.0\n",
            "one header although the file was opened twice"
        );
        let first = read_rows::<Row>(&path, 0).unwrap();
        assert_eq!(first.rows, [rows[0].clone(), rows[1].clone(), row("d", Some(0.0))]);
        assert_eq!(
            read_rows::<Row>(&path, first.offset).unwrap(),
            CsvRows { rows: vec![], offset: first.offset }
        );
    }

    #[test]
    fn a_torn_last_line_is_read_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = PathBeneath::of_file(folder.path().join("metrics.csv"));
        append_raw(&path, "name,po");
        assert_eq!(read_rows::<Row>(&path, 0).unwrap(), CsvRows { rows: vec![], offset: 0 });
        append_raw(&path, "wer_w\na,1\nb,2");
        let first = read_rows::<Row>(&path, 0).unwrap();
        assert_eq!(first.rows, [row("a", Some(1.0))]);
        append_raw(&path, "5\n");
        assert_eq!(read_rows::<Row>(&path, first.offset).unwrap().rows, [row("b", Some(25.0))]);
    }

    #[test]
    fn a_writer_after_a_crash_cuts_the_torn_row_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = PathBeneath::of_file(folder.path().join("metrics.csv"));
        append_raw(&path, "name,power_w\na,1.0\nb,2");
        CsvWriter::open(&path).unwrap().append_rows(&[row("c", Some(3.0))]).unwrap();
        assert_eq!(fs::read_to_string(path.full_path()).unwrap(), "name,power_w\na,1.0\nc,3.0\n");
        fs::write(path.full_path(), "name,po").unwrap();
        CsvWriter::open(&path).unwrap().append_rows(&[row("c", Some(3.0))]).unwrap();
        assert_eq!(fs::read_to_string(path.full_path()).unwrap(), "name,power_w\nc,3.0\n");
    }

    #[test]
    fn a_row_that_does_not_parse_is_left_out_and_a_missing_column_is_unknown() {
        let folder = tempfile::tempdir().unwrap();
        let path = PathBeneath::of_file(folder.path().join("metrics.csv"));
        append_raw(&path, "name,power_w\na,1\nb,many\nc\nd,4,5\ne,5\n");
        let rows = read_rows::<Row>(&path, 0).unwrap().rows;
        let expected = [row("a", Some(1.0)), row("c", None), row("d", Some(4.0)), row("e", Some(5.0))];
        assert_eq!(rows, expected);
    }

    #[test]
    fn the_past_is_read_here_and_there_up_to_the_tail() {
        let folder = tempfile::tempdir().unwrap();
        let path = PathBeneath::of_file(folder.path().join("metrics.csv"));
        let mut text = "name,power_w\n".to_owned();
        (0..20_000).for_each(|number| text += &format!("row,{number}\n"));
        append_raw(&path, &text);
        let rows = read_past::<Row>(&path, 10, 10_000).unwrap();
        let powers: Vec<f64> = rows.iter().filter_map(|row| row.power_w).collect();
        assert_eq!(powers.len(), rows.len(), "no torn row");
        assert!(powers.is_sorted() && powers[0] == 0.0, "{powers:?}");
        assert!(powers.len() < 5000 && powers.last().is_some_and(|last| (15_000.0..19_500.0).contains(last)));
        assert_eq!(read_past::<Row>(&path, 10, 1 << 20).unwrap(), [], "the tail is the whole file");
    }

    #[test]
    fn the_tail_starts_at_a_whole_row() {
        let folder = tempfile::tempdir().unwrap();
        let path = PathBeneath::of_file(folder.path().join("metrics.csv"));
        assert_eq!(read_tail::<Row>(&path, 10).unwrap(), CsvRows { rows: vec![], offset: 0 });
        append_raw(&path, "name,power_w\na,1\nb,2\nc,3\n");
        let tail = read_tail::<Row>(&path, 10).unwrap();
        assert_eq!(tail.rows, [row("b", Some(2.0)), row("c", Some(3.0))]);
        assert_eq!(tail.offset, fs::metadata(path.full_path()).unwrap().len());
        assert_eq!(read_tail::<Row>(&path, 1000).unwrap().rows.len(), 3);
    }
}
