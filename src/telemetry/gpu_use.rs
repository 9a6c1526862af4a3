//! What attempts had of their GPUs: energy, and how long clocks were held back.
//!
//! A GPU reports its energy as a whole. Between two readings it is divided equally among its tenants: every attempt on
//! it is one, and all processes of others together are one more. An attempt that was alone has the GPU's whole energy,
//! idle power and pauses included; one that was not has a share that is marked as such.

use std::collections::HashMap;

use crate::model::ids::GpuIndex;
use crate::model::machine::sample::{FRESH, GpuSample, ShardSample};
use crate::model::machine::throttle::Throttle;
use crate::model::outcome::{Energy, Throttled};
use crate::model::units::Bytes;

/// Time between two readings of a GPU, and what happened in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GpuInterval {
    /// Index of the GPU.
    pub gpu: GpuIndex,
    /// How long it was.
    pub seconds: f64,
    /// Energy drawn, by the GPU's counter, or by its power where it has none.
    pub joules: Option<f64>,
    /// For how much of it clocks were held back.
    pub throttled_s: Option<f64>,
    /// Why, at its end.
    pub reasons: Throttle,
}

/// The last reading of each GPU.
#[derive(Debug, Default)]
pub struct Intervals {
    earlier: HashMap<GpuIndex, GpuSample>,
}

/// Use that one attempt made of its GPUs so far, all of them together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct GpuUse {
    /// Energy, where any could be read.
    pub energy: Option<Energy>,
    /// Seconds, added over its GPUs, of which is known whether clocks were held back.
    pub read_s: f64,
    /// Seconds of these in which clocks were held back.
    pub throttled_s: f64,
    /// Reasons for which clocks were held back.
    pub reasons: Throttle,
}

/// Tenants of a GPU: attempts of the run and other processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TenantCount {
    /// Number of attempts on the GPU.
    pub attempts: usize,
    /// There are processes of others; `None` if the driver does not list any.
    pub others: Option<bool>,
}

impl Intervals {
    /// Goes on after readings that an earlier process made: counters have gone on too.
    pub fn resume_from(samples: Vec<GpuSample>) -> Self {
        Self { earlier: samples.into_iter().map(|sample| (sample.gpu, sample)).collect() }
    }

    /// Returns the VRAM that was in use on a GPU at its last reading.
    pub fn vram_used(&self, gpu: GpuIndex) -> Option<Bytes> {
        self.earlier.get(&gpu)?.vram_used_bytes
    }

    /// The interval that ends with this reading; none with the first.
    pub fn end_interval(&mut self, sample: &GpuSample) -> Option<GpuInterval> {
        let before = self.earlier.insert(sample.gpu, sample.clone())?;
        let seconds = sample.timestamp.duration_since(before.timestamp).as_secs_f64();
        // A clock that was set back gives no interval; a counter that was has started again.
        (seconds > 0.0).then_some(())?;
        let is_whole = seconds <= FRESH.as_secs_f64();
        let counted = || Some(sample.energy_j? - before.energy_j?);
        let by_power = || Some((before.power_w? + sample.power_w?) / 2.0 * seconds).filter(|_| is_whole);
        Some(GpuInterval {
            gpu: sample.gpu,
            seconds,
            joules: counted().filter(|joules| *joules >= 0.0).or_else(by_power),
            throttled_s: sample.throttled_percent.filter(|_| is_whole).map(|part| part / 100.0 * seconds),
            reasons: sample.throttle.unwrap_or_default(),
        })
    }
}

impl GpuUse {
    /// Takes in what an attempt had of an interval of which it was there for the last `present_s`.
    pub fn add_interval(&mut self, interval: &GpuInterval, tenants: TenantCount, present_s: f64) {
        let part = (present_s / interval.seconds).clamp(0.0, 1.0);
        if let Some(joules) = interval.joules {
            let divisor = tenants.attempts.max(1) + usize::from(tenants.others == Some(true));
            let before = self.energy.unwrap_or_default();
            self.energy = Some(Energy {
                joules: before.joules + joules * part / divisor as f64,
                // Without sight of the others, an attempt cannot know that it is alone.
                shared: before.shared || divisor > 1 || tenants.others.is_none(),
            });
        }
        if let Some(throttled_s) = interval.throttled_s {
            self.read_s += interval.seconds * part;
            self.throttled_s += throttled_s * part;
            if throttled_s > 0.0 {
                self.reasons = self.reasons.union(interval.reasons);
            }
        }
    }

    /// Restores the totals from a row of an earlier supervisor; the reasons are not in it.
    pub fn so_far(row: &ShardSample) -> Self {
        let energy = row.energy_j.map(|joules| Energy { joules, shared: row.energy_shared.unwrap_or(true) });
        Self {
            energy,
            read_s: row.gpu_read_s.unwrap_or(0.0),
            throttled_s: row.gpu_throttled_s.unwrap_or(0.0),
            reasons: Throttle::default(),
        }
    }

