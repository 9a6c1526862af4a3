//! Why a queued shard does not run yet, in words.

use std::collections::HashMap;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::nodes;
use super::shortage;
use crate::model::ids::ShardId;
use crate::model::machine::sample::GpuInventory;
use crate::model::priority::Priority;
use crate::model::shortage::{Shortage, ShortageReport, WAITING_VERSION};
use crate::model::state::phase::PauseCause;
use crate::model::state::run_state::{RunStage, RunState};
use crate::model::sweep::plan::Plan;
use crate::model::units::{duration_between, format_duration};

/// Everything that can hold a shard up.
#[derive(Debug, Clone, Copy)]
pub struct Causes<'a> {
    /// State of the run, folded from its journal.
    pub state: &'a RunState,
    /// Plan of the run with all its shards.
    pub plan: &'a Plan,
    /// Whether a supervisor lives.
    pub supervised: bool,
    /// Resources that the machine is short of, as the supervisor reports them.
    pub waiting: Option<&'a ShortageReport>,
    /// The GPUs of the machine, or why nothing is known of them.
    pub inventory: Option<&'a GpuInventory>,
    /// How many shards have a process: counted once, not for every shard that waits.
    pub active: usize,
    /// Current time of the reader.
    pub now: Timestamp,
    /// Time zone of the reader's clock.
    pub zone: &'a TimeZone,
}

impl<'a> Causes<'a> {
    /// The reason for the shard at that position of the plan, which may not be started before `not_before`.
    pub fn waiting_reason(&self, position: usize, shard: &ShardId, not_before: Option<Timestamp>) -> String {
        let short_of = self.shortage_groups().find(|(shards, _)| shards.binary_search(&position).is_ok());
        self.reason_given_shortage(shard, short_of.map(|(_, short_of)| short_of), not_before)
    }

    /// The same for many shards: what each is short of is looked up once.
    pub fn shortages_by_shard(&self) -> HashMap<usize, &'a Shortage> {
        self.shortage_groups()
            .flat_map(|(shards, short_of)| shards.iter().map(move |position| (*position, short_of)))
            .collect()
    }

    fn shortage_groups(&self) -> impl Iterator<Item = (&'a [usize], &'a Shortage)> {
        let known = self.waiting.filter(|waiting| waiting.version == WAITING_VERSION);
        known
            .into_iter()
            .flat_map(|waiting| &waiting.shortages)
            .map(|group| (&group.shards[..], &group.short_of))
    }

    /// The reason for a shard of which it is known what it is short of, if anything.
    pub fn reason_given_shortage(
        &self,
        shard: &ShardId,
        short_of: Option<&Shortage>,
        not_before: Option<Timestamp>,
    ) -> String {
        if let Some(reason) = self.state.run_holds.hold_of(shard) {
            return format!("held until `sweepdeck resume`: {reason}");
        }
        match self.state.stage {
            RunStage::Ended { .. } => return "the run was stopped; `sweepdeck recover` goes on".to_owned(),
            RunStage::Stopping => return "the run is being stopped".to_owned(),
            RunStage::Draining => return "the run starts nothing more".to_owned(),
            RunStage::Active => {}
        }
        if !self.supervised {
            return "the run has no supervisor".to_owned();
        }
        if let Some(node) = self.state.shard(shard).and_then(|shard| shard.node.as_ref()) {
            return format!("waits at {node} for its turn");
        }
        let mut reason = self.schedule_reason(short_of, not_before);
        match self.state.shard(shard).map_or(Priority::USUAL, |shard| shard.priority) {
            priority if priority > Priority::USUAL => {
                reason.push_str(&format!("; before the others by priority {priority}"));
            }
            priority if priority < Priority::USUAL => {
                reason.push_str(&format!("; behind the others by priority {priority}"));
            }
            _usual => {}
        }
        // The GPUs of this machine are not those of nodes.
        if let Some(GpuInventory::Absent { reason: absence }) = self.inventory
            && self.plan.nodes.is_empty()
            && (self.plan.resources.vram.is_some() || self.plan.template.needs.contains_key("vram"))
        {
            reason.push_str("; its VRAM cannot be checked: ");
            reason.push_str(absence);
        }
        reason
    }

    /// Why a shard is paused that no user has paused, and when it goes on.
    pub fn pause_reason(&self, cause: PauseCause) -> Option<String> {
        match cause {
            PauseCause::User => None,
            PauseCause::Window => self.state.opening.closed_text(self.now, self.zone),
        }
    }

    /// Computes what is left of the pause after the newest end.
    fn cools_down_for(&self) -> Option<Duration> {
        let cooldown = self.plan.schedule.cooldown;
        let ended = self.state.tally().newest_end().filter(|ended| *ended <= self.now)?;
        let rest = cooldown.checked_sub(duration_between(ended, self.now)).filter(|rest| !rest.is_zero())?;
        // A second that has begun is a second: "0s left" is no time at all.
        Some(Duration::from_secs(rest.as_secs() + u64::from(rest.subsec_nanos() > 0)))
    }

    fn schedule_reason(&self, short_of: Option<&Shortage>, not_before: Option<Timestamp>) -> String {
        let (state, schedule) = (self.state, &self.plan.schedule);
        if let Some(moment) = not_before.filter(|moment| *moment > self.now) {
            return format!("tried again in {}", format_duration(duration_between(self.now, moment)));
        }
        if let Some(closed) = state.opening.closed_text(self.now, self.zone) {
            return closed;
        }
        if let Some(reason) = nodes::undealt_reason(self.plan, state) {
            return reason;
        }
        let active = self.active;
        if active >= state.parallel as usize {
            return match state.parallel {
                1 => "the only slot is taken".to_owned(),
                slots => format!("all {slots} slots are taken"),
            };
        }
        if let Some(short_of) = short_of {
            return shortage::describe_shortage(short_of);
        }
        if let Some(rest) = self.cools_down_for() {
            return format!("cooling down, {} left", format_duration(rest));
        }
        let none_ended = state.shards.iter().all(|shard| shard.phase.ended().is_none());
        if schedule.warmup && active == 1 && none_ended {
            return "one shard warms up first".to_owned();
        }
        if !schedule.stagger.is_zero() {
            return format!("starts are {} apart", format_duration(schedule.stagger));
        }
        "about to start".to_owned()
    }
}
