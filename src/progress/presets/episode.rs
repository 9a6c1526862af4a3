//! Evaluators that print `Episode 3/100 reward=12.3 length=200 success=1`.

use std::sync::LazyLock;

use memchr::memchr2_iter;
use memchr::memmem::Finder;

use crate::progress::format::{Format, Look, Notes, Preset, Rank};
use crate::progress::mean::Mean;
use crate::progress::number::{leading_f64, leading_u64};

/// `Episode 3/100`, with any of `reward=`, `length=` or `len=`, and `success=` behind it.
pub const PRESET: Preset = Preset {
    name: "episode",
    unit: "episodes",
    rank: Rank::Manner,
    needles: &["Episode ", "episode "],
    begin: || Box::new(Episodes::default()),
};

/// Both `Episode` and `episode`.
static WORD: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("pisode "));

const REWARD: &str = "mean_reward";
const LENGTH: &str = "mean_length";
const RATE: &str = "success_rate";

#[derive(Debug, Default)]
struct Episodes {
    episodes: u64,
    successes: Mean,
    reward: Mean,
    length: Mean,
}

/// What a value of an episode is.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Reward,
    Length,
    Success,
}

impl Format for Episodes {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> Look {
        let Some((done, total)) = count(line) else { return Look::Foreign };
        self.episodes += 1;
        notes.progress(done, Some(total));
        // `reward=1`, `reward: 1`; by hand, because a log may hold nothing else.
        for sign in memchr2_iter(b'=', b':', line) {
            self.value(&line[..sign], &line[sign + 1..], notes);
        }
        Look::Typical
    }

    fn totals(&self, notes: &mut Notes) {
        if self.episodes == 0 {
            return;
        }
        notes.metric("episodes", self.episodes as f64);
        if self.successes.count > 0 {
            notes.metric("successes", self.successes.sum);
        }
        for (name, mean) in [(RATE, self.successes), (REWARD, self.reward), (LENGTH, self.length)] {
            mean.value().into_iter().for_each(|mean| notes.metric(name, mean));
        }
    }
}

impl Episodes {
    /// Notes the value behind a sign, where the word before it is a name that counts.
    fn value(&mut self, before: &[u8], behind: &[u8], notes: &mut Notes) {
        let Some(kind) = Kind::at_end(before.trim_ascii_end()) else { return };
        let behind = behind.trim_ascii_start();
        let Some(value) = leading_f64(behind).or_else(|| truth(behind)) else { return };
        let (mean, name) = match kind {
            Kind::Reward => (&mut self.reward, REWARD),
            Kind::Length => (&mut self.length, LENGTH),
            // A share such as `success=0.22` tells of many episodes, not of this one.
            Kind::Success if value != 0.0 && value != 1.0 => return,
            Kind::Success => (&mut self.successes, RATE),
        };
        mean.add(value);
        // The line that spoils the mean is the one to show.
        if value.is_nan() {
            notes.metric(name, value);
        }
    }
}

impl Kind {
    /// What the last word of the text names.
    fn at_end(text: &[u8]) -> Option<Self> {
        // Patterns are compared without a call for each.
        let (before, kind) = match text {
            [before @ .., b'r', b'e', b'w', b'a', b'r', b'd']
            | [before @ .., b'r', b'e', b't', b'u', b'r', b'n'] => (before, Self::Reward),
            [before @ .., b'l', b'e', b'n', b'g', b't', b'h'] | [before @ .., b'l', b'e', b'n'] => {
                (before, Self::Length)
            }
            [before @ .., b's', b'u', b'c', b'c', b'e', b's', b's'] => (before, Self::Success),
            _ => return None,
        };
        before.last().is_none_or(|byte| !is_of_word(*byte)).then_some(kind)
    }
}

/// `3` and `100` of `Episode 3/100`, `[eval] episode 3 / 100:` or `Episode 3 of 100`.
fn count(line: &[u8]) -> Option<(u64, u64)> {
    // Most begin with it, which is told without a search.
    let begins = line.get(1..8) == Some(b"pisode ");
    let mut positions = begins.then_some(1).into_iter().chain(WORD.find_iter(line));
    positions.find_map(|at| {
        let first = *line.get(at.checked_sub(1)?)?;
        let before = at.checked_sub(2).map(|position| line[position]);
        let stands_alone = before.is_none_or(|byte| byte.is_ascii_whitespace() || b"]:|".contains(&byte));
        (stands_alone && matches!(first, b'E' | b'e')).then_some(())?;
        let (done, rest) = leading_u64(line[at + b"pisode ".len()..].trim_ascii_start())?;
        let rest = rest.trim_ascii_start();
        let rest = rest.strip_prefix(b"/").or_else(|| rest.strip_prefix(b"of"))?;
        let (total, _) = leading_u64(rest.trim_ascii_start())?;
        Some((done, total))
    })
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn truth(text: &[u8]) -> Option<f64> {
    let end = text.iter().position(|byte| !is_of_word(*byte)).unwrap_or(text.len());
    match &text[..end] {
        b"True" | b"true" | b"yes" => Some(1.0),
        b"False" | b"false" | b"no" => Some(0.0),
        _ => None,
    }
}
