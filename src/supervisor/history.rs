//! What this run leaves for the next run of its sweep, and when it writes it.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use tracing::warn;

use crate::model::history::ComboHistory;
use crate::model::machine::sample::GpuInventory;
use crate::model::outcome::Verdict;
use crate::model::state::fact::Event;
use crate::model::state::run_info::RunInfo;
use crate::model::state::run_state::RunState;
use crate::model::sweep::growth::Growth;
use crate::model::sweep::plan::Plan;
use crate::rundir::clock;
use crate::rundir::machine_wide::history as kept;
use crate::scheduler::decide::Scheduler;
use crate::scheduler::history::{self, Works};
use crate::scheduler::learning::footprint::Footprints;

/// A run may die with its machine before it ends; what it has learned by then is as true. Many short shards are
/// written together.
const PAUSE: Duration = Duration::from_secs(60);

/// The next run's teacher.
pub(super) struct HistoryWriter {
    works: Works,
    info: RunInfo,
    written: Instant,
}

impl HistoryWriter {
    pub(super) fn for_plan(plan: &Plan, inventory: &GpuInventory, info: &RunInfo) -> Self {
        let works = Works::from_plan(plan, inventory, &info.host);
        Self { works, info: info.clone(), written: Instant::now() }
    }

    /// Returns what is added to the run, with what earlier runs taught about the same work.
    pub(super) fn apply_history(&self, mut growth: Growth, plan: &Plan) -> Box<Growth> {
        match kept::read_history(&plan.name) {
            Ok(known) => history::apply_history(&mut growth.shards, &self.works, &known),
            Err(error) => warn!("what earlier runs taught is not used: {error}"),
        }
        Box::new(growth)
    }

    /// Something was learned, here or at a node, and the last writing is a while ago.
    pub(super) fn is_due(&mut self, facts: &[Event], ends_away: bool) -> bool {
        let teaches = |fact: &Event| matches!(fact, Event::AttemptEnded { outcome, .. } if outcome.verdict != Verdict::Cancelled);
        let is_due = self.written.elapsed() >= PAUSE && (ends_away || facts.iter().any(teaches));
        if is_due {
            self.written = Instant::now();
        }
        is_due
    }

    /// All that is learned so far.
    pub(super) fn collect_history(
        &self,
        plan: &Plan,
        state: &RunState,
        scheduler: &Scheduler,
    ) -> Vec<ComboHistory> {
        // What nodes have measured is in the outcomes of their attempts.
        let footprints = match scheduler.policy.deals() {
            true => Cow::Owned(Footprints::of_journal(state, &scheduler.policy.combos)),
            false => Cow::Borrowed(scheduler.footprints()),
        };
        let measured = (&scheduler.policy, &*footprints, scheduler.pack_families());
        history::of_run(plan, &self.works, state, measured, (&self.info.id, clock::now()))
    }
}
