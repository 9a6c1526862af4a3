//! Which process the kernel ends when memory runs out: the simulation, and not the process that records its end.

use std::fs;

const FILE: &str = "/proc/self/oom_score_adj";

/// Low enough to come after every simulation, and not so low that the machine could not be saved.
const SHIELDED: i32 = -500;

/// Shields this process; gives the value that its programs must get back by `restore`. It needs a privilege,
/// without which nothing changes and nothing has to be given back.
pub fn shield_self() -> Option<String> {
    let before = fs::read_to_string(FILE).ok()?.trim().to_owned();
    let is_shielded = before.parse::<i32>().ok()? <= SHIELDED;
    (!is_shielded && fs::write(FILE, SHIELDED.to_string()).is_ok()).then_some(before)
}

/// Gives up the shield in a child that is about to become another program.
pub(super) fn restore_score(before: Option<&str>) {
    if let Some(value) = before {
        // Going up is always allowed.
        let _ = fs::write(FILE, value);
    }
}
