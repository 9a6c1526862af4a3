//! Evaluations on LIBERO in the words of OpenVLA, which OpenVLA-OFT, openpi, starVLA and many more have kept.

use super::episodes::suites::{Begin, SuiteResults, Suites};
use super::openvla_words::{Saying, is_on_next_line, saying_of, truth};
use crate::model::results::episode_list::{Episode, EpisodeList, MOST_EPISODES};
use crate::model::sweep::rule::BuiltInRule;
use crate::progress::counts::bar::Bar;
use crate::progress::counts::preparation::is_preparation;
use crate::progress::counts::rate::leading_rate;
use crate::progress::format::{Format, LineMatch, LogFinding, Notes, Preset, PresetRank};
use crate::progress::text::find::find;
use crate::progress::text::number::{leading_f64, leading_fraction, leading_u64};

/// `# episodes completed so far: 3` and `# successes: 2 (66.7%)` after each episode, behind any logger's prefix.
pub const PRESET: Preset = Preset {
    name: "openvla",
    unit: "episodes",
    rank: PresetRank::Program,
    needles: &[
        "episodes completed so far:",
        "# successes:",
        "Success: ",
        "success rate:",
        "Total episodes",
        "Total successes:",
        "Final results:",
        "Task suite:",
        STARTING,
        "Caught exception:",
        "Episode error:",
        " tasks",
        "num_trials_per_task",
        "num-trials-per-task",
        "%|",
    ],
    begin: &|| Box::new(OpenVla::default()),
};

const STARTING: &str = "Starting episode ";

/// A program that evaluates several suites, as far as the log shows it.
#[derive(Debug, Default)]
struct OpenVla {
    suites: Suites,
    /// The last `Success:` line belongs to an episode that has not been counted yet.
    outcome: Option<bool>,
    exceptions: u64,
    /// The suite and the number of each episode, and how it ended.
    each: Vec<(String, u64, bool)>,
    /// The rate among the final results.
    final_rate: Option<f64>,
    /// Results, total and usual total that were noted last, once the log was recognised: what was noted before is void.
    noted: Option<(SuiteResults, Option<u64>, Option<u64>)>,
    recognised: bool,
}

impl Format for OpenVla {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        if let Some((saying, value)) = saying_of(line) {
            return self.hear(saying, value.trim_ascii(), notes).unwrap_or(LineMatch::Foreign);
        }
        if !self.learn(line) {
            return LineMatch::Foreign;
        }
        self.note(notes);
        LineMatch::Plausible
    }

    fn read_bar(&mut self, bar: &Bar<'_>, line: &[u8], notes: &mut Notes) -> LineMatch {
        // A logger may have written behind a bar that was not ended.
        if saying_of(line).is_some() {
            return self.read(line, notes);
        }
        // The end of a log shows that it counts, but not the name.
        let is_known = self.suites.is_named() || self.recognised;
        let learns = is_known && self.suites.plan.wants_bars() && !is_preparation(bar);
        if !learns || !self.suites.plan.see_bar(bar) {
            return LineMatch::Foreign;
        }
        self.note(notes);
        LineMatch::Plausible
    }

    fn totals(&self, notes: &mut Notes) {
        if self.exceptions > 0 {
            notes.metric("caught_exceptions", self.exceptions as f64);
        }
    }

    /// Each suite counts its episodes from 1, task by task.
    fn episodes(&self) -> Option<EpisodeList> {
        EpisodeList::from_episodes(self.each.iter().map(|(suite, number, success)| Episode {
            task: suite,
            number: i64::try_from(*number).unwrap_or(i64::MAX),
            seed: None,
            success: Some(*success),
        }))
    }

    fn closing(&self) -> Vec<LogFinding> {
        let SuiteResults { episodes, errors, .. } = self.suites.overall();
        match errors {
            0 => Vec::new(),
            errors if errors == episodes && !self.has_only_begun(episodes) => vec![LogFinding {
                rule: BuiltInRule::OnlyErrors,
                message: format!(
                    "no episode ran to its end: {errors} of {episodes} ended in an exception and count as failures"
                ),
            }],
            errors => vec![LogFinding {
                rule: BuiltInRule::EpisodeErrors,
                message: format!(
                    "{errors} of {episodes} episodes ended in an exception and count as failures"
                ),
            }],
        }
    }
}

impl OpenVla {
    /// So few are over that those which follow may go better.
    fn has_only_begun(&self, episodes: u64) -> bool {
        const FEW: u64 = 3;
        let is_over = self.suites.is_summed_up() || self.suites.total() == Some(episodes);
        episodes < FEW && !is_over
    }

