//! The report of a run, rendered again as the run makes progress, for as long as anybody looks at it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::cli::error::CliError;
use crate::rundir::layout::RunDir;
use crate::rundir::machine_wide::discover;
use crate::rundir::{plans, proven_state};
use crate::supervisor::results::results_files;

/// The shortest time between two states: people read no faster.
const SHORTEST: Duration = Duration::from_secs(2);

/// So many times what a rendering took passes before the next one: a long report must not take a core.
const REST: u32 = 10;

/// The newest state of the page.
#[derive(Debug)]
pub struct LiveReport {
    run: RunDir,
    newest: Mutex<Newest>,
    versions: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Newest {
    page: Option<Arc<str>>,
    /// When the next rendering is due.
    due: Option<Instant>,
}

impl LiveReport {
    /// Renders the first state; a run that cannot be read is an error.
    pub fn open(run: RunDir) -> Result<Self, CliError> {
        let report = Self { run, newest: Mutex::new(Newest::default()), versions: watch::Sender::new(0) };
        report.page()?;
        Ok(report)
    }

    /// Returns the page, rendered again where that is due.
    pub fn page(&self) -> Result<Arc<str>, CliError> {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(page), Some(due)) = (&newest.page, newest.due)
            && Instant::now() < due
        {
            return Ok(page.clone());
        }
        let begun = Instant::now();
        let page: Arc<str> = render(&self.run)?.into();
        newest.due = Some(Instant::now() + SHORTEST.max(begun.elapsed() * REST));
        if newest.page.as_ref() != Some(&page) {
            newest.page = Some(page.clone());
            let version = hash_text(&page);
            self.versions.send_if_modified(|old| std::mem::replace(old, version) != version);
        }
        Ok(page)
    }

    /// Returns the number of the newest state, which changes with it.
    pub fn versions(&self) -> watch::Receiver<u64> {
        self.versions.subscribe()
    }

    /// Renders new states for as long as the process lives; none while no stream is open.
    pub fn follow(&self) {
        loop {
            std::thread::sleep(SHORTEST);
            if self.versions.receiver_count() > 0 {
                // A run that cannot be read now is said by the page itself.
                let _ = self.page();
            }
        }
    }
}

fn render(run: &RunDir) -> Result<String, CliError> {
    let info = discover::read_info(run)?;
    let mut plan = plans::read_first_plan(run)?;
    let state = proven_state::read_state(run)?;
    plan.catch_up(&state);
    Ok(results_files::render_live(run, &info, &plan, &state)?)
}

/// Short enough for a number of JavaScript, so that a page sees the same one.
fn hash_text(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish() >> 12
}
