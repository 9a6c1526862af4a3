//! On the machine of the run: a thread for each place looks at the node that has it, and starts it where it is wanted, so
//! that a node whose files hang holds up no other.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::mpsc::UnboundedSender;
use tracing::warn;

use super::job_desk::{JobDesk, JobNeed, JobSign, JobWish};
use super::node_signs::NodeSigns;
use super::node_start::{self, NodeProgram};
use super::node_task::{NodeTask, Release};
use crate::model::nodes::node_phase::NodePhase;
use crate::model::shortage::ShortageReport;
use crate::model::state::run_state::RunStage;
use crate::model::sweep::node_spec::{NodeReach, NodeSpec};
use crate::rundir::beat::{BeatWatch, SILENCE};
use crate::rundir::journal::JournalReader;
use crate::rundir::layout::RunDir;
use crate::rundir::records;
use crate::scheduler::input::SchedulerInput;
use crate::supervisor::event::SupervisorEvent;

/// The pause between two looks: a few calls to a server that others use too.
const PAUSE: Duration = Duration::from_secs(1);

/// No look takes longer, and no more of a longer time counts as silence: this process may have been stopped meanwhile.
const LONGEST_LOOK: Duration = Duration::from_secs(100);

/// How long is waited after a start that failed, and at most after several.
const FIRST_AGAIN: Duration = Duration::from_secs(10);
const LAST_AGAIN: Duration = Duration::from_secs(300);

/// No more is read of what a job has printed.
const ENOUGH: u64 = 64 << 10;

/// What all watches of a run share.
#[derive(Clone)]
pub(super) struct WatchedRun {
    /// The run whose nodes they are.
    pub(super) run: RunDir,
    /// The program that nodes run.
    pub(super) program: NodeProgram,
    /// Jobs of Slurm, where a place wants one.
    pub(super) desk: Option<JobDesk>,
    /// Who is to hear of the nodes.
    pub(super) event_tx: UnboundedSender<SupervisorEvent>,
}

/// The watch of one place.
pub(super) struct NodeWatch {
    shared: WatchedRun,
    place: NodeSpec,
    tasks: Receiver<NodeTask>,
    task: NodeTask,
    /// When a start is tried again, and after which pause the time after that.
    again: Option<(Instant, Duration)>,
    seen: SeenNode,
}

/// What was seen of the node that has the place.
struct SeenNode {
    dir: RunDir,
    journal: JournalReader,
    beat: BeatWatch,
    /// When what its shards are short of was last written.
    waiting: Option<SystemTime>,
    looked: Instant,
    silent: Duration,
    /// What it does by its journal; none before it has begun.
    stage: Option<RunStage>,
    /// When it was last started: its journal shows that only once it has an order.
    begun: Option<Instant>,
    /// When its last order was first seen where it reads its orders.
    released: Option<Instant>,
    was_ended: bool,
    problem: Option<String>,
    standing: Option<NodePhase>,
    last_error: String,
}

impl SeenNode {
    fn nothing(dir: RunDir) -> Self {
        let now = Instant::now();
        Self {
            journal: JournalReader::new(&dir.journal_path()),
            beat: BeatWatch::unseen(&dir),
            waiting: None,
            dir,
            looked: now,
            silent: Duration::ZERO,
            stage: None,
            begun: None,
            released: None,
            was_ended: false,
            problem: None,
            standing: None,
            last_error: String::new(),
        }
    }

    /// Looks for a beat. One that has nothing to do need not have any, and is not silent.
    fn look_for_beat(&mut self, has_work: bool) -> bool {
        let now = Instant::now();
        let is_beating = self.dir.supervisor_json().exists() && self.beat.is_beating(now);
        let is_at_rest = !has_work && self.stage.is_none_or(RunStage::is_over);
        let since = now.saturating_duration_since(self.looked).min(LONGEST_LOOK);
        self.silent = if is_beating || is_at_rest { Duration::ZERO } else { self.silent + since };
        self.looked = now;
        is_beating
    }
}

