//! Judges the folders that runs, sockets and memory of runs need.

use std::path::PathBuf;
use std::time::Duration;

use super::check::Check;
use super::facts::{FolderFacts, FolderTrial};
use crate::model::units::UNKNOWN;

const FOLDER: &str = "run folder";

/// Each start of a shard waits for a few syncs.
const SLOW_SYNC: Duration = Duration::from_secs(1);

pub(super) fn judge_folder(folder: &FolderFacts) -> Check {
    // The gravest is first.
    if let Some(finding) = folder.findings.first() {
        return Check::from_finding(FOLDER, finding);
    }
    let path = folder.path.display();
    let free = folder.free.map_or_else(|| UNKNOWN.to_owned(), |free| free.to_string());
    match &folder.trial {
        FolderTrial::Fails { step, because } => Check::problem(
            FOLDER,
            format!("in {path} the program cannot {step}: {because}"),
            "choose a folder on another file system with `--out`",
        ),
        FolderTrial::Works { sync } if *sync > SLOW_SYNC => Check::warning(
            FOLDER,
            format!(
                "{path} needs {:.1} s to sync a small file, and each start waits for that",
                sync.as_secs_f64()
            ),
            "choose a folder on a faster disk with `--out`",
        ),
        FolderTrial::Works { .. } => match folder.shared {
            Some(kind) => Check::warning(
                FOLDER,
                format!(
                    "{path} is on {kind}, which reports no changes of files: logs are polled ({free} free)"
                ),
                "where the machine has a disk of its own, choose it with `--out`",
            ),
            None => Check::ok(FOLDER, format!("{path}, {free} free; locks, links and syncs work")),
        },
    }
}

pub(super) fn judge_sockets(sockets: &Result<PathBuf, String>) -> Check {
    let remedy = "remove what is in the way, or make XDG_STATE_HOME a folder of yours with a short path";
    judge_place("sockets", sockets, remedy)
}

pub(super) fn judge_state(state: &Result<PathBuf, String>) -> Check {
    let remedy = "set HOME or XDG_STATE_HOME to a folder that you may write to; without it runs are found by folder only";
    judge_place("memory of runs", state, remedy)
}

fn judge_place(name: &'static str, place: &Result<PathBuf, String>, remedy: &'static str) -> Check {
    match place {
        Ok(path) => Check::ok(name, path.display().to_string()),
        Err(because) => Check::problem(name, because, remedy),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::units::Bytes;
    use crate::preflight::doctor::check::CheckLevel;
    use crate::preflight::finding::{Finding, FindingSeverity};

    fn folder() -> FolderFacts {
        FolderFacts {
            path: PathBuf::from("/data"),
            findings: Vec::new(),
            free: Some(Bytes(10 << 30)),
            shared: None,
            trial: FolderTrial::Works { sync: Duration::from_millis(3) },
        }
    }

    #[test]
    fn the_gravest_about_a_folder_is_shown() {
        assert_eq!(judge_folder(&folder()).level, CheckLevel::Ok);
        assert_eq!(judge_folder(&FolderFacts { shared: Some("nfs"), ..folder() }).level, CheckLevel::Warning);
        let trial = FolderTrial::Works { sync: Duration::from_secs(2) };
        assert_eq!(judge_folder(&FolderFacts { trial, ..folder() }).level, CheckLevel::Warning);
        let trial = FolderTrial::Fails { step: "lock a file", because: "not supported".to_owned() };
        let unlockable = judge_folder(&FolderFacts { trial, shared: Some("nfs"), ..folder() });
        assert_eq!(unlockable.level, CheckLevel::Problem);
        assert!(unlockable.message.contains("cannot lock a file"), "{unlockable:?}");
        let findings = vec![Finding::new(FindingSeverity::Refuse, "output", "it cannot be written to")];
        assert_eq!(judge_folder(&FolderFacts { findings, ..folder() }).level, CheckLevel::Problem);
    }

    #[test]
    fn a_place_that_is_missing_has_a_remedy() {
        let missing = judge_sockets(&Err("/tmp/sweepdeck-1 belongs to another user".to_owned()));
        assert_eq!(missing.level, CheckLevel::Problem);
        assert!(missing.remedy.is_some());
        assert_eq!(judge_state(&Ok(PathBuf::from("/home/u"))).level, CheckLevel::Ok);
    }
}
