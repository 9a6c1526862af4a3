//! A pattern for a log of no known format: which lines look alike, and which of their numbers counts on.

use std::collections::HashMap;
use std::ops::Range;

use crate::progress::text::line_prefix::behind_prefix;
use crate::progress::text::line_shapes::{ByShape, LineShapes};
use crate::progress::text::number::leading_u64;

/// Number of bytes of a line that are looked at.
const LONGEST: usize = 160;

/// A log must not be able to invent any number of shapes.
const MOST_SHAPES: usize = 4096;

/// Fewer lines may look alike by chance.
const FEWEST: u64 = 3;

/// Looks for lines that count.
#[derive(Debug, Default)]
pub struct Suggester {
    shapes: Vec<LineShape>,
    /// Their positions, by their texts.
    by_text: HashMap<String, usize>,
    digits: LineShapes,
    /// By the shapes of lines whose numbers have as many digits; none where they have none that may count.
    known: ByShape<Option<KnownLine>>,
}

/// Where the numbers of such lines are.
#[derive(Debug)]
struct KnownLine {
    position: usize,
    numbers: Vec<Range<usize>>,
}

/// Lines that differ in their numbers alone.
#[derive(Debug, Default)]
struct LineShape {
    text: String,
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
        let Some(digits) = self.digits.number_of(line) else {
            if let Some(known) = self.place(line) {
                self.shapes[known.position].count(line, &known.numbers);
            }
            return;
        };
        if self.known.of(digits).is_none() {
            let known = self.place(line);
            self.known.keep(digits, known);
        }
        if let Some(known) = self.known.of(digits).and_then(Option::as_ref) {
            self.shapes[known.position].count(line, &known.numbers);
        }
    }

    /// Finds the lines that look like this one, and the numbers on it.
    fn place(&mut self, line: &[u8]) -> Option<KnownLine> {
        let words = behind_prefix(line).unwrap_or(line).trim_ascii_start();
        let (text, numbers) = shape_of(words, line.len() - words.len());
        if numbers.is_empty() || !text.chars().any(char::is_alphabetic) {
            return None;
        }
        let newest = self.shapes.len();
        let position = match self.by_text.get(&text) {
            Some(known) => *known,
            None if newest < MOST_SHAPES => {
                self.by_text.insert(text.clone(), newest);
                self.shapes.push(LineShape { text, lines: 0, numbers: Vec::new() });
                newest
            }
            None => return None,
        };
        Some(KnownLine { position, numbers })
    }

    /// The lines that look most like a count of the work.
    pub fn suggestion(&self) -> Option<Suggestion> {
        let counts = self.shapes.iter().filter(|shape| shape.lines >= FEWEST);
        let counts = counts.filter_map(|shape| Some((shape, shape.counting()?)));
        let best = counts.max_by_key(|(shape, place)| {
            (shape.numbers[*place].by_one, shape.lines, std::cmp::Reverse(&shape.text))
        });
        best.map(|(shape, place)| Suggestion {
            told: format!("{} lines look like \"{}\"", shape.lines, start_of(&shape.text, place)),
            done: pattern(&shape.text, place),
        })
    }
}

impl LineShape {
    /// Takes the numbers on such a line.
    fn count(&mut self, line: &[u8], numbers: &[Range<usize>]) {
        self.lines += 1;
        let values = numbers.iter().map(|place| whole_number(&line[place.clone()]).unwrap_or(0));
        if self.numbers.is_empty() {
            self.numbers.extend(values.map(|newest| Number { newest, ..Number::default() }));
            return;
        }
        for (known, number) in self.numbers.iter_mut().zip(values) {
            known.grew += u64::from(number > known.newest);
            known.by_one += u64::from(number == known.newest.saturating_add(1));
            known.shrank += u64::from(number < known.newest);
            known.newest = number;
        }
    }

    /// The place of the number that counts on.
    fn counting(&self) -> Option<usize> {
        let text = &self.text;
        let counts = |number: &Number| number.shrank == 0 && number.grew + 1 >= self.lines.min(FEWEST);
        let places = text.match_indices(HOLE).map(|(at, _)| (&text[..at], &text[at + HOLE.len_utf8()..]));
        let mut numbers = self.numbers.iter().zip(places);
        numbers.position(|(number, (before, behind))| counts(number) && !is_of_time(before, behind))
    }
}

/// The value of a decimal does not count.
fn whole_number(digits: &[u8]) -> Option<u64> {
    leading_u64(digits).filter(|(_, behind)| behind.is_empty()).map(|(number, _)| number)
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

/// The words with a hole for each number, and where these are on the line, on which so many bytes come before the words.
fn shape_of(words: &[u8], before: usize) -> (String, Vec<Range<usize>>) {
    let words = words[..words.len().min(LONGEST)].trim_ascii_end();
    let (mut shape, mut numbers, mut at) = (Vec::new(), Vec::new(), 0);
    while let Some(byte) = words.get(at) {
        if byte.is_ascii_digit() {
            let is_of_number = |byte: &&u8| byte.is_ascii_digit() || **byte == b'.';
            let end = at + words[at..].iter().take_while(is_of_number).count();
            let end = end - words[at..end].iter().rev().take_while(|byte| **byte == b'.').count();
            numbers.push(before + at..before + end);
            shape.push(HOLE as u8);
            at = end;
        } else {
            shape.push(*byte);
            at += 1;
        }
    }
    (String::from_utf8_lossy(&shape).into_owned(), numbers)
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
