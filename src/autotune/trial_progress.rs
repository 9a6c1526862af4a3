//! A trial as it goes: what was seen of it so far, and whether that is enough.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;

use super::bench::TrialRecords;
use super::measured::{TrialEnd, TrialResult, Vram, VramBy};
use crate::model::ids::{GpuIndex, ShardId};
use crate::model::logs::mark::MarkKind;
use crate::model::machine::sample::{GpuSample, HostSample};
use crate::model::outcome::{Outcome, Verdict};
use crate::model::units::{Bytes, duration_between};

use super::rate::Rate;
use super::work_rates::{Declared, WorkRates, sum_rates};

/// Memory that has not grown for so long after the first progress has settled.
const SETTLED: Duration = Duration::from_secs(4);

/// A smaller growth is the noise of allocators: this part of the peak.
const NOISE: u64 = 50;

/// So many readings of the processor make a mean.
const READINGS: usize = 3;

/// A trial as it goes.
#[derive(Debug, Clone)]
pub struct TrialProgress {
    began: Timestamp,
    shards: BTreeMap<ShardId, ShardCourse>,
    /// VRAM in use on each GPU before the trial.
    idle_use: BTreeMap<GpuIndex, Bytes>,
    gpus: Vec<GpuSample>,
    host: Vec<HostSample>,
    waiting: Option<String>,
}

/// Measurements of one shard of the trial.
#[derive(Debug, Clone, Default)]
struct ShardCourse {
    gpus: Vec<GpuIndex>,
    started: Option<Timestamp>,
    rate: Rate,
    work: WorkRates,
    cpu: Vec<(Timestamp, f64)>,
    rss: Option<Bytes>,
    vram: Option<Bytes>,
    grown: Option<Timestamp>,
    ended: Option<Outcome>,
}

impl TrialProgress {
    /// A trial of these shards that begins now, on GPUs that have so much in use.
    pub fn begin(
        shards: Vec<ShardId>,
        declared: &Declared,
        idle_use: BTreeMap<GpuIndex, Bytes>,
        now: Timestamp,
    ) -> Self {
        let course = || ShardCourse { work: WorkRates::new(declared.clone()), ..ShardCourse::default() };
        let shards = shards.into_iter().map(|id| (id, course())).collect();
        Self { began: now, shards, idle_use, gpus: Vec::new(), host: Vec::new(), waiting: None }
    }

    /// Takes in what was seen.
    pub fn record_sight(&mut self, sight: TrialRecords) {
        for (id, gpus, at) in sight.started {
            let Some(shard) = self.shards.get_mut(&id) else { continue };
            (shard.gpus, shard.started) = (gpus, Some(at));
        }
        for (id, mark) in sight.marks {
            let Some(shard) = self.shards.get_mut(&id) else { continue };
            shard.record_mark(mark.at, &mark.kind);
        }
        for row in sight.shards {
            let Some(shard) = self.shards.get_mut(&row.shard) else { continue };
            shard.cpu.extend(row.cpu_percent.map(|cpu| (row.timestamp, cpu)));
            shard.rss = shard.rss.max(row.rss_bytes);
            shard.record_vram(row.timestamp, row.vram_bytes);
        }
        for (id, outcome) in sight.ended {
            let Some(shard) = self.shards.get_mut(&id) else { continue };
            shard.rss = shard.rss.max(outcome.peaks.rss);
            shard.vram = shard.vram.max(outcome.peaks.vram);
            shard.ended = Some(outcome);
        }
        self.gpus.extend(sight.gpus);
        self.host.extend(sight.host);
        self.waiting = sight.waiting;
    }

    /// How it ends now, if it does: a failure at once, otherwise when all is known or the time is up.
    pub fn check_end(&self, now: Timestamp, limit: Duration) -> Option<TrialEnd> {
        if let Some((shard, message)) = self.first_failure() {
            return Some(TrialEnd::Failed { shard, message });
        }
        if self.shards.values().all(|shard| shard.ended.is_some()) {
            return Some(TrialEnd::Done);
        }
        if self.has_settled(now) {
            return Some(TrialEnd::Settled);
        }
        if duration_between(self.began, now) < limit {
            return None;
        }
        let has_come = |shard: &ShardCourse| shard.started.is_some() || shard.ended.is_some();
        Some(match self.shards.values().all(has_come) {
            true => TrialEnd::TimeUp,
            false => TrialEnd::NotStarted {
                waiting: self.waiting.clone().unwrap_or_else(|| "it did not start in time".to_owned()),
            },
        })
    }

