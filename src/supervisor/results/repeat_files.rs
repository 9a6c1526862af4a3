//! Looks for shards that should have done different episodes and have the same results.

use super::artifact_files;
use crate::model::state::run_state::RunState;
use crate::model::sweep::plan::{Plan, ShardSpec};
use crate::results::artifacts::{ArtifactFile, ShardArtifacts};
use crate::results::doubts::repeats::{self, RepeatedResults};
use crate::results::merge::episode_list::{EpisodeHashes, lists_of};
use crate::results::merge::piece::{Piece, PieceWork};
use crate::results::outcome::shard_outcomes;
use crate::rundir::layout::RunDir;
use crate::rundir::refusal::{open_foreign, read_bounded};

/// Larger files hold more than episodes.
const MOST_BYTES: u64 = 16 << 20;

/// So many files of a shard are read.
const MOST_FILES: usize = 16;

/// Every find among the shards that have succeeded.
pub(in crate::supervisor) fn find_repeats(
    run: &RunDir,
    plan: &Plan,
    state: &RunState,
) -> Vec<RepeatedResults> {
    if plan.shards.len() < 2 {
        return Vec::new();
    }
    let files = artifact_files::read_artifacts(run, plan, state);
    let lists: Vec<Vec<EpisodeHashes>> =
        plan.shards.iter().zip(files).map(|(spec, files)| of_shard(run, spec, files)).collect();
    repeats::find_repeats(plan, &shard_outcomes(plan, state), &lists)
}

fn of_shard(run: &RunDir, spec: &ShardSpec, files: Option<ShardArtifacts>) -> Vec<EpisodeHashes> {
    let is_read = |file: &ArtifactFile| {
        let has_rows = [".json", ".jsonl", ".csv"].iter().any(|end| file.path.ends_with(end));
        has_rows && file.bytes <= MOST_BYTES
    };
    let files = files.into_iter().flat_map(|files| files.files).filter(is_read);
    files.take(MOST_FILES).flat_map(|file| read_lists(run, spec, &file)).collect()
}

/// The lists of a file; one that is gone or does not read has none.
fn read_lists(run: &RunDir, spec: &ShardSpec, file: &ArtifactFile) -> Vec<EpisodeHashes> {
    // An absolute path stays what it is.
    let path = run.path().join(&file.path);
    let Ok(bytes) = open_foreign(&path).and_then(|file| read_bounded(file, MOST_BYTES)) else {
        return Vec::new();
    };
    let shard = spec.id.clone();
    let name = common_name(&file.path, shard.as_str());
    lists_of(&name, &Piece { shard, work: PieceWork::from_spec(spec), file: file.path.clone(), bytes })
}

/// Returns the common name of this file in all shards: the part before its folder of results, and the name of the
/// shard, differ.
fn common_name(path: &str, shard: &str) -> String {
    let below = path.rsplit_once("/out/").map(|(_, below)| below);
    let name = below.unwrap_or_else(|| path.rsplit('/').next().unwrap_or(path));
    name.replace(shard, "")
}
