//! Judges the limits that the kernel sets: memory, cores, files, processes, terminals, notices of files.

use super::check::Check;
use super::facts::{CountLimit, DescriptorLimit};
use crate::model::machine::host_bounds::HostBounds;
use crate::model::units::{Bytes, UNKNOWN};

/// Supervisor and screen open a few files for each shard; evaluations open hundreds each and inherit the limit.
const FEW_DESCRIPTORS: u64 = 1024;
const TOO_FEW_DESCRIPTORS: u64 = 128;

/// A simulator has about a hundred threads.
const FEW_PROCESSES: u64 = 1000;
const TOO_FEW_PROCESSES: u64 = 64;

/// Each running shard has a terminal.
const FEW_TERMINALS: u64 = 64;
const TOO_FEW_TERMINALS: u64 = 4;

/// Supervisor and screen have an instance each, a second run two more.
const FEW_INSTANCES: u64 = 4;
const FEW_WATCHES: u64 = 1024;

/// An evaluation with a simulator does not fit into less.
const LITTLE_MEMORY: Bytes = Bytes(2 << 30);

pub(super) fn judge_host(host: &HostBounds) -> Check {
    let name = "host";
    let of = |all: Option<String>| all.map(|all| format!(" of {all}")).unwrap_or_default();
    let restricted = !host.cores_because.is_empty() || !host.ram_because.is_empty();
    let cores = of(host.machine_cores.filter(|all| *all != host.cores).map(|all| all.to_string()));
    let memory = host.ram.map_or_else(|| UNKNOWN.to_owned(), |ram| ram.to_string());
    let all_memory = of(host.machine_ram.filter(|all| Some(*all) != host.ram).map(|all| all.to_string()));
    let mut message = format!("{}{cores} cores and {memory}{all_memory} of memory may be used", host.cores);
    if restricted {
        let reasons: Vec<&str> =
            host.cores_because.iter().chain(&host.ram_because).map(String::as_str).collect();
        message.push_str(&format!(" ({})", reasons.join("; ")));
    }
    match host.ram {
        Some(ram) if ram < LITTLE_MEMORY && restricted => Check::warning(
            name,
            message,
            "ask for more memory where the session comes from: `--mem` of Slurm, `--memory` of a container, \
             MemoryMax of a unit",
        ),
        Some(_) | None => Check::ok(name, message),
    }
}

pub(super) fn judge_descriptors(limit: DescriptorLimit) -> Check {
    let name = "open files";
    let Some(soft) = limit.soft else { return Check::ok(name, "no limit for a process") };
    let message = format!("{soft} for a process, and hard limit {}", limit_text(limit.hard));
    let remedy = match limit.hard {
        Some(hard) if hard < FEW_DESCRIPTORS => {
            format!(
                "raise `nofile` to {FEW_DESCRIPTORS} or more in /etc/security/limits.conf, then log in again"
            )
        }
        Some(_) | None => "`ulimit -n 4096` before the start, best in ~/.profile".to_owned(),
    };
    match soft {
        0..TOO_FEW_DESCRIPTORS => Check::problem(name, message, remedy),
        TOO_FEW_DESCRIPTORS..FEW_DESCRIPTORS => Check::warning(name, message, remedy),
        FEW_DESCRIPTORS.. => Check::ok(name, message),
    }
}

pub(super) fn judge_processes(limit: &CountLimit) -> Check {
    let remedy = "end what is not needed, or raise the limit: `ulimit -u`, `--pids-limit` of a container, TasksMax of a \
                  unit";
    judge_count("processes", limit, (TOO_FEW_PROCESSES, FEW_PROCESSES), remedy)
}

pub(super) fn judge_terminals(limit: &CountLimit) -> Check {
    let remedy = "close terminals that are not needed, or raise it: `sudo sysctl kernel.pty.max=4096`";
    judge_count("terminals", limit, (TOO_FEW_TERMINALS, FEW_TERMINALS), remedy)
}

fn judge_count(
    name: &'static str,
    limit: &CountLimit,
    (too_few, few): (u64, u64),
    remedy: &'static str,
) -> Check {
    let used = limit.used.map_or_else(|| UNKNOWN.to_owned(), |used| used.to_string());
    let Some(most) = limit.most else { return Check::ok(name, format!("{used} in use, no limit known")) };
    let message = format!("{used} of {most} in use ({})", limit.by);
    match limit.left() {
        Some(left) if left < too_few => Check::problem(name, message, remedy),
        Some(left) if left < few => Check::warning(name, message, remedy),
        Some(_) | None => Check::ok(name, message),
    }
}

