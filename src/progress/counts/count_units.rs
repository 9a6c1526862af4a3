//! The words that programs put before a count of their work, and what a count of each proves.

use crate::progress::text::word::is_one_of;

/// A kind of item that programs count, such as episodes.
#[derive(Debug, PartialEq, Eq)]
pub struct CountUnit {
    /// In the singular and in lower case.
    pub name: &'static str,
    /// Name of several items, in the plural.
    pub unit: &'static str,
    /// Usual place of loops over it: the smaller, the further out.
    pub order: u8,
    /// How much a count with this word proves.
    pub certainty: Certainty,
}

/// How much a count with a certain word proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// An evaluation ends with the last of them: fewer are less than was asked for.
    Believed,
    /// Training that stops early counts these, or any part of a program may: an unfinished count proves nothing.
    Weak,
    /// So small that it is counted rather than announced: a line with nothing after the count means an end.
    Tick,
}

use Certainty::{Believed, Tick, Weak};

const fn word(name: &'static str, unit: &'static str, order: u8, certainty: Certainty) -> CountUnit {
    CountUnit { name, unit, order, certainty }
}

/// Epochs are led by the preset of bars, which follows what is drawn within them; here they only hold other counts.
pub const EPOCHS: &str = "epochs";

/// Usual place of loops over episodes, trials and the like.
const EPISODES_ORDER: u8 = 3;

/// All words, the frequent ones first. Stages, phases, parts and pages are left out: they count the sections of a
/// program or of a text; ranks, workers, shards and devices, because they name who speaks.
pub const WORDS: &[CountUnit] = &[
    word("episode", "episodes", 3, Believed),
    word("ep", "episodes", 3, Believed),
    word("epi", "episodes", 3, Believed),
    word("trial", "trials", 3, Believed),
    // Spanish
    word("episodio", "episodes", 3, Believed),
    word("ensayo", "trials", 3, Believed),
    word("suite", "suites", 0, Believed),
    word("benchmark", "benchmarks", 0, Weak),
    word("policy", "policies", 0, Weak),
    word("seed", "seeds", 0, Weak),
    word("fold", "folds", 0, Weak),
    word("run", "runs", 0, Weak),
    word("experiment", "experiments", 0, Weak),
    word("task", "tasks", 1, Believed),
    word("scene", "scenes", 1, Believed),
    word("scenario", "scenarios", 1, Believed),
    word("epoch", EPOCHS, 1, Weak),
    word("generation", "generations", 1, Weak),
    word("gen", "generations", 1, Weak),
    word("gens", "generations", 1, Weak),
    word("round", "rounds", 2, Weak),
    word("iteration", "iterations", 2, Weak),
    word("iter", "iterations", 2, Weak),
    word("iters", "iterations", 2, Weak),
    word("it", "iterations", 2, Weak),
    word("update", "updates", 2, Weak),
    word("rollout", "rollouts", 3, Believed),
    word("game", "games", 3, Believed),
    word("match", "matches", 3, Weak),
    word("eval", "evaluations", 3, Weak),
    word("evaluation", "evaluations", 3, Weak),
    word("repetition", "repetitions", 3, Weak),
    word("rep", "repetitions", 3, Weak),
    word("trajectory", "trajectories", 3, Weak),
    word("traj", "trajectories", 3, Weak),
    word("demo", "demos", 3, Weak),
    word("sample", "samples", 3, Tick),
    word("question", "questions", 3, Weak),
    word("example", "examples", 3, Weak),
    word("problem", "problems", 3, Weak),
    word("instance", "instances", 3, Weak),
    word("test", "tests", 3, Weak),
    word("case", "cases", 3, Weak),
    word("item", "items", 3, Weak),
    word("simulation", "simulations", 3, Weak),
    word("cycle", "cycles", 2, Weak),
    word("map", "maps", 3, Weak),
    word("video", "videos", 3, Weak),
    word("image", "images", 3, Tick),
    word("prompt", "prompts", 3, Weak),
    word("query", "queries", 3, Weak),
    word("batch", "batches", 4, Tick),
    word("step", "steps", 5, Tick),
    word("timestep", "steps", 5, Tick),
    word("timesteps", "steps", 5, Tick),
    word("transition", "transitions", 5, Tick),
    word("frame", "frames", 5, Tick),
];

