//! What became of one combo from one run to another: its success, its verdicts, its pace.

use crate::model::phase::PhaseKind;
use crate::results::outcome::ShardOutcome;
use crate::results::statistics::group::Group;
use crate::results::statistics::tested_difference::TestedDifference;

/// From this part more on it is told as slower: less comes from one run to the next by itself.
const SLOWER: f64 = 1.1;

/// What became of one combo.
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
    /// None of these.
    None,
}

/// How long the same work took, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// In the first run.
    pub before: f64,
    /// In the other.
    pub now: f64,
    /// What took so long.
    pub of: Work,
}

/// What is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// One episode, in the mean over the shards that succeeded.
    Episode,
    /// One shard, in the mean over as many that succeeded on both sides.
    Shard,
}

impl<'a> Change<'a> {
    /// From the first group to the other, each with the shards of its run.
    pub fn new(
        tested: Option<TestedDifference>,
        first: (&Group, &'a [ShardOutcome<'a>]),
        other: (&Group, &'a [ShardOutcome<'a>]),
    ) -> Self {
        Self { tested, turn: turn(first, other), pace: pace(first, other) }
    }
}

impl Pace {
    /// How many times as long it takes now.
    pub fn times(self) -> f64 {
        self.now / self.before
    }

    /// It takes longer by more than runs of the same differ.
    pub fn is_slower(self) -> bool {
        self.times() >= SLOWER
    }
}

impl Work {
    /// As a word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Episode => "episode",
            Self::Shard => "shard",
        }
    }

    /// As part of a sentence: `1.3s instead of 1.0s an episode`.
    pub fn each(self) -> &'static str {
        match self {
            Self::Episode => "an episode",
            Self::Shard => "a shard",
        }
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

fn pace(first: (&Group, &[ShardOutcome<'_>]), other: (&Group, &[ShardOutcome<'_>])) -> Option<Pace> {
    let (before, now) = (seconds(first)?, seconds(other)?);
    let episodes = first.0.totals.episodes.zip(other.0.totals.episodes);
    let (before, now, of) = match episodes.filter(|(a, b)| *a > 0.0 && *b > 0.0) {
        Some((a, b)) => (before / a, now / b, Work::Episode),
        // Shards of another number are other pieces of the work.
        None if first.0.totals.shards == other.0.totals.shards => {
            (before / first.0.totals.succeeded as f64, now / other.0.totals.succeeded as f64, Work::Shard)
        }
        None => return None,
    };
    (before > 0.0).then_some(Pace { before, now, of })
}

/// How long the shards took that succeeded, where all of them say.
fn seconds((group, outcomes): (&Group, &[ShardOutcome<'_>])) -> Option<f64> {
    let members = group.members.iter().map(|position| &outcomes[*position]);
    let counted = members.filter(|outcome| outcome.phase == PhaseKind::Succeeded);
    let sum: Option<f64> = counted.map(|outcome| outcome.seconds).sum();
    sum.filter(|_| group.totals.succeeded > 0)
}
