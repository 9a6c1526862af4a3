//! The file that a panic leaves: what a bug report needs of it, in the user's state folder.

use std::backtrace::Backtrace;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::panic::{self, PanicHookInfo};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use jiff::Timestamp;

/// A program that panics at each start must not fill the disk.
const MOST: usize = 20;

/// How many the bug report takes along.
const NEWEST: usize = 3;

static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// From now on, in this process and in all that are forked from it, a panic leaves a file in this folder, and the
/// message on standard error names it.
pub fn leave_reports_in(folder: PathBuf) {
    if FOLDER.set(folder).is_ok() {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            before(panic);
            if let Some(file) = save(panic) {
                let _ = writeln!(
                    io::stderr(),
                    "this is a mistake in sweepdeck; what it needs to be found is in {}\n  runs are not harmed: \
                     supervisor and holders are processes of their own",
                    file.display()
                );
            }
        }));
    }
}

/// Writes the report of a panic; `None` where none is wanted or none can be written.
pub(super) fn save(panic: &PanicHookInfo<'_>) -> Option<PathBuf> {
    save_in(FOLDER.get()?, panic).ok()
}

fn save_in(folder: &Path, panic: &PanicHookInfo<'_>) -> io::Result<PathBuf> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    if list_reports(folder).len() >= MOST {
        return Err(io::Error::other("there are enough reports"));
    }
    let now = Timestamp::now();
    let name = format!("{}-{}.txt", now.strftime("%Y-%m-%dT%H-%M-%S%.6f"), std::process::id());
    let path = folder.join(name);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
    write!(file, "{}", describe(panic, now))?;
    Ok(path)
}

fn describe(panic: &PanicHookInfo<'_>, now: Timestamp) -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    let place = panic.location().map_or_else(String::new, |at| format!("{}:{}", at.file(), at.line()));
    // Further words may be names and paths of the user's.
    let verb = std::env::args().nth(1).unwrap_or_default();
    format!(
        "sweepdeck {}\nat {now}\nprocess {} {}, verb {verb}\nkernel {}\nplace {place}\nreason {}\n\n{}\n",
        env!("CARGO_PKG_VERSION"),
        read("/proc/self/comm"),
        std::process::id(),
        read("/proc/sys/kernel/osrelease"),
        panic.payload_as_str().unwrap_or("unknown"),
        Backtrace::force_capture(),
    )
}

/// The newest reports one after the other, `None` if there is none.
pub fn read_newest() -> Option<String> {
    let files = list_reports(FOLDER.get()?);
    let newest = files.iter().rev().take(NEWEST).filter_map(|file| fs::read_to_string(file).ok());
    Some(newest.collect::<Vec<_>>().join("\n")).filter(|text| !text.is_empty())
}

/// All reports, the oldest first.
fn list_reports(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.sort();
    files
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Mutex;
    use std::sync::mpsc::channel;

    use super::*;

    /// Hooks are one for the whole process.
    pub(in crate::process) static HOOKS: Mutex<()> = Mutex::new(());

    #[test]
    fn a_panic_leaves_a_private_file_with_place_reason_and_calls() {
        let _alone = HOOKS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let folder = tempfile::tempdir().unwrap();
        let reports = folder.path().join("panics");
        let (send, files) = channel();
        let before = panic::take_hook();
        let into = reports.clone();
        panic::set_hook(Box::new(move |panic| drop(send.send(save_in(&into, panic)))));
        let ended = std::thread::spawn(|| panic!("the numbers do not add up")).join();
        panic::set_hook(before);
        let saved: Vec<PathBuf> = files.try_iter().filter_map(Result::ok).collect();
        assert!(ended.is_err() && !saved.is_empty());
        let texts: Vec<String> = saved.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
        let ours =
            texts.iter().find(|text| text.contains("the numbers do not add up")).expect("a report of ours");
        assert!(ours.contains("place src/process/panics/report.rs:"), "{ours}");
        assert!(ours.starts_with("sweepdeck ") && ours.contains("panics::report"), "{ours}");
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&saved[0]).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(list_reports(&reports).len(), saved.len());
    }
}
