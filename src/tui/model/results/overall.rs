//! The success of the whole run, worked out when a shard has ended and not for each frame.

use super::success::{Success, left_out};
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_state::RunState;
use crate::model::sweep::plan::Plan;
use crate::results::rate_text::format_interval;
use crate::results::statistics::headline::Headline;
use crate::tui::model::shards::shard_row::ShardRow;

/// The success of a run as it is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RunSuccess {
    /// The number that every face shows: of the shards that succeeded.
    Headline(Headline),
    /// Before any shard has: what those do that are on their way.
    SoFar(Success),
}

impl RunSuccess {
    /// Returns the words that are printed before the number.
    pub fn label(self) -> &'static str {
        match self {
            Self::Headline(_) => "success",
            Self::SoFar(_) => "success so far",
        }
    }

    /// `172/200 86.0 % [80.5, 90.1], mean of 8 combos`.
    pub fn text(self) -> String {
        match self {
            Self::Headline(headline) => headline.text(),
            Self::SoFar(success) => success.text(),
        }
    }

    /// `172/200 86.0 % [80.5, 90.1]`.
    pub fn rate_text(self) -> String {
        match self {
            Self::Headline(headline) => headline.format_rate(),
            Self::SoFar(success) => success.text(),
        }
    }

    /// `86.0 % [80.5, 90.1]`.
    pub fn brief_text(self) -> String {
        let (interval, episodes) = match self {
            Self::Headline(headline) => (headline.interval, headline.sample.episodes),
            Self::SoFar(success) => (success.interval, success.episodes),
        };
        format!("{} {}", self.percentage(), format_interval(interval, episodes))
    }

    /// The rate, 0 to 1.
    pub fn success_rate(self) -> f64 {
        match self {
            Self::Headline(headline) => headline.value,
            Self::SoFar(success) => success.rate,
        }
    }

    /// Formats the rate as a percentage: `86.0 %`.
    pub fn percentage(self) -> String {
        match self {
            Self::Headline(headline) => headline.format_percentage(),
            Self::SoFar(success) => success.percentage(),
        }
    }
}

/// The success of the whole run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overall {
    /// The success that is shown; `None` if no episode is known.
    pub told: Option<RunSuccess>,
    /// The phases whose shards had episodes and are left out.
    pub left_out: Vec<PhaseKind>,
    /// Hash of what the above was computed from in the run; none before it was.
    basis: Option<u64>,
}

impl Overall {
    /// Computes the success of the run as it is now; `before` is kept where no shard has ended since.
    pub fn from_run<'a>(
        (plan, state): (&Plan, &RunState),
        readings: impl Iterator<Item = ShardRow<'a>> + Clone,
        before: Self,
    ) -> Self {
        let basis = Some(basis_hash(plan, state));
        let (headline, left_out) = if before.basis == basis {
            (before.headline(), before.left_out)
        } else {
            (Headline::of_run(plan, state), left_out(readings.clone()))
        };
        let so_far = || Success::from_readings(readings.filter(is_under_way));
        let told = headline.map(RunSuccess::Headline).or_else(|| so_far().map(RunSuccess::SoFar));
        Self { told, left_out, basis }
    }

    /// The number that every face shows.
    pub fn headline(&self) -> Option<Headline> {
        match self.told? {
            RunSuccess::Headline(headline) => Some(headline),
            RunSuccess::SoFar(_) => None,
        }
    }
}

fn is_under_way(reading: &ShardRow<'_>) -> bool {
    reading.state.phase.kind().is_active()
}

/// Changes with whatever the success is worked out from: which attempt of which shard ended how (FNV-1a).
fn basis_hash(plan: &Plan, state: &RunState) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut take = |number: u64| hash = (hash ^ number).wrapping_mul(0x0100_0000_01b3);
    take(plan.shards.len() as u64);
    for (position, shard) in state.shards.iter().enumerate() {
        let kind = shard.phase.kind();
        if let Some(attempt) = shard.attempt.filter(|_| kind.is_final()) {
            take(position as u64);
            take(u64::from(attempt.0));
            take(kind as u64);
            take(u64::from(state.warnings.is_repeated(&shard.id)));
        }
    }
    hash
}
