//! Files beneath a directory that is held open: no link leads out of it, and only regular files are opened.

use std::cmp::Ordering;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::hash::{Hash, Hasher};
use std::io;
use std::ops::Deref;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustix::fs::{Access, AtFlags, Dir, Mode, OFlags, Stat, Timespec, Timestamps, UTIME_NOW};
use rustix::io::Errno;

use super::refusal::{NEVER_BLOCKS, OpenRefusal, read_bounded, require_regular};
use super::resolve;

/// Mode of a new file, less the umask: no setting of the umask gives a group or others a way to write.
pub(super) const FILE_MODE: Mode = Mode::from_raw_mode(0o644);

/// Mode of a file that may hold secrets.
pub(super) const PRIVATE_MODE: Mode = Mode::from_raw_mode(0o600);

/// Mode of a new folder, less the umask.
pub(super) const FOLDER_MODE: Mode = Mode::from_raw_mode(0o755);

/// A directory, opened when first needed and held from then on: what is later put at its path does not take its place.
#[derive(Debug, Clone)]
pub struct DirHandle(Arc<HeldDirectory>);

#[derive(Debug)]
struct HeldDirectory {
    path: PathBuf,
    descriptor: OnceLock<OwnedFd>,
}

/// A path beneath a directory that is held open. It shows itself as a path, and files are opened through its methods
/// only.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathBeneath {
    dir: DirHandle,
    /// The path of the directory and what follows.
    path: PathBuf,
}

impl DirHandle {
    /// The directory at a path; links on the way to it are followed. Nothing is opened yet.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(Arc::new(HeldDirectory { path: path.into(), descriptor: OnceLock::new() }))
    }

    /// Returns the path at which the directory was opened.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// A path beneath it.
    pub fn join(&self, name: impl AsRef<Path>) -> PathBeneath {
        PathBeneath { dir: self.clone(), path: self.0.path.join(name) }
    }

    /// Owner, mode and inode of the held directory.
    pub(super) fn stat(&self) -> io::Result<Stat> {
        Ok(rustix::fs::fstat(self.descriptor()?)?)
    }

    /// True while its path still leads to the held directory.
    pub fn is_in_place(&self) -> bool {
        let found = rustix::fs::stat(&self.0.path);
        let held = self.stat();
        matches!((found, held), (Ok(found), Ok(held)) if (found.st_dev, found.st_ino) == (held.st_dev, held.st_ino))
    }

    fn descriptor(&self) -> io::Result<BorrowedFd<'_>> {
        if let Some(descriptor) = self.0.descriptor.get() {
            return Ok(descriptor.as_fd());
        }
        let path = if self.0.path.as_os_str().is_empty() { Path::new(".") } else { &self.0.path };
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = rustix::fs::open(path, flags, Mode::empty())?;
        Ok(self.0.descriptor.get_or_init(|| opened).as_fd())
    }
}

impl PartialEq for DirHandle {
    fn eq(&self, other: &Self) -> bool {
        self.0.path == other.0.path
    }
}

impl Eq for DirHandle {}

impl PartialOrd for DirHandle {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for DirHandle {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.path.cmp(&other.0.path)
    }
}

impl Hash for DirHandle {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.path.hash(state);
    }
}

impl Deref for PathBeneath {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.path
    }
}

impl From<PathBeneath> for PathBuf {
    fn from(path: PathBeneath) -> Self {
        path.path
    }
}

/// The folder that holds a path, open.
enum Parent<'a> {
    Held(BorrowedFd<'a>),
    Opened(OwnedFd),
}

impl AsFd for Parent<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Held(descriptor) => *descriptor,
            Self::Opened(descriptor) => descriptor.as_fd(),
        }
    }
}

impl PathBeneath {
    /// A file by itself, beneath the folder that holds it: links lead to the folder, none to the file.
    pub fn of_file(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        let folder = DirHandle::at(path.parent().unwrap_or(Path::new("/")));
        Self { dir: folder, path: path.to_owned() }
    }

    /// A path beneath the same directory.
    pub fn join(&self, name: impl AsRef<Path>) -> Self {
        Self { dir: self.dir.clone(), path: self.path.join(name) }
    }

    /// The same with another ending.
    pub fn with_extension(&self, extension: &str) -> Self {
        Self { dir: self.dir.clone(), path: self.path.with_extension(extension) }
    }

