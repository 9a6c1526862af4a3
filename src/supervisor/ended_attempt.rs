//! An attempt that has ended, seen again when the results are written: its folder and the values of its templates.

use std::path::{Path, PathBuf};

use super::results_of_attempt::Writer;
use crate::config::render::StartValues;
use crate::model::ids::{AttemptKey, GpuIndex};
use crate::model::phase::Ended;
use crate::model::plan::ShardSpec;
use crate::rundir::layout::{AttemptDir, RunDir};

/// Its folder.
pub(super) fn folder(run: &RunDir, spec: &ShardSpec, ended: &Ended) -> AttemptDir {
    run.attempt(&AttemptKey { shard: spec.id.clone(), attempt: ended.attempt })
}

/// What its templates are rendered with.
pub(super) fn start_values(run: &RunDir, spec: &ShardSpec, ended: &Ended) -> StartValues {
    let key = AttemptKey { shard: spec.id.clone(), attempt: ended.attempt };
    start_of(run, &key, &ended.gpus)
}

/// The same for an attempt that was given these GPUs.
pub(super) fn start_of(run: &RunDir, key: &AttemptKey, gpus: &[GpuIndex]) -> StartValues {
    let dir = run.attempt(key);
    StartValues {
        run_dir: run.path().to_owned(),
        attempt_dir: dir.path().to_owned(),
        out: dir.out().into(),
        attempt: key.attempt,
        gpus: gpus.to_vec(),
        gpu_uuids: Vec::new(),
        // The port is not known any more; a file named after it cannot be looked for.
        port: Some(0),
        home: std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute()),
    }
}

/// Who is held against the age of its files; its folder without links.
pub(super) fn writer(run: &RunDir, spec: &ShardSpec, ended: &Ended) -> Writer {
    Writer { folder: real(folder(run, spec, ended).path()), began: ended.started }
}

/// The path without links, where it leads somewhere.
pub(super) fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
