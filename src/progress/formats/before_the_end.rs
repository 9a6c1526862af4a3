//! What decides, of the log before its last lines, what these say.

use super::exit_codes::{gives_exit_0, reports_completed_job};
use crate::progress::text::word::is_one_of;

/// The log before its last lines, as far as it decides what they say.
#[derive(Debug, Clone, Copy, Default)]
pub struct BeforeTheEnd<'a> {
    /// Whether any work was counted. Where nothing was, words that may be said of a part prove nothing: they may come
    /// before the work.
    pub has_counted: bool,
    /// Less is done than there was to do: the exit code of a pipeline says nothing of the program in it.
    pub falls_short: bool,
    /// A training was counted, and not to its end: evaluations are over before it is.
    pub trains: bool,
    /// The last line is not ended: its words may lack an end.
    pub is_torn: bool,
    /// The very first line of the log, without the prefix of a logger: printed again, another run begins with it.
    pub first_line: &'a [u8],
    /// How many shares of successes were printed in words that no format knows, the last lines included.
    pub shares: u64,
    /// The same of accuracies.
    pub accuracies: u64,
}

impl BeforeTheEnd<'_> {
    /// Reports whether words that say that something is over are those of a part, or of what runs the program.
    pub fn doubts(&self, said: &[String]) -> bool {
        self.falls_short && (gives_exit_0(said) || reports_completed_job(said))
            || self.trains && ends_evaluation(said)
    }
}

/// `Evaluation complete`, `Finished testing in 3.2 s`; `Training and evaluation finished` is more.
fn ends_evaluation(words: &[String]) -> bool {
    const PARTS: &[&str] = &[
        "evaluation", "evaluations", "eval", "evaluating", "evaluate", "testing", "test", "tests",
        "inference", "rollout", "rollouts", "simulation", "simulations", "games", "generation", "collection",
        "rendering", "benchmark", "search",
    ];
    const WHOLE: &[&str] = &[
        "training", "learning", "train", "all", "everything", "experiment", "experiments", "pipeline",
        "script", "program", "job", "final", "run",
    ];
    let holds = |known: &[&str]| words.iter().any(|word| is_one_of(word, known));
    holds(PARTS) && !holds(WHOLE)
}
