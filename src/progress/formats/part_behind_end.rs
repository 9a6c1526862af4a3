//! Last lines of a log that head a part of the work, or begin other work: what was said to be over before them was a part.

use super::closing_sequel::{PARTS, TRAINED, goes_on};
use super::line_words::words_of;
use crate::progress::text::last_words::PROGRAMS;
use crate::progress::text::line_prefix::behind_prefix;
use crate::progress::text::word::{is_number, is_one_of, only_difference};

/// Work that is done besides, or again, behind an end.
const DEEDS: &[&str] = &[
    "evaluation", "eval", "evaluating", "validation", "testing", "test", "training", "finetuning", "running",
    "now", "next",
];

/// First words of lines by which more work begins. What they collect for a report is none.
const STARTS: &[&str] = &[
    "collecting", "creating", "launching", "waiting", "finetuning", "resuming", "continuing", "retraining",
    "proceeding", "switching", "starting",
];
const REPORTED: &[&str] = &[
    "report", "plot", "plots", "figure", "figures", "video", "videos", "summary", "table", "csv", "archive",
    "gif", "html", "finish", "results", "statistics", "metrics", "cleanup", "shutdown", "teardown", "upload",
    "time", "accuracy", "loss",
];

/// What became of a part, or of what is named.
const OUTCOMES: &[&str] = &[
    "done", "finished", "complete", "completed", "success", "successes", "succeeded", "successful", "solved",
    "failed", "fail", "failure", "ok", "passed", "saved", "true", "false", "best", "reward", "score",
    "ended", "over", "skipped", "closed",
];

/// Reports whether the last line of a log heads a part of the work, or begins other work: `Seed 2`, `=== Evaluation ===`,
/// `Phase 2: fine-tuning`, `python eval.py --seed 2`. Results of a part are none: `Seed 2: 0.85`.
pub fn begins_part(line: &str) -> bool {
    let words = words_of(line);
    heads_work(&words)
        || heads_numbered(line, &words)
        || heads_counted(line, &words)
        || starts_work(&words)
        || is_command(line)
        || gives_setting(line)
        || goes_on(&words_of(&without_paths(line)))
}

/// `=== stack-cube ===` in a log whose first line is `=== pick-cube ===`, `Running stack-cube` in one that begins with
/// `Running pick-cube`: the same heading with another name.
pub fn heads_another(line: &str, first_line: &[u8]) -> bool {
    const MOST_TOKENS: usize = 6;
    const OF_ALL: &[&str] = &["all", "overall", "total", "final", "everything"];
    let first = String::from_utf8_lossy(first_line);
    let said = String::from_utf8_lossy(behind_prefix(line.as_bytes()).unwrap_or(line.as_bytes()));
    let (first, said): (Vec<&str>, Vec<&str>) =
        (first.split_whitespace().collect(), said.split_whitespace().collect());
    let is_name = |token: &str| {
        let words = words_of(token);
        let others = [OUTCOMES, REPORTED, OF_ALL];
        let is_other =
            |word: &String| others.iter().any(|others| is_one_of(word, others)) || word.ends_with("ed");
        words.iter().any(|word| !is_number(word)) && !words.iter().any(is_other)
    };
    let names =
        only_difference(&first, &said).is_some_and(|place| is_name(first[place]) && is_name(said[place]));
    names && said.len() <= MOST_TOKENS && first.first() == said.first()
}

/// `Done. See for results` of `Done. See testing/route_00.txt for results`: folders begin nothing.
fn without_paths(line: &str) -> String {
    let is_path =
        |word: &&str| word.contains('/') && word.contains(|letter: char| letter.is_ascii_alphabetic());
    line.split_whitespace().filter(|word| !is_path(word)).collect::<Vec<_>>().join(" ")
}

/// `[2/5] Evaluate`: the rest of them is to come.
fn heads_counted(line: &str, words: &[String]) -> bool {
    let [done, total, name, ..] = words else { return false };
    let fewer =
        || done.parse::<u64>().ok().zip(total.parse::<u64>().ok()).is_some_and(|(done, total)| done < total);
    fewer() && line.contains(&format!("[{done}/{total}] ")) && !is_one_of(name, OUTCOMES)
}

/// `Environment: Hopper-v4`, `Config: lr=0.1`, `Using cuda device`: the settings of a run that begins. Where they are those
/// of a summary, its figures come behind them.
fn gives_setting(line: &str) -> bool {
    const NAMES: &[&str] = &[
        "config", "configuration", "hyperparameters", "args", "arguments", "environment", "env", "task",
        "device", "using device", "using cuda device", "using cpu device",
    ];
    let said = behind_prefix(line.as_bytes()).unwrap_or(line.as_bytes()).trim_ascii();
    let said = String::from_utf8_lossy(said);
    let (name, value) = said.split_once([':', '=']).unwrap_or((&said, ""));
    let names = is_one_of(name.trim(), NAMES);
    let is_outcome = words_of(value).iter().any(|word| is_one_of(word, OUTCOMES));
    names && !is_outcome && (!value.trim().is_empty() || name.starts_with("Using"))
}

