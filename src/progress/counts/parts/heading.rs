//! Lines that head a part of the work: `Fold 1/5`, `[2/3] Training the baseline`.

use std::sync::LazyLock;

use regex::bytes::{Captures, Regex};

use crate::progress::counts::count_suffix::CountSuffix;
use crate::progress::counts::count_units;
use crate::progress::text::find::find;
use crate::progress::text::line_prefix::behind_prefix;
use crate::progress::text::number::leading_u64;
use crate::progress::text::word::is_one_of;

/// More is read of no line.
const LONGEST: usize = 160;

/// The heading of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartHeading {
    /// Name of the parts in lower case; empty where only a bracket counts them.
    pub noun: Vec<u8>,
    /// The number of the part, as it is written.
    pub index: u64,
    /// How many there are.
    pub total: u64,
    /// Whether the total is surely that of this process, and not a setting of several.
    pub is_sure: bool,
}

/// What is run several times around the work itself. What names who speaks, such as ranks, is none of it, nor what is
/// done once more only after a failure, nor what counts within the work, such as steps.
macro_rules! parts {
    () => {
        "agent|algo|algorithm|baseline|benchmark|candidate|case|category|checkpoint|ckpt|class|combination|combo|\
         condition|config|configuration|cycle|dataset|domain|env|environment|exp|experiment|fold|gen|generation|\
         iteration|job|level|member|method|model|object|opponent|part|participant|phase|policy|rep|repeat|repetition|\
         round|run|scenario|scene|seed|session|setting|split|stage|subject|suite|sweep|task|track|trial|variant|window"
    };
}

macro_rules! numbered {
    () => {
        concat!(
            r"(?: id| no\.?)?[ _:#=(\[-]{1,3}(?<index>[0-9]{1,5})(?: ?/ ?| \(?(?:out )?of )",
            r"(?<total>[0-9]{1,5})(?<behind>(?:[^0-9a-z/%_.]|\.(?:[^0-9]|$)).*)?$",
        )
    };
}

/// `Fold 1/5`, `Training fold 1 (of 5)`, `[resnet] Trial #2 of 3: lr=0.1`.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(r"^(?:[^/]{0,48}?[^a-z0-9/])?(?<noun>", parts!(), r"|step)", numbered!()))
});

/// The same of anything else, at the start of the line: `Route 1/4`.
static OTHER: LazyLock<Regex> =
    LazyLock::new(|| pattern(concat!(r"^[^a-z0-9]*(?:[a-z]+ ){0,2}?(?<noun>[a-z]{3,})", numbered!())));

/// `[ 1/10] PickCube`, `(1/5) lift`, `1/3: PickCube`, `Training seed 0 (1/3)`.
static COUNTED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^[^a-z0-9\[(]*(?:[\[(] ?(?<index>[0-9]{1,5}) ?(?:/| of ) ?(?<total>[0-9]{1,5})[\])]:?(?<behind> ?[a-z].*)",
        r"|(?<naked>[0-9]{1,3})/(?<all>[0-9]{1,3}):? (?<name>[a-z][a-z0-9 _.-]*)",
        r"|[a-z]+ing [^0-9/]{2,40}[0-9]{0,3}:? ?[a-z0-9_]* [\[(](?<last>[0-9]{1,5})/(?<of>[0-9]{1,5})[\])][^a-z0-9]*)$",
    ))
});

/// `: train the policy` behind a step of a pipeline; steps of anything else have values.
static NAME: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[\])]?[:.]? (?:- )?[a-z][a-z ]+[^a-z0-9]*$"));

/// What is done to files and modules before the work, or remarks on it.
static PREPARES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?:^|[^a-z])(?:load|download|compil|build|link|install|initial|import|extract|fetch|prepar|copy|copied|sav|",
        r"skip|resum|retry|best|converge|video|already)",
    ))
});

/// Whatever these have behind their number are settings.
const SETTINGS: [&str; 8] =
    ["combination", "combo", "condition", "config", "configuration", "exp", "experiment", "setting"];

/// Pipelines have no more steps.
const MOST_STEPS: u64 = 20;

fn pattern(text: &str) -> Regex {
    Regex::new(&format!("(?i-u){text}")).expect("a constant pattern")
}

impl PartHeading {
    /// The part that the line heads, if it heads one with its number and how many there are.
    pub fn on(line: &[u8]) -> Option<Self> {
        let words = holds_count(line).then(|| words_of(line))?;
        let known = Self::named_on(words, &NAMED).or_else(|| Self::counted_on(words));
        let heading = known.or_else(|| Self::other_on(words))?;
        (heading.total > 1 && heading.index <= heading.total && !PREPARES.is_match(words)).then_some(heading)
    }

    fn named_on(words: &[u8], pattern: &Regex) -> Option<Self> {
        let found = pattern.captures(words)?;
        let behind = found.name("behind").map_or(&b""[..], |behind| behind.as_bytes());
        let (index, total) = (number(&found, "index")?, number(&found, "total")?);
        let noun = found["noun"].to_ascii_lowercase();
        let is_step = || total <= MOST_STEPS && NAME.is_match(behind);
        let has_settings = is_one_of(&noun, &SETTINGS);
        let heads = (has_settings || !tells_result(behind)) && (noun != b"step" || is_step());
        heads.then_some(Self { noun, index, total, is_sure: true })
    }

