//! A number behind a word of counting: `Epoch 12 | loss 0.3`, `iter=0039 reward=-133.8`, `Reward: 7, Episode: 3`.

use crate::progress::counts::count_units;
use crate::progress::counts::count_units::CountUnit;
use crate::progress::text::find::find;
use crate::progress::text::number::{leading_grouped, leading_u64};
use crate::progress::text::word::is_one_of;

/// Highest number of values that may come before a count, and of words that name each.
const MOST_PAIRS: u32 = 4;
const MOST_WORDS: usize = 4;

/// So much may lie between a name and its number, and so much in a row of a table.
const WIDEST_GAP: usize = 20;
const WIDEST_COLUMN: usize = 60;

/// Counts come at the start of a line.
const SEARCHED: usize = 160;

/// Words that may come before such a word: they say which of the items are counted, or that one is at work.
const BEFORE: [&str; 24] = [
    "time", "num", "rollout", "number", "no", "of", "total", "so", "current", "global", "env", "train",
    "training", "eval", "evaluation", "test", "validation", "metrics", "completed", "finished", "starting",
    "running", "at", "the",
];

/// What is done with each of them.
const DEEDS: [&str; 12] = [
    "simulating", "processing", "evaluating", "computing", "generating", "rendering", "solving",
    "collecting", "planning", "optimizing", "sampling", "executing",
];

/// Units that are counted here. Others, such as seeds and samples, come on lines that count something else.
const UNITS: [&str; 9] =
    ["episodes", "epochs", "iterations", "updates", "generations", "games", "tests", "batches", "steps"];

/// Words between such a word and its number: `batch i:12`, `Test No. 160`, `Episode Summary for 303`, `epoch is: 99`.
const LABELS: [&str; 12] =
    ["i", "n", "no", "nr", "num", "number", "index", "summary", "result", "results", "for", "is"];

/// Words that make another number of a joined name: `best_epoch: 12`.
const OTHER_NAMES: [&str; 9] = ["best", "max", "min", "last", "next", "target", "warmup", "save", "resume"];

/// A number behind a word.
pub struct NumberedWord<'a> {
    pub word: &'static CountUnit,
    pub number: u64,
    pub behind: &'a [u8],
    /// Values come before it, or it is one in a table, so that the line is no heading.
    pub has_values: bool,
}

