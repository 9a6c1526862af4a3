//! A listening socket that notices when its file was removed, as cleaners of `/tmp` do, and can bind again.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::address;
use super::error::SocketError;

/// How often a server looks whether its socket is still there.
pub const LOOK_EVERY: Duration = Duration::from_secs(5);

/// A non-blocking listener and the file it was bound to. Dropping it removes the file if it is still its own.
#[derive(Debug)]
pub struct Listening {
    listener: UnixListener,
    path: PathBuf,
    file: FileId,
}

/// Device and inode: what lies at a path, whatever the path is called.
type FileId = (u64, u64);

impl Listening {
    /// Binds a path. What lies there is a leftover: the caller holds the lock of what it serves.
    pub fn bind(path: &Path) -> Result<Self, SocketError> {
        address::prepare_folder_of(path)?;
        match fs::remove_file(path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(SocketError::io("remove", path)(error)),
        }
        let listener = UnixListener::bind(path).map_err(SocketError::io("bind", path))?;
        // The folder is closed to others; so is the socket, should the folder ever be opened.
        let private = fs::Permissions::from_mode(0o600);
        fs::set_permissions(path, private).map_err(SocketError::io("close", path))?;
        listener.set_nonblocking(true).map_err(SocketError::io("prepare", path))?;
        let file = file_id(path).map_err(SocketError::io("look at", path))?;
        Ok(Self { listener, path: path.to_owned(), file })
    }

    /// The listener, to poll.
    pub fn listener(&self) -> &UnixListener {
        &self.listener
    }

    /// The next waiting client; `None` when no more wait. An error means that no client can be taken now.
    pub fn accept(&self) -> io::Result<Option<UnixStream>> {
        loop {
            match self.listener.accept() {
                Ok((stream, _)) => return Ok(Some(stream)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                // That one has given up meanwhile.
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::ConnectionAborted | io::ErrorKind::Interrupted
                    ) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Reports whether something else or nothing lies at the path now: no client can reach this listener.
    pub fn is_cut_off(&self) -> bool {
        file_id(&self.path).map_or(true, |file| file != self.file)
    }

    /// Returns the path that it was bound to.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        if !self.is_cut_off() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn file_id(path: &Path) -> io::Result<FileId> {
    fs::symlink_metadata(path).map(|found| (found.dev(), found.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn private_folder() -> tempfile::TempDir {
        tempfile::Builder::new().permissions(PermissionsExt::from_mode(0o700)).tempdir().unwrap()
    }

    #[test]
    fn a_removed_socket_is_noticed_and_a_new_one_is_left_to_its_owner() {
        let folder = private_folder();
        let path = folder.path().join("deep/socket");
        let first = Listening::bind(&path).unwrap();
        assert!(!first.is_cut_off());
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        fs::remove_dir_all(path.parent().unwrap()).unwrap();
        assert!(first.is_cut_off());
        let second = Listening::bind(&path).unwrap();
        drop(first);
        assert!(!second.is_cut_off(), "the first one removed the file of the second");
        UnixStream::connect(&path).unwrap();
        assert!(second.accept().unwrap().is_some());
        assert!(second.accept().unwrap().is_none());
        drop(second);
        assert!(!path.exists());
    }
}
