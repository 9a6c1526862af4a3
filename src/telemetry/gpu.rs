//! Watches the GPUs from an operating-system thread of its own: a driver call that hangs blocks nobody else.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use jiff::Timestamp;

use crate::model::sample::GpuInventory;
use crate::telemetry::gpu_source::{GpuReadings, GpuSource};
use crate::telemetry::nvml;

/// Polling faster than this slows the work on the GPU down, and NVML itself averages over about a second.
const PERIOD: Duration = Duration::from_secs(1);

/// Readings of all GPUs, renewed once a second. The thread ends after the monitor is dropped and is never joined.
#[derive(Debug)]
pub struct GpuMonitor {
    snapshot: Arc<Mutex<Snapshot>>,
    /// Its end is the signal for the thread to stop.
    _alive: Sender<()>,
}

#[derive(Debug, Default)]
struct Snapshot {
    inventory: Option<GpuInventory>,
    readings: Option<Arc<GpuReadings>>,
}

impl GpuMonitor {
    /// Starts to watch through NVML; returns at once.
    pub fn start() -> Self {
        Self::start_with(nvml::open, PERIOD)
    }

    /// Starts to watch what `open` opens, on the new thread.
    pub fn start_with<S, O>(open: O, period: Duration) -> Self
    where
        S: GpuSource,
        O: FnOnce() -> Result<S, String> + Send + 'static,
    {
        let snapshot = Arc::new(Mutex::new(Snapshot::default()));
        let (alive, stop) = mpsc::channel();
        let shared = Arc::clone(&snapshot);
        let spawned = spawn("gpu-monitor", move || watch(open, period, &shared, &stop));
        if let Err(error) = spawned {
            let reason = format!("GPUs are not watched: no thread could be started ({error})");
            lock(&snapshot).inventory = Some(GpuInventory::Absent { reason });
        }
        Self { snapshot, _alive: alive }
    }

    /// What the machine has; `None` until the driver has answered.
    pub fn inventory(&self) -> Option<GpuInventory> {
        lock(&self.snapshot).inventory.clone()
    }

    /// The newest round; `None` before the first and without a driver.
    pub fn latest(&self) -> Option<Arc<GpuReadings>> {
        lock(&self.snapshot).readings.clone()
    }
}

/// One look at the GPUs, given up after `timeout`: milliseconds without a driver, longer where it wakes the GPU.
pub fn inspect_once(timeout: Duration) -> (GpuInventory, GpuReadings) {
    inspect_with(nvml::open, timeout)
}

/// One look at what `open` opens.
pub fn inspect_with<S, O>(open: O, timeout: Duration) -> (GpuInventory, GpuReadings)
where
    S: GpuSource,
    O: FnOnce() -> Result<S, String> + Send + 'static,
{
    let (sender, receiver) = mpsc::channel();
    let spawned = spawn("gpu-inspect", move || {
        let look = match open() {
            Ok(mut source) => (source.inventory(), source.read(Timestamp::now())),
            Err(reason) => absent(reason),
        };
        // The receiver is gone when the time was up; then nobody wants the answer.
        let _ = sender.send(look);
    });
    if let Err(error) = spawned {
        return absent(format!("GPUs were not looked at: no thread could be started ({error})"));
    }
    receiver.recv_timeout(timeout).unwrap_or_else(|_| {
        absent(format!(
            "the NVIDIA driver did not answer within {:.1} s; look at `dmesg` for a GPU that hangs",
            timeout.as_secs_f64()
        ))
    })
}

fn absent(reason: String) -> (GpuInventory, GpuReadings) {
    (GpuInventory::Absent { reason }, GpuReadings::empty(Timestamp::now()))
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}

fn watch<S, O>(open: O, period: Duration, snapshot: &Mutex<Snapshot>, stop: &Receiver<()>)
where
    S: GpuSource,
    O: FnOnce() -> Result<S, String>,
{
    let mut source = match open() {
        Ok(source) => source,
        Err(reason) => {
            lock(snapshot).inventory = Some(GpuInventory::Absent { reason });
            return;
        }
    };
    let inventory = source.inventory();
    lock(snapshot).inventory = Some(inventory);
    loop {
        let readings = Arc::new(source.read(Timestamp::now()));
        lock(snapshot).readings = Some(readings);
        match stop.recv_timeout(period) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Both sides only replace whole values, so that a snapshot whose holder panicked is still a true one.
fn lock(snapshot: &Mutex<Snapshot>) -> MutexGuard<'_, Snapshot> {
    snapshot.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::telemetry::scripted::{ScriptedSource, card, round};

    fn wait_for<T>(mut look: impl FnMut() -> Option<T>) -> T {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            if let Some(found) = look() {
                return found;
            }
            assert!(Instant::now() < deadline, "the monitor did not get there");
            thread::yield_now();
        }
    }

    #[test]
    fn rounds_of_the_source_appear_one_after_the_other() {
        let (start, source) = ScriptedSource::new(vec![card(0)], vec![round(40.0), round(50.0)]);
        let monitor = GpuMonitor::start_with(|| Ok(source), Duration::from_millis(1));
        start.send(()).unwrap();
        let inventory = wait_for(|| monitor.inventory());
        assert_eq!(inventory.cards(), [card(0)]);
        wait_for(|| monitor.latest().filter(|latest| latest.samples[0].power_w == Some(40.0)));
        start.send(()).unwrap();
        wait_for(|| monitor.latest().filter(|latest| latest.samples[0].power_w == Some(50.0)));
    }

    #[test]
    fn a_source_that_hangs_leaves_the_last_round_with_its_time() {
        let (start, source) = ScriptedSource::new(vec![card(0)], vec![round(40.0), round(50.0)]);
        let monitor = GpuMonitor::start_with(|| Ok(source), Duration::from_millis(1));
        start.send(()).unwrap();
        let first = wait_for(|| monitor.latest());
        // The second round is never let through: it hangs as a sick driver does.
        assert_eq!(monitor.latest().unwrap().at, first.at);
        assert!(monitor.inventory().is_some());
    }

    #[test]
    fn a_driver_that_does_not_answer_in_time_is_absent_with_a_reason() {
        let (_start, source) = ScriptedSource::new(vec![card(0)], vec![round(40.0)]);
        let (inventory, readings) = inspect_with(|| Ok(source), Duration::from_millis(20));
        let GpuInventory::Absent { reason } = inventory else { panic!("nothing has answered") };
        assert!(reason.contains("did not answer within"), "{reason}");
        assert_eq!(readings.samples, []);
    }

    #[test]
    fn a_missing_driver_is_said_in_a_sentence() {
        let open = || nvml::open_library("/nowhere/libnvidia-ml.so.1".as_ref());
        let (inventory, _) = inspect_with(open, Duration::from_secs(20));
        let reason = "no NVIDIA driver: libnvidia-ml.so.1 was not found".to_owned();
        assert_eq!(inventory, GpuInventory::Absent { reason: reason.clone() });
        let monitor = GpuMonitor::start_with(open, PERIOD);
        assert_eq!(wait_for(|| monitor.inventory()), GpuInventory::Absent { reason });
        assert_eq!(monitor.latest(), None);
    }
}