/// Word for a count at the start of a line that names no item.
pub const NAMELESS: CountUnit = word("item", "items", 3, Weak);

/// What an epoch counts in brackets behind its number: batches, or samples.
pub const STEPS_OF_EPOCH: CountUnit = word("step", "steps of the epoch", 4, Tick);

/// Steps of all of the work, as names such as `global_step` say.
pub const ALL_STEPS: CountUnit = word("step", "steps", 2, Believed);

/// Reports whether episodes are counted from the start again in each item of this unit.
pub fn holds_episodes(unit: &str) -> bool {
    WORDS.iter().any(|word| word.unit == unit && word.order < EPISODES_ORDER)
}

/// Longer words are none of these.
const LONGEST: usize = "trajectories".len();

/// By length, and by first letter from `a` on: the words that it may be, as bits in their order. Most words of a line
/// are ruled out by them.
const BY_LENGTH: [u64; LONGEST + 1] = {
    let mut sets = [0; LONGEST + 1];
    let mut at = 0;
    while at < WORDS.len() {
        sets[WORDS[at].name.len()] |= 1 << at;
        sets[WORDS[at].unit.len()] |= 1 << at;
        at += 1;
    }
    sets
};
const BY_LETTER: [u64; 26] = {
    let mut sets = [0; 26];
    let mut at = 0;
    while at < WORDS.len() {
        sets[(WORDS[at].name.as_bytes()[0] - b'a') as usize] |= 1 << at;
        sets[(WORDS[at].unit.as_bytes()[0] - b'a') as usize] |= 1 << at;
        at += 1;
    }
    sets
};

/// The word before `_step` of a name says only that all are counted: `env_step`, `global_step`.
pub fn is_of_all(word: impl AsRef<[u8]>) -> bool {
    is_one_of(word, &["env", "global", "total", "current", "train", "training"])
}

/// Returns the unit and the number of the last `step: 2204`, `episode 2000` of a line.
pub fn last_numbered(line: &str) -> Option<(&'static str, u64)> {
    // `timesteps_this_run` is no run.
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let words: Vec<&str> = line.split(|letter| !is_of_name(letter)).filter(|word| !word.is_empty()).collect();
    words.windows(2).rev().find_map(|two| {
        let name =
            two[0].rsplit_once('_').filter(|(before, _)| is_of_all(before)).map_or(two[0], |(_, name)| name);
        let (known, is_plural) = find(name.as_bytes())?;
        let number = two[1].parse().ok()?;
        (!is_plural).then_some((known.unit, number))
    })
}

/// `[Epoch 1/2]`: fewer of some items than there are.
pub fn counts_fewer(line: &str) -> bool {
    let is_digit = |letter: char| letter.is_ascii_digit();
    let is_short = |(at, _): (usize, &str)| {
        let (before, behind) = (&line[..at], &line[at + 1..]);
        let done = &before[before.trim_end_matches(is_digit).len()..];
        let total = &behind[..behind.len() - behind.trim_start_matches(is_digit).len()];
        let numbers = done.parse::<u64>().ok().zip(total.parse::<u64>().ok());
        numbers.is_some_and(|(done, total)| done < total)
    };
    let mut words = line.split(|letter: char| !letter.is_ascii_alphabetic());
    words.any(|word| find(word.as_bytes()).is_some()) && line.match_indices('/').any(is_short)
}

/// Returns the known word, and whether it is in the plural.
pub fn find(word: &[u8]) -> Option<(&'static CountUnit, bool)> {
    let letter = word.first()?.to_ascii_lowercase().checked_sub(b'a')?;
    let mut may_be = BY_LENGTH.get(word.len())? & BY_LETTER.get(usize::from(letter))?;
    while may_be != 0 {
        let known = &WORDS[may_be.trailing_zeros() as usize];
        let is_one = word.eq_ignore_ascii_case(known.name.as_bytes());
        if is_one || word.eq_ignore_ascii_case(known.unit.as_bytes()) {
            return Some((known, !is_one));
        }
        may_be &= may_be - 1;
    }
    None
}
