//! The faults of one GPU over time: states that last until they are no longer seen, and events that are kept.

use jiff::Timestamp;

use crate::model::machine::gpu_health::{GpuFault, GpuFaultKind};

/// More kinds of events than one GPU survives.
const MOST: usize = 16;

/// Faults of a GPU.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FaultLog {
    faults: Vec<GpuFault>,
}

impl FaultLog {
    /// Takes in what one reading has seen.
    pub fn note_seen(&mut self, at: Timestamp, seen: &[GpuFaultKind]) {
        let lasts = |fault: &GpuFault| fault.kind.is_event() || seen.contains(&fault.kind);
        self.faults.retain(lasts);
        for kind in seen {
            match self.faults.iter_mut().find(|fault| fault.kind.is_same(kind)) {
                Some(known) if kind.is_event() => {
                    known.count += 1;
                    known.kind = kind.clone();
                    known.last = at;
                }
                Some(_) => {}
                None => self.faults.push(GpuFault { kind: kind.clone(), since: at, last: at, count: 1 }),
            }
        }
        if self.faults.len() > MOST {
            self.faults.remove(0);
        }
    }

    /// The faults, and on top of them that the GPU is silent since a moment.
    pub fn list_faults(&self, silent_since: Option<Timestamp>) -> Vec<GpuFault> {
        let silence =
            silent_since.map(|since| GpuFault { kind: GpuFaultKind::Silent, since, last: since, count: 1 });
        silence.into_iter().chain(self.faults.iter().cloned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn told(log: &FaultLog) -> Vec<(GpuFaultKind, i64, i64, u64)> {
        let faults = log.list_faults(None).into_iter();
        faults.map(|f| (f.kind, f.since.as_second(), f.last.as_second(), f.count)).collect()
    }

    #[test]
    fn states_go_when_they_are_over_and_events_stay_and_are_counted() {
        let mut log = FaultLog::default();
        let (lost, xid) = (GpuFaultKind::Lost, GpuFaultKind::Xid { code: 31 });
        log.note_seen(second(1), &[lost.clone(), xid.clone()]);
        log.note_seen(second(2), std::slice::from_ref(&lost));
        assert_eq!(told(&log), [(lost, 1, 1, 1), (xid.clone(), 1, 1, 1)]);
        log.note_seen(second(3), &[xid.clone(), xid.clone()]);
        assert_eq!(told(&log), [(xid, 1, 3, 3)]);
    }

    #[test]
    fn a_growing_count_of_memory_errors_is_one_fault_with_the_newest_figure() {
        let mut log = FaultLog::default();
        for errors in [1, 2, 5] {
            log.note_seen(second(errors as i64), &[GpuFaultKind::Ecc { errors }]);
        }
        assert_eq!(told(&log), [(GpuFaultKind::Ecc { errors: 5 }, 1, 5, 3)]);
    }

    #[test]
    fn a_silent_gpu_says_since_when_before_anything_else() {
        let mut log = FaultLog::default();
        log.note_seen(second(1), &[GpuFaultKind::Xid { code: 119 }]);
        let faults = log.list_faults(Some(second(4)));
        assert_eq!((&faults[0].kind, faults[0].since, faults.len()), (&GpuFaultKind::Silent, second(4), 2));
    }
}
