//! A pattern for a log of no known format: which lines look alike, and which of their numbers counts on.

use std::collections::HashMap;

use crate::progress::text::line_prefix::behind_prefix;

/// Number of characters of a line that are looked at.
const LONGEST: usize = 160;

/// A log must not be able to invent any number of shapes.
const MOST_SHAPES: usize = 4096;

/// Fewer lines may look alike by chance.
const FEWEST: u64 = 3;

/// Looks for lines that count.
#[derive(Debug, Default)]
pub struct Suggester {
    shapes: HashMap<String, LineShape>,
}

/// Lines that differ in their numbers alone.
#[derive(Debug, Default)]
struct LineShape {
    lines: u64,
    numbers: Vec<Number>,
}

/// A number of such lines.
#[derive(Debug, Clone, Copy, Default)]
struct Number {
    newest: u64,
    /// Times that it grew, and that it grew by one.
    grew: u64,
    by_one: u64,
    /// Times that it became less.
    shrank: u64,
}

/// Description of what a log looks like, with a pattern for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// `34 lines look like "Episode N: …"`
    pub told: String,
    /// The pattern for `[progress] done`.
    pub done: String,
}

impl Suggester {
    /// Takes the next line.
    pub fn take(&mut self, line: &[u8]) {
        let line = String::from_utf8_lossy(behind_prefix(line).unwrap_or(line));
        let line: String = line.trim().chars().take(LONGEST).collect();
        let (shape, numbers) = shape_of(&line);
        if numbers.is_empty() || !shape.chars().any(char::is_alphabetic) {
            return;
        }
        let is_room = self.shapes.len() < MOST_SHAPES;
        let Some(known) =
            (if is_room { Some(self.shapes.entry(shape).or_default()) } else { self.shapes.get_mut(&shape) })
        else {
            return;
        };
        known.lines += 1;
        if known.lines == 1 {
            known.numbers =
                numbers.iter().map(|newest| Number { newest: *newest, ..Number::default() }).collect();
            return;
        }
        for (known, number) in known.numbers.iter_mut().zip(numbers) {
            known.grew += u64::from(number > known.newest);
            known.by_one += u64::from(number == known.newest.saturating_add(1));
            known.shrank += u64::from(number < known.newest);
            known.newest = number;
        }
    }

    /// The lines that look most like a count of the work.
    pub fn suggestion(&self) -> Option<Suggestion> {
        let counts = self.shapes.iter().filter(|(_, shape)| shape.lines >= FEWEST);
        let counts = counts.filter_map(|(text, shape)| Some((text, shape, shape.counting(text)?)));
        let best = counts.max_by_key(|(text, shape, place)| {
            (shape.numbers[*place].by_one, shape.lines, std::cmp::Reverse((*text).clone()))
        });
        best.map(|(text, shape, place)| Suggestion {
            told: format!("{} lines look like \"{}\"", shape.lines, start_of(text, place)),
            done: pattern(text, place),
        })
    }
}

impl LineShape {
    /// The place of the number that counts on.
    fn counting(&self, text: &str) -> Option<usize> {
        let counts = |number: &Number| number.shrank == 0 && number.grew + 1 >= self.lines.min(FEWEST);
        let places = text.match_indices(HOLE).map(|(at, _)| (&text[..at], &text[at + HOLE.len_utf8()..]));
        let mut numbers = self.numbers.iter().zip(places);
        numbers.position(|(number, (before, behind))| counts(number) && !is_of_time(before, behind))
    }
}

/// Reports whether the number is part of a time, a date or a version: other numbers are close by.
fn is_of_time(before: &str, behind: &str) -> bool {
    let joins = |letter: char| matches!(letter, ':' | '-' | '.' | '/');
    let mut earlier = before.chars().rev();
    let mut later = behind.chars();
    let follows = earlier.next().is_some_and(joins) && earlier.next() == Some(HOLE);
    let precedes = later.next().is_some_and(|sign| joins(sign) && sign != '/') && later.next() == Some(HOLE);
    follows || precedes
}

