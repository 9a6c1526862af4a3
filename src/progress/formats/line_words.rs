//! The words of a line, as the rules about ends of logs look at them.

use crate::progress::text::languages::in_english;
use crate::progress::text::line_prefix::behind_prefix;
use crate::progress::text::word::{is_number, is_one_of};

/// The words of a line in lower case and in English, without the prefix of a logger.
pub fn words_of(line: &str) -> Vec<String> {
    // `[2026-06-14 02:51:05] [finished]` is no prefix as a whole.
    let is_whole = |words: &&[u8]| !words.trim_ascii().is_empty() || !line.trim_end().ends_with(']');
    let text = behind_prefix(line.as_bytes()).filter(is_whole).unwrap_or(line.as_bytes());
    let text = String::from_utf8_lossy(text).to_lowercase();
    let text = behind_brackets(&text);
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let words = text.split(|letter| !is_part(letter)).filter(|word| !word.is_empty());
    words.map(|word| in_english(word).to_owned()).collect()
}

/// The text behind `[11/12/23 01:15:18][callback][info] - `, but with `[3/10]`, which counts.
fn behind_brackets(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some((inner, behind)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let counts = inner.matches('/').count() == 1 && inner.split('/').all(|part| is_number(part.trim()));
        if counts || behind.trim().is_empty() {
            break;
        }
        rest = behind.trim_start();
    }
    let levels = ["info", "debug", "warning", "notice"];
    levels.iter().find_map(|level| rest.strip_prefix(level)).map_or(rest, str::trim_start)
}

/// The word says that something is over.
pub fn is_end(word: &str) -> bool {
    is_one_of(word, &["done", "finished", "completed", "complete"])
}
