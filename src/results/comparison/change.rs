//! What became of one combo from one run to another: its success, its verdicts, its pace.

use super::pace::PaceComparison;
use crate::model::state::phase::PhaseKind;
use crate::results::outcome::ShardOutcome;
use crate::results::statistics::group::ShardGroup;
use crate::results::statistics::tested_difference::TestedDifference;

/// Change of one combo from one run to another.
#[derive(Debug, Clone, PartialEq)]
pub struct ComboChange<'a> {
    /// Its rate of success less the earlier one, where both are known.
    pub tested: Option<TestedDifference>,
    /// How its verdicts turned.
    pub turn: VerdictChange<'a>,
    /// How long it took, then and now.
    pub pace: Option<PaceComparison>,
}

/// How the verdicts of a combo's shards turned.
#[derive(Debug, Clone, PartialEq)]
pub enum VerdictChange<'a> {
    /// No shard failed before, and these do now.
    Broken(Vec<&'a ShardOutcome<'a>>),
    /// These failed before, and all shards succeed now.
    Fixed(Vec<&'a ShardOutcome<'a>>),
    /// Shards failed before, and these do now.
    StillFailing(Vec<&'a ShardOutcome<'a>>),
    /// No change of these kinds.
    None,
}

impl<'a> ComboChange<'a> {
    /// From the first group to the other, each with the shards of its run.
    pub fn new(
        tested: Option<TestedDifference>,
        pace: Option<PaceComparison>,
        first: (&ShardGroup, &'a [ShardOutcome<'a>]),
        other: (&ShardGroup, &'a [ShardOutcome<'a>]),
    ) -> Self {
        Self { tested, turn: classify_turn(first, other), pace }
    }
}

fn classify_turn<'a>(
    first: (&ShardGroup, &'a [ShardOutcome<'a>]),
    other: (&ShardGroup, &'a [ShardOutcome<'a>]),
) -> VerdictChange<'a> {
    let (before, now) = (failed_shards(first), failed_shards(other));
    let whole = other.0.totals.succeeded == other.0.totals.shards;
    match (before.is_empty(), now.is_empty()) {
        // A combo that was not tried before has not become worse.
        (true, false) if first.0.totals.succeeded > 0 => VerdictChange::Broken(now),
        (false, true) if whole => VerdictChange::Fixed(before),
        (false, false) => VerdictChange::StillFailing(now),
        (true, _) | (false, true) => VerdictChange::None,
    }
}

fn failed_shards<'a>((group, outcomes): (&ShardGroup, &'a [ShardOutcome<'a>])) -> Vec<&'a ShardOutcome<'a>> {
    let members = group.members.iter().map(|position| &outcomes[*position]);
    members.filter(|outcome| outcome.phase == PhaseKind::Failed).collect()
}
