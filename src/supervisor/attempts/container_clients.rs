//! Names of container engines in front of the real ones, so that a container that a shard starts can be found again.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use tracing::warn;

use crate::process::start::container_args::ENGINES;
use crate::rundir::layout::RunDir;

/// Makes `bin/` of a run, with this program under the name of each engine that this machine has; `None` if it
/// has none.
pub(in crate::supervisor) fn put_in_front(run: &RunDir) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let is_here = |name: &&str| std::env::split_paths(&path).any(|folder| folder.join(name).is_file());
    let engines: Vec<&str> = ENGINES.into_iter().filter(is_here).collect();
    if engines.is_empty() {
        return None;
    }
    // A program that was replaced on disk leads nowhere, and the shell then takes the real engine.
    let program = std::env::current_exe().ok()?;
    let folder = run.bin_folder();
    match engines.iter().try_for_each(|name| folder.join(name).link_to(&program)) {
        Ok(()) => Some(folder.full_path().to_owned()),
        Err(error) => {
            warn!("containers of shards will not be found: cannot make {}: {error}", folder.display());
            None
        }
    }
}

/// Puts the folder before all others in which programs are looked for.
pub(in crate::supervisor) fn lead_path(environment: &mut BTreeMap<String, String>, folder: &Path) {
    let inherited = || std::env::var_os("PATH").unwrap_or_default();
    let path = environment.get("PATH").map(OsString::from).unwrap_or_else(inherited);
    let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path));
    // A folder whose name has a colon cannot be in it; the real engines are then found, and nothing is lost but that.
    if let Ok(Ok(path)) = std::env::join_paths(folders).map(OsString::into_string) {
        environment.insert("PATH".to_owned(), path);
    }
}
