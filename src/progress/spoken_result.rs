//! Whether text behind a count tells a result, and whether one succeeded.

use super::number::leading_f64;

/// A word by which a line says that something ended. Patterns are compared without a call for each.
fn is_end(word: &[u8]) -> bool {
    let mut lower = [0; LONGEST];
    let lower = lowered(word, &mut lower);
    matches!(
        lower,
        b"success"
            | b"succeeded"
            | b"successful"
            | b"successfully"
            | b"ok"
            | b"fail"
            | b"failed"
            | b"fails"
            | b"failure"
            | b"passed"
            | b"pass"
            | b"timeout"
            | b"done"
            | b"completed"
            | b"complete"
            | b"finished"
            | b"ended"
            | b"terminated"
            | b"truncated"
            | b"solved"
            | b"won"
            | b"lost"
            | b"crashed"
            | b"collision"
            | b"skipped"
    )
}

/// A name whose value says what is about to be done, and not what came of it.
fn is_of_setting(word: &[u8]) -> bool {
    let mut lower = [0; LONGEST];
    matches!(
        lowered(word, &mut lower),
        b"seed"
            | b"task"
            | b"env"
            | b"environment"
            | b"id"
            | b"scene"
            | b"lr"
            | b"state"
            | b"init"
            | b"idx"
            | b"index"
            | b"goal"
            | b"goals"
            | b"instruction"
            | b"max"
            | b"horizon"
            | b"target"
            | b"name"
            | b"prompt"
            | b"language"
            | b"description"
            | b"policy"
            | b"model"
            | b"difficulty"
    )
}

/// Longer words are none of these.
const LONGEST: usize = "successfully".len();

/// The word in lower case; nothing where it is longer than the room.
fn lowered<'a>(word: &[u8], room: &'a mut [u8; LONGEST]) -> &'a [u8] {
    let Some(lower) = room.get_mut(..word.len()) else { return &[] };
    lower.copy_from_slice(word);
    lower.make_ascii_lowercase();
    lower
}

/// Nothing but blanks and signs: no letter, no digit.
pub fn is_ornament(text: &[u8]) -> bool {
    !text.iter().any(|byte| byte.is_ascii_alphanumeric()) && !holds_letters(text)
}

/// Letters of other scripts; emojis, boxes and arrows are ornament.
fn holds_letters(text: &[u8]) -> bool {
    text.iter().any(|byte| (0xc3..=0xdf).contains(byte) || (0xe3..=0xed).contains(byte))
}

/// The text tells what came of something: an outcome, or a value that is no setting.
pub fn tells_result(text: &[u8]) -> bool {
    // Values are told apart from other text fastest.
    holds_value(text) || words(text).any(is_end) || signs(text).next().is_some()
}

/// Whether one succeeded, where one word or sign says so and nothing contradicts it. Values such as `success=1` are read
/// elsewhere.
pub fn outcome(text: &[u8]) -> Option<bool> {
    // Most lines hold neither, which is told without looking at single words.
    let may_say = text.iter().any(|byte| matches!(byte, b'K' | b'k' | b'F' | b'f' | b'u' | b'U' | 0xe2));
    if !may_say {
        return None;
    }
    let mut found = None;
    let mut add = |is_success: bool| match found {
        None => found = Some(Some(is_success)),
        Some(Some(known)) if known == is_success => {}
        Some(_) => found = Some(None),
    };
    let mut before: &[u8] = &[];
    for (word, behind) in words_with_rest(text) {
        if let Some(is_success) = said(word) {
            let is_named = behind.trim_ascii_start().first().is_some_and(|byte| b"=:".contains(byte));
            let is_rate =
                words(behind).next().is_some_and(|next| is_one_of(next, &["rate", "rates", "ratio"]));
            if is_named || is_rate || is_one_of(before, &["no", "not", "un", "without", "if", "of"]) {
                return None;
            }
            add(is_success);
        }
        before = word;
    }
    signs(text).for_each(add);
    found.flatten()
}

/// What a word alone says of an outcome.
fn said(word: &[u8]) -> Option<bool> {
    match word.first()? {
        b'O' => matches!(word, b"OK" | b"Ok").then_some(true),
        b's' | b'S' => is_one_of(word, &["success", "succeeded"]).then_some(true),
        b'f' | b'F' => is_one_of(word, &["fail", "failed", "failure"]).then_some(false),
        _ => None,
    }
}

