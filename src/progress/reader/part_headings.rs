//! Headings of the parts that the work comes in: `Fold 1/5`, `[2/3] Training the baseline`.
//!
//! Whatever is counted below the heading of a part that is not the last is all of that part, and not of the work.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::progress::counts::count_units::{NAMELESS, find as find_unit};
use crate::progress::text::find::find;
use crate::progress::text::kept_line::KeptLine;
use crate::progress::text::line_prefix::behind_prefix;
use crate::progress::text::number::leading_u64;
use crate::progress::text::word::is_one_of;

/// Headings are short.
const LONGEST: usize = 120;

/// Parts of parts; no program has more kinds of them.
const MOST_KINDS: usize = 6;

/// What is run several times around the work itself. What names who speaks, such as ranks, is none of it, nor what is
/// tried once more only after a failure, nor what counts within the work, such as steps.
const PARTS: &[&str] = &[
    "agent", "algo", "algorithm", "baseline", "benchmark", "candidate", "case", "checkpoint", "ckpt",
    "combination", "combo", "condition", "config", "configuration", "cycle", "dataset", "domain", "env",
    "environment", "exp", "experiment", "fold", "gen", "generation", "group", "iteration", "job", "level",
    "method", "model", "part", "phase", "policy", "rep", "repeat", "repetition", "round", "run", "scenario",
    "scene", "seed", "session", "setting", "split", "stage", "suite", "sweep", "task", "track", "trial",
    "variant",
];

static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i-u)^[^a-z0-9]*(?:[a-z]+[ :]+){0,3}?(?:(?<noun>[a-z]+)[ :#=(\[]{1,3}|\[|\()",
        r"(?<index>\d{1,5})(?: ?/ ?| \(?(?:out )?of )(?<total>\d{1,5})(?<behind>(?:[^0-9a-z/%_.]|\.(?:[^0-9]|$)).*)?$",
    ))
    .expect("a constant pattern")
});

/// `: train the policy` behind a step of a pipeline; steps of anything else have values.
static NAME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^[\])]?[:.]? [a-zA-Z][a-zA-Z ]+\W*$").expect("a constant pattern"));

/// Pipelines have no more steps.
const MOST_STEPS: u64 = 20;

/// What experiments repeat, and announce how often: `5-fold cross-validation`, `Number of trials: 5`.
static ANNOUNCED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i-u)(?:(?:^|[^0-9/.])(?<before>[0-9]{1,4})[ -]|\b(?:num|number|total|n|k)[_ ](?:of[_ ])?)",
        r"(?<noun>experiment|fold|phase|repetition|round|run|seed|session|stage|trial)s?\b(?:[': =]+(?<value>\d{1,4})\b)?",
    ))
    .expect("a constant pattern")
});

/// `Fold 1`, `=== Trial 2 ===`, `Stage 1: pretraining`.
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)^[^a-z0-9]*(?:[a-z]+ ){0,2}?(?<noun>[a-z]+)[ #]{1,2}(?<index>[0-9]{1,4})(?::[a-z _-]*|[^a-z0-9]*)$")
        .expect("a constant pattern")
});

/// The headings of a log so far, one of each kind.
#[derive(Debug, Default)]
pub struct PartHeadings {
    kinds: Vec<PartLoop>,
    /// How many there are, as was said before, of each kind.
    announced: BTreeMap<Vec<u8>, u64>,
}

/// The parts of one kind.
#[derive(Debug, Default)]
struct PartLoop {
    /// What a part is called, in lower case; empty where only a bracket counts them.
    noun: Vec<u8>,
    newest: u64,
    total: u64,
    /// The first one is number 0.
    from_zero: bool,
    /// They were counted again from the start: they lie within the work, and do not hold it.
    restarts: bool,
    heading: KeptLine,
}

impl PartLoop {
    fn take(&mut self, index: u64, total: u64) {
        if self.total != total {
            // Other parts of the same name.
            *self = Self {
                noun: std::mem::take(&mut self.noun),
                total,
                from_zero: index == 0,
                ..Self::default()
            };
        }
        self.restarts |= index < self.newest;
        self.newest = index;
    }

    /// The unit of a count in the same words.
    fn unit(&self) -> Option<&'static str> {
        if self.noun.is_empty() {
            Some(NAMELESS.unit)
        } else {
            find_unit(&self.noun).map(|(word, _)| word.unit)
        }
    }

    fn is_open(&self) -> bool {
        !self.restarts && self.newest + u64::from(self.from_zero) < self.total
    }
}

impl PartHeadings {
    /// Takes a line with its number and its offset; most head no part.
    pub fn take(&mut self, line: &[u8], number: u64, offset: u64) {
        let Some((noun, index, total)) = heading_on(line).or_else(|| self.announced_heading_on(line)) else {
            return;
        };
        let known = self.kinds.iter().position(|known| known.noun == noun);
        let place = known.unwrap_or(self.kinds.len());
        if known.is_none() {
            if place == MOST_KINDS {
                return;
            }
            self.kinds.push(PartLoop { noun, ..PartLoop::default() });
        }
        self.kinds[place].take(index, total);
        self.kinds[place].heading.keep(number, offset, line);
    }

    /// Takes a line from before the work, which may say how many parts there are.
    pub fn announce(&mut self, line: &[u8]) {
        let Some(found) = (line.len() <= LONGEST).then(|| ANNOUNCED.captures(line)).flatten() else { return };
        let number = found.name("value").or_else(|| found.name("before"));
        if let Some((total, _)) = number.and_then(|number| leading_u64(number.as_bytes())) {
            self.announced.insert(found["noun"].to_ascii_lowercase(), total);
        }
    }

