//! Parts whose number is said before the work, so that their headings do not repeat it: `5-fold cross-validation`, and
//! then `Fold 1`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::heading::{PartHeading, pattern, tells_result, words_of};
use crate::progress::text::line_shapes::{ByShape, ShapeNumber};
use crate::progress::text::number::leading_u64;

macro_rules! parts {
    () => {
        r"(?<noun>checkpoint|config|configuration|experiment|fold|model|phase|repeat|repetition|round|run|seed|session|stage|task|trial)s"
    };
}

/// `5-fold cross-validation`, `Number of trials: 5`, `Running 3 seeds`.
static ANNOUNCED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?:(?:^|[^0-9/.])(?<before>[0-9]{1,4})[ -]|\bnumber of )",
        parts!(),
        r"?\b(?:[: =]+(?<value>[0-9]{1,4})\b)?",
    ))
});

/// `n_folds: 5`, `"seeds": [0, 1, 2]`: a program may have such a setting and run one of them.
static SETTING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?:^|[^a-z]|\b(?:num|n|k|total)[_ ])",
        parts!(),
        r#"["']?(?:: ?| ?= ?)(?:(?<value>[0-9]{1,4})\b|\[(?<list>[0-9](?:, ?[0-9]+)+)\])"#,
    ))
});

/// Larger numbers are those of steps.
const MOST_PARTS: u64 = 9999;

/// A heading has no more words before its number: `Starting the fold 1`.
const MOST_WORDS: usize = 3;

/// The name of a part and its number, and the text behind it.
struct NumberedPart<'a> {
    noun: &'a [u8],
    index: u64,
    behind: &'a [u8],
}

/// How many parts of each name there are.
#[derive(Debug, Default)]
pub struct AnnouncedParts {
    /// By name in lower case: how many, and whether it is more than a setting.
    totals: BTreeMap<Vec<u8>, (u64, bool)>,
    /// The shapes of lines that announce nothing, whatever their numbers are.
    silent: ByShape<()>,
}

impl AnnouncedParts {
    /// Takes a line from before the work, which has this shape where it came before.
    pub fn take(&mut self, line: &[u8], shape: Option<ShapeNumber>) {
        let is_silent = shape.is_some_and(|shape| self.silent.of(shape).is_some());
        if !is_silent && self.announcement(words_of(line)).is_none() {
            shape.into_iter().for_each(|shape| self.silent.keep(shape, ()));
        }
    }

    /// Takes what such a line announces; none where its text has no place for a number of parts.
    fn announcement(&mut self, words: &[u8]) -> Option<()> {
        if !words.iter().any(u8::is_ascii_digit) {
            return None;
        }
        let announced = ANNOUNCED.captures(words).map(|found| (found, true));
        let (found, is_sure) = announced.or_else(|| Some((SETTING.captures(words)?, false)))?;
        let number = |group: &str| leading_u64(found.name(group)?.as_bytes()).map(|(number, _)| number);
        let listed = || found.name("list").and_then(|list| numbered_from_start(list.as_bytes()));
        let total = number("value").or_else(|| number("before").filter(|_| is_sure)).or_else(listed);
        if let Some(total) = total.filter(|total| *total > 1) {
            let known = self.totals.entry(found["noun"].to_ascii_lowercase()).or_insert((total, is_sure));
            *known = if is_sure || !known.1 { (total, is_sure) } else { *known };
        }
        Some(())
    }

    /// The part that the line heads, if it heads one of those that were announced. Its number may be larger than it can
    /// be, where it is the name of a seed.
    pub fn heading_on(&self, line: &[u8]) -> Option<PartHeading> {
        let found = (!self.totals.is_empty()).then(|| NumberedPart::on(words_of(line))).flatten()?;
        let noun = found.noun.to_ascii_lowercase();
        let (total, is_sure) = *self.totals.get(&noun)?;
        let index = found.index;
        (!tells_result(found.behind)).then_some(PartHeading {
            noun,
            index,
            total,
            is_sure,
            is_preparation: false,
        })
    }
}

/// `0, 1, 2`: how many there are, where these are their numbers and no names.
fn numbered_from_start(list: &[u8]) -> Option<u64> {
    let is_numbered = list.starts_with(b"0") || list.starts_with(b"1");
    is_numbered.then(|| 1 + memchr::memchr_iter(b',', list).count() as u64)
}

impl<'a> NumberedPart<'a> {
    /// Reads `Fold 1`, `=== Trial 2 ===` or `Stage 1: pretraining`.
    fn on(words: &'a [u8]) -> Option<Self> {
        let mut text = &words[words.iter().position(u8::is_ascii_alphanumeric)?..];
        for _ in 0..MOST_WORDS {
            let letters = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
            let (noun, rest) = text.split_at(letters);
            let signs = rest.iter().take_while(|byte| b" :#".contains(byte)).count();
            if letters == 0 || signs == 0 {
                return None;
            }
            if let Some((index, behind)) = leading_u64(&rest[signs..]).filter(|_| signs <= 2) {
                let ends = behind.first().is_none_or(|byte| !byte.is_ascii_alphanumeric());
                return (ends && index <= MOST_PARTS).then_some(Self { noun, index, behind });
            }
            text = rest.strip_prefix(b" ")?;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heading(announced: &str, line: &str) -> Option<(u64, u64, bool)> {
        let mut parts = AnnouncedParts::default();
        parts.take(announced.as_bytes(), None);
        parts.heading_on(line.as_bytes()).map(|heading| (heading.index, heading.total, heading.is_sure))
    }

    #[test]
    fn headings_without_a_total_belong_to_what_was_announced() {
        assert_eq!(heading("Cross-validation: 5 folds", "Fold 1"), Some((1, 5, true)));
        assert_eq!(heading("running 5-fold cross-validation", "=== Fold 4 ==="), Some((4, 5, true)));
        assert_eq!(heading("5-fold cross-validation", "Fold 1 (train: 800, val: 200)"), Some((1, 5, true)));
        assert_eq!(heading("Number of trials: 3", "Trial #2"), Some((2, 3, true)));
        assert_eq!(heading("Evaluating 5 tasks", "Task 1: pick up the cube"), Some((1, 5, true)));
        assert_eq!(heading("num_seeds=3", "Training seed 1: baseline"), Some((1, 3, false)));
        assert_eq!(heading("{\"seeds\": [0, 1, 2]}", "Seed 0"), Some((0, 3, false)));
    }

    #[test]
    fn results_and_other_names_are_none() {
        assert_eq!(heading("Number of trials: 3", "Trial 1 finished with value 2"), None);
        assert_eq!(heading("Number of trials: 3", "Fold 1"), None);
        assert_eq!(heading("task 3/5 folds", "Fold 1"), None);
        assert_eq!(heading("seeds: [42, 43]", "Seed 1"), None, "no numbers of seeds");
        assert_eq!(heading("1 fold", "Fold 1"), None);
    }
}
