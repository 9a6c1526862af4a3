//! The rates that one shard's log reports, each with what it is worth.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use super::rate::Rate;
use crate::model::logs::work::{UnitWorth, of_count, of_rate, of_total};
use crate::model::units::duration_between;
use crate::progress::formats::presets::table;

/// So many counts of one unit settle it: what a program counts at its end is something else.
const SETTLED: usize = 3;

/// A rate with what it is worth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorkRate {
    /// Name of what is counted, in the plural.
    pub counted: String,
    /// Work that one counted unit is worth.
    pub worth: UnitWorth,
    /// So many in a second.
    pub per_s: f64,
}

/// Statements of a sweep about its logs.
#[derive(Debug, Clone, Default)]
pub struct Declared {
    /// The preset, where the log does not decide it.
    pub preset: Option<String>,
    /// Unit that a preset of the user's own counts, in the plural.
    pub unit: Option<String>,
    /// The progress is that of a pattern or a file of the sweep, which may count anything.
    pub own_progress: bool,
}

/// Rates that a log has reported.
#[derive(Debug, Clone, Default)]
pub struct WorkRates {
    declared: Declared,
    preset: Option<String>,
    unit: Option<String>,
    /// Counts that follow are of something else.
    is_over: bool,
    counts: usize,
    metrics: BTreeMap<String, Vec<(Timestamp, f64)>>,
}

impl WorkRates {
    /// Rates of a log, with what the sweep declares about it.
    pub fn new(declared: Declared) -> Self {
        Self { declared, ..Self::default() }
    }

    /// The log is one of this preset.
    pub fn set_preset(&mut self, name: &str) {
        self.preset = Some(name.to_owned());
        (self.unit, self.counts, self.is_over) = (None, 0, false);
    }

    /// Counts that follow are of these.
    pub fn set_unit(&mut self, name: &str) {
        if self.counted_unit() == Some(name) {
            self.is_over = false;
        } else if self.counts >= SETTLED {
            self.is_over = true;
        } else {
            (self.unit, self.counts) = (Some(name.to_owned()), 0);
        }
    }

    /// Something was counted; whether it is what has been counted before.
    pub fn note_count(&mut self) -> bool {
        self.counts += usize::from(!self.is_over);
        !self.is_over
    }

    /// A metric has this value.
    pub fn record_metric(&mut self, at: Timestamp, name: &str, value: f64) {
        if of_total(name).is_some() || of_rate(self.known_preset(), name).is_some() {
            self.metrics.entry(name.to_owned()).or_default().push((at, value));
        }
    }

    /// All rates since `begin`, the best to compare by first: work before batches, and what was declared before what
    /// was guessed.
    pub fn rates_since(&self, begin: Timestamp, rate: &Rate) -> Vec<WorkRate> {
        let progress = self.counted_unit().zip(rate.done_per_s(begin)).map(|(unit, per_s)| {
            let worth = if self.declared.own_progress {
                UnitWorth::Unknown
            } else {
                of_count(self.known_preset(), unit)
            };
            WorkRate { counted: unit.to_owned(), worth, per_s }
        });
        let metrics = self.metrics.iter().filter_map(|(name, values)| self.of_metric(name, values, begin));
        let mut rates: Vec<WorkRate> = progress.into_iter().chain(metrics).collect();
        rates.retain(|rate| rate.per_s > 0.0);
        rates.sort_by_key(|rate| match rate.worth {
            UnitWorth::Work(_) => 0,
            UnitWorth::Batch(Some(_)) => 1,
            UnitWorth::Batch(None) => 2,
            UnitWorth::Unknown => 3,
        });
        rates
    }

    fn of_metric(&self, name: &str, values: &[(Timestamp, f64)], begin: Timestamp) -> Option<WorkRate> {
        let values = &values[values.partition_point(|(at, _)| *at < begin)..];
        if let Some(worth) = of_total(name) {
            let ((first, from), (last, to)) = values.first().zip(values.last())?;
            // Some programs print after each round how many it had.
            let counts_up = values.windows(2).all(|pair| pair[0].1 <= pair[1].1);
            let seconds = duration_between(*first, *last).as_secs_f64();
            return (counts_up && seconds > 0.0).then(|| WorkRate {
                counted: name.to_owned(),
                worth,
                per_s: (to - from) / seconds,
            });
        }
        let worth = of_rate(self.known_preset(), name)?;
        let sum: f64 = values.iter().map(|(_, value)| value).sum();
        let counted = name.trim_end_matches("_per_s").to_owned();
        (!values.is_empty()).then(|| WorkRate { counted, worth, per_s: sum / values.len() as f64 })
    }

    fn known_preset(&self) -> Option<&str> {
        self.declared.preset.as_deref().or(self.preset.as_deref())
    }

    /// Names what progress counts, in the plural.
    pub fn counted_unit(&self) -> Option<&str> {
        match (&self.unit, self.declared.own_progress) {
            (_, true) => Some("done"),
            (Some(unit), false) => Some(unit),
            (None, false) => {
                self.declared.unit.as_deref().or_else(|| self.known_preset().and_then(table::unit))
            }
        }
    }
}

/// The rates of all shards together, where each has them.
pub fn sum_rates(of_shards: &[Vec<WorkRate>]) -> Vec<WorkRate> {
    let Some((first, others)) = of_shards.split_first() else { return Vec::new() };
    let sum = |rate: &WorkRate| {
        let same = |rates: &Vec<WorkRate>| {
            let other =
                rates.iter().find(|other| other.counted == rate.counted && other.worth == rate.worth)?;
            Some(other.per_s)
        };
        let others: Option<f64> = others.iter().map(same).sum();
        Some(WorkRate { per_s: rate.per_s + others?, ..rate.clone() })
    };
    first.iter().filter_map(sum).collect()
}
