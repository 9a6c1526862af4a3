//! A wall clock for tests that may be set at any moment, for the program under test and all that it starts.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

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
        [("LD_PRELOAD", library()), ("SWEEPDECK_FAKE_CLOCK", self.file.clone())]
    }
}

/// The library, built when it is not there yet or its source has changed.
fn library() -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake_clock/library.rs");
    let mut hasher = DefaultHasher::new();
    fs::read(&source).expect("the source is there").hash(&mut hasher);
    let library =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fake-clock-{:016x}.so", hasher.finish()));
    if !library.exists() {
        // Tests run side by side: each builds in a folder of its own, and the last rename wins.
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
        let own = folder.path().join("fake-clock.so");
        let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        rustc.args(["--edition", "2024", "--crate-type", "cdylib", "--crate-name", "fake_clock", "-O"]);
        rustc.args(["-C", "panic=abort", "-C", "strip=symbols"]).arg(&source).arg("-o").arg(&own);
        let output = rustc.output().expect("rustc starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::rename(own, &library).expect("the library is renamed");
    }
    library
}
