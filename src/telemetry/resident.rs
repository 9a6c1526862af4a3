//! Main memory of a tree of processes, read again only of those that did something since the last look.

use std::collections::HashMap;

use rustix::param::page_size;

use super::proc_files;
use super::shard_cpu::ProcessStats;
use crate::model::units::Bytes;
use crate::process::stat::Stat;

/// Pages of each process of one tree, as far as they could be read, with what it had done by then.
#[derive(Debug, Default)]
pub struct Resident(HashMap<u32, (Stat, u64)>);

impl Resident {
    /// Reads what may have changed since an earlier look; idle processes are most of a sweep that waits, and each file
    /// of `/proc` costs some microseconds each second.
    pub fn read_changed(earlier: &Self, look: &ProcessStats) -> Self {
        let pages = look.values().filter_map(|now| {
            let known =
                earlier.0.get(&now.pid).filter(|(then, _)| has_slept(then, now)).map(|(_, pages)| *pages);
            let pages = known.or_else(|| proc_files::resident_pages(now.pid))?;
            Some((now.pid, (now.clone(), pages)))
        });
        Self(pages.collect())
    }

    /// Returns the resident memory of all of them together.
    pub fn total_bytes(&self) -> Bytes {
        let pages: u64 = self.0.values().map(|(_, pages)| pages).sum();
        Bytes(pages * page_size() as u64)
    }
}

/// The same process has used no time, and gained or lost no page that was booked.
fn has_slept(then: &Stat, now: &Stat) -> bool {
    then.is_same(now) && (then.own_ticks, then.rough_pages) == (now.own_ticks, now.rough_pages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::stat;

    /// Builds the memory of this very process, as if it had been read with so many pages.
    fn with_pages(stat: &Stat, pages: u64) -> Resident {
        Resident(HashMap::from([(stat.pid, (stat.clone(), pages))]))
    }

    #[test]
    fn only_what_did_something_is_read_anew() {
        let now = stat::read_own().unwrap();
        let look = ProcessStats::from([(now.pid, now.clone())]);
        let earlier = with_pages(&now, 3);
        assert_eq!(Resident::read_changed(&earlier, &look).total_bytes(), Bytes(3 * page_size() as u64));
        for changed in [
            Stat { own_ticks: now.own_ticks + 1, ..now.clone() },
            Stat { rough_pages: now.rough_pages + 1, ..now.clone() },
            Stat { start_ticks: now.start_ticks + 1, ..now.clone() },
        ] {
            assert!(
                Resident::read_changed(&with_pages(&changed, 3), &look).total_bytes()
                    > Bytes(3 * page_size() as u64)
            );
        }
    }

    #[test]
    fn a_process_that_is_gone_is_forgotten() {
        let now = stat::read_own().unwrap();
        let earlier = with_pages(&now, 3);
        assert_eq!(Resident::read_changed(&earlier, &ProcessStats::new()).total_bytes(), Bytes(0));
    }
}
