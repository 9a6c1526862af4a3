//! Accuracies that programs print in their own words behind an evaluation: `GSM8K accuracy: 0.8750`,
//! `Final eval_acc: 0.56`.

use super::share::{Scope, scope};
use crate::progress::counts::printed::success_share::{SuccessShare, share};
use crate::progress::text::find::find;
use crate::progress::text::line_prefix::behind_prefix;
use crate::progress::text::number::length_of_number;
use crate::progress::text::word::is_one_of;

/// Texts of which every line with an accuracy contains one.
pub const NEEDLES: [&str; 5] = ["ccuracy: ", "ccuracy = ", "ccuracy  ", "val_acc: ", "est_acc: "];

/// More words before it are a sentence.
const MOST_WORDS: usize = 3;

/// Words for accuracies on the training data, and for those of a single answer.
const OTHERS: [&str; 8] = ["train", "training", "batch", "running", "token", "step", "loss", "random"];

/// Returns the accuracy that the line states and nothing else, if it is not that of a part of the work; without its value
/// where it may be `23.02` of 100.
pub fn accuracy_on(line: &[u8]) -> Option<(Scope, Option<f64>)> {
    let (scope, value) = stated_on(line)?;
    Some((scope, share(value).map(SuccessShare::as_rate)))
}

/// The text of the accuracy and of nothing else, from its number on.
fn stated_on(line: &[u8]) -> Option<(Scope, &[u8])> {
    let words = behind_prefix(line).unwrap_or(line).trim_ascii();
    let (at, name) = NEEDLES.iter().find_map(|name| Some((find(words, name.as_bytes())?, name)))?;
    let start = words[..at].iter().rposition(|byte| !byte.is_ascii_alphabetic()).map_or(0, |last| last + 1);
    let before = &words[..start];
    let mut named = before.split(|byte| !byte.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    let is_short = before.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).count() <= MOST_WORDS;
    // `Evaluation completed with overall accuracy: 53.33%`
    let is_of_all = || scope(before) == Some(Scope::Overall);
    // `Dataset: mmlu, accuracy: 0.23`, and no figure before it.
    let is_other = before.contains(&b',') && before.iter().any(u8::is_ascii_digit);
    if !(is_short || is_of_all()) || is_other || named.any(|word| is_one_of(word, &OTHERS)) {
        return None;
    }
    let value = words[at + name.len()..].trim_ascii_start();
    // Columns are filled up: `Accuracy    = 94.0`.
    let is_filled = name.ends_with("  ");
    let value = if is_filled { value.strip_prefix(b"= ")? } else { value };
    let digits = length_of_number(value);
    let rest = value[digits..].trim_ascii_start();
    // `36/400 = 9.00%`, of which either may be missing.
    let rest = rest.strip_prefix(b"%").or_else(|| behind_total(rest)).unwrap_or(rest).trim_ascii_start();
    // `(91/100)` and the like may follow.
    let is_alone = rest.is_empty() || rest.starts_with(b"(") && rest.ends_with(b")");
    // `GSM8K accuracy`: the figure belongs to the name.
    let found = match scope(before)? {
        Scope::Counted => Scope::Plain,
        other => other,
    };
    (digits > 0 && is_alone).then_some((found, value))
}

/// What follows `/400`, and ` = 9.00%` behind it.
fn behind_total(text: &[u8]) -> Option<&[u8]> {
    let total = text.strip_prefix(b"/")?;
    let rest = &total[length_of_number(total)..];
    let Some(same) = rest.trim_ascii_start().strip_prefix(b"=") else { return Some(rest) };
    let same = same.trim_ascii_start();
    let rest = &same[length_of_number(same)..];
    Some(rest.strip_prefix(b"%").unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_accuracy_alone_on_its_line_is_one() {
        for (line, rate) in [
            ("2026-04-04 22:27:43,595 [INFO] eval: GSM8K accuracy: 0.8750", 0.875),
            ("Accuracy: 31.25%", 0.3125),
            ("  Test Accuracy: 0.91 (91/100)", 0.91),
            ("Final eval_acc: 0.5602", 0.5602),
            ("Accuracy                = 0.94", 0.94),
            ("Dataset: mmlu, Accuracy: 23%", 0.23),
            ("Evaluation completed with overall accuracy: 53.33%", 0.5333),
            ("Accuracy: 36/400 = 9.00%", 0.09),
            ("Accuracy: 36/400 (9.00%)", 0.09),
            ("Accuracy = 36/400", 0.09),
        ] {
            assert_eq!(accuracy_on(line.as_bytes()).and_then(|(_, found)| found), Some(rate), "{line}");
        }
        for line in [
            "Train accuracy: 0.9",
            "Best eval_acc: 0.68",
            "step batch 10 done, eval_acc: 0.5986",
            "accuracy: 0.9, loss: 0.3",
            "Target accuracy: 0.9",
            "Epoch 3 accuracy: 0.9 loss: 0.3",
            "The model stops once the accuracy: 0.9",
            "Epoch 3, accuracy: 0.9",
            "accuracy  0.9",
        ] {
            assert_eq!(accuracy_on(line.as_bytes()), None, "{line}");
        }
        assert_eq!(accuracy_on(b"accuracy: 87"), Some((Scope::Plain, None)), "perhaps of 100");
    }
}
