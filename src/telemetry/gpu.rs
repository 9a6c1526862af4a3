//! Watches each GPU from an operating-system thread of its own: a driver call that hangs on one blocks no other.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::model::ids::GpuIndex;
use crate::model::machine::gpu_health::GpuHealth;
use crate::model::machine::sample::{FRESH, GpuCard, GpuInventory, GpuProcess};
use crate::telemetry::gpu_faults::FaultLog;
use crate::telemetry::gpu_source::{GpuReader, GpuReading, GpuReadings, GpuSource};
use crate::telemetry::nvml::driver;

/// Gives the present moment. Readings are compared with facts of a run, so that both must go by one clock.
pub type Clock = fn() -> Timestamp;

/// How fast is asked and how long is waited.
#[derive(Debug, Clone, Copy)]
pub struct PollTiming {
    /// From one reading of a GPU to its next.
    pub period: Duration,
    /// Time a card may take to describe itself before the others are shown without it.
    pub introduction: Duration,
    /// A call that takes longer does not come back.
    pub silent_after: Duration,
}

impl PollTiming {
    /// Polling faster than once a second slows the work on the GPU down, and NVML itself averages over about a second.
    pub const NORMAL: Self =
        Self { period: Duration::from_secs(1), introduction: Duration::from_secs(3), silent_after: FRESH };
}

/// Readings of all GPUs, renewed once a second. Its threads end after it is dropped and are never joined.
#[derive(Debug)]
pub struct GpuMonitor {
    shared: Arc<GpuMonitorInner>,
}

#[derive(Debug)]
struct GpuMonitorInner {
    pace: PollTiming,
    clock: Clock,
    state: Mutex<GpuMonitorState>,
    /// Notified when anything was read.
    read: Condvar,
    /// Notified when the monitor is dropped, and when readings are wanted before their time.
    stop: Condvar,
}

#[derive(Debug, Default)]
struct GpuMonitorState {
    stopped: bool,
    /// How often readings were wanted before their time.
    renewals: u64,
    driver: Option<Driver>,
}

/// Result of opening the driver.
#[derive(Debug)]
enum Driver {
    Absent { reason: String },
    Present { version: String, since: Instant, watches: Vec<GpuWatch> },
}

/// Latest answers of one GPU.
#[derive(Debug)]
struct GpuWatch {
    gpu: GpuIndex,
    card: Option<GpuCard>,
    reading: Option<GpuReading>,
    faults: FaultLog,
    /// The question that has not come back yet.
    asked: Option<Instant>,
    /// When the last answer came.
    answered: Timestamp,
}

impl GpuMonitor {
    /// Starts to watch through NVML; returns at once.
    pub fn start(clock: Clock) -> Self {
        Self::start_by(clock, driver::open_driver, PollTiming::NORMAL)
    }

    /// Starts to watch what `open` opens, on new threads, by the wall clock.
    pub fn start_with<S, O>(open: O, pace: PollTiming) -> Self
    where
        S: GpuSource,
        O: FnOnce() -> Result<S, String> + Send + 'static,
    {
        Self::start_by(Timestamp::now, open, pace)
    }

    fn start_by<S, O>(clock: Clock, open: O, pace: PollTiming) -> Self
    where
        S: GpuSource,
        O: FnOnce() -> Result<S, String> + Send + 'static,
    {
        let shared = Arc::new(GpuMonitorInner {
            pace,
            clock,
            state: Mutex::default(),
            read: Condvar::new(),
            stop: Condvar::new(),
        });
        let opener = Arc::clone(&shared);
        let spawned = spawn_thread("gpu-monitor", move || opener.open_source(open));
        if let Err(error) = spawned {
            let reason = format!("GPUs are not watched: no thread could be started ({error})");
            shared.lock().driver = Some(Driver::Absent { reason });
        }
        Self { shared }
    }

    /// Returns what the machine has; `None` until the driver and its cards have answered, or have taken too long.
    pub fn inventory(&self) -> Option<GpuInventory> {
        self.shared.lock().inventory(self.shared.pace.introduction)
    }

