//! Episodes of suites of tasks that one program evaluates one after the other, each counted from 1.

use super::episode_plan::EpisodePlan;

/// Number of bytes of a suite's name that are kept to recognise it.
const KEPT_OF_NAME: usize = 128;

/// The suites of one log so far.
#[derive(Debug, Default)]
pub struct Suites {
    before: Option<EarlierSuites>,
    /// The present one, as far as it is named.
    name: Option<Vec<u8>>,
    now: SuiteResults,
    /// How many episodes the present one has.
    pub plan: EpisodePlan,
    /// An exception was caught in the episode that is not over.
    raised: bool,
    /// The present one has given its final results.
    ended: bool,
    /// Its number of episodes was among them.
    summed_up: bool,
}

/// All suites before the present one together.
#[derive(Debug, Clone, Copy)]
struct EarlierSuites {
    results: SuiteResults,
    total: Option<u64>,
    /// Each gave its final results.
    ended: bool,
}

/// The relation of a new suite to the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begin {
    /// Nothing was counted before it.
    First,
    /// Another suite came before it.
    Next,
    /// The same suite is run once more.
    Again,
}

/// Numbers of episodes, and how they went.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct SuiteResults {
    /// Episodes that are over.
    pub episodes: u64,
    /// Episodes that succeeded; unknown while the log shows episodes without their outcomes.
    pub successes: Option<u64>,
    /// Episodes in which an exception was caught.
    pub errors: u64,
}

impl Suites {
    /// Returns the results of the present suite.
    pub fn now(&self) -> SuiteResults {
        self.now
    }

    /// The name of the present suite; empty where it has none.
    pub fn name(&self) -> &[u8] {
        self.name.as_deref().unwrap_or_default()
    }

    /// The present suite was named.
    pub fn is_named(&self) -> bool {
        self.name.is_some()
    }

    /// Returns the results of all suites together.
    pub fn overall(&self) -> SuiteResults {
        self.before.map_or(self.now, |before| before.results.and(self.now))
    }

    /// The episodes of all suites, where the log shows how many there are.
    pub fn total(&self) -> Option<u64> {
        let is_counted = self.ended && (self.summed_up || self.now.episodes > 0);
        let total = self.plan.total(self.now.episodes).or(is_counted.then_some(self.now.episodes))?;
        match self.before {
            Some(before) => before.total.map(|earlier| earlier.saturating_add(total)),
            None => Some(total),
        }
    }

    /// The same, where the only suite has its usual tasks and no line says how many.
    pub fn usual_total(&self) -> Option<u64> {
        self.plan.usual_total().filter(|_| self.before.is_none() && !self.ended)
    }

    /// The present suite gave its final results; true when each before it did so too.
    pub fn end(&mut self) -> bool {
        self.ended = true;
        self.before.is_none_or(|before| before.ended)
    }

    /// The number of the present suite's episodes was among its final results.
    pub fn is_summed_up(&self) -> bool {
        self.summed_up
    }

    /// A suite of this name begins behind one with results, or not. The same again is another run of it,
    /// after a crash or with another seed: what it did before counts no more.
    pub fn begin(&mut self, name: &[u8]) -> Begin {
        let name = name[..name.len().min(KEPT_OF_NAME)].trim_ascii_end().to_vec();
        // Results without a name are those of another log: they add to none.
        let is_same = self.name.as_ref().map_or(self.ended, |known| *known == name);
        let had_results = self.now.episodes > 0;
        if had_results && is_same {
            // Suites that never came to an end were those of a run that broke off.
            self.before = self.before.filter(|before| before.ended);
            self.begin_again();
        } else if had_results {
            self.begin_next();
        } else if self.name.is_some() {
            self.plan.begin_suite();
        }
        self.name = Some(name);
        match (had_results, is_same) {
            (false, _) => Begin::First,
            (true, false) => Begin::Next,
            (true, true) => Begin::Again,
        }
    }

    /// Another run of the present suite begins.
    fn begin_again(&mut self) {
        (self.now, self.raised) = (SuiteResults::default(), false);
        (self.ended, self.summed_up) = (false, false);
        self.plan.begin_suite();
    }

    /// Adds the present suite to the earlier ones, and begins another.
    fn begin_next(&mut self) {
        self.before = Some(EarlierSuites {
            results: self.overall(),
            total: self.total(),
            ended: self.ended && self.before.is_none_or(|before| before.ended),
        });
        self.begin_again();
    }

    /// An episode of the present suite begins, its number counted within its task.
    pub fn begin_episode(&mut self, number: Option<u64>) {
        if number == Some(1) {
            self.plan.end_task(self.now.episodes);
        }
    }

    /// An exception was caught.
    pub fn raise(&mut self) {
        self.raised = true;
    }

    /// Takes so many episodes of the present suite as over; `outcome` is that of the last one. Returns true where there
    /// are fewer than before: another run has begun, and no line said that it goes on with another suite.
    pub fn count_to(&mut self, episodes: u64, outcome: Option<bool>) -> bool {
        let begins_again = episodes < self.now.episodes;
        if begins_again {
            self.begin_again();
        }
        if episodes == self.now.episodes {
            return false;
        }
        let one_more = episodes - 1 == self.now.episodes;
        let known = if self.now.episodes == 0 { Some(0) } else { self.now.successes };
        let outcome = outcome.filter(|_| one_more);
        self.now = SuiteResults {
            episodes,
            successes: known.zip(outcome).map(|(known, success)| known + u64::from(success)),
            errors: self.now.errors + u64::from(self.raised),
        };
        self.raised = false;
        begins_again
    }

    /// All episodes of the present suite are this many, or more where more were counted. Said once again, it is said of
    /// the next one.
    pub fn came_to(&mut self, episodes: u64) {
        if self.ended && self.summed_up {
            self.begin_next();
        }
        self.summed_up = true;
        if (1..episodes).contains(&self.now.episodes) {
            // Those that were counted are not those of all.
            self.now.successes = None;
        }
        self.now.episodes = episodes.max(self.now.episodes);
    }

    /// So many of the present suite's episodes succeeded.
    pub fn succeeded(&mut self, successes: u64) {
        self.now.successes = Some(successes);
    }
}

impl SuiteResults {
    fn and(self, other: Self) -> Self {
        let other_successes = if other.episodes == 0 { Some(0) } else { other.successes };
        Self {
            episodes: self.episodes.saturating_add(other.episodes),
            successes: self.successes.zip(other_successes).map(|(a, b)| a.saturating_add(b)),
            errors: self.errors.saturating_add(other.errors),
        }
    }
}