/// The first number behind a word of counting that knows no total.
pub fn numbered(line: &[u8]) -> Option<NumberedWord<'_>> {
    let line = line[..line.len().min(SEARCHED)].trim_ascii_start();
    let row = ["|", "│"].into_iter().find(|border| line.starts_with(border.as_bytes()));
    let (mut at, mut pairs) = (0, 0);
    while let Some(found) = line[at..].iter().position(u8::is_ascii_alphabetic) {
        let start = at + found;
        let length = line[start..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        at = start + length;
        let word = &line[start..at];
        // `num of updates: 12`, `Time steps: 5000` and a row of iterations count; `updates: 12` may be a setting.
        let is_column = row.is_some() && word.eq_ignore_ascii_case(b"iterations");
        let before = &line[..start];
        let is_of_all = || before.ends_with(b"of ") || before.eq_ignore_ascii_case(b"time ");
        // `episodes: 12, reward: 0.3`: the first of several values.
        let is_first = || start == 0 && is_first_of_values(&line[at..]);
        let may_be = |plural: bool| !plural || is_column || is_of_all() || is_first();
        let known = count_units::find(word);
        let Some((word, _)) = known.filter(|(word, plural)| UNITS.contains(&word.unit) && may_be(*plural))
        else {
            // `sac_episode:12`
            if start == 0 && line.get(at) == Some(&b'_') && !is_one_of(word, &OTHER_NAMES) {
                continue;
            }
            // A record names its keys in any order.
            // `Simulating batch 202`
            let is_deed = start == 0 && is_one_of(word, &DEEDS);
            if !line.starts_with(b"{")
                && !is_deed
                && !is_one_of(word, &BEFORE)
                && !is_bracketed(line, start, at)
            {
                at = behind_pair(line, start, pairs)?;
                pairs += 1;
            }
            continue;
        };
        let key = behind_labels(line[at..].strip_prefix(b"\"").unwrap_or(&line[at..]));
        let is_sign =
            |byte: &&u8| b" \t#:=".contains(byte) || row.is_some_and(|row| row.as_bytes().contains(byte));
        let signs = key.iter().take_while(is_sign).count();
        let number = || leading_grouped(&key[signs..]).or_else(|| leading_u64(&key[signs..]));
        // `epoch                       49` is a row of a table without borders.
        let is_row = |behind: &[u8]| row.is_some() || start == 0 && behind.trim_ascii().is_empty();
        let widest = |behind: &[u8]| if is_row(behind) { WIDEST_COLUMN } else { WIDEST_GAP };
        let fits = |behind: &[u8]| (1..=widest(behind)).contains(&signs);
        let Some((number, behind)) = number().filter(|(_, behind)| fits(behind)) else { continue };
        // `7.0` of a record is whole, `1.5` is not.
        let behind = behind.strip_prefix(b".0").unwrap_or(behind);
        let is_announced = [&b"..."[..], "…".as_bytes()].iter().any(|dots| behind.starts_with(dots));
        let ends = is_announced || behind.first().is_none_or(|byte| b" :,|)]-\t}*=".contains(byte));
        // `[ep 12] reset`: the episode in which something is said, as a logger names it.
        let is_said_in_it = word.name == "ep" && line[..start].ends_with(b"[") && behind.starts_with(b"]");
        let rest = behind.trim_ascii_start();
        // `12 / STATE explore` is a row, and `12 / 100` a share.
        let is_share = |rest: &[u8]| rest.trim_ascii_start().first().is_some_and(u8::is_ascii_digit);
        let has_total = rest.strip_prefix(b"/").is_some_and(is_share) || rest.starts_with(b"of ");
        let counts = ends && !has_total && !is_said_in_it;
        let has_values = pairs > 0 || row.is_some() || signs > WIDEST_GAP;
        return counts.then_some(NumberedWord { word, number, behind, has_values });
    }
    None
}

/// `: 12, reward: 0.3`
fn is_first_of_values(behind: &[u8]) -> bool {
    let number = behind.strip_prefix(b": ").and_then(leading_u64);
    number.is_some_and(|(_, rest)| rest.starts_with(b", ") && rest.contains(&b':'))
}

/// Returns the text behind such words, of which there may be two.
fn behind_labels(key: &[u8]) -> &[u8] {
    let mut rest = key;
    for _ in 0..2 {
        let text = rest.trim_ascii_start();
        let letters = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        if text.len() == rest.len() || letters == 0 || !is_one_of(&text[..letters], &LABELS) {
            break;
        }
        rest = text[letters..].strip_prefix(b".").unwrap_or(&text[letters..]);
    }
    rest
}

/// Returns the place behind `loss: 0.3, ` and the like: values may come before a count.
fn behind_pair(line: &[u8], start: usize, pairs: u32) -> Option<usize> {
    let end = start + end_of_pair(&line[start..])?;
    let pair = &line[start..end];
    let sign = pair.iter().position(|byte| b":=".contains(byte))?;
    let value = pair[sign + 1..].trim_ascii_start();
    let is_number = value.first().is_some_and(|byte| byte.is_ascii_digit() || b"+-.".contains(byte));
    // More words before the sign are a sentence.
    let words = pair[..sign].split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty()).count();
    (is_number && pairs < MOST_PAIRS && words <= MOST_WORDS).then_some(end + 1)
}

/// A comma ends a pair, or a gap: `eta: 8:43:03  iter: 59  total_loss: 9.7`.
fn end_of_pair(text: &[u8]) -> Option<usize> {
    let gap = find(text, b"  ");
    memchr::memchr(b',', text).into_iter().chain(gap).min()
}

/// Reports whether the word is in brackets at the start of the line, as the names of speakers are.
fn is_bracketed(line: &[u8], start: usize, end: usize) -> bool {
    let opens = memchr::memrchr(b'[', &line[..start]);
    let closes = memchr::memrchr(b']', &line[..start]);
    opens.is_some_and(|opens| closes.is_none_or(|closes| closes < opens))
        && memchr::memchr(b']', &line[end..]).is_some()
}
