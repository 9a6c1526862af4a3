//! What stands behind a word that says that something is over: more work, or the part that it was.

use super::line_words::is_end;
use crate::progress::text::word::{is_number, is_one_of};

/// Words before an end that make it that of a part, or something that is to come.
pub const NOT_YET: &[&str] = &[
    "when", "after", "until", "once", "if", "before", "not", "will", "be", "to", "should", "as", "each",
    "every", "per", "far", "already", "while", "epoch", "episode", "task", "step", "iteration", "batch",
    "trial", "stage", "phase", "no", "partial",
];

/// Words by which more work begins.
const BEGINS: &[&str] = &[
    "starting", "start", "starts", "beginning", "begin", "begins", "proceeding", "moving", "continuing",
    "switching", "launching", "loading", "evaluating", "testing", "running", "computing", "now", "next",
    "then",
];

/// Words before these that make a thing of them: `since the start`, `training and testing`.
const NAMED_BY: &[&str] = &["and", "of", "since", "from", "the", "after", "before", "for", "with"];

/// Parts of which a program has several.
pub(super) const PARTS: &[&str] = &[
    "step", "epoch", "episode", "iteration", "iter", "seed", "task", "fold", "trial", "round", "stage",
    "phase", "checkpoint", "update", "run", "level", "suite", "job", "game", "rollout", "evaluation",
    "experiment", "simulation", "scenario",
];

/// Things of which a program trains several.
pub(super) const TRAINED: &[&str] =
    &["model", "agent", "policy", "network", "client", "worker", "player", "env", "robot"];

/// Words before a deed that make it the first of several, or a trial of the real one.
const PHASES: &[&str] = &[
    "initial", "baseline", "zero", "warmup", "warm", "dry", "first", "second", "third", "inner", "local",
    "sanity", "pre", "phase", "stage", "preliminary", "quick", "half", "part", "rollout", "trajectory",
    "self", "arena", "child",
];

/// What is trained or collected for something else.
const FOR_MORE: &[&str] = &[
    "validation", "data", "dataset", "encoder", "decoder", "autoencoder", "vae", "vqvae", "tokenizer",
    "world", "reward", "dynamics", "critic", "actor", "client", "server", "discriminator", "teacher",
    "pretraining", "pretrain",
];

/// Reports whether an end with these words around it is that of a part: of a training (`trains`) or not, behind a subject
/// (`has_subject`) or with what is over behind its verb.
pub fn is_of_part(before: &[String], behind: &[String], trains: bool, has_subject: bool) -> bool {
    names_phase(before)
        || names_part(behind, trains)
        || ends_numbered(behind)
        || ends_some(behind)
        || counts_so_far(before, behind)
        || begins_more(behind, has_subject)
}

/// `Tasks done: 3`, `Tasks done so far: 3`, `8 left` behind `3 tasks done`.
fn counts_so_far(before: &[String], behind: &[String]) -> bool {
    const REST: &[&str] = &["left", "remaining", "remain", "pending", "queued"];
    let names_all = before.iter().any(|word| word == "all");
    let are_several = |word: &String| word.ends_with('s') && !word.ends_with("ss") || word == "run";
    let is_number_alone = matches!(behind, [number] if is_number(number));
    before.last().is_some_and(are_several) && !names_all && is_number_alone
        || behind.iter().any(|word| word == "eta")
        || behind.windows(2).any(|two| {
            two[0] == "so" && two[1] == "far"
                || is_number(&two[0]) && two[0] != "0" && is_one_of(&two[1], REST)
        })
}

/// `3 of 8 tasks` and `jobs (3/8)` behind `Finished`, `(1/3)` behind `Training complete`.
fn ends_some(behind: &[String]) -> bool {
    let (done, total) = match behind {
        [done, of, total, ..] if of == "of" => (done, total),
        [done, total] => (done, total),
        [name, done, total] if is_part(name.trim_end_matches('s')) => (done, total),
        _other => return false,
    };
    is_number(done) && is_number(total) && done != total
}

/// Reports whether the line says that something is over and that more begins: `Training finished. Next: evaluation`.
pub fn goes_on(words: &[String]) -> bool {
    let end = words.iter().position(|word| is_end(word));
    end.is_some_and(|end| begins_more(&words[end + 1..], end > 0))
}

/// `Initial` before `evaluation complete`, `Phase I` before `training complete`, `World model` before `training done`.
fn names_phase(before: &[String]) -> bool {
    const MOST_OF_DEED: usize = 3;
    let deed = &before[before.len().saturating_sub(MOST_OF_DEED)..];
    before.iter().any(|word| is_one_of(word, PHASES)) || deed.iter().any(|word| is_one_of(word, FOR_MORE))
}

