//! Whether the process that a record names still lives, judged from `/proc` without locking anything; and whether a run
//! without a supervisor wants one.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::OnceLock;

use super::beneath::PathBeneath;
use super::layout::RunDir;
use super::records;
use crate::model::attempt::ProcessIdentity;
use crate::model::state::fact::{Event, Fact};
use crate::model::state::run_info::{RunPlace, SupervisorInfo};

/// The process lives: same boot, same pid, same start, and not a zombie. Where the kernel has no descriptor or memory
/// to answer with, it counts as alive: a living process that is taken for dead does harm, and the question comes again.
pub fn is_alive(process: &ProcessIdentity) -> bool {
    let is_of_boot = boot_id().is_none_or(|boot| boot == process.boot_id);
    // In another container the number means another process, or none.
    let is_visible = match (process.pid_namespace, pid_namespace()) {
        (Some(namespace), Some(own)) => namespace == own,
        (None, _) | (_, None) => true,
    };
    is_of_boot
        && is_visible
        && match fs::read_to_string(format!("/proc/{}/stat", process.pid)) {
            Ok(stat) => start_ticks(&stat) == Some(process.start_ticks),
            Err(error) => {
                matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE | libc::ENOMEM | libc::EINTR))
            }
        }
}

/// The newest supervisor of a run, alive or not.
pub fn recorded_supervisor(run: &RunDir) -> Option<SupervisorInfo> {
    records::read_if_there(&run.supervisor_json()).ok()?
}

/// The living supervisor of a run. One that has only begun may still give up, and answers nothing yet.
pub fn living_supervisor(run: &RunDir) -> Option<SupervisorInfo> {
    let info = recorded_supervisor(run)?;
    (is_alive(&info.process) && is_at(run, info.place.as_ref())).then_some(info)
}

/// The socket of the living supervisor of a run, once it answers.
pub fn listening_socket(run: &RunDir) -> Option<PathBuf> {
    living_supervisor(run)?.socket
}

/// The run is not over: its folder is in its place, the journal has facts, without which a supervisor refuses the run,
/// and its last whole line does not show that nothing more is to do.
pub fn wants_supervisor(run: &RunDir) -> bool {
    // Another folder in its place is another run.
    if !run.handle().is_in_place() || !run.run_json().exists() {
        return false;
    }
    let journal = run.journal_path();
    match journal.metadata() {
        Ok(file) if file.len() == 0 => return false,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return false,
        // The supervisor may have more luck.
        Ok(_) | Err(_) => {}
    }
    let last = last_line(&journal).ok().and_then(|line| serde_json::from_slice::<Fact>(&line).ok());
    last.is_none_or(|fact| !matches!(fact.event, Event::RunEnded { .. }))
}

fn last_line(path: &PathBeneath) -> io::Result<Vec<u8>> {
    // A line that announces the end of a run is short; a longer one is no such line.
    const ENOUGH: u64 = 4096;
    let mut file = path.open()?;
    let start = file.metadata()?.len().saturating_sub(ENOUGH);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(ENOUGH).read_to_end(&mut bytes)?;
    let whole = memchr::memrchr(b'\n', &bytes).unwrap_or(0);
    bytes.truncate(whole);
    let line = memchr::memrchr(b'\n', &bytes).map_or(0, |end| end + 1);
    Ok(bytes.split_off(line))
}

/// The record is about this folder: that in a copy is about the supervisor of the original.
fn is_at(run: &RunDir, place: Option<&RunPlace>) -> bool {
    let Some(place) = place else { return true };
    let is_same = |here: fs::Metadata| (here.dev(), here.ino()) == (place.device, place.inode);
    run.path() == place.path || fs::metadata(run.path()).map_or(true, is_same)
}

/// The name of the present boot, read once: it cannot change while this process lives.
pub fn boot_id() -> Option<&'static str> {
    static BOOT_ID: OnceLock<String> = OnceLock::new();
    if BOOT_ID.get().is_none() {
        let read = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        let _ = BOOT_ID.set(read.trim().to_owned());
    }
    BOOT_ID.get().map(String::as_str)
}

/// The namespace of this process's number, by its inode, read once.
pub fn pid_namespace() -> Option<u64> {
    static NAMESPACE: OnceLock<u64> = OnceLock::new();
    if NAMESPACE.get().is_none() {
        let link = fs::read_link("/proc/self/ns/pid").ok()?;
        let _ = NAMESPACE.set(link.to_str()?.strip_prefix("pid:[")?.strip_suffix(']')?.parse().ok()?);
    }
    NAMESPACE.get().copied()
}

/// Field 22 of a `/proc/PID/stat`; `None` for zombies.
fn start_ticks(stat: &str) -> Option<u64> {
    // The name in parentheses may itself hold blanks and parentheses; the last one closes it.
    let mut fields = stat[stat.rfind(')')? + 1..].split_ascii_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        return None;
    }
    // The state is field 3, so field 22 is the 19th after it.
    fields.nth(18)?.parse().ok()
}
