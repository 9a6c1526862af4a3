//! The supervisor's state between events: events become inputs, a decision, facts, and then effects.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use tokio::sync::mpsc::UnboundedSender;
use tracing::warn;

use super::attempts::foreign_work;
use super::error::SupervisorError;
use super::event::SupervisorEvent;
use super::event_batch::EventBatch;
use super::executor::Executor;
use super::growth::additions::Additions;
use super::growth::axis_watch::AxisWatches;
use super::growth::edits;
use super::history::HistoryWriter;
use super::logs::attempt_log::Life;
use super::measurements::gpu_choice;
use super::measurements::reservations::{Reservations, held_after};
use super::nodes::watches::{self, NodeWatches};
use super::own_needs;
use super::pending_ends::PendingEnds;
use super::record::Record;
use super::waiting::WaitingFile;
use super::wall_clock::WallClockWatch;
use crate::engine::event::Engine;
use crate::model::attempt::{AttemptEnd, ProcessIdentity, StartRecord};
use crate::model::history::ComboHistory;
use crate::model::ids::{AttemptKey, GpuIndex, RunId};
use crate::model::state::fact::Event;
use crate::model::state::opening::Opening;
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_info::RunInfo;
use crate::model::state::run_state::RunState;
use crate::model::state::warning_topic::WarningTopic;
use crate::model::sweep::plan::Plan;
use crate::process::identity;
use crate::rundir::clock;
use crate::rundir::layout::RunDir;
use crate::scheduler::decide::Scheduler;
use crate::scheduler::effect::{Decision, Effect};
use crate::scheduler::input::SchedulerInput;
use crate::scheduler::run_end;
use crate::scheduler::wall_clock::WallClock;
use crate::telemetry::topology;

/// Everything between two events.
pub(super) struct Supervisor {
    pub(super) record: Record,
    pub(super) scheduler: Scheduler,
    pub(super) executor: Executor,
    pub(super) reservations: Reservations,
    pub(super) waiting: WaitingFile,
    pub(super) pending_ends: PendingEnds,
    pub(super) history_writer: HistoryWriter,
    wall_clock: WallClockWatch,
    pub(super) additions: Additions,
    pub(super) watches: AxisWatches,
    pub(super) wake_at: Option<Timestamp>,
    pub(super) nodes: NodeWatches,
}

impl Supervisor {
    /// Takes up the record of a run whose lock is held, and starts the threads that read logs and sensors.
    pub(super) fn new(
        run: RunDir,
        record: Record,
        info: RunInfo,
        mut plan: Plan,
        engine: Box<dyn Engine>,
        event_tx: UnboundedSender<SupervisorEvent>,
        keeper: &ProcessIdentity,
    ) -> Result<Self, SupervisorError> {
        // Before anything takes the time: threads, the first look at the machine, the first fact.
        clock::serve_clock(&clock::resume_clock(record.state().clock.as_ref(), record.state().last_fact));
        plan.catch_up(record.state());
        let waiting = WaitingFile::for_run(&run);
        let additions = Additions::for_run(&run, &info);
        let watches = AxisWatches::begin(&plan, &record.state().unwatched, &event_tx);
        let nodes = watches::begin_watches((&run, &info.id), &plan.nodes, record.state(), &event_tx)?;
        let executor =
            Executor::new(run, info.clone(), plan, engine, record.state(), (event_tx, record.writes()))?;
        let history_writer = HistoryWriter::for_plan(executor.plan(), &executor.inventory, &info);
        let mut policy = gpu_choice::build_policy(executor.plan(), &executor.permit);
        executor.mark_gpus(&policy.chosen_gpus(record.state().devices.as_deref()).collect::<Vec<_>>());
        if policy.pin {
            policy = policy.pinned_to(topology::read_topology(executor.inventory.cards()));
        }
        let owners = vec![identity::identify_self()?, keeper.clone()];
        let mut reservations = Reservations::open(&executor.info.id, owners, &policy, &executor.inventory)?;
        if policy.weighs_machine() {
            reservations.set_look(executor.telemetry.first_look());
        }
        if policy.follows_machine() {
            executor.telemetry.tell_looks();
        }
        let (scheduler, pending_ends) = (Scheduler::new(policy), PendingEnds::default());
        let wall_clock = WallClockWatch::that_is_ahead(clock::wall_ahead());
        Ok(Self {
            record,
            scheduler,
            executor,
            reservations,
            waiting,
            pending_ends,
            history_writer,
            wall_clock,
            additions,
            watches,
            wake_at: None,
            nodes,
        })
    }

    fn run_end_due(&self) -> Option<bool> {
        run_end::pending_end(&self.scheduler.policy, self.state())
    }

