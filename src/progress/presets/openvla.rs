//! Evaluations on LIBERO in the words of OpenVLA, which OpenVLA-OFT, openpi, starVLA and many more have kept.

use memchr::{memchr_iter, memmem};

use super::episode_plan::EpisodePlan;
use crate::progress::bar::Bar;
use crate::progress::format::{Format, Look, Notes, Preset, Rank};
use crate::progress::number::{leading_f64, leading_u64};
use crate::progress::preparation::is_preparation;

/// `# episodes completed so far: 3` and `# successes: 2 (66.7%)` after each episode, behind any logger's prefix.
pub const PRESET: Preset = Preset {
    name: "openvla",
    unit: "episodes",
    rank: Rank::Program,
    needles: &[
        "episodes completed so far:",
        "# successes:",
        "Success: ",
        "success rate:",
        "Total episodes",
        "Total successes:",
        "Task suite:",
        "Starting episode ",
        "Caught exception:",
        " tasks",
        "num_trials_per_task",
        "num-trials-per-task",
        "%|",
    ],
    begin: || Box::new(OpenVla::default()),
};

/// What a program that evaluates several suites has said so far.
#[derive(Debug, Default)]
struct OpenVla {
    /// Of the suites before this one: each counts from 1 again.
    before: Results,
    suite: Results,
    /// The last `Success:` line belongs to an episode that has not been counted yet.
    outcome: Option<bool>,
    plan: EpisodePlan,
    named_suite: bool,
    exceptions: u64,
    /// What was noted last, once the log was recognised: what was noted before is void.
    noted: Option<(Results, Option<u64>)>,
    recognised: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq)]
struct Results {
    episodes: u64,
    /// Unknown while the log shows episodes without their outcomes.
    successes: Option<u64>,
}

/// What a line says: the words before a colon.
#[derive(Debug, Clone, Copy)]
enum Saying {
    Suite,
    Outcome,
    Episodes,
    Successes,
    TaskRate,
    RunningRate,
    FinalEpisodes,
    FinalSuccesses,
    FinalRate,
    Exception,
}

impl Format for OpenVla {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> Look {
        if let Some((saying, value)) = saying_of(line) {
            return self.hear(saying, value.trim_ascii_start(), notes).unwrap_or(Look::Foreign);
        }
        if !self.learn(line) {
            return Look::Foreign;
        }
        self.note(notes);
        Look::Plausible
    }

    fn read_bar(&mut self, bar: &Bar<'_>, line: &[u8], notes: &mut Notes) -> Look {
        // A logger may have written behind a bar that was not ended.
        if saying_of(line).is_some() {
            return self.read(line, notes);
        }
        let learns = self.named_suite && self.plan.wants_bars() && !is_preparation(bar);
        if !learns || !self.plan.see_bar(bar) {
            return Look::Foreign;
        }
        self.note(notes);
        Look::Plausible
    }
}

impl OpenVla {
    fn hear(&mut self, saying: Saying, value: &[u8], notes: &mut Notes) -> Option<Look> {
        let mut look = Look::Plausible;
        match saying {
            Saying::Suite => {
                self.begin_suite();
                return Some(look);
            }
            Saying::Outcome => {
                self.outcome = Some(truth(value)?);
                return Some(look);
            }
            Saying::Episodes => {
                self.count_to(leading_u64(value)?.0);
                look = Look::Typical;
            }
            Saying::Successes => {
                let (successes, rest) = leading_u64(value)?;
                self.suite.successes = Some(successes);
                if rest.starts_with(b" (") {
                    look = Look::Typical;
                }
            }
            Saying::TaskRate | Saying::RunningRate => {
                leading_f64(value)?;
                if matches!(saying, Saying::TaskRate) {
                    self.plan.end_task(self.suite.episodes);
                }
                look = Look::Typical;
            }
            Saying::FinalEpisodes => self.suite.episodes = leading_u64(value)?.0.max(self.suite.episodes),
            Saying::FinalSuccesses => self.suite.successes = Some(leading_u64(value)?.0),
            Saying::FinalRate => {
                let rate = share(value)?;
                notes.finished = true;
                if self.suite.successes.is_none() {
                    notes.metric("success_rate", rate);
                }
                // `0.8247 (82.5%)`.
                if memmem::find(value, b" (").is_some_and(|at| at <= 6) {
                    look = Look::Typical;
                }
            }
            Saying::Exception => {
                self.exceptions += 1;
                notes.metric("caught_exceptions", self.exceptions as f64);
                return Some(Look::Plausible);
            }
        }
        self.note(notes);
        self.recognised |= look == Look::Typical;
        Some(look)
    }

