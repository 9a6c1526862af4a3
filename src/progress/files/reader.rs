//! Takes in the result files of one attempt, one after the other, and gives what they say together.

use serde_json::Value;

use super::collected::{Collected, MetricResult};
use super::episode_list::{self, EpisodeRows};
use super::reading::{Figure, FileFault, RecognisedFile, ResultReading};
use super::repeats::Repeats;
use super::rows::{self, RowFaults};
use super::shapes::{Recognised, recognise, recognise_rows};
use super::tally::FileTally;
use super::{tolerant_json, walk};
use crate::model::key_path::KeyPath;
use crate::model::results::episode_list::EpisodeList;
use crate::model::results::result_file::ResultFile;
use crate::model::sweep::plan::{MetricSource, MetricSpec};

/// Takes in the result files of one attempt.
#[derive(Debug)]
pub struct ResultReader {
    metrics: Vec<FileMetric>,
    tally: Option<(FileTally, String)>,
    reading: ResultReading,
    /// How single episodes ended, by the pattern of the files that list them.
    episodes: Vec<(String, Vec<EpisodeList>)>,
}

#[derive(Debug)]
struct FileMetric {
    name: String,
    key: KeyPath,
    collected: Collected,
    /// The files it was looked for in.
    files: Vec<String>,
    /// Values so far, unknown ones too.
    found: u64,
}

/// The layout of the values in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileLayout {
    Document,
    Lines,
    Table { delimiter: u8 },
}

impl ResultReader {
    /// Creates a reader that has read nothing yet; of these metrics, it looks for those that come from files.
    pub fn new(metrics: &[MetricSpec]) -> Self {
        let of_files = metrics.iter().filter_map(|spec| match &spec.source {
            MetricSource::Log { .. } => None,
            MetricSource::File { key, .. } => Some(FileMetric {
                name: spec.name.clone(),
                key: key.clone(),
                collected: Collected::new(spec.reduce, spec.scale),
                files: Vec::new(),
                found: 0,
            }),
        });
        Self {
            metrics: of_files.collect(),
            tally: None,
            reading: ResultReading::default(),
            episodes: Vec::new(),
        }
    }

    /// Looks in a file for how single episodes ended, and for nothing else: what is wrong with it is reported
    /// elsewhere.
    pub fn take_episodes(&mut self, name: &str, bytes: &[u8], wanted: &ResultFile) {
        let list = match layout(name) {
            FileLayout::Document if !is_lines(bytes) => {
                tolerant_json::parse(bytes).ok().and_then(|document| episode_list::of_document(&document))
            }
            layout => {
                let mut rows = EpisodeRows::default();
                read_rows(layout, bytes, |row| rows.take(row));
                rows.list()
            }
        };
        self.add_episodes(wanted, list);
    }

    fn add_episodes(&mut self, wanted: &ResultFile, list: Option<EpisodeList>) {
        let Some(list) = list else { return };
        match self.episodes.iter_mut().find(|(pattern, _)| *pattern == wanted.pattern) {
            Some((_, lists)) => lists.push(list),
            None => self.episodes.push((wanted.pattern.clone(), vec![list])),
        }
    }

    /// Takes in a file of this name, for all that wants it.
    pub fn take(&mut self, name: &str, bytes: &[u8], wanted: &ResultFile) {
        let layout = layout(name);
        if layout != FileLayout::Document {
            return self.take_rows(layout, name, bytes, wanted);
        }
        match tolerant_json::parse(bytes) {
            Ok(document) => self.take_document(name, &document, wanted),
            Err(_) if is_lines(bytes) => self.take_rows(FileLayout::Lines, name, bytes, wanted),
            Err(_) if bytes.trim_ascii().is_empty() => self.fault(FileFault::Odd(format!("{name} is empty"))),
            Err(error) if error.is_eof() => {
                let (line, column) = (error.line(), error.column());
                self.fault(FileFault::Odd(format!("{name} is cut off at line {line} column {column}")));
            }
            Err(error) => self.fault(FileFault::Odd(format!("{name} is no JSON: {error}"))),
        }
    }

    /// Something is not known from a file.
    pub fn fault(&mut self, fault: FileFault) {
        if !self.reading.faults.contains(&fault) {
            self.reading.faults.push(fault);
        }
    }

    fn odd(&mut self, name: &str, what: &str) {
        self.fault(FileFault::Odd(format!("{name}: {what}")));
    }

    fn take_document(&mut self, name: &str, document: &Value, wanted: &ResultFile) {
        let mut dead_ends = Vec::new();
        for metric in self.metrics.iter_mut().filter(|metric| wanted.metrics.contains(&metric.name)) {
            metric.files.push(name.to_owned());
            let collected = &mut metric.collected;
            let found = walk::values(&metric.key, document, |value| collected.take(value));
            metric.found += found;
            if found == 0 {
                dead_ends.push(format!("no `{}`; it {}", metric.key, walk::dead_end(&metric.key, document)));
            }
        }
        dead_ends.iter().for_each(|dead_end| self.odd(name, dead_end));
        self.add_episodes(wanted, episode_list::of_document(document));
        if wanted.known {
            self.take_known(name, recognise(document));
        }
    }

