//! What the result files of one attempt say.

use std::collections::{BTreeMap, BTreeSet};

use super::tally::Ending;
use crate::model::episode_list::EpisodeList;

/// What the result files of one attempt say.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ResultReading {
    /// Finite values by metric.
    pub metrics: BTreeMap<String, Figure>,
    /// Metrics that are not a number, with the file that says so.
    pub not_numbers: BTreeMap<String, String>,
    /// Metrics that are infinite in a file, which is told as a fault.
    pub infinite: BTreeSet<String>,
    /// Files of known formats.
    pub recognised: Vec<RecognisedFile>,
    /// What could not be read.
    pub faults: Vec<FileFault>,
    /// How single episodes ended, where a file tells.
    pub episodes: Option<EpisodeList>,
}

/// A number and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The number.
    pub value: f64,
    /// The name of its file.
    pub file: String,
}

/// A file of a known format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecognisedFile {
    /// Its name.
    pub file: String,
    /// The format, for people.
    pub format: &'static str,
    /// Whether it tells by being there that all was done.
    pub ending: Ending,
}

/// Why something is not known from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileFault {
    /// There is no such file: of a program that failed, no news.
    Absent(String),
    /// It is there, but something is wrong with it.
    Odd(String),
}

impl FileFault {
    /// One line for people.
    pub fn told(&self) -> &str {
        match self {
            Self::Absent(told) | Self::Odd(told) => told,
        }
    }
}
