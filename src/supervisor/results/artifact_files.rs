//! The files that shards have left are looked at: all of their own folders, and what the sweep names elsewhere.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::{ended_attempt, results_of_attempt};
use crate::config::templates::render;
use crate::model::ids::AttemptKey;
use crate::model::state::phase::Ended;
use crate::model::state::run_state::RunState;
use crate::model::state::shard_state::ShardState;
use crate::model::sweep::plan::{Plan, ShardSpec};
use crate::results::artifacts::{ArtifactFile, ShardArtifacts};
use crate::rundir::layout::RunDir;

/// No more files of one shard are looked at: a program may leave an image for each step.
const MOST_FILES: usize = 5000;

/// The files of each shard in the order of the plan; none of a shard of which no attempt has ended.
pub(in crate::supervisor) fn read_artifacts(
    run: &RunDir,
    plan: &Plan,
    state: &RunState,
) -> Vec<Option<ShardArtifacts>> {
    let of_shard = |spec: &ShardSpec| {
        let shard = state.shard(&spec.id)?;
        Some(of_attempt(run, plan, spec, (shard, shard.phase.ended()?)))
    };
    plan.shards.iter().map(of_shard).collect()
}

fn of_attempt(
    run: &RunDir,
    plan: &Plan,
    spec: &ShardSpec,
    (shard, ended): (&ShardState, &Ended),
) -> ShardArtifacts {
    let key = AttemptKey { shard: spec.id.clone(), attempt: ended.attempt };
    let grants = shard.grants_of(ended.attempt);
    let starts = ended_attempt::starts_of_parts(run, plan.template.resume, &key, &grants);
    let mut found = ArtifactScan { files: BTreeMap::new(), more: false };
    starts.iter().for_each(|start| found.add_folder(&start.out));
    // What lies in the attempt's own folder was seen already.
    let mut older = Vec::new();
    let elsewhere = plan.template.artifacts.iter().any(|template| !template.trim().starts_with("{{ out }}"));
    if elsewhere {
        let writer = ended_attempt::ended_writer(run, shard, ended);
        let patterns = |start| render::artifact_paths(plan, spec, start).unwrap_or_default();
        for pattern in starts.iter().flat_map(patterns) {
            let paths = results_of_attempt::find_matches(&pattern);
            paths.iter().for_each(|path| found.add_file(path));
            let is_older = |path: &&PathBuf| {
                let about = found.files.get(*path);
                about.is_some_and(|about| writer.is_older(&ended_attempt::real_path(path), about))
            };
            older.extend(paths.iter().filter(is_older).map(|path| path.display().to_string()));
        }
    }
    let file = |(path, about): (PathBuf, fs::Metadata)| ArtifactFile {
        path: path.strip_prefix(run.path()).unwrap_or(&path).display().to_string(),
        bytes: about.len(),
        identity: (about.dev(), about.ino()),
    };
    ShardArtifacts { files: found.files.into_iter().map(file).collect(), more: found.more, older }
}

struct ArtifactScan {
    files: BTreeMap<PathBuf, fs::Metadata>,
    more: bool,
}

impl ArtifactScan {
    /// Everything below a folder; links to folders are not followed, because they may lead round.
    fn add_folder(&mut self, folder: &Path) {
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                    Ok(_) => self.add_file(&entry.path()),
                    Err(_) => {}
                }
                if self.more {
                    return;
                }
            }
        }
    }

    fn add_file(&mut self, path: &Path) {
        if self.files.len() >= MOST_FILES {
            self.more = true;
            return;
        }
        // Through a link, so that two links to one file are one file.
        if let Some(about) = fs::metadata(path).ok().filter(fs::Metadata::is_file) {
            self.files.insert(path.to_owned(), about);
        }
    }
}
