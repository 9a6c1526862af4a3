//! How long a run takes in all, and the least it could take: max(longest, sum / slots).

use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;

use super::estimate::{Estimate, lay_out};
use super::eta::{self, Remaining};
use super::fellows::Fellows;
use super::places;
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_state::{RunStage, RunState};
use crate::model::state::shard_state::ShardState;
use crate::model::sweep::plan::Plan;
use crate::model::units::{format_duration, maybe_seconds};

/// How long a run takes in all.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Forecast {
    /// From its creation to its end: what has gone by and what is left. Unknown where what is left is.
    #[serde(rename = "makespan_s", with = "maybe_seconds")]
    pub makespan: Option<Duration>,
    /// No order could be faster on these slots. Shards of unknown duration count as nothing, so that it holds also with
    /// them; unknown where nothing is known.
    #[serde(rename = "lower_bound_s", with = "maybe_seconds")]
    pub lower_bound: Option<Duration>,
    /// So many shards may be active at once; at most there are as many as shards. None where shards wait for the first
    /// node.
    pub slots: usize,
    /// Shards whose duration is unknown.
    pub unknown_durations: usize,
    /// Shards of which that is known from their fellows in this run alone.
    pub guessed_durations: usize,
}

impl Forecast {
    /// Before anything has started.
    pub fn of_plan(plan: &Plan, parallel: u32) -> Self {
        let foreseen = |position: usize| plan.shards[position].expected_duration();
        let mut sum = Sum::default();
        (0..plan.shards.len()).for_each(|position| sum.add(Duration::ZERO, foreseen(position), false));
        let slots = slots(places::count_planned_places(plan, parallel), plan.shards.len());
        let known = |time: Duration| Estimate { time, error: 0.0 };
        let starts = plan.start_order().into_iter().map(|position| foreseen(position).map(known));
        sum.forecast(lay_out(Vec::new(), slots, starts).map(|end| end.time), slots)
    }

    /// Forecasts a run that was created `elapsed` ago or took that long. `left` gives what its active shards still need
    /// by their position, as for [`eta::run`].
    pub fn of_run(
        plan: &Plan,
        state: &RunState,
        left: &[Remaining],
        fellows: &Fellows,
        (elapsed, now): (Duration, Timestamp),
    ) -> Self {
        let mut sum = Sum::default();
        for (position, (spec, shard)) in plan.shards.iter().zip(&state.shards).enumerate() {
            let spent = spent(shard);
            let kind = shard.phase.kind();
            if let Some(unpaused) = eta::unpaused(&shard.phase, now) {
                let remaining = left.get(position).copied().unwrap_or_default();
                let left = remaining.left.map(|left| left.time);
                sum.add(spent + unpaused.saturating_sub(remaining.stuck), left, false);
            } else if kind == PhaseKind::Queued && state.stage == RunStage::Active {
                let expected = fellows.expected(position, spec).map(|expected| expected.took);
                sum.add(spent, expected, spec.expected_duration().is_none());
            } else {
                sum.add(spent, Some(Duration::ZERO), false);
            }
        }
        let makespan = match state.stage {
            RunStage::Ended { .. } => Some(elapsed),
            RunStage::Active | RunStage::Draining | RunStage::Stopping => {
                eta::run(plan, state, left, (fellows, now)).map(|left| elapsed + left.time)
            }
        };
        sum.forecast(makespan, slots(places::count_forecast_places(plan, state), state.shards.len()))
    }

    /// What has to come before anything more can be known of the end.
    pub fn awaited(&self) -> Option<&'static str> {
        (self.slots == 0).then_some("no node is up yet")
    }

    /// In one line: `makespan 9h 2m, lower bound 8h 53m on 2 slots`.
    pub fn words(&self) -> String {
        let span = |span: Option<Duration>| span.map_or_else(|| "unknown".to_owned(), format_duration);
        let slots = if self.slots == 1 { "slot" } else { "slots" };
        let mut words = format!(
            "makespan {}, lower bound {} on {} {slots}",
            span(self.makespan),
            span(self.lower_bound),
            self.slots
        );
        for more in self.awaited().map(str::to_owned).into_iter().chain(self.unsure()) {
            words.push_str(&format!("; {more}"));
        }
        words
    }

    /// In plain words: `1h 44m in all, 1h 12m at best on 6 slots`.
    pub fn in_words(&self) -> String {
        let slots = if self.slots == 1 { "slot" } else { "slots" };
        let known = match (self.makespan, self.lower_bound) {
            (Some(makespan), Some(bound)) => {
                let (makespan, bound) = (format_duration(makespan), format_duration(bound));
                Some(format!("{makespan} in all, {bound} at best on {} {slots}", self.slots))
            }
            (None, Some(bound)) => {
                Some(format!("{} at best on {} {slots}", format_duration(bound), self.slots))
            }
            (Some(makespan), None) => Some(format!("{} in all", format_duration(makespan))),
            (None, None) => None,
        };
        let awaited = self.awaited().map(str::to_owned);
        known.into_iter().chain(awaited).chain(self.unsure()).collect::<Vec<_>>().join("; ")
    }

    /// Says how much of it is unknown or guessed, if anything.
    pub fn unsure(&self) -> Option<String> {
        let shards = |count: usize| if count == 1 { "1 shard".to_owned() } else { format!("{count} shards") };
        match (self.unknown_durations, self.guessed_durations) {
            (0, 0) => None,
            (0, guessed) => Some(format!("the duration of {} is guessed from the others", shards(guessed))),
            (unknown, _) => Some(format!("the duration of {} is unknown", shards(unknown))),
        }
    }
}

fn slots(places: usize, shards: usize) -> usize {
    places.min(shards.max(1))
}

/// Adds up the time that its ended attempts took.
fn spent(shard: &ShardState) -> Duration {
    let ended = shard.history.iter().chain(shard.phase.ended());
    ended.filter_map(|ended| ended.outcome.elapsed).sum()
}

/// The work of all shards.
#[derive(Default)]
struct Sum {
    longest: Duration,
    sum: Duration,
    unknown: usize,
    guessed: usize,
}

impl Sum {
    /// A shard that was at work for `spent` so far and will be for `left`.
    fn add(&mut self, spent: Duration, left: Option<Duration>, is_guess: bool) {
        let length = spent + left.unwrap_or_default();
        self.longest = self.longest.max(length);
        self.sum += length;
        self.unknown += usize::from(left.is_none());
        self.guessed += usize::from(left.is_some() && is_guess);
    }

    fn forecast(&self, makespan: Option<Duration>, slots: usize) -> Forecast {
        let shared = self.sum.checked_div(u32::try_from(slots).unwrap_or(u32::MAX));
        let bound = shared.map(|shared| self.longest.max(shared));
        Forecast {
            makespan,
            lower_bound: bound.filter(|bound| !bound.is_zero()),
            slots,
            unknown_durations: self.unknown,
            guessed_durations: self.guessed,
        }
    }
}
