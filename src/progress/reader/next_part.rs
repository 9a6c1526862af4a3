//! The next part of the work, which begins as the first one began: `Training ReachDrop` behind `Training Drop`,
//! `Task: push-v2` behind `Task: reach-v2`.

use crate::progress::text::find::find;
use crate::progress::text::word::is_one_of;

/// What is done to a part.
const DEED: &[u8] = b"training";

/// What is named before it begins.
const NAMED: [&str; 8] = ["task", "suite", "env", "environment", "policy", "seed", "fold", "scenario"];

/// A longer one is a sentence.
const MOST_OF_NAME: usize = 6;

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
    let is_short = name.split(|byte| *byte == b' ').count() <= MOST_OF_NAME;
    let is_name = !name.is_empty() && is_short && !is_one_of(name, &REMARKS);
    (is_name && is_one_of(what, &NAMED)).then_some((what, name))
}

/// Reports whether the line names another part than one of the first lines, which name one of the same kind. A policy
/// may be spelled otherwise the second time, with more or with less of its name.
pub fn names_another<'a>(line: &[u8], first_lines: impl Iterator<Item = &'a [u8]>) -> bool {
    const SPELLED_FREELY: [&str; 3] = ["env", "environment", "policy"];
    let Some((what, name)) = named_part(line) else { return false };
    let name = name.to_ascii_lowercase();
    let is_same = |first: &[u8]| {
        let first = first.to_ascii_lowercase();
        let holds = find(&name, &first).is_some() || find(&first, &name).is_some();
        name == first || is_one_of(what, &SPELLED_FREELY) && holds
    };
    let is_kind = |(other, _): &(&[u8], &[u8])| other.eq_ignore_ascii_case(what);
    let mut named = first_lines.filter_map(named_part).filter(is_kind).peekable();
    named.peek().is_some() && named.all(|(_, first)| !is_same(first))
}

/// Reports whether the line begins another part than one of the first lines, from which it differs in one word: a name.
pub fn begins_another<'a>(line: &[u8], mut first_lines: impl Iterator<Item = &'a [u8]> + Clone) -> bool {
    if !trains(line) || words(line).any(|word| is_one_of(word, &REMARKS)) {
        return false;
    }
    let differs_by_name = |first: &[u8]| {
        let differing = words(line).zip(words(first)).filter(|(one, other)| one != other).count();
        trains(first) && words(line).count() == words(first).count() && differing == 1
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

    #[test]
    fn another_part_has_another_name() {
        let first = ["Task: reach-v2", "Seed: 1", "Policy: openvla/openvla-7b"];
        let names = |line: &str| names_another(line.as_bytes(), first.iter().map(|text| text.as_bytes()));
        for line in
            ["Task: push-v2", "=== Task: push-v2 ===", "Seed: 10", "Policy: pi0", "Task: open the drawer"]
        {
            assert!(names(line), "{line}");
        }
        for line in ["Task: Reach-v2", "Task: done", "Policy: OpenVLA", "Suite: push", "Seed: 1", "Task"] {
            assert!(!names(line), "{line}");
        }
    }
}