    /// Returns the results of the trial, which ended this way.
    pub fn to_measured(&self, end: TrialEnd) -> TrialResult {
        let window = self.working_since();
        let shards = || self.shards.values();
        let begin = window.unwrap_or(self.began);
        let sum = |of: fn(&Rate, Timestamp) -> Option<f64>| {
            shards().map(|shard| of(&shard.rate, begin)).sum::<Option<f64>>()
        };
        let rates: Vec<_> = shards().map(|shard| shard.work.rates_since(begin, &shard.rate)).collect();
        let counted = shards().next().and_then(|shard| shard.work.counted_unit());
        let startup = |shard: &ShardCourse| {
            Some(duration_between(shard.started?, shard.rate.first_progress()?).as_secs_f64())
        };
        TrialResult {
            count: u32::try_from(self.shards.len()).unwrap_or(u32::MAX),
            shards: self.shards.keys().cloned().collect(),
            done_per_s: sum(Rate::done_per_s),
            counted: counted.map(str::to_owned),
            steps_per_s: sum(Rate::steps_per_s),
            rates: sum_rates(&rates),
            is_steady: window.is_some_and(|begin| {
                shards().all(|shard| shard.ended.is_some() || shard.rate.is_steady(begin))
            }),
            startup_s: shards().map(startup).collect::<Option<Vec<_>>>().and_then(|all| find_largest(&all)),
            vram: self.peak_vram(),
            rss: shards().filter_map(|shard| shard.rss).max(),
            cpu_percent: compute_mean(
                &shards().filter_map(|shard| shard.cpu_since(window)).collect::<Vec<_>>(),
            ),
            gpu_percent: self.gpu_percent(window),
            host_cpu_percent: self.host_cpu_percent(window),
            end,
        }
    }

    /// Everybody is at work since then: the figures of before are those of loading.
    fn working_since(&self) -> Option<Timestamp> {
        let first: Option<Vec<Timestamp>> =
            self.shards.values().map(|shard| shard.rate.first_progress()).collect();
        first?.into_iter().max()
    }

    fn first_failure(&self) -> Option<(ShardId, String)> {
        self.shards.iter().find_map(|(id, shard)| match &shard.ended.as_ref()?.verdict {
            Verdict::Failed(failure) => Some((id.clone(), failure.to_sentence())),
            Verdict::Succeeded | Verdict::Cancelled => None,
        })
    }

    fn has_settled(&self, now: Timestamp) -> bool {
        let Some(begin) = self.working_since() else { return false };
        self.shards.values().all(|shard| {
            let memory = shard.grown.is_none_or(|grown| duration_between(grown, now) >= SETTLED);
            let readings = shard.cpu.iter().filter(|(at, _)| *at >= begin).count() >= READINGS;
            shard.ended.is_some() || memory && readings && shard.rate.is_steady(begin)
        })
    }

    fn peak_vram(&self) -> Option<Vram> {
        if let Some(bytes) = self.shards.values().filter_map(|shard| shard.vram).max() {
            return Some(Vram { bytes, by: VramBy::Processes });
        }
        // Only of one that is alone is known that the rise is its own.
        let [shard] = self.shards.values().collect::<Vec<_>>()[..] else { return None };
        let [gpu] = shard.gpus[..] else { return None };
        let used =
            self.gpus.iter().filter(|row| row.gpu == gpu).filter_map(|row| row.vram_used_bytes).max()?;
        let rise = used.0.saturating_sub(self.idle_use.get(&gpu)?.0);
        (rise > 0).then_some(Vram { bytes: Bytes(rise), by: VramBy::Rise })
    }

