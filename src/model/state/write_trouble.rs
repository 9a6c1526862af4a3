//! Writes of a supervisor that the file system refuses at present: the journal cannot record it, being one of them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The version of `write_troubles.json`.
pub const WRITE_TROUBLES_VERSION: u32 = 1;

/// `write_troubles.json`: what cannot be written now. It is empty where all is well, and says something only while a
/// supervisor lives.
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
    /// Anything: the file system of the run directory is full.
    Disk,
    /// `journal.jsonl`; decisions wait for it.
    Journal,
    /// The order of an attempt; its start waits for it.
    Attempt,
    /// The files of `telemetry/`.
    Telemetry,
}

impl WriteTarget {
    fn as_str(self) -> &'static str {
        match self {
            Self::Disk => "run directory",
            Self::Journal => "journal",
            Self::Attempt => "order of a shard",
            Self::Telemetry => "telemetry",
        }
    }

    /// Decisions wait until it can be written.
    fn holds_up(self) -> bool {
        match self {
            Self::Journal | Self::Attempt => true,
            Self::Disk | Self::Telemetry => false,
        }
    }
}

/// A few words about all of them, `None` where all is well. A full disk takes neither orders nor exit records.
pub fn describe_troubles(troubles: &[WriteTrouble]) -> Option<String> {
    let gravest = troubles.iter().find(|trouble| trouble.target.holds_up()).or(troubles.first())?;
    if troubles.iter().any(|trouble| trouble.no_room) {
        return Some("disk full: nothing starts or ends, logs lose output".to_owned());
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
            Some("disk full: nothing starts or ends, logs lose output")
        );
        let read_only = [trouble(WriteTarget::Telemetry, false), trouble(WriteTarget::Journal, false)];
        assert_eq!(
            describe_troubles(&read_only).as_deref(),
            Some("nothing starts or ends: cannot write the journal: Read-only file system")
        );
        assert_eq!(
            describe_troubles(&read_only[..1]).as_deref(),
            Some("cannot write the telemetry: Read-only file system")
        );
    }
}