/// Placeholder for a number in a shape: no log holds this character.
const HOLE: char = '\u{1}';

/// The line with a hole for each whole number, and the numbers; decimals are one hole whose value does not count.
fn shape_of(line: &str) -> (String, Vec<u64>) {
    let (mut shape, mut numbers) = (String::new(), Vec::new());
    let mut rest = line;
    while let Some(at) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (before, digits) = rest.split_at(at);
        shape.push_str(before);
        shape.push(HOLE);
        let end =
            digits.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(digits.len());
        let number = digits[..end].trim_end_matches('.');
        numbers.push(number.parse().unwrap_or(0));
        rest = &digits[number.len()..];
    }
    shape.push_str(rest);
    (shape, numbers)
}

/// `Episode N: …`: as far as the number that counts, and a little more.
fn start_of(shape: &str, place: usize) -> String {
    const BEHIND: usize = 8;
    let end = shape.match_indices(HOLE).nth(place).map_or(shape.len(), |(at, _)| at + HOLE.len_utf8());
    let behind: String = shape[end..].chars().take(BEHIND).collect();
    let more = if shape.len() > end + behind.len() { "…" } else { "" };
    format!("{}{behind}{more}", &shape[..end]).replace(HOLE, "N")
}

/// The number that counts, and a total behind a slash or `of`.
fn pattern(shape: &str, place: usize) -> String {
    let mut parts = shape.split(HOLE);
    let mut pattern = String::from("^");
    let mut is_whole = true;
    for position in 0..=place {
        let before = parts.next().unwrap_or_default();
        pattern.push_str(&regex::escape(before));
        pattern.push_str(if position == place { r"(?<done>\d+)" } else { r"[\d.]+" });
    }
    let behind = parts.next().unwrap_or_default();
    if let Some(of) = ["/", " / ", " of "].into_iter().find(|of| behind == *of) {
        pattern.push_str(&regex::escape(of));
        pattern.push_str(r"(?<total>\d+)");
        is_whole = false;
    }
    let word: String = behind.chars().take_while(|letter| !letter.is_alphanumeric()).take(3).collect();
    if is_whole {
        pattern.push_str(&regex::escape(word.trim_end()));
    }
    // A logger may have put a prefix before it.
    pattern.replacen('^', "", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suggested(log: &str) -> Option<(String, String)> {
        let mut suggester = Suggester::default();
        log.lines().for_each(|line| suggester.take(line.as_bytes()));
        suggester.suggestion().map(|suggestion| (suggestion.told, suggestion.done))
    }

    #[test]
    fn lines_that_differ_in_a_number_that_grows_count() {
        let log: String = (1..=34).map(|n| format!("loss 0.{n}\nRollout #{n} ended after 0.5 s\n")).collect();
        let (told, done) = suggested(&log).unwrap();
        assert_eq!(told, "34 lines look like \"Rollout #N ended a…\"");
        assert!(regex::Regex::new(&done).unwrap().is_match("Rollout #7 ended after 0.5 s"), "{done}");
        let log: String = (1..=5).map(|n| format!("2026-04-01 06:15:22 INFO grasp {n} of 5\n")).collect();
        assert_eq!(suggested(&log).unwrap().1, r"grasp (?<done>\d+) of (?<total>\d+)");
        let log: String =
            (1..=5).map(|n| format!("[13/12/22 11:1{n}:56][a] -   Epoch {n}: loss 4.8\n")).collect();
        let done = suggested(&log).unwrap().1;
        assert!(done.ends_with(r"Epoch (?<done>\d+):"), "{done}");
    }

    #[test]
    fn nothing_is_suggested_where_nothing_counts() {
        assert_eq!(suggested("a 1\na 1\na 1\na 1\n"), None);
        assert_eq!(suggested("a 3\na 2\na 1\n"), None);
        assert_eq!(suggested("one\ntwo\n"), None);
    }
}
