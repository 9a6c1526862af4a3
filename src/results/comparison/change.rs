//! What became of one combo from one run to another: its success, its verdicts, its pace.

use super::pace::Pace;
use crate::model::state::phase::PhaseKind;
use crate::results::outcome::ShardOutcome;
use crate::results::statistics::group::Group;
use crate::results::statistics::tested_difference::TestedDifference;

/// Change of one combo from one run to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Change<'a> {
    /// Its rate of success less the earlier one, where both are known.
    pub tested: Option<TestedDifference>,
    /// How its verdicts turned.
    pub turn: Turn<'a>,
    /// How long it took, then and now.
    pub pace: Option<Pace>,
}

/// How the verdicts of a combo's shards turned.
#[derive(Debug, Clone, PartialEq)]
pub enum Turn<'a> {
    /// No shard failed before, and these do now.
    Broken(Vec<&'a ShardOutcome<'a>>),
    /// These failed before, and all shards succeed now.
    Fixed(Vec<&'a ShardOutcome<'a>>),
    /// Shards failed before, and these do now.
    StillFailing(Vec<&'a ShardOutcome<'a>>),
    /// No change of these kinds.
    None,
}

impl<'a> Change<'a> {
    /// From the first group to the other, each with the shards of its run.
    pub fn new(
        tested: Option<TestedDifference>,
        pace: Option<Pace>,
        first: (&Group, &'a [ShardOutcome<'a>]),
        other: (&Group, &'a [ShardOutcome<'a>]),
    ) -> Self {
        Self { tested, turn: turn(first, other), pace }
    }
}

fn turn<'a>(first: (&Group, &'a [ShardOutcome<'a>]), other: (&Group, &'a [ShardOutcome<'a>])) -> Turn<'a> {
    let (before, now) = (failed(first), failed(other));
    let whole = other.0.totals.succeeded == other.0.totals.shards;
    match (before.is_empty(), now.is_empty()) {
        // A combo that was not tried before has not become worse.
        (true, false) if first.0.totals.succeeded > 0 => Turn::Broken(now),
        (false, true) if whole => Turn::Fixed(before),
        (false, false) => Turn::StillFailing(now),
        (true, _) | (false, true) => Turn::None,
    }
}

fn failed<'a>((group, outcomes): (&Group, &'a [ShardOutcome<'a>])) -> Vec<&'a ShardOutcome<'a>> {
    let members = group.members.iter().map(|position| &outcomes[*position]);
    members.filter(|outcome| outcome.phase == PhaseKind::Failed).collect()
}
