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
use crate::model::state::shard_state::ShardState;
use crate::model::sweep::node_spec::NodeId;
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
        let node =
            self.state.shard(shard).filter(|shard| shard.is_dealt()).and_then(|shard| shard.node.as_ref());
        let mut reason = self.schedule_reason((shard, node), short_of, not_before);
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

    /// Computes what is left of the pause after the newest end where the shard waits.
    fn cools_down_for(&self, node: Option<&NodeId>) -> Option<Duration> {
        let cooldown = self.plan.schedule.cooldown;
        let newest_end = match node {
            _ if cooldown.is_zero() => None,
            None => self.state.tally().newest_end(),
            Some(_) => self.shards_at(node).filter_map(newest_end).max(),
        };
        let ended = newest_end.filter(|ended| *ended <= self.now)?;
        let rest = cooldown.checked_sub(duration_between(ended, self.now)).filter(|rest| !rest.is_zero())?;
        // A second that has begun is a second: "0s left" is no time at all.
        Some(Duration::from_secs(rest.as_secs() + u64::from(rest.subsec_nanos() > 0)))
    }

    /// The shards of this machine, or those of a node.
    fn shards_at(&self, node: Option<&NodeId>) -> impl Iterator<Item = &'a ShardState> {
        self.state.shards.iter().filter(move |shard| shard.node.as_ref() == node)
    }

    /// How many shards may run where the shard waits, and how many do.
    fn slots_at(&self, node: Option<&NodeId>) -> (u32, usize) {
        let Some(node) = node else { return (self.state.parallel, self.active) };
        let lowered = self.state.nodes.find(node).and_then(|known| known.parallel);
        let active = self.state.tally().active_positions().iter();
        let active = active.filter(|position| self.state.shards[**position].node.as_ref() == Some(node));
        (lowered.unwrap_or(self.state.parallel), active.count())
    }

    fn schedule_reason(
        &self,
        (shard, node): (&ShardId, Option<&NodeId>),
        short_of: Option<&Shortage>,
        not_before: Option<Timestamp>,
    ) -> String {
        let (state, schedule) = (self.state, &self.plan.schedule);
        if let Some(moment) = not_before.filter(|moment| *moment > self.now) {
            return format!("tried again in {}", format_duration(duration_between(self.now, moment)));
        }
        if let Some(closed) = state.opening.closed_text(self.now, self.zone) {
            return closed;
        }
        if node.is_none()
            && let Some(reason) = nodes::undealt_reason(self.plan, state, shard)
        {
            return reason;
        }
        // Where there are several, the words name the one that is meant.
        let named = node.filter(|_| self.plan.nodes.len() > 1);
        let (slots, active) = self.slots_at(node);
        if active >= slots as usize {
            let of_node = named.map(|node| format!(" of {node}")).unwrap_or_default();
            return match slots {
                1 => format!("the only slot{of_node} is taken"),
                slots => format!("all {slots} slots{of_node} are taken"),
            };
        }
        let at_node = named.map(|node| format!("at {node}: ")).unwrap_or_default();
        if let Some(short_of) = short_of {
            return format!("{at_node}{}", shortage::describe_shortage(short_of));
        }
        if let Some(rest) = self.cools_down_for(node) {
            return format!("{at_node}cooling down, {} left", format_duration(rest));
        }
        let none_ended = || self.shards_at(node).all(|shard| shard.phase.ended().is_none());
        if schedule.warmup && active == 1 && none_ended() {
            return format!("{at_node}one shard warms up first");
        }
        if let Some(node) = node {
            return format!("waits at {node} for its turn");
        }
        if !schedule.stagger.is_zero() {
            return format!("starts are {} apart", format_duration(schedule.stagger));
        }
        "about to start".to_owned()
    }
}

/// When an attempt of the shard last ended.
fn newest_end(shard: &ShardState) -> Option<Timestamp> {
    shard.phase.ended().or(shard.history.last()).map(|ended| ended.at)
}
