//! Counts in words on a line: `Episode 3/100`, `Task 2 of 10`, `[ 12/40] …`, and whether they report a start or an end.

use super::count_suffix::CountSuffix;
use super::count_suffix::is_ornament;
use super::count_units;
use super::count_units::ALL_STEPS;
use super::count_units::Certainty;
use super::count_units::CountUnit;
use super::count_units::EPOCHS;
use super::count_units::NAMELESS;
use super::count_units::STEPS_OF_EPOCH;
use super::item_state::CountForm;
use super::item_state::ItemState;
use super::item_state::first_word;
use super::item_state::is_done_word;
use super::item_state::told;
use crate::progress::text::number::{leading_fraction, leading_grouped, leading_u64, leading_whole};
use crate::progress::text::word::is_one_of;

/// Counts come at the start of a line; what comes later is about something else.
const SEARCHED: usize = 240;

/// A longer text in brackets is no name.
const LONGEST_TAG: usize = 64;

/// More counts on one line are a table.
pub const MOST_COUNTS: usize = 3;

/// A single count on a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextCount {
    /// Word for the items that are counted.
    pub word: &'static CountUnit,
    /// The number as it is written.
    pub index: u64,
    /// How many there are, where the line says so.
    pub total: Option<u64>,
    /// Form by which it was recognised as a count of work.
    pub form: CountForm,
}

/// The counts of a line, the outer ones first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextCounts<'a> {
    counts: [Option<TextCount>; MOST_COUNTS],
    /// State of the last counted item, as the line gives it.
    pub told: ItemState,
    /// Text behind the last count.
    pub behind: &'a [u8],
    /// Whether that one succeeded, where a word or a sign says so.
    pub outcome: Option<bool>,
}

impl TextCounts<'_> {
    /// The counts, the outer ones first.
    pub fn counts(&self) -> impl Iterator<Item = TextCount> {
        self.counts.into_iter().flatten()
    }
}

/// The counts on the line, if it has any that count work.
pub fn on_line(line: &[u8]) -> Option<TextCounts<'_>> {
    let searched = &line[..line.len().min(SEARCHED)];
    let mut counts = [None; MOST_COUNTS];
    let (mut found, mut end) = (0, 0);
    let mut before: &[u8] = &[];
    while found < MOST_COUNTS {
        // Without a stroke or an `of` nothing more is counted.
        if found > 0 && memchr::memchr2(b'/', b'f', &searched[end..]).is_none() {
            break;
        }
        let Some(place) = next_count(searched, end, found == 0) else { break };
        if found == 0 {
            before = &line[..place.start];
        } else if CountSuffix::read(&line[end..place.start]).tells_result {
            // Values come first, so that this is one of them.
            break;
        }
        counts[found] = Some(place.count);
        (found, end) = (found + 1, place.end);
        if let Some(inner) = step_within(&place.count, searched, end) {
            counts[found] = Some(inner.count);
            (found, end) = (found + 1, inner.end);
        }
    }
    let last = counts[found.checked_sub(1)?]?;
    if matches!(last.form, CountForm::Open) && (last.word.unit == EPOCHS || !may_open(before)) {
        return None;
    }
    let behind = line[end..].strip_prefix(b"]").or_else(|| line[end..].strip_prefix(b")"));
    let behind = behind.unwrap_or(&line[end..]);
    let read = CountSuffix::read(behind);
    let told = told(before, last.form, (last.word, last.total), behind, &read)?;
    Some(TextCounts { counts, told, behind, outcome: read.outcome })
}

