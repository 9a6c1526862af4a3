//! How each run of this user stands, for the home screen: read once, and again when its journal has grown.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use super::error::CliError;
use super::status;
use crate::model::phase::PhaseKind;
use crate::model::run_info::RunPointer;
use crate::model::run_state::{RunStage, RunState};
use crate::results::status::{Counts, RunWord};
use crate::results::status_shard::ShardStatus;
use crate::rundir::discover::{self, Whereabouts};
use crate::rundir::error::RunDirError;
use crate::rundir::layout::RunDir;
use crate::rundir::{journal, life};
use crate::tui::model::run_line::{Glance, RunLine, Standing};
use crate::tui::model::screen::Share;

/// A run at work is looked at again after this long, also when its journal has not grown: its shards go on.
const STALE: Duration = Duration::from_secs(5);

/// What was seen of every run.
#[derive(Debug, Default)]
pub struct Glances {
    /// The pointers, and when their folder was changed last.
    pointers: Option<(Option<SystemTime>, Vec<RunPointer>)>,
    seen: HashMap<PathBuf, Seen>,
}

/// A look at a run, with what says whether it has to be looked at again.
#[derive(Debug)]
struct Seen {
    mark: Mark,
    at: Instant,
    standing: Standing,
}

/// While it stays the same, what a run that is over says stays too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    /// How long its journal is; none where there is none.
    journal: Option<u64>,
    supervised: bool,
}

impl Glances {
    /// All runs, newest first. Journals are read for so long, those of runs at work first.
    pub fn take(&mut self, patience: Duration) -> Result<Vec<RunLine>, RunDirError> {
        let begin = Instant::now();
        let pointers = self.pointers()?;
        let marks: Vec<Mark> = pointers.iter().map(|pointer| self.mark(pointer)).collect();
        let mut order: Vec<usize> = (0..pointers.len()).collect();
        order.sort_by_key(|place| !marks[*place].supervised);
        for place in order {
            let (pointer, mark) = (&pointers[place], marks[place]);
            // One is read each time, however slow the disk is.
            if self.is_stale(pointer, mark) && (place == 0 || begin.elapsed() < patience) {
                let seen = Seen { mark, at: Instant::now(), standing: look(pointer, mark) };
                self.seen.insert(pointer.dir.clone(), seen);
            }
        }
        Ok(pointers.into_iter().map(|pointer| self.line(pointer)).collect())
    }

    /// The pointers are read again when one came or went.
    fn pointers(&mut self) -> Result<Vec<RunPointer>, RunDirError> {
        let changed = discover::pointers()?.metadata().and_then(|folder| folder.modified()).ok();
        if let Some((known, pointers)) = &self.pointers
            && *known == changed
            && changed.is_some()
        {
            return Ok(pointers.clone());
        }
        let pointers = discover::pointed()?;
        self.pointers = Some((changed, pointers.clone()));
        Ok(pointers)
    }

    /// Whether a run that is known to be over is supervised is not asked again before its journal says more.
    fn mark(&self, pointer: &RunPointer) -> Mark {
        let run = RunDir::at(&pointer.dir);
        let journal = std::fs::metadata(run.journal()).ok().map(|journal| journal.len());
        let is_over = self.seen.get(&pointer.dir).is_some_and(|seen| match &seen.standing {
            Standing::Read(glance) => glance.ended.is_some() && seen.mark.journal == journal,
            Standing::Unread | Standing::Unreadable(_) | Standing::Gone(_) => false,
        });
        Mark { journal, supervised: !is_over && journal.is_some() && life::supervisor(&run).is_some() }
    }

    fn is_stale(&self, pointer: &RunPointer, mark: Mark) -> bool {
        let Some(seen) = self.seen.get(&pointer.dir) else { return true };
        let is_over = matches!(&seen.standing, Standing::Read(glance) if glance.ended.is_some());
        if is_over {
            seen.mark.journal != mark.journal
        } else {
            seen.mark != mark || seen.at.elapsed() >= STALE
        }
    }

    fn line(&self, pointer: RunPointer) -> RunLine {
        let seen = self.seen.get(&pointer.dir);
        let standing = seen.map_or(Standing::Unread, |seen| seen.standing.clone());
        RunLine { id: pointer.id, dir: pointer.dir, created: pointer.created, standing }
    }
}

/// How a run stands; one that does not read says why.
fn look(pointer: &RunPointer, mark: Mark) -> Standing {
    match discover::whereabouts(pointer) {
        Whereabouts::There => {}
        Whereabouts::Gone => return Standing::Gone("its folder is gone".to_owned()),
        Whereabouts::Replaced => return Standing::Gone("its folder holds a later run".to_owned()),
        Whereabouts::Unreadable(error) => return Standing::Unreadable(error.to_string()),
    }
    let run = RunDir::at(&pointer.dir);
    let glance = if mark.supervised { at_work(&run) } else { at_rest(&run) };
    glance.map_or_else(|error| Standing::Unreadable(error.to_string()), Standing::Read)
}

/// A run with a supervisor, with what its shards are at.
fn at_work(run: &RunDir) -> Result<Glance, CliError> {
    let status = status::of(run)?;
    let all = status.shards.len().max(1) as f64;
    let fraction = |shard: &ShardStatus| {
        let is_over = shard.phase.is_final();
        shard.progress.filter(|_| !is_over).and_then(|progress| progress.fraction()).unwrap_or(0.0)
    };
    let under_way = status.shards.iter().map(fraction).sum::<f64>() / all;
    Ok(Glance {
        state: status.run.state,
        share: Share { under_way, ..share(&status.counts) },
        counts: status.counts,
        left: status.run.eta_s.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
        ended: None,
    })
}

/// A run without one: its journal says everything.
fn at_rest(run: &RunDir) -> Result<Glance, CliError> {
    let state: RunState = journal::fold(&run.journal())?;
    let counts = Counts::of(&state);
    let ended = match state.stage {
        RunStage::Ended { at, .. } => Some(at),
        RunStage::Active | RunStage::Draining | RunStage::Stopping => None,
    };
    Ok(Glance { state: RunWord::of(state.stage, false), share: share(&counts), counts, left: None, ended })
}

fn share(counts: &Counts) -> Share {
    let all = counts.iter().map(|(_, count)| count).sum::<usize>().max(1) as f64;
    let of = |wanted: &[PhaseKind]| {
        let some = counts.iter().filter(|(kind, _)| wanted.contains(kind));
        some.map(|(_, count)| count).sum::<usize>() as f64 / all
    };
    Share {
        succeeded: of(&[PhaseKind::Succeeded]),
        lost: of(&[PhaseKind::Failed, PhaseKind::Cancelled]),
        under_way: 0.0,
    }
}