    /// The newest of every GPU; `None` without a driver.
    pub fn latest_readings(&self) -> Option<GpuReadings> {
        let patience = self.shared.pace.silent_after;
        self.shared
            .lock()
            .latest_readings(|watch| watch.asked.is_some_and(|asked| asked.elapsed() > patience))
    }

    /// Has every GPU read at once and waits for the answers, with those that do not come left as they were when the
    /// time is up. `None` without a driver.
    pub fn renew_readings(&self, timeout: Duration) -> Option<GpuReadings> {
        let (deadline, asked) = (Instant::now() + timeout, (self.shared.clock)());
        let mut state = self.shared.lock();
        state.renewals += 1;
        self.shared.stop.notify_all();
        while !state.is_read_since(asked, self.shared.pace.silent_after) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self.shared.read.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(state);
        self.latest_readings()
    }

    /// Waits for the inventory and one reading of each GPU, with those that do not answer left out when time is up.
    fn first_look(&self, timeout: Duration) -> (GpuInventory, GpuReadings) {
        let deadline = Instant::now() + timeout;
        let mut state = self.shared.lock();
        while !state.is_read_once() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self.shared.read.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        let readings = state.latest_readings(|watch| watch.reading.is_none()).unwrap_or_default();
        let inventory = state.inventory(Duration::ZERO).unwrap_or_else(|| GpuInventory::Absent {
            reason: format!(
                "the NVIDIA driver did not answer within {:.1} s; look at `dmesg` for a GPU that hangs",
                timeout.as_secs_f64()
            ),
        });
        (inventory, readings)
    }
}

impl Drop for GpuMonitor {
    fn drop(&mut self) {
        self.shared.lock().stopped = true;
        self.shared.stop.notify_all();
    }
}

/// Looks at the GPUs once and gives up after `timeout`: takes milliseconds without a driver, longer where it wakes the
/// GPU.
pub fn inspect_once(timeout: Duration) -> (GpuInventory, GpuReadings) {
    inspect_with(driver::open_driver, timeout)
}

/// Looks once at the GPUs of the source that `open` opens.
pub fn inspect_with<S, O>(open: O, timeout: Duration) -> (GpuInventory, GpuReadings)
where
    S: GpuSource,
    O: FnOnce() -> Result<S, String> + Send + 'static,
{
    GpuMonitor::start_with(open, PollTiming::NORMAL).first_look(timeout)
}

fn spawn_thread(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}

impl GpuMonitorInner {
    /// Both sides only replace whole values, so that a state whose holder panicked is still a true one.
    fn lock(&self) -> MutexGuard<'_, GpuMonitorState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open_source<S: GpuSource>(self: Arc<Self>, open: impl FnOnce() -> Result<S, String>) {
        let opened = open().and_then(|source| Ok((source.driver_version(), source.create_readers()?)));
        let (version, readers) = match opened {
            Ok(opened) => opened,
            Err(reason) => {
                self.lock().driver = Some(Driver::Absent { reason });
                self.read.notify_all();
                return;
            }
        };
        let watches = (0..readers.len()).map(|number| GpuWatch::new(GpuIndex(number as u32), (self.clock)()));
        let watches = watches.collect();
        self.lock().driver = Some(Driver::Present { version, since: Instant::now(), watches });
        self.read.notify_all();
        for (number, reader) in readers.into_iter().enumerate() {
            let shared = Arc::clone(&self);
            // A GPU whose thread cannot be started is silent, and will be reported as such.
            let _ = spawn_thread(&format!("gpu-{number}"), move || shared.watch_gpu(number, reader));
        }
    }

    /// The life of one GPU's thread.
    fn watch_gpu(&self, number: usize, mut reader: impl GpuReader) {
        let card = reader.read_card();
        self.update_watch(number, |watch| watch.card = Some(card));
        let mut renewals = self.lock().renewals;
        loop {
            self.update_watch(number, |watch| watch.asked = Some(Instant::now()));
            let reading = reader.take_reading((self.clock)());
            let answered = (self.clock)();
            self.update_watch(number, |watch| watch.record_reading(reading, answered));
            if self.is_stopped_within(self.pace.period, &mut renewals) {
                return;
            }
        }
    }

    /// Waits so long, or until a reading is wanted that `renewals` does not count yet.
    fn is_stopped_within(&self, time: Duration, renewals: &mut u64) -> bool {
        let goes_on = |state: &mut GpuMonitorState| !state.stopped && state.renewals == *renewals;
        let waited = self.stop.wait_timeout_while(self.lock(), time, goes_on);
        let state = waited.unwrap_or_else(PoisonError::into_inner).0;
        *renewals = state.renewals;
        state.stopped
    }

    fn update_watch(&self, number: usize, change: impl FnOnce(&mut GpuWatch)) {
        if let Some(Driver::Present { watches, .. }) = &mut self.lock().driver {
            change(&mut watches[number]);
        }
        self.read.notify_all();
    }
}

