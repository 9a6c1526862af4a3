//! A disk that loses what was not synced. It lies over a real folder, hears of every sync in its thread, and gives what a
//! loss of power could leave: of each name the synced one or the newest, of each file what was synced and a part of the
//! rest, cut anywhere or as zeros.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

thread_local! {
    static DISK: RefCell<Option<Disk>> = const { RefCell::new(None) };
}

/// What a loss of power has left.
pub struct Remains {
    /// The folder as it would be found.
    pub folder: TempDir,
    /// How much was acknowledged by then.
    pub acknowledged: usize,
}

/// A disk over a folder.
pub struct Disk {
    root: PathBuf,
    /// Synced content by inode.
    files: BTreeMap<u64, Vec<u8>>,
    /// Synced names by inode of their folder.
    folders: BTreeMap<u64, BTreeMap<OsString, u64>>,
    /// Everything that was seen, open, so that no inode is given to another file.
    held: BTreeMap<u64, File>,
    chance: u64,
    /// One sync of the journal or of a folder in so many is refused; 0 for none.
    refuses: u64,
    acknowledged: usize,
    remains: Vec<Remains>,
}

impl Disk {
    /// Lays a disk over a folder; from here on this thread's syncs beneath it are the disk's.
    pub fn install(root: &Path, seed: u64, refuses: u64) {
        let mut disk = Self {
            root: root.to_owned(),
            files: BTreeMap::new(),
            folders: BTreeMap::new(),
            held: BTreeMap::new(),
            chance: seed,
            refuses,
            acknowledged: 0,
            remains: Vec::new(),
        };
        disk.see(root);
        DISK.set(Some(disk));
    }

    /// So much was acknowledged: from here on it must not be lost.
    pub fn acknowledge(count: usize) {
        DISK.with_borrow_mut(|disk| disk.as_mut().unwrap().acknowledged = count);
    }

    /// Decides by the seed: one chance in so many.
    pub fn happens(one_in: u64) -> bool {
        DISK.with_borrow_mut(|disk| disk.as_mut().unwrap().below(one_in) == 0)
    }

    /// Takes the disk away; gives what losses of power have left, also one at this moment.
    pub fn remove() -> Vec<Remains> {
        let mut disk = DISK.take().unwrap();
        disk.lose_power();
        disk.remains
    }

    /// SplitMix64.
    fn below(&mut self, most: u64) -> u64 {
        self.chance = self.chance.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.chance;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % most
    }

    /// Holds everything that is there now.
    fn see(&mut self, path: &Path) {
        let file = File::open(path).unwrap();
        let found = file.metadata().unwrap();
        self.held.entry(found.ino()).or_insert(file);
        if found.is_dir() {
            fs::read_dir(path).unwrap().for_each(|entry| self.see(&entry.unwrap().path()));
        }
    }

    fn sync(&mut self, file: &File) -> io::Result<()> {
        self.see(&self.root.clone());
        if self.below(2) == 0 {
            self.lose_power();
        }
        let found = file.metadata()?;
        let may_refuse = found.is_dir() || fs::read_link(own_path(file))?.ends_with("journal.jsonl");
        let is_refused = may_refuse && self.refuses > 0 && self.below(self.refuses) == 0;
        if is_refused && found.is_file() {
            // The pages that could not be written count as clean and are given away.
            let kept = self.files.get(&found.ino()).map_or(0, Vec::len) as u64;
            let lost = vec![0; found.len().saturating_sub(kept) as usize];
            OpenOptions::new().write(true).open(own_path(file))?.write_all_at(&lost, kept)?;
        }
        match is_refused {
            true => return Err(io::Error::from_raw_os_error(libc::EIO)),
            false if found.is_dir() => _ = self.folders.insert(found.ino(), names(file)),
            false => _ = self.files.insert(found.ino(), content(file)),
        }
        Ok(())
    }

    fn lose_power(&mut self) {
        self.see(&self.root.clone());
        let folder = tempfile::tempdir().unwrap();
        let root = fs::metadata(&self.root).unwrap().ino();
        self.leave_folder(root, folder.path());
        self.remains.push(Remains { folder, acknowledged: self.acknowledged });
    }

    fn leave_folder(&mut self, inode: u64, at: &Path) {
        let synced = self.folders.get(&inode).cloned().unwrap_or_default();
        let newest = names(&self.held[&inode]);
        let all: BTreeSet<&OsString> = synced.keys().chain(newest.keys()).collect();
        for name in all {
            let left = if self.below(2) == 0 { synced.get(name) } else { newest.get(name) };
            let Some(left) = left else { continue };
            let path = at.join(name);
            if self.held[left].metadata().unwrap().is_dir() {
                fs::create_dir(&path).unwrap();
                self.leave_folder(*left, &path);
            } else {
                fs::write(&path, self.leave_content(*left)).unwrap();
            }
        }
    }

    fn leave_content(&mut self, inode: u64) -> Vec<u8> {
        let newest = content(&self.held[&inode]);
        let synced = self.files.get(&inode).cloned().unwrap_or_default();
        if !newest.starts_with(&synced) {
            return if self.below(2) == 0 { synced } else { newest };
        }
        let kept = synced.len() + self.below((newest.len() - synced.len()) as u64 + 1) as usize;
        let mut left = newest[..kept].to_vec();
        if self.below(2) == 0 {
            // Some file systems keep the length and lose the bytes.
            left.resize(newest.len(), 0);
        }
        left
    }
}

/// Hears of a sync before it happens. True where the disk of the thread has done it.
pub fn observe(file: &File) -> io::Result<bool> {
    DISK.with_borrow_mut(|disk| match disk {
        Some(disk) if fs::read_link(own_path(file))?.starts_with(&disk.root) => {
            disk.sync(file).map(|()| true)
        }
        // Folders above the disk.
        Some(_) => Ok(true),
        None => Ok(false),
    })
}

fn own_path(file: &File) -> PathBuf {
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

/// Names in an open folder, also in one that was removed.
fn names(folder: &File) -> BTreeMap<OsString, u64> {
    let entries = fs::read_dir(own_path(folder)).unwrap().map(Result::unwrap);
    entries.map(|entry| (entry.file_name(), entry.metadata().unwrap().ino())).collect()
}

fn content(file: &File) -> Vec<u8> {
    let mut content = vec![0; file.metadata().unwrap().len() as usize];
    file.read_exact_at(&mut content, 0).unwrap();
    content
}
