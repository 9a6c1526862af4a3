//! `write_troubles.json`: what cannot be written now, in a file that can be written even on a full disk.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use tracing::warn;

use super::disk_forecast::{DiskForecast, Room};
use crate::model::state::write_trouble::{WRITE_TROUBLES_VERSION, WriteTarget, WriteTrouble, WriteTroubles};
use crate::rundir::beneath::PathBeneath;
use crate::rundir::clock;
use crate::rundir::error::RunDirError;
use crate::rundir::layout::RunDir;

/// The file has this size from its start: a full disk takes other bytes in place of those that are there, and
/// no more.
const SIZE: usize = 4096;

/// An error is cut here, so that all of them fit.
const LONGEST: usize = 300;

/// Less room than this is none: an order and a few facts.
const ROOM: u64 = 64 << 10;

/// The known write troubles, shared by everything that writes.
#[derive(Debug, Clone)]
pub(super) struct WriteWatch(Arc<Mutex<TroubleFile>>);

#[derive(Debug)]
struct TroubleFile {
    run: PathBuf,
    path: PathBeneath,
    /// `None` until the file could be made.
    file: Option<File>,
    present: BTreeMap<WriteTarget, WriteTrouble>,
    forecast: DiskForecast,
}

impl WriteWatch {
    /// Makes room for what may have to be reported; nothing is wrong so far.
    pub(super) fn open(run: &RunDir) -> Self {
        let mut known = TroubleFile {
            run: run.path().to_owned(),
            path: run.write_troubles_json(),
            file: None,
            present: BTreeMap::new(),
            forecast: DiskForecast::default(),
        };
        known.publish();
        Self(Arc::new(Mutex::new(known)))
    }

    /// Takes the outcome of a write into account.
    pub(super) fn note_outcome<T>(&self, target: WriteTarget, outcome: &Result<T, RunDirError>) {
        self.update_trouble(
            target,
            outcome.as_ref().err().map(|error| (error.is_no_room(), error.to_string())),
        );
    }

    /// Looks whether the disk has room, before the next write finds out.
    pub(super) fn look_at_disk(&self) {
        let run = self.lock_known().run.clone();
        // A file system that does not answer gives no evidence on its room.
        if let Ok(disk) = rustix::fs::statvfs(&run) {
            let is_root = rustix::process::geteuid().is_root();
            let blocks = if is_root { disk.f_bfree } else { disk.f_bavail };
            let inodes = if is_root { disk.f_ffree } else { disk.f_favail };
            // File systems without a fixed number of inodes, and some without one of blocks, say 0 of 0.
            let room = Room {
                bytes: (disk.f_blocks > 0).then(|| blocks.saturating_mul(disk.f_frsize)),
                inodes: (disk.f_files > 0).then_some(inodes),
            };
            self.note_room(clock::now(), room);
        }
    }

    fn note_room(&self, now: Timestamp, room: Room) {
        let is_full = room.bytes.is_some_and(|bytes| bytes < ROOM) || room.inodes == Some(0);
        let run = self.lock_known().run.clone();
        let error = is_full.then(|| (true, format!("no room left in {}", run.display())));
        self.update_trouble(WriteTarget::Disk, error);
        let soon = self.lock_known().forecast.add_moment(now, room);
        self.update_trouble(WriteTarget::Room, soon.filter(|_| !is_full).map(|text| (false, text)));
    }

    fn update_trouble(&self, target: WriteTarget, error: Option<(bool, String)>) {
        let mut known = self.lock_known();
        match error {
            None => {
                if known.present.remove(&target).is_none() {
                    return;
                }
            }
            Some((no_room, error)) => {
                let error: String = error.chars().take(LONGEST).collect();
                let since = known.present.get(&target).map_or_else(Timestamp::now, |trouble| trouble.since);
                let trouble = WriteTrouble { target, since, no_room, error };
                if known.present.get(&target) == Some(&trouble) {
                    return;
                }
                known.present.insert(target, trouble);
            }
        }
        known.publish();
    }