    /// The same for a heading without a total that was announced.
    fn announced_heading_on(&self, line: &[u8]) -> Option<(Vec<u8>, u64, u64)> {
        if self.announced.is_empty() || line.len() > LONGEST {
            return None;
        }
        let found = NUMBERED.captures(behind_prefix(line).unwrap_or(line))?;
        let noun = found["noun"].to_ascii_lowercase();
        let (index, total) = (leading_u64(&found["index"])?.0, *self.announced.get(&noun)?);
        (total > 1 && index <= total).then_some((noun, index, total))
    }

    /// Returns the heading of a part behind which others are to come, other than the count of the work itself: so many
    /// of this unit.
    pub fn open_beside(&self, unit: &str, total: Option<u64>) -> Option<&KeptLine> {
        let is_work = |parts: &PartLoop| total == Some(parts.total) && parts.unit() == Some(unit);
        self.kinds.iter().find(|parts| parts.is_open() && !is_work(parts)).map(|parts| &parts.heading)
    }

    /// No line headed a part.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Forgets all of them, because another run begins.
    pub fn forget(&mut self) {
        self.kinds.clear();
        self.announced.clear();
    }
}

/// What the part is called, its number, and how many there are.
fn heading_on(line: &[u8]) -> Option<(Vec<u8>, u64, u64)> {
    let may_count = || memchr::memchr(b'/', line).is_some() || find(line, b"of ").is_some();
    if line.len() > LONGEST || !may_count() {
        return None;
    }
    let found = HEADING.captures(behind_prefix(line).unwrap_or(line))?;
    let number = |group: &str| leading_u64(&found[group]).map(|(number, _)| number);
    let (index, total) = (number("index")?, number("total")?);
    let behind = found.name("behind").map_or(&b""[..], |behind| behind.as_bytes());
    let noun = found.name("noun").map_or_else(Vec::new, |noun| noun.as_bytes().to_ascii_lowercase());
    let names_part = match noun.as_slice() {
        b"" => behind.starts_with(b"]") || behind.starts_with(b")"),
        b"step" => total <= MOST_STEPS && NAME.is_match(behind),
        noun => is_one_of(noun, PARTS),
    };
    (names_part && total > 1 && index <= total).then_some((noun, index, total))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> PartHeadings {
        let mut parts = PartHeadings::default();
        for (line, number) in lines.iter().zip(1..) {
            parts.announce(line.as_bytes());
            parts.take(line.as_bytes(), number, 0);
        }
        parts
    }

    fn is_open(lines: &[&str]) -> bool {
        read(lines).open_beside("episodes", Some(10)).is_some()
    }

    #[test]
    fn headings_of_a_part_that_is_not_the_last_are_open() {
        for line in [
            "Fold 1/5",
            "=== Trial 1 of 5 ===",
            "Trial #1 of 5",
            "seed=1/3",
            "Training fold 1 (of 5)",
            "Evaluating checkpoint 1/4",
            "[Stage 1/2] Training",
            "[1/5] Training seed 0",
            "(2/5) lift",
            "2026-11-24 10:00:00,123 - INFO - Fold 1/5",
            "Experiment 1/4: lr=0.1",
            "Step 1/3: train the policy",
            "Fold 0/4",
        ] {
            assert!(is_open(&[line]), "{line}");
        }
        for lines in [
            ["Cross-validation: 5 folds", "Fold 1"],
            ["running 5-fold cross-validation", "=== Fold 4 ==="],
            ["Number of trials: 3", "Trial #2"],
            ["num_seeds=3", "Training seed 1: baseline"],
        ] {
            assert!(is_open(&lines), "{lines:?}");
        }
    }

    #[test]
    fn other_counts_are_none() {
        for line in [
            "Rank 0/4 ready",
            "Attempt 1/3",
            "Success 3/5",
            "Step 1/10: loss=0.3",
            "Step 100/1000: collecting",
            "Episode 3/10",
            "see /data/run 1/2",
            "11/24 10:00:00 Loading",
            "Loading checkpoint shards: 1/2",
            "Task 1/2.5",
            "Fold 1/1",
            "Fold 6/5",
            "Trial 3",
        ] {
            assert!(!is_open(&[line]), "{line}");
        }
        assert!(!is_open(&["3 seeds", "Seed 42"]), "no number of a part");
        assert!(!is_open(&["Number of trials: 3", "Trial 1 finished with value 2"]), "a result");
    }

    #[test]
    fn the_last_part_closes_its_loop() {
        assert!(is_open(&["Fold 1/3", "Fold 2/3"]) && !is_open(&["Fold 1/3", "Fold 2/3", "Fold 3/3"]));
        assert!(!is_open(&["Fold 0/3", "Fold 1/3", "Fold 2/3"]), "numbered from 0");
        assert!(!is_open(&["2 folds", "Fold 1", "Fold 2"]));
        assert!(is_open(&["Fold 2/2", "Seed 1/3"]), "of several kinds any may be open");
        assert!(!is_open(&["Stage 1/2", "Stage 2/2", "Stage 1/2"]), "stages of each episode");
        assert!(is_open(&["Stage 1/2", "Stage 2/2", "Stage 1/3"]), "other stages");
        let work = read(&["Task 3/10"]);
        assert!(work.open_beside("tasks", Some(10)).is_none(), "the count of the work itself");
        assert!(
            work.open_beside("tasks", Some(9)).is_some() && work.open_beside("episodes", Some(10)).is_some()
        );
    }
}