    /// Writes it into a row.
    pub fn write(&self, row: &mut ShardSample) {
        row.energy_j = self.energy.map(|energy| energy.joules);
        row.energy_shared = self.energy.map(|energy| energy.shared);
        let is_read = self.read_s > 0.0;
        row.gpu_read_s = is_read.then_some(self.read_s);
        row.gpu_throttled_s = is_read.then_some(self.throttled_s);
    }

    /// For how much of the time its GPUs were held back.
    pub fn throttled_share(&self) -> Option<Throttled> {
        let percent = 100.0 * self.throttled_s / self.read_s;
        (self.read_s > 0.0).then_some(Throttled { percent, reasons: self.reasons })
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::model::ids::{AttemptKey, AttemptNumber, ShardId};
    use crate::model::machine::throttle::ThrottleReason;

    const ALONE: TenantCount = TenantCount { attempts: 1, others: Some(false) };

    fn sample(second: i64, power_w: Option<f64>, energy_j: Option<f64>) -> GpuSample {
        let at = Timestamp::from_second(second).unwrap();
        GpuSample { power_w, energy_j, ..GpuSample::unknown(GpuIndex(0), at) }
    }

    fn joules(samples: &[GpuSample]) -> Vec<Option<f64>> {
        let mut intervals = Intervals::default();
        samples
            .iter()
            .filter_map(|sample| intervals.end_interval(sample))
            .map(|interval| interval.joules)
            .collect()
    }

    #[test]
    fn a_counter_bridges_a_gap_and_power_does_not() {
        let counted = [
            sample(0, None, Some(1000.0)),
            sample(2, Some(9.0), Some(1400.0)),
            sample(60, None, Some(1500.0)),
        ];
        assert_eq!(joules(&counted), [Some(400.0), Some(100.0)]);
        let power =
            [sample(0, Some(100.0), None), sample(2, Some(300.0), None), sample(60, Some(300.0), None)];
        assert_eq!(joules(&power), [Some(400.0), None]);
        let anew = [sample(0, Some(100.0), Some(1000.0)), sample(1, Some(100.0), Some(3.0))];
        assert_eq!(joules(&anew), [Some(100.0)], "the driver was loaded again");
        assert_eq!(joules(&[sample(5, Some(1.0), None), sample(4, Some(1.0), None)]), []);
    }

    #[test]
    fn tenants_have_equal_parts_that_say_so() {
        let interval = GpuInterval {
            gpu: GpuIndex(0),
            seconds: 1.0,
            joules: Some(600.0),
            throttled_s: None,
            reasons: Throttle::default(),
        };
        let energy = |tenants, present_s| {
            let mut used = GpuUse::default();
            used.add_interval(&interval, tenants, present_s);
            used.energy.unwrap()
        };
        assert_eq!(energy(ALONE, 5.0), Energy { joules: 600.0, shared: false });
        assert_eq!(energy(ALONE, 0.5), Energy { joules: 300.0, shared: false }, "it came halfway through");
        let two_and_others = TenantCount { attempts: 2, others: Some(true) };
        assert_eq!(energy(two_and_others, 5.0), Energy { joules: 200.0, shared: true });
        let unseen = TenantCount { attempts: 1, others: None };
        assert_eq!(energy(unseen, 5.0), Energy { joules: 600.0, shared: true });
    }

    #[test]
    fn the_share_of_time_held_back_counts_only_what_was_read() {
        let mut used = GpuUse::default();
        assert_eq!(used.throttled_share(), None);
        let reasons = [ThrottleReason::PowerCap].into_iter().collect();
        let interval = |throttled_s, reasons| GpuInterval {
            gpu: GpuIndex(0),
            seconds: 2.0,
            joules: None,
            throttled_s,
            reasons,
        };
        for (throttled_s, reasons) in
            [(Some(1.0), reasons), (Some(0.0), Throttle::default()), (None, reasons)]
        {
            used.add_interval(&interval(throttled_s, reasons), ALONE, 2.0);
        }
        assert_eq!(used.throttled_share(), Some(Throttled { percent: 25.0, reasons }));
        assert_eq!(used.energy, None);
    }

    #[test]
    fn a_later_supervisor_goes_on_from_the_row_of_an_earlier_one() {
        let energy = Some(Energy { joules: 12.5, shared: true });
        let used = GpuUse { energy, read_s: 8.0, throttled_s: 2.0, reasons: Throttle::default() };
        let key = AttemptKey { shard: ShardId::new("a").unwrap(), attempt: AttemptNumber::FIRST };
        let mut row = ShardSample::unknown(&key, Timestamp::UNIX_EPOCH);
        assert_eq!(GpuUse::so_far(&row), GpuUse::default());
        used.write(&mut row);
        assert_eq!(GpuUse::so_far(&row), used);
    }
}
