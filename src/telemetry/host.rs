//! Reads the load of the whole host: cores, memory, load average.

use std::path::Path;

use jiff::Timestamp;
use sysinfo::System;

use super::host_bounds::{UsableRam, bound_ram, usable_cores};
use super::host_io::{self, IoMeter};
use super::{cgroup, topology};
use crate::model::machine::sample::HostSample;
use crate::model::units::Bytes;

/// Readings of the host. Processor load is a difference, so that the first reading has none.
#[derive(Debug)]
pub struct HostMonitor {
    /// `None` where the system cannot be read at all.
    system: Option<System>,
    readings: u64,
    /// Also what disks and networks move, what is swapped, and how warm it is.
    io: Option<IoMeter>,
}

impl HostMonitor {
    /// A monitor without a reading.
    pub fn new() -> Self {
        Self { system: System::new().ok(), readings: 0, io: None }
    }

    /// The same for a record: disks, networks, swap and heat too, which no decision asks for.
    pub fn for_recording() -> Self {
        Self { io: Some(IoMeter::default()), ..Self::new() }
    }

    /// Reads the figures of the host now.
    pub fn read_sample(&mut self, at: Timestamp) -> HostSample {
        let (cpu_percent, ram) = match &mut self.system {
            Some(system) => (cpu_percent(system, self.readings > 0), read_ram(system)),
            None => (None, None),
        };
        self.readings += 1;
        let sample = HostSample {
            timestamp: at,
            cpu_percent,
            cores: count_cores(),
            ram_used_bytes: ram.map(|ram| Bytes(ram.total.0.saturating_sub(ram.free.0))),
            ram_total_bytes: ram.map(|ram| ram.total),
            load_1m: System::load_average().ok().map(|load| load.one),
            ..HostSample::unknown(at)
        };
        match &mut self.io {
            Some(io) => with_io(io, sample),
            None => sample,
        }
    }
}

impl HostMonitor {
    /// How busy each core of the host was between the last two readings, 0 to 100; nothing before there were two. These
    /// are all cores, also those that this process may not use.
    pub fn core_usage(&self) -> Vec<f64> {
        let system = self.system.as_ref().filter(|_| self.readings >= 2);
        let cores = system.map_or(&[][..], System::cpus);
        cores.iter().map(|core| f64::from(core.usage()).clamp(0.0, 100.0)).collect()
    }
}

impl Default for HostMonitor {
    fn default() -> Self {
        Self::new()
    }
}

/// Load averages over one, five and fifteen minutes.
pub fn load_averages() -> Option<[f64; 3]> {
    System::load_average().ok().map(|load| [load.one, load.five, load.fifteen])
}

/// Cores that this process may use: affinity and control group are counted in.
pub fn count_cores() -> u32 {
    usable_cores(Path::new("/"), topology::allowed_cores().len()).0
}

fn with_io(io: &mut IoMeter, sample: HostSample) -> HostSample {
    let root = Path::new("/");
    let (moved, swap) = (io.read_rates(root, sample.timestamp), host_io::read_swap(root));
    HostSample {
        disk_read_bytes_per_s: moved.disk_read,
        disk_written_bytes_per_s: moved.disk_written,
        net_received_bytes_per_s: moved.net_received,
        net_sent_bytes_per_s: moved.net_sent,
        swap_used_bytes: swap.map(|(used, _)| used),
        swap_total_bytes: swap.map(|(_, total)| total),
        cpu_temperature_c: host_io::cpu_temperature(root),
        ..sample
    }
}

fn cpu_percent(system: &mut System, has_earlier_load: bool) -> Option<f64> {
    system.refresh_cpu_usage();
    has_earlier_load.then(|| f64::from(system.global_cpu_usage()).clamp(0.0, 100.0))
}

/// Memory of the host, within the limits of the control groups that this process is in.
fn read_ram(system: &mut System) -> Option<UsableRam> {
    system.refresh_memory();
    let total = Bytes(system.total_memory());
    let free = Bytes(system.available_memory());
    let host = (total > Bytes(0) && free <= total).then_some(UsableRam { total, free })?;
    Some(bound_ram(host, &cgroup::memory_limits(Path::new("/"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reading_has_no_load_and_the_second_has_one() {
        let mut monitor = HostMonitor::new();
        let first = monitor.read_sample(Timestamp::UNIX_EPOCH);
        assert_eq!(first.cpu_percent, None);
        assert!(first.cores >= 1);
        let (used, total) = (first.ram_used_bytes.unwrap(), first.ram_total_bytes.unwrap());
        assert!(used <= total && total > Bytes(0));
        assert!(first.load_1m.is_some());
        assert_eq!(monitor.core_usage(), [] as [f64; 0]);
        let second = monitor.read_sample(Timestamp::UNIX_EPOCH);
        assert!((0.0..=100.0).contains(&second.cpu_percent.unwrap()));
        assert!(monitor.core_usage().len() >= first.cores as usize);
        assert!(monitor.core_usage().iter().all(|busy| (0.0..=100.0).contains(busy)));
    }
}
