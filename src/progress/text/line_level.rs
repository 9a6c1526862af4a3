//! The level that a logger gave to a line: which complaints are errors.

use memchr::memchr;

use super::line_prefix::{
    LEVELS, LONGEST_GROUP, PrefixPiece, glog, is_dated_letter, is_level_name, level, next_piece,
};
use crate::progress::text::find::find;

/// Reports whether the logger marked the line with a level.
pub fn has_level(line: &[u8]) -> bool {
    level_of(line).is_some()
}

/// Reports whether the logger marked the line as no error: `INFO:root:`, `[Warning]` of Kit,
/// `W1121 10:00:00.123456 7 a.cc:3]`.
pub fn is_mild(line: &[u8]) -> bool {
    level_of(line).is_some_and(|level| !matches!(level[0], b'E' | b'C' | b'F'))
}

/// Reports whether the logger marked the line as a mere piece of news.
pub fn is_news(line: &[u8]) -> bool {
    level_of(line).is_some_and(|level| matches!(level[0], b'I' | b'i' | b'D' | b'd'))
}

/// The level that the logger spelled out: `ERROR` of `2026-11-21 10:00:00,123 - name - ERROR - `; none for a letter.
pub fn level_name(line: &[u8]) -> Option<&[u8]> {
    level_of(line).filter(|level| level.len() > 1)
}

/// A line of Kit's log: `2026-11-21T10:00:00Z [12,345ms] [Warning] [omni.physx.plugin] …`.
pub fn is_of_kit(line: &[u8]) -> bool {
    find(&line[..line.len().min(LONGEST_GROUP)], b"ms] [").is_some_and(|at| {
        let level = &line[at + 5..];
        let letters = level.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        level[letters..].starts_with(b"] [")
            && LEVELS.iter().any(|known| level[..letters].eq_ignore_ascii_case(known))
    })
}

/// The first letters of the level in the prefix of the line.
fn level_of(line: &[u8]) -> Option<&[u8]> {
    let mut rest = line.trim_ascii_start();
    let mut is_sure = false;
    loop {
        if let Some(level) = level_at(rest, is_sure) {
            return Some(level);
        }
        let (piece, behind) = next_piece(rest, is_sure)?;
        is_sure |= piece == PrefixPiece::Sure;
        rest = behind.trim_ascii_start();
    }
}

/// `INFO:`, `[Warning]`, `W1121 10:00:00.123456 …]`, `[W1121 …]`, `[W 2026-11-21 …]`, and `W tensorflow/core/a.cc:7]`
/// behind a time.
fn level_at(text: &[u8], after_sure: bool) -> Option<&[u8]> {
    let inside = text.strip_prefix(b"[").unwrap_or(text);
    let letters = inside.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let (word, behind) = inside.split_at(letters);
    let in_brackets = inside.len() < text.len();
    let known = match word {
        [b'I' | b'W' | b'E' | b'F'] => {
            glog(behind).is_some()
                || in_brackets && is_dated_letter(inside)
                || (after_sure && source(behind).is_some())
        }
        _ if in_brackets => behind.first() == Some(&b']') && is_level_name(word),
        _ => level(text).is_some(),
    };
    known.then_some(word)
}

/// Behind the letter: ` tensorflow/core/a.cc:7]`.
fn source(text: &[u8]) -> Option<&[u8]> {
    let end = memchr(b']', &text[..text.len().min(LONGEST_GROUP)])?;
    find(&text[..end], b".cc:").map(|_| &text[end + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_of_a_line_is_known() {
        for line in [
            "INFO:root: going on",
            "2026-11-21 10:00:00,123 - isaaclab.eval - WARNING - low",
            "2026-11-21 10:00:00,123 isaaclab.eval WARNING: low",
            "2026-11-21T10:00:00Z [12,345ms] [Warning] [omni.physx.plugin] slow",
            "[Info] [omni.ext] loaded",
            "W1121 10:00:00.123456 140230 a.cc:42] skipping",
            "2026-11-21 10:00:00.123456: W external/xla/a.cc:42] skipping",
        ] {
            assert!(is_mild(line.as_bytes()), "{line}");
        }
        for line in ["ERROR:root: x", "E1121 10:00:00.123456 140230 a.cc:42] x", "[Error] [omni.ext] x"] {
            assert!(has_level(line.as_bytes()) && !is_mild(line.as_bytes()), "{line}");
        }
        assert!(is_news(b"INFO:root: going on") && is_news(b"[Info] [omni.ext] loaded"));
        assert!(!is_news(b"WARNING:root: slow") && !is_news(b"Info about W"));
        for line in ["Info about W", "[policy] Warning", "2026-11-21 10:00:00 at work", "WARNINGS"] {
            assert!(!has_level(line.as_bytes()), "{line}");
        }
    }
}
