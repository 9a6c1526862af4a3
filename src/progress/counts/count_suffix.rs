//! The result that the text behind a count gives, and whether one succeeded.

use super::printed::success_share::share;
use crate::progress::text::number::leading_f64;
use crate::progress::text::word::is_one_of;

/// The text behind a count, read once from start to end, because a log may hold nothing but such lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountSuffix {
    /// Whether the text gives a result: an outcome, or a value that is no setting.
    pub tells_result: bool,
    /// Whether one succeeded, where one word or sign says so and nothing contradicts it. Values such as `success=1` are
    /// read elsewhere.
    pub outcome: Option<bool>,
    /// Nothing but blanks and signs.
    pub is_ornament: bool,
}

/// The outcome that words and signs state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StatedOutcome {
    Nothing,
    Once(bool),
    /// The words contradict one another, or a name, a rate or a `not` makes something else of them.
    Unclear,
}

/// More is read of no line.
const LONGEST_TEXT: usize = 400;

impl CountSuffix {
    /// Reads the text behind a count.
    pub fn read(text: &[u8]) -> Self {
        let text = &text[..text.len().min(LONGEST_TEXT)];
        let (mut tells, mut said, mut is_ornament) = (false, StatedOutcome::Nothing, true);
        // The word before, and the sign between it and what comes.
        let (mut before, mut sign): (&[u8], u8) = (&[], 0);
        let mut at = 0;
        while let Some(byte) = text.get(at).copied() {
            match ByteClass::of(byte) {
                ByteClass::Letter => {
                    let word = run(&text[at..], |class| class == ByteClass::Letter);
                    at += word.len();
                    tells = tells || is_end(word) || matches!(sign, b'=' | b':') && is_truth(word);
                    said = said.and(said_by(word, (before, &text[..at - word.len()]), &text[at..]));
                    (before, sign, is_ornament) = (word, 0, false);
                }
                ByteClass::Digit => {
                    let number =
                        run(&text[at..], |class| matches!(class, ByteClass::Digit | ByteClass::Point));
                    let start = at;
                    at += number.len();
                    let is_value = || is_value(&text[..start], number, &text[at..], before, sign);
                    tells = tells || is_value();
                    (sign, is_ornament) = (0, false);
                }
                ByteClass::Wide => {
                    if let Some(is_success) = said_by_sign(&text[at..text.len().min(at + 3)]) {
                        (tells, said) = (true, said.and(StatedOutcome::Once(is_success)));
                    }
                    // Letters of other scripts; emojis, boxes and arrows are ornament.
                    is_ornament &= !matches!(byte, 0xc3..=0xdf | 0xe3..=0xed);
                    at += 1;
                }
                ByteClass::Blank => at += 1,
                ByteClass::Point | ByteClass::Sign => {
                    // A minus belongs to the number behind it.
                    let is_minus = byte == b'-' && matches!(sign, b'=' | b':');
                    sign = if is_minus { sign } else { byte };
                    at += 1;
                }
            }
        }
        let outcome = match said {
            StatedOutcome::Once(is_success) => Some(is_success),
            StatedOutcome::Nothing | StatedOutcome::Unclear => None,
        };
        Self { tells_result: tells, outcome, is_ornament }
    }
}

impl StatedOutcome {
    fn and(self, more: Self) -> Self {
        match (self, more) {
            (known, Self::Nothing) => known,
            (Self::Nothing, more) => more,
            (known, more) if known == more => known,
            (Self::Once(_) | Self::Unclear, Self::Once(_) | Self::Unclear) => Self::Unclear,
        }
    }
}

/// Nothing but blanks and signs: no letter, no digit.
pub fn is_ornament(text: &[u8]) -> bool {
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, 0xc3..=0xdf | 0xe3..=0xed);
    !text.iter().any(is_letter)
}

