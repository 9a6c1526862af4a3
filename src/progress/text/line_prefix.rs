//! What loggers and launchers put before every line: the time, the level, the rank, the worker, the container.

use memchr::{memchr, memrchr};

use super::number::leading_fraction;
use crate::progress::text::find::find;
use crate::progress::text::word::is_one_of;

/// Longest prefix in brackets and longest name that are accepted: programs keep the names they print before lines
/// short.
pub(super) const LONGEST_GROUP: usize = 96;
const LONGEST_NAME: usize = 48;

pub(super) const LEVELS: [&[u8]; 9] =
    [b"INFO", b"WARNING", b"WARN", b"ERROR", b"DEBUG", b"CRITICAL", b"FATAL", b"NOTICE", b"TRACE"];

/// A piece of a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PrefixPiece {
    /// Nothing but a prefix looks so: a time, a level, a rank, a worker.
    Sure,
    /// The piece may belong to a prefix whose other pieces are sure: a name, a place in the source, a dash.
    Perhaps,
}

/// Returns what follows the prefix of the line, with its indentation; nothing where the line has no prefix.
///
/// `[rank0]: `, `(Worker pid=12, ip=10.0.0.1) `, `eval-1  | `, `[1,0]<stderr>:`, `3: ` of srun,
/// `2026-11-21 10:00:00,123 - name - INFO - `, `[2026-11-21 10:00:00,123][name][INFO] - `, `INFO:root:`,
/// `I1121 10:00:00.123456 4242 eval.py:12] `, `2026-11-21 10:00:00.123 | INFO     | module:function:42 - `.
pub fn behind_prefix(line: &[u8]) -> Option<&[u8]> {
    let mut rest = line.trim_ascii_start();
    let mut is_sure = false;
    while let Some((piece, behind)) = next_piece(rest, is_sure) {
        is_sure |= piece == PrefixPiece::Sure;
        // The words of the line itself may be indented: only one blank belongs to the prefix.
        rest = behind.strip_prefix(b" ").unwrap_or(behind);
    }
    is_sure.then_some(rest)
}

/// `(RolloutWorker pid=1234, ip=10.0.0.1)`: which of several workers that print into one log says the line.
pub fn worker_on(line: &[u8]) -> Option<&[u8]> {
    let (_, behind) = line.starts_with(b"(").then(|| worker(line)).flatten()?;
    Some(&line[..line.len() - behind.len()])
}

pub(super) fn is_level_name(word: &[u8]) -> bool {
    word.first().is_some_and(u8::is_ascii_uppercase)
        && LEVELS.iter().any(|level| word.eq_ignore_ascii_case(level))
}

pub(super) fn next_piece(text: &[u8], after_sure: bool) -> Option<(PrefixPiece, &[u8])> {
    let trimmed = text.trim_ascii_start();
    // Columns are filled up before a bar; rows of tables end in one too.
    for bar in ["|", "│"].map(str::as_bytes) {
        if after_sure
            && let Some(behind) = trimmed.strip_prefix(bar).filter(|behind| behind.starts_with(b" "))
            && !trimmed.trim_ascii_end().ends_with(bar)
        {
            return Some((PrefixPiece::Perhaps, behind));
        }
    }
    match text.first()? {
        b'[' => bracketed(text),
        b'(' => worker(text),
        b'{' if after_sure => place_of_source(text),
        b'0'..=b'9' => time(text).or_else(|| task(text)).map(|behind| (PrefixPiece::Sure, behind)),
        b'-' | b':' | b'>' | 0xe2 if after_sure => separator(text),
        _ => level(text)
            .or_else(|| container_or_logger(text))
            .or_else(|| after_sure.then(|| name(text)).flatten()),
    }
}

/// `{/opt/planner/executor.py:132}`: the line of the program that speaks.
fn place_of_source(text: &[u8]) -> Option<(PrefixPiece, &[u8])> {
    let end = memchr(b'}', &text[..text.len().min(LONGEST_GROUP)])?;
    let colon = memrchr(b':', &text[..end])?;
    let is_line = colon + 1 < end && text[colon + 1..end].iter().all(u8::is_ascii_digit);
    (is_line && text[..colon].ends_with(b".py")).then_some((PrefixPiece::Sure, &text[end + 1..]))
}

