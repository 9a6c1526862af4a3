//! The thread that reads GPUs, host and shards once a second, and writes the CSV files.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio::sync::mpsc::UnboundedSender;
use tracing::warn;

use super::container_roots::ContainerRoots;
use super::gpu_faults::{FaultNews, GpuFaults};
use super::machine::{self, MachineSurvey};
use super::roots::Roots;
use super::system_survey;
use super::tracked::{Attempts, FinalMeasures, with_strangers};
use crate::model::ids::{AttemptKey, GpuIndex};
use crate::model::machine::gpu_permit::{GpuPermit, NOT_CHOSEN};
use crate::model::machine::sample::TelemetrySample as Round;
use crate::model::machine::sample::{GpuInventory, GpuSample};
use crate::model::state::run_state::RunState;
use crate::model::state::write_trouble::WriteTarget;
use crate::process::identity;
use crate::process::stat::Stat;
use crate::rundir::clock;
use crate::rundir::layout::RunDir;
use crate::rundir::telemetry::{self, TelemetryWriter};
use crate::scheduler::input::SchedulerInput;
use crate::supervisor::control::WakeWatch;
use crate::supervisor::error::SupervisorError;
use crate::supervisor::event::SupervisorEvent;
use crate::supervisor::write_troubles::WriteWatch;
use crate::telemetry::component_memory::Component;
use crate::telemetry::gpu::GpuMonitor;
use crate::telemetry::gpu_source::GpuReadings;
use crate::telemetry::host::HostMonitor;
use crate::telemetry::oom_kills::OomKills;
use crate::telemetry::shards::ShardMonitor;

/// Time between rounds: what the charts step at, and what NVML can answer without slowing the GPU.
const ROUND: Duration = Duration::from_secs(1);

/// The first round comes sooner, so that a screen opened at once is not empty for long.
const FIRST: Duration = Duration::from_millis(150);

/// How long a driver may take to wake its cards before it counts as absent.
const DRIVER_ANSWERS: Duration = Duration::from_secs(10);

/// How long the figures of its cards may take then. One that hangs counts as such and holds up no other.
const FIRST_FIGURES: Duration = Duration::from_secs(3);

/// The handle to the thread.
#[derive(Clone)]
pub(in crate::supervisor) struct TelemetryHandle {
    attempts: Arc<Mutex<Attempts>>,
    gpus: Arc<GpuMonitor>,
    oom_kills: Arc<Mutex<OomKills>>,
    faults: Arc<Mutex<GpuFaults>>,
    /// Why some GPUs get no shards of this run.
    withheld: Arc<Mutex<HashMap<GpuIndex, String>>>,
    containers: Arc<Mutex<ContainerRoots>>,
    event_tx: UnboundedSender<SupervisorEvent>,
    /// Whether every look at the machine is reported.
    tells: Arc<AtomicBool>,
    /// Asks the thread for a look before its time.
    want: Sender<()>,
}

/// The readings that were written last.
#[derive(Default)]
struct LastWritten {
    inventory: Option<GpuInventory>,
    gpus: HashMap<GpuIndex, Timestamp>,
}

impl LastWritten {
    fn is_new(&mut self, sample: &GpuSample) -> bool {
        self.gpus.insert(sample.gpu, sample.timestamp) != Some(sample.timestamp)
    }
}

impl TelemetryHandle {
    /// Starts the thread; it ends with the process.
    pub(in crate::supervisor) fn start(
        run: &RunDir,
        state: &RunState,
        event_tx: UnboundedSender<SupervisorEvent>,
        writes: WriteWatch,
    ) -> Result<Self, SupervisorError> {
        let writer = TelemetryWriter::open(run, |text| {
            // The receiver is gone while the supervisor ends.
            let _ = event_tx.send(SupervisorEvent::Trouble { about: None, text });
        });
        let (want, wanted) = mpsc::channel();
        let earlier = telemetry::read_latest(run).unwrap_or_else(|error| {
            warn!("{error}");
            Round::default()
        });
        let attempts = Attempts::resume_from(earlier.gpus, earlier.shards, state);
        let telemetry = Self {
            attempts: Arc::new(Mutex::new(attempts)),
            gpus: Arc::new(GpuMonitor::start(clock::now)),
            oom_kills: Arc::default(),
            faults: Arc::default(),
            withheld: Arc::default(),
            containers: Arc::default(),
            event_tx,
            tells: Arc::default(),
            want,
        };
        let (thread, run) = (telemetry.clone(), run.clone());
        let wake_watch = WakeWatch::begin(&run, identity::identify_self()?);
        std::thread::Builder::new()
            .name("telemetry".to_owned())
            .spawn(move || thread.run_rounds(&run, writer, &wanted, (&writes, wake_watch)))
            .map_err(SupervisorError::system("start the telemetry thread"))?;
        Ok(telemetry)
    }