    fn gpu_percent(&self, window: Option<Timestamp>) -> Option<f64> {
        let begin = window?;
        let own = |row: &&GpuSample| self.shards.values().any(|shard| shard.gpus.contains(&row.gpu));
        let rows = self.gpus.iter().filter(|row| row.timestamp >= begin).filter(own);
        compute_mean(&rows.filter_map(|row| row.utilization_percent).collect::<Vec<_>>())
    }

    fn host_cpu_percent(&self, window: Option<Timestamp>) -> Option<f64> {
        let begin = window?;
        let rows = self.host.iter().filter(|row| row.timestamp >= begin);
        compute_mean(&rows.filter_map(|row| row.cpu_percent).collect::<Vec<_>>())
    }
}

impl ShardCourse {
    fn record_mark(&mut self, at: Timestamp, kind: &MarkKind) {
        match kind {
            MarkKind::Progress(progress) => {
                if self.work.note_count() {
                    self.rate.record_progress(at, progress.done as f64);
                }
            }
            MarkKind::Part(part) => {
                if self.work.note_count() {
                    self.rate.record_part(at, part.fraction().unwrap_or(0.0));
                }
            }
            MarkKind::Metric { name, value: Some(value) } => {
                self.work.record_metric(at, name, *value);
                if name.ends_with("steps_per_s") {
                    self.rate.record_steps(at, *value);
                }
            }
            MarkKind::Unit { name } => self.work.set_unit(name),
            MarkKind::Preset { name } => self.work.set_preset(name),
            MarkKind::Metric { value: None, .. }
            | MarkKind::Value { .. }
            | MarkKind::Alert(_)
            | MarkKind::Stage(_)
            | MarkKind::Finished => {}
        }
    }

    fn record_vram(&mut self, at: Timestamp, vram: Option<Bytes>) {
        let Some(vram) = vram else { return };
        let peak = self.vram.unwrap_or_default();
        if vram.0 > peak.0.saturating_add(peak.0 / NOISE) {
            self.grown = Some(at);
        }
        self.vram = Some(vram.max(peak));
    }

    fn cpu_since(&self, begin: Option<Timestamp>) -> Option<f64> {
        let since = |begin: Timestamp| -> Vec<f64> {
            self.cpu.iter().filter(|(at, _)| *at >= begin).map(|(_, cpu)| *cpu).collect()
        };
        compute_mean(&since(begin.unwrap_or(Timestamp::MIN)))
    }
}

