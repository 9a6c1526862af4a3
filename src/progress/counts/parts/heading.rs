//! Lines that head a part of the work: `Fold 1/5`, `[2/3] Training the baseline`.

use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::progress::counts::count_suffix::{CountSuffix, is_ornament};
use crate::progress::counts::count_units;
use crate::progress::counts::count_units::NAMELESS;
use crate::progress::text::find::{Sought, find};
use crate::progress::text::line_prefix::behind_prefix;
use crate::progress::text::number::leading_u64;
use crate::progress::text::word::is_one_of;

/// More is read of no line.
const LONGEST: usize = 160;

/// Longer words before its name are a sentence.
const LONGEST_BEFORE: usize = 48;

/// What is run several times around the work itself. What names who speaks, such as ranks, is none of it, nor what is
/// done once more only after a failure, nor what counts within the work, such as steps.
#[rustfmt::skip]
const PARTS: [&str; 58] = [
    "agent", "algo", "algorithm", "baseline", "benchmark", "candidate", "case", "category", "checkpoint", "ckpt",
    "class", "combination", "combo", "condition", "config", "configuration", "cycle", "dataset", "domain", "env",
    "environment", "exp", "experiment", "fold", "gen", "generation", "iteration", "job", "level", "member", "method",
    "model", "object", "opponent", "part", "participant", "phase", "policy", "rep", "repeat", "repetition", "round",
    "run", "scenario", "scene", "seed", "session", "setting", "split", "stage", "subject", "suite", "sweep", "task",
    "track", "trial", "variant", "window",
];

/// Whatever these have behind their number are settings.
const SETTINGS: [&str; 8] =
    ["combination", "combo", "condition", "config", "configuration", "exp", "experiment", "setting"];

/// Pipelines have no more steps.
const MOST_STEPS: u64 = 20;

/// `: train the policy` behind a step of a pipeline; steps of anything else have values.
static NAME: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[\])]?[:.]? (?:- )?[a-z][a-z ]+[^a-z0-9]*$"));

/// What is done to files and modules before the work, or remarks on it.
static PREPARES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?:^|[^a-z])(?:load|download|compil|build|link|install|initial|import|extract|fetch|prepar|copy|copied|sav|",
        r"skip|resum|retry|best|converge|video|already)",
    ))
});

/// A pattern over bytes that knows no cases.
pub(super) fn pattern(text: &str) -> Regex {
    Regex::new(&format!("(?i-u){text}")).expect("a constant pattern")
}

/// The heading of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartHeading {
    /// Name of the parts in lower case; empty where only a bracket counts them.
    pub noun: Vec<u8>,
    /// The number of the part, as it is written.
    pub index: u64,
    /// How many there are.
    pub total: u64,
    /// Whether the total is surely that of this process, and not a setting of several.
    pub is_sure: bool,
    /// Whether the words are those of a preparation or a remark, unless others of the same parts came before.
    pub is_preparation: bool,
}

impl PartHeading {
    /// The part that the line heads, if it heads one with its number and how many there are.
    pub fn on(line: &[u8]) -> Option<Self> {
        let start = &line[..line.len().min(2 * LONGEST)];
        let words = PlacedCount::on(start).map(|_| words_of(line))?;
        let count = PlacedCount::on(words).filter(|count| count.total > 1 && count.index <= count.total)?;
        let (noun, is_sure) = count.noun()?;
        // `W1121 10:00:00.123456 7 torch/_dynamo/convert_frame.py:964] [0/8] hit recompile_limit`: a frame's number.
        if noun.is_empty() && find(start, b" torch/_").is_some() {
            return None;
        }
        let is_preparation = PREPARES.is_match(if noun.is_empty() { words } else { count.before });
        let (index, total) = (count.index, count.total);
        Some(Self { noun: noun.to_ascii_lowercase(), index, total, is_sure, is_preparation })
    }

    /// The unit of a count in the same words, in the plural.
    pub fn unit(&self) -> Option<&'static str> {
        if self.noun.is_empty() { Some(NAMELESS.unit) } else { Some(count_units::find(&self.noun)?.0.unit) }
    }
}

/// The first `1/5` or `1 of 5` of a text, and what is around it.
#[derive(Debug, Clone, Copy)]
struct PlacedCount<'a> {
    /// Text before it, without the signs that lead to its number, and these.
    before: &'a [u8],
    signs: &'a [u8],
    index: u64,
    total: u64,
    behind: &'a [u8],
}

impl<'a> PlacedCount<'a> {
    fn on(text: &'a [u8]) -> Option<Self> {
        const OF: Sought = Sought::new("of ");
        let stroke =
            memchr::memchr_iter(b'/', text).find_map(|at| Self::around(&text[..at], &text[at + 1..]));
        stroke.or_else(|| {
            let at = OF.on(text)?;
            let before = text[..at].strip_suffix(b"out ").unwrap_or(&text[..at]);
            Self::around(before.strip_suffix(b"(").unwrap_or(before), &text[at + 3..])
        })
    }

