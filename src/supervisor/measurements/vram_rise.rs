//! The VRAM of an attempt by the rise on its GPUs, where the driver lists no processes: only of one that is alone there
//! all the time is known that the rise is its own.

use std::collections::HashMap;
use std::time::Duration;

use jiff::Timestamp;

use crate::model::ids::GpuIndex;
use crate::model::machine::sample::GpuSample;
use crate::model::units::{Bytes, duration_between};

/// A program that has just started holds nothing yet: so long after its start a first reading is one of before.
const NOTHING_HELD: Duration = Duration::from_millis(1500);

/// The memory in use before, and how much more at most since.
#[derive(Debug, Clone, Default)]
pub(in crate::supervisor) struct VramRise {
    before: HashMap<GpuIndex, Bytes>,
    most: HashMap<GpuIndex, Bytes>,
    /// Others were there too, or the driver reports what each holds.
    is_void: bool,
}

impl VramRise {
    /// Starts a measurement for an attempt that starts now, with the newest readings of its GPUs; void where it is not
    /// alone.
    pub(in crate::supervisor) fn from(
        readings: impl Iterator<Item = (GpuIndex, Option<Bytes>)>,
        is_alone: bool,
    ) -> Self {
        let before = readings.filter_map(|(gpu, used)| Some((gpu, used?))).collect();
        Self { before, most: HashMap::new(), is_void: !is_alone }
    }

    /// Makes it void: it is no measure of one attempt any more.
    pub(in crate::supervisor) fn spoil(&mut self) {
        self.is_void = true;
    }

    /// Takes a reading of one of its GPUs; it is on them `since` then.
    pub(in crate::supervisor) fn add_sample(&mut self, sample: &GpuSample, since: Timestamp) {
        // A driver that lists the processes needs no guess.
        self.is_void |= sample.outside_processes.is_some();
        let Some(used) = sample.vram_used_bytes.filter(|_| !self.is_void) else { return };
        let Some(before) = self.before.get(&sample.gpu) else {
            if duration_between(since, sample.timestamp) <= NOTHING_HELD {
                self.before.insert(sample.gpu, used);
            }
            return;
        };
        let most = self.most.entry(sample.gpu).or_default();
        *most = (*most).max(Bytes(used.0.saturating_sub(before.0)));
    }

    /// The most on all of its GPUs together, where that is known of each.
    pub(in crate::supervisor) fn peak_rise(&self, gpus: &[GpuIndex]) -> Option<Bytes> {
        let all: Option<u64> = gpus.iter().map(|gpu| self.most.get(gpu).map(|most| most.0)).sum();
        all.filter(|all| *all > 0 && !self.is_void).map(Bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GPU: GpuIndex = GpuIndex(0);

    fn sample(second: i64, used: u64, listed: bool) -> GpuSample {
        GpuSample {
            vram_used_bytes: Some(Bytes(used)),
            outside_processes: listed.then_some(0),
            ..GpuSample::unknown(GPU, Timestamp::from_second(second).unwrap())
        }
    }

    #[test]
    fn the_rise_of_one_alone_is_its_memory() {
        let start = Timestamp::from_second(10).unwrap();
        let mut rise = VramRise::from([(GPU, Some(Bytes(100)))].into_iter(), true);
        for (second, used) in [(11, 150), (12, 900), (13, 400)] {
            rise.add_sample(&sample(second, used, false), start);
        }
        assert_eq!(rise.peak_rise(&[GPU]), Some(Bytes(800)));
        rise.spoil();
        assert_eq!(rise.peak_rise(&[GPU]), None, "somebody came");
        let mut listed = VramRise::from([(GPU, Some(Bytes(100)))].into_iter(), true);
        listed.add_sample(&sample(11, 900, true), start);
        assert_eq!(listed.peak_rise(&[GPU]), None, "the driver tells");
    }

    #[test]
    fn without_a_reading_of_before_the_first_one_counts_only_where_it_comes_soon() {
        let start = Timestamp::from_second(10).unwrap();
        let most = |first| {
            let mut rise = VramRise::from([(GPU, None)].into_iter(), true);
            rise.add_sample(&sample(first, 100, false), start);
            rise.add_sample(&sample(first + 1, 300, false), start);
            rise.peak_rise(&[GPU])
        };
        assert_eq!((most(11), most(13)), (Some(Bytes(200)), None));
    }
}
