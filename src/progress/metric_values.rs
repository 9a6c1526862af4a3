//! The newest values of a log's metrics, found again without a search where lines repeat their order.

use crate::model::metric_name::MetricName;
use crate::model::outcome::{Metrics, Proof};

/// The newest values of a log's metrics.
#[derive(Debug, Default)]
pub struct MetricValues {
    known: Vec<Known>,
    /// Where the next one is, where the line names the same metrics as the one before.
    next: usize,
}

/// One metric.
#[derive(Debug)]
pub struct Known {
    /// Its name.
    pub name: MetricName,
    /// Its newest value.
    pub newest: Newest,
    /// A preset reads it, of which another may turn out to be the right one.
    pub of_preset: bool,
    /// It is not yet in what was collected.
    changed: bool,
}

/// What is known of a metric's value.
#[derive(Debug, Clone, PartialEq)]
pub enum Newest {
    /// Nothing.
    Unknown,
    /// A finite number.
    Value(f64),
    /// Not a number, and the line that proves that it spoils the results, where it does.
    NotANumber(Option<Proof>),
}

impl MetricValues {
    /// The place of the metric of this name.
    pub fn find(&mut self, name: &MetricName) -> Option<usize> {
        let is_next = self.known.get(self.next).is_some_and(|known| known.name == *name);
        let place = if is_next { self.next } else { self.known.iter().position(|known| known.name == *name)? };
        self.next = if place + 1 < self.known.len() { place + 1 } else { 0 };
        Some(place)
    }

    /// The metric at this place.
    pub fn at(&mut self, place: usize) -> &mut Known {
        &mut self.known[place]
    }

    /// Adds a metric that `find` did not find, with no value yet, and gives its place.
    pub fn add(&mut self, name: MetricName, of_preset: bool) -> usize {
        self.known.push(Known { name, newest: Newest::Unknown, of_preset, changed: false });
        self.known.len() - 1
    }

    /// How many metrics presets have read.
    pub fn count_of_preset(&self) -> usize {
        self.known.iter().filter(|known| known.of_preset).count()
    }

    /// Forgets what presets have read, and gives the names.
    pub fn forget_presets(&mut self) -> Vec<MetricName> {
        let mut forgotten = Vec::new();
        for known in self.known.iter_mut().filter(|known| known.of_preset) {
            known.set(Newest::Unknown);
            known.of_preset = false;
            forgotten.push(known.name.clone());
        }
        forgotten
    }

    /// What spoils the results, in words, and the lines that prove it.
    pub fn spoiled(&self) -> Vec<(String, Proof)> {
        let spoiled = self.known.iter().filter_map(|known| match &known.newest {
            Newest::NotANumber(Some(proof)) => {
                Some((format!("{} is not a number", &*known.name), proof.clone()))
            }
            Newest::Unknown | Newest::Value(_) | Newest::NotANumber(None) => None,
        });
        spoiled.collect()
    }

    /// Brings what was collected before up to date.
    pub fn collect_to(&mut self, metrics: &mut Metrics) {
        for known in self.known.iter_mut().filter(|known| known.changed) {
            known.changed = false;
            match (&known.newest, metrics.get_mut(&*known.name)) {
                (Newest::Value(value), Some(collected)) => *collected = *value,
                (Newest::Value(value), None) => {
                    metrics.insert(known.name.to_string(), *value);
                }
                (Newest::Unknown | Newest::NotANumber(_), _) => {
                    metrics.remove(&*known.name);
                }
            }
        }
    }
}

impl Known {
    /// Has this value from now on.
    pub fn set(&mut self, newest: Newest) {
        self.newest = newest;
        self.changed = true;
    }
}
