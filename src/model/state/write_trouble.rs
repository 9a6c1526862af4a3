//! Writes of a supervisor that the file system refuses at present: the journal cannot record it, being one of them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The version of `write_troubles.json`.
pub const WRITE_TROUBLES_VERSION: u32 = 1;

/// `write_troubles.json`: what cannot be written now. It is empty where all is well, and has content only
/// while a supervisor lives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteTroubles {
    /// Version of the format, [`WRITE_TROUBLES_VERSION`] when written by this program.
    pub version: u32,
    /// At most one of each target.
    pub troubles: Vec<WriteTrouble>,
}

/// A target that cannot be written at present.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteTrouble {
    /// File or disk that cannot be written.
    pub target: WriteTarget,
    /// Moment of the first refusal.
    pub since: Timestamp,
    /// There is no room, or the quota is used up.
    pub no_room: bool,
    /// Reason in the words of the system.
    pub error: String,
}

/// Target that a supervisor writes all the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WriteTarget {
    /// Nothing at all is written: the supervisor was stopped by a signal. Readers see it; it cannot say so itself.
    Supervisor,
    /// Anything: the file system of the run directory is full.
    Disk,
    /// `journal.jsonl`; decisions wait for it.
    Journal,
    /// The order of an attempt; its start waits for it.
    Attempt,
    /// The files of `telemetry/`.
    Telemetry,
    /// Nothing yet: the file system will be full soon.
    Room,
}

impl WriteTarget {
    fn as_str(self) -> &'static str {
        match self {
            Self::Supervisor => "run",
            Self::Disk | Self::Room => "run directory",
            Self::Journal => "journal",
            Self::Attempt => "order of a shard",
            Self::Telemetry => "telemetry",
        }
    }

    /// Decisions wait until it can be written.
    fn holds_up(self) -> bool {
        match self {
            Self::Supervisor | Self::Journal | Self::Attempt => true,
            Self::Disk | Self::Telemetry | Self::Room => false,
        }
    }
}

/// Reports whether all of them are only expected.
pub fn are_forecasts(troubles: &[WriteTrouble]) -> bool {
    troubles.iter().all(|trouble| trouble.target == WriteTarget::Room)
}

/// A few words about all of them, `None` where all is well. A full disk takes neither orders nor exit records.
pub fn describe_troubles(troubles: &[WriteTrouble]) -> Option<String> {
    let gravest = troubles.iter().find(|trouble| trouble.target.holds_up()).or(troubles.first())?;
    if troubles.iter().any(|trouble| trouble.target == WriteTarget::Supervisor) {
        return Some("supervisor stopped by a signal: nothing starts or ends".to_owned());
    }
    if gravest.target == WriteTarget::Room {
        return Some(gravest.error.clone());
    }
    if troubles.iter().any(|trouble| trouble.no_room) {
        return Some("disk full: nothing starts or ends, logs wait and may lose output".to_owned());
    }
    let waits = if gravest.target.holds_up() { "nothing starts or ends: " } else { "" };
    Some(format!("{waits}cannot write the {}: {}", gravest.target.as_str(), gravest.error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_say_what_waits_for_the_disk() {
        let trouble = |target, no_room| WriteTrouble {
            target,
            since: Timestamp::UNIX_EPOCH,
            no_room,
            error: "Read-only file system".to_owned(),
        };
        assert_eq!(describe_troubles(&[]), None);
        let full = [trouble(WriteTarget::Disk, true), trouble(WriteTarget::Journal, true)];
        assert_eq!(
            describe_troubles(&full).as_deref(),
            Some("disk full: nothing starts or ends, logs wait and may lose output")
        );
        let read_only = [trouble(WriteTarget::Telemetry, false), trouble(WriteTarget::Journal, false)];
        assert_eq!(
            describe_troubles(&read_only).as_deref(),
            Some("nothing starts or ends: cannot write the journal: Read-only file system")
        );
        let soon = WriteTrouble { error: "full in 20 min".to_owned(), ..trouble(WriteTarget::Room, false) };
        assert_eq!(describe_troubles(std::slice::from_ref(&soon)).as_deref(), Some("full in 20 min"));
        assert!(are_forecasts(std::slice::from_ref(&soon)) && !are_forecasts(&full));
        assert_eq!(
            describe_troubles(&read_only[..1]).as_deref(),
            Some("cannot write the telemetry: Read-only file system")
        );
    }
}
