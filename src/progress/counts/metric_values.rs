//! The newest values of a log's metrics, found again without a search where lines repeat their order.

use super::rate::is_rate;
use crate::model::logs::mark::MarkKind;
use crate::model::logs::metric_name::MetricName;
use crate::model::outcome::{Metrics, Proof};

/// The newest values of a log's metrics.
#[derive(Debug, Default)]
pub struct MetricValues {
    known: Vec<TrackedMetric>,
    /// Place of the next metric, if the line names the same metrics as the one before.
    next: usize,
}

/// A metric and its newest value.
#[derive(Debug)]
pub struct TrackedMetric {
    /// Name under which the metric is known.
    pub name: MetricName,
    /// Newest value that a line gave.
    pub newest: NewestValue,
    /// Whether the metric is a share of successes.
    pub is_rate: bool,
    /// Offset at which the line that gave the value begins.
    offset: u64,
    /// A preset reads it, of which another may turn out to be the right one.
    of_preset: bool,
    is_collected: bool,
    is_marked: bool,
}

/// The state of knowledge about a metric's value.
#[derive(Debug, Clone, PartialEq)]
pub enum NewestValue {
    /// No value is known, or it was forgotten.
    Unknown,
    /// Newest value, a finite number.
    Value(f64),
    /// Not a number, and the line that proves that it spoils the results, where it does.
    NotANumber(Option<Proof>),
}

impl MetricValues {
    /// The place of the metric of this name.
    pub fn find(&mut self, name: &MetricName) -> Option<usize> {
        let is_next = self.known.get(self.next).is_some_and(|known| known.name == *name);
        let place =
            if is_next { self.next } else { self.known.iter().position(|known| known.name == *name)? };
        self.next = if place + 1 < self.known.len() { place + 1 } else { 0 };
        Some(place)
    }

    /// The metric at this place.
    pub fn at(&self, place: usize) -> &TrackedMetric {
        &self.known[place]
    }

    /// Adds a metric that `find` did not find, with no value yet, and gives its place.
    pub fn add(&mut self, name: MetricName) -> usize {
        self.known.push(TrackedMetric {
            is_rate: is_rate(&name),
            name,
            newest: NewestValue::Unknown,
            offset: 0,
            of_preset: false,
            is_collected: true,
            is_marked: true,
        });
        self.known.len() - 1
    }

    /// The line that begins at `offset` gave it this value.
    pub fn set(&mut self, place: usize, newest: NewestValue, offset: u64) {
        self.known[place].set(newest, offset);
    }

    /// A preset reads it.
    pub fn is_of_preset(&mut self, place: usize) {
        self.known[place].of_preset = true;
    }

    /// How many metrics presets have read.
    pub fn count_of_preset(&self) -> usize {
        self.known.iter().filter(|known| known.of_preset).count()
    }

    /// Forgets what presets have read, on the line that begins at `offset`.
    pub fn forget_presets(&mut self, offset: u64) {
        for known in self.known.iter_mut().filter(|known| known.of_preset) {
            known.set(NewestValue::Unknown, offset);
            known.of_preset = false;
        }
    }

    /// Describes what spoils the results, with the lines that prove it.
    pub fn spoiled(&self) -> Vec<(String, Proof)> {
        let spoiled = self.known.iter().filter_map(|known| match &known.newest {
            NewestValue::NotANumber(Some(proof)) => {
                Some((format!("{} is not a number", &*known.name), proof.clone()))
            }
            NewestValue::Unknown | NewestValue::Value(_) | NewestValue::NotANumber(None) => None,
        });
        spoiled.collect()
    }

    /// Brings what was collected before up to date.
    pub fn collect_to(&mut self, metrics: &mut Metrics) {
        for known in self.known.iter_mut().filter(|known| !known.is_collected) {
            known.is_collected = true;
            match (known.value(), metrics.get_mut(&*known.name)) {
                (Some(value), Some(collected)) => *collected = value,
                (Some(value), None) => _ = metrics.insert(known.name.to_string(), value),
                (None, _) => _ = metrics.remove(&*known.name),
            }
        }
    }

    /// Makes a mark of everything that changed since the last call, in the order of the log.
    pub fn mark_to(&mut self, marks: &mut Vec<(u64, MarkKind)>) {
        let first = marks.len();
        for known in self.known.iter_mut().filter(|known| !known.is_marked) {
            known.is_marked = true;
            marks.push((known.offset, MarkKind::Metric { name: known.name.clone(), value: known.value() }));
        }
        marks[first..].sort_by_key(|(offset, _)| *offset);
    }
}

impl TrackedMetric {
    fn set(&mut self, newest: NewestValue, offset: u64) {
        (self.newest, self.offset) = (newest, offset);
        (self.is_collected, self.is_marked) = (false, false);
    }

    fn value(&self) -> Option<f64> {
        match self.newest {
            NewestValue::Value(value) => Some(value),
            NewestValue::Unknown | NewestValue::NotANumber(_) => None,
        }
    }
}
