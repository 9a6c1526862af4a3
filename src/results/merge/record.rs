//! The record of a merged file: where it is, what it was made of, and what is not in it.

use serde::Serialize;

use super::merging::Completeness;
use super::piece::PieceRefusal;
use crate::model::ids::{AttemptNumber, ShardId};
use crate::model::value::Variables;

/// A merged file, or one that could not be made.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MergedFile {
    /// Values of the combo by axis.
    pub vars: Variables,
    /// Its name below `results/`.
    pub file: String,
    /// How complete it is.
    pub completeness: Completeness,
    /// Pieces that it is made of.
    pub pieces: Vec<MergedPiece>,
    /// Pieces that are not in it, with the reason.
    pub refused: Vec<PieceRefusal>,
    /// Remarks on what is odd about it.
    pub notes: Vec<String>,
}

/// A piece of a merged file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MergedPiece {
    /// Shard that wrote the piece.
    pub shard: ShardId,
    /// The attempt that wrote it.
    pub attempt: AttemptNumber,
    /// Its path, below the run's folder where it is there.
    pub path: String,
}

impl MergedFile {
    /// Describes in one line for people what the file lacks; `None` if all is well.
    pub fn describe_gaps(&self) -> Option<String> {
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
