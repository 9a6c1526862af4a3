//! Readings of GPUs and host: the newest ones and a short history.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use jiff::Timestamp;

use crate::model::ids::GpuIndex;
use crate::model::machine::gpu_health::{GpuFault, GpuHealth};
use crate::model::machine::sample::{FRESH, GpuInventory, GpuSample, HostSample};
use crate::model::shortage::ShortageReport;
use crate::model::state::write_trouble::WriteTrouble;
use crate::model::units::duration_between;
use crate::tui::model::time_series::TimeSeries;

/// As many readings as the widest history shows.
const HISTORY: usize = 480;

/// The machine as last read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MachineHistory {
    /// The GPUs of the machine; none before the file was written.
    pub inventory: Option<GpuInventory>,
    /// The resource that queued shards are short of, according to the supervisor.
    pub waiting: Option<ShortageReport>,
    /// Files that the supervisor cannot write.
    pub unwritten: Vec<WriteTrouble>,
    /// Readings of each GPU, oldest first.
    pub gpus: BTreeMap<GpuIndex, VecDeque<GpuSample>>,
    /// Faults of each GPU.
    pub health: BTreeMap<GpuIndex, Vec<GpuFault>>,
    /// Readings of the host, oldest first.
    pub host: VecDeque<HostSample>,
    /// The same of each GPU over the whole run.
    pub gpu_courses: BTreeMap<GpuIndex, TimeSeries<GpuSample>>,
    /// The same of the host over the whole run.
    pub host_course: TimeSeries<HostSample>,
}

/// How much a reading is worth now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// Nothing was ever read.
    Never,
    /// The newest reading is recent enough to hold.
    Fresh,
    /// The newest reading is this old.
    Stale(Duration),
}

impl MachineHistory {
    /// Takes readings of GPUs.
    pub fn take_gpus(&mut self, samples: Vec<GpuSample>) {
        for sample in samples {
            self.gpu_courses.entry(sample.gpu).or_default().push(sample.timestamp, sample.clone());
            push_sample(self.gpus.entry(sample.gpu).or_default(), sample);
        }
    }

    /// Takes what was read long ago, here and there: it belongs to the courses alone.
    pub fn take_past(&mut self, gpus: Vec<GpuSample>, host: Vec<HostSample>) {
        for sample in gpus {
            self.gpu_courses.entry(sample.gpu).or_default().push(sample.timestamp, sample);
        }
        for sample in host {
            self.host_course.push(sample.timestamp, sample);
        }
    }

    /// Takes what is wrong with the GPUs.
    pub fn take_health(&mut self, health: Vec<GpuHealth>) {
        self.health = health.into_iter().map(|health| (health.gpu, health.faults)).collect();
    }

    /// Takes readings of the host.
    pub fn take_host(&mut self, samples: Vec<HostSample>) {
        for sample in samples {
            self.host_course.push(sample.timestamp, sample.clone());
            push_sample(&mut self.host, sample);
        }
    }

    /// How busy the busiest of these GPUs is, by current readings.
    pub fn max_gpu_utilization(&self, gpus: &[GpuIndex], now: Timestamp) -> Option<f64> {
        let newest = gpus.iter().filter_map(|gpu| self.gpus.get(gpu)?.back());
        let fresh =
            newest.filter(|sample| reading_freshness(Some(sample.timestamp), now) == Freshness::Fresh);
        fresh.filter_map(|sample| sample.utilization_percent).reduce(f64::max)
    }

    /// How old the newest reading of any GPU is.
    pub fn gpu_freshness(&self, now: Timestamp) -> Freshness {
        let newest = self.gpus.values().filter_map(|samples| samples.back()).map(|sample| sample.timestamp);
        reading_freshness(newest.max(), now)
    }

    /// How old the newest reading of one GPU is.
    pub fn gpu_freshness_of(&self, gpu: GpuIndex, now: Timestamp) -> Freshness {
        let newest = self.gpus.get(&gpu).and_then(VecDeque::back);
        reading_freshness(newest.map(|sample| sample.timestamp), now)
    }

    /// How old the newest reading of the host is.
    pub fn host_freshness(&self, now: Timestamp) -> Freshness {
        reading_freshness(self.host.back().map(|sample| sample.timestamp), now)
    }
}

/// How much a reading of that time is worth.
pub fn reading_freshness(at: Option<Timestamp>, now: Timestamp) -> Freshness {
    let Some(at) = at else { return Freshness::Never };
    let age = duration_between(at, now);
    if age > FRESH { Freshness::Stale(age) } else { Freshness::Fresh }
}

fn push_sample<T>(history: &mut VecDeque<T>, sample: T) {
    if history.len() == HISTORY {
        history.pop_front();
    }
    history.push_back(sample);
}
