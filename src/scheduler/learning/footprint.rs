//! How much VRAM the shards of a combo really take, learned from those that run and those that have ended.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;

use crate::model::ids::{AttemptKey, GpuIndex};
use crate::model::outcome::Verdict;
use crate::model::state::run_state::RunState;
use crate::model::state::shard_state::ShardState;
use crate::model::units::Bytes;
use crate::scheduler::machine::MachineState;

/// A footprint counts as known when it has not grown for so long after the first progress: allocators take what the
/// first steps need and keep it.
const SETTLED: Duration = Duration::from_secs(5);

/// Without any progress in the log it takes longer to believe: loading a scene or a model comes in steps.
const SETTLED_SILENT: Duration = Duration::from_secs(120);

/// A smaller growth is the noise of allocators.
const NOISE: u64 = 16 << 20;

/// VRAM of attempts by the GPUs they were given, and of combos.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Footprints {
    living: BTreeMap<AttemptKey, LiveFootprint>,
    /// By the number of the combo. Where nothing could be measured the list is empty.
    known: BTreeMap<usize, Vec<Bytes>>,
    /// The part of it that was measured in this run.
    measured: BTreeMap<usize, Vec<Bytes>>,
    /// The most of any combo.
    largest: Vec<Bytes>,
}

/// Measurements of a living attempt.
#[derive(Debug, Clone, PartialEq)]
struct LiveFootprint {
    /// The most on each of its GPUs.
    peaks: Vec<Bytes>,
    /// When one of them last grew.
    grown: Timestamp,
    /// When it first made progress.
    progressed: Option<Timestamp>,
}

impl Footprints {
    /// Returns the use of earlier attempts of this run: after a crash nothing else is left of them. The
    /// journal keeps one figure for all GPUs of an attempt, so that only attempts with one GPU count. An
    /// edited attempt did other work.
    pub fn of_journal(state: &RunState, combos: &[usize]) -> Self {
        let mut footprints = Self::default();
        for (shard, combo) in state.shards.iter().zip(combos) {
            let ends = shard.history.iter().chain(shard.phase.ended());
            for ended in ends.filter(|ended| ended.edit.is_empty()) {
                if let ([_], Verdict::Succeeded, Some(peak)) =
                    (&ended.gpus[..], &ended.outcome.verdict, ended.outcome.peaks.vram)
                {
                    footprints.learn_peaks(*combo, &[peak]);
                }
            }
        }
        footprints
    }

    /// Takes a reading of an attempt in; `idle_use` is what its GPUs had in use before it came.
    pub fn add_sample(
        &mut self,
        key: &AttemptKey,
        gpus: &[GpuIndex],
        machine: &MachineState,
        idle_use: &BTreeMap<GpuIndex, Bytes>,
        is_alone: bool,
    ) {
        if !machine.attempts.contains_key(key) {
            return;
        }
        let used = |gpu: &GpuIndex| {
            let beyond_idle = || {
                // Who is alone on a card uses what is used there beyond what was used before.
                let used = machine.card(*gpu)?.used.filter(|_| is_alone)?;
                Some(Bytes(used.0.saturating_sub(idle_use.get(gpu)?.0)))
            };
            machine.vram_of(key, *gpu).or_else(beyond_idle)
        };
        let fresh = || LiveFootprint { peaks: Vec::new(), grown: machine.at, progressed: None };
        let measured = self.living.entry(key.clone()).or_insert_with(fresh);
        let Some(now) = gpus.iter().map(used).collect::<Option<Vec<Bytes>>>() else { return };
        measured.peaks.resize(now.len(), Bytes(0));
        for (peak, now) in measured.peaks.iter_mut().zip(&now) {
            if now.0 > peak.0.saturating_add(NOISE.max(peak.0 / 100)) {
                measured.grown = machine.at;
            }
            *peak = (*peak).max(*now);
        }
    }

