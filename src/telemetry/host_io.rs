//! Reads what disks and networks of the host move, what is swapped, and how warm its processor is.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::model::units::Bytes;

/// Sectors of `/proc/diskstats` have so many bytes, whatever the disk's are.
const SECTOR: u64 = 512;

/// Drivers of sensors that sit in processors.
const PROCESSORS: [&str; 6] = ["coretemp", "cpu_thermal", "k10temp", "k8temp", "x86_pkg_temp", "zenpower"];

/// Bytes a second between two readings.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Rates {
    /// Bytes a second read from disks.
    pub disk_read: Option<f64>,
    /// Bytes a second written to disks.
    pub disk_written: Option<f64>,
    /// Bytes a second received from networks.
    pub net_received: Option<f64>,
    /// Bytes a second sent to networks.
    pub net_sent: Option<f64>,
}

/// Turns counters into rates: the first reading has none.
#[derive(Debug, Clone, Default)]
pub struct IoMeter {
    last: Option<(Timestamp, Both, Both)>,
}

/// Counters of both directions, since the boot.
type Both = Option<(u64, u64)>;

impl IoMeter {
    /// Returns the rates since the last reading.
    pub fn read_rates(&mut self, root: &Path, at: Timestamp) -> Rates {
        let (disks, networks) = (read_disk_bytes(root), read_network_bytes(root));
        let Some((then, earlier_disks, earlier_networks)) = self.last.replace((at, disks, networks)) else {
            return Rates::default();
        };
        let seconds = at.duration_since(then).as_secs_f64();
        let rate = |now: Option<u64>, earlier: Option<u64>| {
            // A counter that falls began again: a disk or a network went away.
            let moved = now?.checked_sub(earlier?)?;
            (seconds > 0.0).then(|| moved as f64 / seconds)
        };
        let first = |pair: Both| pair.map(|(first, _)| first);
        let second = |pair: Both| pair.map(|(_, second)| second);
        Rates {
            disk_read: rate(first(disks), first(earlier_disks)),
            disk_written: rate(second(disks), second(earlier_disks)),
            net_received: rate(first(networks), first(earlier_networks)),
            net_sent: rate(second(networks), second(earlier_networks)),
        }
    }
}

/// Bytes read and written by whole disks: parts of them, loops and maps would count the same again.
fn read_disk_bytes(root: &Path) -> Option<(u64, u64)> {
    let text = fs::read_to_string(root.join("proc/diskstats")).ok()?;
    let whole: HashSet<String> = fs::read_dir(root.join("sys/block"))
        .ok()?
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !["loop", "ram", "zram", "dm-", "md"].iter().any(|kind| name.starts_with(kind)))
        .collect();
    let of_line = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        fields.get(2).filter(|name| whole.contains(**name))?;
        Some((fields.get(5)?.parse::<u64>().ok()?, fields.get(9)?.parse::<u64>().ok()?))
    };
    let sum = text.lines().filter_map(of_line).fold((0, 0), |(a, b), (c, d)| (a + c, b + d));
    Some((sum.0 * SECTOR, sum.1 * SECTOR))
}

/// Bytes received and sent by all interfaces but the machine's own.
fn read_network_bytes(root: &Path) -> Option<(u64, u64)> {
    let text = fs::read_to_string(root.join("proc/net/dev")).ok()?;
    let of_line = |line: &str| {
        let (name, counters) = line.split_once(':')?;
        let counters: Vec<&str> = counters.split_whitespace().collect();
        (name.trim() != "lo").then_some(())?;
        Some((counters.first()?.parse::<u64>().ok()?, counters.get(8)?.parse::<u64>().ok()?))
    };
    Some(text.lines().filter_map(of_line).fold((0, 0), |(a, b), (c, d)| (a + c, b + d)))
}

/// Swapped out, and all room for it; `None` if there is no swap.
pub fn read_swap(root: &Path) -> Option<(Bytes, Bytes)> {
    let text = fs::read_to_string(root.join("proc/meminfo")).ok()?;
    let field = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
    };
    let (total, free) = (field("SwapTotal:")?, field("SwapFree:")?);
    (total > 0).then(|| (Bytes(total.saturating_sub(free)), Bytes(total)))
}

/// The warmest sensor of a processor, in °C; none in most virtual machines.
pub fn cpu_temperature(root: &Path) -> Option<f64> {
    let sensors = fs::read_dir(root.join("sys/class/hwmon")).ok()?.flatten().map(|entry| entry.path());
    let is_of_processor = |path: &PathBuf| {
        let name = fs::read_to_string(path.join("name")).unwrap_or_default();
        PROCESSORS.contains(&name.trim())
    };
    let readings = sensors.filter(is_of_processor).flat_map(|sensor| {
        let files = fs::read_dir(sensor).into_iter().flatten().flatten().map(|entry| entry.path());
        let is_input = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("temp") && name.ends_with("_input")
        };
        let degrees = |path: PathBuf| {
            let thousandths: f64 = fs::read_to_string(path).ok()?.trim().parse().ok()?;
            Some(thousandths / 1000.0).filter(|degrees| (-50.0..200.0).contains(degrees))
        };
        files.filter(is_input).filter_map(degrees).collect::<Vec<f64>>()
    });
    readings.reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn counters_become_rates_of_whole_disks_and_real_networks() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("sys/block/nvme0n1")).unwrap();
        fs::create_dir_all(root.join("sys/block/loop0")).unwrap();
        let tell = |read: u64, received: u64| {
            let disk = |name: &str| format!("259 0 {name} 1 0 {read} 0 1 0 {} 0 0 0 0\n", 2 * read);
            write(root, "proc/diskstats", &(disk("nvme0n1") + &disk("nvme0n1p1") + &disk("loop0")));
            let lines =
                format!("Inter|\n lo: 999 0 0 0 0 0 0 0 999 0\n eth0: {received} 0 0 0 0 0 0 0 7 0\n");
            write(root, "proc/net/dev", &lines);
        };
        let at = |second| Timestamp::from_second(second).unwrap();
        let mut meter = IoMeter::default();
        tell(10, 1000);
        assert_eq!(meter.read_rates(root, at(0)), Rates::default());
        tell(30, 5000);
        let rates = meter.read_rates(root, at(2));
        assert_eq!((rates.disk_read, rates.disk_written), (Some(5120.0), Some(10240.0)));
        assert_eq!((rates.net_received, rates.net_sent), (Some(2000.0), Some(0.0)));
        tell(5, 5000);
        assert_eq!(meter.read_rates(root, at(4)).disk_read, None, "a disk went away");
    }

    #[test]
    fn swap_and_heat_are_unknown_where_there_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert_eq!((read_swap(root), cpu_temperature(root)), (None, None));
        write(root, "proc/meminfo", "SwapTotal: 100 kB\nSwapFree: 60 kB\n");
        assert_eq!(read_swap(root), Some((Bytes(40 * 1024), Bytes(100 * 1024))));
        write(root, "sys/class/hwmon/hwmon0/name", "nvme\n");
        write(root, "sys/class/hwmon/hwmon0/temp1_input", "90000\n");
        assert_eq!(cpu_temperature(root), None, "that is a disk");
        write(root, "sys/class/hwmon/hwmon1/name", "coretemp\n");
        write(root, "sys/class/hwmon/hwmon1/temp1_input", "51000\n");
        write(root, "sys/class/hwmon/hwmon1/temp2_input", "64500\n");
        assert_eq!(cpu_temperature(root), Some(64.5));
    }
}
