//! The last sign of life of an attempt that was found dead: its costs end there, and not when a supervisor came to
//! look.

use jiff::Timestamp;

use crate::model::attempt::{Leftover, StartRecord};
use crate::model::ids::AttemptKey;
use crate::model::machine::sample::ShardSample;
use crate::rundir::layout::{AttemptDir, RunDir};
use crate::rundir::{clock, telemetry};

/// When something of it was seen alive last: in the table of processes now, in the telemetry, or by what it printed.
pub(in crate::supervisor) fn last_sign_of_life(
    run: &RunDir,
    key: &AttemptKey,
    dir: &AttemptDir,
    started: Option<&StartRecord>,
    leftovers: &[Leftover],
) -> Timestamp {
    let now = clock::now();
    let Some(started) = started.filter(|_| leftovers.is_empty()) else { return now };
    let signs = [Some(started.started), last_reading(run, key), last_output(dir)];
    signs.into_iter().flatten().max().map_or(now, |sign| sign.min(now))
}

/// The newest row of telemetry in which a process of it was found.
fn last_reading(run: &RunDir, key: &AttemptKey) -> Option<Timestamp> {
    let round = telemetry::read_latest_of_shards(run).ok()?;
    let own = |row: &ShardSample| row.shard == key.shard && row.attempt == key.attempt;
    round.into_iter().find(|row| own(row) && row.processes > 0).map(|row| row.timestamp)
}

fn last_output(dir: &AttemptDir) -> Option<Timestamp> {
    let modified = dir.output_log().metadata().ok()?.modified().ok()?;
    modified.try_into().ok().map(clock::of_file)
}
