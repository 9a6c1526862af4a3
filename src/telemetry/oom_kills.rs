//! Processes that the kernel killed for lack of main memory, as it counts them itself.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};

/// A large process takes seconds to die after the kernel has counted it.
const DYING: SignedDuration = SignedDuration::from_secs(30);

/// Number of counts kept: with one a second, it reaches well beyond [`DYING`].
const KEPT: usize = 64;

/// The counts of the last minute.
#[derive(Debug)]
pub struct OomKills {
    /// The counts of our own control group, where there is one; shards run in it or below it.
    group: Option<PathBuf>,
    counts: VecDeque<(Timestamp, KillCounts)>,
}

/// Kills so far, of the machine and of the control group: a container may see only one of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct KillCounts {
    machine: Option<u64>,
    group: Option<u64>,
}

impl OomKills {
    /// Starts without any count.
    pub fn new() -> Self {
        Self { group: group_events(), counts: VecDeque::new() }
    }

    /// Notes the counts at this moment.
    pub fn note_counts(&mut self, at: Timestamp) {
        let counts = self.read_counts();
        if self.counts.len() == KEPT {
            self.counts.pop_front();
        }
        self.counts.push_back((at, counts));
    }

    /// The kernel killed something in the moments before `ended`. Not known to have is no.
    pub fn happened_before(&self, ended: Timestamp) -> bool {
        self.grew_before(ended, self.read_counts())
    }

    fn grew_before(&self, ended: Timestamp, now: KillCounts) -> bool {
        let earlier = self.counts.iter().find(|(at, _)| *at < ended && ended.duration_since(*at) <= DYING);
        earlier.is_some_and(|(_, before)| {
            has_grown(before.machine, now.machine) || has_grown(before.group, now.group)
        })
    }

    fn read_counts(&self) -> KillCounts {
        let count = |path: &Path| oom_kill_of(&fs::read_to_string(path).ok()?);
        KillCounts { machine: count("/proc/vmstat".as_ref()), group: self.group.as_deref().and_then(count) }
    }
}

impl Default for OomKills {
    fn default() -> Self {
        Self::new()
    }
}

fn has_grown(before: Option<u64>, now: Option<u64>) -> bool {
    before.zip(now).is_some_and(|(before, now)| now > before)
}

/// The line `oom_kill 3`, which `/proc/vmstat` and the files of control groups all have.
fn oom_kill_of(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix("oom_kill "))?.trim().parse().ok()
}

/// `0::/PATH` of version 2, or `4:memory:/PATH` of version 1, as far as the file system shows it.
fn group_events() -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    groups.lines().find_map(|line| {
        let (_, rest) = line.split_once(':')?;
        let (root, group, file) = match rest.split_once(":/")? {
            ("", group) => ("/sys/fs/cgroup", group, "memory.events"),
            ("memory", group) => ("/sys/fs/cgroup/memory", group, "memory.oom_control"),
            _ => return None,
        };
        Some(PathBuf::from(root).join(group).join(file)).filter(|path| path.exists())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_own_count_is_read() {
        assert_eq!(oom_kill_of("low 0\nhigh 0\nmax 9\noom 4\noom_kill 3\noom_group_kill 1\n"), Some(3));
        assert_eq!(oom_kill_of("pgfault 1\n"), None);
        let mut kills = OomKills::new();
        assert!(kills.read_counts().machine.is_some(), "every kernel since 4.13 counts them");
        kills.note_counts(Timestamp::UNIX_EPOCH);
        assert!(!kills.happened_before(Timestamp::UNIX_EPOCH + SignedDuration::from_secs(1)));
    }

    #[test]
    fn only_a_count_that_grew_shortly_before_the_end_tells() {
        let second = |second| Timestamp::UNIX_EPOCH + SignedDuration::from_secs(second);
        let machine = |count| KillCounts { machine: Some(count), group: None };
        let counts = VecDeque::from([(second(90), machine(4)), (second(100), machine(5))]);
        let kills = OomKills { group: None, counts };
        assert!(kills.grew_before(second(110), machine(5)));
        assert!(!kills.grew_before(second(125), machine(5)), "it grew before the last half minute");
        assert!(kills.grew_before(second(125), machine(6)));
        assert!(!kills.grew_before(second(110), KillCounts::default()), "unknown is not more");
        let group = KillCounts { machine: Some(5), group: Some(1) };
        assert!(!kills.grew_before(second(125), group), "the group was not counted before");
    }
}
