//! What lines about single episodes say of reward, length and success, as means over all of them.

use memchr::memchr2_iter;

use super::mean::Mean;
use super::printed::success_share::SuccessShare;
use crate::progress::format::Notes;
use crate::progress::text::number::leading_f64;
use crate::progress::text::word::is_one_of;

const REWARD: &str = "mean_reward";
const LENGTH: &str = "mean_length";
const RATE: &str = "success_rate";

/// The episodes so far.
#[derive(Debug, Default)]
pub struct EpisodeMeans {
    episodes: u64,
    successes: Mean,
    /// Of the newest line: the value behind a word for failure.
    failure: Option<f64>,
    /// `success: 1, fail: 3`: how many of all so far, and not the outcome of one.
    are_tallies: bool,
    reward: Mean,
    length: Mean,
    /// The program's own words on all of them.
    printed: PrintedSuccess,
}

#[derive(Debug, Default)]
struct PrintedSuccess {
    /// So many succeeded of so many.
    counted: Option<(f64, f64)>,
    rate: Option<f64>,
}

/// The items whose values were added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Every episode, each of them once.
    EachEpisode,
    /// Every counted item, of whatever kind.
    EachItem,
    /// Some episodes, or some of them twice: means over these would be those of a sample.
    Sample,
}

/// The kind of a value that belongs to an episode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EpisodeMeasure {
    Reward,
    Length,
    Success,
    Failure,
}

impl EpisodeMeans {
    /// Adds an episode with the text behind its count, and what one word there says of its outcome; returns how it
    /// ended, where that is known.
    pub fn add(&mut self, behind: &[u8], outcome: Option<bool>, notes: &mut Notes) -> Option<bool> {
        self.episodes += 1;
        let (known, sum) = (self.successes.count, self.successes.sum);
        // `reward=1`, `reward: 1`; by hand, because a log may hold nothing else.
        self.failure = None;
        for sign in memchr2_iter(b'=', b':', behind) {
            self.value(&behind[..sign], &behind[sign + 1..], notes);
        }
        let value = (self.successes.count > known).then_some(self.successes.sum - sum);
        self.are_tallies |=
            value.zip(self.failure).is_some_and(|(success, failure)| success + failure != 1.0);
        if self.successes.count == known
            && let Some(success) = outcome.or_else(|| answer(behind))
        {
            self.successes.add(f64::from(u8::from(success)));
        }
        (self.successes.count > known).then_some(self.successes.sum > sum)
    }

    /// The program's own word on how many succeeded; of fewer than were counted here it is that of a part.
    pub fn printed(&mut self, share: SuccessShare) {
        match share {
            SuccessShare::Counted { episodes, .. } if episodes < self.episodes as f64 => {}
            SuccessShare::Counted { successes, episodes } => {
                self.printed.counted = Some((successes, episodes))
            }
            SuccessShare::Rate(rate) => self.printed.rate = Some(rate),
        }
    }

    /// The program's own word on the share of successes.
    pub fn printed_rate(&self) -> Option<f64> {
        let counted = self.printed.counted.filter(|(_, episodes)| *episodes > 0.0);
        counted.map(|(successes, episodes)| successes / episodes).or(self.printed.rate)
    }

    /// Notes what all of them come to.
    pub fn note(&self, counted: Counted, notes: &mut Notes) {
        match counted {
            Counted::EachEpisode => {
                self.note_successes(notes);
                self.note_means(notes);
            }
            Counted::EachItem => return self.note_means(notes),
            Counted::Sample => {}
        }
        if let Some((successes, episodes)) = self.printed.counted {
            notes.metric("successes", successes);
            notes.metric("episodes", episodes);
            notes.metric(RATE, successes / episodes);
        }
        self.printed.rate.into_iter().for_each(|rate| notes.metric(RATE, rate));
    }

    /// Notes successes and their rate. If some episodes did not say how they ended, a rate over the others would be
    /// that of a sample.
    fn note_successes(&self, notes: &mut Notes) {
        if self.episodes == 0 {
            return;
        }
        notes.metric("episodes", self.episodes as f64);
        if self.successes.count == self.episodes && !self.are_tallies {
            notes.metric("successes", self.successes.sum);
            self.successes.value().into_iter().for_each(|rate| notes.metric(RATE, rate));
        }
    }

