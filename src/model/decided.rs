//! A comparison that was decided before all of its episodes were run.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::results::rate_evidence::SequentialInterval;

/// Two values of an axis of which one was found to succeed more often.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecidedComparison {
    /// Name of the axis that was compared.
    pub axis: String,
    /// The value that succeeds more often.
    pub better: String,
    /// The value that succeeds less often.
    pub worse: String,
    /// Blocks that were looked at.
    pub blocks: usize,
    /// Episodes of each side in them.
    pub episodes: u64,
    /// Number of these that were compared with the same episode of the other side.
    #[serde(default)]
    pub pairs: u64,
    /// Successes of the better one.
    pub better_successes: u64,
    /// Successes of the other.
    pub worse_successes: u64,
    /// How many times as much a bet against equal rates has come to.
    pub e_value: f64,
    /// The e-value that decides.
    pub limit: f64,
    /// By how much the rates differ, with an interval that holds at every look.
    pub difference: SequentialInterval,
}

/// The comparisons of a run that were decided, with their moments.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decisions {
    all: Vec<(Timestamp, DecidedComparison)>,
}

impl Decisions {
    /// Takes one more into account.
    pub fn push(&mut self, at: Timestamp, decided: DecidedComparison) {
        self.all.push((at, decided));
    }

    /// All, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &DecidedComparison> {
        self.all.iter().map(|(_, decided)| decided)
    }

    /// Reports whether no comparison was decided.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The decision between these two values.
    pub fn of_pair(&self, one: &str, other: &str) -> Option<&DecidedComparison> {
        self.iter().find(|decided| decided.is_between(one, other))
    }

    /// When the last comparison of a value with each of the others was decided; none while one is open.
    pub fn decided_at<'v>(
        &self,
        value: &str,
        values: impl IntoIterator<Item = &'v String>,
    ) -> Option<Timestamp> {
        let others = values.into_iter().filter(|other| *other != value);
        let of = |other: &String| {
            self.all.iter().find(|(_, decided)| decided.is_between(value, other)).map(|(at, _)| *at)
        };
        let moments: Option<Vec<Timestamp>> = others.map(of).collect();
        moments?.into_iter().max()
    }
}

impl DecidedComparison {
    fn is_between(&self, one: &str, other: &str) -> bool {
        (self.better == one && self.worse == other) || (self.better == other && self.worse == one)
    }

    /// `policy rough beats flat: 41/50 against 22/50, e = 57`.
    pub fn to_text(&self) -> String {
        let Self { axis, better, worse, episodes, better_successes, worse_successes, .. } = self;
        format!(
            "{axis} {better} beats {worse}: {better_successes}/{episodes} against {worse_successes}/{episodes}, e = {}",
            e_value_text(self.e_value)
        )
    }
}

/// An e-value as people write it.
pub fn e_value_text(e: f64) -> String {
    match e {
        e if e >= 1e6 => format!("{e:.1e}"),
        e if e >= 10.0 => format!("{e:.0}"),
        e => format!("{e:.1}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_settled_when_all_its_comparisons_are() {
        let difference = SequentialInterval { value: 0.4, low: 0.1, high: 0.6 };
        let decided = |better: &str, worse: &str| DecidedComparison {
            axis: "policy".into(),
            better: better.into(),
            worse: worse.into(),
            blocks: 5,
            episodes: 50,
            pairs: 0,
            better_successes: 41,
            worse_successes: 22,
            e_value: 57.3,
            limit: 40.0,
            difference,
        };
        let values = ["a", "b", "c"].map(str::to_owned);
        let at = |second| Timestamp::from_second(second).unwrap();
        let mut decisions = Decisions::default();
        decisions.push(at(1), decided("a", "b"));
        assert_eq!(decisions.decided_at("a", &values), None);
        decisions.push(at(2), decided("c", "a"));
        assert_eq!(decisions.decided_at("a", &values), Some(at(2)));
        assert_eq!(decisions.decided_at("b", &values), None, "b and c are still open");
        assert_eq!(decided("a", "b").to_text(), "policy a beats b: 41/50 against 22/50, e = 57");
    }
}
