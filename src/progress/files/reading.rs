//! What the result files of one attempt say.

use std::collections::{BTreeMap, BTreeSet};

use super::tally::FileCompletion;
use crate::model::results::episode_list::EpisodeList;

/// The results that the files of one attempt give.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ResultReading {
    /// Finite values by metric.
    pub metrics: BTreeMap<String, Figure>,
    /// Metrics that are not a number, with the file that says so.
    pub not_numbers: BTreeMap<String, String>,
    /// Metrics that are infinite in a file, which is reported as a fault.
    pub infinite: BTreeSet<String>,
    /// Files of known formats.
    pub recognised: Vec<RecognisedFile>,
    /// Faults of the files: one is missing, or something is wrong with it.
    pub faults: Vec<FileFault>,
    /// How single episodes ended, where a file says so.
    pub episodes: Option<EpisodeList>,
}

/// A number and the file that gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Value of the metric, a finite number.
    pub value: f64,
    /// The name of its file.
    pub file: String,
}

/// A file of a known format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecognisedFile {
    /// Name of the file whose format is known.
    pub file: String,
    /// The format, for people.
    pub format: &'static str,
    /// Whether the mere presence of the file shows that all was done.
    pub ending: FileCompletion,
}

/// Why something is not known from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileFault {
    /// There is no such file: of a program that failed, no news.
    Absent(String),
    /// The file is there, but something is wrong with it.
    Odd(String),
}

impl FileFault {
    /// Returns the fault as one line for people.
    pub fn told(&self) -> &str {
        match self {
            Self::Absent(told) | Self::Odd(told) => told,
        }
    }
}
