//! The share of successes of all at the end of a log, or the accuracy of all: `Success rate: 18.0%`.

use super::before_the_end::BeforeTheEnd;
use super::behind_the_end::gives_figure;
use super::closing_frame::is_figure;
use super::line_words::words_of;
use crate::progress::counts::printed::accuracy::accuracy_on;
use crate::progress::counts::printed::share::{Scope, share_on};
use crate::progress::text::line_prefix::behind_prefix;
use crate::progress::text::log_tail::LastLine;
use crate::progress::text::word::is_one_of;

/// It comes within so many last lines.
const MOST_BEHIND: usize = 8;

/// The place of the line with the share of successes of all, or with its accuracy, which is printed once and among the
/// last lines: with other figures next to it, or behind work that was counted. Shares so far, and those of each part,
/// come more often.
pub fn place_of_final_share(lines: &[LastLine], log: &BeforeTheEnd<'_>) -> Option<usize> {
    let share_of = |line: &LastLine| share_on(line.text.as_bytes()).map(|(scope, _)| scope);
    let accuracy_of = |line: &LastLine| accuracy_on(line.text.as_bytes()).map(|(scope, _)| scope);
    let is_only_accuracy = log.accuracies == 1 && log.shares == 0;
    let scope_of = |line: &LastLine| if is_only_accuracy { accuracy_of(line) } else { share_of(line) };
    let place = lines.iter().rposition(|line| scope_of(line).is_some())?;
    let is_of_all = matches!(scope_of(&lines[place]), Some(Scope::Plain | Scope::Overall));
    let near = &lines[place.saturating_sub(1)..lines.len().min(place + 2)];
    let holds_figure = |line: &&LastLine| {
        let words = words_of(&line.text);
        // `[e2 b000] nll=0.849`, `LoRA r=16 alpha=32`: a training goes on, or begins.
        let text = line.text.as_bytes();
        let is_of_step =
            behind_prefix(text).unwrap_or(text).starts_with(b"[") || line.text.matches('=').count() > 1;
        !is_of_step && (gives_figure(&words) || is_figure(&line.text, &words))
    };
    let gives_more = lines[place].text.matches([':', '=']).count() > 1 && lines[place].text.contains(", ");
    let is_summary = gives_more || near.iter().filter(holds_figure).count() > 1;
    let is_only = (log.shares == 1 || is_only_accuracy) && place + MOST_BEHIND >= lines.len();
    // An accuracy may be that of a first evaluation, or of what is trained next.
    let is_of_part = is_only_accuracy
        && (lines[place + 1..].iter().any(|line| !holds_figure(&line)) || is_of_validation(&lines[place]));
    (is_of_all && is_only && !is_of_part && (is_summary || log.has_counted)).then_some(place)
}

/// `Val accuracy = 87.2`, `zero-shot accuracy: 0.31`: there is more to come.
fn is_of_validation(line: &LastLine) -> bool {
    const OTHERS: &[&str] = &[
        "val", "valid", "validation", "dev", "initial", "zero", "shot", "baseline", "label", "classifier",
        "probe", "bc", "dataset",
    ];
    words_of(&line.text).iter().any(|word| is_one_of(word, OTHERS))
}