/// The first bytes of a text that belong together.
fn run(text: &[u8], belongs: impl Fn(ByteClass) -> bool) -> &[u8] {
    &text[..text.iter().position(|byte| !belongs(ByteClass::of(*byte))).unwrap_or(text.len())]
}

/// The class of a byte when words and numbers are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ByteClass {
    Letter,
    Digit,
    Point,
    Blank,
    Sign,
    Wide,
}

impl ByteClass {
    /// From a table, because every byte of many lines comes through here.
    fn of(byte: u8) -> Self {
        CLASSES[usize::from(byte)]
    }
}

static CLASSES: [ByteClass; 256] = {
    let mut classes = [ByteClass::Sign; 256];
    let mut byte: u8 = 0;
    loop {
        classes[byte as usize] = match byte {
            b'a'..=b'z' | b'A'..=b'Z' => ByteClass::Letter,
            b'0'..=b'9' => ByteClass::Digit,
            b'.' => ByteClass::Point,
            b' ' | b'\t' | b'\r' | b'\n' => ByteClass::Blank,
            0x80.. => ByteClass::Wide,
            _ => ByteClass::Sign,
        };
        if byte == u8::MAX {
            break classes;
        }
        byte += 1;
    }
};

/// `reward=1`, `return: -3.4`, `in 3.2s`, `87.5%`; the value of a setting is none.
fn is_value(ahead: &[u8], number: &[u8], behind: &[u8], before: &[u8], sign: u8) -> bool {
    if matches!(sign, b'=' | b':') {
        // `: 54.3 mm`, directly behind the count.
        return if before.is_empty() { is_decimal(number) } else { !is_of_setting(before) };
    }
    let is_part = ahead.last().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    !is_part && (is_decimal(number) || is_unit(behind) || is_one_of(before, &["fps"]))
}

/// Returns what the word says about an outcome, given the word and the text before it and the text behind it.
fn said_by(word: &[u8], (before, ahead): (&[u8], &[u8]), behind: &[u8]) -> StatedOutcome {
    let is_success = match word[0] {
        b'O' => matches!(word, b"OK" | b"Ok").then_some(true),
        b's' | b'S' if matches!(word.len(), 7 | 9) => {
            is_one_of(word, &["success", "succeeded"]).then_some(true)
        }
        b'f' | b'F' if matches!(word.len(), 4 | 6 | 7) => {
            is_one_of(word, &["fail", "failed", "failure"]).then_some(false)
        }
        _ => None,
    };
    let Some(is_success) = is_success else { return StatedOutcome::Nothing };
    // `"success": false` of a record.
    let behind =
        behind.strip_prefix(b"\"").or_else(|| behind.strip_prefix(b"'")).unwrap_or(behind).trim_ascii_start();
    let is_named = behind.first().is_some_and(|byte| b"=:".contains(byte));
    let is_rate = ["rat", "Rat", "_rat", "so far", "count", "Count", "_count"]
        .iter()
        .any(|name| behind.starts_with(name.as_bytes()));
    let is_denied = || is_one_of(before, &["no", "not", "un", "without", "if", "of"]);
    if let Some(answer) = answer(behind) {
        return StatedOutcome::Once(is_success == answer);
    }
    if is_named || is_rate || is_tally(behind) || before.is_empty() && ends_in_share(ahead) || is_denied() {
        StatedOutcome::Unclear
    } else {
        StatedOutcome::Once(is_success)
    }
}

/// `False` of `is_success False`, `success (False)`, `success -> False`, and `no` of `Success? no`.
fn answer(behind: &[u8]) -> Option<bool> {
    let signs = behind.iter().take_while(|byte| b" \t(|?!->".contains(byte)).count();
    let words = behind[signs..].strip_prefix(b"is ").unwrap_or(&behind[signs..]);
    // `SUCCESS - no collision`
    let asks = behind.starts_with(b"?");
    match run(words, |class| class == ByteClass::Letter) {
        b"True" | b"true" => Some(true),
        b"False" | b"false" => Some(false),
        b"yes" | b"Yes" | b"YES" if asks => Some(true),
        b"no" | b"No" | b"NO" if asks => Some(false),
        _ => None,
    }
}

