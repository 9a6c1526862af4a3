//! Accuracies that programs print in their own words behind an evaluation: `GSM8K accuracy: 0.8750`,
//! `Final eval_acc: 0.56`.

use super::share::{Scope, scope};
use crate::progress::counts::count_suffix::{SuccessShare, share};
use crate::progress::text::find::find;
use crate::progress::text::line_prefix::behind_prefix;
use crate::progress::text::word::is_one_of;

/// Texts of which every line with an accuracy contains one.
pub const NEEDLES: [&str; 4] = ["ccuracy: ", "ccuracy = ", "val_acc: ", "est_acc: "];

/// More words before it are a sentence.
const MOST_WORDS: usize = 3;

/// Words for accuracies on the training data, and for those of a single answer.
const OTHERS: [&str; 8] = ["train", "training", "batch", "running", "token", "step", "loss", "random"];

/// Returns the accuracy that the line states and nothing else, if it is not that of a part of the work.
pub fn accuracy_on(line: &[u8]) -> Option<(Scope, f64)> {
    let words = behind_prefix(line).unwrap_or(line).trim_ascii();
    let (at, name) = NEEDLES.iter().find_map(|name| Some((find(words, name.as_bytes())?, name)))?;
    let start = words[..at].iter().rposition(|byte| !byte.is_ascii_alphabetic()).map_or(0, |last| last + 1);
    let before = &words[..start];
    let mut named = before.split(|byte| !byte.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    let is_short = before.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).count() <= MOST_WORDS;
    // `Evaluation completed with overall accuracy: 53.33%`
    let is_of_all = || scope(before) == Some(Scope::Overall);
    if !(is_short || is_of_all()) || before.contains(&b',') || named.any(|word| is_one_of(word, &OTHERS)) {
        return None;
    }
    let value = words[at + name.len()..].trim_ascii_start();
    let digits = value.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    let rest = value[digits..].trim_ascii_start();
    let rest = rest.strip_prefix(b"%").unwrap_or(rest).trim_ascii_start();
    // `(91/100)` and the like may follow.
    let is_alone = rest.is_empty() || rest.starts_with(b"(") && rest.ends_with(b")");
    let SuccessShare::Rate(rate) = share(value)? else { return None };
    // `GSM8K accuracy`: the figure belongs to the name.
    let found = match scope(before)? {
        Scope::Counted => Scope::Plain,
        other => other,
    };
    is_alone.then_some((found, rate))
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
            ("Evaluation completed with overall accuracy: 53.33%", 0.5333),
        ] {
            assert_eq!(accuracy_on(line.as_bytes()).map(|(_, found)| found), Some(rate), "{line}");
        }
        for line in [
            "Train accuracy: 0.9",
            "Best eval_acc: 0.68",
            "step batch 10 done, eval_acc: 0.5986",
            "accuracy: 0.9, loss: 0.3",
            "Target accuracy: 0.9",
            "Epoch 3 accuracy: 0.9 loss: 0.3",
            "The model stops once the accuracy: 0.9",
            "accuracy: 87",
        ] {
            assert_eq!(accuracy_on(line.as_bytes()), None, "{line}");
        }
    }
}
