//! State of each run of this user, for the home screen: read once, and again when its journal has grown.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use super::summarize_run;
use crate::model::state::run_info::RunPointer;
use crate::rundir::error::RunDirError;
use crate::rundir::layout::RunDir;
use crate::rundir::machine_wide::discover::{self, Whereabouts};
use crate::rundir::residence;
use crate::tui::model::home_screen::run_line::{RunLine, RunLineState};

/// A run at work is looked at again after this long, also when its journal has not grown: its shards go on.
const STALE: Duration = Duration::from_secs(5);

/// A run that could not be read is tried again after this long: its disk may be back.
const TRY_AGAIN: Duration = Duration::from_mins(1);

/// Everything that was seen of the runs.
#[derive(Debug, Default)]
pub struct RunSummaries {
    /// The pointers, and when their folder was changed last.
    pointers: Option<(Option<SystemTime>, Vec<RunPointer>)>,
    seen: HashMap<PathBuf, CachedRun>,
}

/// A look at a run, with the data that decides whether it has to be looked at again.
#[derive(Debug)]
struct CachedRun {
    mark: RunFingerprint,
    at: Instant,
    standing: RunLineState,
}

/// While it stays the same, the summary of a run that is over stays valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RunFingerprint {
    /// How long its journal is; `None` if there is none.
    journal: Option<u64>,
    supervised: bool,
}

impl RunSummaries {
    /// All runs, newest first. Journals are read for so long: first those that never were, of these first the ones of
    /// runs at work, and then those that were read longest ago.
    pub fn list_runs(&mut self, patience: Duration) -> Result<Vec<RunLine>, RunDirError> {
        let pointers = self.read_pointers()?;
        self.renew_stale(&pointers, patience);
        Ok(pointers.into_iter().map(|pointer| self.build_line(pointer)).collect())
    }

    fn renew_stale(&mut self, pointers: &[RunPointer], patience: Duration) {
        let marked = pointers.iter().map(|pointer| (pointer, self.read_mark(pointer)));
        let now = Instant::now();
        let mut stale: Vec<(&RunPointer, RunFingerprint)> =
            marked.filter(|(pointer, mark)| self.is_stale(pointer, *mark, now)).collect();
        stale.sort_by_key(|(pointer, mark)| {
            (self.seen.get(&pointer.dir).map(|seen| seen.at), !mark.supervised)
        });
        // The patience is for journals: on a slow disk the marks of many runs alone may take longer.
        let begin = Instant::now();
        for (number, (pointer, mark)) in stale.into_iter().enumerate() {
            // One is read each time, however slow the disk is.
            if number > 0 && begin.elapsed() >= patience {
                break;
            }
            let seen = CachedRun { mark, at: Instant::now(), standing: read_run_state(pointer, mark) };
            self.seen.insert(pointer.dir.clone(), seen);
        }
    }

    /// The pointers are read again when one came or went.
    fn read_pointers(&mut self) -> Result<Vec<RunPointer>, RunDirError> {
        let changed = discover::pointers_folder()?.metadata().and_then(|folder| folder.modified()).ok();
        if let Some((known, pointers)) = &self.pointers
            && *known == changed
            && changed.is_some()
        {
            return Ok(pointers.clone());
        }
        let pointers = discover::list_pointers()?;
        self.pointers = Some((changed, pointers.clone()));
        Ok(pointers)
    }

    /// Whether a run that is known to be over is supervised is not asked again before its journal grows.
    fn read_mark(&self, pointer: &RunPointer) -> RunFingerprint {
        let run = RunDir::at(&pointer.dir);
        let journal = run.journal_path().metadata().ok().map(|journal| journal.len());
        let is_over = self.seen.get(&pointer.dir).is_some_and(|seen| match &seen.standing {
            RunLineState::Read(glance) => glance.ended.is_some() && seen.mark.journal == journal,
            RunLineState::Unread | RunLineState::Unreadable(_) | RunLineState::Gone(_) => false,
        });
        RunFingerprint { journal, supervised: !is_over && journal.is_some() && residence::seems_served(&run) }
    }

