//! The part of a look at a node that runs there: a program that starts shows by itself that it can be run.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::finding::Finding;

/// The file that is locked on the machine that asks.
pub(super) const LOCK: &str = "lock";

/// So long a file may take until it is seen.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// How often the folder is listed.
const LOOK: Duration = Duration::from_millis(50);

/// What the node says, a line each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub enum ProbeAnswer {
    /// It has listed the folder, and looks for the file from now on.
    Ready {
        /// The time there.
        clock: Timestamp,
    },
    /// It has looked at itself with the plan of the sweep.
    Looked {
        /// What it found.
        findings: Vec<Finding>,
    },
    /// The file was written on the machine that asks, and is seen.
    Seen,
    /// A file is locked on the machine that asks.
    Lock {
        /// The lock is noticed here.
        holds: bool,
    },
}

/// The file that the machine that asks writes for a node.
pub(super) fn file_for(node: &str) -> String {
    format!("for-{node}")
}

/// The file with the plan for a node.
pub(super) fn plan_for(node: &str) -> String {
    format!("plan-{node}.json")
}

/// Answers what the machine asks that made the folder: first what the node finds by the plan that is there for it.
pub fn answer_probe(
    folder: &Path,
    node: &str,
    look: impl FnOnce(&Path) -> io::Result<Vec<Finding>>,
    mut answer: impl FnMut(ProbeAnswer) -> io::Result<()>,
) -> io::Result<()> {
    answer(ProbeAnswer::Looked { findings: look(&folder.join(plan_for(node)))? })?;
    let name = file_for(node);
    // A file server may show for some time what it showed now.
    lists(folder, &name)?;
    answer(ProbeAnswer::Ready { clock: Timestamp::now() })?;
    let deadline = Instant::now() + PATIENCE;
    while !lists(folder, &name)? {
        if Instant::now() >= deadline {
            return Ok(());
        }
        thread::sleep(LOOK);
    }
    answer(ProbeAnswer::Seen)?;
    let lock = File::options().write(true).open(folder.join(LOCK))?;
    answer(ProbeAnswer::Lock { holds: matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) })
}

fn lists(folder: &Path, name: &str) -> io::Result<bool> {
    let mut found = false;
    for entry in fs::read_dir(folder)? {
        found |= entry?.file_name() == name;
    }
    Ok(found)
}