/// `[INFO]`, `[rank0]:`, `[2026-11-21 10:00:00,123]`, `[root]`, but never a count such as `[ 12/100]` or `[ep 012 F]`.
fn bracketed(text: &[u8]) -> Option<(PrefixPiece, &[u8])> {
    let end = memchr(b']', &text[..text.len().min(LONGEST_GROUP)])?;
    let (inside, behind) = (text[1..end].trim_ascii(), &text[end + 1..]);
    if inside.is_empty() || leading_fraction(inside).is_some() || counts_episodes(inside) {
        return None;
    }
    let stream = behind.strip_prefix(b"<stdout>:").or_else(|| behind.strip_prefix(b"<stderr>:"));
    if let Some(behind) = stream {
        return Some((PrefixPiece::Sure, behind));
    }
    let is_sure = is_rank(inside)
        || time(inside).is_some()
        || is_dated_letter(inside)
        || level(inside)
            .is_some_and(|(_, rest)| rest.is_empty() || time(rest.trim_ascii_start()) == Some(b""));
    let piece = if is_sure { PrefixPiece::Sure } else { PrefixPiece::Perhaps };
    Some((piece, behind.strip_prefix(b":").unwrap_or(behind)))
}

/// `ep 012 F`: with its outcome. `ep 12` only says which one speaks.
fn counts_episodes(inside: &[u8]) -> bool {
    let mut words = inside.split(|byte| *byte == b' ');
    let [word, number, outcome] = [(); 3].map(|()| words.next().unwrap_or_default());
    let is_number = !number.is_empty() && number.iter().all(u8::is_ascii_digit);
    is_one_of(word, &["ep", "episode"]) && is_number && outcome.iter().any(u8::is_ascii_alphabetic)
}

/// `I 2026-11-21 10:00:00,123` in brackets, as Optuna's logger writes it.
pub(super) fn is_dated_letter(inside: &[u8]) -> bool {
    matches!(inside, [b'C' | b'D' | b'E' | b'I' | b'W', b' ', behind @ ..] if time(behind).is_some())
}

/// `rank0`, `rank 3`, `default1`, `Rank:0`.
fn is_rank(inside: &[u8]) -> bool {
    let words = inside.trim_ascii_end();
    let letters = words.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let (word, number) = words.split_at(letters);
    let number = number.strip_prefix(b":").or_else(|| number.strip_prefix(b" ")).unwrap_or(number);
    (word.eq_ignore_ascii_case(b"rank") || word == b"default")
        && !number.is_empty()
        && number.iter().all(u8::is_ascii_digit)
}

/// `(pid=1234) `, `(RolloutWorker pid=1234, ip=10.0.0.1) `.
fn worker(text: &[u8]) -> Option<(PrefixPiece, &[u8])> {
    let end = memchr(b')', &text[..text.len().min(LONGEST_GROUP)])?;
    let inside = &text[1..end];
    let pid = find(inside, b"pid=")?;
    let is_word = pid == 0 || inside[pid - 1] == b' ';
    (is_word && inside.get(pid + 4)?.is_ascii_digit()).then_some((PrefixPiece::Sure, &text[end + 1..]))
}

/// A date, a time or both: at least eight of their characters, with dashes, dots or slashes between the parts of a date
/// and colons between those of a time.
fn time(text: &[u8]) -> Option<&[u8]> {
    let end = text
        .iter()
        .position(|byte| !byte.is_ascii_digit() && !b"-:.,/TZ+".contains(byte))
        .unwrap_or(text.len());
    let (word, behind) = text.split_at(end);
    let count = |wanted: u8| word.iter().filter(|byte| **byte == wanted).count();
    let digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_date = word.len() >= 8 && digits >= 6 && (count(b'-') == 2 || count(b'/') == 2);
    let is_time = word.len() >= 8 && digits >= 5 && count(b':') >= 2;
    // `11/21 [10:00:00]`, `11-21 10:00:00`: a date without a year is one only before a time.
    let is_day = word.len() == 5
        && (word[2] == b'/' && behind.starts_with(b" [") && time(&behind[2..]).is_some()
            || word[2] == b'-' && behind.starts_with(b" ") && time(&behind[1..]).is_some());
    (is_date || is_time || is_day).then_some(behind)
}