impl GpuMonitorState {
    /// Nothing more is to come for a first look.
    fn is_read_once(&self) -> bool {
        match &self.driver {
            None => false,
            Some(Driver::Absent { .. }) => true,
            Some(Driver::Present { watches, .. }) => watches.iter().all(|watch| watch.reading.is_some()),
        }
    }

    /// Every GPU that answers was read since that moment, or there is none to read.
    fn is_read_since(&self, asked: Timestamp, patience: Duration) -> bool {
        let is_silent = |watch: &GpuWatch| watch.asked.is_some_and(|asked| asked.elapsed() > patience);
        let begun = |watch: &GpuWatch| watch.reading.as_ref().map(|reading| reading.sample.timestamp);
        let is_read = |watch: &GpuWatch| begun(watch) >= Some(asked);
        match &self.driver {
            None => false,
            Some(Driver::Absent { .. }) => true,
            Some(Driver::Present { watches, .. }) => {
                watches.iter().all(|watch| is_read(watch) || is_silent(watch))
            }
        }
    }

    fn inventory(&self, introduction: Duration) -> Option<GpuInventory> {
        match self.driver.as_ref()? {
            Driver::Absent { reason } => Some(GpuInventory::Absent { reason: reason.clone() }),
            Driver::Present { version, since, watches } => {
                let is_time_up = since.elapsed() >= introduction;
                let card = |watch: &GpuWatch| {
                    let unknown = || is_time_up.then(|| GpuCard::unknown(watch.gpu));
                    watch.card.clone().or_else(unknown)
                };
                let cards = watches.iter().map(card).collect::<Option<_>>()?;
                Some(GpuInventory::Present { driver: version.clone(), cards })
            }
        }
    }

    fn latest_readings(&self, is_silent: impl Fn(&GpuWatch) -> bool) -> Option<GpuReadings> {
        let Some(Driver::Present { watches, .. }) = &self.driver else { return None };
        let mut readings = GpuReadings::default();
        for watch in watches {
            let silent = is_silent(watch);
            if let Some(reading) = &watch.reading {
                readings.samples.push(reading.sample.clone());
                let processes = reading.processes.iter().cloned();
                readings.processes.extend(
                    processes.map(|process| GpuProcess { vram: process.vram.filter(|_| !silent), ..process }),
                );
            }
            let faults = watch.faults.list_faults(silent.then_some(watch.answered));
            readings.health.push(GpuHealth { gpu: watch.gpu, faults });
        }
        Some(readings)
    }
}

impl GpuWatch {
    /// Creates the watch of a GPU that is asked from now on.
    fn new(gpu: GpuIndex, answered: Timestamp) -> Self {
        let asked = Some(Instant::now());
        Self { gpu, card: None, reading: None, faults: FaultLog::default(), asked, answered }
    }

    fn record_reading(&mut self, reading: GpuReading, answered: Timestamp) {
        self.asked = None;
        self.answered = answered;
        self.faults.note_seen(self.answered, &reading.faults);
        self.reading = Some(reading);
    }
}

#[cfg(test)]
mod tests;
