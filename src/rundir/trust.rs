//! Whether a run is in its owner's hands alone: who else may write to it decides what runs as the owner.

use std::io;
use std::path::Path;

use rustix::fs::{FileType, Stat};

use super::beneath::PathBeneath;
use super::error::RunDirError;
use super::journal;
use super::layout::RunDir;

/// Write permission of the group and of others.
const OTHERS_WRITE: u32 = 0o022;

/// Refuses a run that another user could have changed, by its folder and by the files that decide what runs.
pub fn verify_run(run: &RunDir) -> Result<(), RunDirError> {
    verify_run_but_journal(run)?;
    verify_present(&run.journal_path())
}

/// The same of a run whose journal may be missing.
pub fn verify_run_but_journal(run: &RunDir) -> Result<(), RunDirError> {
    for file in [run.run_json(), run.plan_json()] {
        verify_present(&file)?;
    }
    for optional in [
        run.supervisor_json(),
        run.supervisor_lock(),
        // What is added to the run is rendered from it.
        run.sweep_toml(),
        run.shards_folder(),
        run.logs_folder(),
        run.telemetry_folder(),
        run.results_folder(),
        // What nodes run, and what they are asked to do.
        run.nodes_folder(),
        run.all_orders(),
    ] {
        match verify_file(&optional) {
            Err(RunDirError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {}
            verified => verified?,
        }
    }
    Ok(())
}

fn verify_present(file: &PathBeneath) -> Result<(), RunDirError> {
    // Opened, because a pipe or a link in its place is refused with a better reason.
    file.open().map_err(|error| match error.kind() {
        // Trying again would find the same, and a keeper would.
        io::ErrorKind::NotFound => journal::missing_error(file),
        _ => RunDirError::io("read", file)(error),
    })?;
    verify_file(file)
}

/// Refuses a file that another user could have changed or replaced: by itself, or by a folder on the way to it.
pub fn verify_file(file: &PathBeneath) -> Result<(), RunDirError> {
    let found = file.stat_all().map_err(RunDirError::io("look at", file))?;
    found.iter().try_for_each(|(path, stat)| verify_owner(path, stat))
}

/// Refuses a folder that another user may write to.
pub(super) fn verify_folder(folder: &super::beneath::DirHandle) -> Result<(), RunDirError> {
    let stat = folder.stat().map_err(RunDirError::io("look at", folder.path()))?;
    verify_owner(folder.path(), &stat)
}

fn verify_owner(path: &Path, stat: &Stat) -> Result<(), RunDirError> {
    let refuse = |why: String| Err(RunDirError::NotPrivate { path: path.to_owned(), why });
    let me = rustix::process::geteuid().as_raw();
    if stat.st_uid != me && stat.st_uid != 0 {
        return refuse(format!("belongs to user {} and not to you ({me})", stat.st_uid));
    }
    // The mode of a link has no meaning; none is followed.
    let is_link = FileType::from_raw_mode(stat.st_mode) == FileType::Symlink;
    match stat.st_mode & OTHERS_WRITE {
        0 => Ok(()),
        _ if is_link => Ok(()),
        0o020 => refuse(format!("can be written by its group (mode {:04o})", stat.st_mode & 0o7777)),
        _ => refuse(format!("can be written by other users (mode {:04o})", stat.st_mode & 0o7777)),
    }
}
