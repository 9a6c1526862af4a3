//! What is told of a merged file: where it is, what it was made of, and what is not in it.

use serde::Serialize;

use super::merging::Completeness;
use super::piece::Refusal;
use crate::model::ids::{AttemptNumber, ShardId};
use crate::model::value::Variables;

/// One merged file, or one that could not be made.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MergedFile {
    /// The combo's values.
    pub vars: Variables,
    /// Its name below `results/`.
    pub file: String,
    /// How complete it is.
    pub completeness: Completeness,
    /// What it is made of.
    pub pieces: Vec<Source>,
    /// What is not in it.
    pub refused: Vec<Refusal>,
    /// What is odd about it.
    pub notes: Vec<String>,
}

/// A piece of a merged file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Source {
    /// Whose it is.
    pub shard: ShardId,
    /// The attempt that wrote it.
    pub attempt: AttemptNumber,
    /// Its path, below the run's folder where it is there.
    pub path: String,
}

impl MergedFile {
    /// One line for people; none where all is well.
    pub fn told(&self) -> Option<String> {
        let (first, others) = self.refused.split_first()?;
        let more = match others.len() {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        Some(match self.completeness {
            Completeness::Whole => return None,
            Completeness::Partial => format!("{} is partial: {first}{more}", self.file),
            Completeness::Refused => format!("{} was not merged: {first}{more}", self.file),
        })
    }
}
