//! Episodes with an outcome and a distance: means, counts, and what is odd about all of them together.

use std::cmp::Reverse;
use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::mean::Mean;
use crate::model::logs::metric_name::MetricName;
use crate::model::results::episode_list::{Episode, EpisodeList};
use crate::model::sweep::rule::BuiltInRule;
use crate::progress::format::{LogFinding, Notes};

/// How one episode ended.
#[derive(Debug, Clone, Copy)]
pub struct EpisodeOutcome<'a> {
    /// The program's name for the episode; another ending of the same name replaces this one.
    pub id: &'a [u8],
    /// E.g. `TIMEOUT`, in capitals.
    pub outcome: &'a [u8],
    /// How long it took, where the unit is known.
    pub seconds: Option<f64>,
    /// How far it came, where that is measured.
    pub metres: Option<f64>,
    /// Score of the episode, where the program counts one.
    pub score: Option<f64>,
}

/// The episodes so far. A log may hold nothing but their lines, so that what is kept of each is found by a hash that
/// takes a few nanoseconds.
#[derive(Debug, Default)]
pub struct EpisodeTally {
    episodes: u64,
    successes: u64,
    outcomes: Vec<OutcomeMetric>,
    seconds: Mean,
    metres: Mean,
    score: Mean,
    ends: HashMap<Distance, Ends, FixedState>,
    unmoved: Vec<Unmoved>,
    unmoved_count: u64,
    known: HashMap<Vec<u8>, CountedEpisode, FixedState>,
}

#[derive(Debug)]
struct OutcomeMetric {
    word: Vec<u8>,
    metric: MetricName,
    count: u64,
}

/// Hundredths of a metre, which is finer than anything prints.
type Distance = i64;

/// How many episodes ended at one distance.
#[derive(Debug, Default, Clone, Copy)]
struct Ends {
    successes: u64,
    others: u64,
}

/// An episode that had all its time and did not move.
#[derive(Debug)]
struct Unmoved {
    name: String,
    metres: f64,
}

/// The values to take back when the same episode is reported again.
#[derive(Debug, Clone, Copy)]
struct CountedEpisode {
    /// Position among the known outcomes, if it was counted there.
    outcome: Option<usize>,
    is_success: bool,
    seconds: Option<f64>,
    metres: Option<f64>,
    score: Option<f64>,
}

/// Outcomes become metric names, so a log must not be able to invent any number of them.
const MOST_OUTCOMES: usize = 16;

/// Distances lie within a course of some hundred metres.
const MOST_DISTANCES: usize = 10_000;

/// Highest number of episodes among which repetitions are noticed, so that memory stays bounded.
const MOST_KNOWN: usize = 20_000;

/// Metrics that are means over episodes: of time, distance and score.
const MEANS: [&str; 3] = ["mean_time_s", "mean_progress_m", "mean_score"];

/// Outcomes of episodes that reached the goal.
const SUCCESSES: [&[u8]; 2] = [b"COMPLETE", b"SUCCESS"];

/// Outcome of an episode that used all its time. Only such an episode can have stayed where it was: one that fell at
/// the start has moved.
const OUT_OF_TIME: &[u8] = b"TIMEOUT";

/// Sways on the spot.
const UNMOVED_METRES: f64 = 0.1;

/// Fewer episodes may well end at the same place.
const FEWEST_ALIKE: u64 = 10;

/// Names of episodes in a message.
const MOST_NAMED: usize = 5;

impl EpisodeTally {
    /// Counts one more, in place of the earlier one of its name: a run that was started again in the same log repeats
    /// what it had not saved.
    pub fn add(&mut self, ending: &EpisodeOutcome<'_>, notes: &mut Notes) {
        if let Some(known) = self.known.get(ending.id).copied() {
            self.take_back(ending.id, known);
        }
        let outcome = self.outcome(ending.outcome);
        let is_success = SUCCESSES.contains(&ending.outcome);
        self.episodes += 1;
        self.successes += u64::from(is_success);
        ending.seconds.into_iter().for_each(|seconds| self.seconds.add(seconds));
        ending.metres.into_iter().for_each(|metres| self.metres.add(metres));
        ending.score.into_iter().for_each(|score| self.score.add(score));
        if let Some(metres) = ending.metres {
            self.end_at(metres, is_success);
            if metres <= UNMOVED_METRES && ending.outcome == OUT_OF_TIME {
                self.has_not_moved(ending.id, metres);
            }
        }
        let EpisodeOutcome { seconds, metres, score, .. } = *ending;
        // The line that spoils a mean is the one to show.
        for (name, value) in MEANS.into_iter().zip([seconds, metres, score]) {
            value.filter(|value| value.is_nan()).into_iter().for_each(|value| notes.metric(name, value));
        }
        if self.known.len() < MOST_KNOWN {
            let known = CountedEpisode { outcome, is_success, seconds, metres, score };
            self.known.insert(ending.id.to_vec(), known);
        }
    }

    /// Lists how each episode ended; none where some were counted but not kept. The text before an episode's number
    /// names its task.
    pub fn list(&self) -> Option<EpisodeList> {
        if self.known.len() as u64 != self.episodes {
            return None;
        }
        let mut told: Vec<(String, i64, bool)> = Vec::new();
        for (id, known) in &self.known {
            let id = String::from_utf8_lossy(id);
            let task = id.trim_end_matches(|c: char| c.is_ascii_digit());
            told.push((task.to_owned(), id[task.len()..].parse().ok()?, known.is_success));
        }
        told.sort_unstable();
        EpisodeList::from_episodes(told.iter().map(|(task, number, success)| Episode {
            task,
            number: *number,
            seed: None,
            success: Some(*success),
        }))
    }

