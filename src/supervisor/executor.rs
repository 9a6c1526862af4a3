//! Effects of the supervisor: starting attempts, asking holders, reading logs, measuring, writing results.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;

use super::attempts::holder_requests::HolderRequests;
use super::attempts::launch::{AttemptFiles, AttemptLauncher, LaunchTarget};
use super::attempts::{engine, foreign_work, holders};
use super::error::SupervisorError;
use super::event::SupervisorEvent;
use super::logs::reading::LogReading;
use super::measurements::telemetry::TelemetryHandle;
use super::record;
use super::results::pack_files::PackSearch;
use super::results::results_of_attempt::{self, WritingAttempt};
use super::results::{earlier_results, finish};
use super::write_troubles::WriteWatch;
use crate::engine::event::{Engine, EngineEvent};
use crate::model::attempt::{AttemptEnd, ExitRecord, StartRecord};
use crate::model::command::HolderRequest;
use crate::model::history::ComboHistory;
use crate::model::ids::{AttemptKey, GpuIndex, ShardId};
use crate::model::machine::gpu_permit::GpuPermit;
use crate::model::machine::sample::GpuInventory;
use crate::model::results::result_file::ResultFile;
use crate::model::shortage::StartShortage;
use crate::model::state::fact::Event;
use crate::model::state::run_info::RunInfo;
use crate::model::state::run_state::RunState;
use crate::model::state::write_trouble::WriteTarget;
use crate::model::sweep::growth::PlanChange;
use crate::model::sweep::plan::{Plan, SliceUnit};
use crate::model::sweep::resume::Grants;
use crate::model::sweep::split::PackSplit;
use crate::process::shortage;
use crate::progress::reading::LogSummary;
use crate::results::merge::piece::PieceWork;
use crate::rundir::layout::{AttemptDir, RunDir};
use crate::rundir::machine_wide::history;
use crate::rundir::records;
use crate::socket::address;

/// Everything that touches the world.
pub(super) struct Executor {
    pub(super) info: RunInfo,
    pub(super) launcher: Arc<AttemptLauncher>,
    engine: Box<dyn Engine>,
    pub(super) reading: LogReading,
    pub(super) telemetry: TelemetryHandle,
    /// The permitted GPUs, or why there are none.
    pub(super) inventory: GpuInventory,
    /// The GPUs that the run's start permits.
    pub(super) permit: GpuPermit,
    pub(super) event_tx: UnboundedSender<SupervisorEvent>,
    writes: WriteWatch,
    requests: HolderRequests,
    /// Attempts handed to the spawner, by the name it knows them by.
    handed_over: HashMap<PathBuf, AttemptKey>,
    /// How often the results were begun to be written.
    writings: u32,
}

impl Executor {
    /// Starts the threads that read logs and sensors, and listens to the spawner.
    pub(super) fn new(
        run: RunDir,
        info: RunInfo,
        plan: Plan,
        engine: Box<dyn Engine>,
        state: &RunState,
        (event_tx, writes): (UnboundedSender<SupervisorEvent>, WriteWatch),
    ) -> Result<Self, SupervisorError> {
        engine::listen_to_engine(engine.as_ref(), &event_tx)?;
        let telemetry = TelemetryHandle::start(&run, state, event_tx.clone(), writes.clone())?;
        // Begun before the driver is waited for, so that both get ready side by side.
        let reading = LogReading::start(&plan, event_tx.clone())?;
        let all = telemetry.wait_for_inventory();
        let permit = plan.resources.inherited.build_permit(all.cards());
        Ok(Self {
            inventory: permit.limit_inventory(&all, &[]),
            permit,
            telemetry,
            reading,
            engine,
            launcher: Arc::new(AttemptLauncher::new(run, info.id.clone(), plan)),
            info,
            requests: HolderRequests::reporting_to(&event_tx),
            event_tx,
            writes,
            handed_over: HashMap::new(),
            writings: 0,
        })
    }

    /// Returns the plan of the run.
    pub(super) fn plan(&self) -> &Plan {
        &self.launcher.plan
    }

    /// A pack was split: the plan has one more shard from now on.
    pub(super) fn apply_split(&mut self, split: &PackSplit) {
        Arc::make_mut(&mut self.launcher).apply_split(split);
    }

    /// An axis got more values: the plan has more shards from now on.
    pub(super) fn apply_growth(&mut self, growth: &PlanChange) {
        Arc::make_mut(&mut self.launcher).apply_growth(growth);
    }

    /// These shards run with the values of the state from their next attempts on.
    pub(super) fn follow_edits(&mut self, state: &RunState, shards: &[ShardId]) {
        for shard in shards.iter().filter_map(|id| state.shard(id)) {
            if self.launcher.find_spec(&shard.id).is_some_and(|spec| spec.edit != shard.edit) {
                Arc::make_mut(&mut self.launcher).apply_edit(&shard.id, &shard.edit);
            }
        }
    }

