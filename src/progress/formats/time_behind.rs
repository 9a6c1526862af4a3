//! Times behind the words by which a program or its shell ends: `DONE 2026-05-09 18:57:49 label=left`.

use crate::progress::text::word::{is_number, is_one_of};

/// The words before a time and the name that a shell gives the work behind it: `DONE 2026-05-09 18:57:49 label=left`.
/// Nothing where figures come behind the time: `DONE 2026-05-09 18:57:49 status=1`.
pub fn before_time(words: &[String]) -> Option<&[String]> {
    const ZONES: &[&str] = &["utc", "gmt", "cet", "cest", "z"];
    let Some((time, length)) = (1..words.len()).find_map(|at| Some((at, length_of_time(&words[at..])?)))
    else {
        return Some(words);
    };
    let mut behind = words[time..].iter().skip(length).skip_while(|word| is_one_of(word, ZONES));
    (!behind.any(|word| is_number(word))).then_some(&words[..time])
}

/// How many words are a time: 6 of `2026-05-09 18:57:49`, 5 of `2026-05-09T18:57:49`, 8 of `Thu 2 Jul 11:33:25 UTC 2026`.
fn length_of_time(words: &[String]) -> Option<usize> {
    const DAYS: &[&str] = &["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    const MONTHS: &[&str] =
        &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    match words {
        [year, month, day, ..] if year.len() == 4 && year.starts_with("20") && is_number(year) => {
            let is_day = is_number(month) && day.starts_with(|letter: char| letter.is_ascii_digit());
            is_day.then_some(if is_number(day) { 6 } else { 5 })
        }
        [day, one, other, ..] if is_one_of(day, DAYS) => {
            (is_one_of(one, MONTHS) || is_one_of(other, MONTHS)).then_some(8)
        }
        _ => None,
    }
}
