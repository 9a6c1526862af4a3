//! Libraries that stand before functions of the C library: built from one file, loaded with `LD_PRELOAD`.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The library of `tests/FOLDER/library.rs`, built when it is not there yet or its source has changed.
pub fn library(folder: &str) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder).join("library.rs");
    let mut hasher = DefaultHasher::new();
    fs::read(&source).expect("the source is there").hash(&mut hasher);
    let library =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{folder}-{:016x}.so", hasher.finish()));
    if !library.exists() {
        // Tests run side by side: each builds in a folder of its own, and the last rename wins.
        let own = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
        let built = own.path().join("library.so");
        let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        rustc.args(["--edition", "2024", "--crate-type", "cdylib", "--crate-name", folder, "-O"]);
        rustc.args(["-C", "panic=abort", "-C", "strip=symbols"]).arg(&source).arg("-o").arg(&built);
        let output = rustc.output().expect("rustc starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::rename(built, &library).expect("the library is renamed");
    }
    library
}
