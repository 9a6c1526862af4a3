//! What is measured of each running attempt: peaks, its part of its GPUs, and what was wrong with them.

use std::collections::{BTreeSet, HashMap, HashSet};

use jiff::Timestamp;

use super::gpu_mismatch::GpuMismatch;
use super::load::{LoadMeter, Shares};
use super::roots::Roots;
use super::vram_rise::VramRise;
use crate::model::ids::{AttemptKey, GpuIndex};
use crate::model::machine::sample::{GpuProcess, GpuSample, ShardSample, TelemetrySample};
use crate::model::outcome::Peaks;
use crate::model::state::run_state::RunState;
use crate::model::units::duration_between;
use crate::process::stat::Stat;
use crate::rundir::clock;
use crate::scheduler::input::LoadKind;
use crate::telemetry::component_memory::{self, Component};
use crate::telemetry::gpu_use::{GpuUse, Intervals, TenantCount};
use crate::telemetry::shards::OnGpus;

/// The attempts that run now.
#[derive(Default)]
pub(in crate::supervisor) struct Attempts {
    running: HashMap<AttemptKey, Tracked>,
    /// The last rows of an earlier supervisor, for the attempts that are adopted.
    earlier: HashMap<AttemptKey, ShardSample>,
    /// Attempts of the earlier supervisor that may still run. Until each is adopted or has ended, the tenants of GPUs
    /// are not known.
    awaited: HashSet<AttemptKey>,
    intervals: Intervals,
}

/// A running attempt with its measurements.
struct Tracked {
    roots: Roots,
    gpus: Vec<GpuIndex>,
    components: Vec<Component>,
    /// Since when it is on them.
    since: Timestamp,
    peaks: Peaks,
    rise: VramRise,
    used: GpuUse,
    warnings: BTreeSet<String>,
    gpu_mismatch: GpuMismatch,
    load: LoadMeter,
}

/// The measurements of an ended attempt.
#[derive(Default)]
pub(in crate::supervisor) struct FinalMeasures {
    /// The GPUs it was on.
    pub(in crate::supervisor) gpus: Vec<GpuIndex>,
    /// Peaks and sums of its use of the machine.
    pub(in crate::supervisor) peaks: Peaks,
    /// Faults of its GPUs while it ran.
    pub(in crate::supervisor) warnings: Vec<String>,
}

impl Attempts {
    /// Goes on where an earlier supervisor stopped.
    pub(in crate::supervisor) fn resume_from(
        gpus: Vec<GpuSample>,
        shards: Vec<ShardSample>,
        state: &RunState,
    ) -> Self {
        let key = |row: &ShardSample| AttemptKey { shard: row.shard.clone(), attempt: row.attempt };
        let may_run =
            |row: &&ShardSample| state.shard(&row.shard).is_some_and(|shard| shard.is_at(row.attempt));
        Self {
            running: HashMap::new(),
            awaited: shards.iter().filter(may_run).map(key).collect(),
            earlier: shards.into_iter().map(|row| (key(&row), row)).collect(),
            intervals: Intervals::resume_from(gpus),
        }
    }

    /// Measure this attempt from now on; `warnings` is what is wrong with its GPUs already.
    pub(in crate::supervisor) fn track_attempt(
        &mut self,
        key: AttemptKey,
        roots: Roots,
        (gpus, components): (Vec<GpuIndex>, Vec<Component>),
        warnings: BTreeSet<String>,
    ) {
        self.awaited.remove(&key);
        // Who was there before this supervisor was on its GPUs all the time since.
        let (since, used) = match self.earlier.remove(&key) {
            Some(row) => (Timestamp::MIN, GpuUse::so_far(&row)),
            None => (clock::now(), GpuUse::default()),
        };
        let is_new = since != Timestamp::MIN && self.awaited.is_empty();
        let rise = self.begin_rise(&gpus, is_new);
        let tracked = Tracked {
            rise,
            roots,
            gpus,
            components,
            since,
            peaks: Peaks::default(),
            used,
            warnings,
            gpu_mismatch: GpuMismatch::default(),
            load: LoadMeter::default(),
        };
        self.running.insert(key, tracked);
    }

    /// The rise of memory on the GPUs of an attempt that starts; those that are there already are not alone any more.
    fn begin_rise(&mut self, gpus: &[GpuIndex], is_new: bool) -> VramRise {
        let mut is_alone = is_new;
        for other in self.running.values_mut() {
            if other.gpus.iter().any(|gpu| gpus.contains(gpu)) {
                other.rise.spoil();
                is_alone = false;
            }
        }
        VramRise::from(gpus.iter().map(|gpu| (*gpu, self.intervals.vram_used(*gpu))), is_alone)
    }