    /// Notes what all of them come to.
    pub fn note(&self, notes: &mut Notes) {
        if self.episodes == 0 {
            return;
        }
        for outcome in &self.outcomes {
            notes.metric(outcome.metric.clone(), outcome.count as f64);
        }
        notes.metric("episodes", self.episodes as f64);
        notes.metric("successes", self.successes as f64);
        notes.metric("success_rate", self.successes as f64 / self.episodes as f64);
        for (name, mean) in MEANS.into_iter().zip([self.seconds, self.metres, self.score]) {
            mean.value().into_iter().for_each(|mean| notes.metric(name, mean));
        }
    }

    /// The outcome with one more episode.
    fn outcome(&mut self, word: &[u8]) -> Option<usize> {
        let position = self.outcomes.iter().position(|outcome| outcome.word == word);
        let position = position.or_else(|| {
            let metric = format!("outcome_{}", String::from_utf8_lossy(word)).into();
            let is_new = self.outcomes.len() < MOST_OUTCOMES;
            is_new.then(|| {
                self.outcomes.push(OutcomeMetric { word: word.to_vec(), metric, count: 0 });
                self.outcomes.len() - 1
            })
        })?;
        self.outcomes[position].count += 1;
        Some(position)
    }

    fn end_at(&mut self, metres: f64, is_success: bool) {
        let distance = distance(metres);
        if self.ends.len() < MOST_DISTANCES || self.ends.contains_key(&distance) {
            let ends = self.ends.entry(distance).or_default();
            ends.successes += u64::from(is_success);
            ends.others += u64::from(!is_success);
        }
    }

    fn has_not_moved(&mut self, id: &[u8], metres: f64) {
        self.unmoved_count += 1;
        if self.unmoved.len() < MOST_NAMED {
            self.unmoved.push(Unmoved { name: short_name(id), metres });
        }
    }

    fn take_back(&mut self, id: &[u8], known: CountedEpisode) {
        self.episodes -= 1;
        self.successes -= u64::from(known.is_success);
        known.seconds.into_iter().for_each(|seconds| self.seconds.take_back(seconds));
        known.score.into_iter().for_each(|score| self.score.take_back(score));
        let mut was_out_of_time = false;
        if let Some(position) = known.outcome {
            let outcome = &mut self.outcomes[position];
            outcome.count -= 1;
            was_out_of_time = outcome.word == OUT_OF_TIME;
        }
        if let Some(metres) = known.metres {
            self.metres.take_back(metres);
            if let Some(ends) = self.ends.get_mut(&distance(metres)) {
                ends.successes = ends.successes.saturating_sub(u64::from(known.is_success));
                ends.others = ends.others.saturating_sub(u64::from(!known.is_success));
            }
            if was_out_of_time && metres <= UNMOVED_METRES {
                self.unmoved_count = self.unmoved_count.saturating_sub(1);
                let name = short_name(id);
                self.unmoved.retain(|unmoved| unmoved.name != name);
            }
        }
    }

    /// Returns signs of trouble that only all episodes together show.
    pub fn signs(&self) -> Vec<LogFinding> {
        [self.constant_outcome(), self.never_moved()].into_iter().flatten().collect()
    }

    /// Most episodes ended at the same distance without success. Where others succeeded at this distance the course
    /// ends there.
    fn constant_outcome(&self) -> Option<LogFinding> {
        let (distance, ends) =
            self.ends.iter().max_by_key(|(distance, ends)| (ends.others, Reverse(**distance)))?;
        let is_odd = ends.successes == 0 && ends.others >= FEWEST_ALIKE && 2 * ends.others > self.episodes;
        is_odd.then(|| LogFinding {
            rule: BuiltInRule::ConstantOutcome,
            message: format!(
                "{} of {} episodes ended at exactly {} m",
                ends.others,
                self.episodes,
                metres_text(*distance as f64 / 100.0)
            ),
        })
    }

    fn never_moved(&self) -> Option<LogFinding> {
        let named = self.unmoved.iter().map(|unmoved| unmoved.name.as_str()).collect::<Vec<_>>().join(", ");
        let metres = self.unmoved.iter().map(|unmoved| unmoved.metres).fold(0.0, f64::max);
        let count = self.unmoved_count;
        let who = if count == 1 { "1 episode".to_owned() } else { format!("{count} episodes") };
        let more = if count > self.unmoved.len() as u64 { ", …" } else { "" };
        (count > 0).then(|| LogFinding {
            rule: BuiltInRule::NeverMoved,
            message: format!("{who} never moved ({} m): {named}{more}", metres_text(metres)),
        })
    }
}

fn distance(metres: f64) -> Distance {
    (metres * 100.0).round() as Distance
}

/// Writes metres as such programs print them: to a tenth, or to a hundredth where that adds something.
fn metres_text(metres: f64) -> String {
    if distance(metres) % 10 == 0 { format!("{metres:.1}") } else { format!("{metres:.2}") }
}

/// Shortens the name of an episode: `grass_rough_ep0004` becomes `ep4`.
fn short_name(id: &[u8]) -> String {
    let digits = id.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (before, number) = id.split_at(id.len() - digits);
    let number = String::from_utf8_lossy(number);
    if before.ends_with(b"ep") && digits > 0 {
        let number = number.trim_start_matches('0');
        return format!("ep{}", if number.is_empty() { "0" } else { number });
    }
    String::from_utf8_lossy(id).chars().take(40).collect()
}
