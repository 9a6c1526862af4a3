//! Whether a run may start shards by the wall clock: `--at`, the windows of the sweep, and the user's
//! overrides of both.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::closing::Closing;
use super::fact::Event;

/// Whether shards may start. Moments at which that changes are those of the wall clock, because people meant them so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// Shards may start now.
    Open {
        /// End of this period; `None` if no window closes.
        closes: Option<Timestamp>,
    },
    /// A user opened the run before its time.
    Early {
        /// When the run would have opened by itself.
        until: Timestamp,
    },
    /// Shards may not start now.
    Closed {
        /// Since when, by the clock of the run.
        since: Timestamp,
        /// When shards may start again.
        opens: Timestamp,
        /// The reason why the run is closed.
        because: Closing,
    },
}

impl Default for Opening {
    fn default() -> Self {
        Self::Open { closes: None }
    }
}

impl Opening {
    /// Takes one event into account; most change nothing here.
    pub fn apply_event(&mut self, at: Timestamp, event: &Event) {
        if let Event::StartsClosed { opens, because, .. } = event {
            // Where only the moment changes, it has been closed for as long as before.
            let since = match self {
                Self::Closed { since, .. } => *since,
                Self::Open { .. } | Self::Early { .. } => at,
            };
            *self = Self::Closed { since, opens: *opens, because: *because };
        }
        if let Event::StartsOpened { until, by } = event {
            *self = match (by, until) {
                (Some(_), Some(until)) => Self::Early { until: *until },
                (_, closes) => Self::Open { closes: *closes },
            };
        }
    }

    /// Returns the line to show where shards may not start now, with the moment in the given time zone.
    pub fn closed_text(self, now: Timestamp, zone: &TimeZone) -> Option<String> {
        match self {
            Self::Closed { opens, because, .. } => Some(because.to_text(opens, now, zone)),
            Self::Open { .. } | Self::Early { .. } => None,
        }
    }

    /// Returns when shards may start, where they may not now.
    pub fn opens_at(self) -> Option<Timestamp> {
        match self {
            Self::Closed { opens, .. } => Some(opens),
            Self::Open { .. } | Self::Early { .. } => None,
        }
    }
}
