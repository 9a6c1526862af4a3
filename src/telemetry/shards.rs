//! What the processes of each running attempt use: processor, main memory and VRAM.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use rustix::param::clock_ticks_per_second;
use rustix::time::{ClockId, clock_gettime};

use crate::model::ids::{AttemptKey, GpuIndex};
use crate::model::machine::sample::{GpuProcess, ShardSample};
use crate::model::units::Bytes;
use crate::process::stat::Stat;
use crate::telemetry::proc_files;
use crate::telemetry::resident::Resident;
use crate::telemetry::shard_cpu::{ProcessStats, ticks_between};

/// Reads the process trees it is given; it searches for none, so that it costs the same on a busy machine.
#[derive(Debug, Default)]
pub struct ShardMonitor {
    earlier: HashMap<AttemptKey, PreviousReading>,
    on_gpus: OnGpus,
}

/// Owners of the processes that the GPUs list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OnGpus {
    /// Memory that each attempt holds on each GPU on which it has a process; unknown where any part is unknown.
    pub attempts: HashMap<AttemptKey, BTreeMap<GpuIndex, Option<Bytes>>>,
    /// The processes of each attempt.
    pub processes: HashMap<AttemptKey, Vec<GpuProcess>>,
    /// Processes that belong to no attempt of the run.
    pub others: Vec<GpuProcess>,
}

#[derive(Debug)]
struct PreviousReading {
    look: ProcessStats,
    resident: Resident,
    /// Time of the look, in ticks since boot.
    seen_at: f64,
}

impl ShardMonitor {
    /// A monitor that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a row for each attempt. Processor load is a difference: an attempt's first row has none.
    pub fn read_samples(
        &mut self,
        attempts: &[(AttemptKey, Vec<Stat>)],
        gpu_processes: &[GpuProcess],
        at: Timestamp,
    ) -> Vec<ShardSample> {
        let seen_at = ticks_since_boot();
        self.on_gpus = on_gpus(attempts, gpu_processes);
        let vram = &self.on_gpus.attempts;
        let mut earlier = std::mem::take(&mut self.earlier);
        let rows = attempts.iter().map(|(key, processes)| {
            let look: ProcessStats = processes.iter().map(|process| (process.pid, process.clone())).collect();
            let earlier = earlier.remove(key);
            let resident = match &earlier {
                Some(earlier) => Resident::read_changed(&earlier.resident, &look),
                None => Resident::read_changed(&Resident::default(), &look),
            };
            let now = PreviousReading { look, resident, seen_at };
            let row = ShardSample {
                cpu_percent: earlier.and_then(|earlier| cpu_percent(&earlier, &now)),
                rss_bytes: (!now.look.is_empty()).then(|| now.resident.total_bytes()),
                vram_bytes: vram.get(key).and_then(sum_vram),
                processes: now.look.len().try_into().unwrap_or(u32::MAX),
                ..ShardSample::unknown(key, at)
            };
            self.earlier.insert(key.clone(), now);
            row
        });
        rows.collect()
    }

    /// Returns the processes on the GPUs at the last reading.
    pub fn on_gpus(&self) -> &OnGpus {
        &self.on_gpus
    }
}

/// Over all GPUs; `None` if any part is.
fn sum_vram(on_gpus: &BTreeMap<GpuIndex, Option<Bytes>>) -> Option<Bytes> {
    on_gpus.values().try_fold(Bytes(0), |sum, vram| Some(Bytes(sum.0.saturating_add((*vram)?.0))))
}

fn cpu_percent(earlier: &PreviousReading, now: &PreviousReading) -> Option<f64> {
    let elapsed = now.seen_at - earlier.seen_at;
    if elapsed <= 0.0 || now.look.is_empty() {
        return None;
    }
    let used = ticks_between(&earlier.look, earlier.seen_at as u64, &now.look);
    Some(100.0 * used as f64 / elapsed)
}

fn ticks_since_boot() -> f64 {
    // The clock by which the kernel notes the start of processes; it does not jump when the time is set.
    let now = clock_gettime(ClockId::Boottime);
    (now.tv_sec as f64 + now.tv_nsec as f64 / 1e9) * clock_ticks_per_second() as f64
}

/// Sorts the processes of the GPUs by the attempts that have them.
fn on_gpus(attempts: &[(AttemptKey, Vec<Stat>)], gpu_processes: &[GpuProcess]) -> OnGpus {
    let mut found = OnGpus::default();
    if gpu_processes.is_empty() {
        return found;
    }
    let numbered = attempts.iter().enumerate();
    let owners: HashMap<u32, usize> = numbered
        .flat_map(|(number, (_, tree))| tree.iter().map(move |process| (process.pid, number)))
        .collect();
    let inner = InnerPids::for_unmatched(&owners, gpu_processes);
    for process in gpu_processes {
        let Some(owner) = owners.get(&process.pid).copied().or_else(|| inner.find_owner(process.pid)) else {
            found.others.push(process.clone());
            continue;
        };
        found.processes.entry(attempts[owner].0.clone()).or_default().push(process.clone());
        let of_attempt = found.attempts.entry(attempts[owner].0.clone()).or_default();
        let sum = of_attempt.entry(process.gpu).or_insert(Some(Bytes(0)));
        *sum = sum.zip(process.vram).map(|(sum, vram)| Bytes(sum.0.saturating_add(vram.0)));
    }
    found
}