/// `1/3`, `2 of 3`, `(40%)`, `0.5` and `0` behind the word say how many of all so far, or that this one did not; `1` and
/// `120 steps` are about this one.
fn is_tally(behind: &[u8]) -> bool {
    let number = behind.strip_prefix(b"(").unwrap_or(behind);
    let is_number = number.first().is_some_and(u8::is_ascii_digit);
    is_number && (share(number).is_some() || leading_f64(number) == Some(0.0))
}

/// ` 1/3 ` before the word.
fn ends_in_share(ahead: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let text = ahead.trim_ascii_end();
    let all = digits(text);
    let Some(successes) = text[..text.len() - all].strip_suffix(b"/").filter(|_| all > 0) else {
        return false;
    };
    digits(successes) > 0
}

fn said_by_sign(glyph: &[u8]) -> Option<bool> {
    match glyph {
        // Check marks: ✓ ✔ ✅
        [0xe2, 0x9c, 0x93 | 0x94 | 0x85] => Some(true),
        // Crosses: ✗ ✘ ❌
        [0xe2, 0x9c, 0x97 | 0x98] | [0xe2, 0x9d, 0x8c] => Some(false),
        _ => None,
    }
}

fn is_truth(word: &[u8]) -> bool {
    matches!(word, b"True" | b"False" | b"true" | b"false" | b"nan" | b"NaN" | b"inf")
}

/// `12.5`, and neither `12.` nor `1.2.3`.
fn is_decimal(number: &[u8]) -> bool {
    number.iter().filter(|byte| **byte == b'.').count() == 1 && number.last() != Some(&b'.')
}

/// `%`, `ms`, ` seconds`: the number before it was measured.
fn is_unit(behind: &[u8]) -> bool {
    let behind = behind.trim_ascii_start();
    let word = run(behind, |class| class == ByteClass::Letter);
    behind.starts_with(b"%")
        || matches!(word, b"s" | b"ms" | b"sec" | b"secs" | b"second" | b"seconds" | b"min" | b"minutes")
}

/// A word by which a line says that something ended. Patterns are compared without a call for each.
fn is_end(word: &[u8]) -> bool {
    let mut room = [0; LONGEST];
    matches!(
        lowered(word, &mut room),
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
            | b"correct"
            | b"incorrect"
            | b"wrong"
            | b"win"
            | b"saved"
            | b"collected"
    )
}

/// A name whose value says what is about to be done, and not what came of it.
fn is_of_setting(word: &[u8]) -> bool {
    let mut room = [0; LONGEST];
    matches!(
        lowered(word, &mut room),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_many_succeeded_so_far_is_no_outcome_of_one() {
        let outcome = |text: &str| CountSuffix::read(text.as_bytes()).outcome;
        for (text, is_success) in [
            (": SUCCESS (steps=20)", true),
            (" success in 20 steps", true),
            (" success 20 steps", true),
            (": success 1", true),
            (": reward 3.5, failed", false),
            (": reward 3.5, is_success False", false),
            (" success (True)", true),
            (": success is False", false),
            (" failed? no", true),
            (": SUCCESS - no collision", true),
            (": step 20/300 success", true),
        ] {
            assert_eq!(outcome(text), Some(is_success), "{text}");
        }
        for text in [
            " success 1/3",
            ": succeeded 1 of 3",
            ": success (1/3)",
            " done, success so far: 1/3",
            ": success count 1",
            ": success 0",
            ": success 0.5",
            ": failed 0",
            ": 1/3 success",
            ", \"success\": false}",
            ": {'success': 0}",
        ] {
            assert_eq!(outcome(text), None, "{text}");
        }
    }
}
