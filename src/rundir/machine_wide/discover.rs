//! Finding runs: by folder, by name, or the newest; through pointers in the user's state folder.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::model::ids::RunId;
use crate::model::state::run_info::{RUN_VERSION, RunInfo, RunPointer};
use crate::rundir::beneath::{DirHandle, PathBeneath};
use crate::rundir::error::RunDirError;
use crate::rundir::layout::RunDir;
use crate::rundir::records;

/// Below this likeness a name is a stranger and no slip of the keyboard.
const ALIKE: f64 = 0.8;

/// The folder of pointers, `runs` in the state folder.
pub fn pointers_folder() -> Result<PathBuf, RunDirError> {
    Ok(state_folder()?.join("runs"))
}

/// The state folder of this user: `$XDG_STATE_HOME/sweepdeck`, else `~/.local/state/sweepdeck`.
pub fn state_folder() -> Result<PathBuf, RunDirError> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_STATE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".local/state")))
        .map(|state| state.join("sweepdeck"))
        .ok_or(RunDirError::NoStateFolder)
}

/// Leaves a pointer to a run.
pub fn remember_run(run: &RunDir, info: &RunInfo) -> Result<(), RunDirError> {
    let folder = pointers_folder()?;
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&folder)
        .map_err(RunDirError::io("create", &folder))?;
    let pointer = RunPointer {
        id: info.id.clone(),
        name: info.name.clone(),
        dir: run.path().to_owned(),
        created: info.created,
    };
    records::write_atomic(&DirHandle::at(folder).join(format!("{}.json", info.id)), &pointer)
}

/// State of the folder that a pointer names.
#[derive(Debug)]
pub enum Whereabouts {
    /// The folder holds the run.
    There,
    /// The folder cannot be read now.
    Unreadable(RunDirError),
    /// The folder is not there any more, or no run is in it.
    Gone,
    /// The folder holds another run, which was given the same place later.
    Replaced,
}

/// All runs that can still be found, newest first; pointers to folders that are gone are passed over.
pub fn list_runs() -> Result<Vec<RunPointer>, RunDirError> {
    let mut found = list_pointers()?;
    // A run that cannot be read now is listed, so that the user sees it.
    found.retain(|pointer| match check_whereabouts(pointer) {
        Whereabouts::There | Whereabouts::Unreadable(_) => true,
        Whereabouts::Gone | Whereabouts::Replaced => false,
    });
    Ok(found)
}

/// All pointers, to folders that are gone too, newest first.
pub fn list_pointers() -> Result<Vec<RunPointer>, RunDirError> {
    let folder = pointers_folder()?;
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(RunDirError::io("read", &folder)(error)),
    };
    let folder = DirHandle::at(folder);
    let pointer = |entry: fs::DirEntry| records::read_record(&folder.join(entry.file_name())).ok();
    let mut found: Vec<RunPointer> = entries.filter_map(|entry| pointer(entry.ok()?)).collect();
    found.sort_by(|a, b| b.created.cmp(&a.created).then_with(|| b.id.cmp(&a.id)));
    Ok(found)
}

/// Determines the state of the folder of a run.
pub fn check_whereabouts(pointer: &RunPointer) -> Whereabouts {
    match read_info(&RunDir::at(&pointer.dir)) {
        Ok(info) if info.id == pointer.id => Whereabouts::There,
        Ok(_) => Whereabouts::Replaced,
        Err(RunDirError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => Whereabouts::Gone,
        Err(error) => Whereabouts::Unreadable(error),
    }
}

/// Removes the pointer to a run; the run stays as it is.
pub fn forget_run(run: &RunId) -> Result<(), RunDirError> {
    let path = PathBeneath::of_file(pointers_folder()?.join(format!("{run}.json")));
    path.remove().map_err(RunDirError::io("remove", &path))
}

/// The run that a word on the command line means: a folder, a run's id, the newest run of that sweep name.
pub fn find_run(word: &str) -> Result<RunDir, RunDirError> {
    let path = Path::new(word);
    let folder = RunDir::at(path);
    if folder.run_json().exists() {
        let path = path.canonicalize().map_err(RunDirError::io("find", path))?;
        return Ok(RunDir::at(path));
    }
    if word.contains('/') {
        // "Not permitted" differs from "not there": it has another remedy and another exit code.
        folder.run_json().metadata().map_err(|source| match source.kind() {
            ErrorKind::PermissionDenied => RunDirError::io("read", &folder.run_json())(source),
            _ => RunDirError::NotARun { path: path.to_owned() },
        })?;
    }
    let known = list_runs()?;
    let named =
        known.iter().find(|run| run.id.0 == word).or_else(|| known.iter().find(|run| run.name == word));
    match named {
        Some(pointer) => Ok(RunDir::at(&pointer.dir)),
        None => {
            let similar = known
                .iter()
                .map(|pointer| (strsim::jaro_winkler(word, &pointer.id.0), pointer))
                .max_by(|a, b| a.0.total_cmp(&b.0))
                .filter(|(likeness, _)| *likeness > ALIKE)
                .map(|(_, pointer)| pointer.id.clone());
            Err(RunDirError::UnknownRun { name: word.to_owned(), similar })
        }
    }
}

/// Returns the newest run of this user.
pub fn newest_run() -> Result<RunDir, RunDirError> {
    list_runs()?.first().map(|pointer| RunDir::at(&pointer.dir)).ok_or(RunDirError::NoRuns)
}

/// Reads how a run describes itself; refuses formats this program does not know.
pub fn read_info(run: &RunDir) -> Result<RunInfo, RunDirError> {
    let info: RunInfo = records::read_record(&run.run_json())?;
    if info.version > RUN_VERSION {
        return Err(RunDirError::NewerVersion {
            path: run.run_json().full_path().to_owned(),
            found: info.version,
        });
    }
    Ok(info)
}