    /// The whole path, for messages and for programs.
    pub fn full_path(&self) -> &Path {
        &self.path
    }

    /// Opens a regular file for reading.
    pub fn open(&self) -> io::Result<File> {
        self.open_file(OFlags::RDONLY, Mode::empty())
    }

    /// Opens a regular file for reading and appending, and makes it if absent.
    pub fn open_append(&self) -> io::Result<File> {
        self.open_file(OFlags::RDWR | OFlags::APPEND | OFlags::CREATE, FILE_MODE)
    }

    /// Makes a regular file or empties the one that is there.
    pub fn create(&self) -> io::Result<File> {
        self.create_with(FILE_MODE)
    }

    pub(super) fn create_with(&self, mode: Mode) -> io::Result<File> {
        self.open_file(OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC, mode)
    }

    /// Opens a regular file whose bytes are written over in place, and makes it if absent.
    pub fn open_overwrite(&self) -> io::Result<File> {
        self.open_file(OFlags::WRONLY | OFlags::CREATE, FILE_MODE)
    }

    /// Opens a file that is only ever locked.
    pub(super) fn open_lock(&self) -> io::Result<File> {
        self.open_file(OFlags::WRONLY | OFlags::CREATE, PRIVATE_MODE)
    }

    /// Reads a file whole, unless it is longer than `limit` bytes.
    pub fn read(&self, limit: u64) -> io::Result<Vec<u8>> {
        read_bounded(self.open()?, limit)
    }

    /// Reads a text whole, unless it is longer than `limit` bytes.
    pub fn read_text(&self, limit: u64) -> io::Result<String> {
        String::from_utf8(self.read(limit)?)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
    }