/// `training seed 1` behind `Finished`, `run 1 in 3 s`, `model A`, `jobs: 3`: one of several, or so many.
fn ends_numbered(behind: &[String]) -> bool {
    let (name, number, rest) = match behind {
        [deed, name, number, rest @ ..] if deed.ends_with("ing") && !is_number(name) => (name, number, rest),
        [name, number, rest @ ..] => (name, number, rest),
        _ => return false,
    };
    let is_time = rest.first().is_some_and(|word| is_one_of(word, &["in", "at", "after", "took"]));
    (rest.is_empty() || is_time && is_number(number))
        && (is_number(number) || number.len() == 1)
        && is_part(name.trim_end_matches('s'))
}

/// One of what a program has several of.
fn is_part(name: &str) -> bool {
    is_one_of(name, PARTS) || is_one_of(name, TRAINED)
}

/// `starting evaluation` behind `Training finished`, `Evaluating...` behind `Training complete`. Behind a word with
/// nothing before it comes what is over: `Finished evaluating`.
fn begins_more(behind: &[String], has_subject: bool) -> bool {
    // `Simulation finished running`, `finished running 100 episodes`
    let is_run =
        || behind[0] == "running" && behind.get(1).is_none_or(|word| is_number(word) || word == "all");
    let is_object = |place: usize| place == 0 && (!has_subject || is_run());
    let is_named = |place: usize| place > 0 && is_one_of(&behind[place - 1], NAMED_BY);
    let is_time = |place: usize| {
        behind.get(place + 1).is_some_and(|word| is_one_of(word, &["time", "times", "cost", "date"]))
    };
    let alone = |place: usize| place + 1 == behind.len() && behind[place] == "now";
    (0..behind.len()).any(|place| {
        is_one_of(&behind[place], BEGINS)
            && !is_object(place)
            && !is_named(place)
            && !is_time(place)
            && !alone(place)
    })
}

/// `for seed 1` behind `Evaluation complete`, `at step 1000` behind `Finished evaluation`; `for 3 seeds` is all. A training
/// that is over at a step is over. Settings, as in `with lr 0.1`, are those of one of several runs.
fn names_part(behind: &[String], trains: bool) -> bool {
    const SETTINGS: &[&str] =
        &["lr", "seed", "config", "configuration", "params", "parameters", "hyperparameters", "settings"];
    behind.windows(2).any(|two| two[0] == "with" && is_one_of(&two[1], SETTINGS))
        || behind.windows(3).any(|three| {
            (is_one_of(&three[0], &["for", "of", "on"]) || !trains && three[0] == "at")
                && is_part(&three[1])
                && is_number(&three[2])
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::formats::line_words::words_of;

    #[test]
    fn more_work_begins_behind_an_end() {
        for behind in [
            "starting evaluation",
            "Evaluating...",
            "now testing",
            "running time is over, now testing",
            "running final evaluation on 100 episodes",
            "online training begins",
        ] {
            let has_subject = !behind.starts_with("running final");
            assert!(begins_more(&words_of(&format!("ok {behind}")), has_subject), "{behind}");
        }
        for (behind, has_subject) in [
            ("evaluating 100 episodes", false),
            ("training and testing", false),
            ("running", true),
            ("after 3 epochs since the start", true),
            ("start time 10:00", true),
            ("now", true),
        ] {
            assert!(!begins_more(&words_of(behind), has_subject), "{behind}");
        }
    }

    #[test]
    fn a_numbered_part_is_not_all() {
        for behind in ["for seed 1", "at step 1000 of this", "on task 3", "for agent 1"] {
            assert!(names_part(&words_of(behind), false), "{behind}");
        }
        for behind in ["for 3 seeds", "in 300 s", "for walker", "of all seeds"] {
            assert!(!names_part(&words_of(behind), false), "{behind}");
        }
        assert!(!names_part(&words_of("at epoch 178"), true));
        for behind in ["3 of 8 tasks", "(1/3)"] {
            assert!(ends_some(&words_of(behind)), "{behind}");
        }
        for behind in ["8 of 8 tasks", "(3/3)", "3/8 succeeded", "in 3 of 8 s"] {
            assert!(!ends_some(&words_of(behind)), "{behind}");
        }
    }

    #[test]
    fn what_is_trained_for_something_else_is_a_part() {
        for before in [
            "Pretraining", "World model training", "Initial evaluation", "Data collection",
            "Half of the training", "Self-play games", "Rollout collection", "Actor training",
        ] {
            assert!(names_phase(&words_of(before)), "{before}");
        }
        for before in ["Training", "Policy evaluation", "Evaluation of the world model by itself, at last"] {
            assert!(!names_phase(&words_of(before)), "{before}");
        }
    }

    #[test]
    fn a_line_may_end_one_part_and_begin_the_next() {
        for line in ["Training finished. Next: evaluation", "Training done, now evaluating"] {
            assert!(goes_on(&words_of(line)), "{line}");
        }
        for line in ["Training finished", "Done evaluating", "Next: evaluation", "Episode 8/8 done in 3 s"] {
            assert!(!goes_on(&words_of(line)), "{line}");
        }
    }
}
