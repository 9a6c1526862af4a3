//! What becomes of faults of GPUs: a file for the screens, a line of the journal for each that is new, and a warning on
//! every attempt that was there.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use jiff::Timestamp;
use tracing::warn;

use crate::model::ids::{AttemptKey, GpuIndex};
use crate::model::machine::gpu_health::{GpuFault, GpuFaultKind, GpuHealth};
use crate::model::units::duration_between;
use crate::rundir::layout::RunDir;
use crate::rundir::telemetry;

/// Pause before the same fault of a GPU is reported again: a GPU that flickers would fill the journal.
const AGAIN: Duration = Duration::from_secs(600);

/// The driver reports an error up to a round of readings after it has ended a program.
const LATE: Duration = Duration::from_secs(3);

/// The faults so far.
#[derive(Default)]
pub(in crate::supervisor) struct GpuFaults {
    health: Vec<GpuHealth>,
    told: HashMap<(GpuIndex, String), Timestamp>,
    /// Attempts that ended a moment ago, and where they were.
    ended: Vec<(Timestamp, AttemptKey, Vec<GpuIndex>)>,
}

/// A fault, or the end of one, that is to be reported.
#[derive(Debug, PartialEq)]
pub(in crate::supervisor) struct FaultNews {
    pub(in crate::supervisor) gpu: GpuIndex,
    pub(in crate::supervisor) text: String,
    /// Whether it is a fault that begins or happens, not one that is over.
    pub(in crate::supervisor) is_fault: bool,
    /// Whether it was reported a short while ago; it is of interest only to attempts that were not there then.
    pub(in crate::supervisor) is_again: bool,
}

impl GpuFaults {
    /// Takes in what is wrong now; writes it where it has changed and returns what is new.
    pub(in crate::supervisor) fn update_health(
        &mut self,
        run: &RunDir,
        health: Vec<GpuHealth>,
        now: Timestamp,
    ) -> Vec<FaultNews> {
        if health == self.health {
            return Vec::new();
        }
        if let Err(error) = telemetry::write_health(run, &health) {
            warn!("{error}");
        }
        let before = std::mem::replace(&mut self.health, health);
        let mut news = Vec::new();
        for gpu in &self.health {
            let earlier = before.iter().find(|one| one.gpu == gpu.gpu).map_or(&[][..], |one| &one.faults);
            news.extend(diff_faults(gpu.gpu, earlier, &gpu.faults));
        }
        for news in &mut news {
            let told = self.told.entry((news.gpu, news.text.clone())).or_insert(Timestamp::MIN);
            news.is_again = duration_between(*told, now) < AGAIN;
            if !news.is_again {
                *told = now;
            }
        }
        news
    }

    /// An attempt has ended.
    pub(in crate::supervisor) fn note_end(&mut self, key: AttemptKey, gpus: Vec<GpuIndex>, now: Timestamp) {
        self.ended.retain(|(at, ..)| duration_between(*at, now) < LATE);
        self.ended.push((now, key, gpus));
    }

    /// Returns attempts that ended so shortly ago that what a GPU reports now may be about them.
    pub(in crate::supervisor) fn just_ended(
        &self,
        gpu: GpuIndex,
        now: Timestamp,
    ) -> impl Iterator<Item = &AttemptKey> {
        let is_meant = move |(at, _, gpus): &&(Timestamp, AttemptKey, Vec<GpuIndex>)| {
            duration_between(*at, now) < LATE && gpus.contains(&gpu)
        };
        self.ended.iter().filter(is_meant).map(|(_, key, _)| key)
    }

    /// Returns the lasting faults of these GPUs, in words.
    pub(in crate::supervisor) fn lasting_faults(&self, gpus: &[GpuIndex]) -> BTreeSet<String> {
        let health = self.health.iter().filter(|health| gpus.contains(&health.gpu));
        let lasting = health.flat_map(|health| {
            let states = health.faults.iter().filter(|fault| !fault.kind.is_event());
            states.map(|fault| fault.kind.to_sentence(health.gpu))
        });
        lasting.collect()
    }
}

