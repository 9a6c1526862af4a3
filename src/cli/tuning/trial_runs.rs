//! Trials of `autotune` as real runs, each in a folder of its own below a temporary one.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::autotune::bench::{Bench, TrialRecords};
use crate::cli::addressing::control;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::cli::start::launch;
use crate::cli::start::sweep::Sweep;
use crate::model::attempt::ProcessIdentity;
use crate::model::command::Command;
use crate::model::ids::{AttemptKey, GpuIndex, ShardId};
use crate::model::machine::sample::{GpuSample, HostSample, ShardSample};
use crate::model::shortage::ShortageReport;
use crate::model::state::fact::Event;
use crate::model::state::run_state::RunState;
use crate::model::sweep::plan::Plan;
use crate::results::status::shortage;
use crate::rundir::csv_file::read_rows;
use crate::rundir::error::RunDirError;
use crate::rundir::journal::JournalReader;
use crate::rundir::layout::RunDir;
use crate::rundir::marks::MarkReader;
use crate::rundir::{life, records};
use crate::supervisor::lifetime::start;

/// How often is looked whether a trial has ended.
const LOOK: Duration = Duration::from_millis(20);

/// How long a supervisor may outlive its run: it answers a few seconds more.
const LEAVES: Duration = Duration::from_secs(10);

/// How long ending takes beyond the graces of the sweep.
const STOPS: Duration = Duration::from_secs(30);

/// Runs trials below a folder that vanishes with it, unless it is kept.
pub struct TrialRuns<'a> {
    sweep: &'a Sweep,
    folder: TempDir,
    trials: u32,
    trial: Option<TrialRun>,
    runtime: Runtime,
    signals: StopSignals,
}

/// The signals that end a tuning.
struct StopSignals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

/// The present trial and how far its files were read.
struct TrialRun {
    run: RunDir,
    journal: JournalReader,
    state: RunState,
    gpus: BTreeMap<ShardId, Vec<GpuIndex>>,
    marks: Vec<(ShardId, MarkReader)>,
    offsets: [u64; 3],
    supervisor: Option<ProcessIdentity>,
    stops_within: Duration,
}

impl<'a> TrialRuns<'a> {
    /// Ready to run trials of this sweep.
    pub fn new(sweep: &'a Sweep) -> Result<Self, CliError> {
        let folder = tempfile::Builder::new()
            .prefix("sweepdeck-autotune-")
            .tempdir()
            .map_err(CliError::system("make a temporary folder"))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(CliError::system("start the event loop"))?;
        let signals = {
            let _inside = runtime.enter();
            let listen = |kind: SignalKind| signal(kind).map_err(CliError::system("listen for signals"));
            StopSignals {
                interrupt: listen(SignalKind::interrupt())?,
                terminate: listen(SignalKind::terminate())?,
                hang_up: listen(SignalKind::hangup())?,
            }
        };
        Ok(Self { sweep, folder, trials: 0, trial: None, runtime, signals })
    }

    /// Returns the folder in which the trials lie.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Keeps the folder when this value is dropped.
    pub fn keep_folder(&mut self) {
        self.folder.disable_cleanup(true);
    }

    /// Waits, and refuses to go on after a signal.
    fn wait(&mut self, time: Duration) -> Result<(), CliError> {
        let StopSignals { interrupt, terminate, hang_up } = &mut self.signals;
        let number = self.runtime.block_on(async {
            tokio::select! {
                biased;
                _ = interrupt.recv() => Some(2),
                _ = terminate.recv() => Some(15),
                _ = hang_up.recv() => Some(1),
                () = tokio::time::sleep(time) => None,
            }
        });
        match number {
            None => Ok(()),
            Some(number) => Err(CliError::new(CliExit::Signalled(number), "interrupted; the trial is ended")),
        }
    }

    /// Ends what still runs and waits for it, whatever comes meanwhile.
    fn end_trial(&mut self) -> Result<(), CliError> {
        let Some(trial) = &mut self.trial else { return Ok(()) };
        trial.read_journal()?;
        if trial.has_ended() {
            return Ok(());
        }
        let asked = control::ask_supervisor(&trial.run, Command::Stop { now: true });
        trial.read_journal()?;
        if trial.has_ended() {
            // By itself, just before it was asked: a shard may fail at once.
            return Ok(());
        }
        asked?;
        let deadline = Instant::now() + trial.stops_within;
        while !trial.has_ended() {
            if Instant::now() > deadline {
                let path = trial.run.path().display();
                return Err(CliError::unreachable(format!("the trial in {path} does not end")));
            }
            std::thread::sleep(LOOK);
            trial.read_journal()?;
        }
        Ok(())
    }
}