/// What signs say of an outcome.
fn signs(text: &[u8]) -> impl Iterator<Item = bool> {
    // All of them begin with this byte.
    let searched = memchr::memchr(0xe2, text).map_or(&[][..], |_| &SIGNS[..]);
    searched
        .iter()
        .filter(|(sign, _)| memchr::memmem::find(text, sign.as_bytes()).is_some())
        .map(|(_, is_success)| *is_success)
}

const SIGNS: [(&str, bool); 6] =
    [("✓", true), ("✔", true), ("✅", true), ("✗", false), ("✘", false), ("❌", false)];

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    words_with_rest(text).map(|(word, _)| word)
}

fn words_with_rest(text: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.iter().position(u8::is_ascii_alphabetic)?;
        let letters = rest[start..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let (word, behind) = rest[start..].split_at(letters);
        rest = behind;
        Some((word, behind))
    })
}

fn is_one_of(word: &[u8], words: &[&str]) -> bool {
    words.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

/// `reward=1`, `return: -3.4`, `in 3.2s`, `87.5%`; the value of a setting is none.
fn holds_value(text: &[u8]) -> bool {
    let mut at = 0;
    while let Some(found) = text[at..].iter().position(u8::is_ascii_digit) {
        let start = at + found;
        let length = text[start..].iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
        let (before, number) = (&text[..start], &text[start..start + length]);
        at = start + length;
        let sign = before.trim_ascii_end().strip_suffix(b"-").unwrap_or(before).trim_ascii_end();
        let name = sign.strip_suffix(b"=").or_else(|| sign.strip_suffix(b":"));
        let is_decimal = number.iter().filter(|byte| **byte == b'.').count() == 1 && !number.ends_with(b".");
        let is_share = text[at..].starts_with(b"%") || is_time(&text[at..]);
        let stands_alone = before.last().is_none_or(|byte| !byte.is_ascii_alphabetic() && *byte != b'_');
        let is_value = name.is_some() || stands_alone && (is_decimal || is_share);
        if is_value && !name.is_some_and(is_setting) {
            return true;
        }
    }
    let is_truth = |value: &[u8]| {
        [&b"True"[..], b"False", b"true", b"false", b"nan", b"NaN", b"inf"]
            .iter()
            .any(|word| value.starts_with(word))
    };
    memchr::memchr2_iter(b'=', b':', text).any(|sign| is_truth(text[sign + 1..].trim_ascii_start()))
}

/// `ms`, ` seconds`: the number before it is a time.
fn is_time(behind: &[u8]) -> bool {
    let word = words(behind).next().unwrap_or_default();
    let is_near = behind.trim_ascii_start().starts_with(word);
    is_near && is_one_of(word, &["s", "ms", "sec", "secs", "second", "seconds", "min", "minutes"])
}

fn is_setting(name: &[u8]) -> bool {
    let name = name.trim_ascii_end();
    let start = name.iter().rposition(|byte| !byte.is_ascii_alphabetic()).map_or(0, |last| last + 1);
    // A colon right behind the count names nothing.
    name[start..].is_empty() || is_of_setting(&name[start..])
}

/// A share of one, from `12/50`, `24.0%` or `0.24`.
pub fn share(text: &[u8]) -> Option<Share> {
    let value = leading_f64(text)?;
    let text = text.trim_ascii_start();
    let length = text.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    let rest = &text[length..];
    if let Some(total) = rest.trim_ascii_start().strip_prefix(b"/") {
        let total = leading_f64(total)?;
        let whole = value.fract() == 0.0 && total.fract() == 0.0 && total >= value && total > 0.0;
        return whole.then_some(Share::Counted { successes: value, episodes: total });
    }
    if rest.trim_ascii_start().starts_with(b"%") {
        return (0.0..=100.0).contains(&value).then_some(Share::Rate(value / 100.0));
    }
    ((0.0..=1.0).contains(&value) && text[..length].contains(&b'.')).then_some(Share::Rate(value))
}

/// How many succeeded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Share {
    /// `12/50`
    Counted {
        /// How many succeeded.
        successes: f64,
        /// Of how many.
        episodes: f64,
    },
    /// `24.0%`
    Rate(f64),
}
