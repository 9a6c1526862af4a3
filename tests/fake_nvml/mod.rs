//! A driver for tests: builds the stand-in for NVML, puts it into a folder and writes its script.
//!
//! `SWEEPDECK_NVML` names [`FakeDriver::library`] to the program under test. What a script may say, and how real
//! processes come to hold memory of such a GPU, stands at the top of `library/lib.rs`.

#![allow(dead_code, reason = "each test binary uses its part")]
#![allow(clippy::unwrap_used, reason = "a driver that cannot be built is a failed test")]

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A driver whose library, script and `held` folder lie in one folder.
pub struct FakeDriver {
    folder: PathBuf,
}

/// Which driver.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Age {
    /// One of today.
    Present,
    /// One from before 510, or 535.98: without third-version lists and the second version of memory.
    Old,
    /// One from before 450, with first versions only.
    Oldest,
}

impl Age {
    /// What the library is built with.
    fn cfgs(self) -> &'static [&'static str] {
        match self {
            Self::Present => &[],
            Self::Old => &["old"],
            Self::Oldest => &["old", "oldest"],
        }
    }
}

impl FakeDriver {
    /// A driver of today in a folder that is there.
    pub fn new(folder: &Path, script: &str) -> Self {
        Self::of_age(Age::Present, folder, script)
    }

    /// A driver of that age.
    pub fn of_age(age: Age, folder: &Path, script: &str) -> Self {
        // The library finds its script by the real path.
        let folder = folder.canonicalize().unwrap();
        let driver = Self { folder };
        fs::create_dir_all(driver.folder.join("held")).unwrap();
        driver.says(script);
        // A copy, because a library that is loaded twice from one file is one library with one folder.
        fs::copy(built(age), driver.library()).unwrap();
        driver
    }

    /// The path for `SWEEPDECK_NVML`.
    pub fn library(&self) -> PathBuf {
        self.folder.join("libnvidia-ml.so.1")
    }

    /// From now on the machine is like this.
    pub fn says(&self, script: &str) {
        let next = self.folder.join("gpus.txt.next");
        fs::write(&next, script).unwrap();
        fs::rename(next, self.folder.join("gpus.txt")).unwrap();
    }
}

/// The library, built when it is not there yet or its sources have changed.
fn built(age: Age) -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake_nvml/library");
    let mut hasher = DefaultHasher::new();
    let mut files: Vec<PathBuf> =
        fs::read_dir(&sources).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().for_each(|file| fs::read(file).unwrap().hash(&mut hasher));
    let name =
        format!("fake-nvml-{:016x}-{}.so", hasher.finish(), if age == Age::Old { "old" } else { "new" });
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if !library.exists() {
        // Tests run side by side: each builds in a folder of its own, and the last rename wins.
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let own = folder.path().join("libnvidia-ml.so");
        let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        rustc.args(["--edition", "2024", "--crate-type", "cdylib", "--crate-name", "fake_nvml", "-O"]);
        rustc.args(["-C", "panic=abort", "-C", "strip=symbols", "--cap-lints", "allow"]);
        rustc.args(age.cfgs().iter().flat_map(|cfg| ["--cfg", cfg]));
        let output = rustc.arg(sources.join("lib.rs")).arg("-o").arg(&own).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::rename(own, &library).unwrap();
    }
    library
}