    /// A run without a supervisor changes with its mark only.
    fn is_stale(&self, pointer: &RunPointer, mark: RunFingerprint, now: Instant) -> bool {
        let Some(seen) = self.seen.get(&pointer.dir) else { return true };
        let age = now.saturating_duration_since(seen.at);
        match &seen.standing {
            RunLineState::Read(glance) if glance.ended.is_some() => seen.mark.journal != mark.journal,
            RunLineState::Read(_) => seen.mark != mark || (mark.supervised && age >= STALE),
            RunLineState::Unread => true,
            RunLineState::Unreadable(_) | RunLineState::Gone(_) => {
                seen.mark != mark || age >= if mark.supervised { STALE } else { TRY_AGAIN }
            }
        }
    }

    fn build_line(&self, pointer: RunPointer) -> RunLine {
        let seen = self.seen.get(&pointer.dir);
        let standing = seen.map_or(RunLineState::Unread, |seen| seen.standing.clone());
        RunLine { id: pointer.id, dir: pointer.dir, created: pointer.created, standing }
    }
}

/// Returns the state of a run; for one that cannot be read, the reason.
fn read_run_state(pointer: &RunPointer, mark: RunFingerprint) -> RunLineState {
    match discover::check_whereabouts(pointer) {
        Whereabouts::There => {}
        Whereabouts::Gone => return RunLineState::Gone("its folder is gone".to_owned()),
        Whereabouts::Replaced => return RunLineState::Gone("its folder holds a later run".to_owned()),
        Whereabouts::Unreadable(error) => return RunLineState::Unreadable(error.to_string()),
    }
    let run = RunDir::at(&pointer.dir);
    let glance = if mark.supervised { summarize_run::at_work(&run) } else { summarize_run::at_rest(&run) };
    glance.map_or_else(
        |error| RunLineState::Unreadable(error.to_string()),
        |glance| RunLineState::Read(Box::new(glance)),
    )
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::model::ids::RunId;
    use crate::model::state::run_state::RunStage;
    use crate::model::state::run_state::RunState;
    use crate::results::status::document::PhaseCounts;
    use crate::results::status::document::RunWord;
    use crate::tui::model::home_screen::run_line::RunSummary;
    use crate::tui::model::results::run_progress::RunShares;

    fn pointer(dir: PathBuf) -> RunPointer {
        let name = dir.file_name().unwrap().to_string_lossy().into_owned();
        RunPointer { id: RunId(name.clone()), name, dir, created: Timestamp::UNIX_EPOCH }
    }

    #[test]
    fn without_any_patience_one_more_run_is_read_each_time() {
        let folder = tempfile::tempdir().unwrap();
        let pointers = ["a", "b", "c"].map(|name| pointer(folder.path().join(name)));
        let mut glances = RunSummaries::default();
        for read in 1..=3 {
            glances.renew_stale(&pointers, Duration::ZERO);
            assert_eq!(glances.seen.len(), read);
        }
    }

    #[test]
    fn what_cannot_have_changed_is_not_read_again() {
        let of = |supervised, standing| {
            let run = pointer(PathBuf::from("/run"));
            let mark = RunFingerprint { journal: Some(1), supervised };
            let at = Instant::now();
            let seen = HashMap::from([(run.dir.clone(), CachedRun { mark, at, standing })]);
            let glances = RunSummaries { pointers: None, seen };
            let after = |seconds| glances.is_stale(&run, mark, at + Duration::from_secs(seconds));
            let grown = RunFingerprint { journal: Some(2), ..mark };
            assert!(glances.is_stale(&run, grown, at), "its journal has grown");
            [after(4), after(6), after(59), after(61)]
        };
        let read = || {
            RunLineState::Read(Box::new(RunSummary {
                state: RunWord::from_stage(RunStage::Active, false),
                counts: PhaseCounts::from_state(&RunState::default()),
                share: RunShares::default(),
                left: None,
                opens: None,
                ended: None,
                success: None,
                failed: None,
                rows: Vec::new(),
            }))
        };
        assert_eq!(of(true, read()), [false, true, true, true]);
        assert_eq!(of(false, read()), [false; 4]);
        assert_eq!(of(false, RunLineState::Gone("gone".to_owned())), [false, false, false, true]);
        assert_eq!(of(false, RunLineState::Unreadable("cut".to_owned())), [false, false, false, true]);
        assert_eq!(of(true, RunLineState::Unreadable("cut".to_owned())), [false, true, true, true]);
    }
}