/// `INFO`, `WARNING:`, `INFO:root:`, `I1121 10:00:00.123456 4242 eval.py:12]`.
pub(super) fn level(text: &[u8]) -> Option<(PrefixPiece, &[u8])> {
    // Most lines begin with another letter.
    if !text.first().is_some_and(|first| b"CDEFINTW".contains(first)) {
        return None;
    }
    let letters = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let (word, behind) = text.split_at(letters);
    if let [b'I' | b'W' | b'E' | b'F'] = word {
        return glog(behind).map(|behind| (PrefixPiece::Sure, behind));
    }
    let is_level = is_level_name(word);
    // `Error loading …` and `INFO_X` are words of the line.
    let stands_alone = word.iter().all(u8::is_ascii_uppercase) || behind.first() == Some(&b':');
    if !is_level || !stands_alone || behind.first().is_some_and(|byte| !b" :]|-".contains(byte)) {
        return None;
    }
    let Some(behind) = behind.strip_prefix(b":") else { return Some((PrefixPiece::Sure, behind)) };
    // `INFO:root:`, `INFO:RL-CW Runner:`; words of the line have a blank behind their colon.
    let is_of_words = |byte: &u8| is_of_name(*byte) || *byte == b' ' || *byte == b'-';
    let name = behind.iter().take(LONGEST_NAME).take_while(|byte| is_of_words(byte)).count();
    let is_name = !behind[..name].contains(&b' ')
        || !behind.starts_with(b" ") && behind.get(name + 1).is_some_and(u8::is_ascii_alphabetic);
    let behind = match behind.get(name) {
        Some(b':') if name > 0 && is_name => &behind[name + 1..],
        Some(_) | None => behind,
    };
    Some((PrefixPiece::Sure, behind))
}

/// Behind the letter: `1121 10:00:00.123456 4242 eval.py:12] `.
pub(super) fn glog(text: &[u8]) -> Option<&[u8]> {
    let day = text.get(..4)?;
    let behind = text.get(4..)?.strip_prefix(b" ")?;
    if !day.iter().all(u8::is_ascii_digit) || time(behind).is_none() {
        return None;
    }
    let end = memchr(b']', &behind[..behind.len().min(LONGEST_GROUP)])?;
    Some(&behind[end + 1..])
}

/// `eval-1  | `, as docker compose writes it; `PickCube-v0 - INFO - `, a name before the level.
fn container_or_logger(text: &[u8]) -> Option<(PrefixPiece, &[u8])> {
    let name = text.iter().take(LONGEST_NAME).take_while(|byte| is_of_name(**byte)).count();
    let (name, behind) = text.split_at(name);
    if let Some(behind) = behind.trim_ascii_start().strip_prefix(b"|") {
        let number = memrchr(b'-', name).filter(|dash| *dash > 0)? + 1;
        let is_numbered = number < name.len() && name[number..].iter().all(u8::is_ascii_digit);
        return is_numbered.then_some((PrefixPiece::Sure, behind));
    }
    let behind = behind.strip_prefix(b" - ").filter(|_| !name.is_empty())?;
    let has_level = level(behind).is_some_and(|(_, rest)| rest.starts_with(b" -"));
    has_level.then_some((PrefixPiece::Sure, behind))
}

/// `3: `, as `srun --label` and `torchrun` write it.
fn task(text: &[u8]) -> Option<&[u8]> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text[digits..]
        .strip_prefix(b":")
        .filter(|behind| digits <= 4 && behind.first().is_none_or(|byte| *byte == b' '))
}

/// A dash, a colon or `>>` before a blank.
fn separator(text: &[u8]) -> Option<(PrefixPiece, &[u8])> {
    if let Some(behind) = behind_long_dash(text) {
        return Some((PrefixPiece::Perhaps, behind));
    }
    let length = text.iter().take_while(|byte| b"-:>".contains(byte)).count();
    let behind = &text[length..];
    (length <= 2 && behind.first().is_none_or(|byte| *byte == b' ')).then_some((PrefixPiece::Perhaps, behind))
}

/// `— ` and `– ` of those who write well.
fn behind_long_dash(text: &[u8]) -> Option<&[u8]> {
    ["— ", "– "].iter().find_map(|dash| text.strip_prefix(dash.as_bytes())).map(|_| &text[3..])
}

/// `isaaclab.eval` before a dash, a bar or a level, or a place in the source: `bot_eval.py:814`,
/// `module:function:42 -`.
fn name(text: &[u8]) -> Option<(PrefixPiece, &[u8])> {
    let is_of_place = |byte: &u8| is_of_name(*byte) || b":<>".contains(byte);
    let length = text.iter().take(LONGEST_NAME).take_while(|byte| is_of_place(byte)).count();
    let (name, behind) = text.split_at(length);
    let next = behind.trim_ascii_start();
    let is_separator = next.starts_with(b"- ") || next.starts_with(b"| ") || behind_long_dash(next).is_some();
    let ends = next.len() < behind.len() && (is_separator || level(next).is_some());
    let is_file = find(name, b".py:").is_some_and(|at| {
        let number = name[at + 4..].strip_suffix(b":").unwrap_or(&name[at + 4..]);
        !number.is_empty() && number.iter().all(u8::is_ascii_digit)
    });
    let is_counted = next.starts_with(b"|") && counts(name);
    (is_file || (length > 0 && ends && !is_counted)).then_some((PrefixPiece::Perhaps, behind))
}

