//! How long the same work took in two runs: episodes without what each shard loads where the runs are cut otherwise,
//! and slower only where it is by more than the clock and the noise between attempts.

use crate::model::state::phase::PhaseKind;
use crate::results::findings::Findings;
use crate::results::measured::occupancy::Occupancy;
use crate::results::outcome::ShardOutcome;
use crate::results::statistics::group::ShardGroup;

/// Ratio of times from which on it is reported as slower.
const SLOWER: f64 = 1.1;

/// Times of a shard are known to so many seconds: a process is started and waited for by others, on a busy machine.
const CLOCK_S: f64 = 0.1;

/// A difference of so many standard errors is more than noise.
const TELLING: f64 = 2.0;

/// Ratio of concurrency from which on times are not compared: shards next to so many more or fewer others ran under
/// another load.
const OTHER_LOAD: f64 = 1.25;

/// How long the same work took, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PaceComparison {
    /// In the first run.
    pub before: f64,
    /// In the other run.
    pub now: f64,
    /// The piece of work that took so long.
    pub of: TimedWork,
    /// Pieces in one shard: what the clock cannot resolve is divided among them.
    pieces: f64,
    /// How far off the ratio may be by chance, as a part of it; `None` if nothing shows it.
    noise: Option<f64>,
}

/// Piece of work that is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimedWork {
    /// An episode, in the mean over the shards that succeeded.
    Episode,
    /// A shard, in the mean over as many that succeeded on both sides.
    Shard,
}

impl TimedWork {
    /// Returns the name of the piece of work as a word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Episode => "episode",
            Self::Shard => "shard",
        }
    }

    /// As part of a sentence: `1.3s instead of 1.0s an episode`.
    pub fn per_unit_text(self) -> &'static str {
        match self {
            Self::Episode => "an episode",
            Self::Shard => "a shard",
        }
    }
}

impl PaceComparison {
    /// How many times as long it takes now.
    pub fn time_ratio(self) -> f64 {
        self.now / self.before
    }

    /// Reports whether it takes longer by more than the clock and the noise between attempts explain.
    pub fn is_slower(self) -> bool {
        let is_seen = (self.now - self.before) * self.pieces >= CLOCK_S;
        let is_more_than_noise = self.noise.is_none_or(|noise| self.time_ratio().ln() >= TELLING * noise);
        self.time_ratio() >= SLOWER && is_seen && is_more_than_noise
    }
}

/// The paces of many combos, first run against another; `None` where there is nothing to compare.
pub fn compare_paces(
    first: Run<'_>,
    other: Run<'_>,
    combos: &[Option<(&ShardGroup, &ShardGroup)>],
) -> Vec<Option<PaceComparison>> {
    let timed: Vec<Option<(Timed, Timed, TimedWork)>> =
        combos.iter().map(|pair| pair.and_then(|(a, b)| time_groups((first, a), (other, b)))).collect();
    let spread = spread_within(&timed);
    let between = spread.is_none().then(|| spread_between(&timed)).flatten();
    let pace = |(before, now, of): &(Timed, Timed, TimedWork)| {
        let shards = (1.0 / before.each.len() as f64 + 1.0 / now.each.len() as f64).sqrt();
        PaceComparison {
            before: before.mean,
            now: now.mean,
            of: *of,
            pieces: now.pieces / now.each.len() as f64,
            noise: spread.map(|spread| spread * shards).or(between),
        }
    };
    timed.iter().map(|timed| timed.as_ref().map(pace)).collect()
}

/// A run whose times are compared.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// Outcomes of its shards.
    pub outcomes: &'a [ShardOutcome<'a>],
    /// With how many others each of them ran.
    pub crowds: &'a [f64],
}

/// With how many shards of the run, itself included, the newest attempt of each ran in the mean.
pub fn mean_concurrency(findings: &Findings<'_>) -> Vec<f64> {
    let spans = findings.attempts.iter().enumerate();
    let at_work =
        Occupancy::from_spans(spans.map(|(position, attempt)| (position, attempt.from, attempt.to)));
    let mut crowded = vec![0.0; findings.attempts.len()];
    for stretch in at_work.busy_stretches() {
        for position in stretch.who {
            crowded[*position] += stretch.seconds() * stretch.who.len() as f64;
        }
    }
    let mut crowds = vec![1.0; findings.outcomes.len()];
    for (attempt, crowded) in findings.attempts.iter().zip(crowded) {
        let seconds = attempt.seconds();
        crowds[attempt.shard] = if seconds > 0.0 { crowded / seconds } else { 1.0 };
    }
    crowds
}

