//! Opening by the kernel's rules for paths that must not leave a directory, and step by step where it has none.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags, ResolveFlags};
use rustix::io::{Errno, retry_on_intr};

use super::durable;
use super::refusal::{NEVER_BLOCKS, OpenRefusal};

/// The kernel is older than `openat2` (Linux 5.6), or a sandbox hides it.
static IS_MISSING: AtomicBool = AtomicBool::new(false);

/// Opens `path` beneath `dir` without following any link.
pub(super) fn open_beneath(
    dir: BorrowedFd<'_>,
    path: &Path,
    flags: OFlags,
    mode: Mode,
) -> io::Result<OwnedFd> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    if !IS_MISSING.load(Ordering::Relaxed) {
        let rules = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match retry_on_intr(|| rustix::fs::openat2(dir, path, flags, mode, rules)) {
            Ok(opened) => return Ok(opened),
            Err(Errno::NOSYS) => IS_MISSING.store(true, Ordering::Relaxed),
            // Some sandboxes refuse calls they do not know in this way; where it is the file, the next try
            // fails too.
            Err(Errno::PERM) => {}
            Err(Errno::LOOP) => return Err(OpenRefusal::Link.into()),
            Err(Errno::XDEV) => return Err(OpenRefusal::Outside.into()),
            Err(error) => return Err(error.into()),
        }
    }
    step_by_step(dir, path, flags, mode)
}

/// The same one folder after the other.
fn step_by_step(dir: BorrowedFd<'_>, path: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
    let mut folder: Option<OwnedFd> = None;
    let mut parts = path.components().filter(|part| *part != Component::CurDir).peekable();
    while let Some(part) = parts.next() {
        let Component::Normal(name) = part else { return Err(OpenRefusal::Outside.into()) };
        let at = folder.as_ref().map_or(dir, AsFd::as_fd);
        if parts.peek().is_none() {
            return open_one(at, name, flags, mode);
        }
        let way = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        folder = Some(open_one(at, name, way, Mode::empty())?);
    }
    Ok(retry_on_intr(|| rustix::fs::openat(dir, ".", flags, Mode::empty()))?)
}

fn open_one(at: BorrowedFd<'_>, name: &OsStr, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
    match retry_on_intr(|| rustix::fs::openat(at, name, flags | OFlags::NOFOLLOW, mode)) {
        Err(Errno::LOOP) => Err(OpenRefusal::Link.into()),
        // What is no folder may be a link to one.
        Err(Errno::NOTDIR) if is_link(at, name) => Err(OpenRefusal::Link.into()),
        opened => Ok(opened?),
    }
}

fn is_link(at: BorrowedFd<'_>, name: &OsStr) -> bool {
    rustix::fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::Symlink)
}

/// A file that is written under a name of no meaning, and removed again unless it takes its own.
pub(super) struct Unnamed<'a> {
    folder: BorrowedFd<'a>,
    name: Option<OsString>,
}

