//! Locks between would-be owners: of a run by supervisors, of an attempt by holders and adopters.

use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

use super::beneath::PathBeneath;
use super::error::RunDirError;

/// Held until dropped or until the process dies, however it dies.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// How long a would-be owner tries: longer than any dying owner needs to let go.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// Takes the lock if it is free now; `None` when another process holds it.
pub fn try_lock(path: &PathBeneath) -> Result<Option<Lock>, RunDirError> {
    let file = path.open_lock().map_err(RunDirError::io("open", path))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(Lock { _file: file })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(source)) => {
            Err(RunDirError::Io { doing: "lock", path: path.full_path().to_owned(), source })
        }
    }
}

/// Takes the lock, trying for [`PATIENCE`]; `None` when another process holds it all that time.
pub fn acquire_lock(path: &PathBeneath) -> Result<Option<Lock>, RunDirError> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(lock) = try_lock(path)? {
            return Ok(Some(lock));
        }
        if Instant::now() >= deadline {
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