    /// Measure this attempt from now on.
    pub(in crate::supervisor) fn track_attempt(
        &self,
        key: AttemptKey,
        roots: Roots,
        gpus: Vec<GpuIndex>,
        components: Vec<Component>,
    ) {
        let warnings = self.lock_faults().lasting_faults(&gpus);
        self.lock_attempts().track_attempt(key, roots, (gpus, components), warnings);
    }

    /// Its log names a renderer of the processor, and it makes progress.
    pub(in crate::supervisor) fn suspect_renderer(&self, key: &AttemptKey, renderer: &'static str) {
        self.lock_attempts().suspect_renderer(key, renderer, clock::now());
    }

    /// Stop measuring and give what was measured.
    pub(in crate::supervisor) fn untrack_attempt(&self, key: &AttemptKey) -> FinalMeasures {
        let measured = self.lock_attempts().untrack_attempt(key);
        self.lock_faults().note_end(key.clone(), measured.gpus.clone(), clock::now());
        measured
    }

    /// Notes which GPUs new shards get, and why they get no others.
    pub(in crate::supervisor) fn mark_gpus(&self, permit: &GpuPermit, chosen: &[GpuIndex]) {
        let all =
            permit.cards.iter().map(|card| card.index).chain(permit.withheld.iter().map(|(gpu, _)| *gpu));
        *self.lock_withheld() =
            all.filter_map(|gpu| Some((gpu, permit.withheld_reason(gpu, chosen)?))).collect();
    }

    fn lock_withheld(&self) -> MutexGuard<'_, HashMap<GpuIndex, String>> {
        self.withheld.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The inventory as viewers see it.
    fn marked_inventory(&self) -> Option<GpuInventory> {
        let mut inventory = self.gpus.inventory()?;
        let withheld = self.lock_withheld();
        inventory.withhold_cards(|gpu| withheld.get(&gpu).cloned());
        Some(inventory)
    }

    /// The kernel killed something for lack of memory in the moments before `ended`.
    pub(in crate::supervisor) fn memory_ran_out_before(&self, ended: Timestamp) -> bool {
        self.oom_kills.lock().unwrap_or_else(PoisonError::into_inner).happened_before(ended)
    }

    /// Returns the machine's GPUs. Waits for the driver, because nothing can be placed before; one that does not answer
    /// in time is taken for absent.
    pub(in crate::supervisor) fn wait_for_inventory(&self) -> GpuInventory {
        let deadline = Instant::now() + DRIVER_ANSWERS;
        loop {
            if let Some(inventory) = self.gpus.inventory() {
                return inventory;
            }
            if Instant::now() >= deadline {
                let reason = format!("the NVIDIA driver did not answer for {} s", DRIVER_ANSWERS.as_secs());
                return GpuInventory::Absent { reason };
            }
            std::thread::sleep(Duration::from_micros(200));
        }
    }

    /// Looks at the machine at once.
    pub(in crate::supervisor) fn look_now(&self) {
        // Without the thread there are no looks at all.
        let _ = self.want.send(());
    }

    /// Reports every look at the machine from now on.
    pub(in crate::supervisor) fn tell_looks(&self) {
        self.tells.store(true, Ordering::Relaxed);
    }

    /// The machine before anything of this supervisor runs on it. Waits for the first figures of a driver that has
    /// answered, because nothing can be promised before.
    pub(in crate::supervisor) fn first_look(&self) -> MachineSurvey {
        let readings = self.gpus.renew_readings(FIRST_FIGURES).unwrap_or_default();
        let at = clock::now();
        let mut shards = ShardMonitor::new();
        let rows = shards.read_samples(&[], &readings.processes, at);
        machine::combine_readings(&readings, &HostMonitor::new().read_sample(at), &rows, shards.on_gpus())
    }

    /// A look between two rounds: something has ended, and others wait for the memory that it leaves. Nothing of it is
    /// written, because the files have one row a second.
    fn look_between(&self, host: &mut HostMonitor, shards: &mut ShardMonitor) {
        let readings = self.gpus.renew_readings(FIRST_FIGURES).unwrap_or_default();
        let at = clock::now();
        let rows = shards.read_samples(&self.attempt_processes(), &readings.processes, at);
        // After what the shards use of it, as for the GPUs: see `look`.
        let round = Round { shards: rows, gpus: Vec::new(), host: Some(host.read_sample(at)) };
        self.tell_look(&readings, &round, shards);
    }

    /// Puts a round and the readings of the GPUs together of which it was made: newer ones would not fit its processes.
    fn tell_look(&self, readings: &GpuReadings, round: &Round, shards: &ShardMonitor) {
        let Some(host) = round.host.as_ref().filter(|_| self.tells.load(Ordering::Relaxed)) else { return };
        let look = machine::combine_readings(readings, host, &round.shards, shards.on_gpus());
        // The receiver is gone while the supervisor ends.
        let _ = self.event_tx.send(SupervisorEvent::Looked(Box::new(look)));
    }