fn compute_mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn find_largest(values: &[f64]) -> Option<f64> {
    values.iter().copied().reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ids::{AttemptKey, AttemptNumber};
    use crate::model::logs::mark::Mark;
    use crate::model::machine::sample::ShardSample;
    use crate::model::outcome::{Failure, FailureReason, Progress};

    const LIMIT: Duration = Duration::from_secs(60);

    fn second(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn id(name: &str) -> ShardId {
        ShardId::new(name).unwrap()
    }

    fn begin(names: &[&str]) -> TrialProgress {
        let idle = BTreeMap::from([(GpuIndex(0), Bytes(1 << 30))]);
        let mut course = TrialProgress::begin(
            names.iter().map(|name| id(name)).collect(),
            &Declared::default(),
            idle,
            second(0),
        );
        let started = names.iter().map(|name| (id(name), vec![GpuIndex(0)], second(1))).collect();
        course.record_sight(TrialRecords { started, ..TrialRecords::default() });
        course
    }

    /// A second of a shard: what is done, its VRAM, and what its card has in use.
    fn at(second_now: i64, name: &str, done: u64, vram_gib: Option<u64>) -> TrialRecords {
        let now = second(second_now);
        let key = AttemptKey { shard: id(name), attempt: AttemptNumber::FIRST };
        let row = ShardSample {
            cpu_percent: Some(130.0),
            rss_bytes: Some(Bytes(3 << 30)),
            vram_bytes: vram_gib.map(|gib| Bytes(gib << 30)),
            ..ShardSample::unknown(&key, now)
        };
        let gpu = GpuSample {
            vram_used_bytes: Some(Bytes(6 << 30)),
            utilization_percent: Some(40.0),
            ..GpuSample::unknown(GpuIndex(0), now)
        };
        let progress = MarkKind::Progress(Progress { done, total: Some(1000) });
        TrialRecords {
            marks: vec![(id(name), Mark { at: now, offset: 0, kind: progress })],
            shards: vec![row],
            gpus: vec![gpu],
            ..TrialRecords::default()
        }
    }

    #[test]
    fn a_trial_settles_when_rate_memory_and_processor_are_known() {
        let mut course = begin(&["a"]);
        for now in 2..20 {
            let done = u64::try_from((now - 10).max(0)).unwrap();
            course.record_sight(at(now, "a", done, Some(if now < 12 { 1 } else { 2 })));
            let expected = (now >= 16).then_some(TrialEnd::Settled);
            assert_eq!(course.check_end(second(now), LIMIT), expected, "at {now}");
        }
        let measured = course.to_measured(TrialEnd::Settled);
        assert_eq!((measured.done_per_s, measured.startup_s), (Some(1.0), Some(10.0)));
        assert_eq!(measured.vram, Some(Vram { bytes: Bytes(2 << 30), by: VramBy::Processes }));
        assert_eq!((measured.rss, measured.cpu_percent), (Some(Bytes(3 << 30)), Some(130.0)));
        assert_eq!((measured.gpu_percent, measured.host_cpu_percent), (Some(40.0), None));
        assert!(measured.is_steady);
    }

    #[test]
    fn all_of_those_side_by_side_count_from_when_the_last_one_works() {
        let mut course = begin(&["a", "b"]);
        for now in 2..40 {
            // Alone, the first one is four times as fast.
            let first = if now < 20 { now * 4 } else { 80 + (now - 20) };
            course.record_sight(at(now, "a", u64::try_from(first).unwrap(), None));
            course.record_sight(at(now, "b", u64::try_from((now - 20).max(0)).unwrap(), None));
        }
        let measured = course.to_measured(TrialEnd::Settled);
        assert!((measured.done_per_s.unwrap() - 2.0).abs() < 0.01, "{measured:?}");
        assert_eq!(measured.vram, None, "whose the rise is, nobody knows");
    }

    #[test]
    fn memory_that_the_driver_does_not_divide_is_the_rise_of_one_alone() {
        let mut course = begin(&["a"]);
        course.record_sight(at(2, "a", 1, None));
        let vram = course.to_measured(TrialEnd::TimeUp).vram;
        assert_eq!(vram, Some(Vram { bytes: Bytes(5 << 30), by: VramBy::Rise }));
    }

    #[test]
    fn a_failure_ends_it_at_once_and_time_at_last() {
        let mut silent = begin(&["a"]);
        assert_eq!(silent.check_end(second(59), LIMIT), None);
        assert_eq!(silent.check_end(second(60), LIMIT), Some(TrialEnd::TimeUp));
        let measured = silent.to_measured(TrialEnd::TimeUp);
        assert_eq!((measured.done_per_s, measured.cpu_percent, measured.is_steady), (None, None, false));

        let failure = Failure { reason: FailureReason::GpuOom, message: "out".to_owned() };
        let outcome = Outcome::of_verdict(Verdict::Failed(failure));
        silent.record_sight(TrialRecords { ended: vec![(id("a"), outcome)], ..TrialRecords::default() });
        let end = silent.check_end(second(3), LIMIT);
        assert_eq!(end, Some(TrialEnd::Failed { shard: id("a"), message: "out (gpu-oom)".to_owned() }));
    }

    #[test]
    fn one_that_never_starts_is_told_with_what_it_waits_for() {
        let mut course =
            TrialProgress::begin(vec![id("a")], &Declared::default(), BTreeMap::new(), second(0));
        course.record_sight(TrialRecords {
            waiting: Some("needs 2 GiB".to_owned()),
            ..TrialRecords::default()
        });
        let end = course.check_end(second(61), LIMIT);
        assert_eq!(end, Some(TrialEnd::NotStarted { waiting: "needs 2 GiB".to_owned() }));
    }
}
