//! JSON records: read whole, replaced by rename, or written once and never replaced.

use std::io::{self, Write};

use rustix::fs::Mode;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::beneath::{FILE_MODE, PRIVATE_MODE, PathBeneath};
use super::error::RunDirError;
use crate::model::logs::printable::printable_json;

/// No record is longer: the plan of a hundred thousand shards takes a fifth of it.
const LONGEST: u64 = 512 << 20;

/// Reads a record from its JSON file.
pub fn read_record<T: DeserializeOwned>(path: &PathBeneath) -> Result<T, RunDirError> {
    parse_record(path, &read_bytes(path)?)
}

/// Reads a record whose format has a version, and refuses one that is newer than `known`: what a newer program wrote is
/// no damage.
pub fn read_versioned<T: DeserializeOwned>(path: &PathBeneath, known: u32) -> Result<T, RunDirError> {
    #[derive(Deserialize)]
    struct Versioned {
        version: u32,
    }
    let bytes = read_bytes(path)?;
    // The version alone first: the rest may have another shape.
    match serde_json::from_slice(&bytes) {
        Ok(Versioned { version }) if version > known => {
            Err(RunDirError::NewerVersion { path: path.full_path().to_owned(), found: version })
        }
        Ok(_) | Err(_) => parse_record(path, &bytes),
    }
}

/// Reads the bytes of a record.
pub(super) fn read_bytes(path: &PathBeneath) -> Result<Vec<u8>, RunDirError> {
    path.read(LONGEST).map_err(RunDirError::io("read", path))
}

fn parse_record<T: DeserializeOwned>(path: &PathBeneath, bytes: &[u8]) -> Result<T, RunDirError> {
    serde_json::from_slice(bytes)
        .map_err(|source| RunDirError::Malformed { path: path.full_path().to_owned(), source })
}

/// Reads a text, such as the sweep of the run.
pub fn read_text(path: &PathBeneath) -> Result<String, RunDirError> {
    let bytes = path.read(LONGEST).map_err(RunDirError::io("read", path))?;
    String::from_utf8(bytes)
        .map_err(|error| RunDirError::io("read", path)(io::Error::new(io::ErrorKind::InvalidData, error)))
}

/// Reads a record that may not be there.
pub fn read_if_there<T: DeserializeOwned>(path: &PathBeneath) -> Result<Option<T>, RunDirError> {
    none_if_absent(read_record(path))
}

/// The same with its version checked.
pub fn read_versioned_if_there<T: DeserializeOwned>(
    path: &PathBeneath,
    known: u32,
) -> Result<Option<T>, RunDirError> {
    none_if_absent(read_versioned(path, known))
}

fn none_if_absent<T>(read: Result<T, RunDirError>) -> Result<Option<T>, RunDirError> {
    match read {
        Ok(record) => Ok(Some(record)),
        Err(RunDirError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Access to a new file, before the umask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileAccess {
    /// 0644 less the umask.
    Shared,
    /// 0600: it may hold secrets.
    Owner,
}

impl FileAccess {
    fn file_mode(self) -> Mode {
        match self {
            Self::Shared => FILE_MODE,
            Self::Owner => PRIVATE_MODE,
        }
    }
}

/// Writes a record to a name that nothing else reads yet, without the detour of a rename.
pub fn write_new<T: Serialize>(
    path: &PathBeneath,
    record: &T,
    access: FileAccess,
) -> Result<(), RunDirError> {
    let write =
        || -> io::Result<()> { path.create_with(access.file_mode())?.write_all(&encode_record(record)?) };
    write().map_err(RunDirError::io("write", path))
}

/// Replaces a record: a reader sees the old one or the new one, never half of one.
pub fn write_atomic<T: Serialize>(path: &PathBeneath, record: &T) -> Result<(), RunDirError> {
    let write = || encode_record(record).and_then(|bytes| path.replace(&bytes));
    write().map_err(RunDirError::io("write", path))
}

/// The same for a record without which the run could not be read: after a loss of power there is the old one or the
/// new one.
pub fn write_durable<T: Serialize>(path: &PathBeneath, record: &T) -> Result<(), RunDirError> {
    let write = || encode_record(record).and_then(|bytes| path.replace_durably(&bytes));
    write().map_err(RunDirError::io("write", path))
}

/// Replaces a file with text: a reader sees the old one or the new one, never half of one.
pub fn write_text(path: &PathBeneath, text: &str) -> Result<(), RunDirError> {
    path.replace(text.as_bytes()).map_err(RunDirError::io("write", path))
}

/// Writes a record that is never replaced; `false` when one is already there.
pub fn write_once<T: Serialize>(path: &PathBeneath, record: &T) -> Result<bool, RunDirError> {
    let write = || encode_record(record).and_then(|bytes| path.write_once(&bytes));
    write().map_err(RunDirError::io("write", path))
}

fn encode_record<T: Serialize>(record: &T) -> io::Result<Vec<u8>> {
    // People look into these files with `cat`.
    let mut json = printable_json(serde_json::to_string_pretty(record)?);
    json.push('\n');
    Ok(json.into_bytes())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_record_written_once_is_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = PathBeneath::of_file(folder.path().join("exit.json"));
        assert!(write_once(&path, &1).unwrap());
        assert!(!write_once(&path, &2).unwrap());
        assert_eq!(read_record::<i32>(&path).unwrap(), 1);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn a_record_can_be_written_by_its_owner_alone_whatever_the_umask() {
        let folder = tempfile::tempdir().unwrap();
        let plain = folder.path().join("plain");
        fs::write(&plain, "x").unwrap();
        let path = PathBeneath::of_file(folder.path().join("supervisor.json"));
        write_atomic(&path, &1).unwrap();
        write_atomic(&path, &2).unwrap();
        let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&plain) & !0o022);
        assert_eq!(read_if_there::<i32>(&path).unwrap(), Some(2));
        let none = PathBeneath::of_file(folder.path().join("none"));
        assert_eq!(read_if_there::<i32>(&none).unwrap(), None);
    }
}