    fn lock_attempts(&self) -> MutexGuard<'_, Attempts> {
        // The readings of a thread that panicked are still readings.
        self.attempts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_faults(&self) -> MutexGuard<'_, GpuFaults> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run_rounds(
        &self,
        run: &RunDir,
        mut writer: TelemetryWriter,
        wanted: &Receiver<()>,
        (writes, mut wake_watch): (&WriteWatch, WakeWatch),
    ) {
        let mut host = HostMonitor::for_recording();
        let mut shards = ShardMonitor::new();
        let mut written = LastWritten::default();
        let mut has_looked = false;
        let mut next = Instant::now() + FIRST;
        loop {
            if let Ok(()) = wanted.recv_timeout(next.saturating_duration_since(Instant::now())) {
                self.look_between(&mut host, &mut shards);
                continue;
            }
            next = (next + ROUND).max(Instant::now());
            let readings = self.gpus.latest_readings().unwrap_or_default();
            let round = self.measure_round(run, &readings, (&mut host, &mut shards), &mut written);
            if !has_looked {
                has_looked = true;
                system_survey::start_look(run, self.gpus.inventory());
            }
            self.tell_look(&readings, &round, &shards);
            // The files are another supervisor's now, and the event loop says so.
            if wake_watch.refuse_replaced().is_err() {
                return;
            }
            let done = writer.append_round(&round).and_then(|()| match self.marked_inventory() {
                Some(inventory) if written.inventory.as_ref() != Some(&inventory) => {
                    telemetry::write_inventory(run, &inventory)?;
                    written.inventory = Some(inventory);
                    Ok(())
                }
                Some(_) | None => Ok(()),
            });
            writes.note_outcome(WriteTarget::Telemetry, &done);
            writes.look_at_disk();
            if let Err(error) = done {
                warn!("{error}");
            }
        }
    }

    fn measure_round(
        &self,
        run: &RunDir,
        readings: &GpuReadings,
        (host, shards): (&mut HostMonitor, &mut ShardMonitor),
        written: &mut LastWritten,
    ) -> Round {
        let at = clock::now();
        self.oom_kills.lock().unwrap_or_else(PoisonError::into_inner).note_counts(at);
        let faults = self.lock_faults().update_health(run, readings.health.clone(), at);
        // What happens on cards of others is theirs to know.
        let own = |fault: &FaultNews| {
            self.lock_withheld().get(&fault.gpu).is_none_or(|reason| reason == NOT_CHOSEN)
        };
        faults.into_iter().filter(own).for_each(|fault| self.tell_fault(fault, at));
        // A reading that the driver did not renew is not written a second time.
        let new = readings.samples.iter().filter(|sample| written.is_new(sample)).cloned();
        let samples: Vec<GpuSample> = new.collect();
        let attempts = self.attempt_processes();
        let mut rows = shards.read_samples(&attempts, &readings.processes, at);
        for (key, text) in
            self.lock_attempts().look_for(shards.on_gpus(), &machine::fully_listed_gpus(readings), at)
        {
            let _ = self.event_tx.send(SupervisorEvent::Trouble { about: Some(key), text });
        }
        let strangers = with_strangers(&attempts, &readings.processes);
        self.lock_attempts().add_readings(&samples, &strangers, &mut rows);
        self.lock_attempts().divide_memory(shards.on_gpus(), &mut rows);
        let round = Round { shards: rows, gpus: samples, host: Some(host.read_sample(at)) };
        for (key, load) in self.lock_attempts().changed_loads(&round) {
            let _ = self.event_tx.send(SupervisorEvent::Input(SchedulerInput::Load { key, load }));
        }
        round
    }

    /// A fault goes into the journal, and to every attempt that is on the GPU or was a moment ago.
    fn tell_fault(&self, FaultNews { gpu, text, is_fault, is_again }: FaultNews, at: Timestamp) {
        // The receiver is gone while the supervisor ends.
        let tell = |about, text| _ = self.event_tx.send(SupervisorEvent::Trouble { about, text });
        if is_fault {
            self.lock_attempts().add_warning(gpu, &text);
            for key in self.lock_faults().just_ended(gpu, at) {
                tell(Some(key.clone()), format!("{text} (just after its end)"));
            }
        }
        if !is_again {
            tell(None, text);
        }
    }

    fn attempt_processes(&self) -> Vec<(AttemptKey, Vec<Stat>)> {
        let roots = self.lock_attempts().attempt_roots();
        // `/proc` is read without the lock held.
        let mut known = self.containers.lock().unwrap_or_else(PoisonError::into_inner);
        roots.into_iter().map(|(key, roots)| (key, roots.find_processes(&mut known))).collect()
    }
}