    fn take_rows(&mut self, layout: FileLayout, name: &str, bytes: &[u8], wanted: &ResultFile) {
        let wanted_here = |metric: &FileMetric| wanted.metrics.contains(&metric.name);
        let before: Vec<u64> = self.metrics.iter().map(|metric| metric.found).collect();
        let mut first = None;
        let mut all = Vec::new();
        let mut repeats = Repeats::default();
        let mut episodes = EpisodeRows::default();
        let metrics = &mut self.metrics;
        let each = |row: &Value| {
            first.get_or_insert_with(|| row.clone());
            repeats.take(row);
            episodes.take(row);
            for metric in metrics.iter_mut().filter(|metric| wanted_here(metric)) {
                let collected = &mut metric.collected;
                metric.found += walk::values(&metric.key, row, |value| collected.take(value));
            }
            if wanted.known {
                all.push(row.clone());
            }
        };
        let faults = read_rows(layout, bytes, each);
        faults.told().iter().chain(&repeats.told()).for_each(|told| self.odd(name, told));
        self.add_episodes(wanted, episodes.list());
        let mut dead_ends = Vec::new();
        for (metric, before) in self.metrics.iter_mut().zip(before).filter(|(metric, _)| wanted_here(metric))
        {
            metric.files.push(name.to_owned());
            if metric.found == before {
                let row = first
                    .as_ref()
                    .map_or_else(|| "has no rows".to_owned(), |row| walk::dead_end(&metric.key, row));
                dead_ends.push(format!("no `{}`; it {row}", metric.key));
            }
        }
        dead_ends.iter().for_each(|dead_end| self.odd(name, dead_end));
        if wanted.known {
            self.take_known(name, recognise_rows(&all));
        }
    }

    fn take_known(&mut self, name: &str, recognised: Result<Recognised, String>) {
        match recognised {
            Ok(Recognised { format, tally, remarks }) => {
                let ending = tally.ending;
                self.reading.recognised.push(RecognisedFile { file: name.to_owned(), format, ending });
                remarks.iter().for_each(|remark| self.odd(name, remark));
                self.tally = Some(match self.tally.take() {
                    None => (tally, name.to_owned()),
                    Some((before, _)) => {
                        (before.and(tally), format!("{} files", self.reading.recognised.len()))
                    }
                });
            }
            Err(what) => {
                let hint = "name what is wanted with `[[metric]]`, `file` and `key`";
                self.odd(name, &format!("not a known format: {what}; {hint}"));
            }
        }
    }

    /// Combines what all files say. A metric that the sweep defines itself outweighs the one of a format.
    pub fn finish(mut self) -> ResultReading {
        let lists = std::mem::take(&mut self.episodes);
        // Several files may list the same episodes: one with seeds says more, then the longest, and then the first.
        let lists = lists.into_iter().filter_map(|(_, lists)| EpisodeList::join_lists(&lists)).rev();
        self.reading.episodes = lists.max_by_key(|list| (list.tells_seeds(), list.count()));
        for metric in std::mem::take(&mut self.metrics) {
            let file = match metric.files.as_slice() {
                // The missing file is reported already.
                [] => continue,
                [only] => only.clone(),
                files => format!("{} files", files.len()),
            };
            if let Some(complaint) = metric.collected.complaint() {
                self.odd(&file, &format!("`{}`: {complaint}", metric.key));
            }
            self.conclude(metric.name, metric.collected.total(), file);
        }
        if let Some((tally, file)) = self.tally.take() {
            for (name, value) in tally.metrics() {
                let ResultReading { metrics, not_numbers, infinite, .. } = &self.reading;
                let own = metrics.contains_key(&name)
                    || not_numbers.contains_key(&name)
                    || infinite.contains(&name);
                if !own {
                    self.conclude(name, MetricResult::of(value), file.clone());
                }
            }
        }
        self.reading
    }

    fn conclude(&mut self, name: String, total: MetricResult, file: String) {
        match total {
            MetricResult::Nothing => {}
            MetricResult::Number(value) => {
                self.reading.metrics.insert(name, Figure { value, file });
            }
            MetricResult::NotANumber => {
                self.reading.not_numbers.insert(name, file);
            }
            MetricResult::Infinite => {
                self.odd(&file, &format!("{name} is infinite"));
                self.reading.infinite.insert(name);
            }
        }
    }
}

fn layout(name: &str) -> FileLayout {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension.to_ascii_lowercase().as_str() {
        "jsonl" | "ndjson" => FileLayout::Lines,
        "csv" => FileLayout::Table { delimiter: b',' },
        "tsv" => FileLayout::Table { delimiter: b'\t' },
        _ => FileLayout::Document,
    }
}

/// The first of several lines is a document of its own, whatever the file is called.
fn is_lines(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let first = lines.next().is_some_and(|line| tolerant_json::parse(line).is_ok_and(|row| row.is_object()));
    first && lines.next().is_some()
}

fn read_rows(layout: FileLayout, bytes: &[u8], each: impl FnMut(&Value)) -> RowFaults {
    match layout {
        FileLayout::Document | FileLayout::Lines => rows::json_lines(bytes, each),
        FileLayout::Table { delimiter } => rows::table(bytes, delimiter, each),
    }
}
