//! A disk that answers or does not, for the program under test: writes to files of attempts hang, find no room, or work.

#[path = "../preload/mod.rs"]
mod preload;

use std::fs;
use std::path::{Path, PathBuf};

/// The disk of one test.
pub struct HungDisk {
    file: PathBuf,
}

impl HungDisk {
    /// A disk that works; what it does is written in `folder`.
    pub fn new(folder: &Path) -> Self {
        let disk = Self { file: folder.join("disk") };
        disk.is("well");
        disk
    }

    /// From now on it is `hung`, `full` or `well`.
    pub fn is(&self, state: &str) {
        let next = self.file.with_extension("next");
        fs::write(&next, state).expect("the file is written");
        fs::rename(next, &self.file).expect("the file is renamed");
    }

    /// What the program needs in its environment.
    pub fn environment(&self) -> [(&'static str, PathBuf); 2] {
        [("LD_PRELOAD", preload::library("hung_disk")), ("SWEEPDECK_HUNG_DISK", self.file.clone())]
    }
}
