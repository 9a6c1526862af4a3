//! Notes what a run runs on: processor, kernel, driver, and the state of the work tree. Once for a run, on a thread of
//! its own, because git may take its time.

use std::path::Path;
use std::process::{Command, Stdio};

use tracing::warn;

use crate::model::machine::sample::GpuInventory;
use crate::model::machine::system_info::{GitState, SYSTEM_VERSION, SystemInfo};
use crate::rundir::layout::RunDir;
use crate::rundir::{clock, plans, records};
use crate::telemetry::system;

/// Starts the look, unless an earlier supervisor of the run had it.
pub(in crate::supervisor) fn start_look(run: &RunDir, inventory: Option<GpuInventory>) {
    if run.system_json().exists() {
        return;
    }
    let run = run.clone();
    let look = move || {
        let folder = plans::read_first_plan(&run).ok().map(|plan| plan.sweep_dir);
        let info = SystemInfo {
            version: SYSTEM_VERSION,
            at: clock::now(),
            cpu: system::cpu_model(Path::new("/")),
            kernel: system::kernel_release(Path::new("/")),
            os: system::distribution_name(Path::new("/")),
            driver: inventory.as_ref().and_then(GpuInventory::driver).map(str::to_owned),
            cuda: inventory.as_ref().and_then(GpuInventory::driver).and_then(|_| system::cuda_version()),
            git: folder.as_deref().and_then(git_state),
        };
        if let Err(error) = records::write_atomic(&run.system_json(), &info) {
            warn!("{error}");
        }
    };
    // A run needs no such note to go on.
    let _ = std::thread::Builder::new().name("system".to_owned()).spawn(look);
}

/// Returns the state of the work tree around a folder; `None` if there is none.
fn git_state(folder: &Path) -> Option<GitState> {
    folder.ancestors().find(|parent| parent.join(".git").exists())?;
    let git = |words: &[&str]| {
        let mut command = Command::new("git");
        // Looking must not write to another person's index.
        command.arg("--no-optional-locks").arg("-C").arg(folder).args(words);
        command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok().filter(|said| said.status.success())
    };
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).trim().to_owned();
    let commit = git(&["rev-parse", "HEAD"]).map(|said| text(said.stdout));
    let changes = git(&["status", "--porcelain", "--untracked-files=no"]);
    Some(GitState { commit, dirty: changes.map(|said| !said.stdout.is_empty()) })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_work_tree_with_changes_is_dirty() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(git_state(folder.path()), None, "outside git");
        let git = |words: &[&str]| {
            let mut command = Command::new("git");
            command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "-C"]);
            assert!(command.arg(folder.path()).args(words).output().unwrap().status.success(), "{words:?}");
        };
        git(&["init", "-q"]);
        fs::write(folder.path().join("a"), "1").unwrap();
        git(&["add", "a"]);
        git(&["commit", "-qm", "a"]);
        fs::write(folder.path().join("new"), "1").unwrap();
        let clean = git_state(folder.path()).unwrap();
        assert_eq!((clean.commit.map(|commit| commit.len()), clean.dirty), (Some(40), Some(false)));
        fs::write(folder.path().join("a"), "22").unwrap();
        assert_eq!(git_state(folder.path()).unwrap().dirty, Some(true));
    }
}
