//! How a holder becomes independent of whoever started it.

use std::fs;

use rustix::process::{chdir, getpid, set_child_subreaper, setsid};

use crate::process::error::ProcessError;
use crate::process::signal_fd::{self, ChildSignal};

const OOM_SCORE: &str = "/proc/self/oom_score_adj";

/// Low enough that the kernel, short of memory, ends the simulation and not the holder that records its end.
const SHIELDED: &str = "-500";

/// What is left of the process's surroundings.
pub struct Secluded {
    /// Tells of ended children.
    pub children: ChildSignal,
    /// The value that the program must get back, where this process has lowered its own.
    pub oom_score_adj: Option<String>,
}

/// Own session, no signal but SIGKILL, parent of every orphan below, no folder kept busy.
pub fn enter() -> Result<Secluded, ProcessError> {
    // It fails for the leader of a process group, which is what a shell makes of a holder that is started by hand.
    let _ = setsid();
    signal_fd::ignore_endings();
    set_child_subreaper(Some(getpid())).map_err(ProcessError::refused("adopt orphans"))?;
    let _ = chdir("/");
    Ok(Secluded { children: ChildSignal::open()?, oom_score_adj: shield() })
}

/// Lowering needs a privilege; without it nothing changes and nothing has to be given back.
fn shield() -> Option<String> {
    let before = fs::read_to_string(OOM_SCORE).ok()?.trim().to_owned();
    let is_lower = before.parse::<i32>().ok()? <= SHIELDED.parse().ok()?;
    (!is_lower && fs::write(OOM_SCORE, SHIELDED).is_ok()).then_some(before)
}