/// Returns what began, happened, or is over.
fn diff_faults(gpu: GpuIndex, before: &[GpuFault], now: &[GpuFault]) -> Vec<FaultNews> {
    let is_new = |fault: &&GpuFault| {
        let known = before.iter().find(|known| known.kind.is_same(&fault.kind));
        known.is_none_or(|known| fault.count > known.count)
    };
    let begun = now.iter().filter(is_new);
    let mut news: Vec<FaultNews> = begun
        .map(|fault| FaultNews { gpu, text: fault.kind.to_sentence(gpu), is_fault: true, is_again: false })
        .collect();
    let was_out = before.iter().any(|fault| keeps_it_from_answering(&fault.kind));
    if was_out && !now.iter().any(|fault| keeps_it_from_answering(&fault.kind)) {
        news.push(FaultNews {
            gpu,
            text: format!("GPU {gpu} answers again"),
            is_fault: false,
            is_again: false,
        });
    }
    news
}

fn keeps_it_from_answering(kind: &GpuFaultKind) -> bool {
    match kind {
        GpuFaultKind::Silent | GpuFaultKind::Lost | GpuFaultKind::NeedsReset | GpuFaultKind::Refused => true,
        GpuFaultKind::Mig
        | GpuFaultKind::Xid { .. }
        | GpuFaultKind::Ecc { .. }
        | GpuFaultKind::Sick { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ids::{AttemptNumber, ShardId};

    fn second(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn health(faults: &[(GpuFaultKind, u64)]) -> Vec<GpuHealth> {
        let fault = |(kind, count): &(GpuFaultKind, u64)| GpuFault {
            kind: kind.clone(),
            since: second(0),
            last: second(0),
            count: *count,
        };
        vec![GpuHealth { gpu: GpuIndex(1), faults: faults.iter().map(fault).collect() }]
    }

    fn run() -> (tempfile::TempDir, RunDir) {
        let folder = tempfile::tempdir().unwrap();
        let run = RunDir::at(folder.path());
        run.telemetry_folder().create_dir_all().unwrap();
        (folder, run)
    }

    #[test]
    fn a_fault_is_told_when_it_begins_and_when_the_gpu_is_back() {
        let (_folder, run) = run();
        let mut faults = GpuFaults::default();
        let mut take = |kinds: &[(GpuFaultKind, u64)], at| {
            let news = faults.update_health(&run, health(kinds), second(at));
            news.into_iter().filter(|news| !news.is_again).map(|news| news.text).collect::<Vec<_>>()
        };
        assert_eq!(take(&[], 1), Vec::<String>::new());
        assert!(take(&[(GpuFaultKind::Lost, 1)], 2)[0].starts_with("GPU 1 is lost"));
        assert_eq!(take(&[(GpuFaultKind::Lost, 1)], 3), Vec::<String>::new());
        assert_eq!(take(&[], 4), ["GPU 1 answers again"]);
        assert_eq!(take(&[(GpuFaultKind::Lost, 1)], 5), Vec::<String>::new(), "not again so soon");
        take(&[], 6);
        assert_eq!(take(&[(GpuFaultKind::Lost, 1)], 603).len(), 1);
        assert_eq!(telemetry::read_health(&run).unwrap(), Some(health(&[(GpuFaultKind::Lost, 1)])));
    }

    #[test]
    fn an_error_that_comes_again_later_is_told_again() {
        let (_folder, run) = run();
        let mut faults = GpuFaults::default();
        let xid = |count| health(&[(GpuFaultKind::Xid { code: 31 }, count)]);
        for (count, at, is_again) in [(1, 0, false), (2, 60, true), (3, 660, false)] {
            let news = faults.update_health(&run, xid(count), second(at));
            assert_eq!(news.iter().map(|news| news.is_again).collect::<Vec<_>>(), [is_again]);
        }
        assert_eq!(faults.update_health(&run, xid(3), second(661)), []);
    }

    #[test]
    fn what_a_gpu_tells_late_is_about_those_that_just_ended() {
        let mut faults = GpuFaults::default();
        let key = AttemptKey { shard: ShardId::new("a").unwrap(), attempt: AttemptNumber::FIRST };
        faults.note_end(key.clone(), vec![GpuIndex(1)], second(10));
        assert_eq!(faults.just_ended(GpuIndex(1), second(12)).collect::<Vec<_>>(), [&key]);
        assert_eq!(faults.just_ended(GpuIndex(0), second(12)).count(), 0);
        assert_eq!(faults.just_ended(GpuIndex(1), second(14)).count(), 0);
    }
}
