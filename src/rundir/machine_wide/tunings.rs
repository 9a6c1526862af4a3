//! What `autotune` measured, one file a sweep: `$XDG_STATE_HOME/sweepdeck/tunings/`.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use super::discover;
use crate::model::sweep::tuning::Tuning;
use crate::rundir::beneath::PathBeneath;
use crate::rundir::error::RunDirError;
use crate::rundir::records;

/// Keeps it in place of what was measured of the sweep before.
pub fn save_tuning(sweep: &str, tuning: &Tuning) -> Result<(), RunDirError> {
    let path = tuning_path(sweep, &tuning.sweep_dir)?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(RunDirError::io("create", folder))?;
    records::write_atomic(&path, tuning)
}

/// Returns what was measured of the sweep, if anything that can be read.
pub fn load_tuning(sweep: &str, sweep_dir: &Path) -> Option<Tuning> {
    let tuning: Tuning = records::read_if_there(&tuning_path(sweep, sweep_dir).ok()?).ok()??;
    (tuning.sweep_dir == sweep_dir).then_some(tuning)
}

/// Returns the path of the file. The name of a sweep is a valid name of a file; sweeps of one name in two folders get
/// different files.
fn tuning_path(sweep: &str, sweep_dir: &Path) -> Result<PathBeneath, RunDirError> {
    let folder = discover::pointers_folder()?.with_file_name("tunings");
    let place = fnv_hash(sweep_dir.as_os_str().as_encoded_bytes());
    Ok(PathBeneath::of_file(folder.join(format!("{sweep}-{place:016x}.json"))))
}

/// FNV-1a, which does not change with the compiler.
fn fnv_hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
