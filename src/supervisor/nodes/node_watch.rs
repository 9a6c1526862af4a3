//! On the machine of the run: a thread for each node reads its journal, looks for its beat and starts it where it is
//! wanted, so that a node whose files hang holds up no other.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedSender;

use super::node_start;
use crate::model::nodes::node_spec::NodeSpec;
use crate::model::nodes::standing::NodeStanding;
use crate::model::state::run_state::RunStage;
use crate::rundir::beat::{BeatWatch, SILENCE};
use crate::rundir::journal::JournalReader;
use crate::rundir::layout::RunDir;
use crate::scheduler::input::SchedulerInput;
use crate::supervisor::heard::SupervisorEvent;
use crate::supervisor::log::log_line;

/// The pause between two looks: a few calls to a server that others use too.
const PAUSE: Duration = Duration::from_secs(1);

/// How long is waited after a start that failed, and at most after several.
const FIRST_AGAIN: Duration = Duration::from_secs(10);
const LAST_AGAIN: Duration = Duration::from_secs(300);

/// The nodes of a run.
pub(in crate::supervisor) struct NodeWatches(Vec<(NodeSpec, Arc<AtomicBool>)>);

impl NodeWatches {
    /// Begins to look at every node.
    pub(in crate::supervisor) fn begin(
        run: &RunDir,
        nodes: &[NodeSpec],
        hear: &UnboundedSender<SupervisorEvent>,
    ) -> std::io::Result<Self> {
        let placed = Arc::new(OnceLock::new());
        let begin = |node: &NodeSpec| {
            let wanted = Arc::new(AtomicBool::new(false));
            let watch = NodeWatch {
                run: run.clone(),
                dir: run.node_dir(&node.id),
                node: node.clone(),
                wanted: Arc::clone(&wanted),
                placed: Arc::clone(&placed),
                hear: hear.clone(),
                journal: JournalReader::new(&run.node_dir(&node.id).journal_path()),
                stage: None,
                begun: None,
                standing: None,
                again: None,
                last_error: String::new(),
            };
            let name = format!("node {}", node.id);
            thread::Builder::new().name(name).spawn(move || watch.look_on())?;
            Ok((node.clone(), wanted))
        };
        nodes.iter().map(begin).collect::<std::io::Result<_>>().map(Self)
    }

    /// Sets which nodes are to be at work.
    pub(in crate::supervisor) fn set_wanted(&self, is_wanted: impl Fn(&NodeSpec) -> bool) {
        for (node, wanted) in &self.0 {
            wanted.store(is_wanted(node), Ordering::Relaxed);
        }
    }
}

struct NodeWatch {
    run: RunDir,
    dir: RunDir,
    node: NodeSpec,
    wanted: Arc<AtomicBool>,
    /// Whether the program is where nodes find it: done once for all of them.
    placed: Arc<OnceLock<Result<(), String>>>,
    hear: UnboundedSender<SupervisorEvent>,
    journal: JournalReader,
    /// What the node does by its journal; none before it has begun.
    stage: Option<RunStage>,
    /// When it was last started: its journal shows that only once it has an order.
    begun: Option<Instant>,
    standing: Option<NodeStanding>,
    /// When it may be started again, and after which pause the time after that.
    again: Option<(Instant, Duration)>,
    last_error: String,
}

impl NodeWatch {
    fn look_on(mut self) {
        let mut beat = BeatWatch::new(&self.dir, Instant::now());
        while !self.hear.is_closed() {
            self.read_journal();
            let now = Instant::now();
            let is_beating = self.dir.supervisor_json().exists() && beat.is_beating(now);
            let is_over = self.stage.is_none_or(RunStage::is_over);
            let has_just_begun = self.begun.is_some_and(|begun| now.duration_since(begun) < SILENCE);
            let standing = match (is_beating, is_over) {
                (true, false) => NodeStanding::Up,
                (true, true) if has_just_begun => NodeStanding::Up,
                (_, true) => NodeStanding::Idle,
                (false, false) => NodeStanding::Silent,
            };
            let is_due = self.again.is_none_or(|(at, _)| now >= at);
            if standing == NodeStanding::Up {
                self.again = None;
                self.report(standing);
            } else if self.wanted.load(Ordering::Relaxed) {
                if standing == NodeStanding::Silent && self.standing == Some(NodeStanding::Up) {
                    // Nothing more is dealt to it meanwhile.
                    self.report(standing);
                }
                if is_due && self.start() {
                    beat = BeatWatch::new(&self.dir, Instant::now());
                    continue;
                }
            } else {
                self.report(standing);
            }
            thread::sleep(PAUSE);
        }
    }

    /// Starts the node; false where it could not be.
    fn start(&mut self) -> bool {
        let place = || node_start::place_program(&self.run).map_err(|error| error.to_string());
        let placed = self.placed.get_or_init(place).clone();
        match placed.and_then(|()| node_start::start_node(&self.run, &self.node)) {
            Ok(()) => {
                self.begun = Some(Instant::now());
                true
            }
            Err(reason) => {
                let pause = self.again.map_or(FIRST_AGAIN, |(_, pause)| (pause * 2).min(LAST_AGAIN));
                self.again = Some((Instant::now() + pause, pause));
                self.report(NodeStanding::Unreachable { reason });
                false
            }
        }
    }

    fn report(&mut self, standing: NodeStanding) {
        // Why it could not be reached is worth knowing after it is not wanted any more.
        let says_less =
            standing == NodeStanding::Idle && matches!(self.standing, Some(NodeStanding::Unreachable { .. }));
        if !says_less && self.standing.as_ref() != Some(&standing) {
            self.standing = Some(standing.clone());
            let input = SchedulerInput::Node { node: self.node.id.clone(), standing };
            let _ = self.hear.send(SupervisorEvent::Input(input));
        }
    }

    fn read_journal(&mut self) {
        let facts = match self.journal.read_new() {
            Ok(facts) => facts,
            Err(error) => {
                let text = error.to_string();
                if text != self.last_error {
                    log_line(&format!("node {}: {text}", self.node.id));
                    self.last_error = text;
                }
                return;
            }
        };
        if facts.is_empty() {
            return;
        }
        for fact in &facts {
            self.stage.get_or_insert_default().apply_event(fact.at, &fact.event);
        }
        let first = self.journal.line() + 1 - facts.len() as u64;
        let (node, facts) = (self.node.id.clone(), (first..).zip(facts).collect());
        let _ = self.hear.send(SupervisorEvent::NodeFacts { node, facts });
    }
}