    /// Learns from other lines how much there is to do; true when the line had to do with that.
    fn learn(&mut self, line: &[u8]) -> bool {
        if let Some(at) = memmem::find(line, b"Starting episode ") {
            if matches!(leading_u64(&line[at + 17..]), Some((1, _))) {
                self.plan.end_task(self.suite.episodes);
            }
            return true;
        }
        (self.plan.wants_setting() && self.plan.read_setting(line))
            || (self.suite.episodes == 0 && self.plan.read_tasks(line))
    }

    fn begin_suite(&mut self) {
        self.named_suite = true;
        if self.suite.episodes == 0 {
            return;
        }
        self.before = self.overall();
        self.suite = Results::default();
        self.plan.begin_suite();
    }

    fn count_to(&mut self, episodes: u64) {
        if episodes < self.suite.episodes {
            self.begin_suite();
        }
        if episodes == self.suite.episodes {
            return;
        }
        let one_more = episodes == self.suite.episodes + 1;
        let known = if self.suite.episodes == 0 { Some(0) } else { self.suite.successes };
        let outcome = self.outcome.take().filter(|_| one_more);
        self.suite.successes = known.zip(outcome).map(|(known, success)| known + u64::from(success));
        self.suite.episodes = episodes;
    }

    fn overall(&self) -> Results {
        let before = if self.before.episodes == 0 { Some(0) } else { self.before.successes };
        Results {
            episodes: self.before.episodes.saturating_add(self.suite.episodes),
            successes: before.zip(self.suite.successes).map(|(a, b)| a.saturating_add(b)),
        }
    }

    fn note(&mut self, notes: &mut Notes) {
        let overall = self.overall();
        let total = self.plan.total(self.suite.episodes);
        let total = total.map(|total| total.saturating_add(self.before.episodes));
        let now = Some((overall, total));
        if self.noted == now {
            return;
        }
        self.noted = now.filter(|_| self.recognised);
        if overall.episodes == 0 && total.is_none() {
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

/// The first words on the line that are known, and what stands behind their colon. Prefixes of loggers have colons
/// too, so each colon is tried; bars stand before the words as well as behind the value.
fn saying_of(line: &[u8]) -> Option<(Saying, &[u8])> {
    memchr_iter(b':', line).find_map(|colon| Some((saying(&line[..colon])?, &line[colon + 1..])))
}

fn saying(words: &[u8]) -> Option<Saying> {
    // Most colons belong to times and prefixes: the last letters tell at once.
    let (ending, saying): (&[u8], Saying) = match words.last_chunk()? {
        b" far" => (b"# episodes completed so far", Saying::Episodes),
        b"cess" => (b"Success", Saying::Outcome),
        b"uite" => (b"Task suite", Saying::Suite),
        b"tion" => (b"Caught exception", Saying::Exception),
        b"ated" => (b"Total episodes evaluated", Saying::FinalEpisodes),
        b"odes" => (b"Total episodes", Saying::FinalEpisodes),
        b"sses" if words.ends_with(b"# successes") => (b"# successes", Saying::Successes),
        b"sses" => (b"Total successes", Saying::FinalSuccesses),
        b"rate" if words.ends_with(b"task success rate") => (b"Current task success rate", Saying::TaskRate),
        b"rate" if words.ends_with(b"total success rate") => {
            (b"Current total success rate", Saying::RunningRate)
        }
        b"rate" if words.ends_with(b"Total success rate") => (b"Total success rate", Saying::FinalRate),
        b"rate" => (b"Overall success rate", Saying::FinalRate),
        _ => return None,
    };
    words.ends_with(ending).then_some(saying)
}

fn truth(value: &[u8]) -> Option<bool> {
    match value {
        [b'T' | b't', b'r', b'u', b'e', ..] => Some(true),
        [b'F' | b'f', b'a', b'l', b's', b'e', ..] => Some(false),
        _ => None,
    }
}

/// `0.8247`, `0.8247 (82.5%)` or `82.5%`.
fn share(value: &[u8]) -> Option<f64> {
    let number = leading_f64(value)?;
    let end = value.iter().position(|byte| !byte.is_ascii_digit() && *byte != b'.').unwrap_or(value.len());
    Some(if value[end..].starts_with(b"%") { number / 100.0 } else { number })
}