    /// Returns the metadata of the file; of a link those of itself, not of what it leads to.
    pub fn metadata(&self) -> io::Result<Metadata> {
        let opened = self.open_at(OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
        File::from(opened).metadata()
    }

    /// True when something is there, a link included.
    pub fn exists(&self) -> bool {
        let look = || -> io::Result<Stat> {
            Ok(rustix::fs::statat(&self.open_parent()?, self.name()?, AtFlags::SYMLINK_NOFOLLOW)?)
        };
        look().is_ok()
    }

    /// Asks the system whether this user may write to the file; nothing is opened.
    pub(super) fn check_writable(&self) -> Result<(), Errno> {
        let refused = |error: io::Error| Errno::from_io_error(&error).unwrap_or(Errno::INVAL);
        let (parent, name) = (self.open_parent().map_err(refused)?, self.name().map_err(refused)?);
        rustix::fs::accessat(&parent, name, Access::WRITE_OK, AtFlags::EACCESS)
    }

    /// Names in a folder.
    pub fn read_dir(&self) -> io::Result<Vec<OsString>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = Dir::new(self.open_at(flags, Mode::empty())?)?;
        let mut names = Vec::new();
        for entry in folder {
            let name = OsStr::from_bytes(entry?.file_name().to_bytes()).to_owned();
            if name != "." && name != ".." {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// Makes a folder and those above it that are missing.
    pub fn create_dir_all(&self) -> io::Result<()> {
        self.open_or_create_dir().map(drop)
    }

    /// Makes the folder that holds it, and those above that are missing.
    pub fn create_folder(&self) -> io::Result<()> {
        let folder = self.path.parent().ok_or(OpenRefusal::Outside)?;
        Self { dir: self.dir.clone(), path: folder.to_owned() }.create_dir_all()
    }

    fn open_or_create_dir(&self) -> io::Result<OwnedFd> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match self.open_at(flags, Mode::empty()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.path != self.dir.0.path => {}
            opened => return opened,
        }
        let parent = self.path.parent().map(|path| Self { dir: self.dir.clone(), path: path.to_owned() });
        let parent = parent.ok_or(io::ErrorKind::NotFound)?.open_or_create_dir()?;
        let name = self.name()?;
        match rustix::fs::mkdirat(&parent, name, FOLDER_MODE) {
            // Another process was faster.
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        resolve::open_beneath(parent.as_fd(), Path::new(name), flags, Mode::empty())
    }

    /// Sets the time of its last change to now.
    pub(super) fn touch(&self) -> io::Result<()> {
        let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
        let times = Timestamps { last_access: now, last_modification: now };
        Ok(rustix::fs::utimensat(&self.open_parent()?, self.name()?, &times, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// Removes a file or a link.
    pub fn remove(&self) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.open_parent()?, self.name()?, AtFlags::empty())?)
    }

    /// Gives it another name in the same folder; what has that name is replaced.
    pub fn rename(&self, name: &OsStr) -> io::Result<()> {
        let parent = self.open_parent()?;
        Ok(rustix::fs::renameat(&parent, self.name()?, &parent, name)?)
    }

    /// Replaces a file by a new one with this content: a reader sees the old one or the new one, never half of one.
    pub fn replace(&self, content: &[u8]) -> io::Result<()> {
        let parent = self.open_parent()?;
        let written = resolve::write_unnamed(parent.as_fd(), self.name()?, content, FILE_MODE)?;
        written.rename(self.name()?)
    }

    /// The same, kept by the disk before it takes the name: a loss of power leaves the old content or the new one.
    pub(super) fn replace_durably(&self, content: &[u8]) -> io::Result<()> {
        let parent = self.open_parent()?;
        let written = resolve::write_unnamed(parent.as_fd(), self.name()?, content, FILE_MODE)?;
        written.sync()?;
        written.rename(self.name()?)
    }

    /// Writes a file that is never replaced; `false` when one is already there.
    pub fn write_once(&self, content: &[u8]) -> io::Result<bool> {
        let parent = self.open_parent()?;
        let written = resolve::write_unnamed(parent.as_fd(), self.name()?, content, FILE_MODE)?;
        written.rename_if_absent(self.name()?)
    }

    /// Writes a program that is never replaced.
    pub fn write_program_once(&self, content: &[u8]) -> io::Result<bool> {
        let parent = self.open_parent()?;
        let mode = Mode::from_raw_mode(0o755);
        let written = resolve::write_unnamed(parent.as_fd(), self.name()?, content, mode)?;
        written.rename_if_absent(self.name()?)
    }

    /// Makes it a link to `target`, in place of what is there, and the folder that holds it where that is missing.
    pub fn link_to(&self, target: &Path) -> io::Result<()> {
        self.create_folder()?;
        resolve::put_link(self.open_parent()?.as_fd(), self.name()?, target)
    }

    /// Where a link leads; `None` where there is none.
    pub fn read_link(&self) -> Option<PathBuf> {
        let (parent, name) = (self.open_parent().ok()?, self.name().ok()?);
        let target = rustix::fs::readlinkat(&parent, name, Vec::new()).ok()?;
        Some(PathBuf::from(OsStr::from_bytes(target.to_bytes())))
    }

    /// Owner and mode of the directory, of every folder on the way and of what is there, in this order.
    pub(super) fn stat_all(&self) -> io::Result<Vec<(PathBuf, Stat)>> {
        let mut found = vec![(self.dir.path().to_owned(), self.dir.stat()?)];
        let mut next = self.dir.join("");
        for part in self.relative_path()? {
            next = next.join(part);
            let opened = next.open_at(OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
            found.push((next.path.clone(), rustix::fs::fstat(&opened)?));
        }
        Ok(found)
    }

    fn relative_path(&self) -> io::Result<&Path> {
        self.path.strip_prefix(&self.dir.0.path).map_err(|_| OpenRefusal::Outside.into())
    }

    fn name(&self) -> io::Result<&OsStr> {
        self.path.file_name().ok_or_else(|| OpenRefusal::Outside.into())
    }

    fn open_parent(&self) -> io::Result<Parent<'_>> {
        let held = self.dir.descriptor()?;
        let parent = self.relative_path()?.parent().ok_or(OpenRefusal::Outside)?;
        if parent.as_os_str().is_empty() {
            return Ok(Parent::Held(held));
        }
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Parent::Opened(resolve::open_beneath(held, parent, flags, Mode::empty())?))
    }

    fn open_at(&self, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        resolve::open_beneath(self.dir.descriptor()?, self.relative_path()?, flags, mode)
    }

    fn open_file(&self, flags: OFlags, mode: Mode) -> io::Result<File> {
        match self.open_at(flags | NEVER_BLOCKS, mode) {
            Ok(opened) => require_regular(opened),
            // A pipe without a reader, or a socket.
            Err(error) if error.raw_os_error() == Some(Errno::NXIO.raw_os_error()) => {
                Err(OpenRefusal::NotAFile("a pipe or a socket").into())
            }
            // A folder that was to be written to.
            Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
                Err(OpenRefusal::NotAFile("a folder").into())
            }
            Err(error) => Err(error),
        }
    }
}
