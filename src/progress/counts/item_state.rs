//! The text around a count: whether the line reports a start, an end, or something that is no work.

use super::count_suffix::CountSuffix;
use super::count_suffix::is_ornament;
use super::count_units::Certainty;
use super::count_units::CountUnit;
use crate::progress::text::find::find;
use crate::progress::text::word::is_one_of;

/// The form in which a count is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountForm {
    /// `Episode 3/100`: a word before it.
    Worded,
    /// `[3/100]` at the start of the line.
    Bracketed,
    /// `3/100` at the start of the line, or `3/100 episodes`.
    Naked,
    /// `Episode 3: reward=1`: no total.
    Open,
}

/// The state of the last item that a line counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemState {
    /// Work on it begins.
    Begins,
    /// Work on it is over.
    IsOver,
    /// Nothing comes after the count: a heading, or the end of a silent one.
    Silent,
    /// The number is that of whole ones: `25/100 episodes`.
    Done,
}

/// Returns what a line says of its last count, from the text before it and the text behind it, which was `read`;
/// nothing where it does not count work.
pub fn told(
    before: &[u8],
    form: CountForm,
    (word, total): (&CountUnit, Option<u64>),
    behind: &[u8],
    read: &CountSuffix,
) -> Option<ItemState> {
    let verb = last_word(before);
    if is_foreign_before(verb) {
        return None;
    }
    match form {
        CountForm::Worded => told_of_worded((before, verb), (word, total), behind, read),
        CountForm::Bracketed => told_of_bracketed(behind, read),
        CountForm::Naked => told_of_naked(behind),
        CountForm::Open => read.tells_result.then_some(ItemState::IsOver),
    }
}

/// No script has more sections.
const MOST_SECTIONS: u64 = 100;

fn told_of_worded(
    (before, verb): (&[u8], &[u8]),
    (word, total): (&CountUnit, Option<u64>),
    behind: &[u8],
    read: &CountSuffix,
) -> Option<ItemState> {
    if read.tells_result || is_done_word(verb) {
        return Some(ItemState::IsOver);
    }
    if is_start_verb(verb) {
        return Some(ItemState::Begins);
    }
    let is_tick = word.certainty == Certainty::Tick;
    if read.is_ornament {
        let heads = has_rule(before) || has_rule(behind) || ends_in_dots(behind);
        let opens = behind.trim_ascii_end().ends_with(b":");
        return Some(match (heads || opens, is_tick) {
            (true, _) => ItemState::Begins,
            (false, true) => ItemState::IsOver,
            (false, false) => ItemState::Silent,
        });
    }
    match (is_tick, total.is_some_and(|total| total > MOST_SECTIONS)) {
        (false, _) => Some(ItemState::Begins),
        (true, true) => Some(ItemState::IsOver),
        // `Step 3/12 : RUN apt-get`: the sections of a script.
        (true, false) => None,
    }
}

fn told_of_bracketed(behind: &[u8], read: &CountSuffix) -> Option<ItemState> {
    // A download: `1.2 MB/s`.
    let transfers = || memchr::memchr_iter(b'/', behind).any(|at| behind[..at].ends_with(b"B"));
    if read.tells_result {
        return (!transfers()).then_some(ItemState::IsOver);
    }
    if read.is_ornament {
        return Some(ItemState::Silent);
    }
    let (_, word) = first_word(behind.trim_ascii_start());
    let is_foreign = word.is_empty() && ends_in_dots(behind);
    (!is_foreign && !is_section(word, behind)).then_some(ItemState::Begins)
}

