//! The next part of the work, which begins as the first one began: `Training ReachDrop` behind `Training Drop`,
//! `Task: push-v2` behind `Task: reach-v2`.

use crate::progress::text::find::find;
use crate::progress::text::word::is_one_of;

/// What is done to a part.
const DEED: &[u8] = b"training";

/// What is named before it begins.
const NAMED: [&str; 10] =
    ["task", "suite", "env", "environment", "model", "policy", "seed", "fold", "scenario", "dataset"];

/// Behind that, such words say what came of it.
const REMARKS: [&str; 32] = [
    "accuracy", "args", "arguments", "complete", "completed", "config", "curve", "curves", "data", "dataset",
    "done", "duration", "ended", "environment", "environments", "finished", "history", "info", "is", "log",
    "logs", "loss", "metrics", "progress", "results", "set", "statistics", "stats", "stopped", "throughput",
    "time", "took",
];

/// Reports whether the line begins a part of the work, by its first word.
pub fn begins_part(line: &[u8]) -> bool {
    trains(line) || named_part(line).is_some()
}

fn trains(line: &[u8]) -> bool {
    words(line).next().is_some_and(|first| first.eq_ignore_ascii_case(DEED))
}

/// What is named, and its name: `Task` and `push-v2` of `=== Task: push-v2 ===`.
fn named_part(line: &[u8]) -> Option<(&[u8], &[u8])> {
    const FRAME: &[u8] = b" =-#*>[]";
    let start = line.iter().position(|byte| !FRAME.contains(byte))?;
    let end = line.iter().rposition(|byte| !FRAME.contains(byte))?;
    let colon = memchr::memchr2(b':', b'=', &line[start..=end])? + start;
    let (what, name) = (line[start..colon].trim_ascii(), line[colon + 1..=end].trim_ascii());
    let is_name = !name.is_empty() && !name.contains(&b' ');
    (is_name && is_one_of(what, &NAMED)).then_some((what, name))
}

/// The lines name two of the same: neither is a longer name of the other.
fn name_two(line: &[u8], first: &[u8]) -> bool {
    let Some(((what, name), (of_first, first))) = named_part(line).zip(named_part(first)) else {
        return false;
    };
    what == of_first && find(name, first).is_none() && find(first, name).is_none()
}

/// Reports whether the line begins another part than one of the first lines, from which it differs in one word: a name.
pub fn begins_another<'a>(line: &[u8], mut first_lines: impl Iterator<Item = &'a [u8]> + Clone) -> bool {
    if !begins_part(line) || words(line).any(|word| is_one_of(word, &REMARKS)) {
        return false;
    }
    let differs_by_name = |first: &[u8]| {
        let differing = words(line).zip(words(first)).filter(|(one, other)| one != other).count();
        trains(line) && trains(first) && words(line).count() == words(first).count() && differing == 1
    };
    let is_another = |first: &[u8]| differs_by_name(first) || name_two(line, first);
    first_lines.clone().any(is_another) && first_lines.all(|text| text != line)
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
        let named = |line: &str| begins_another(line.as_bytes(), [b"Task: reach-v2".as_slice()].into_iter());
        assert!(named("Task: push-v2") && named("=== Task: push-v2 ==="));
        for line in
            ["Task: reach-v2", "Task: reach-v2-goal", "Task: done", "Task: all of them", "Suite: push"]
        {
            assert!(!named(line), "{line}");
        }
        for line in [
            "Training the drop", "Training the results", "Training complete", "Training duration: 3h",
            "Training loss: 0.3", "Training on cuda", "Using cpu device", "Training",
        ] {
            assert!(!begins(line), "{line}");
        }
    }
}