impl Bench for TrialRuns<'_> {
    type Error = CliError;

    fn start_trial(&mut self, plan: &Plan) -> Result<(), CliError> {
        self.trials += 1;
        let path = self.folder.path().join(format!("trial-{}-{}", self.trials, plan.shards.len()));
        let run = launch::create_trial(self.sweep, plan, &path)?;
        // Before the start, so that whatever comes up is ended too.
        let trial = self.trial.insert(TrialRun::new(run, plan));
        start::ensure_supervisor(&trial.run)?;
        trial.supervisor = life::living_supervisor(&trial.run).map(|supervisor| supervisor.process);
        Ok(())
    }

    fn poll_trial(&mut self, after: Duration) -> Result<TrialRecords, CliError> {
        self.wait(after)?;
        self.trial.as_mut().map_or(Ok(TrialRecords::default()), TrialRun::read_sight)
    }

    fn stop_trial(&mut self) -> Result<(), CliError> {
        self.end_trial()
    }
}

impl Drop for TrialRuns<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.end_trial() {
            // What may still run needs its folder.
            self.keep_folder();
            output::report_error(&error);
        }
        // A supervisor that still answers would write into a folder that is being removed.
        let Some(trial) = &self.trial else { return };
        let lives = || {
            trial.supervisor.as_ref().is_some_and(life::is_alive)
                || life::living_supervisor(&trial.run).is_some()
        };
        let deadline = Instant::now() + LEAVES;
        while Instant::now() < deadline && lives() {
            std::thread::sleep(LOOK);
        }
    }
}

impl TrialRun {
    fn new(run: RunDir, plan: &Plan) -> Self {
        let grace = plan.schedule.grace;
        Self {
            journal: JournalReader::new(&run.journal_path()),
            state: RunState::default(),
            gpus: BTreeMap::new(),
            marks: Vec::new(),
            offsets: [0; 3],
            supervisor: None,
            stops_within: STOPS + grace.interrupt + grace.terminate + plan.schedule.linger,
            run,
        }
    }

    fn has_ended(&self) -> bool {
        self.state.stage.is_over()
    }

    /// Everything new, in words of the journal.
    fn read_journal(&mut self) -> Result<Vec<Event>, CliError> {
        let facts = self.journal.read_new()?;
        for fact in &facts {
            let path = self.run.journal_path();
            self.state.apply_fact(fact).map_err(|source| RunDirError::Fold { path: path.into(), source })?;
        }
        Ok(facts.into_iter().map(|fact| fact.event).collect())
    }

    fn read_sight(&mut self) -> Result<TrialRecords, CliError> {
        let mut sight = TrialRecords::default();
        for event in self.read_journal()? {
            self.record_event(event, &mut sight);
        }
        for (shard, reader) in &mut self.marks {
            sight.marks.extend(reader.read_new()?.marks.into_iter().map(|mark| (shard.clone(), mark)));
        }
        let [shards, gpus, host] = &mut self.offsets;
        let rows = read_rows::<ShardSample>(&self.run.shard_metrics(), *shards)?;
        (sight.shards, *shards) = (rows.rows, rows.offset);
        let rows = read_rows::<GpuSample>(&self.run.gpu_metrics(), *gpus)?;
        (sight.gpus, *gpus) = (rows.rows, rows.offset);
        let rows = read_rows::<HostSample>(&self.run.host_metrics(), *host)?;
        (sight.host, *host) = (rows.rows, rows.offset);
        let waiting: Option<ShortageReport> =
            records::read_if_there(&self.run.waiting_json()).unwrap_or_default();
        sight.waiting = waiting
            .and_then(|waiting| waiting.shortages.into_iter().next())
            .map(|group| shortage::describe_shortage(&group.short_of));
        Ok(sight)
    }

    fn record_event(&mut self, event: Event, sight: &mut TrialRecords) {
        // Other facts do not show how fast a shard is.
        if let Event::AttemptStarting { shard, attempt, gpus, .. } = event {
            let key = AttemptKey { shard: shard.clone(), attempt };
            self.marks.push((shard.clone(), MarkReader::new(&self.run.attempt_dir(&key).marks_path())));
            self.gpus.insert(shard, gpus);
        } else if let Event::AttemptStarted { shard, started, .. } = event {
            let gpus = self.gpus.get(&shard).cloned().unwrap_or_default();
            sight.started.push((shard, gpus, started));
        } else if let Event::AttemptEnded { shard, outcome, .. } = event {
            sight.ended.push((shard, *outcome));
        }
    }
}
