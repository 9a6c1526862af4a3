//! Visitors that a run makes way for: processes of other users that came to a GPU a short while ago.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;

use crate::model::ids::GpuIndex;
use crate::model::units::{duration_between, format_duration};
use crate::scheduler::machine::{MachineState, Visitor};

/// The newest arrivals of other users' processes on each GPU.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Visitors {
    seen: BTreeMap<(GpuIndex, u32), Arrival>,
    /// There was an earlier reading: what is not in it has come since.
    has_looked: bool,
}

#[derive(Debug, Clone, PartialEq)]
struct Arrival {
    at: Timestamp,
    visitor: Visitor,
}

impl Visitors {
    /// Takes a reading in. At the first one it is unknown when a process came to its GPU: not before it was started.
    pub fn record_reading(&mut self, machine: &MachineState, now: Timestamp) {
        for visitor in &machine.visitors {
            let at = if self.has_looked { now } else { visitor.started.min(now) };
            let arrival = || Arrival { at, visitor: visitor.clone() };
            self.seen
                .entry((visitor.gpu, visitor.pid))
                // The number of a process that is gone may be that of another one.
                .and_modify(|known| {
                    if known.visitor.start_ticks != visitor.start_ticks {
                        *known = arrival();
                    }
                })
                .or_insert_with(arrival);
        }
        let is_here = |(gpu, pid): &(GpuIndex, u32)| {
            machine.visitors.iter().any(|visitor| (visitor.gpu, visitor.pid) == (*gpu, *pid))
        };
        self.seen.retain(|key, _| is_here(key));
        self.has_looked = true;
    }

    /// Returns why nothing starts on the GPU for now, where a process came to it within that time; and until when.
    pub fn yield_reason(
        &self,
        gpu: GpuIndex,
        within: Duration,
        now: Timestamp,
    ) -> Option<(String, Timestamp)> {
        let arrivals = self.seen.range((gpu, 0)..=(gpu, u32::MAX)).map(|(_, arrival)| arrival);
        let newest = arrivals.max_by_key(|arrival| arrival.at)?;
        let until = newest.at.checked_add(within).ok()?;
        if duration_between(newest.at, now) >= within {
            return None;
        }
        let Visitor { pid, user, name, .. } = &newest.visitor;
        let name = name.as_deref().unwrap_or("a process");
        let reason =
            format!("yields to {name} (pid {pid}) of {user} for its first {}", format_duration(within));
        Some((reason, until))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITHIN: Duration = Duration::from_secs(300);

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn machine(visitors: &[(u32, u32, i64)]) -> MachineState {
        let visitor = |(gpu, pid, started): &(u32, u32, i64)| Visitor {
            gpu: GpuIndex(*gpu),
            pid: *pid,
            start_ticks: *started as u64,
            started: at(*started),
            user: "alice".to_owned(),
            name: Some("python".to_owned()),
        };
        MachineState {
            at: at(0),
            cards: Vec::new(),
            cores: None,
            ram: None,
            attempts: BTreeMap::new(),
            visitors: visitors.iter().map(visitor).collect(),
        }
    }

    #[test]
    fn a_gpu_is_left_to_a_newcomer_for_its_first_minutes() {
        let mut visitors = Visitors::default();
        let yields = |visitors: &Visitors, gpu, now| {
            visitors
                .yield_reason(GpuIndex(gpu), WITHIN, at(now))
                .map(|(reason, until)| (reason, until.as_second()))
        };
        visitors.record_reading(&machine(&[(0, 7, 100), (1, 8, 950)]), at(1000));
        assert_eq!(yields(&visitors, 0, 1000), None, "it has been there for a while");
        let reason = "yields to python (pid 8) of alice for its first 5m 00s".to_owned();
        assert_eq!(yields(&visitors, 1, 1000), Some((reason, 1250)));
        assert_eq!(yields(&visitors, 1, 1250), None);
        // One that has long been running comes to another GPU.
        visitors.record_reading(&machine(&[(0, 7, 100), (1, 8, 950), (2, 7, 100)]), at(1300));
        assert_eq!(yields(&visitors, 2, 1301).map(|(_, until)| until), Some(1600));
        visitors.record_reading(&machine(&[(0, 7, 100)]), at(1310));
        assert_eq!(yields(&visitors, 2, 1311), None, "it is gone");
        // The same number, another process.
        visitors.record_reading(&machine(&[(0, 7, 1320)]), at(1320));
        assert!(yields(&visitors, 0, 1321).is_some());
        assert_eq!(yields(&visitors, 3, 1321), None);
    }
}
