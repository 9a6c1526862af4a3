//! Why a run starts nothing for a while.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::model::hours::wall_time::format_moment;

/// Why nothing starts for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Closing {
    /// The run begins at that moment.
    StartTime,
    /// The moment is outside of the windows of the sweep.
    Window,
}

impl Closing {
    /// When shards start, in a few words.
    pub fn to_text(self, opens: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
        let moment = format_moment(opens, now, zone);
        match self {
            Self::StartTime => format!("starts at {moment}"),
            Self::Window => format!("outside of its window, starts at {moment}"),
        }
    }
}