    /// Reads the numbers next to a stroke; those of a bar, of dates, versions and shares are none.
    fn around(before: &'a [u8], behind: &'a [u8]) -> Option<Self> {
        let before = before.strip_suffix(b" ").unwrap_or(before);
        let digits = before.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let (before, number) = before.split_at(before.len() - digits);
        let (index, _) = leading_u64(number)?;
        let (total, behind) = leading_u64(behind.strip_prefix(b" ").unwrap_or(behind))?;
        let goes_on = match behind {
            [b'.', next, ..] => next.is_ascii_digit(),
            [next, ..] => next.is_ascii_alphanumeric() || b"/%_".contains(next),
            [] => false,
        };
        let length = before.iter().rev().take_while(|byte| b" _:#=([-".contains(byte)).count();
        let (before, signs) = before.split_at(before.len() - length);
        // `== seed1/4 ==` is read, and `v1/4` or a path is none.
        let is_alone = || names_part(before) && is_ornament(behind);
        let is_glued = signs.is_empty() && !before.is_empty() && !is_alone();
        (!goes_on && !is_glued && !behind.starts_with(b" [")).then_some(Self {
            before,
            signs,
            index,
            total,
            behind,
        })
    }

    /// What is counted, and whether the word for it is known; an empty name where there is none.
    fn noun(&self) -> Option<(&'a [u8], bool)> {
        let word = last_word(self.before);
        let is_known = is_one_of(word, &PARTS);
        if !is_known && (self.is_alone() || self.follows_what_begins()) {
            return Some((b"", true));
        }
        let is_heading = self.signs.len() <= 3 && self.before.len() <= LONGEST_BEFORE;
        let is_result = || tells_result(self.behind) && !self.holds_count() && !is_one_of(word, &SETTINGS);
        if !is_heading || is_result() {
            return None;
        }
        if word.eq_ignore_ascii_case(b"step") {
            return (self.total <= MOST_STEPS && NAME.is_match(self.behind)).then_some((word, true));
        }
        // What the formats count is the work itself, or lies within it.
        let may_be_other = || word.len() > 2 && is_name(self.before) && count_units::find(word).is_none();
        (is_known || may_be_other()).then_some((word, is_known))
    }

    /// `, Episode 3/10: reward=1`: the result is that of what is counted within the part.
    fn holds_count(&self) -> bool {
        Self::on(self.behind).is_some_and(|inner| count_units::find(last_word(inner.before)).is_some())
    }

    /// `[ 1/10] PickCube`, `(1/5) lift`, `1/3: PickCube`; before another count it may be the rank that speaks.
    fn is_alone(&self) -> bool {
        let opens = self.signs.iter().any(|byte| b"[(".contains(byte));
        let closed = self.behind.strip_prefix(b"]").or_else(|| self.behind.strip_prefix(b")"));
        let behind = if opens { closed } else { Some(self.behind) };
        let Some(behind) = behind.filter(|_| is_ornament(self.before)) else { return false };
        let name = behind.strip_prefix(b":").unwrap_or(behind).trim_ascii_start();
        let is_named = name.first().is_some_and(u8::is_ascii_alphabetic);
        is_named && (opens || !name.contains(&b'=')) && !tells_result(name) && !self.holds_count()
    }

    /// `Training seed 0 (1/3)`, `Running task pick_cube [1/3]`.
    fn follows_what_begins(&self) -> bool {
        let first = self.before.split(|byte| !byte.is_ascii_alphabetic()).next().unwrap_or_default();
        let is_in_brackets = self.signs.ends_with(b"(") || self.signs.ends_with(b"[");
        is_in_brackets && first.len() > 3 && first.ends_with(b"ing") && is_ornament(self.behind)
    }
}

/// The text is the name of a part, and nothing but its frame stands before it.
fn names_part(text: &[u8]) -> bool {
    let letters = text.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let (before, word) = text.split_at(text.len() - letters);
    is_one_of(word, &PARTS) && is_ornament(before)
}

/// The word at the end of the text; before `Task ID` and `Fold no.` it is the one before.
fn last_word(text: &[u8]) -> &[u8] {
    let text = text.strip_suffix(b".").unwrap_or(text);
    let end = |text: &[u8]| text.iter().rposition(|byte| !byte.is_ascii_alphabetic()).map_or(0, |at| at + 1);
    let word = &text[end(text)..];
    let before = text[..end(text)].trim_ascii_end();
    let is_number_of = is_one_of(word, &["id", "no"]) && before.len() < end(text);
    let (word, start) = if is_number_of { (&before[end(before)..], end(before)) } else { (word, end(text)) };
    let is_glued = start > 0 && matches!(text[start - 1], b'/' | b'0'..=b'9' | 0x80..);
    if is_glued { &[] } else { word }
}

