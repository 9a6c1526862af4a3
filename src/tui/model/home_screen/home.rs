//! What the home screen knows: runs, sweeps, and the plan of a sweep that may be started.

use std::path::PathBuf;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::run_line::RunLine;
use crate::tui::model::keys::chosen::Keymap;
use crate::tui::model::overlays::overlay::Notice;
use crate::tui::model::overlays::palette::Palette;
use crate::tui::model::overlays::sweep_plan::{SweepPlan, SweepRequest};
use crate::tui::model::overlays::theme_chooser::ThemeChooser;
use crate::tui::model::screen::ScreenAccess;
use crate::tui::model::shards::filter::Filter;

/// The state of the home screen.
#[derive(Debug, Clone)]
pub struct HomeModel {
    /// The moment that is shown.
    pub now: Timestamp,
    /// Time zone in which times are shown.
    pub zone: TimeZone,
    /// Size of the screen in columns and rows.
    pub size: (u16, u16),
    /// Whether anything may be started from here.
    pub access: ScreenAccess,
    /// Runs of this user: those that go on first, those that are gone last, else the newest first; none before the
    /// first look.
    pub runs: Option<Vec<RunLine>>,
    /// Sweep files here and in `configs/`.
    pub sweeps: Vec<SweepLine>,
    /// The filter that narrows both lists.
    pub filter: Filter,
    /// The filter is being typed; this comes back with Esc.
    pub typing: Option<String>,
    /// The chosen line, counted through the runs and then the sweeps that pass the filter.
    pub cursor: usize,
    /// The line of the other list that was chosen when this one got the cursor.
    pub other: usize,
    /// The line that the mouse chose last, before any key: one more click opens it.
    pub clicked: Option<usize>,
    /// The keys and the actions that they are bound to.
    pub keymap: Keymap,
    /// The page that lies over the lists and has the keys.
    pub page: HomePage,
    /// The actions to choose from lie over all.
    pub palette: Option<Palette>,
    /// The themes to choose from lie over all.
    pub themes: Option<ThemeChooser>,
    /// The help lies over all, with so many lines hidden on top.
    pub help: Option<usize>,
    /// A line about what was just done or went wrong.
    pub notice: Option<Notice>,
}

/// A sweep file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SweepLine {
    /// Its path, as found.
    pub path: PathBuf,
    /// How many shards it has; `None` if it has mistakes.
    pub shards: Option<usize>,
}

/// The page that has the keys.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum HomePage {
    /// The lists of runs and sweeps.
    #[default]
    Lists,
    /// The plan of this sweep is being made.
    Planning(SweepRequest),
    /// The plan of a sweep.
    Plan(Box<SweepPlan>),
    /// Why a sweep has no plan, or was not started.
    Problems {
        /// The sweep that the problems are about.
        title: String,
        /// The problems as lines for people.
        lines: Vec<String>,
        /// Lines hidden on top.
        scrolled: usize,
    },
}

/// A line of the lists.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum HomeLine<'a> {
    /// A line of the list of runs.
    Run(&'a RunLine),
    /// A line of the list of sweeps.
    Sweep(&'a SweepLine),
}

impl HomeModel {
    /// Returns a screen of empty lists, before the first look.
    pub fn new(access: ScreenAccess, now: Timestamp, zone: TimeZone) -> Self {
        Self {
            now,
            zone,
            size: (80, 24),
            access,
            runs: None,
            sweeps: Vec::new(),
            filter: Filter::default(),
            typing: None,
            cursor: 0,
            other: 0,
            clicked: None,
            keymap: Keymap::default(),
            page: HomePage::Lists,
            palette: None,
            themes: None,
            help: None,
            notice: None,
        }
    }

    /// Takes a new look at the runs; the cursor stays with its line.
    pub fn take_runs(&mut self, mut runs: Vec<RunLine>) {
        runs.sort_by_key(RunLine::sort_rank);
        self.keep_cursor(|home| home.runs = Some(runs));
    }

    /// Takes the sweeps that were found.
    pub fn take_sweeps(&mut self, sweeps: Vec<SweepLine>) {
        self.keep_cursor(|home| home.sweeps = sweeps);
    }

    /// Shows what passes this filter.
    pub fn set_filter(&mut self, text: &str) {
        self.keep_cursor(|home| home.filter = Filter::new(text));
    }

    /// A second has passed.
    pub fn tick(&mut self, now: Timestamp) {
        self.now = now;
        if let Some(notice) = &mut self.notice {
            notice.ticks = notice.ticks.saturating_sub(1);
            if notice.ticks == 0 {
                self.notice = None;
            }
        }
    }

    /// The runs that pass the filter.
    pub fn shown_runs(&self) -> impl Iterator<Item = &RunLine> {
        self.runs.iter().flatten().filter(|run| {
            self.filter.is_empty()
                || self.filter.admits_text(&format!(
                    "{} {} {}",
                    run.id.0,
                    run.state_word(),
                    run.dir.display()
                ))
        })
    }

    /// The sweeps that pass the filter.
    pub fn shown_sweeps(&self) -> impl Iterator<Item = &SweepLine> {
        self.sweeps.iter().filter(|sweep| self.filter.admits_text(&sweep.path.display().to_string()))
    }

    /// All lines that can be chosen, in their order.
    pub fn lines(&self) -> Vec<HomeLine<'_>> {
        self.shown_runs().map(HomeLine::Run).chain(self.shown_sweeps().map(HomeLine::Sweep)).collect()
    }

    /// There is nothing to choose, and nothing is hidden or still looked for.
    pub fn is_empty(&self) -> bool {
        self.runs.as_ref().is_some_and(Vec::is_empty) && self.sweeps.is_empty() && self.filter.is_empty()
    }

    /// To the list without the cursor, to the line that had it there; whether there is such a list.
    pub fn switch_list(&mut self) -> bool {
        let (runs, sweeps) = (self.shown_runs().count(), self.shown_sweeps().count());
        if runs == 0 || sweeps == 0 {
            return false;
        }
        let (line, next) = if self.cursor < runs {
            (self.cursor, runs + self.other.min(sweeps - 1))
        } else {
            (self.cursor - runs, self.other.min(runs - 1))
        };
        self.other = line;
        self.cursor = next;
        true
    }

    /// Returns the line under the cursor.
    pub fn chosen_line(&self) -> Option<HomeLine<'_>> {
        self.lines().get(self.cursor).copied()
    }

    fn keep_cursor(&mut self, change: impl FnOnce(&mut Self)) {
        let path = |line: &HomeLine<'_>| match line {
            HomeLine::Run(run) => run.dir.clone(),
            HomeLine::Sweep(sweep) => sweep.path.clone(),
        };
        // As long as the user has not moved the cursor, it stays on the first line, whichever that is now.
        let chosen = self.chosen_line().filter(|_| self.cursor > 0).as_ref().map(path);
        change(self);
        let lines = self.lines();
        let place = chosen.and_then(|chosen| lines.iter().position(|line| path(line) == chosen));
        self.cursor = place.unwrap_or(self.cursor).min(lines.len().saturating_sub(1));
    }
}
