//! The next part of the work, which begins as the first one began: `Training ReachDrop` behind `Training Drop`.

use crate::progress::text::word::is_one_of;

/// What is done to a part.
const DEED: &[u8] = b"training";

/// Behind that, such words say what came of it.
const REMARKS: [&str; 32] = [
    "accuracy", "args", "arguments", "complete", "completed", "config", "curve", "curves", "data", "dataset",
    "done", "duration", "ended", "environment", "environments", "finished", "history", "info", "is", "log",
    "logs", "loss", "metrics", "progress", "results", "set", "statistics", "stats", "stopped", "throughput",
    "time", "took",
];

/// Reports whether the line begins a part of the work, by its first word.
pub fn begins_part(line: &[u8]) -> bool {
    words(line).next().is_some_and(|first| first.eq_ignore_ascii_case(DEED))
}

/// Reports whether the line begins another part than one of the first lines, from which it differs in one word: a name.
pub fn begins_another<'a>(line: &[u8], mut first_lines: impl Iterator<Item = &'a [u8]> + Clone) -> bool {
    if !begins_part(line) || words(line).any(|word| is_one_of(word, &REMARKS)) {
        return false;
    }
    let differs_by_name = |first: &[u8]| {
        let differing = words(line).zip(words(first)).filter(|(one, other)| one != other).count();
        begins_part(first) && words(line).count() == words(first).count() && differing == 1
    };
    first_lines.clone().any(differs_by_name) && first_lines.all(|text| text != line)
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| !byte.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begins(line: &str) -> bool {
        let first = ["Training all parts", "Training the drop", "Using cuda device"];
        begins_another(line.as_bytes(), first.iter().map(|text| text.as_bytes()))
    }

    #[test]
    fn another_part_is_named_as_the_first_one_was() {
        for line in ["Training the reach", "=== Training: the reach ===", "Training no parts"] {
            assert!(begins(line), "{line}");
        }
        for line in [
            "Training the drop", "Training the results", "Training complete", "Training duration: 3h",
            "Training loss: 0.3", "Training on cuda", "Using cpu device", "Training",
        ] {
            assert!(!begins(line), "{line}");
        }
    }
}