    /// Returns the id of the run.
    pub(super) fn run_id(&self) -> &RunId {
        &self.executor.info.id
    }

    /// Returns the state that the facts add up to.
    pub(super) fn state(&self) -> &RunState {
        self.record.state()
    }

    /// When the next timer runs out.
    pub(super) fn wake_at(&self) -> Option<Timestamp> {
        self.wake_at
    }

    /// The run has ended.
    pub(super) fn is_done(&self) -> bool {
        self.state().stage.is_over()
    }

    /// Records that this supervisor took over, and lets the first shards start; `lives_in` is news of its Slurm job.
    pub(super) async fn begin_supervising(
        &mut self,
        lives_in: Option<SchedulerInput>,
    ) -> Result<(), SupervisorError> {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let clock = clock::served_clock().cloned();
        let started = Event::SupervisorStarted { pid: std::process::id(), version, clock };
        self.record.append_events(vec![started], clock::now()).await?;
        self.link_attempts()?;
        self.write_pending_orders().await?;
        self.handle_batch(lives_in.map(SupervisorEvent::Input).into_iter().collect()).await
    }

    /// Takes one batch: all events so far lead to one decision, whose facts are on disk before its effects.
    pub(super) async fn handle_batch(&mut self, events: Vec<SupervisorEvent>) -> Result<(), SupervisorError> {
        self.nodes.wait_for_lease().await;
        let mut batch = EventBatch::default();
        for heard in events {
            self.handle_event(heard, &mut batch)?;
        }
        if batch.inputs.is_empty() {
            batch.inputs.push(SchedulerInput::Wake);
        }
        let now = clock::now();
        let ends_away = batch.inputs.iter().any(|input| matches!(input, SchedulerInput::EndedAway { .. }));
        batch.events.extend(self.wall_clock.remark_step(clock::wall_ahead()));
        self.record_node_facts(std::mem::take(&mut batch.node_facts)).await?;
        self.record.append_events(batch.events, now).await?;
        let decision = self.decide(&mut batch.inputs, now);
        let teaches = self.history_writer.is_due(&decision.facts, ends_away);
        let known = self.state().changes.len();
        let edited = edits::touched_shards(&decision.facts);
        let has_other_gpus = decision.facts.iter().any(|fact| matches!(fact, Event::GpusChosen { .. }));
        self.record.append_events(decision.facts, now).await?;
        self.follow_changes(known)?;
        self.follow_edits(&edited)?;
        if has_other_gpus {
            let chosen = self.scheduler.policy.chosen_gpus(self.record.state().devices.as_deref());
            self.executor.mark_gpus(&chosen.collect::<Vec<_>>());
        }
        if let Some(shortages) = decision.waiting {
            self.waiting.write(shortages);
        }
        // Facts that announce nothing wait for those that do: a start that is only reported needs no sync.
        if !batch.replies.is_empty() || decision.effects.iter().any(Effect::is_deed) || self.is_done() {
            self.record.sync().await;
        }
        for (reply, answer) in batch.replies.into_iter().zip(decision.replies) {
            // A client that did not wait for the answer has its wish all the same.
            let _ = reply.send(answer);
        }
        if teaches {
            self.executor.save_history(self.collect_history());
        }
        self.follow_nodes();
        self.carry_out_effects(decision.effects).await
    }

    pub(super) fn collect_history(&self) -> Vec<ComboHistory> {
        // Logs of one name are not the same work.
        if self.executor.plan().only_watches() {
            return Vec::new();
        }
        self.history_writer.collect_history(self.executor.plan(), self.record.state(), &self.scheduler)
    }

    /// Decides with all that is known of the machine, and announces the promises to other runs before they decide.
    fn decide(&mut self, inputs: &mut Vec<SchedulerInput>, now: Timestamp) -> Decision {
        let may_start =
            self.state().count(PhaseKind::Queued) > 0 || inputs.iter().any(SchedulerInput::may_queue);
        let (lock, known) = self.reservations.collect_inputs(may_start);
        inputs.splice(0..0, known);
        if self.follows_wall_clock() {
            let wall = WallClock { ahead: clock::wall_ahead(), zone: TimeZone::system() };
            inputs.insert(0, SchedulerInput::WallClock(wall));
        }
        let mut decision = self.scheduler.decide(self.record.state(), inputs, now);
        own_needs::complete_needs(self.executor.plan(), self.record.state(), &mut decision.facts);
        let held = self.scheduler.held_claims(self.record.state(), now);
        self.reservations.publish_held(held_after(held, &decision.facts));
        drop(lock);
        decision
    }

