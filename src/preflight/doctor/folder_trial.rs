//! Tries in a folder what a run does with its files: lock, link once, sync.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use super::facts::FolderTrial;

/// Tries in a temporary folder, which is removed again.
pub(super) fn try_folder(folder: &Path) -> FolderTrial {
    let fails =
        |step: &'static str, error: &io::Error| FolderTrial::Fails { step, because: error.to_string() };
    let place = match tempfile::Builder::new().prefix(".sweepdeck-doctor-").tempdir_in(folder) {
        Ok(place) => place,
        Err(error) => return fails("create a folder", &error),
    };
    let path = place.path().join("file");
    let (mut file, other) = match File::create(&path).and_then(|file| Ok((file, File::open(&path)?))) {
        Ok(files) => files,
        Err(error) => return fails("create a file", &error),
    };
    if let Err(error) = file.try_lock() {
        return fails("lock a file", &error.into());
    }
    match other.try_lock() {
        Err(TryLockError::WouldBlock) => {}
        Err(TryLockError::Error(error)) => return fails("lock a file", &error),
        Ok(()) => return fails("lock a file", &io::Error::other("two owners hold the same lock")),
    }
    if let Err(error) = fs::hard_link(&path, place.path().join("link")) {
        return fails("link a file", &error);
    }
    let begun = Instant::now();
    match file.write_all(b"fact\n").and_then(|()| file.sync_data()) {
        Ok(()) => FolderTrial::Works { sync: begun.elapsed() },
        Err(error) => fails("sync a file", &error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_ours_works_and_nothing_is_left_in_it() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(try_folder(folder.path()), FolderTrial::Works { .. }));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        let missing = try_folder(&folder.path().join("missing"));
        assert!(matches!(missing, FolderTrial::Fails { step: "create a folder", .. }), "{missing:?}");
    }
}