    /// Stop measuring and give what was measured.
    pub(in crate::supervisor) fn untrack_attempt(&mut self, key: &AttemptKey) -> FinalMeasures {
        self.awaited.remove(key);
        let Some(Tracked { gpus, peaks, rise, used, warnings, .. }) = self.running.remove(key) else {
            return FinalMeasures::default();
        };
        let rise = rise.peak_rise(&gpus).filter(|_| peaks.vram.is_none());
        let peaks = Peaks {
            vram: peaks.vram.or(rise),
            vram_by_rise: rise.is_some(),
            energy: used.energy,
            throttled: used.throttled_share(),
            ..peaks
        };
        FinalMeasures { gpus, peaks, warnings: warnings.into_iter().collect() }
    }

    /// Returns where the processes of each attempt are found.
    pub(in crate::supervisor) fn attempt_roots(&self) -> Vec<(AttemptKey, Roots)> {
        self.running.iter().map(|(key, tracked)| (key.clone(), tracked.roots.clone())).collect()
    }

    /// Something is wrong with a GPU.
    pub(in crate::supervisor) fn add_warning(&mut self, gpu: GpuIndex, text: &str) {
        for tracked in self.running.values_mut().filter(|tracked| tracked.gpus.contains(&gpu)) {
            tracked.warnings.insert(text.to_owned());
        }
    }

    /// The log of an attempt names a renderer of the processor.
    pub(in crate::supervisor) fn suspect_renderer(
        &mut self,
        key: &AttemptKey,
        renderer: &'static str,
        now: Timestamp,
    ) {
        if let Some(tracked) = self.running.get_mut(key) {
            tracked.gpu_mismatch.suspect_renderer(renderer, now);
        }
    }

    /// Looks for attempts that are not where they were put. The set of GPUs holds those whose driver lists all
    /// processes.
    pub(in crate::supervisor) fn look_for(
        &mut self,
        on_gpus: &OnGpus,
        telling: &HashSet<GpuIndex>,
        now: Timestamp,
    ) -> Vec<(AttemptKey, String)> {
        let mut alarms = Vec::new();
        for (key, tracked) in self.running.iter_mut().filter(|(_, tracked)| tracked.roots.are_placed()) {
            let on: Vec<GpuIndex> =
                on_gpus.attempts.get(key).map(|on| on.keys().copied().collect()).unwrap_or_default();
            let is_known = tracked.gpus.iter().all(|gpu| telling.contains(gpu));
            for text in tracked.gpu_mismatch.check_gpus(&tracked.gpus, &on, is_known, now) {
                tracked.warnings.insert(text.clone());
                alarms.push((key.clone(), text));
            }
        }
        alarms
    }

    /// Takes in new readings and completes the rows with what each attempt had of its GPUs so far.
    pub(in crate::supervisor) fn add_readings(
        &mut self,
        gpus: &[GpuSample],
        strangers: &HashSet<GpuIndex>,
        rows: &mut [ShardSample],
    ) {
        for sample in gpus {
            let there = self.running.values_mut().filter(|tracked| tracked.gpus.contains(&sample.gpu));
            there.for_each(|tracked| tracked.rise.add_sample(sample, tracked.since));
            self.divide_energy(sample, strangers.contains(&sample.gpu));
        }
        for row in rows {
            let key = AttemptKey { shard: row.shard.clone(), attempt: row.attempt };
            let Some(tracked) = self.running.get_mut(&key) else { continue };
            tracked.used.write(row);
            let peaks = &mut tracked.peaks;
            peaks.rss = peaks.rss.max(row.rss_bytes);
            peaks.vram = peaks.vram.max(row.vram_bytes);
            for gpu in gpus.iter().filter(|gpu| tracked.gpus.contains(&gpu.gpu)) {
                peaks.power_w = larger_known(peaks.power_w, gpu.power_w);
                peaks.temperature_c = larger_known(peaks.temperature_c, gpu.temperature_c);
            }
        }
    }

    /// Completes the rows of shards with several GPUs or with components: what they hold on each.
    pub(in crate::supervisor) fn divide_memory(&self, on_gpus: &OnGpus, rows: &mut [ShardSample]) {
        for row in rows {
            let key = AttemptKey { shard: row.shard.clone(), attempt: row.attempt };
            let Some(tracked) = self.running.get(&key) else { continue };
            let processes = on_gpus.processes.get(&key).map_or(&[][..], Vec::as_slice);
            let is_divided = tracked.gpus.len() > 1 || !tracked.components.is_empty();
            if is_divided && !processes.is_empty() {
                row.vram_parts = Some(component_memory::vram_parts(processes, &tracked.components));
            }
        }
    }

