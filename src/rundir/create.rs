//! A new run: its folder with everything that never changes, and the first fact.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{Mode, OFlags};

use super::error::RunDirError;
use super::journal::Journal;
use super::layout::RunDir;
use super::{durable, records, residence, trust};
use crate::model::state::fact::{Event, Fact, JOURNAL_VERSION};
use crate::model::state::run_info::RunInfo;
use crate::model::sweep::plan::Plan;

/// Makes the run directory; it must not exist or be empty. The journal begins with the parallel limit and with what
/// else is true from the start: a remark on how the run differs from its sweep, when it starts.
pub fn create_run_dir(
    path: &Path,
    info: &RunInfo,
    sweep: &str,
    plan: &Plan,
    (parallel, more): (u32, Vec<Event>),
) -> Result<RunDir, RunDirError> {
    // Whatever the umask, also those above that are missing: who may write to a folder may put another run in its
    // place.
    let mut folders = fs::DirBuilder::new();
    folders.recursive(true).mode(0o755).create(path).map_err(RunDirError::io("create", path))?;
    let path = path.canonicalize().map_err(RunDirError::io("find", path))?;
    if fs::read_dir(&path).map_err(RunDirError::io("read", &path))?.next().is_some() {
        return Err(RunDirError::NotEmpty { path });
    }
    let run = RunDir::at(path);
    close_to_others(&run)?;
    for folder in [run.shards_folder(), run.logs_folder(), run.telemetry_folder(), run.results_folder()] {
        folder.create_dir_all().map_err(RunDirError::io("create", &folder))?;
    }
    records::write_text(&run.sweep_toml(), sweep)?;
    records::write_atomic(&run.plan_json(), plan)?;
    let mut journal = Journal::create(&run.journal_path())?;
    // Synced by the supervisor before its first deed: until then a power cut loses nothing but the wish.
    let mut facts = vec![first_fact(info, plan, parallel)];
    facts.extend(more.into_iter().map(|event| Fact::new(info.created, event)));
    journal.append_facts(&facts)?;
    // The last file of all: a folder without run.json is no run, so a crash here leaves none that is half made.
    let info = RunInfo { place: Some(residence::identify_place(run.path())?), ..info.clone() };
    records::write_atomic(&run.run_json(), &info)?;
    Ok(run)
}

/// Makes everything survive without which the journal of a run could not be found or read: its plan, its record, and
/// the names of all of them. To be called before the first deed.
pub fn sync_run(run: &RunDir) -> Result<(), RunDirError> {
    for file in [run.run_json(), run.plan_json(), run.sweep_toml()] {
        match file.open().and_then(|open| durable::sync::sync_file(&open)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            synced => synced.map_err(RunDirError::io("sync", &file))?,
        }
    }
    // The folders above may be as new as the run. One that cannot be opened was not made for it.
    for folder in run.path().ancestors() {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let Ok(opened) = rustix::fs::open(folder, flags, Mode::empty()) else { break };
        durable::sync::sync_names(&File::from(opened)).map_err(RunDirError::io("sync", folder))?;
    }
    Ok(())
}

/// Takes the permission to write from others, where the folder was there before and is ours.
fn close_to_others(run: &RunDir) -> Result<(), RunDirError> {
    if trust::verify_folder(run.handle()).is_err() {
        let mode =
            fs::metadata(run.path()).map_err(RunDirError::io("look at", run.path()))?.permissions().mode();
        // Where it is not ours, or modes are not kept, the second look refuses it.
        let _ = fs::set_permissions(run.path(), fs::Permissions::from_mode(mode & 0o7755));
    }
    trust::verify_folder(run.handle())
}

fn first_fact(info: &RunInfo, plan: &Plan, parallel: u32) -> Fact {
    let shards = plan.shards.iter().map(|shard| shard.id.clone()).collect();
    let event = Event::RunCreated { version: JOURNAL_VERSION, run: info.id.clone(), shards, parallel };
    Fact::new(info.created, event)
}
