//! Errors about the files of a run, reported with the path and the way out.

use std::cmp::Ordering;
use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::refusal::OpenRefusal;
use crate::model::history::HISTORY_VERSION;
use crate::model::ids::RunId;
use crate::model::state::run_info::RUN_VERSION;
use crate::model::state::run_state::FoldError;

/// An error about the files of a run.
#[derive(Debug, thiserror::Error)]
pub enum RunDirError {
    /// The file system refused.
    #[error("cannot {doing} {}: {source}{}", path.display(), permission_hint(path, source))]
    Io {
        /// Operation that was tried, as a verb: `read`, `write`.
        doing: &'static str,
        /// Path of the file or folder.
        path: PathBuf,
        /// Reason that the system gives.
        source: io::Error,
    },
    /// A record does not read.
    #[error(
        "{} is not readable as a record: {source}; restore it from a copy, or run the sweep again in another folder",
        path.display()
    )]
    Malformed {
        /// Path of the record that is malformed.
        path: PathBuf,
        /// Mistake that the parser found.
        source: serde_json::Error,
    },
    /// A journal line is not as it was written, and it is not the last one.
    #[error(
        "{} line {line} {problem}: nothing is started or written; restore it from a copy, or look at what is sound with \
         `sweepdeck recover --salvage RUN`",
        path.display()
    )]
    Journal {
        /// Path of the journal's file.
        path: PathBuf,
        /// Number of the line, 1-based.
        line: u64,
        /// Damage of the line.
        problem: LineProblem,
    },
    /// The journal's facts do not fit together.
    #[error("{}: {source}", path.display())]
    Fold {
        /// Path of the journal's file.
        path: PathBuf,
        /// Fact that does not fit the others.
        source: FoldError,
    },
    /// The journal lost facts that the rest of the run proves.
    #[error(
        "{} {problem}: nothing is started or written, because what it lost would be done again; restore it from a copy, \
         or run the sweep again in another folder",
        path.display()
    )]
    Damaged {
        /// Path of the journal's file.
        path: PathBuf,
        /// Damage as a predicate: `is empty`.
        problem: String,
    },
    /// The run lives on another machine or in another container.
    #[error(
        "the run {} lives on {place}, and nothing is started from here: act on it there; from here it can be watched",
        path.display()
    )]
    Elsewhere {
        /// Path of the run's folder.
        path: PathBuf,
        /// Machine or container that the run lives on.
        place: String,
    },
    /// The folder is a copy of a run.
    #[error(
        "{} is a copy of the run {}: it can be looked at, and nothing is executed in it; `sweepdeck run SWEEP --rerun RUN` \
         runs what it lacks",
        path.display(),
        of.display()
    )]
    Copy {
        /// Path of the copied folder.
        path: PathBuf,
        /// The folder that it was copied from.
        of: PathBuf,
    },
    /// The folder was written by a newer program.
    #[error(
        "{} has format version {found}, this program reads up to {RUN_VERSION}; use a newer sweepdeck",
        path.display()
    )]
    NewerVersion {
        /// Path of the newer record.
        path: PathBuf,
        /// Format version of the record.
        found: u32,
    },
    /// The file with what earlier runs learned was written by a newer program.
    #[error(
        "{} has format version {found}, this program reads up to {HISTORY_VERSION}; use a newer sweepdeck, or remove \
         the file",
        path.display()
    )]
    NewerExperience {
        /// Path of the newer file.
        path: PathBuf,
        /// Format version of the file.
        found: u32,
    },
    /// The output folder is in use.
    #[error("{} exists and is not empty; choose another --out", path.display())]
    NotEmpty {
        /// Path of the output folder.
        path: PathBuf,
    },
    /// Other users could have changed it.
    #[error(
        "{} {why}, so others could decide what runs as you; look through it, then take the permission away with \
         `chmod -R go-w` on the run (a file system without modes cannot hold a run)",
        path.display()
    )]
    NotPrivate {
        /// The file or folder.
        path: PathBuf,
        /// Owner of it, or who may write to it.
        why: String,
    },
    /// A folder that is not a run.
    #[error("{} is not a run: it holds no run.json", path.display())]
    NotARun {
        /// Path of the folder without a run.
        path: PathBuf,
    },
    /// A name that belongs to no run.
    #[error("no run is named `{name}`; `sweepdeck ls` lists them{}", format_suggestion(similar.as_ref()))]
    UnknownRun {
        /// Name that was asked for.
        name: String,
        /// A run whose name is close.
        similar: Option<RunId>,
    },
    /// Nothing was ever run.
    #[error("there is no run yet; start one with `sweepdeck run SWEEP` or `sweepdeck demo`")]
    NoRuns,
    /// There is neither `$XDG_STATE_HOME` nor `$HOME`.
    #[error("neither XDG_STATE_HOME nor HOME is set, so runs cannot be found by name; give the run's folder")]
    NoStateFolder,
}

