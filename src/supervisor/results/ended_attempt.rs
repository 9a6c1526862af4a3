//! An attempt that has ended, seen again when the results are written: its folders and the values of its templates.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::results_of_attempt::WritingAttempt;
use crate::config::templates::render::{PreviousAttempt, StartValues};
use crate::model::ids::{AttemptKey, AttemptNumber};
use crate::model::state::phase::Ended;
use crate::model::state::shard_state::ShardState;
use crate::model::sweep::resume::{Grants, Resume};
use crate::rundir::layout::RunDir;

/// The values that its templates were rendered with; for each attempt that holds a part of its results, oldest first.
pub(in crate::supervisor) fn starts_of_parts(
    run: &RunDir,
    resume: Resume,
    key: &AttemptKey,
    grants: &Grants,
) -> Vec<StartValues> {
    let parts = grants.result_attempts(key.attempt, resume);
    let start = |(place, attempt): (usize, &AttemptNumber)| {
        let earlier = match resume {
            Resume::Never | Resume::InPlace => grants.earlier.clone(),
            Resume::FromPrevious => parts[..place].to_vec(),
        };
        let part = AttemptKey { shard: key.shard.clone(), attempt: *attempt };
        start_of(run, resume, &part, &Grants { earlier, ..grants.clone() })
    };
    parts.iter().enumerate().map(start).collect()
}

/// The values of the start of one attempt.
pub(in crate::supervisor) fn start_of(
    run: &RunDir,
    resume: Resume,
    key: &AttemptKey,
    grants: &Grants,
) -> StartValues {
    let of = |attempt| run.attempt_dir(&AttemptKey { shard: key.shard.clone(), attempt });
    let out = of(grants.folder_of(key.attempt, resume)).out_folder().into();
    let previous = grants.earlier.last().filter(|_| !resume.is_never()).map(|attempt| PreviousAttempt {
        attempt: *attempt,
        out: match resume {
            Resume::Never | Resume::FromPrevious => of(*attempt).out_folder().into(),
            Resume::InPlace => PathBuf::clone(&out),
        },
        done: grants.done.map(|progress| progress.done),
    });
    StartValues {
        run_dir: run.path().to_owned(),
        attempt_dir: of(key.attempt).path().to_owned(),
        out,
        attempt: key.attempt,
        gpus: grants.gpus.clone(),
        gpu_uuids: Vec::new(),
        // The port is not known any more; a file named after it cannot be looked for.
        port: Some(0),
        previous,
        home: std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute()),
        services: BTreeMap::new(),
    }
}

/// Returns whose files count, and since when: those of an attempt and of the attempts whose work it continued.
pub(in crate::supervisor) fn writer_of(
    run: &RunDir,
    key: &AttemptKey,
    earlier: &[&Ended],
    began: Option<Timestamp>,
) -> WritingAttempt {
    let folder =
        |attempt| real_path(run.attempt_dir(&AttemptKey { shard: key.shard.clone(), attempt }).path());
    let attempts = earlier.iter().map(|ended| ended.attempt).chain([key.attempt]);
    let began = earlier.first().map_or(began, |first| first.started);
    WritingAttempt { folders: attempts.map(folder).collect(), began }
}

/// The same for an ended attempt of a shard.
pub(in crate::supervisor) fn ended_writer(run: &RunDir, shard: &ShardState, ended: &Ended) -> WritingAttempt {
    let key = AttemptKey { shard: shard.id.clone(), attempt: ended.attempt };
    writer_of(run, &key, &shard.earlier_of(ended.attempt), ended.started)
}

/// The path without links, where it leads somewhere.
pub(in crate::supervisor) fn real_path(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