/// Pids by which containers inside the trees know their own processes.
struct InnerPids(HashMap<u32, Vec<usize>>);

impl InnerPids {
    /// Reads them only where a GPU lists a pid that means nothing here.
    fn for_unmatched(owners: &HashMap<u32, usize>, gpu_processes: &[GpuProcess]) -> Self {
        let mut inner: HashMap<u32, Vec<usize>> = HashMap::new();
        let foreign = |process: &GpuProcess| {
            !owners.contains_key(&process.pid) && !proc_files::process_exists(process.pid)
        };
        if gpu_processes.iter().any(foreign) {
            for (pid, owner) in owners {
                for name in proc_files::namespace_pids(*pid).into_iter().skip(1) {
                    inner.entry(name).or_default().push(*owner);
                }
            }
        }
        Self(inner)
    }

    /// Returns the only attempt with such a process; two containers may both have a pid 7, and then the owner is
    /// unknown.
    fn find_owner(&self, pid: u32) -> Option<usize> {
        if proc_files::process_exists(pid) {
            return None;
        }
        match self.0.get(&pid).map(Vec::as_slice) {
            Some([owner]) => Some(*owner),
            Some(_) | None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};
    use std::time::{Duration, Instant};

    use super::*;
    use crate::model::ids::{AttemptNumber, GpuIndex, ShardId};
    use crate::process::stat;

    struct Running(Child);

    impl Running {
        fn shell(script: &str) -> Self {
            Self(Command::new("sh").args(["-c", script]).spawn().unwrap())
        }
    }

    impl Drop for Running {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    fn processes(pids: &[u32]) -> Vec<Stat> {
        pids.iter().filter_map(|pid| stat::read_stat(*pid)).collect()
    }

    fn made_up(pid: u32) -> Stat {
        Stat { pid, ..stat::read_own().unwrap() }
    }

    fn key(shard: &str) -> AttemptKey {
        AttemptKey { shard: ShardId::new(shard).unwrap(), attempt: AttemptNumber::FIRST }
    }

    fn on_gpu(gpu: u32, pid: u32, vram: Option<u64>) -> GpuProcess {
        GpuProcess { gpu: GpuIndex(gpu), pid, vram: vram.map(Bytes) }
    }

    #[test]
    fn a_busy_loop_shows_load_and_a_sleeper_shows_none() {
        let (busy, idle) = (Running::shell("while :; do :; done"), Running::shell("exec sleep 60"));
        let look = || [(key("busy"), processes(&[busy.0.id()])), (key("idle"), processes(&[idle.0.id()]))];
        let mut monitor = ShardMonitor::new();
        let first = monitor.read_samples(&look(), &[], Timestamp::UNIX_EPOCH);
        assert_eq!((first[0].cpu_percent, first[1].cpu_percent), (None, None));
        assert!(first[0].rss_bytes.unwrap() > Bytes(0));
        assert_eq!((first[0].processes, first[0].vram_bytes), (1, None));
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            let rows = monitor.read_samples(&look(), &[], Timestamp::UNIX_EPOCH);
            if rows[0].cpu_percent.is_some_and(|load| load > 0.0) {
                break;
            }
            assert!(Instant::now() < deadline, "a busy loop uses no processor: {rows:?}");
        }
    }

    #[test]
    fn a_process_that_is_gone_leaves_everything_unknown() {
        let gone = Running::shell("exec sleep 60").0.id();
        let mut monitor = ShardMonitor::new();
        let attempts = [(key("gone"), processes(&[gone]))];
        for _ in 0..2 {
            let row = monitor.read_samples(&attempts, &[], Timestamp::UNIX_EPOCH).remove(0);
            assert_eq!((row.cpu_percent, row.rss_bytes, row.processes), (None, None, 0));
        }
    }

    #[test]
    fn vram_is_added_over_processes_and_gpus_and_is_unknown_where_a_part_is() {
        let attempts = [
            (key("a"), vec![made_up(10), made_up(11)]),
            (key("b"), vec![made_up(20)]),
            (key("c"), vec![made_up(30)]),
        ];
        let processes =
            [on_gpu(0, 10, Some(5)), on_gpu(1, 11, Some(7)), on_gpu(0, 20, None), on_gpu(0, 1, Some(9))];
        let found = on_gpus(&attempts, &processes);
        let vram = |name: &str| found.attempts.get(&key(name)).map(sum_vram);
        assert_eq!((vram("a"), vram("b"), vram("c")), (Some(Some(Bytes(12))), Some(None), None));
        assert_eq!(found.attempts[&key("a")][&GpuIndex(1)], Some(Bytes(7)));
        assert_eq!(found.others, [on_gpu(0, 1, Some(9))]);
    }

    #[test]
    fn an_inner_pid_that_two_attempts_have_belongs_to_neither() {
        // Above the largest pid of any Linux, so that no real process has one of these.
        let inner = InnerPids(HashMap::from([(5_000_007, vec![0]), (5_000_008, vec![0, 1])]));
        assert_eq!(inner.find_owner(5_000_007), Some(0));
        assert_eq!(inner.find_owner(5_000_008), None);
        assert_eq!(inner.find_owner(5_000_009), None);
    }
}
