//! How much processor time a tree of processes used between two looks, counting processes that ended meanwhile.

use std::collections::HashMap;

use crate::process::stat::Stat;

/// The processes of one tree at one moment, by pid.
pub type ProcessStats = HashMap<u32, Stat>;

/// Ticks used between two looks at the same tree; `seen_at` is the time of the first one in ticks since boot.
///
/// A process that ended passes its time on to the parent that waits for it, where it is counted among the ticks of
/// children. What was already counted while it lived is taken off there, never below zero.
pub fn ticks_between(before: &ProcessStats, seen_at: u64, now: &ProcessStats) -> u64 {
    let survives = |pid: &u32| find_survivor(before, now, *pid).is_some();
    let own: u64 =
        now.iter().map(|(pid, stat)| own_since(find_survivor(before, now, *pid), seen_at, stat)).sum();
    let mut counted_before: HashMap<u32, u64> = HashMap::new();
    for (pid, stat) in before.iter().filter(|(pid, _)| !survives(pid)) {
        if let Some(heir) = living_ancestor(before, now, *pid) {
            // Its children's ticks are known from before too: they come along with its own.
            *counted_before.entry(heir).or_default() += stat.own_ticks + stat.children_ticks;
        }
    }
    let inherited: u64 = now
        .iter()
        .filter_map(|(pid, stat)| {
            let earlier = find_survivor(before, now, *pid)?;
            let grown = stat.children_ticks.saturating_sub(earlier.children_ticks);
            Some(grown.saturating_sub(counted_before.get(pid).copied().unwrap_or(0)))
        })
        .sum();
    own + inherited
}

/// The earlier reading of the very same process.
fn find_survivor<'a>(before: &'a ProcessStats, now: &ProcessStats, pid: u32) -> Option<&'a Stat> {
    let (earlier, later) = (before.get(&pid)?, now.get(&pid)?);
    (earlier.start_ticks == later.start_ticks).then_some(earlier)
}

fn own_since(earlier: Option<&Stat>, seen_at: u64, stat: &Stat) -> u64 {
    match earlier {
        Some(earlier) => stat.own_ticks.saturating_sub(earlier.own_ticks),
        None if stat.start_ticks >= seen_at => stat.own_ticks + stat.children_ticks,
        // Older than the first look, but not seen then: how much of its time fell in between is unknown.
        None => 0,
    }
}

/// The nearest ancestor that lived at both looks: it has inherited the time of all that ended below it.
fn living_ancestor(before: &ProcessStats, now: &ProcessStats, pid: u32) -> Option<u32> {
    let mut pid = pid;
    // A chain of parents cannot be longer than the tree; the bound guards against a pid reused into a circle.
    for _ in 0..before.len() {
        pid = before.get(&pid)?.parent;
        if find_survivor(before, now, pid).is_some() {
            return Some(pid);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::stat;

    fn stat(parent: u32, start_ticks: u64, own_ticks: u64, children_ticks: u64) -> Stat {
        Stat { parent, start_ticks, own_ticks, children_ticks, ..stat::read_own().unwrap() }
    }

    #[test]
    fn a_process_that_lives_on_counts_what_it_added() {
        let before = ProcessStats::from([(10, stat(1, 5, 100, 0))]);
        let now = ProcessStats::from([(10, stat(1, 5, 130, 0))]);
        assert_eq!(ticks_between(&before, 1000, &now), 30);
    }

    #[test]
    fn a_child_that_came_and_went_between_the_looks_counts_through_its_parent() {
        let before = ProcessStats::from([(10, stat(1, 5, 100, 0))]);
        let now = ProcessStats::from([(10, stat(1, 5, 100, 40))]);
        assert_eq!(ticks_between(&before, 1000, &now), 40);
    }

    #[test]
    fn a_child_that_ended_counts_only_what_it_added_since_it_was_seen() {
        let before = ProcessStats::from([(10, stat(1, 5, 100, 0)), (11, stat(10, 6, 500, 20))]);
        let now = ProcessStats::from([(10, stat(1, 5, 100, 550))]);
        assert_eq!(ticks_between(&before, 1000, &now), 30);
    }

    #[test]
    fn a_whole_branch_that_ended_is_inherited_by_the_living_ancestor() {
        let before =
            ProcessStats::from([(10, stat(1, 5, 0, 0)), (11, stat(10, 6, 50, 0)), (12, stat(11, 7, 70, 0))]);
        let now = ProcessStats::from([(10, stat(1, 5, 0, 125))]);
        assert_eq!(ticks_between(&before, 1000, &now), 5);
    }

    #[test]
    fn an_orphan_whose_time_went_elsewhere_never_makes_it_negative() {
        let before = ProcessStats::from([(10, stat(1, 5, 100, 0)), (11, stat(1, 6, 500, 0))]);
        let now = ProcessStats::from([(10, stat(1, 5, 103, 0))]);
        assert_eq!(ticks_between(&before, 1000, &now), 3);
    }

    #[test]
    fn a_reused_pid_is_a_new_process() {
        let before = ProcessStats::from([(10, stat(1, 5, 900, 0))]);
        let now = ProcessStats::from([(10, stat(1, 2000, 4, 0))]);
        assert_eq!(ticks_between(&before, 1000, &now), 4);
    }

    #[test]
    fn an_old_process_that_is_found_late_does_not_bring_its_past_along() {
        let before = ProcessStats::from([(10, stat(1, 5, 100, 0))]);
        let now = ProcessStats::from([(10, stat(1, 5, 100, 0)), (11, stat(10, 6, 90_000, 0))]);
        assert_eq!(ticks_between(&before, 1000, &now), 0);
    }
}
