//! What is done with the processes of an attempt whose holder died: end all of them and report those that would not go.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::containers::{Containers, find_members};
use super::stat::{ProcessState, Stat};
use super::tag::AttemptTag;
use super::{signal, tree};
use crate::model::attempt::Leftover;
use crate::model::ids::AttemptKey;

/// How long killed processes may take to go. Freeing the memory of a large simulation takes a second or two; what
/// is left after that hangs in the kernel.
const PATIENCE: Duration = Duration::from_secs(5);

/// A process that turns into another program has no environment for a moment, and so no tag: none is left when this
/// many looks in a row have found none.
const LOOKS: usize = 3;

/// Kills everything with the attempt's tag, in its containers, or in the session of its main process where that is
/// known, and waits until it is gone. Gives what was found; `unkillable` are those still there. The caller holds the
/// attempt's lock, so nothing new is started meanwhile.
pub fn end_attempt(
    run_dir: &Path,
    key: &AttemptKey,
    session: Option<u32>,
    containers: &Containers,
) -> Vec<Leftover> {
    let tag = AttemptTag::new(run_dir, key);
    let deadline = Instant::now() + PATIENCE;
    let mut found: Vec<Stat> = Vec::new();
    let mut in_vain = 0;
    loop {
        let mut living = tree::find_marked(&tag, session);
        let made = containers.list();
        for (member, container) in find_members(&made) {
            if signal::send_signal(&member, Signal::KILL).is_err() {
                // Where the engine cannot either, it is still there at the deadline.
                let _ = made[container].ask_engine(Signal::KILL);
            }
            if living.iter().all(|known| known.pid != member.pid) {
                living.push(member);
            }
        }
        for process in &living {
            // A process that may not be signalled is still there at the deadline and is reported then.
            let _ = signal::send_signal(process, Signal::KILL);
            if !found.iter().any(|known| known.is_same(process)) {
                found.push(process.clone());
            }
        }
        in_vain = if living.is_empty() { in_vain + 1 } else { 0 };
        if in_vain == LOOKS || Instant::now() >= deadline {
            return found.iter().map(|process| to_leftover(process, &living)).collect();
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// A process for `exit.json`; it could not be killed if it is among those still living.
pub fn to_leftover(process: &Stat, living: &[Stat]) -> Leftover {
    let still = living.iter().find(|other| other.is_same(process));
    Leftover {
        pid: process.pid,
        name: process.name.clone(),
        unkillable: still.is_some_and(|stat| stat.state != ProcessState::Dead),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;

    use super::*;
    use crate::model::ids::{AttemptNumber, ShardId};

    #[test]
    fn an_orphan_that_ignores_polite_signals_is_ended_by_its_tag() {
        let folder = tempfile::tempdir().unwrap();
        let key = AttemptKey { shard: ShardId::new("reap-test").unwrap(), attempt: AttemptNumber(1) };
        let tag = AttemptTag::new(folder.path(), &key);
        let mut orphan = Command::new("setsid")
            .args(["sh", "-c", "trap '' TERM INT HUP; while :; do sleep 60; done"])
            .envs(tag.variables())
            .spawn()
            .unwrap();
        let none = Containers::in_folder(folder.path().join("containers"));
        let left = thread::scope(|scope| {
            let ending = scope.spawn(|| end_attempt(folder.path(), &key, None, &none));
            assert_eq!(orphan.wait().unwrap().signal(), Some(libc::SIGKILL));
            ending.join().unwrap()
        });
        assert!(!left.is_empty());
        assert!(left.iter().all(|process| !process.unkillable), "{left:?}");
        assert_eq!(end_attempt(folder.path(), &key, None, &none), []);
    }
}