/// Up to three words in letters, behind signs alone.
fn is_name(text: &[u8]) -> bool {
    let start = text.iter().position(u8::is_ascii_alphabetic).unwrap_or(0);
    let words = text[start..].split(|byte| *byte == b' ');
    words.clone().count() <= 3 && words.flatten().all(u8::is_ascii_alphabetic)
}

/// The text behind a number gives the result of a part, and does not only say what begins or of how many samples.
pub(super) fn tells_result(behind: &[u8]) -> bool {
    let words = behind.trim_ascii_start();
    let is_aside =
        words.strip_prefix(b"(").is_some_and(|aside| aside.first().is_some_and(u8::is_ascii_alphabetic));
    let first = words.split(|byte| !byte.is_ascii_alphabetic()).next().unwrap_or_default();
    !is_aside && !first.ends_with(b"ing") && CountSuffix::read(behind).tells_result
}

/// The start of the line without the prefix of a logger.
pub(super) fn words_of(line: &[u8]) -> &[u8] {
    let words = behind_prefix(line).unwrap_or(line);
    &words[..words.len().min(LONGEST)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heading(line: &str) -> Option<(String, u64, u64, bool)> {
        let found = PartHeading::on(line.as_bytes()).filter(|found| !found.is_preparation)?;
        Some((String::from_utf8(found.noun).unwrap(), found.index, found.total, found.is_sure))
    }

    #[test]
    fn parts_are_headed_in_many_ways() {
        for (line, noun, index, total) in [
            ("Fold 1/5", "fold", 1, 5),
            ("=== Trial 1 of 5 ===", "trial", 1, 5),
            ("Trial #2 of 5", "trial", 2, 5),
            ("seed=1/3", "seed", 1, 3),
            ("seed1/3", "seed", 1, 3),
            ("== fold2/5 ==", "fold", 2, 5),
            ("Training fold 1 (of 5)", "fold", 1, 5),
            ("Evaluating checkpoint 1/4", "checkpoint", 1, 4),
            ("[Stage 1/2] Training", "stage", 1, 2),
            ("[Fold 1/5] Epoch 3/10 loss: 0.3", "fold", 1, 5),
            ("Trial 1/5, Episode 3/10: reward=1.5", "trial", 1, 5),
            ("ResNet50 - Fold 1/5", "fold", 1, 5),
            ("Task ID: 1/10", "task", 1, 10),
            ("Fold no. 1/5", "fold", 1, 5),
            ("Task 1/10: build a tower", "task", 1, 10),
            ("2026-11-24 10:00:00,123 - INFO - Fold 0/4", "fold", 0, 4),
            ("Experiment 1/4: dropout=0.1", "experiment", 1, 4),
            ("Step 1/3: train the policy", "step", 1, 3),
            ("STEP 1/3 - Train policy", "step", 1, 3),
            ("[1/5] Training seed 0 with dropout=0.1", "", 1, 5),
            ("[ 1/10] PickCube-v1", "", 1, 10),
            ("(2/5) lift", "", 2, 5),
            ("1/3: PickCube-v1", "", 1, 3),
            ("Training seed 0 (1/3)", "", 1, 3),
            ("Running task pick_cube [1/3]", "", 1, 3),
        ] {
            assert_eq!(heading(line), Some((noun.to_owned(), index, total, true)), "{line}");
        }
        assert_eq!(heading("Route 1/4"), Some(("route".to_owned(), 1, 4, false)), "of anything else");
    }

    #[test]
    fn results_remarks_and_settings_head_none() {
        for line in [
            "Task: 7/10 succeeded",
            "Policy: 1/2 (50%)",
            "[1/2] episodes succeeded",
            "Env: 8/10, mean reward 3.2",
            "Iteration 50/100: loss 0.5",
            "Step 1/10: loss=0.3",
            "Step 100/1000: collecting",
            "Saved video for task 1/2",
            "Loading checkpoint shards: 1/2",
            "[1/2] Loading data",
            "Best config: 7/20",
            "[1/8] Episode 1/2",
            "Task 1/2.5",
            "Fold 1/1",
            "Fold 6/5",
            "Trial 3",
            "see /data/run/1/2",
            " 50%|#####     | 5/10 [00:01<00:01, 5.00it/s]",
            "speed: 51234 steps/s",
            "W0106 17:32:30.193000 2158 torch/_dynamo/convert_frame.py:964] [0/8] torch._dynamo hit the limit (8)",
        ] {
            assert_eq!(heading(line), None, "{line}");
        }
    }
}