    /// The attempt has made progress.
    pub fn note_progress(&mut self, key: &AttemptKey, now: Timestamp) {
        let fresh = || LiveFootprint { peaks: Vec::new(), grown: now, progressed: None };
        self.living.entry(key.clone()).or_insert_with(fresh).progressed.get_or_insert(now);
    }

    /// The most that was measured of a living attempt, on each of its GPUs.
    pub fn living_peaks(&self, key: &AttemptKey) -> Option<&[Bytes]> {
        self.living.get(key).map(|measured| measured.peaks.as_slice())
    }

    /// The attempt will hardly take more than it has taken so far.
    pub fn is_settled(&self, key: &AttemptKey, now: Timestamp) -> bool {
        let Some(measured) = self.living.get(key) else { return false };
        let is_used = measured.peaks.iter().any(|peak| *peak > Bytes(0));
        let wait = match (is_used, measured.progressed.is_some()) {
            (true, true) => SETTLED,
            (true, false) | (false, true) => SETTLED_SILENT,
            // What cannot be measured at all holds up no other shard for longer either.
            (false, false) if measured.peaks.is_empty() => SETTLED_SILENT,
            (false, false) => return false,
        };
        measured.grown.checked_add(wait).is_ok_and(|at| at <= now)
    }

    /// When an attempt that made progress will have taken no more memory for a while; `None` before its first progress.
    pub fn steady_from(&self, key: &AttemptKey) -> Option<Timestamp> {
        let measured = self.living.get(key)?;
        measured.grown.max(measured.progressed?).checked_add(SETTLED).ok()
    }

    /// An attempt of the combo took so much.
    pub fn learn_peaks(&mut self, combo: usize, peaks: &[Bytes]) {
        raise_peaks(self.measured.entry(combo).or_default(), peaks);
        self.recall_peaks(combo, peaks);
    }

    /// Shards of the combo took so much in an earlier run.
    pub fn recall_peaks(&mut self, combo: usize, peaks: &[Bytes]) {
        raise_peaks(self.known.entry(combo).or_default(), peaks);
        raise_peaks(&mut self.largest, peaks);
    }

    /// The most that was measured of the combo in this run; empty where nothing was.
    pub fn measured_peaks(&self, combo: usize) -> &[Bytes] {
        self.measured.get(&combo).map_or(&[], Vec::as_slice)
    }

    /// An attempt of the combo has ended. Where it succeeded with the sweep's own values, what the combo takes is
    /// known, also where it never settled.
    pub fn end_attempt(&mut self, key: &AttemptKey, combo: usize, tells: bool) {
        let measured = self.living.remove(key);
        if tells {
            self.learn_peaks(combo, measured.as_ref().map_or(&[], |measured| &measured.peaks));
        }
    }

    /// Drops attempts that are no more.
    pub fn retain_attempts(&mut self, is_present: impl Fn(&AttemptKey) -> bool) {
        self.living.retain(|key, _| is_present(key));
    }

    /// Returns what a shard of the combo takes, on each of its GPUs; empty where it could not be measured.
    pub fn of_combo(&self, combo: usize) -> Option<&[Bytes]> {
        self.known.get(&combo).map(Vec::as_slice)
    }

    /// Returns what the greediest combo takes, for combos of which nothing is known.
    pub fn largest_peaks(&self) -> Option<&[Bytes]> {
        (!self.known.is_empty()).then_some(&self.largest)
    }
}

fn raise_peaks(known: &mut Vec<Bytes>, peaks: &[Bytes]) {
    known.resize(known.len().max(peaks.len()), Bytes(0));
    for (known, peak) in known.iter_mut().zip(peaks) {
        *known = (*known).max(*peak);
    }
}

/// The attempt of a shard that runs now.
pub fn living_key(shard: &ShardState) -> Option<AttemptKey> {
    let attempt = shard.phase.attempt().filter(|_| shard.phase.kind().is_active())?;
    Some(AttemptKey { shard: shard.id.clone(), attempt })
}