impl NodeWatch {
    /// Begins to look at a place.
    pub(super) fn begin(
        shared: WatchedRun,
        place: NodeSpec,
        tasks: Receiver<NodeTask>,
    ) -> std::io::Result<()> {
        let task = NodeTask::nothing(&place.id);
        let seen = SeenNode::nothing(shared.run.node_dir(&task.node));
        let name = format!("node {}", place.id);
        let watch = Self { shared, place, tasks, task, again: None, seen };
        thread::Builder::new().name(name).spawn(move || watch.look_on()).map(drop)
    }

    fn look_on(mut self) {
        loop {
            let standing = self.look();
            if self.may_reach(&standing) {
                self.reach();
                // What it does now is seen at once.
                self.look();
            }
            match self.tasks.recv_timeout(PAUSE) {
                Ok(task) => self.take_task(task),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Looks at the node that has the place, and reports what is new.
    fn look(&mut self) -> NodePhase {
        self.read_journal();
        self.read_shortages();
        let standing = self.signs().judge_standing();
        if matches!(standing, NodePhase::Up | NodePhase::Draining) {
            self.again = None;
        }
        self.report(standing.clone());
        standing
    }

    /// It is to be started, or what is left of it is to end.
    fn may_reach(&self, standing: &NodePhase) -> bool {
        let is_due = self.again.is_none_or(|(at, _)| Instant::now() >= at);
        is_due
            && match standing {
                NodePhase::Idle | NodePhase::Unreachable { .. } | NodePhase::Silent => self.task.is_wanted,
                NodePhase::Expired => self.task.release.is_some(),
                NodePhase::Up | NodePhase::Draining | NodePhase::Waiting { .. } | NodePhase::Gone { .. } => {
                    false
                }
            }
    }

    fn take_task(&mut self, task: NodeTask) {
        if task.node != self.task.node {
            // One that never began is not asked for again at once.
            if self.seen.stage.is_some() {
                self.again = None;
            } else {
                self.put_off();
            }
            self.seen = SeenNode::nothing(self.shared.run.node_dir(&task.node));
        }
        self.task = task;
    }

    fn signs(&mut self) -> NodeSigns {
        let is_beating = self.seen.look_for_beat(self.task.has_work);
        let now = Instant::now();
        if let Some(Release::Asked(number)) = self.task.release
            && self.seen.released.is_none()
            && self.shared.run.order_file(&self.task.node, number).exists()
        {
            self.seen.released = Some(now);
        }
        let since = |moment: Instant| now.saturating_duration_since(moment);
        NodeSigns {
            is_beating,
            stage: self.seen.stage,
            has_just_begun: self.seen.begun.is_some_and(|begun| since(begun) < SILENCE),
            has_work: self.task.has_work,
            is_wanted: self.task.is_wanted,
            silent: self.seen.silent,
            released: self.seen.released.map(since),
            release: self.task.release,
            lease: self.place.lease,
            was_ended: self.seen.was_ended,
            problem: self.seen.problem.clone(),
            job: self.job_sign(),
        }
    }

    fn job_sign(&self) -> Option<JobSign> {
        let (NodeReach::Slurm { sbatch }, Some(desk)) = (&self.place.reach, &self.shared.desk) else {
            return None;
        };
        let node = &self.task.node;
        let need = || JobNeed {
            options: sbatch.clone(),
            output: self.shared.run.job_output(node).full_path().to_owned(),
            script: node_start::job_script(&self.shared.run, node, &self.place.id),
        };
        // A start that failed is waited for, and its program is there before it.
        let is_due = self.again.is_none_or(|(at, _)| Instant::now() >= at);
        let wish = match self.seen.stage {
            Some(_) => JobWish::Keep,
            None if self.task.is_wanted && is_due && self.shared.program.place().is_ok() => JobWish::Submit,
            None => JobWish::Cancel,
        };
        Some(desk.ask(node, wish, need))
    }

    /// Starts the node, or ends what is left of it.
    fn reach(&mut self) {
        let NodeReach::Ssh { host } = &self.place.reach else { return };
        let run = &self.shared.run;
        let reached = match (self.task.release, self.shared.program.place()) {
            (Some(_), Ok(())) => node_start::end_node(run, host, &self.seen.dir),
            (None, Ok(())) => node_start::start_node(run, host, &self.task.node, &self.place.id),
            (_, Err(reason)) => Err(reason),
        };
        match (reached, self.task.release) {
            (Ok(()), Some(_)) => self.seen.was_ended = true,
            (Ok(()), None) => {
                self.seen.begun = Some(Instant::now());
                self.seen.problem = None;
                // It is not started again before its beat could be seen.
                self.again = Some((Instant::now() + SILENCE, FIRST_AGAIN));
            }
            (Err(reason), _) => {
                self.seen.problem = Some(reason);
                self.put_off();
            }
        }
    }

    fn put_off(&mut self) {
        let pause = self.again.map_or(FIRST_AGAIN, |(_, pause)| (pause * 2).min(LAST_AGAIN));
        self.again = Some((Instant::now() + pause, pause));
    }

    fn report(&mut self, standing: NodePhase) {
        // Why it could not be reached is worth knowing after it is not wanted any more.
        // The beat of one that lives is seen within this time.
        let is_unsure = standing == NodePhase::Silent && self.seen.silent < SILENCE;
        let says_less =
            standing == NodePhase::Idle && matches!(self.seen.standing, Some(NodePhase::Unreachable { .. }));
        if is_unsure || says_less || self.seen.standing.as_ref() == Some(&standing) {
            return;
        }
        self.seen.standing = Some(standing.clone());
        let standing = match standing {
            NodePhase::Gone { reason } if self.seen.stage.is_none() => {
                NodePhase::Gone { reason: self.with_last_words(reason) }
            }
            other => other,
        };
        let input = SchedulerInput::Node { node: self.task.node.clone(), standing };
        let _ = self.shared.event_tx.send(SupervisorEvent::Input(input));
    }

    /// A job that never began as a node has said why.
    fn with_last_words(&self, reason: String) -> String {
        let said = self.shared.run.job_output(&self.task.node).read_text(ENOUGH).unwrap_or_default();
        match said.lines().map(str::trim).rfind(|line| !line.is_empty()) {
            Some(line) => format!("{reason}: {line}"),
            None => reason,
        }
    }

    /// Reads what its shards are short of, where that was written again.
    fn read_shortages(&mut self) {
        let path = self.seen.dir.waiting_json();
        let Ok(written) = path.metadata().and_then(|file| file.modified()) else { return };
        if self.seen.waiting == Some(written) {
            return;
        }
        // What does not read was written by a newer program.
        let Ok(report) = records::read_record::<ShortageReport>(&path) else { return };
        self.seen.waiting = Some(written);
        let (node, shortages) = (self.task.node.clone(), report.shortages);
        let _ = self.shared.event_tx.send(SupervisorEvent::NodeShortages { node, shortages });
    }

    fn read_journal(&mut self) {
        let seen = &mut self.seen;
        let facts = match seen.journal.read_new() {
            Ok(facts) => facts,
            Err(error) => {
                let text = error.to_string();
                if text != seen.last_error {
                    warn!("node {}: {text}", self.task.node);
                    seen.last_error = text;
                }
                // Its other facts were read with it; and a file server may show what is not written yet.
                seen.journal = JournalReader::new(&seen.dir.journal_path());
                return;
            }
        };
        if facts.is_empty() {
            return;
        }
        let first = seen.journal.line() + 1 - facts.len() as u64;
        if first == 1 {
            seen.stage = None;
        }
        for fact in &facts {
            seen.stage.get_or_insert_default().apply_event(fact.at, &fact.event);
        }
        let (node, facts) = (self.task.node.clone(), (first..).zip(facts).collect());
        let _ = self.shared.event_tx.send(SupervisorEvent::NodeFacts { node, facts });
    }
}
