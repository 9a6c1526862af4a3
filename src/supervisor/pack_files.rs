//! The result files of packs are read, so that each value of a pack is told on its own.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use super::{ended_attempt, results_of_attempt};
use crate::config::render;
use crate::model::plan::{Plan, ShardSpec};
use crate::model::run_state::RunState;
use crate::results::outcome::ShardOutcome;
use crate::results::pack_values::{PackFile, PackValue, of_pack};
use crate::rundir::layout::RunDir;

/// Larger files are no tables of results.
const MOST_BYTES: u64 = 32 << 20;

/// Every value of every pack.
pub(super) fn read(
    run: &RunDir,
    plan: &Plan,
    state: &RunState,
    outcomes: &[ShardOutcome<'_>],
) -> Vec<PackValue> {
    let of_shard = |outcome: &ShardOutcome<'_>| {
        let Some(pack) = &outcome.spec.pack else { return Vec::new() };
        of_pack(outcome, pack, &files(run, plan, state, outcome.spec))
    };
    outcomes.iter().flat_map(of_shard).collect()
}

fn files(run: &RunDir, plan: &Plan, state: &RunState, spec: &ShardSpec) -> Vec<PackFile> {
    let Some(ended) = state.shard(&spec.id).and_then(|shard| shard.phase.ended()) else { return Vec::new() };
    let start = ended_attempt::start_values(run, spec, ended);
    let writer = ended_attempt::writer(run, spec, ended);
    let mut paths: Vec<_> = render::value_files(plan, spec, &start)
        .unwrap_or_default()
        .iter()
        .flat_map(|pattern| results_of_attempt::found(pattern))
        .collect();
    paths.sort();
    paths.dedup();
    let contents = |path: &Path| {
        let about = fs::metadata(path).ok().filter(|about| about.is_file() && about.len() <= MOST_BYTES)?;
        if writer.is_older(&ended_attempt::real(path), &about) {
            return None;
        }
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
        Some(PackFile { name: path.file_name()?.to_string_lossy().into_owned(), bytes })
    };
    paths.iter().filter_map(|path| contents(path)).collect()
}
