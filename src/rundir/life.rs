//! Whether the process that a record names still lives, judged from `/proc` without locking anything.

use std::fs;

use super::layout::RunDir;
use super::records;
use crate::model::attempt::ProcessIdentity;
use crate::model::run_info::SupervisorInfo;

/// The process lives: same boot, same pid, same start, and not a zombie.
pub fn is_alive(process: &ProcessIdentity) -> bool {
    boot_id().is_some_and(|boot| boot == process.boot_id)
        && start_ticks(process.pid) == Some(process.start_ticks)
}

/// The living supervisor of a run.
pub fn supervisor(run: &RunDir) -> Option<SupervisorInfo> {
    let info: SupervisorInfo = records::read_if_there(&run.supervisor_json()).ok()??;
    is_alive(&info.process).then_some(info)
}

/// The name of the present boot.
pub fn boot_id() -> Option<String> {
    Some(fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?.trim().to_owned())
}

/// Field 22 of `/proc/PID/stat`; `None` for processes that are gone or zombies.
fn start_ticks(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may itself hold blanks and parentheses; the last one closes it.
    let mut fields = stat[stat.rfind(')')? + 1..].split_ascii_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        return None;
    }
    // The state is field 3, so field 22 is the 19th after it.
    fields.nth(18)?.parse().ok()
}