/// Reports whether a count without a total may follow this text: `[eval] `, `Finished `.
fn may_open(before: &[u8]) -> bool {
    const WORDS: [&str; 7] = ["eval", "evaluation", "test", "testing", "finished", "completed", "validation"];
    let mut words = before.split(|byte| !byte.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    words.all(|word| is_one_of(word, &WORDS)) && !before.iter().any(u8::is_ascii_digit)
}

/// A count and its place on the line.
struct PlacedCount {
    count: TextCount,
    /// Offset at which its word or its bracket begins.
    start: usize,
    end: usize,
}

fn next_count(line: &[u8], from: usize, is_first: bool) -> Option<PlacedCount> {
    let mut at = from;
    while let Some(found) = line[at..].iter().position(u8::is_ascii_digit) {
        let start = at + found;
        let digits = line[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        at = start + digits;
        let is_of_word = || ends_in_total(&line[at..]) && is_glued_to_word(&line[..start]);
        let is_glued = start > 0 && is_glue(line[start - 1]) && !is_of_word();
        if !is_glued && let Some(place) = count_at(line, start, is_first) {
            return Some(place);
        }
    }
    None
}

/// Numbers behind these are parts of names, dates, paths, versions and fractions.
fn is_glue(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._-/+,%".contains(&byte) || byte >= 0x80
}

/// `/300` and nothing glued to it, as in names of files.
fn ends_in_total(behind: &[u8]) -> bool {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b",;:|])(".contains(byte);
    let total = behind.strip_prefix(b"/").and_then(leading_u64);
    total.is_some_and(|(_, rest)| rest.first().is_none_or(ends))
}

/// `ep` before `82/300`.
fn is_glued_to_word(before: &[u8]) -> bool {
    let (start, word) = word_before(before);
    start + word.len() == before.len() && count_units::find(word).is_some()
}

/// `Successful ` before `Episodes: 14/100`, which is how many of all succeeded.
fn names_outcome(before: &[u8]) -> bool {
    const OUTCOMES: [&str; 7] =
        ["success", "successful", "succeeded", "solved", "passed", "failed", "unsuccessful"];
    is_one_of(word_before(before).1, &OUTCOMES)
}

fn count_at(line: &[u8], start: usize, is_first: bool) -> Option<PlacedCount> {
    let (index, rest) = leading_u64(&line[start..])?;
    let grouped = || leading_grouped(&line[start..]).filter(|(_, rest)| total(rest).is_some());
    let (index, rest) =
        if rest.starts_with(b",") { grouped().unwrap_or((index, rest)) } else { (index, rest) };
    let total = total(rest);
    let (word_start, word) = word_before(&line[..start]);
    if let Some((total, rest)) = total {
        // Loops that count several at once may end a little beyond.
        let index = if rest.starts_with(b"(100%)") { index.min(total) } else { index };
        if index > total || total == 0 {
            return None;
        }
        let end = line.len() - rest.len();
        let place = |word, form, start| PlacedCount {
            count: TextCount { word, index, total: Some(total), form },
            start,
            end,
        };
        // `T = 25000 / 1000000`
        let find = |word: &[u8]| count_units::find(if is_one_of(word, &["t"]) { b"step" } else { word });
        if let Some((word, _)) = find(word) {
            // `Number of trials: 16/16` of Ray Tune: so many were begun. `updates 5/250, total num timesteps 3200/800000`.
            let is_beside = !is_first && word.name == "timesteps";
            if is_beside || names_outcome(&line[..word_start]) || line[..word_start].ends_with(b"Number of ")
            {
                return None;
            }
            let is_of_all =
                ["global_", "total_"].iter().any(|of| line[word_start..].starts_with(of.as_bytes()));
            let word = if is_of_all && word.unit == ALL_STEPS.unit { &ALL_STEPS } else { word };
            return Some(place(word, CountForm::Worded, word_start));
        }
        let opening = line[..start].trim_ascii_end();
        let bracket = opening.last().filter(|byte| b"[(".contains(byte)).copied();
        let closed = rest.trim_ascii_start().first().is_some_and(|byte| b"])".contains(byte));
        let head = opening.len() - usize::from(bracket.is_some());
        let stands_alone = is_ornament(&line[..head])
            || names_progress(&line[..head])
            || is_of_metric_logger(&line[..head], rest)
            || bracket.is_none() && is_tagged(&line[..head], rest);
        if is_first && total > 1 && stands_alone && bracket.is_some() == closed {
            if closed {
                return Some(place(&NAMELESS, CountForm::Bracketed, head));
            }
            let (_, named) = first_word(rest);
            let word = count_units::find(named).filter(|(_, plural)| *plural).map(|(word, _)| word);
            return Some(place(word.unwrap_or(&NAMELESS), CountForm::Naked, head));
        }
        // `Completed 3/10 episodes`, `Progress: 3/10`.
        let (_, named) = first_word(rest);
        let named = count_units::find(named).filter(|(_, plural)| *plural).map(|(word, _)| word);
        let is_done = is_done_word(word) || word.eq_ignore_ascii_case(b"progress");
        let starts_line = is_first && is_ornament(&line[..word_start]);
        return (is_done && starts_line && total > 1)
            .then(|| place(named.unwrap_or(&NAMELESS), CountForm::Naked, word_start));
    }
    // `Episode 3: reward=1`
    let (word, plural) = count_units::find(word)?;
    // Epochs only hold what is counted behind them on the line.
    let is_believed = word.certainty == Certainty::Believed && word.order == 3;
    let may_be_open = (is_believed || word.unit == EPOCHS) && !plural && is_first;
    let ends = rest.first().is_none_or(|byte| b" :,|)]-".contains(byte));
    (may_be_open && ends).then_some(PlacedCount {
        count: TextCount { word, index, total: None, form: CountForm::Open },
        start: word_start,
        end: line.len() - rest.len(),
    })
}

/// `[ 4/32]` of `Epoch: [7][ 4/32]`, `[640/60000 (1%)]` of `Train Epoch: 1 [640/60000 (1%)]`: the steps within an epoch,
/// as the examples of PyTorch print them.
fn step_within(epoch: &TextCount, line: &[u8], end: usize) -> Option<PlacedCount> {
    if epoch.word.unit != EPOCHS || epoch.total.is_some() {
        return None;
    }
    let behind = line[end..].strip_prefix(b"]").unwrap_or(&line[end..]).trim_ascii_start();
    let (index, total, rest) = leading_fraction(behind.strip_prefix(b"[")?)?;
    let closes = rest.starts_with(b"]") || rest.starts_with(b" (");
    (closes && index <= total && total > 0).then_some(PlacedCount {
        count: TextCount { word: &STEPS_OF_EPOCH, index, total: Some(total), form: CountForm::Bracketed },
        start: end,
        end: line.len() - rest.len(),
    })
}

/// `进度: ` before a count.
fn names_progress(before: &[u8]) -> bool {
    let words = before.trim_ascii_end();
    let words = words.strip_suffix(b":").or_else(|| words.strip_suffix("：".as_bytes())).unwrap_or(words);
    words.strip_suffix("进度".as_bytes()).is_some_and(is_ornament)
}

/// `Test:  [ 740/1251]  eta: 0:00:06  loss: …`, as the logger of torchvision's references prints it, which many trainings
/// have taken over.
fn is_of_metric_logger(before: &[u8], behind: &[u8]) -> bool {
    let name = before.trim_ascii().strip_suffix(b":");
    name.is_some_and(|name| !name.is_empty() && name.iter().all(u8::is_ascii_alphabetic))
        && behind.strip_prefix(b"]").is_some_and(|behind| behind.trim_ascii_start().starts_with(b"eta: "))
}

/// `[math]  3/100 | loss=0.5`: a name in brackets, a count, and values.
fn is_tagged(before: &[u8], behind: &[u8]) -> bool {
    tag_on(before).is_some_and(|tag| tag.len() == before.trim_ascii().len())
        && behind.trim_ascii_start().first().is_some_and(|byte| matches!(byte, b'|' | b':'))
}

/// `[math]` at the start of the line: the name of the part of the program that speaks, in one word.
pub fn tag_on(line: &[u8]) -> Option<&[u8]> {
    let line = line.trim_ascii_start();
    let end = memchr::memchr(b']', &line[..line.len().min(LONGEST_TAG)])?;
    let inside = line[..end].strip_prefix(b"[")?;
    let is_word = inside.first()?.is_ascii_alphabetic()
        && inside.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(byte));
    is_word.then(|| &line[..=end])
}

/// Reads `/100`, ` / 100`, ` of 100` or ` out of 100` and returns the total with the text after it.
fn total(text: &[u8]) -> Option<(u64, &[u8])> {
    let trimmed = text.trim_ascii_start();
    let blank = trimmed.len() < text.len();
    let behind = match trimmed {
        [b'/', behind @ ..] => behind,
        [b'o', b'f', behind @ ..] | [b'o', b'u', b't', b' ', b'o', b'f', behind @ ..]
            if blank && behind.first() == Some(&b' ') =>
        {
            behind
        }
        _ => return None,
    };
    let (total, rest) = leading_whole(behind.trim_ascii_start())?;
    let goes_on = match rest {
        [b'.' | b',', next, ..] => next.is_ascii_digit(),
        [next, ..] => next.is_ascii_alphanumeric() || matches!(next, b'/' | b'%' | b'_'),
        [] => false,
    };
    (!goes_on).then_some((total, rest))
}

/// The word before a number and where it begins: `Episode `, `episode: [`, `Task #`, `episode=`.
fn word_before(text: &[u8]) -> (usize, &[u8]) {
    let end = text.iter().rposition(|byte| !b" [(#:=\"'\t".contains(byte)).map_or(0, |last| last + 1);
    // `Ep. 12/100`
    let end = if text[..end].ends_with(b"p.") { end - 1 } else { end };
    let gap = &text[end..];
    // `Done: (3/4`: more than one sign between a word and its number belongs to something else.
    let signs = gap.iter().filter(|byte| !byte.is_ascii_whitespace()).count();
    let start = text[..end].iter().rposition(|byte| !byte.is_ascii_alphabetic()).map_or(0, |last| last + 1);
    let is_glued = start > 0 && matches!(text[start - 1], b'_' | b'-' | b'/' | b'.' | b'0'..=b'9');
    match (signs > 2, is_glued) {
        (true, _) => (end, &[]),
        (false, false) => (start, &text[start..end]),
        (false, true) => joined(&text[..start]).map_or((end, &[]), |first| (first, &text[start..end])),
    }
}

/// Where a name begins that only says that all are counted: `env_` of `env_step=129/2024`, `num_` of `num_steps: 3/10`.
fn joined(before: &[u8]) -> Option<usize> {
    let name = before.strip_suffix(b"_")?;
    let start = name.iter().rposition(|byte| !byte.is_ascii_alphabetic()).map_or(0, |last| last + 1);
    let stands_alone = start == 0 || !matches!(name[start - 1], b'_' | b'-' | b'/' | b'.' | b'0'..=b'9');
    let is_of_all = count_units::is_of_all(&name[start..]) || is_one_of(&name[start..], &["num"]);
    (stands_alone && is_of_all).then_some(start)
}