/// Without inotify files are polled, which works and costs a little.
pub(super) fn judge_inotify(instances: &CountLimit, watches: Option<u64>) -> Check {
    let name = "inotify";
    let used = instances.used.map_or_else(|| UNKNOWN.to_owned(), |used| used.to_string());
    let message = format!(
        "{used} of {} instances in use, {} watches allowed",
        limit_text(instances.most),
        limit_text(watches)
    );
    if instances.left().is_some_and(|left| left < FEW_INSTANCES) {
        let remedy = "files are polled instead, which shows them later; `sudo sysctl fs.inotify.max_user_instances=1024`";
        return Check::warning(name, message, remedy);
    }
    if watches.is_some_and(|watches| watches < FEW_WATCHES) {
        let remedy = "files are polled instead, which shows them later; `sudo sysctl fs.inotify.max_user_watches=524288`";
        return Check::warning(name, message, remedy);
    }
    Check::ok(name, message)
}

fn limit_text(limit: Option<u64>) -> String {
    limit.map_or_else(|| "unlimited".to_owned(), |limit| limit.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preflight::doctor::check::CheckLevel;

    fn count(used: u64, most: u64) -> CountLimit {
        CountLimit { used: Some(used), most: Some(most), by: "a test".to_owned() }
    }

    #[test]
    fn open_files_are_judged_by_the_limit_in_force() {
        let judged = |soft, hard| judge_descriptors(DescriptorLimit { soft, hard });
        assert_eq!(judged(None, None).level, CheckLevel::Ok);
        assert_eq!(judged(Some(1024), Some(4096)).level, CheckLevel::Ok);
        assert_eq!(judged(Some(64), Some(4096)).level, CheckLevel::Problem);
        let can_raise = judged(Some(256), Some(4096));
        assert_eq!(can_raise.level, CheckLevel::Warning);
        assert!(can_raise.remedy.is_some_and(|remedy| remedy.contains("ulimit -n 4096")));
        let cannot = judged(Some(256), Some(256));
        assert!(cannot.remedy.is_some_and(|remedy| remedy.contains("limits.conf")));
    }

    #[test]
    fn what_is_left_of_a_limit_counts() {
        assert_eq!(judge_processes(&count(100, 63_000)).level, CheckLevel::Ok);
        assert_eq!(judge_processes(&count(62_500, 63_000)).level, CheckLevel::Warning);
        assert_eq!(judge_processes(&count(63_100, 63_000)).level, CheckLevel::Problem);
        assert_eq!(judge_terminals(&count(4095, 4096)).level, CheckLevel::Problem);
        assert_eq!(judge_terminals(&count(4050, 4096)).level, CheckLevel::Warning);
        assert_eq!(judge_terminals(&CountLimit::default()).level, CheckLevel::Ok, "unknown is no problem");
    }

    #[test]
    fn inotify_can_only_warn() {
        assert_eq!(judge_inotify(&count(5, 128), Some(65_536)).level, CheckLevel::Ok);
        assert_eq!(judge_inotify(&count(128, 128), Some(65_536)).level, CheckLevel::Warning);
        assert_eq!(judge_inotify(&count(5, 128), Some(100)).level, CheckLevel::Warning);
    }

    #[test]
    fn the_reason_of_a_restriction_is_named() {
        let host = HostBounds {
            cores: 4,
            machine_cores: Some(64),
            cores_because: vec!["affinity 0-3".to_owned()],
            ram: Some(Bytes(1 << 30)),
            machine_ram: Some(Bytes(256 << 30)),
            ram_because: vec!["memory.max of /job: 1.0 GiB".to_owned()],
        };
        let check = judge_host(&host);
        assert_eq!(check.level, CheckLevel::Warning);
        assert!(
            check.message.starts_with("4 of 64 cores") && check.message.contains("affinity 0-3; memory.max")
        );
        assert_eq!(judge_host(&HostBounds { cores: 2, ..HostBounds::default() }).level, CheckLevel::Ok);
    }
}
