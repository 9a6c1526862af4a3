//! Whether the process that a record names still lives, judged from `/proc` without locking anything.

use std::fs;
use std::sync::OnceLock;

use super::layout::RunDir;
use super::records;
use crate::model::attempt::ProcessIdentity;
use crate::model::run_info::SupervisorInfo;

/// The process lives: same boot, same pid, same start, and not a zombie. Where the kernel has no descriptor or memory to
/// answer with, it counts as alive: a living process that is taken for dead does harm, and the question comes again.
pub fn is_alive(process: &ProcessIdentity) -> bool {
    let is_of_boot = boot_id().is_none_or(|boot| boot == process.boot_id);
    is_of_boot
        && match fs::read_to_string(format!("/proc/{}/stat", process.pid)) {
            Ok(stat) => start_ticks(&stat) == Some(process.start_ticks),
            Err(error) => {
                matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE | libc::ENOMEM | libc::EINTR))
            }
        }
}

/// The living supervisor of a run.
pub fn supervisor(run: &RunDir) -> Option<SupervisorInfo> {
    let info: SupervisorInfo = records::read_if_there(&run.supervisor_json()).ok()??;
    is_alive(&info.process).then_some(info)
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
