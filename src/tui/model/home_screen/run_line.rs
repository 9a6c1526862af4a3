//! A run at a glance, as the home screen lists it.

use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;

use crate::model::ids::{RunId, ShardId};
use crate::model::outcome::Progress;
use crate::model::state::fact::Condition;
use crate::model::state::phase::PhaseKind;
use crate::results::status::document::{PhaseCounts, RunWord};
use crate::tui::model::results::overall::RunSuccess;
use crate::tui::model::results::run_progress::RunShares;

/// A run of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct RunLine {
    /// Its name on this machine.
    pub id: RunId,
    /// The folder that holds its files.
    pub dir: PathBuf,
    /// When it was created.
    pub created: Timestamp,
    /// How far its files could be read, and their content.
    pub standing: RunLineState,
}

/// The state of a run, as far as that is known.
#[derive(Debug, Clone, PartialEq)]
pub enum RunLineState {
    /// Its journal has not been read yet.
    Unread,
    /// Its files do not read, and why.
    Unreadable(String),
    /// Its folder is not there any more, or holds another run now: which of both.
    Gone(String),
    /// Its files were read, with this content.
    Read(Box<RunSummary>),
}

/// A summary of a run whose files read.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSummary {
    /// The word for what the run is doing.
    pub state: RunWord,
    /// Number of shards in each phase.
    pub counts: PhaseCounts,
    /// How far it is.
    pub share: RunShares,
    /// How much longer it will take; unknown also where it is over.
    pub left: Option<Duration>,
    /// When its shards may start, where they may not now.
    pub opens: Option<Timestamp>,
    /// When it was over.
    pub ended: Option<Timestamp>,
    /// The success of the whole run.
    pub success: Option<RunSuccess>,
    /// Why shards failed, in one line: the message of a single one, or counts by reason.
    pub failed: Option<String>,
    /// Its first shards, those that need the user before all others.
    pub rows: Vec<PreviewRow>,
}

/// A shard in the preview of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct PreviewRow {
    /// Name of the shard in its sweep.
    pub id: ShardId,
    /// Phase that the shard is in.
    pub kind: PhaseKind,
    /// On top of the phase.
    pub condition: Option<Condition>,
    /// Done of how many.
    pub progress: Option<Progress>,
    /// Message of its failure, if it failed.
    pub message: Option<String>,
    /// How much longer it will take.
    pub left: Option<Duration>,
}

impl RunSummary {
    /// Reports whether the run waits for its start time, with a supervisor that starts it then.
    pub fn is_waiting(&self) -> bool {
        self.state == RunWord::Running && self.opens.is_some()
    }
}

impl RunLine {
    /// Returns the summary of the run, if its files were read.
    pub fn glance(&self) -> Option<&RunSummary> {
        match &self.standing {
            RunLineState::Read(glance) => Some(glance),
            RunLineState::Unread | RunLineState::Unreadable(_) | RunLineState::Gone(_) => None,
        }
    }

    /// Reports whether the run is not over, whether a supervisor is at work or has to be started.
    pub fn goes_on(&self) -> bool {
        self.glance().is_some_and(|glance| match glance.state {
            RunWord::Running | RunWord::Unsupervised => true,
            RunWord::Finished | RunWord::Stopped => false,
        })
    }

    /// Returns the rank of the run; lower ranks come first in the list.
    pub fn sort_rank(&self) -> u8 {
        match &self.standing {
            RunLineState::Gone(_) => 2,
            RunLineState::Unread | RunLineState::Unreadable(_) | RunLineState::Read(_) => {
                u8::from(!self.goes_on())
            }
        }
    }

    /// Returns the state of the run in a word or two.
    pub fn state_word(&self) -> &'static str {
        match &self.standing {
            RunLineState::Unread => "reading",
            RunLineState::Unreadable(_) => "unreadable",
            RunLineState::Gone(_) => "gone",
            RunLineState::Read(glance) if glance.is_waiting() => "starts later",
            RunLineState::Read(glance) => glance.state.as_str(),
        }
    }
}