/// Writes a file that has no name yet that anything reads.
pub(super) fn write_unnamed<'a>(
    folder: BorrowedFd<'a>,
    name: &OsStr,
    content: &[u8],
    mode: Mode,
) -> io::Result<Unnamed<'a>> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | NEVER_BLOCKS;
    loop {
        let new = temporary_name(name);
        match retry_on_intr(|| rustix::fs::openat(folder, &new, flags, mode)) {
            Ok(opened) => {
                let written = Unnamed { folder, name: Some(new) };
                File::from(opened).write_all(content)?;
                return Ok(written);
            }
            // Left by a process that was killed and had the same pid.
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// A name that no other process uses and readers of folders pass over.
pub(super) fn temporary_name(name: &OsStr) -> OsString {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    // A name has at most 255 bytes.
    const KEPT: usize = 200;
    let mut new = OsString::from(".");
    new.push(OsStr::from_bytes(&name.as_bytes()[..name.len().min(KEPT)]));
    new.push(format!(".{}-{}.new", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
    new
}

/// Puts a link in a folder, in place of what has its name; a reader sees the old one or the new one.
pub(super) fn put_link(folder: BorrowedFd<'_>, name: &OsStr, target: &Path) -> io::Result<()> {
    loop {
        match rustix::fs::symlinkat(target, folder, name) {
            Err(Errno::EXIST) => {}
            done => return Ok(done?),
        }
        let new = temporary_name(name);
        rustix::fs::symlinkat(target, folder, &new)?;
        match rustix::fs::renameat(folder, &new, folder, name) {
            // The folder was emptied just now.
            Err(Errno::NOENT) => {}
            done => return Ok(done?),
        }
    }
}

impl Unnamed<'_> {
    /// Makes its content survive a loss of power.
    pub(super) fn sync(&self) -> io::Result<()> {
        let Some(name) = &self.name else { return Ok(()) };
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | NEVER_BLOCKS;
        durable::sync::sync_file(&File::from(rustix::fs::openat(self.folder, name, flags, Mode::empty())?))
    }

    /// Gives it its name, in place of what has it.
    pub(super) fn rename(mut self, name: &OsStr) -> io::Result<()> {
        if let Some(new) = &self.name {
            rustix::fs::renameat(self.folder, new, self.folder, name)?;
        }
        self.name = None;
        Ok(())
    }

    /// Gives it its name; `false` where something has it already.
    pub(super) fn rename_if_absent(mut self, name: &OsStr) -> io::Result<bool> {
        let Some(new) = &self.name else { return Ok(true) };
        match rustix::fs::renameat_with(self.folder, new, self.folder, name, RenameFlags::NOREPLACE) {
            Ok(()) => self.name = None,
            Err(Errno::EXIST) => return Ok(false),
            // The file system or the kernel cannot; a link never replaces either.
            Err(Errno::INVAL | Errno::NOSYS) => {
                match rustix::fs::linkat(self.folder, new, self.folder, name, AtFlags::empty()) {
                    Err(Errno::EXIST) => return Ok(false),
                    linked => linked?,
                }
            }
            Err(error) => return Err(error.into()),
        }
        Ok(true)
    }
}

impl Drop for Unnamed<'_> {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // What cannot be removed is a hidden file that nothing reads.
            let _ = rustix::fs::unlinkat(self.folder, name, AtFlags::empty());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[test]
    fn step_by_step_is_as_strict_as_the_kernel() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("run/a/b")).unwrap();
        std::fs::write(root.join("run/a/b/file"), "x").unwrap();
        std::fs::write(root.join("victim"), "x").unwrap();
        symlink(root.join("victim"), root.join("run/a/link")).unwrap();
        symlink("b", root.join("run/a/folder-link")).unwrap();
        let run = File::open(root.join("run")).unwrap();
        let flags = OFlags::RDONLY | NEVER_BLOCKS;
        let refused = |opened: io::Result<OwnedFd>| OpenRefusal::from_error(&opened.unwrap_err()).unwrap();
        for open in [open_beneath, step_by_step] {
            let open = |path: &str| open(run.as_fd(), Path::new(path), flags, Mode::empty());
            assert!(open("a/b/file").is_ok() && open("a").is_ok() && open(".").is_ok());
            assert_eq!(refused(open("a/link")), OpenRefusal::Link);
            assert_eq!(refused(open("a/folder-link/file")), OpenRefusal::Link);
            assert_eq!(refused(open("../victim")), OpenRefusal::Outside);
            assert_eq!(refused(open("/etc/passwd")), OpenRefusal::Outside);
            assert_eq!(open("a/none").unwrap_err().kind(), io::ErrorKind::NotFound);
        }
    }

    /// `rm logs/*` takes the new link with the rest, just before it gets its name.
    #[test]
    fn a_folder_that_is_emptied_meanwhile_gets_its_links() {
        let folder = tempfile::tempdir().unwrap();
        let opened = File::open(folder.path()).unwrap();
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let entries = std::fs::read_dir(folder.path()).unwrap().flatten();
                    entries.for_each(|entry| _ = std::fs::remove_file(entry.path()));
                }
            });
            let put = |_| put_link(opened.as_fd(), OsStr::new("s.log"), Path::new("../output.log"));
            let put = (0..20_000).try_for_each(put);
            done.store(true, Ordering::Relaxed);
            put.unwrap();
        });
    }
}
