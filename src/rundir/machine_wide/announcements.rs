//! What runs of different users announce to one another: a folder of each user in `/tmp` that all may read and only its
//! owner may write.
//!
//! Whatever lies there was written by others and is believed in nothing: links are not followed, files must be regular,
//! small and of the user whose folder it is, and their owner must live. They contain only amounts.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, DirEntry, Metadata, Permissions};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

use crate::model::claims::announcement::{ANNOUNCEMENT_VERSION, Announcement, UserAnnouncement};
use crate::rundir::beneath::{DirHandle, PathBeneath};
use crate::rundir::error::RunDirError;
use crate::rundir::{life, records};

/// Folder in which all users have one of their own.
const TMP: &str = "/tmp";

/// The name of a user's folder, before the user's number.
const PREFIX: &str = "sweepdeck-claims-";

/// So many users, and so many runs of each, are looked at.
const MOST_USERS: usize = 256;
const MOST_RUNS: usize = 64;

/// So many entries of `/tmp` are looked through.
const MOST_ENTRIES: usize = 100_000;

/// An announcement is a few lines; a larger file is none.
const LARGEST: u64 = 64 << 10;

/// Writer of the file in which this run announces itself to others.
#[derive(Debug)]
pub struct Announcer {
    file: PathBeneath,
}

impl Announcer {
    /// The file of that name in the folder of this user, which is made if absent.
    pub fn open(name: &str) -> Result<Self, RunDirError> {
        Self::open_in(Path::new(TMP), name)
    }

    fn open_in(tmp: &Path, name: &str) -> Result<Self, RunDirError> {
        let uid = geteuid().as_raw();
        let folder = tmp.join(format!("{PREFIX}{uid}"));
        match DirBuilder::new().mode(0o755).create(&folder) {
            // Whatever the umask: others are meant to read it.
            Ok(()) => fs::set_permissions(&folder, Permissions::from_mode(0o755))
                .map_err(RunDirError::io("open to others", &folder))?,
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(RunDirError::io("create", &folder)(error)),
        }
        // Not followed: a link that was put there would lead elsewhere.
        let found = fs::symlink_metadata(&folder).map_err(RunDirError::io("look at", &folder))?;
        if !is_own_folder(&found, uid) {
            let error = std::io::Error::other("it is not a folder of this user that others cannot write to");
            return Err(RunDirError::io("use", &folder)(error));
        }
        Ok(Self { file: DirHandle::at(folder).join(format!("{name}.json")) })
    }

    /// Lets others know it.
    pub fn publish(&self, what: &Announcement) -> Result<(), RunDirError> {
        records::write_atomic(&self.file, what)?;
        // The umask of the user who started the run may close it to others.
        let path = self.file.full_path();
        fs::set_permissions(path, Permissions::from_mode(0o644))
            .map_err(RunDirError::io("open to others", path))
    }

    /// Claims nothing any more.
    pub fn withdraw(&self) {
        // One that cannot be removed is one of a dead owner soon.
        let _ = self.file.remove();
    }
}

/// Returns what runs of other users announce.
pub fn of_others() -> Vec<UserAnnouncement> {
    read_all(Path::new(TMP), geteuid().as_raw(), |announced| {
        let owner = fs::metadata(format!("/proc/{}", announced.what.owner.pid)).map(|process| process.uid());
        owner.is_ok_and(|owner| owner == announced.uid) && life::is_alive(&announced.what.owner)
    })
}

fn read_all(tmp: &Path, own: u32, lives: impl Fn(&UserAnnouncement) -> bool) -> Vec<UserAnnouncement> {
    let entries = fs::read_dir(tmp).into_iter().flatten().flatten().take(MOST_ENTRIES);
    let entries = entries.map(|entry| entry.file_name());
    let users = entries.filter_map(|name| user_of(&name)).filter(|uid| *uid != own).take(MOST_USERS);
    users.flat_map(|uid| of_user(tmp, uid)).filter(lives).collect()
}

/// The user whose folder has that name; numbers are written in one way only.
fn user_of(name: &OsString) -> Option<u32> {
    let number = name.to_str()?.strip_prefix(PREFIX)?;
    number.parse().ok().filter(|uid: &u32| uid.to_string() == number)
}