    /// Shows which GPUs new shards get, and why they get no others.
    pub(super) fn mark_gpus(&self, chosen: &[GpuIndex]) {
        self.telemetry.mark_gpus(&self.permit, chosen);
    }

    /// The folder of the run.
    pub(super) fn run(&self) -> &RunDir {
        &self.launcher.run
    }

    /// The folder of an attempt.
    pub(super) fn attempt_dir(&self, key: &AttemptKey) -> AttemptDir {
        self.launcher.run.attempt_dir(key)
    }

    /// The files that the end of an attempt is judged by.
    pub(super) fn attempt_files(&self, key: &AttemptKey, grants: &Grants) -> AttemptFiles {
        self.launcher.attempt_files(key, grants, &self.inventory)
    }

    /// Episodes that the sweep asks of the shard, `None` if it sets no number.
    pub(super) fn asked_episodes(&self, key: &AttemptKey) -> Option<u64> {
        let slice = self.launcher.find_shard(key)?.slice.as_ref()?;
        (slice.unit == SliceUnit::Episodes).then_some(slice.episodes)
    }

    /// Returns the search for the values of the attempt's pack, if it is one.
    pub(super) fn pack_search(
        &self,
        key: &AttemptKey,
        grants: &Grants,
        writer: &WritingAttempt,
    ) -> Option<PackSearch> {
        let spec = self.launcher.find_shard(key)?;
        PackSearch::for_attempt(&self.launcher.run, self.plan(), spec, (key, grants), writer.clone())
    }

    /// Reads the result files that an ended attempt has left, off the loop; sends [`SupervisorEvent::ResultsRead`].
    pub(super) fn read_results(
        &self,
        key: AttemptKey,
        (files, writer): (Vec<ResultFile>, WritingAttempt),
        pack: Option<PackSearch>,
        reading: Box<LogSummary>,
        exit: Box<ExitRecord>,
    ) {
        let work = self.launcher.find_shard(&key).map_or(PieceWork::Whole, PieceWork::from_spec);
        let (shard, asked) = (key.shard.clone(), self.asked_episodes(&key));
        let (event_tx, metrics) = (self.event_tx.clone(), self.plan().metrics.clone());
        let log = reading.values.clone();
        let read = tokio::task::spawn_blocking(move || {
            let (values, unread) = pack.map(|pack| pack.find_shortfall(log)).unwrap_or_default();
            let newest = results_of_attempt::read_results(&files, &metrics, Some(&writer));
            let whole = (&shard, &work, asked);
            let mut results = earlier_results::complete_results(newest, &files, &metrics, &writer, whole);
            results.faults.extend(unread);
            (results, values)
        });
        tokio::spawn(async move {
            let read = tokio::time::timeout(results_of_attempt::PATIENCE, read).await;
            let read = read.ok().and_then(Result::ok);
            let (files, values) = read.unwrap_or_else(|| (results_of_attempt::unread_results(), None));
            let files = Box::new(files);
            let _ = event_tx.send(SupervisorEvent::ResultsRead { key, files, values, reading, exit });
        });
    }

