//! Where sockets are bound: a private folder with short paths that outlives the login.

use std::env;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::error::SocketError;
use crate::model::ids::{AttemptKey, RunId};

/// The control socket of a run; its folder is made ready.
pub fn of_run(run: &RunId) -> Result<PathBuf, SocketError> {
    Ok(socket_folder()?.join(hash_name(&[&run.0])))
}

/// The attach socket of an attempt; its folder is made ready.
pub fn of_attempt(run: &RunId, key: &AttemptKey) -> Result<PathBuf, SocketError> {
    Ok(socket_folder()?.join(hash_name(&[&run.0, key.shard.as_str(), &key.attempt.to_string()])))
}

/// Returns the folder of all sockets of this user, made if absent: in `/tmp`, because paths of sockets end at 107 bytes
/// and `$XDG_RUNTIME_DIR` vanishes at the last logout; in the state folder where another user took the name.
pub fn socket_folder() -> Result<PathBuf, SocketError> {
    let uid = rustix::process::geteuid().as_raw();
    choose_folder(&PathBuf::from(format!("/tmp/sweepdeck-{uid}")), state_folder().as_deref(), uid)
}

/// Makes the folder of a socket again if it was cleaned away.
pub fn prepare_folder_of(socket: &Path) -> Result<(), SocketError> {
    let folder = socket.parent().unwrap_or(Path::new("/"));
    secure_folder(folder, rustix::process::geteuid().as_raw())
}

fn choose_folder(first: &Path, second: Option<&Path>, uid: u32) -> Result<PathBuf, SocketError> {
    let refusal = match secure_folder(first, uid) {
        Ok(()) => return Ok(first.to_owned()),
        Err(refusal) => refusal,
    };
    let second = second.ok_or(refusal)?;
    secure_folder(second, uid)?;
    Ok(second.to_owned())
}

/// Makes sure that the folder exists, is a real folder of this user, and that no other user can enter it.
fn secure_folder(folder: &Path, uid: u32) -> Result<(), SocketError> {
    match DirBuilder::new().recursive(true).mode(0o700).create(folder) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(SocketError::io("create", folder)(error)),
    }
    let problem =
        |problem: &str| SocketError::Folder { path: folder.to_owned(), problem: problem.to_owned() };
    // Not followed: a symlink planted in /tmp would lead elsewhere.
    let found = fs::symlink_metadata(folder).map_err(SocketError::io("look at", folder))?;
    if !found.is_dir() {
        return Err(problem("it is not a folder"));
    }
    if found.uid() != uid {
        return Err(problem("it belongs to another user"));
    }
    if found.mode() & 0o077 != 0 {
        return Err(problem("others may enter it; remove it or run `chmod 700` on it"));
    }
    Ok(())
}

fn state_folder() -> Option<PathBuf> {
    let absolute = |value: std::ffi::OsString| Some(PathBuf::from(value)).filter(|path| path.is_absolute());
    let state = env::var_os("XDG_STATE_HOME").and_then(absolute);
    let home = || env::var_os("HOME").and_then(absolute).map(|home| home.join(".local/state"));
    Some(state.or_else(home)?.join("sweepdeck/s"))
}

/// 16 hex digits of the FNV-1a hash of the parts. It only has to be the same in every build and to differ between
/// the attempts of one user; what lies at the path is written into the run directory and checked by lock.
fn hash_name(parts: &[&str]) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for part in parts {
        // The zero byte keeps ("ab", "c") apart from ("a", "bc").
        for byte in part.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn uid() -> u32 {
        rustix::process::geteuid().as_raw()
    }

    #[test]
    fn names_are_short_stable_and_differ_by_part() {
        assert_eq!(hash_name(&["run"]), hash_name(&["run"]));
        assert_eq!(hash_name(&["run", "shard", "1"]).len(), 16);
        assert_ne!(hash_name(&["ab", "c"]), hash_name(&["a", "bc"]));
        assert_eq!(hash_name(&["a"]), "089be207b544f1e4", "the name may not change between versions");
    }

    #[test]
    fn a_foreign_or_open_folder_is_left_for_the_second_choice() {
        let temporary = tempfile::tempdir().unwrap();
        let (first, second) = (temporary.path().join("first"), temporary.path().join("deep/second"));
        assert_eq!(choose_folder(&first, Some(&second), uid()).unwrap(), first);
        assert_eq!(fs::metadata(&first).unwrap().mode() & 0o777, 0o700);
        assert_eq!(choose_folder(&first, None, uid()).unwrap(), first, "the second time it is there already");

        let open = temporary.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        assert_eq!(choose_folder(&open, Some(&second), uid()).unwrap(), second);
        assert!(matches!(choose_folder(&open, None, uid()), Err(SocketError::Folder { .. })));
        assert!(matches!(secure_folder(&first, uid() + 1), Err(SocketError::Folder { .. })));
    }

    #[test]
    fn a_symlink_in_its_place_is_not_followed() {
        let temporary = tempfile::tempdir().unwrap();
        let planted = temporary.path().join("planted");
        symlink(temporary.path(), &planted).unwrap();
        assert!(matches!(secure_folder(&planted, uid()), Err(SocketError::Folder { .. })));
    }
}