fn of_user(tmp: &Path, uid: u32) -> Vec<UserAnnouncement> {
    let path: PathBuf = tmp.join(format!("{PREFIX}{uid}"));
    if !fs::symlink_metadata(&path).is_ok_and(|found| is_own_folder(&found, uid)) {
        return Vec::new();
    }
    let folder = DirHandle::at(path);
    // The folder that is held is the one that was looked at, or another one of that user.
    if !folder.stat().is_ok_and(|held| held.st_uid == uid) {
        return Vec::new();
    }
    // Read one by one: a user may have filled it.
    let entries = fs::read_dir(folder.path()).into_iter().flatten().flatten().take(MOST_RUNS);
    let announced = |entry: DirEntry| {
        let path = folder.join(entry.file_name());
        // Without links, and not a pipe: what is opened is a regular file.
        let file = path.open().ok()?.metadata().ok()?;
        if file.uid() != uid || file.len() > LARGEST {
            return None;
        }
        let what: Announcement = records::read_record(&path).ok()?;
        (what.version == ANNOUNCEMENT_VERSION).then_some(UserAnnouncement { uid, what })
    };
    entries.filter_map(announced).collect()
}

/// Reports whether this is a real folder of that user to which no one else can write.
fn is_own_folder(found: &Metadata, uid: u32) -> bool {
    found.is_dir() && found.uid() == uid && found.mode() & 0o022 == 0
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::model::attempt::ProcessIdentity;
    use crate::model::units::Bytes;

    fn announcement() -> Announcement {
        Announcement {
            version: ANNOUNCEMENT_VERSION,
            owner: ProcessIdentity { pid: 1, start_ticks: 1, boot_id: "b".to_owned(), pid_namespace: None },
            shards: 2,
            gpus: Vec::new(),
            cpus: 4,
            ram_bytes: Bytes(7),
        }
    }

    #[test]
    fn what_a_user_announces_others_read_whatever_the_umask() {
        let tmp = tempfile::tempdir().unwrap();
        let own = geteuid().as_raw();
        let announcer = Announcer::open_in(tmp.path(), "run").unwrap();
        announcer.publish(&announcement()).unwrap();
        let file = tmp.path().join(format!("{PREFIX}{own}/run.json"));
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o644);
        assert_eq!(fs::metadata(file.parent().unwrap()).unwrap().mode() & 0o777, 0o755);
        // As another user sees it.
        let told = UserAnnouncement { uid: own, what: announcement() };
        assert_eq!(read_all(tmp.path(), own + 1, |_| true), [told]);
        assert_eq!(read_all(tmp.path(), own, |_| true), [], "nobody is another to himself");
        assert_eq!(read_all(tmp.path(), own + 1, |_| false), [], "its owner is gone");
        announcer.withdraw();
        assert_eq!(read_all(tmp.path(), own + 1, |_| true), []);
    }

    #[test]
    fn links_pipes_large_files_and_nonsense_say_nothing() {
        let tmp = tempfile::tempdir().unwrap();
        let own = geteuid().as_raw();
        let folder = tmp.path().join(format!("{PREFIX}{own}"));
        let announcer = Announcer::open_in(tmp.path(), "good").unwrap();
        announcer.publish(&announcement()).unwrap();
        symlink(folder.join("good.json"), folder.join("link.json")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            folder.join("pipe.json"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        fs::write(folder.join("large.json"), vec![b' '; LARGEST as usize + 1]).unwrap();
        fs::write(folder.join("nonsense.json"), "{\"version\":1,\"gpus\":[[[[").unwrap();
        let newer = Announcement { version: 2, ..announcement() };
        Announcer::open_in(tmp.path(), "newer").unwrap().publish(&newer).unwrap();
        assert_eq!(read_all(tmp.path(), own + 1, |_| true).len(), 1);
        // A folder that others may write to, or that is a link, is believed in nothing and not written to.
        fs::set_permissions(&folder, Permissions::from_mode(0o777)).unwrap();
        assert_eq!(read_all(tmp.path(), own + 1, |_| true), []);
        assert!(Announcer::open_in(tmp.path(), "run").is_err());
        fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
        let moved = tmp.path().join("moved");
        fs::rename(&folder, &moved).unwrap();
        symlink(&moved, &folder).unwrap();
        assert_eq!(read_all(tmp.path(), own + 1, |_| true), []);
        assert!(Announcer::open_in(tmp.path(), "run").is_err());
    }
}
