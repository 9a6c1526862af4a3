//! One line of `/proc/PID/stat`: who a process is, whose child it is, in which session and state, and what it has used.

use std::fs::{self, File};
use std::io::Read;
use std::time::Duration;

use rustix::param::clock_ticks_per_second;
use rustix::time::{ClockId, clock_gettime};

/// State of a living process; its start distinguishes it from later ones with the same pid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stat {
    /// Number of the process (pid).
    pub pid: u32,
    /// The first 15 bytes of its program's name.
    pub name: String,
    /// State, as far as signals care.
    pub state: ProcessState,
    /// Number of the parent process.
    pub parent: u32,
    /// Number of its process group.
    pub group: u32,
    /// Number of its session.
    pub session: u32,
    /// How many threads it has.
    pub threads: u32,
    /// Clock ticks from boot to its start.
    pub start_ticks: u64,
    /// Clock ticks on a core: its own, in user and in system code.
    pub own_ticks: u64,
    /// Clock ticks of its children that ended and were waited for.
    pub children_ticks: u64,
    /// Resident pages; counters of single cores may lag, so use it to detect change, not to show.
    pub rough_pages: u64,
}

impl Stat {
    /// Both are of one process, and not of two that had the same pid.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.pid, self.start_ticks) == (other.pid, other.start_ticks)
    }
}

/// State of a process, as far as signals care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessState {
    /// Running or sleeping: it takes signals.
    Alive,
    /// Stopped by SIGSTOP or by a tracer.
    Stopped,
    /// In a system call that no signal ends (D).
    Uninterruptible,
    /// Ended and not waited for yet.
    Dead,
}

impl Stat {
    /// How long ago it was started.
    pub fn age(&self) -> Option<Duration> {
        let up: Duration = clock_gettime(ClockId::Boottime).try_into().ok()?;
        let started = Duration::from_secs_f64(self.start_ticks as f64 / clock_ticks_per_second() as f64);
        Some(up.saturating_sub(started))
    }
}

/// Reads the line of a process; `None` when there is no such process.
pub fn read_stat(pid: u32) -> Option<Stat> {
    read_file(&format!("/proc/{pid}/stat"))
}

/// Reads the line of this process.
pub fn read_own() -> Option<Stat> {
    read_file("/proc/self/stat")
}

/// Every process that is visible here.
pub fn all_processes() -> impl Iterator<Item = Stat> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| read_stat(entry.file_name().to_str()?.parse().ok()?))
}

fn read_file(path: &str) -> Option<Stat> {
    // The line is at most 500 bytes or so. Files of /proc give no size, so reading to their end takes many calls.
    let mut line = [0; 1024];
    let read = File::open(path).ok()?.read(&mut line).ok()?;
    parse_stat(&line[..read])
}

fn parse_stat(line: &[u8]) -> Option<Stat> {
    let line = String::from_utf8_lossy(line);
    // The name in parentheses may itself hold blanks and parentheses; the last one closes it.
    let (opening, closing) = (line.find('(')?, line.rfind(')')?);
    let pid = line[..opening].trim().parse().ok()?;
    let name = line.get(opening + 1..closing)?.to_owned();
    // `proc(5)` counts from 1, the state is its field 3 and the start its field 22.
    let mut fields = [""; 22];
    for (slot, field) in fields.iter_mut().zip(line[closing + 1..].split_ascii_whitespace()) {
        *slot = field;
    }
    let field = |number: usize| fields.get(number - 3).copied();
    let count = |number: usize| field(number)?.parse::<u64>().ok();
    let state = match field(3)? {
        "T" | "t" => ProcessState::Stopped,
        "D" => ProcessState::Uninterruptible,
        "Z" | "X" | "x" => ProcessState::Dead,
        _ => ProcessState::Alive,
    };
    Some(Stat {
        pid,
        name,
        state,
        parent: field(4)?.parse().ok()?,
        group: field(5)?.parse().ok()?,
        session: field(6)?.parse().ok()?,
        threads: field(20)?.parse().ok()?,
        start_ticks: count(22)?,
        own_ticks: count(14)? + count(15)?,
        children_ticks: count(16)? + count(17)?,
        rough_pages: count(24)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_blanks_and_parentheses_does_not_shift_the_fields() {
        let line =
            b"42 (a) b (c)) D 7 42 41 34816 -1 4194304 1 0 0 0 11 22 33 44 20 0 3 0 98765 1 250 1 1 1 1 1\n";
        let stat = parse_stat(line).unwrap();
        assert_eq!(
            (stat.pid, stat.name.as_str(), stat.state),
            (42, "a) b (c)", ProcessState::Uninterruptible)
        );
        assert_eq!((stat.parent, stat.group, stat.session), (7, 42, 41));
        assert_eq!((stat.threads, stat.start_ticks), (3, 98765));
        assert_eq!((stat.own_ticks, stat.children_ticks, stat.rough_pages), (33, 77, 250));
    }

    #[test]
    fn torn_lines_are_nobody() {
        assert_eq!(parse_stat(b""), None);
        assert_eq!(parse_stat(b"42 (sh"), None);
        assert_eq!(parse_stat(b"42 )sh( S 1"), None);
        assert_eq!(parse_stat(b"42 (sh) S 7 42 42 0 -1 4194304 100 0 0 0 11 22 33 44 20 0 1 0"), None);
    }

    #[test]
    fn this_process_finds_itself() {
        let own = read_own().unwrap();
        assert_eq!(own.pid, std::process::id());
        assert!(all_processes().any(|stat| stat.pid == own.pid && stat.start_ticks == own.start_ticks));
    }
}
