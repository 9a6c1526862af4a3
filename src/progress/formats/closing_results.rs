//! Results that a line gives, or says to have saved, when all is over.

use super::closing_sequel::NOT_YET;
use crate::progress::text::word::{is_number, is_one_of};

/// The heading of results has no more words.
const LONGEST_HEADING: usize = 5;

/// `epoch_10` of `Plot saved to plots/epoch_10.png`: there are others.
fn is_numbered(word: &str) -> bool {
    const PARTS: &[&str] = &["epoch", "step", "episode", "iter", "iteration"];
    let parts: Vec<&str> = word.split('_').collect();
    parts.windows(2).any(|two| is_one_of(two[0], PARTS) && is_number(two[1]))
}

/// `Final test accuracy: 65.57`, `FINAL RESULTS`. `Final evaluation` and `Final report generation` begin it.
pub fn names_final_result(words: &[String]) -> bool {
    const RESULTS: &[&str] = &[
        "accuracy", "score", "scores", "reward", "rewards", "results", "result", "performance", "metrics",
        "success", "model", "return", "report", "statistics", "summary", "average", "mean",
    ];
    // `Final reward: 12` is that of an episode, too.
    const OF_EPISODES: &[&str] = &["reward", "score", "return"];
    const DEEDS: &[&str] = &[
        "evaluation", "training", "testing", "computation", "computing", "generation", "analysis", "rollouts",
    ];
    // `Final results of task 1`.
    const OTHER: &[&str] = &["saved", "saving", "checkpoint", "loss", "of", "for"];
    let holds = |words: &[String], known: &[&str]| words.iter().any(|word| is_one_of(word, known));
    let Some((first, behind)) = words.split_first() else { return false };
    let named = &behind[..behind.len().min(4)];
    let is_of_episode = named.first().is_some_and(|word| is_one_of(word, OF_EPISODES));
    let names = holds(named, RESULTS) && !is_of_episode;
    let gives = if holds(words, DEEDS) {
        let is_decimal = |two: &[String]| two.iter().all(|word| is_number(word));
        let ends_in_number = words.last().is_some_and(|word| is_number(word));
        (names || holds(named, &["evaluation"])) && (ends_in_number || words.windows(2).any(is_decimal))
    } else {
        let has_figure = words.iter().any(|word| word.starts_with(|letter: char| letter.is_ascii_digit()));
        let ends_in_name = words.last().is_some_and(|word| is_one_of(word, RESULTS));
        names && (has_figure || words.len() <= LONGEST_HEADING && ends_in_name)
    };
    first == "final" && gives && !holds(words, OTHER)
}

/// `Results saved to results.json`, `Plot saved as rewards.png`; a checkpoint or what belongs to one part is none.
pub fn saves_results(words: &[String]) -> bool {
    const SAVES: &[&str] = &["saved", "written", "wrote", "exported", "dumped"];
    const RESULTS: &[&str] = &[
        "results", "result", "prediction", "predictions", "plot", "plots", "graph", "graphs", "figure",
        "figures", "summary", "report", "metrics", "statistics", "stats", "csv", "png", "pdf", "html",
        "history", "curve", "curves", "scores", "json",
    ];
    // What a program writes down before it works.
    const SETTINGS: &[&str] = &[
        "config", "configuration", "settings", "args", "arguments", "params", "parameters", "hparams",
        "dataset", "data", "meta", "metadata", "manifest", "index", "split", "splits", "vocab", "tokenizer",
    ];
    const PARTS: &[&str] = &[
        "checkpoint", "checkpoints", "ckpt", "epoch", "episode", "step", "iteration", "iter", "best",
        "batch", "intermediate", "video", "frame", "trial", "task", "round", "partial",
    ];
    let holds = |known: &[&str]| words.iter().any(|word| is_one_of(word, known));
    // `详细结果已保存至: results.jsonl`
    if words.iter().any(|word| word.contains("结果已保存")) {
        return true;
    }
    let is_of_part = holds(PARTS) || words.iter().any(|word| is_numbered(word));
    holds(SAVES) && holds(RESULTS) && !is_of_part && !holds(SETTINGS) && !holds(&["will", "be"])
}

/// `model saved to runs/a/final_ckpt.pt`: the name says that no other one follows.
pub fn saves_final_model(words: &[String]) -> bool {
    const OTHERWISE: &[&str] = &["never", "could", "can", "was"];
    let saves = words.iter().any(|word| is_one_of(word, &["saved", "wrote", "written"]));
    let is_final =
        words.iter().any(|word| is_one_of(word, &["final_ckpt", "final_model", "final_checkpoint"]));
    saves && is_final && !words.iter().any(|word| is_one_of(word, OTHERWISE) || is_one_of(word, NOT_YET))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::formats::line_words::words_of;

    #[test]
    fn final_results_are_given_or_headed() {
        let ends = |line: &str| names_final_result(&words_of(line));
        for line in [
            "Final test accuracy: 65.57",
            "FINAL RESULTS",
            "Final Results:",
            "Final average reward: 12",
            "Final evaluation: 195.20 +/- 3.00",
            "Final evaluation reward: 200",
            "Final success rate: 80%",
        ] {
            assert!(ends(line), "{line}");
        }
        for line in [
            "Final evaluation",
            "Final model evaluation",
            "Final evaluation over 100 episodes",
            "Final report generation",
            "Final model training",
            "Final results are being computed",
            "Final results of task 1",
            "Final reward: 12",
        ] {
            assert!(!ends(line), "{line}");
        }
    }
}