    /// Returns where the work of attempts lies, as far as it became known or changed in this round. The supervisor is
    /// not woken for what it knows.
    pub(in crate::supervisor) fn changed_loads(
        &mut self,
        round: &TelemetrySample,
    ) -> Vec<(AttemptKey, LoadKind)> {
        let host = round.host.as_ref().and_then(|host| host.cpu_percent);
        let mut news = Vec::new();
        for row in &round.shards {
            let key = AttemptKey { shard: row.shard.clone(), attempt: row.attempt };
            let Some(tracked) = self.running.get_mut(&key) else { continue };
            let own = round.gpus.iter().filter(|gpu| tracked.gpus.contains(&gpu.gpu));
            let gpu = own.filter_map(|gpu| gpu.utilization_percent).reduce(f64::max);
            news.extend(
                tracked.load.add_round(Shares { cpu: row.cpu_percent, gpu, host }).map(|load| (key, load)),
            );
        }
        news
    }

    fn divide_energy(&mut self, sample: &GpuSample, has_strangers: bool) {
        if !self.awaited.is_empty() {
            return;
        }
        let Some(interval) = self.intervals.end_interval(sample) else { return };
        let there = |tracked: &&Tracked| tracked.gpus.contains(&sample.gpu);
        let tenants = TenantCount {
            attempts: self.running.values().filter(there).count(),
            // A GPU whose processes are not listed may have others.
            others: sample.outside_processes.map(|_| has_strangers),
        };
        for tracked in self.running.values_mut().filter(|tracked| tracked.gpus.contains(&sample.gpu)) {
            let present = duration_between(tracked.since, sample.timestamp);
            tracked.used.add_interval(&interval, tenants, present.as_secs_f64());
        }
    }
}

/// GPUs with processes that belong to no attempt.
pub(in crate::supervisor) fn with_strangers(
    attempts: &[(AttemptKey, Vec<Stat>)],
    processes: &[GpuProcess],
) -> HashSet<GpuIndex> {
    let own: HashSet<u32> =
        attempts.iter().flat_map(|(_, tree)| tree.iter().map(|process| process.pid)).collect();
    processes.iter().filter(|process| !own.contains(&process.pid)).map(|process| process.gpu).collect()
}

fn larger_known(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.into_iter().chain(b).reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::claims::claim::Claim;
    use crate::model::ids::{AttemptNumber, RunId, ShardId};
    use crate::model::state::fact::Event;
    use crate::model::state::fact::Fact;
    use crate::model::state::fact::JOURNAL_VERSION;

    fn state(shards: &[ShardId], at: Timestamp) -> RunState {
        let created = Event::RunCreated {
            version: JOURNAL_VERSION,
            run: RunId("r".to_owned()),
            shards: shards.to_vec(),
            parallel: 2,
        };
        let starting = |shard: &ShardId| Event::AttemptStarting {
            shard: shard.clone(),
            attempt: AttemptNumber::FIRST,
            gpus: vec![GpuIndex(0)],
            claim: Claim::default(),
            previous: None,
        };
        let events = std::iter::once(created).chain(shards.iter().map(starting));
        RunState::fold_facts(&events.map(|event| Fact::new(at, event)).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn energy_is_divided_once_every_earlier_tenant_is_known() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let gpu = |second, joules| GpuSample {
            energy_j: Some(joules),
            outside_processes: Some(0),
            ..GpuSample::unknown(GpuIndex(0), at(second))
        };
        let shards = [ShardId::new("a").unwrap(), ShardId::new("b").unwrap()];
        let key = |shard: &ShardId| AttemptKey { shard: shard.clone(), attempt: AttemptNumber::FIRST };
        let row = |shard: &ShardId, second| ShardSample::unknown(&key(shard), at(second));
        let rows = shards.iter().map(|shard| row(shard, 1)).collect();
        let mut attempts = Attempts::resume_from(vec![gpu(1, 0.0)], rows, &state(&shards, at(0)));
        attempts.track_attempt(
            key(&shards[0]),
            Roots::Foreign(Vec::new()),
            (vec![GpuIndex(0)], Vec::new()),
            BTreeSet::new(),
        );
        attempts.add_readings(&[gpu(2, 600.0)], &HashSet::new(), &mut []);
        attempts.track_attempt(
            key(&shards[1]),
            Roots::Foreign(Vec::new()),
            (vec![GpuIndex(0)], Vec::new()),
            BTreeSet::new(),
        );
        attempts.add_readings(&[gpu(3, 600.0)], &HashSet::new(), &mut []);
        for shard in &shards {
            let energy = attempts.untrack_attempt(&key(shard)).peaks.energy.map(|energy| energy.joules);
            assert_eq!(energy, Some(300.0), "{shard}");
        }
    }
}
