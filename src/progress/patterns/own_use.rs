//! How often the patterns of a sweep matched: one that never does, or whose group is no number, is a mistake.

use crate::progress::patterns::fault::{PatternFault, PatternFaultKind};
use crate::progress::reading::shorten;

/// Result of matching a pattern that captures a number against a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Match<'a, T> {
    /// The pattern does not match.
    None,
    /// The pattern matches, and its group is a number.
    Value(T),
    /// The pattern matches, but its group holds this text instead of a number.
    NoNumber(&'a [u8]),
}

/// How often one pattern matched.
#[derive(Debug, Default)]
pub struct PatternUse {
    matched: u64,
    no_number: u64,
    /// The first line on which it found no number, and what stood there.
    first: Option<(u64, String)>,
}

impl PatternUse {
    /// Takes what the pattern found on a line, and gives the value.
    pub fn take<T>(&mut self, line: u64, found: Match<'_, T>) -> Option<T> {
        match found {
            Match::None => None,
            Match::Value(value) => {
                self.matched += 1;
                Some(value)
            }
            Match::NoNumber(text) => {
                self.matched += 1;
                self.no_number += 1;
                self.first.get_or_insert_with(|| (line, shorten(text)));
                None
            }
        }
    }

    /// Describes what is wrong with the pattern after so many lines, if anything. A pattern without a group counts its
    /// lines.
    pub fn fault(&self, place: &str, group: Option<&str>, lines: u64) -> Option<PatternFault> {
        let fault = |kind, message: String| {
            let message = format!("{place}: {message}");
            Some(PatternFault { place: place.to_owned(), kind, message })
        };
        let unmatched = || format!("its pattern matched none of {}", counted(lines));
        match (self.matched, group, &self.first) {
            (0, _, _) if lines == 0 => None,
            (0, Some(_), _) => fault(PatternFaultKind::NeverMatched, unmatched()),
            (0, None, _) => fault(PatternFaultKind::CountedNone, unmatched()),
            (_, _, None) | (_, None, _) => None,
            (matched, Some(group), Some((line, text))) => {
                let (matched, without) = (counted(matched), self.no_number);
                let message = format!(
                    "its pattern matched {matched}, but on {without} of them `{group}` is no number, first on line \
                     {line}: `{text}`"
                );
                fault(PatternFaultKind::NoNumber, message)
            }
        }
    }

    /// Reports whether the pattern has never matched.
    pub fn is_idle(&self) -> bool {
        self.matched == 0
    }
}

fn counted(lines: u64) -> String {
    if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") }
}