    /// Starts an attempt; a failure is an end like any other, with its own record. Only what is wrong with the
    /// engine is no attempt's fault: the next supervisor, with another engine, finds the attempt not started.
    pub(super) async fn start_attempt(
        &mut self,
        key: &AttemptKey,
        grants: &Grants,
        cores: &[u32],
        part: LaunchTarget,
    ) -> Result<(), SupervisorError> {
        let handed_over = self.prepare_attempt((key, &part), grants, cores).await.and_then(|dir| {
            self.handed_over.insert(dir.path().to_owned(), key.clone());
            Ok(self.engine.start_attempt(dir.path())?)
        });
        match handed_over {
            Err(SupervisorError::Engine(error)) if !error.is_about_attempt() => Err(error.into()),
            Err(error) => {
                self.handed_over.remove(self.attempt_dir(key).path());
                self.launch_failed(key, error.to_string(), shortage::find_shortage(&error));
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// Writes what the holder needs. A disk that is full or takes nothing holds up the start and ends no attempt.
    async fn prepare_attempt(
        &self,
        (key, part): (&AttemptKey, &LaunchTarget),
        grants: &Grants,
        cores: &[u32],
    ) -> Result<AttemptDir, SupervisorError> {
        loop {
            match self.launcher.prepare_attempt((key, part), grants, cores, &self.inventory) {
                Err(SupervisorError::RunDir(error)) if error.is_unwritable() => {
                    let refused = Err::<(), _>(error);
                    self.writes.note_outcome(WriteTarget::Attempt, &refused);
                    if let Err(error) = refused {
                        record::wait_after(&error).await;
                    }
                }
                done => {
                    self.writes.note_outcome(WriteTarget::Attempt, &Ok(()));
                    return done;
                }
            }
        }
    }

    /// Begins the polite stop of an attempt.
    pub(super) fn stop_attempt(&self, key: &AttemptKey) {
        self.request_holder(key, HolderRequest::Stop(self.launcher.plan.schedule.grace));
    }

    /// Asks the holder of an attempt to do something; what goes wrong comes back as an event.
    pub(super) fn request_holder(&self, key: &AttemptKey, request: HolderRequest) {
        match address::of_attempt(&self.info.id, key) {
            Ok(socket) => self.requests.send(key, (self.attempt_dir(key), socket), request),
            Err(error) => {
                let trouble = SupervisorEvent::Trouble { about: Some(key.clone()), text: error.to_string() };
                let _ = self.event_tx.send(trouble);
            }
        }
    }

    /// Takes the reports of the engine; gives the attempts that now run.
    pub(super) fn take_engine_reports(&mut self) -> Result<Vec<(AttemptKey, StartRecord)>, SupervisorError> {
        let mut events = Vec::new();
        self.engine.read_events(&mut events)?;
        Ok(events.into_iter().filter_map(|event| self.handle_event(event)).collect())
    }

    fn handle_event(&mut self, event: EngineEvent) -> Option<(AttemptKey, StartRecord)> {
        match event {
            EngineEvent::Started { dir, started } => {
                let key = self.handed_over.get(&dir)?.clone();
                self.reading.follow_attempt(key.clone(), self.attempt_dir(&key), false);
                Some((key, started))
            }
            EngineEvent::Gone { dir } => {
                let key = self.handed_over.remove(&dir)?;
                match records::read_if_there::<Box<ExitRecord>>(&self.attempt_dir(&key).exit_json()) {
                    Ok(Some(exit)) if matches!(exit.end, AttemptEnd::PutBack { .. }) => {
                        let _ = self.event_tx.send(SupervisorEvent::Exited { key, exit });
                    }
                    Ok(Some(exit)) => self.read_to_end(&key, exit),
                    Ok(None) | Err(_) => holders::look_at_attempt(&self.event_tx, &self.launcher.run, key),
                }
                None
            }
            EngineEvent::Failed { dir, message, lack } => {
                let key = self.handed_over.remove(&dir)?;
                self.launch_failed(&key, message, lack);
                None
            }
        }
    }

    /// An attempt of an earlier supervisor lives: its log is read again from its start.
    pub(super) fn adopt_attempt(&mut self, key: &AttemptKey, started: &StartRecord) {
        holders::watch_holder(&self.event_tx, &self.launcher.run, key, &started.holder);
        self.reading.follow_attempt(key.clone(), self.attempt_dir(key), true);
    }

    /// Has the log of an ended attempt read to its end.
    pub(super) fn read_to_end(&self, key: &AttemptKey, exit: Box<ExitRecord>) {
        let exit = match self.plan().foreign.get(&key.shard) {
            Some(work) => Box::new(foreign_work::see_end(work, *exit)),
            None => exit,
        };
        self.reading.finish_attempt(key.clone(), self.attempt_dir(key), exit);
    }

    /// Writes the results of `state`, off the loop: a reporter may take hours.
    pub(super) fn write_results(&mut self, state: &RunState, learned: Vec<ComboHistory>, finished: bool) {
        self.writings += 1;
        let writing = self.writings;
        let (event_tx, launcher, info, state) =
            (self.event_tx.clone(), Arc::clone(&self.launcher), self.info.clone(), state.clone());
        tokio::task::spawn_blocking(move || {
            let ending = (finished, launcher.home_dir());
            let mut events = finish::finish_run(&launcher.run, &info, &launcher.plan, &state, ending);
            if let Err(error) = history::write(&launcher.plan.name, &learned) {
                events.push(Event::Remarked { about: None, text: error.to_string() });
            }
            let _ = event_tx.send(SupervisorEvent::ResultsWritten { writing, events, finished });
        });
    }

    /// Leaves what was learned so far for the next run of the sweep.
    pub(super) fn save_history(&self, learned: Vec<ComboHistory>) {
        let (event_tx, launcher) = (self.event_tx.clone(), Arc::clone(&self.launcher));
        tokio::task::spawn_blocking(move || {
            if let Err(error) = history::write(&launcher.plan.name, &learned) {
                let _ = event_tx.send(SupervisorEvent::Trouble { about: None, text: error.to_string() });
            }
        });
    }

    /// No later writing of the results was begun than this.
    pub(super) fn is_newest_writing(&self, writing: u32) -> bool {
        writing == self.writings
    }

    /// Nothing was run; where the machine lacked something, the shard waits again.
    fn launch_failed(&self, key: &AttemptKey, message: String, lack: Option<StartShortage>) {
        let end = lack.map_or(AttemptEnd::LaunchError { message }, |lack| AttemptEnd::PutBack { lack });
        let exit = Box::new(holders::ended_now(end));
        // The record is for readers of the folder; the journal has the same, also where this cannot be written.
        let _ = records::write_once(&self.attempt_dir(key).exit_json(), &exit);
        match lack {
            Some(_) => drop(self.event_tx.send(SupervisorEvent::Exited { key: key.clone(), exit })),
            None => self.read_to_end(key, exit),
        }
    }
}
