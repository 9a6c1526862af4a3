//! Counts above a bar: `Epoch 3/30`, in its name or on a line between bars.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::count_units::EPOCHS;
use crate::progress::text::find::find;
use crate::progress::text::number::leading_fraction;
use crate::progress::text::number::leading_u64;

/// The number of a round and the total of rounds, of whatever kind the word before it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OuterCount {
    /// The number of the round, as it is written.
    pub index: u64,
    /// How many there are, where the log says so.
    pub total: Option<u64>,
    /// Name of the rounds in the plural, where the log names them.
    pub unit: Option<&'static str>,
}

/// The state of a round, according to the line that names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Round {
    /// The round begins: a heading, with nothing but ornament behind the count.
    Begins,
    /// The round has come so far: `Epoch [3/30], Step [100/500]`.
    At {
        /// Steps done of it.
        done: u64,
        /// Total number of steps in the round.
        total: u64,
    },
    /// The round is over: results follow the count.
    IsOver,
}

/// Names of rounds: the word before their count, and its plural.
const WORDS: [(&str, &str); 14] = [
    ("epoch", "epochs"),
    ("task", "tasks"),
    ("episode", "episodes"),
    ("ep", "episodes"),
    ("trial", "trials"),
    ("round", "rounds"),
    ("iteration", "iterations"),
    ("iter", "iterations"),
    ("fold", "folds"),
    ("seed", "seeds"),
    ("run", "runs"),
    ("suite", "suites"),
    ("scene", "scenes"),
    ("stage", "stages"),
];

const EPOCH_WORD: &[u8] = b"epoch";

static EPOCH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)\bepochs?\s*[:#=]?\s*[\[(]?\s*(?<index>\d+)\s*(?:/|(?:out )?of)\s*(?<total>\d+)")
        .expect("a constant pattern")
});

/// The count in the name of a bar: `Epoch 3/30 (lr=0.1)`, or at its start as in a table with a column of epochs.
/// Several counts contradict one another, and a count behind another word may be that of successes.
pub fn in_name(name: &[u8]) -> Option<OuterCount> {
    if memchr::memchr(b'/', name).is_none() {
        return epoch_in_name(name);
    }
    let mut words = name
        .split(|byte| matches!(byte, b' ' | b'=' | b':' | b'[' | b']' | b'(' | b')' | b'|' | b',' | b'#'))
        .filter(|word| !word.is_empty());
    let mut before: Option<&[u8]> = None;
    let mut found = None;
    for word in words.by_ref() {
        if let Some((index, total)) = fraction(word) {
            if found.is_some() {
                return None;
            }
            found = Some((before, index, total));
        }
        before = Some(word);
    }
    let (before, index, total) = found?;
    let unit = match before {
        None => None,
        Some(word) => Some(WORDS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes()))?.1),
    };
    Some(OuterCount { index, total: Some(total), unit })
}

/// `Epoch 9`, `Training epoch 9`, `Epoch #200`, `Epoch 7 [warmup]`, `Epoch 99, iter 73: loss 0.1`: how many there are is
/// not in the name.
fn epoch_in_name(name: &[u8]) -> Option<OuterCount> {
    let name = name.trim_ascii();
    let name =
        ["Training ", "Train "].iter().find_map(|deed| name.strip_prefix(deed.as_bytes())).unwrap_or(name);
    let (word, number) = name.split_at_checked(EPOCH_WORD.len())?;
    let number = number.trim_ascii_start();
    let (index, rest) = leading_u64(number.strip_prefix(b"#").unwrap_or(number))?;
    let ends = rest.first().is_none_or(|byte| matches!(byte, b' ' | b',' | b':'));
    (word.eq_ignore_ascii_case(EPOCH_WORD) && ends).then_some(OuterCount {
        index,
        total: None,
        unit: Some(EPOCHS),
    })
}

/// Reports whether more than the word and its number is in such a name: `Epoch 7 [warmup]`, `Training epoch 7`.
pub fn has_remark(name: &[u8]) -> bool {
    let is_first =
        name.trim_ascii().get(..EPOCH_WORD.len()).is_some_and(|word| word.eq_ignore_ascii_case(EPOCH_WORD));
    !is_first || name.iter().skip_while(|byte| !byte.is_ascii_digit()).any(u8::is_ascii_alphabetic)
}

/// How many epochs there were, from the line by which Lightning ends: `` `Trainer.fit` stopped: `max_epochs=10`
/// reached. ``
pub fn reached_epochs(line: &[u8]) -> Option<u64> {
    const LIMIT: &[u8] = b"`Trainer.fit` stopped: `max_epochs=";
    let (epochs, rest) = leading_u64(&line[find(line, LIMIT)? + LIMIT.len()..])?;
    rest.starts_with(b"` reached").then_some(epochs)
}

/// The epoch that a line between bars names, and what it says of it.
pub fn on_line(line: &[u8]) -> Option<(OuterCount, Round)> {
    // Most lines with an epoch give no total, and this costs less than to search them for one.
    if !["/", "of", "OF", "Of"].iter().any(|text| find(line, text.as_bytes()).is_some()) {
        return None;
    }
    let found = EPOCH.captures(line)?;
    let number = |group: &str| leading_u64(&found[group]).map(|(number, _)| number);
    let (index, total) = (number("index")?, number("total")?);
    let behind = &line[found.get(0)?.end()..];
    let is_fraction = matches!(behind, [b'.', b'1'..=b'9', ..]);
    // A torn bar says nothing of its end.
    if index > total || is_fraction || find(behind, b"%|").is_some() {
        return None;
    }
    Some((OuterCount { index, total: Some(total), unit: Some(EPOCHS) }, round(behind)))
}

/// The number of the epoch that is over, from a line that does not say how many there are: `== end-of-epoch 3 ==`.
pub fn ended_epoch(line: &[u8]) -> Option<u64> {
    let after = |text: &[u8]| find(line, text).map(|at| &line[at + text.len()..]);
    let behind = after(b"nd of epoch ").or_else(|| after(b"nd-of-epoch "))?;
    leading_u64(behind).map(|(epoch, _)| epoch)
}

/// A line is the heading of a table whose first column counts epochs.
pub fn heads_epochs(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b"Epoch ") && !line.iter().any(u8::is_ascii_digit)
}

fn round(behind: &[u8]) -> Round {
    let mut words = behind
        .split(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.')))
        .filter(|word| !word.is_empty());
    if let Some((done, total)) = words.clone().find_map(fraction) {
        return if done < total { Round::At { done, total } } else { Round::IsOver };
    }
    let ends = |word: &[u8]| {
        word.iter().any(u8::is_ascii_digit)
            || ["done", "finished", "completed", "complete"]
                .iter()
                .any(|end| word.eq_ignore_ascii_case(end.as_bytes()))
    };
    if words.any(ends) { Round::IsOver } else { Round::Begins }
}

fn fraction(word: &[u8]) -> Option<(u64, u64)> {
    let (index, total, rest) = leading_fraction(word)?;
    (rest.is_empty() && total > 0 && index <= total).then_some((index, total))
}