/// `EP:12` counts, `module:function:12` does not.
fn counts(name: &[u8]) -> bool {
    let letters = name.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let number = name[letters..].strip_prefix(b":").unwrap_or_default();
    !number.is_empty() && number.iter().all(u8::is_ascii_digit)
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
}

#[cfg(test)]
mod tests {
    use super::behind_prefix;

    fn behind(line: &str) -> Option<&str> {
        behind_prefix(line.as_bytes()).map(|rest| std::str::from_utf8(rest).unwrap())
    }

    #[test]
    fn what_loggers_and_launchers_put_before_a_line_is_known() {
        for prefix in [
            "[rank0]: ",
            "[Rank 1] ",
            "[default3]:",
            "[1,0]<stderr>:",
            "2026-11-21 10:00:00,123 [INFO] evaluation — ",
            "(pid=1234) ",
            "(RolloutWorker pid=1234, ip=10.0.0.1) ",
            "eval-1  | ",
            "lab-eval_flat-12 | ",
            "3: ",
            "[INFO] ",
            "[INFO]: ",
            "[INFO 10:00:00] ",
            "INFO: ",
            "INFO:root:",
            "WARNING:isaaclab.eval:",
            "INFO     | >> ",
            "11/21 [10:00:00] INFO     | >> ",
            "[10:00:00] INFO ",
            "[I 2026-11-21 10:00:00,123] ",
            "(VllmWorkerProcess pid=12) ERROR 11-21 10:00:00 [worker_utils.py:242] ",
            "2026-11-21T10:00:00.123456789Z (EngineCore_DP0 pid=12) ERROR 11-21 10:00:00 [core.py:7] ",
            "2026-11-21 10:00:00 ",
            "2026-11-21T10:00:00.123Z ",
            "2026-11-21 10:00:00,123 - INFO - ",
            "PickCube-v0 - INFO - 2026-11-21 10:00:00 - ",
            "2026-11-21 10:00:00,123 - isaaclab.eval - INFO - ",
            "2026-11-21 10:00:00,123 isaaclab.eval INFO: ",
            "2026-11-21 10:00:00,123 Learner INFO ",
            "[2026-11-21 10:00:00,123][root][INFO] - ",
            "[2026-11-21 10:00:00,123] [INFO] [eval.py:42] ",
            "2026-11-21 10:00:00.123 | INFO     | __main__:<module>:42 - ",
            "10:00:00 │ INFO     │ ",
            "INFO 2026-11-21 10:00:00 bot_eval.py:814 ",
            "I1121 10:00:00.123456 140230 eval.py:42] ",
            "[rank0]: 2026-11-21 10:00:00,123 INFO eval.py:42: ",
        ] {
            for words in ["Mean reward: 1.5", "Success: True", "KeyError: 'x'"] {
                assert_eq!(behind(&format!("{prefix}{words}")), Some(words), "{prefix}");
            }
        }
    }

    #[test]
    fn the_indentation_behind_a_prefix_stays() {
        let frame = r#"  File "eval.py", line 3, in step"#;
        for prefix in ["[rank0]: ", "(pid=1) ", "eval-1  | ", "0: "] {
            assert_eq!(behind(&format!("{prefix}{frame}")), Some(frame));
            assert_eq!(behind(&format!("{prefix}    total - count")), Some("    total - count"));
            assert_eq!(behind(&format!("{prefix}| fps | 12 |")), Some("| fps | 12 |"));
        }
    }

    #[test]
    fn the_words_of_a_line_are_no_prefix() {
        for line in [
            "",
            "Mean reward: 1.5",
            "[  12/100] flat_ep0011  TIMEOUT   progress= 39.5m  zone=4  time=87.4s",
            "[eval] Success: True",
            "Episode 3/100 reward=1.0",
            "  5%|5    | 1200/24000 [00:41<12:59, 29.2it/s]",
            "(3 of 5) done",
            "Error loading the scene",
            "INFO_PATH is not set",
            "12.5 m",
            "a - b",
        ] {
            assert_eq!(behind(line), None, "{line}");
        }
    }
}
