//! Who a process is, in a way that survives reuse of its pid and reboots.

use std::fs;
use std::sync::OnceLock;

use super::error::ProcessError;
use super::stat::{self, ProcessState, Stat};
use crate::model::attempt::ProcessIdentity;

/// The identity of this process.
pub fn identify_self() -> Result<ProcessIdentity, ProcessError> {
    let gone = ProcessError::Gone { pid: std::process::id() };
    stat::read_own().map(|stat| identity_from_stat(&stat)).ok_or(gone)
}

/// The identity of the process that has this pid now.
pub fn identify_process(pid: u32) -> Result<ProcessIdentity, ProcessError> {
    stat::read_stat(pid).map(|stat| identity_from_stat(&stat)).ok_or(ProcessError::Gone { pid })
}

/// The very process lives; a zombie does not.
pub fn is_alive(process: &ProcessIdentity) -> bool {
    process.boot_id == boot_id()
        && stat::read_stat(process.pid)
            .is_some_and(|stat| stat.start_ticks == process.start_ticks && stat.state != ProcessState::Dead)
}

/// Returns the name of the present boot; empty where the kernel does not give it.
pub fn boot_id() -> &'static str {
    // It cannot change while this process lives, and forked holders inherit what the spawner has read.
    static BOOT_ID: OnceLock<String> = OnceLock::new();
    BOOT_ID.get_or_init(|| {
        let read = fs::read_to_string("/proc/sys/kernel/random/boot_id");
        read.map_or_else(|_| String::new(), |text| text.trim().to_owned())
    })
}

/// Returns the namespace of this process's number, by its inode; `None` where the kernel does not give it.
pub fn pid_namespace() -> Option<u64> {
    static NAMESPACE: OnceLock<Option<u64>> = OnceLock::new();
    *NAMESPACE.get_or_init(|| {
        let link = fs::read_link("/proc/self/ns/pid").ok()?;
        link.to_str()?.strip_prefix("pid:[")?.strip_suffix(']')?.parse().ok()
    })
}

fn identity_from_stat(stat: &Stat) -> ProcessIdentity {
    ProcessIdentity {
        pid: stat.pid,
        start_ticks: stat.start_ticks,
        boot_id: boot_id().to_owned(),
        pid_namespace: pid_namespace(),
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_later_process_with_the_same_pid_is_somebody_else() {
        let me = identify_self().unwrap();
        assert!(is_alive(&me));
        assert!(!is_alive(&ProcessIdentity { start_ticks: me.start_ticks + 1, ..me.clone() }));
        assert!(!is_alive(&ProcessIdentity { boot_id: "another".to_owned(), ..me }));
    }

    #[test]
    fn a_zombie_is_not_alive() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let identity = identify_process(child.id()).unwrap();
        assert!(is_alive(&identity));
        child.kill().unwrap();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while is_alive(&identity) {
            assert!(std::time::Instant::now() < deadline, "the killed process still counts as alive");
            std::thread::yield_now();
        }
        assert!(stat::read_stat(identity.pid).is_some(), "it is a zombie until it is waited for");
        child.wait().unwrap();
    }
}
