//! What closes a whole log: the counterpart of its first line, and a summary as its last lines.

use super::behind_the_end::{gives_figure, points_to_file};
use super::closing_words::{OVER, Proves, raises_doubt};
use super::line_words::{is_end, words_of};
use crate::progress::text::log_tail::LastLine;
use crate::progress::text::word::{is_number, is_one_of};

/// A heading has no more words.
const MOST_WORDS: usize = 5;

/// Fewer figures are a remark.
const FEWEST_FIGURES: usize = 2;

/// `=== M8 complete: 8087.1s ===` behind a log whose first line is `=== M8 Adversarial Battery start ===`.
pub fn ends_what_began(said: &[String], first_line: &[u8]) -> Option<Proves> {
    let first = words_of(&String::from_utf8_lossy(first_line));
    let begins =
        first.iter().any(|word| is_one_of(word, &["start", "started", "starting", "begin", "beginning"]));
    let (subject, behind) = said.split_first()?;
    if is_one_of(subject, &["end", "ended"]) && ends_same_command(&first, behind) {
        return Some(Proves::Work);
    }
    // `Actor started` and `Actor 1 finished`; an epoch is one of several.
    const PARTS: &[&str] =
        &["epoch", "episode", "task", "step", "stage", "phase", "trial", "fold", "round", "batch"];
    let is_part = is_one_of(subject, PARTS);
    let is_same = first.first() == Some(subject) && !is_number(subject) && subject.len() > 1;
    let ends = behind
        .iter()
        .find(|word| is_part || !is_number(word))
        .is_some_and(|word| is_end(word) || is_one_of(word, &["end", "ended"]));
    (begins && is_same && ends && !raises_doubt(said)).then_some(Proves::Work)
}

/// `START collect stapler` and `END collect stapler exit=0`: a launcher names what it runs, and the code at its end.
fn ends_same_command(first: &[String], behind: &[String]) -> bool {
    let Some((begin, named)) = first.split_first() else { return false };
    let Some(([exit, code], name)) = behind.split_last_chunk().map(|(name, end)| (end, name)) else {
        return false;
    };
    let begins = is_one_of(begin, &["start", "begin"]);
    let ends_well = is_one_of(exit, &["exit", "code", "status", "rc"]) && code == "0";
    begins && ends_well && !name.is_empty() && named.starts_with(name)
}

/// Returns the place of the heading `EVALUATION SUMMARY` behind which only figures come until the log ends.
pub fn place_of_summary(lines: &[LastLine], words: &[Vec<String>]) -> Option<usize> {
    let heading = words.iter().rposition(|words| heads_summary_of_all(words))?;
    let behind =
        lines[heading + 1..].iter().zip(&words[heading + 1..]).filter(|(_, words)| !words.is_empty());
    let gives = |line: &str, words: &[String]| is_figure(line, words) || gives_figure(words);
    let is_of_study = heads_study(&words[heading]);
    let is_of_it = |line: &str, words: &[String]| {
        let is_of_trial = is_of_study && (line.starts_with("  ") || line.trim_end().ends_with(':'));
        gives(line, words)
            || is_of_trial
            || points_to_file(line)
            || words.iter().any(|word| is_one_of(word, OVER))
    };
    let figures = behind.clone().filter(|(line, words)| gives(&line.text, words)).count();
    let is_all = behind.clone().all(|(line, words)| is_of_it(&line.text, words));
    let counts_none = behind.clone().any(|(line, words)| is_count_of_none(&line.text, words));
    (is_all && figures >= FEWEST_FIGURES && !counts_none).then_some(heading)
}

/// `=== Evaluation Summary ===`, `FINAL RESULTS`; with a number it is that of a part, and a model has a summary too.
fn heads_summary_of_all(words: &[String]) -> bool {
    const WHOLE: &[&str] =
        &["evaluation", "eval", "test", "testing", "benchmark", "experiment", "final", "overall"];
    let holds = |known: &[&str]| words.iter().any(|word| is_one_of(word, known));
    let is_final = holds(&["summary"]) && holds(WHOLE) || holds(&["final", "overall"]) && holds(&["results"]);
    let has_number = words.iter().any(|word| word.bytes().any(|byte| byte.is_ascii_digit()));
    (is_final || heads_study(words)) && words.len() <= MOST_WORDS && !has_number && !raises_doubt(words)
}