/// Damage of a journal line, as a predicate.
#[derive(Debug, thiserror::Error)]
pub enum LineProblem {
    /// It is no fact.
    #[error("does not read: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// A byte of it was changed.
    #[error("does not fit its checksum")]
    Changed,
    /// Lines before it are gone.
    #[error("has number {found}: {}", missing_lines(*.missing))]
    Gap {
        /// Number that the line says.
        found: u64,
        /// Number of lines that are gone.
        missing: u64,
    },
    /// A line with a lower number than its place.
    #[error("has number {found}: it is there twice or out of order")]
    Repeated {
        /// Number that the line says.
        found: u64,
    },
    /// Lines before it have a checksum.
    #[error("has no checksum, unlike those before it: another program wrote it")]
    Unsealed,
}

impl LineProblem {
    /// The number that a line says is that of its place.
    pub(super) fn check_number(place: u64, found: u64) -> Result<(), Self> {
        match found.cmp(&place) {
            Ordering::Equal => Ok(()),
            Ordering::Greater => Err(Self::Gap { found, missing: found - place }),
            Ordering::Less => Err(Self::Repeated { found }),
        }
    }
}

fn missing_lines(count: u64) -> String {
    if count == 1 {
        "1 line before it is missing".to_owned()
    } else {
        format!("{count} lines before it are missing")
    }
}

impl RunDirError {
    /// For `map_err`: what was tried at which path.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { doing, path, source }
    }

    /// The disk or the quota is full, which passes.
    pub fn is_no_room(&self) -> bool {
        use io::ErrorKind::{QuotaExceeded, StorageFull};
        matches!(self, Self::Io { source, .. } if matches!(source.kind(), StorageFull | QuotaExceeded))
    }

    /// The disk takes nothing now, or not here: a person or a file server has to see to it first.
    pub fn is_unwritable(&self) -> bool {
        let refusals = [Errno::PERM, Errno::ROFS, Errno::IO, Errno::STALE].map(Errno::raw_os_error);
        self.is_no_room()
            || matches!(self, Self::Io { source, .. } if source.raw_os_error().is_some_and(|raw| refusals.contains(&raw)))
    }

    /// The files themselves are wrong: trying again finds the same.
    pub fn is_lasting(&self) -> bool {
        match self {
            Self::Io { source, .. } => OpenRefusal::from_error(source).is_some(),
            Self::Malformed { .. }
            | Self::Journal { .. }
            | Self::Fold { .. }
            | Self::Damaged { .. }
            | Self::Elsewhere { .. }
            | Self::Copy { .. }
            | Self::NewerVersion { .. }
            | Self::NewerExperience { .. }
            | Self::NotEmpty { .. }
            | Self::NotPrivate { .. }
            | Self::NotARun { .. }
            | Self::UnknownRun { .. }
            | Self::NoRuns
            | Self::NoStateFolder => true,
        }
    }
}

fn format_suggestion(similar: Option<&RunId>) -> String {
    similar.map_or_else(String::new, |run| format!("; did you mean `{run}`?"))
}

/// A refusal names the parent folder that lacks `x`, because the message of the kernel does not.
fn permission_hint(path: &Path, source: &io::Error) -> String {
    if source.kind() != io::ErrorKind::PermissionDenied {
        return String::new();
    }
    let mut parents: Vec<&Path> = path.ancestors().skip(1).collect();
    parents.reverse();
    let closed = parents.into_iter().find(|parent| {
        !parent.as_os_str().is_empty()
            && rustix::fs::access(*parent, rustix::fs::Access::EXEC_OK) == Err(Errno::ACCESS)
    });
    closed.map_or_else(String::new, |parent| {
        format!(" (the folder {} cannot be entered: ask its owner for `chmod o+x`)", parent.display())
    })
}