    fn lock_known(&self) -> std::sync::MutexGuard<'_, TroubleFile> {
        // What a thread knew before it panicked is still known.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TroubleFile {
    fn publish(&mut self) {
        if let Err(error) = self.write() {
            warn!("cannot write {}: {error}", self.path.display());
        }
    }

    fn write(&mut self) -> io::Result<()> {
        let troubles = self.present.values().cloned().collect();
        let mut bytes = serde_json::to_vec(&WriteTroubles { version: WRITE_TROUBLES_VERSION, troubles })?;
        // Blanks after a document are none of it.
        bytes.resize(SIZE.max(bytes.len() + 1) - 1, b' ');
        bytes.push(b'\n');
        if self.file.is_none() {
            self.file = Some(self.path.open_overwrite()?);
        }
        self.file.as_ref().map_or(Ok(()), |file| file.write_all_at(&bytes, 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::state::write_trouble::describe_troubles;
    use crate::rundir::records;

    #[test]
    fn a_trouble_comes_and_goes_in_place() {
        let folder = tempfile::tempdir().unwrap();
        let run = RunDir::at(folder.path());
        let watch = WriteWatch::open(&run);
        let read = || records::read_record::<WriteTroubles>(&run.write_troubles_json()).unwrap().troubles;
        let size = || run.write_troubles_json().metadata().unwrap().len();
        assert_eq!((read(), size()), (vec![], SIZE as u64));
        let refused = |number| {
            let source = io::Error::from_raw_os_error(number);
            Err::<(), _>(RunDirError::Io { doing: "append to", path: "/r/journal.jsonl".into(), source })
        };
        watch.note_outcome(WriteTarget::Journal, &refused(rustix::io::Errno::NOSPC.raw_os_error()));
        watch.note_outcome(WriteTarget::Telemetry, &refused(rustix::io::Errno::ROFS.raw_os_error()));
        assert_eq!(
            read().iter().map(|trouble| (trouble.target, trouble.no_room)).collect::<Vec<_>>(),
            [(WriteTarget::Journal, true), (WriteTarget::Telemetry, false)]
        );
        assert!(describe_troubles(&read()).unwrap().starts_with("disk full"));
        assert_eq!(size(), SIZE as u64, "a full disk has no room for more");
        watch.note_outcome(WriteTarget::Journal, &Ok(()));
        watch.note_outcome(WriteTarget::Telemetry, &Ok(()));
        watch.look_at_disk();
        assert_eq!((read(), size()), (vec![], SIZE as u64));
    }

    #[test]
    fn a_disk_that_fills_is_said_before_and_while_it_is_full() {
        let folder = tempfile::tempdir().unwrap();
        let run = RunDir::at(folder.path());
        let watch = WriteWatch::open(&run);
        let text_at = |second, bytes, inodes| {
            let room = Room { bytes: Some(bytes), inodes: Some(inodes) };
            watch.note_room(Timestamp::from_second(second).unwrap(), room);
            let read = records::read_record::<WriteTroubles>(&run.write_troubles_json()).unwrap();
            describe_troubles(&read.troubles).unwrap_or_default()
        };
        let texts: Vec<String> =
            (0..8).map(|turn| text_at(turn * 10, (27 - turn as u64) << 30, 1_000_000)).collect();
        assert!(texts[..6].iter().all(String::is_empty), "{texts:?}");
        assert!(texts[7].starts_with("disk full in about "), "{texts:?}");
        for (bytes, inodes) in [(ROOM - 1, 1_000_000), (20 << 30, 0)] {
            assert!(text_at(80, bytes, inodes).starts_with("disk full: "), "{bytes} bytes, {inodes} inodes");
        }
        assert_eq!(text_at(1000, 27 << 30, 1_000_000), "");
    }
}