/// `Study statistics:` of Optuna's examples, with the values of the best trial behind it.
fn heads_study(words: &[String]) -> bool {
    words == ["study", "statistics"]
}

/// `Total: 0`, `Evaluated episodes: 0`; 0 successes are a result.
fn is_count_of_none(line: &str, words: &[String]) -> bool {
    const ALL: &[&str] = &["total", "evaluated", "completed", "processed", "episodes", "samples", "trials"];
    const SOME: &[&str] =
        &["success", "successes", "successful", "failed", "failures", "errors", "reward", "time"];
    let names = |known: &[&str]| words.iter().any(|word| is_one_of(word, known));
    let is_none = line.rsplit_once([':', '=']).is_some_and(|(_, value)| value.trim() == "0");
    is_none && names(ALL) && !names(SOME)
}

/// `  BLEU-1:  50.39`: a name, and nothing but a number.
pub fn is_figure(line: &str, words: &[String]) -> bool {
    const COUNTED: &[&str] = &["epoch", "episode", "step", "iteration", "task", "trial"];
    let Some((name, value)) = line.rsplit_once([':', '=']) else { return false };
    let value = value.trim().trim_end_matches(['%', 's']);
    let is_count = words.first().is_some_and(|word| is_one_of(word, COUNTED));
    !name.trim().is_empty() && !is_count && value.trim().parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(first: &str, last: &str) -> bool {
        ends_what_began(&words_of(last), first.as_bytes()).is_some()
    }

    #[test]
    fn what_the_first_line_begins_ends_by_the_same_name() {
        let first = "=== M8 Adversarial Battery start ===";
        assert!(ends(first, "[04:10:23] === M8 complete: total_wall=8087.1s ==="));
        assert!(!ends(first, "=== M7 complete ==="));
        assert!(!ends(first, "=== M8 complete with errors ==="));
        assert!(ends("Actor started", "Actor 1 finished, total_time: 183545, episode: 2000"));
        assert!(!ends("Epoch started", "Epoch 1 finished"), "one of several");
    }

    #[test]
    fn a_launcher_names_what_it_runs_and_the_code_at_its_end() {
        let first = "START collect stapler easy (inline_video=False)";
        assert!(ends(first, "[06:48:42] END collect stapler exit=0"));
        for last in
            ["END collect stapler exit=1", "END collect fan exit=0", "END exit=0", "END collect stapler"]
        {
            assert!(!ends(first, last), "{last}");
        }
        assert!(!ends("Loading the policy", "END collect stapler exit=0"));
    }

    #[test]
    fn only_figures_come_behind_the_heading_of_a_summary() {
        let place = |log: &[&str]| {
            let lines: Vec<LastLine> = log
                .iter()
                .zip(1..)
                .map(|(text, number)| LastLine { offset: 0, number, text: (*text).to_owned() })
                .collect();
            let words: Vec<_> = log.iter().map(|line| words_of(line)).collect();
            place_of_summary(&lines, &words)
        };
        let figures = ["  Images: 5000", "  BLEU-1:  50.39", "==="];
        let under = |heading: &str| place(&[&["batch 3", heading], &figures[..]].concat());
        assert_eq!(under("EVALUATION SUMMARY"), Some(1));
        assert_eq!(under("=== Final results ==="), Some(1));
        for heading in
            ["Summary of task 3 evaluation", "Model summary", "Evaluation", "Failed evaluation summary"]
        {
            assert_eq!(under(heading), None, "{heading}");
        }
        assert_eq!(place(&["EVALUATION SUMMARY", "  Images: 5000"]), None, "one figure is a remark");
        assert_eq!(place(&["EVALUATION SUMMARY", "a: 1", "b: 2", "Evaluating the next one"]), None);
        assert_eq!(place(&["EVALUATION SUMMARY", "a: 1", "b: 2", "Epoch: 3"]), None);
    }
}
