//! Asks for runs, sweeps and plans on a thread of its own, so that no slow disk and no slow driver holds up the keys.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use crate::model::ids::RunId;
use crate::tui::model::home_screen::home::SweepLine;
use crate::tui::model::home_screen::run_line::{RunLine, RunLineState};
use crate::tui::model::overlays::sweep_plan::{SweepPlan, SweepRequest};
use crate::tui::options::HomeBackend;

/// How often the runs are looked at: often enough to see one end.
const LOOK: Duration = Duration::from_secs(1);

/// How long journals are read before the first results are reported: short enough to answer an errand in between.
const READ: Duration = Duration::from_millis(100);

/// Choices that follow one another faster are answered once.
const PAUSE: Duration = Duration::from_millis(200);

/// A request that the home screen makes of the scout.
#[derive(Debug, Clone, PartialEq)]
pub enum LoadRequest {
    /// The plan of a wish; one that was asked for before and is not begun yet is dropped.
    Plan(SweepRequest),
    /// Take a run that is gone from the list.
    Forget(RunId),
}

/// An answer or a change that the scout reports.
#[derive(Debug, Clone, PartialEq)]
pub enum LoaderReport {
    /// States of the runs, when they differ from the ones reported before.
    Runs(Result<Vec<RunLine>, String>),
    /// The sweeps that can be started.
    Sweeps(Vec<SweepLine>),
    /// The plan of a wish.
    Plan(SweepRequest, Box<Result<SweepPlan, Vec<String>>>),
    /// A run could not be taken from the list.
    NotForgotten(String),
}

/// The thread. It ends with its last errand when this is dropped.
#[derive(Debug)]
pub struct BackgroundLoader {
    errands: Sender<LoadRequest>,
    news: Receiver<LoaderReport>,
}

impl BackgroundLoader {
    /// Begins to look around; `wake` is called from the thread when there is news.
    pub fn start(launcher: Box<dyn HomeBackend>, wake: impl Fn() + Send + 'static) -> io::Result<Self> {
        let (errands, asked) = channel();
        let (teller, news) = channel();
        let tell = move |told| {
            // No one listens any more when the screen has been left; the next wait for an errand ends the thread.
            let _ = teller.send(told);
            wake();
        };
        let name = "scout".to_owned();
        std::thread::Builder::new().name(name).spawn(move || run_scout(launcher, &asked, &tell))?;
        Ok(Self { errands, news })
    }

    /// Asks; the answer is news.
    pub fn request_load(&self, errand: LoadRequest) {
        // The thread ends only when this is dropped, or with a panic that was reported.
        let _ = self.errands.send(errand);
    }

    /// Returns the news that has come since the last call.
    pub fn take_news(&self) -> impl Iterator<Item = LoaderReport> {
        self.news.try_iter()
    }
}

fn run_scout(
    mut launcher: Box<dyn HomeBackend>,
    errands: &Receiver<LoadRequest>,
    tell: &impl Fn(LoaderReport),
) {
    let mut told = None;
    let mut tells_sweeps = true;
    loop {
        let runs = launcher.list_runs(READ);
        let is_unread = |run: &RunLine| run.standing == RunLineState::Unread;
        let more = runs.as_ref().is_ok_and(|runs| runs.iter().any(is_unread));
        if told.as_ref() != Some(&runs) {
            tell(LoaderReport::Runs(runs.clone()));
            told = Some(runs);
        }
        if std::mem::take(&mut tells_sweeps) {
            tell(LoaderReport::Sweeps(launcher.list_sweeps()));
        }
        match errands.recv_timeout(if more { Duration::ZERO } else { LOOK }) {
            Ok(errand) => run_errands(&mut *launcher, errand, errands, tell),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Runs this errand and those that follow at once; of wishes the last one only.
fn run_errands(
    launcher: &mut dyn HomeBackend,
    first: LoadRequest,
    errands: &Receiver<LoadRequest>,
    tell: &impl Fn(LoaderReport),
) {
    let mut wished = None;
    let mut next = Some(first);
    while let Some(errand) = next {
        match errand {
            LoadRequest::Plan(wish) => wished = Some(wish),
            LoadRequest::Forget(run) => {
                if let Err(text) = launcher.forget_run(&run) {
                    tell(LoaderReport::NotForgotten(text));
                }
            }
        }
        // The plan of a sweep that was just chosen is wanted at once.
        let is_new = wished.as_ref().is_none_or(|wish| *wish == SweepRequest::for_path(wish.path.clone()));
        next = if is_new { errands.try_recv().ok() } else { errands.recv_timeout(PAUSE).ok() };
    }
    if let Some(wish) = wished {
        let plan = launcher.make_plan(&wish);
        tell(LoaderReport::Plan(wish, Box::new(plan)));
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::mpsc::SyncSender;

    use super::*;

    /// Reports which wishes reached it.
    struct Wishes(SyncSender<SweepRequest>);

    impl HomeBackend for Wishes {
        fn list_runs(&mut self, _patience: Duration) -> Result<Vec<RunLine>, String> {
            Ok(Vec::new())
        }

        fn list_sweeps(&mut self) -> Vec<SweepLine> {
            Vec::new()
        }

        fn make_plan(&mut self, wish: &SweepRequest) -> Result<SweepPlan, Vec<String>> {
            self.0.send(wish.clone()).expect("the test listens");
            Err(vec!["none".to_owned()])
        }

        fn forget_run(&mut self, _run: &RunId) -> Result<(), String> {
            Err("no".to_owned())
        }
    }

    #[test]
    fn of_wishes_that_follow_one_another_the_last_is_answered() {
        let (sender, wishes) = std::sync::mpsc::sync_channel(16);
        let scout = BackgroundLoader::start(Box::new(Wishes(sender)), || {}).unwrap();
        let wish = |parallel| SweepRequest { parallel, ..SweepRequest::for_path(PathBuf::from("a.toml")) };
        let patience = Duration::from_secs(20);
        scout.request_load(LoadRequest::Plan(wish(None)));
        assert_eq!(wishes.recv_timeout(patience), Ok(wish(None)));
        for parallel in 1..=9 {
            scout.request_load(LoadRequest::Plan(wish(Some(parallel))));
        }
        let mut last = wishes.recv_timeout(patience).unwrap();
        while last != wish(Some(9)) {
            // A machine that was asleep between two of them answers one in between.
            last = wishes.recv_timeout(patience).unwrap();
        }
        assert!(wishes.try_recv().is_err(), "each wish is answered once");
    }
}
