//! What was measured of single episodes besides their success: one list of numbers for each measure.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Highest number of measures that are kept of one attempt.
pub const MOST_MEASURES: usize = 4;

/// All lists of an attempt have at most so many numbers: they are in the journal. Of more none is kept.
pub const MOST_NUMBERS: usize = 10_000;

/// A measure has a name of at most so many bytes.
pub const LONGEST_NAME: usize = 64;

/// The measures of one episode by their names.
pub type Measures = Vec<(String, f64)>;

/// The measures of episodes that follow one another. An episode that does not report a measure has none for it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EpisodeValues(BTreeMap<String, Vec<Option<f64>>>);

impl EpisodeValues {
    /// No measure is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes the measures of the episode at `place`, after all that were taken before.
    pub fn push(&mut self, place: usize, measures: &[(String, f64)]) {
        for (name, value) in measures {
            let known = name.len() <= LONGEST_NAME && value.is_finite();
            if known && (self.0.contains_key(name) || self.0.len() < MOST_MEASURES) {
                let list = self.0.entry(name.clone()).or_default();
                list.resize(place, None);
                list.push(Some(*value));
            }
        }
    }

    /// How many numbers these are.
    pub fn count(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    /// The measures of the episode at that place.
    pub fn measures_at(&self, place: usize) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().filter_map(move |(name, list)| Some((name.as_str(), (*list.get(place)?)?)))
    }
}