    /// Shards start at times of the wall clock.
    fn follows_wall_clock(&self) -> bool {
        self.scheduler.policy.schedule.hours.window.is_some() || self.state().opening != Opening::default()
    }

    fn handle_event(
        &mut self,
        heard: SupervisorEvent,
        batch: &mut EventBatch,
    ) -> Result<(), SupervisorError> {
        match heard {
            SupervisorEvent::Looked(look) => {
                batch.inputs.extend(self.pending_ends.take_ready(look.machine.read_since(|_| true)));
                self.reservations.set_look(*look);
            }
            SupervisorEvent::Command { command, by, reply } => self.take_command(command, by, reply, batch),
            SupervisorEvent::EngineReady => {
                for (key, started) in self.executor.take_engine_reports()? {
                    self.on_attempt_started(key, &started, batch);
                }
            }
            SupervisorEvent::Alive { key, started } => {
                self.executor.adopt_attempt(&key, &started);
                self.on_attempt_started(key.clone(), &started, batch);
                batch.inputs.push(SchedulerInput::Adopted { key });
            }
            SupervisorEvent::Exited { key, exit } => match exit.end {
                AttemptEnd::PutBack { lack } => batch.inputs.push(SchedulerInput::PutBack { key, lack }),
                AttemptEnd::Exited { .. }
                | AttemptEnd::Unseen
                | AttemptEnd::LaunchError { .. }
                | AttemptEnd::Lost { .. } => {
                    if self.is_active(&key) {
                        self.executor.read_to_end(&key, exit);
                    }
                }
            },
            SupervisorEvent::Read { key, reading, exit } => {
                if self.is_active(&key) {
                    self.on_log_read(key, reading, exit, batch);
                }
            }
            SupervisorEvent::ResultsRead { key, files, values, reading, exit } => {
                if self.is_active(&key) {
                    self.on_attempt_ended(key, (&files, values.as_ref()), &reading, &exit, batch);
                }
            }
            SupervisorEvent::Activity {
                key,
                life: Life { last_output, last_progress, may_compile, renderer },
            } => {
                if let Some(renderer) = renderer.filter(|_| last_progress.is_some()) {
                    self.executor.telemetry.suspect_renderer(&key, renderer);
                }
                batch.inputs.push(SchedulerInput::Activity { key, last_output, last_progress, may_compile });
            }
            SupervisorEvent::NodeFacts { node, facts } => self.take_node_facts(&node, facts, batch),
            SupervisorEvent::NodeShortages { node, shortages } => self.take_shortages(node, shortages),
            SupervisorEvent::Input(input) => batch.inputs.push(input),
            SupervisorEvent::ResultsWritten { writing, events, finished } => {
                batch.events.extend(events);
                // Something may have been put back into the queue while the results were being written.
                if self.executor.is_newest_writing(writing) && self.run_end_due() == Some(finished) {
                    batch.events.push(Event::RunEnded { finished });
                }
            }
            SupervisorEvent::FilesCame { axis, files } => self.take_up(axis, files, batch),
            SupervisorEvent::WatchOver { axis, cause } => {
                batch.inputs.push(SchedulerInput::WatchOver { axis, cause })
            }
            // It makes room for another call, and decides nothing.
            SupervisorEvent::HookEnded => {}
            SupervisorEvent::HookFailed { text } => {
                warn!("{text}");
                batch.events.push(Event::RunWarned { topic: WarningTopic::Hook, text });
            }
            SupervisorEvent::Fatal(error) => return Err(error),
            SupervisorEvent::Trouble { about, text } => {
                warn!("{text}");
                batch.events.push(Event::Remarked { about, text });
            }
        }
        Ok(())
    }

    fn on_attempt_started(&mut self, key: AttemptKey, started: &StartRecord, batch: &mut EventBatch) {
        let gpus = self.attempt_gpus(&key);
        self.executor.start_measuring(&key, started, gpus);
        self.reservations.note_holder(key.clone(), started.holder.clone());
        self.watch_service(&key, started);
        let work = self.executor.plan().foreign.get(&key.shard);
        let (pid, started) = (foreign_work::main_pid(work, started), foreign_work::work_start(work, started));
        batch.inputs.push(SchedulerInput::Started { key, pid, started });
    }

    pub(super) fn attempt_gpus(&self, key: &AttemptKey) -> Vec<GpuIndex> {
        self.state().shard(&key.shard).map(|shard| shard.phase.gpus().to_vec()).unwrap_or_default()
    }

    /// The attempt is the one its shard is at, so that its end is news.
    fn is_active(&self, key: &AttemptKey) -> bool {
        self.state().shard(&key.shard).is_some_and(|shard| shard.is_at(key.attempt))
    }
}
