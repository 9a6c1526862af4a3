//! For how much of the time a GPU was held back, from counters that miss nothing between two readings.

use std::collections::HashMap;

use jiff::Timestamp;
use nvml_wrapper::enum_wrappers::device::PerformancePolicy;
use nvml_wrapper::struct_wrappers::device::ViolationTime;

use crate::model::machine::throttle::{Throttle, ThrottleReason};

/// A counter of the time for which clocks were below what was wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ViolationCounter {
    /// Clocks held back because of power.
    Power,
    /// Clocks held back because of heat.
    Thermal,
}

impl ViolationCounter {
    const ALL: [Self; 2] = [Self::Power, Self::Thermal];

    /// Its name in NVML.
    pub fn nvml_policy(self) -> PerformancePolicy {
        match self {
            Self::Power => PerformancePolicy::Power,
            Self::Thermal => PerformancePolicy::Thermal,
        }
    }

    /// Returns the reasons that the counter covers.
    fn covered_reasons(self) -> &'static [ThrottleReason] {
        match self {
            Self::Power => &[ThrottleReason::PowerCap],
            Self::Thermal => &[ThrottleReason::ThermalSlowdown, ThrottleReason::HardwareThermal],
        }
    }
}

/// The counters at the reading before.
#[derive(Debug, Default)]
pub struct Violations {
    earlier: HashMap<ViolationCounter, (Timestamp, u64)>,
}

impl Violations {
    /// The share of the time since the reading before, as in `GpuSample::throttled_percent`.
    pub fn throttled_share(
        &mut self,
        at: Timestamp,
        throttle: Option<Throttle>,
        mut read: impl FnMut(ViolationCounter) -> Option<ViolationTime>,
    ) -> Option<f64> {
        let mut counted = Vec::new();
        let mut shares = Vec::new();
        for counter in ViolationCounter::ALL {
            let Some(time) = read(counter) else {
                self.earlier.remove(&counter);
                continue;
            };
            counted.extend_from_slice(counter.covered_reasons());
            let now = (at, time.violation_time);
            shares.push(self.earlier.insert(counter, now).and_then(|earlier| held_share(earlier, now)));
        }
        let uncounted = throttle.map(|throttle| {
            let holds = throttle.reasons().any(|reason| !counted.contains(&reason));
            if holds { 100.0 } else { 0.0 }
        });
        // Before the second reading of a counter its share is unknown, and the sum of the others may be too
        // small.
        let shares: Option<Vec<f64>> = shares.into_iter().collect();
        shares?.into_iter().chain(uncounted).reduce(f64::max)
    }
}

fn held_share((before, earlier): (Timestamp, u64), (at, now): (Timestamp, u64)) -> Option<f64> {
    let elapsed = at.duration_since(before).as_secs_f64();
    // A counter starts again when the driver is reloaded.
    let held_s = now.checked_sub(earlier)? as f64 / 1e9;
    (elapsed > 0.0).then(|| (100.0 * held_s / elapsed).min(100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    /// Reads counters of that many seconds.
    fn counters(
        power: Option<u64>,
        thermal: Option<u64>,
    ) -> impl FnMut(ViolationCounter) -> Option<ViolationTime> {
        move |counter| {
            let seconds = match counter {
                ViolationCounter::Power => power,
                ViolationCounter::Thermal => thermal,
            };
            seconds.map(|s| ViolationTime { reference_time: 0, violation_time: s * 1_000_000_000 })
        }
    }

    #[test]
    fn the_larger_counter_tells_the_share_and_the_first_reading_tells_none() {
        let mut violations = Violations::default();
        let capped = Some([ThrottleReason::PowerCap].into_iter().collect());
        assert_eq!(violations.throttled_share(second(0), capped, counters(Some(7), Some(0))), None);
        assert_eq!(violations.throttled_share(second(4), capped, counters(Some(8), Some(2))), Some(50.0));
        assert_eq!(violations.throttled_share(second(8), capped, counters(Some(8), Some(2))), Some(0.0));
    }

    #[test]
    fn a_reason_without_a_counter_counts_while_it_holds() {
        let mut violations = Violations::default();
        let brake = Some([ThrottleReason::PowerBrake].into_iter().collect());
        assert_eq!(violations.throttled_share(second(0), brake, counters(None, None)), Some(100.0));
        assert_eq!(
            violations.throttled_share(second(1), Some(Throttle::default()), counters(None, None)),
            Some(0.0)
        );
        assert_eq!(violations.throttled_share(second(2), None, counters(None, None)), None);
    }

    #[test]
    fn a_counter_that_began_anew_tells_nothing_once() {
        let mut violations = Violations::default();
        violations.throttled_share(second(0), None, counters(Some(100), None));
        assert_eq!(violations.throttled_share(second(1), None, counters(Some(0), None)), None);
        assert_eq!(violations.throttled_share(second(2), None, counters(Some(1), None)), Some(100.0));
    }
}