/// The times of one combo in one run.
struct Timed {
    /// Seconds of a piece of work.
    mean: f64,
    /// Number of pieces in all.
    pieces: f64,
    /// The same for each shard.
    each: Vec<f64>,
}

fn time_groups(
    (first, a): (Run<'_>, &ShardGroup),
    (other, b): (Run<'_>, &ShardGroup),
) -> Option<(Timed, Timed, TimedWork)> {
    let episodes = a.totals.episodes.zip(b.totals.episodes).filter(|(a, b)| *a > 0.0 && *b > 0.0);
    let is_as_long = |(a, b): (f64, f64)| a.max(b) <= SLOWER * a.min(b);
    let is_cut_alike = a.totals.shards == b.totals.shards && episodes.is_none_or(is_as_long);
    let work = if episodes.is_some() { TimedWork::Episode } else { TimedWork::Shard };
    // Shards of another number, or of other lengths, are other pieces of the work.
    let (before, now) = match (is_cut_alike, work) {
        (true, _) => (of_group(first, a, work, false)?, of_group(other, b, work, false)?),
        (false, TimedWork::Shard) => return None,
        (false, TimedWork::Episode) => {
            let (ours, theirs) = (group_concurrency(first, a)?, group_concurrency(other, b)?);
            if ours.max(theirs) > OTHER_LOAD * ours.min(theirs) {
                return None;
            }
            (of_group(first, a, work, true)?, of_group(other, b, work, true)?)
        }
    };
    (before.mean > 0.0).then_some((before, now, work))
}

/// The times of the shards that succeeded, if those of all are known; by choice without what comes before the
/// first episode and after the last.
fn of_group(run: Run<'_>, group: &ShardGroup, work: TimedWork, steps_alone: bool) -> Option<Timed> {
    let members = group.members.iter().map(|position| &run.outcomes[*position]);
    let counted = members.filter(|outcome| outcome.phase == PhaseKind::Succeeded);
    let (mut seconds, mut pieces, mut each) = (0.0, 0.0, Vec::new());
    for outcome in counted {
        let around = if steps_alone { outcome.loading? + outcome.closing? } else { 0.0 };
        let took = (outcome.seconds? - around).max(0.0);
        let own = match work {
            TimedWork::Episode => outcome.episodes?,
            TimedWork::Shard => 1.0,
        };
        (seconds, pieces) = (seconds + took, pieces + own);
        each.extend((own > 0.0).then(|| took / own));
    }
    (pieces > 0.0).then(|| Timed { mean: seconds / pieces, pieces, each })
}

fn group_concurrency(run: Run<'_>, group: &ShardGroup) -> Option<f64> {
    let crowds: Option<Vec<f64>> =
        group.members.iter().map(|position| run.crowds.get(*position).copied()).collect();
    crowds.filter(|crowds| !crowds.is_empty()).map(|crowds| crowds.iter().sum::<f64>() / crowds.len() as f64)
}

/// The standard deviation of shards of one combo and run, as a part of their mean, over all that have several.
fn spread_within(timed: &[Option<(Timed, Timed, TimedWork)>]) -> Option<f64> {
    let (mut squares, mut freedom) = (0.0, 0.0);
    for side in timed.iter().flatten().flat_map(|(before, now, _)| [before, now]) {
        let mean = side.each.iter().sum::<f64>() / side.each.len() as f64;
        if side.each.len() > 1 && mean > 0.0 {
            squares += side.each.iter().map(|one| (one / mean - 1.0).powi(2)).sum::<f64>();
            freedom += side.each.len() as f64 - 1.0;
        }
    }
    (freedom > 0.0).then(|| (squares / freedom).sqrt())
}

/// How far the ratios of the combos lie apart: what all of them share is the run, the rest is noise.
fn spread_between(timed: &[Option<(Timed, Timed, TimedWork)>]) -> Option<f64> {
    /// Fewest ratios that show how far they lie apart.
    const FEWEST: usize = 4;
    /// The median distance of normal figures from their median, as a part of their standard deviation.
    const OF_DEVIATION: f64 = 0.674_489_750_196_081_7;
    let ratios = timed.iter().flatten().map(|(before, now, _)| (now.mean / before.mean).ln());
    let mut ratios: Vec<f64> = ratios.filter(|ratio| ratio.is_finite()).collect();
    if ratios.len() < FEWEST {
        return None;
    }
    let middle = median(&mut ratios);
    let mut distances: Vec<f64> = ratios.iter().map(|ratio| (ratio - middle).abs()).collect();
    Some(median(&mut distances) / OF_DEVIATION)
}

fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let (upper, lower) = (numbers[numbers.len() / 2], numbers[(numbers.len() - 1) / 2]);
    f64::midpoint(lower, upper)
}