    fn note_means(&self, notes: &mut Notes) {
        for (name, mean) in [(REWARD, self.reward), (LENGTH, self.length)] {
            mean.value().into_iter().for_each(|mean| notes.metric(name, mean));
        }
    }

    /// Notes the value behind a sign, where the word before it is a name that counts.
    fn value(&mut self, before: &[u8], behind: &[u8], notes: &mut Notes) {
        // `"success": false` of a record.
        let name = before.trim_ascii_end();
        let name = name.strip_suffix(b"\"").or_else(|| name.strip_suffix(b"'")).unwrap_or(name);
        let Some(kind) = EpisodeMeasure::at_end(name) else { return };
        let behind = behind.trim_ascii_start();
        let Some(value) = leading_f64(behind).or_else(|| truth(behind)) else { return };
        let (mean, name) = match kind {
            EpisodeMeasure::Reward => (&mut self.reward, REWARD),
            EpisodeMeasure::Length => (&mut self.length, LENGTH),
            // A share such as `success=0.22` is about many episodes, not about this one.
            EpisodeMeasure::Success if value != 0.0 && value != 1.0 => return,
            // So does `success: 1/5`.
            EpisodeMeasure::Success if is_share(behind) => return,
            EpisodeMeasure::Success => (&mut self.successes, RATE),
            EpisodeMeasure::Failure => return self.failure = Some(value),
        };
        mean.add(value);
        // The line that spoils the mean is the one to show.
        if value.is_nan() {
            notes.metric(name, value);
        }
    }
}

impl EpisodeMeasure {
    /// Returns the kind of value that the last word of the text names.
    fn at_end(text: &[u8]) -> Option<Self> {
        // Patterns are compared without a call for each.
        let (before, kind) = match text {
            [before @ .., b'r' | b'R', b'e', b'w', b'a', b'r', b'd']
            | [before @ .., b'r' | b'R', b'e', b't', b'u', b'r', b'n'] => (before, Self::Reward),
            [before @ .., b'l' | b'L', b'e', b'n', b'g', b't', b'h'] | [before @ .., b'l', b'e', b'n'] => {
                (before, Self::Length)
            }
            [before @ .., b's' | b'S', b'u', b'c', b'c', b'e', b's', b's'] => (before, Self::Success),
            [before @ .., b'f' | b'F', b'a', b'i', b'l']
            | [before @ .., b'f' | b'F', b'a', b'i', b'l', b'e', b'd']
            | [before @ .., b'f' | b'F', b'a', b'i', b'l', b'u', b'r', b'e'] => (before, Self::Failure),
            _ => return None,
        };
        let stands_alone = before.last().is_none_or(|byte| !is_of_word(*byte));
        let of_all: &[&str] = match kind {
            Self::Success | Self::Failure => &["total", "cumulative"],
            // Of the steps of an episode.
            Self::Reward | Self::Length => &[],
        };
        (stands_alone && !is_of_many(before, of_all)).then_some(kind)
    }
}

/// `avg reward`, `best reward`: not of this episode.
fn is_of_many(before: &[u8], of_all: &[&str]) -> bool {
    let before = before.trim_ascii_end();
    let letters = before.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let word = &before[before.len() - letters..];
    const OF_MANY: [&str; 10] =
        ["avg", "average", "mean", "best", "max", "min", "running", "moving", "smoothed", "recent"];
    is_one_of(word, &OF_MANY) || is_one_of(word, of_all)
}

/// `: True` and nothing else: the answer to whether it succeeded.
fn answer(behind: &[u8]) -> Option<bool> {
    match behind.trim_ascii().strip_prefix(b":")?.trim_ascii() {
        b"True" | b"true" => Some(true),
        b"False" | b"false" => Some(false),
        _ => None,
    }
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_share(text: &[u8]) -> bool {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && matches!(text[digits..].trim_ascii_start().first(), Some(b'/' | b'%'))
}

fn truth(text: &[u8]) -> Option<f64> {
    let end = text.iter().position(|byte| !is_of_word(*byte)).unwrap_or(text.len());
    match &text[..end] {
        b"True" | b"true" | b"yes" => Some(1.0),
        b"False" | b"false" | b"no" => Some(0.0),
        _ => None,
    }
}