    fn hear(&mut self, saying: Saying, value: &[u8], notes: &mut Notes) -> Option<LineMatch> {
        let mut look = LineMatch::Plausible;
        match saying {
            Saying::Suite => {
                let begin = self.suites.begin(value);
                (notes.resumes, notes.restarts) = (begin == Begin::Next, begin == Begin::Again);
                self.suites.plan.name_suite(value);
                // `libero_spatial (3/10 tasks)`.
                self.suites.plan.read_tasks(value);
                if value.starts_with(b"libero") {
                    look = LineMatch::Typical;
                }
            }
            Saying::Outcome => {
                self.outcome = Some(truth(value)?);
                return Some(look);
            }
            Saying::Episodes => {
                let (count, outcome) = (leading_u64(value)?.0, self.outcome.take());
                notes.restarts = self.count_to(count, outcome);
                look = LineMatch::Typical;
            }
            Saying::Successes => look = self.successes(value)?,
            Saying::TaskRate | Saying::RunningRate => {
                (leading_f64(value).is_some() || is_on_next_line(value)).then_some(())?;
                if matches!(saying, Saying::TaskRate) {
                    let done = self.suites.now().episodes;
                    self.suites.plan.end_task(done);
                }
                look = LineMatch::Typical;
            }
            Saying::FinalEpisodes => {
                self.suites.came_to(leading_u64(value)?.0);
                self.note_final_rate(notes);
            }
            Saying::FinalSuccesses => self.suites.succeeded(leading_u64(value)?.0),
            Saying::FinalRate => {
                // `12/20 (60.0%)` counts the episodes too.
                if let Some((successes, episodes, _)) = counts(value).filter(|_| !self.suites.is_summed_up())
                {
                    self.suites.came_to(episodes);
                    self.suites.succeeded(successes);
                }
                self.final_rate = leading_rate(value);
                (leading_f64(value).is_some() || is_on_next_line(value)).then_some(())?;
                notes.finished = self.suites.end();
                self.note_final_rate(notes);
                // `0.8247 (82.5%)`.
                if find(value, b" (").is_some_and(|at| at <= 6) {
                    look = LineMatch::Typical;
                }
            }
            Saying::FinalCounts => {
                let (successes, episodes, _) = counts(value)?;
                self.suites.came_to(episodes);
                self.suites.succeeded(successes);
                notes.finished = self.suites.end();
            }
            Saying::Exception => {
                self.exceptions += 1;
                self.suites.raise();
                return Some(look);
            }
        }
        self.note(notes);
        self.recognised |= look == LineMatch::Typical;
        Some(look)
    }

    /// The rate that is printed at the end, where the successes of all episodes were not counted.
    fn note_final_rate(&self, notes: &mut Notes) {
        if let Some(rate) = self.final_rate.filter(|_| self.suites.now().successes.is_none()) {
            notes.metric("success_rate", rate);
        }
    }

    /// So many episodes of the present suite are over; true where another run has begun.
    fn count_to(&mut self, episodes: u64, outcome: Option<bool>) -> bool {
        if let Some(success) = outcome
            && self.each.len() <= MOST_EPISODES
        {
            let suite = String::from_utf8_lossy(self.suites.name()).into_owned();
            self.each.push((suite, episodes, success));
        }
        self.suites.count_to(episodes, outcome)
    }

    /// Takes the successes so far: `2 (66.7%)`.
    fn successes(&mut self, value: &[u8]) -> Option<LineMatch> {
        let (successes, rest) = leading_u64(value)?;
        let percent = rest.strip_prefix(b" (");
        // Loggers that wrap lines may have torn the one that counts the episode; the share says whether it is one more.
        if let Some(outcome) = self.outcome.take()
            && self.suites.is_named()
            && let Some(percent) = percent.and_then(leading_f64)
        {
            let episodes = self.suites.now().episodes.saturating_add(1);
            if (100.0 * successes as f64 / episodes as f64 - percent).abs() <= 0.051 {
                self.count_to(episodes, Some(outcome));
            }
        }
        self.suites.succeeded(successes);
        Some(if percent.is_some() { LineMatch::Typical } else { LineMatch::Plausible })
    }

    /// Learns from other lines how much there is to do; true when the line had to do with that.
    fn learn(&mut self, line: &[u8]) -> bool {
        if let Some(at) = find(line, STARTING.as_bytes()) {
            let number = leading_u64(&line[at + STARTING.len()..]).map(|(number, _)| number);
            self.suites.begin_episode(number);
            return true;
        }
        let is_first = self.suites.now().episodes == 0;
        let plan = &mut self.suites.plan;
        (plan.wants_setting() && plan.read_setting(line)) || (is_first && plan.read_tasks(line))
    }

    fn note(&mut self, notes: &mut Notes) {
        let (overall, total) = (self.suites.overall(), self.suites.total());
        notes.usual_total = self.suites.usual_total();
        let now = Some((overall, total, notes.usual_total));
        if self.noted == now {
            return;
        }
        let noted_before = self.noted.is_some();
        self.noted = now.filter(|_| self.recognised);
        if overall.episodes == 0 && total.is_none() && !noted_before {
            return;
        }
        notes.progress(overall.episodes, total);
        if overall.episodes == 0 {
            return;
        }
        notes.metric("episodes", overall.episodes as f64);
        if let Some(successes) = overall.successes {
            notes.metric("successes", successes as f64);
            notes.metric("success_rate", successes as f64 / overall.episodes as f64);
        }
    }
}

/// `12/20`: so many succeeded of so many.
fn counts(value: &[u8]) -> Option<(u64, u64, &[u8])> {
    leading_fraction(value).filter(|(successes, episodes, _)| successes <= episodes)
}