/// `=== Evaluation ===`, `--- Testing phase ---`
fn heads_work(words: &[String]) -> bool {
    const AROUND: &[&str] = &["phase", "stage", "the", "policy", "model", "agent"];
    const HEADS: &[&str] = &["evaluation", "eval", "validation", "testing", "finetuning"];
    let (heads, others): (Vec<&String>, Vec<&String>) = words.iter().partition(|word| is_one_of(word, HEADS));
    heads.len() == 1 && others.len() <= 2 && others.iter().all(|word| is_one_of(word, AROUND))
}

/// `Seed 2`, `Run 2/5`, `Training policy 2`, `Task 2: push`.
fn heads_numbered(line: &str, words: &[String]) -> bool {
    const OTHERS: &[&str] = &["job", "experiment", "scene", "test", "eval"];
    let start = words.iter().take_while(|word| is_one_of(word, DEEDS)).count().min(2);
    let named = |at: usize| -> Option<&[String]> {
        let (name, behind) = words.get(at..)?.split_first()?;
        let (number, rest) = behind.split_first()?;
        let is_part = is_one_of(name, PARTS) || is_one_of(name, TRAINED) || is_one_of(name, OTHERS);
        (is_part && is_number(number)).then_some(rest)
    };
    let Some(rest) = named(start).or_else(|| named(start.saturating_sub(1))) else { return false };
    let rest = match rest {
        [of, total, behind @ ..] if of == "of" && is_number(total) => behind,
        [total, behind @ ..] if line.contains('/') && is_number(total) => behind,
        rest => rest,
    };
    let names = rest.len() <= 4
        && line.contains(':')
        && rest.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_alphabetic()));
    rest.is_empty() || names && !rest.iter().any(|word| is_one_of(word, OUTCOMES))
}

/// `Collecting data`, `Fine-tuning...`, `Back to training`, `Logging to runs/2`.
fn starts_work(words: &[String]) -> bool {
    let [first, behind @ ..] = words else { return false };
    let is_start =
        is_one_of(first, STARTS) || first == "fine" && behind.first().is_some_and(|word| word == "tuning");
    let goes_back = is_one_of(first, &["back", "logging"]) && behind.first().is_some_and(|word| word == "to");
    (is_start || goes_back) && !behind.iter().any(|word| is_one_of(word, REPORTED))
}

/// `python eval.py --seed 2`, `Namespace(seed=2)`
fn is_command(line: &str) -> bool {
    // What a user is advised to run next stands behind a margin.
    let runs = PROGRAMS.iter().any(|program| line.starts_with(program)) && line.contains(".py ");
    runs || line.starts_with("Namespace(")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_heading_of_a_log_with_another_name_heads_another_part() {
        for (first, line) in [
            ("=== pick-cube ===", "=== stack-cube ==="),
            ("Running pick-cube", "Running stack-cube"),
            ("[LAUNCH] pick-cube", "[LAUNCH] stack-cube"),
            ("Task: reach", "2026-01-06 17:00:39,954 - INFO - Task: push"),
        ] {
            assert!(heads_another(line, first.as_bytes()), "{line}");
        }
        for (first, line) in [
            ("=== pick-cube ===", "=== pick-cube ==="),
            ("=== pick-cube ===", "=== Results ==="),
            ("=== pick-cube ===", "=== all ==="),
            ("Model loaded", "Model exported"),
            ("Loading model", "Saving model"),
            ("Seed: 1", "Seed: 2"),
        ] {
            assert!(!heads_another(line, first.as_bytes()), "{line}");
        }
    }

    #[test]
    fn a_last_line_that_heads_a_part_begins_it() {
        for line in [
            "=== Evaluation ===",
            "Evaluation:",
            "--- Testing phase ---",
            "Seed 2",
            "seed: 2",
            "Run 2/5",
            "Job 2 of 5",
            "Stage 2",
            "Phase 2: fine-tuning",
            "Task 2: push",
            "Training policy 2",
            "Now running seed 2",
            "Next: seed 2",
            "Test episode 1",
            "Eval 1/20",
            "Checkpoint 2:",
            "Collecting rollouts for iteration 2",
            "Fine-tuning...",
            "Creating evaluation environment",
            "Waiting for server",
            "Back to training",
            "python eval.py --ckpt best.pt",
            "Namespace(lr=0.001, seed=2)",
            "2026-11-07 10:26:34,540 - INFO - Seed 2",
            "[2/5] Evaluate",
            "Environment: Hopper-v4",
            "Config: lr=0.1",
            "Using cuda device",
            "Logging to runs/2",
            "Training finished. Next: evaluation",
        ] {
            assert!(begins_part(line), "{line}");
        }
        for line in [
            "Seed 2: 0.85",
            "Task 2: success",
            "Run 3 best reward 12",
            "Best epoch: 50",
            "Test results:",
            "Creating report",
            "Waiting for W&B process to finish... (success).",
            "Generating plots",
            "Rendering video",
            "Saving model",
            "Test accuracy: 0.9",
            "Total time: 12.3 s",
            "Closing env",
            "Training complete",
            "Evaluation complete",
            "Final results:",
            "Epochs: 50",
            "Evaluation took 3 s",
            "[5/5] Evaluate",
            "[2/5] successes",
            "Environment closed",
            "Done. See runs/testing/route_00.txt for detailed results.",
            "  python run_eval.py --adapter checkpoints/final",
            "Environment: closed",
            "Task: success",
            "Mean reward over 10 seeds: 3.5",
            "====",
            "",
        ] {
            assert!(!begins_part(line), "{line}");
        }
    }
}
