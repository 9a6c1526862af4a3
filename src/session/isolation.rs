//! How a holder becomes independent of the process that started it.

use rustix::process::{chdir, getpid, set_child_subreaper, setsid};

use crate::process::error::ProcessError;
use crate::process::oom;
use crate::process::signal_fd::{self, ChildSignal};

/// Parts of the process's surroundings that are kept.
pub struct Isolated {
    /// Signal that reports ended children.
    pub children: ChildSignal,
    /// The value that the program must get back, where this process has lowered its own.
    pub oom_score_adj: Option<String>,
}

/// Own session, no signal but SIGKILL, parent of every orphan below, no folder kept busy.
pub fn isolate_process() -> Result<Isolated, ProcessError> {
    // It fails for the leader of a process group, which is what a shell makes of a holder that is started by hand.
    let _ = setsid();
    signal_fd::ignore_endings();
    set_child_subreaper(Some(getpid())).map_err(ProcessError::refused("adopt orphans"))?;
    let _ = chdir("/");
    Ok(Isolated { children: ChildSignal::open()?, oom_score_adj: oom::shield_self() })
}
