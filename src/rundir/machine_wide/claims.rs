//! What the runs of one user hold of the machine: a file for each of them, and a lock around every new promise.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::model::claims::claim::{CLAIMS_VERSION, RunClaims};
use crate::rundir::beneath::{DirHandle, PathBeneath};
use crate::rundir::error::RunDirError;
use crate::rundir::lock::{self, Lock};
use crate::rundir::{life, records};

/// How long a supervisor waits for another one that is deciding. It takes a millisecond; one that was stopped with the
/// lock held must not hold up all the others, so that after this time a decision is made without the lock.
const PATIENCE: Duration = Duration::from_millis(500);

/// How often it tries.
const TRY_AGAIN: Duration = Duration::from_millis(2);

/// The folder of these files, private to the user: other users' runs count by the memory they use.
#[derive(Debug, Clone)]
pub struct ClaimsFolder {
    folder: DirHandle,
    own: PathBeneath,
}

impl ClaimsFolder {
    /// The folder at a path, made if absent; `name` is that of the own file.
    pub fn open(path: &Path, name: &str) -> Result<Self, RunDirError> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path)
            .map_err(RunDirError::io("create", path))?;
        let folder = DirHandle::at(path);
        let own = folder.join(format!("{name}.json"));
        Ok(Self { folder, own })
    }

    /// Keeps other runs from promising anything until it is dropped; `None` where another one kept it for too long.
    pub fn lock(&self) -> Result<Option<Lock>, RunDirError> {
        let path = self.folder.join("lock");
        let deadline = Instant::now() + PATIENCE;
        loop {
            let lock = lock::try_lock(&path)?;
            if lock.is_some() || Instant::now() >= deadline {
                return Ok(lock);
            }
            std::thread::sleep(TRY_AGAIN);
        }
    }

    /// Returns what other runs hold. Promises of the dead are left out, and files without any other removed.
    pub fn read_others(&self) -> Vec<RunClaims> {
        let Ok(names) = self.folder.join("").read_dir() else { return Vec::new() };
        let files = names.into_iter().map(|name| self.folder.join(name));
        let files = files.filter(|path| *path != self.own && is_record(path));
        files.filter_map(|path| living_claims(&path)).collect()
    }

    /// Publishes what this run holds.
    pub fn publish(&self, claims: &RunClaims) -> Result<(), RunDirError> {
        records::write_atomic(&self.own, claims)
    }

    /// Holds nothing any more.
    pub fn withdraw(&self) {
        // A file that cannot be removed is one of a dead owner soon.
        let _ = self.own.remove();
    }
}

fn is_record(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    // A file that is being written begins with a dot.
    name.ends_with(".json") && !name.starts_with('.')
}

/// Returns the claims of a file that still hold.
fn living_claims(path: &PathBeneath) -> Option<RunClaims> {
    // What does not read belongs to a newer program, whose measured memory counts.
    let mut claims: RunClaims = records::read_record(path).ok()?;
    if claims.version != CLAIMS_VERSION {
        return None;
    }
    if !claims.owners.iter().any(life::is_alive) {
        claims.attempts.retain(|attempt| attempt.holder.as_ref().is_some_and(life::is_alive));
        if claims.attempts.is_empty() {
            let _ = path.remove();
            return None;
        }
    }
    Some(claims)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::model::attempt::ProcessIdentity;
    use crate::model::claims::claim::AttemptClaim;
    use crate::model::claims::claim::Claim;
    use crate::model::ids::{AttemptKey, AttemptNumber, RunId, ShardId};

    fn process(pid: u32) -> ProcessIdentity {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let start_ticks = stat[stat.rfind(')').unwrap()..].split_whitespace().nth(20).unwrap();
        let boot_id = life::boot_id().unwrap().to_owned();
        ProcessIdentity { pid, start_ticks: start_ticks.parse().unwrap(), boot_id, pid_namespace: None }
    }

    fn dead() -> ProcessIdentity {
        ProcessIdentity { start_ticks: 1, ..process(std::process::id()) }
    }

    fn attempt(shard: &str, holder: Option<ProcessIdentity>) -> AttemptClaim {
        let key = AttemptKey { shard: ShardId::new(shard).unwrap(), attempt: AttemptNumber::FIRST };
        AttemptClaim { key, holder, gpus: vec!["GPU-1".to_owned()], claim: Claim::default() }
    }

    fn claims(owner: ProcessIdentity, attempts: Vec<AttemptClaim>) -> RunClaims {
        let run = RunId("other".to_owned());
        RunClaims { version: CLAIMS_VERSION, run, state_folder: None, owners: vec![owner], attempts }
    }

    #[test]
    fn promises_hold_while_an_owner_or_the_holder_lives() {
        let folder = tempfile::tempdir().unwrap();
        let own = ClaimsFolder::open(folder.path(), "own").unwrap();
        let other = ClaimsFolder::open(folder.path(), "other").unwrap();
        let me = || process(std::process::id());
        other.publish(&claims(me(), vec![attempt("a", None)])).unwrap();
        assert_eq!(own.read_others().len(), 1);
        assert_eq!(other.read_others(), [], "nobody is another to himself");

        other.publish(&claims(dead(), vec![attempt("a", None), attempt("b", Some(me()))])).unwrap();
        let names: Vec<String> =
            own.read_others()[0].attempts.iter().map(|one| one.key.to_string()).collect();
        assert_eq!(names, ["b #1"]);

        other.publish(&claims(dead(), vec![attempt("a", Some(dead()))])).unwrap();
        assert_eq!(own.read_others(), []);
        assert!(!folder.path().join("other.json").exists());
    }

    #[test]
    fn what_does_not_read_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("other.json"), "{").unwrap();
        assert_eq!(ClaimsFolder::open(folder.path(), "own").unwrap().read_others(), []);
        assert!(folder.path().join("other.json").exists());
    }

    #[test]
    fn one_decides_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let claims = ClaimsFolder::open(folder.path(), "own").unwrap();
        let first = claims.lock().unwrap();
        assert!(first.is_some() && claims.lock().unwrap().is_none());
        drop(first);
        assert!(claims.lock().unwrap().is_some());
    }
}