fn told_of_naked(behind: &[u8]) -> Option<ItemState> {
    // `3/4 tests passed`, `7/10 tasks solved`: results, and no counts of work.
    let words = behind.split(|byte| !byte.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    let is_result = |word: &[u8]| {
        ["passed", "solved", "successful", "succeeded", "success", "correct", "failed", "collected", "won"]
            .iter()
            .any(|result| word.eq_ignore_ascii_case(result.as_bytes()))
    };
    let mut words = words.take(4).peekable();
    while let Some(word) = words.next() {
        // `Passed time: 4h`
        let is_of_clock = words.peek().is_some_and(|next| next.eq_ignore_ascii_case(b"time"));
        if is_result(word) && !(is_of_clock && word.eq_ignore_ascii_case(b"passed")) {
            return None;
        }
    }
    Some(ItemState::Done)
}

/// Recognises a section of a script or a step of a build: `Loading the model`, `c++ -MMD`, `FROM ubuntu`.
fn is_section(word: &[u8], behind: &[u8]) -> bool {
    let word_is = |words: &[&str]| words.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()));
    let is_upper = word.len() > 1 && word.iter().all(u8::is_ascii_uppercase);
    let does = word.len() > 4 && word[word.len() - 3..].eq_ignore_ascii_case(b"ing");
    let compiles = behind.windows(3).any(|three| three == b".o " || three == b"++ ")
        || word_is(&["nvcc", "cc", "gcc", "clang", "ccache", "ar", "ld", "usr", "bin", "cmake"]);
    let prepares = word_is(&["setup", "step", "load", "install"]);
    // `EVALUATING` begins an item, `RUN` builds an image.
    let begins = does && is_start_verb(word);
    (is_upper || does) && !begins || compiles || prepares
}

/// The word at the end of the text, without the `the` and the colon behind it.
pub fn last_word(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii_end();
    let text = text.strip_suffix(b"the").map_or(text, <[u8]>::trim_ascii_end);
    let text = text.strip_suffix(b":").unwrap_or(text);
    let start = text.iter().rposition(|byte| !byte.is_ascii_alphabetic()).map_or(0, |last| last + 1);
    &text[start..]
}

fn is_start_verb(word: &[u8]) -> bool {
    const VERBS: [&str; 27] = [
        "starting", "start", "started", "starts", "running", "run", "begin", "beginning", "begins",
        "evaluating", "evaluate", "testing", "executing", "execute", "playing", "processing", "simulating",
        "recording", "launching", "rolling", "collecting", "resetting", "now", "next", "trying",
        "attempting", "solving",
    ];
    is_one_of(word, &VERBS)
}

/// Reports whether the text before a count makes the line one of a start, or a heading.
pub fn announces(before: &[u8]) -> bool {
    is_start_verb(last_word(before)) || has_rule(before)
}

/// Reports whether the text behind a count makes the line one of a start: dots, a colon alone, or a word such as
/// `starting`.
pub fn announces_behind(behind: &[u8]) -> bool {
    let text = behind.trim_ascii();
    // Values come with one of these, and most lines are values.
    if memchr::memchr(b'=', text).is_some() {
        return false;
    }
    let opens = || text.last() == Some(&b':') && is_ornament(text);
    let starts = || {
        let start = text.iter().position(u8::is_ascii_alphabetic).unwrap_or(text.len());
        is_start_verb(first_word(&text[start..]).1)
    };
    (ends_in_dots(text) || opens() || starts()) && !CountSuffix::read(text).tells_result
}

/// Reports whether the word says that something is over.
pub fn is_done_word(word: &[u8]) -> bool {
    is_one_of(word, &["completed", "finished", "done", "processed", "evaluated", "ended", "end", "complete"])
}

/// Reports whether the word before a count says something about one item instead of counting it.
fn is_foreign_before(word: &[u8]) -> bool {
    const WORDS: [&str; 28] = [
        "best", "from", "until", "every", "since", "resume", "resuming", "resumed", "saved", "saving",
        "loading", "loaded", "last", "per", "downloading", "installing", "building", "max", "skipping",
        "skipped", "skip", "checkpoint", "uploading", "extracting", "initialization", "initialisation",
        "warmup", "calibration",
    ];
    is_one_of(word, &WORDS)
}

/// A run of signs such as `===`, `---` or `###`.
fn has_rule(text: &[u8]) -> bool {
    text.windows(3)
        .any(|three| three[0] == three[1] && three[1] == three[2] && b"=-#*~_>".contains(&three[0]))
        || find(text, "──".as_bytes()).is_some()
        || find(text, "══".as_bytes()).is_some()
}

fn ends_in_dots(text: &[u8]) -> bool {
    let text = text.trim_ascii_end();
    text.ends_with(b"...") || text.ends_with("…".as_bytes())
}

/// Returns the first word and where it begins; empty where more than blanks and a bracket come before it.
pub fn first_word(text: &[u8]) -> (usize, &[u8]) {
    let start = text.iter().position(u8::is_ascii_alphabetic).unwrap_or(text.len());
    let letters = text[start..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    // Something else than blanks and a bracket comes in between.
    let near = text[..start].iter().all(|byte| b" ])\t".contains(byte));
    (start, if near { &text[start..start + letters] } else { &[] })
}
