//! The searches that the readers of a run's logs share. To prepare one takes longer than to read a short log, so that
//! those for logs which decide themselves what reads them are prepared once in a process.

use std::sync::{Arc, LazyLock, OnceLock};

use super::needles::Needles;
use super::presets::table;
use crate::progress::format::Preset;

/// The searches for what some presets look for.
#[derive(Debug)]
pub struct NeedleSearches {
    presets: &'static [&'static Preset],
    undecided: Needles,
    /// By preset: what is looked for when it alone reads the log.
    decided: Vec<OnceLock<Needles>>,
}

static OF_ALL: LazyLock<Arc<NeedleSearches>> = LazyLock::new(|| Arc::new(NeedleSearches::new(&table::ALL)));

impl NeedleSearches {
    /// Returns the searches for these presets.
    pub fn of(presets: &'static [&'static Preset]) -> Arc<Self> {
        if std::ptr::eq(presets, table::ALL.as_slice()) {
            Arc::clone(&OF_ALL)
        } else {
            Arc::new(Self::new(presets))
        }
    }

    fn new(presets: &'static [&'static Preset]) -> Self {
        Self {
            presets,
            undecided: Needles::new(presets),
            decided: presets.iter().map(|_| OnceLock::new()).collect(),
        }
    }

    /// Returns what to look for on the next line of a log that the preset at this place reads: only presets of a higher
    /// rank can take its place, and looking for fewer literals is faster.
    pub fn on_a_line(&self, reading: Option<usize>) -> &Needles {
        reading.filter(|_| self.presets.len() > 1).map_or(&self.undecided, |place| {
            self.decided[place].get_or_init(|| Needles::behind(self.presets, place))
        })
    }
}