    /// What the formats count is the work itself, or lies within it.
    fn other_on(words: &[u8]) -> Option<Self> {
        let heading = Self::named_on(words, &OTHER)?;
        let is_counted = count_units::find(&heading.noun).is_some();
        (!is_counted).then_some(Self { is_sure: false, ..heading })
    }

    fn counted_on(words: &[u8]) -> Option<Self> {
        let found = COUNTED.captures(words)?;
        let behind = found.name("behind").or_else(|| found.name("name"));
        let tells_result = behind.is_some_and(|behind| tells_result(behind.as_bytes()));
        let either = |names: [&str; 3]| names.iter().find_map(|name| number(&found, name));
        let (index, total) = (either(["index", "naked", "last"])?, either(["total", "all", "of"])?);
        (!tells_result).then_some(Self { noun: Vec::new(), index, total, is_sure: true })
    }
}

/// A number before a stroke or an `of` and one behind it, other than those of a bar.
fn holds_count(line: &[u8]) -> bool {
    let start = &line[..line.len().min(2 * LONGEST)];
    let is_count = |before: &[u8], behind: &[u8]| {
        let behind = behind.strip_prefix(b" ").unwrap_or(behind);
        let digits = behind.iter().take_while(|byte| byte.is_ascii_digit()).count();
        before.strip_suffix(b" ").unwrap_or(before).last().is_some_and(u8::is_ascii_digit)
            && digits > 0
            && !behind[digits..].starts_with(b" [")
    };
    memchr::memchr_iter(b'/', start).any(|at| is_count(&start[..at], &start[at + 1..]))
        || find(start, b"of ").is_some_and(|at| start[at + 3..].first().is_some_and(u8::is_ascii_digit))
}

/// The text behind a number gives the result of a part, and does not only say what begins or of how many samples.
pub(super) fn tells_result(behind: &[u8]) -> bool {
    let words = behind.trim_ascii_start();
    let is_aside =
        words.strip_prefix(b"(").is_some_and(|aside| aside.first().is_some_and(u8::is_ascii_alphabetic));
    let first = words.split(|byte| !byte.is_ascii_alphabetic()).next().unwrap_or_default();
    !is_aside && !first.ends_with(b"ing") && CountSuffix::read(behind).tells_result
}

/// The start of the line without the prefix of a logger.
pub(super) fn words_of(line: &[u8]) -> &[u8] {
    let words = behind_prefix(line).unwrap_or(line);
    &words[..words.len().min(LONGEST)]
}

fn number(found: &Captures<'_>, group: &str) -> Option<u64> {
    leading_u64(found.name(group)?.as_bytes()).map(|(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heading(line: &str) -> Option<(String, u64, u64, bool)> {
        let found = PartHeading::on(line.as_bytes())?;
        Some((String::from_utf8(found.noun).unwrap(), found.index, found.total, found.is_sure))
    }

    #[test]
    fn parts_are_headed_in_many_ways() {
        for (line, noun, index, total) in [
            ("Fold 1/5", "fold", 1, 5),
            ("=== Trial 1 of 5 ===", "trial", 1, 5),
            ("Trial #2 of 5", "trial", 2, 5),
            ("seed=1/3", "seed", 1, 3),
            ("Training fold 1 (of 5)", "fold", 1, 5),
            ("Evaluating checkpoint 1/4", "checkpoint", 1, 4),
            ("[Stage 1/2] Training", "stage", 1, 2),
            ("ResNet50 - Fold 1/5", "fold", 1, 5),
            ("Task ID: 1/10", "task", 1, 10),
            ("2026-11-24 10:00:00,123 - INFO - Fold 0/4", "fold", 0, 4),
            ("Experiment 1/4: dropout=0.1", "experiment", 1, 4),
            ("Step 1/3: train the policy", "step", 1, 3),
            ("STEP 1/3 - Train policy", "step", 1, 3),
            ("[1/5] Training seed 0 with dropout=0.1", "", 1, 5),
            ("[ 1/10] PickCube-v1", "", 1, 10),
            ("(2/5) lift", "", 2, 5),
            ("1/3: PickCube-v1", "", 1, 3),
            ("Training seed 0 (1/3)", "", 1, 3),
            ("Running task pick_cube [1/3]", "", 1, 3),
        ] {
            assert_eq!(heading(line), Some((noun.to_owned(), index, total, true)), "{line}");
        }
        assert_eq!(heading("Route 1/4"), Some(("route".to_owned(), 1, 4, false)), "of anything else");
    }

    #[test]
    fn results_remarks_and_settings_head_none() {
        for line in [
            "Task: 7/10 succeeded",
            "Policy: 1/2 (50%)",
            "[1/2] episodes succeeded",
            "Env: 8/10, mean reward 3.2",
            "Iteration 50/100: loss 0.5",
            "Step 1/10: loss=0.3",
            "Step 100/1000: collecting",
            "Saved video for task 1/2",
            "Loading checkpoint shards: 1/2",
            "[1/2] Loading data",
            "Best config: 7/20",
            "Task 1/2.5",
            "Fold 1/1",
            "Fold 6/5",
            "Trial 3",
            "see /data/run/1/2",
            " 50%|#####     | 5/10 [00:01<00:01, 5.00it/s]",
            "speed: 51234 steps/s",
        ] {
            assert_eq!(heading(line), None, "{line}");
        }
    }
}
