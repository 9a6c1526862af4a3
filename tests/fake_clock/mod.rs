//! A wall clock for tests that may be set at any moment, for the program under test and all that it starts.

#[path = "../preload/mod.rs"]
mod preload;

use std::fs;
use std::path::{Path, PathBuf};

/// The wall clock of one test.
pub struct FakeClock {
    file: PathBuf,
}

impl FakeClock {
    /// A clock that shows the true time; its file is kept in `folder`.
    pub fn new(folder: &Path) -> Self {
        let clock = Self { file: folder.join("wall-clock") };
        clock.is_ahead_by(0);
        clock
    }

    /// From now on the wall clock is so many seconds ahead of the true time, or behind it.
    pub fn is_ahead_by(&self, seconds: i64) {
        let next = self.file.with_extension("next");
        fs::write(&next, seconds.to_string()).expect("the file is written");
        fs::rename(next, &self.file).expect("the file is renamed");
    }

    /// What the program needs in its environment.
    pub fn environment(&self) -> [(&'static str, PathBuf); 2] {
        [("LD_PRELOAD", preload::library("fake_clock")), ("SWEEPDECK_FAKE_CLOCK", self.file.clone())]
    }
}
