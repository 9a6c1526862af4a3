//! Isaac Lab's scripts that play policies of robomimic: a line for each trial, and how many of them succeeded.

use crate::progress::format::{Format, LineMatch, Notes, Preset, PresetRank};
use crate::progress::text::find::find;
use crate::progress::text::number::leading_u64;

/// `[INFO] Trial 3: True`, or `[Model: model_200.pth] Trial 3: True` where several models are tried, and at the end of
/// each `Successful trials: 6, out of 10 trials`. How many trials it will be, only that line says.
pub const PRESET: Preset = Preset {
    name: "isaaclab-robomimic",
    unit: "trials",
    rank: PresetRank::Program,
    needles: &[TRIAL, SUCCESSFUL],
    begin: &|| Box::new(Trials::default()),
};

const TRIAL: &str = "] Trial ";
const OF_MODEL: &str = "[Model: ";
const SUCCESSFUL: &str = "Successful trials: ";
const OUT_OF: &[u8] = b", out of ";

#[derive(Debug, Default, Clone, Copy)]
struct Trials {
    /// Trials of models whose results were printed.
    before: TrialCounts,
    /// Trials of the present model so far.
    now: TrialCounts,
}

#[derive(Debug, Default, Clone, Copy)]
struct TrialCounts {
    trials: u64,
    successes: u64,
}

impl Format for Trials {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        if let Some(at) = find(line, SUCCESSFUL.as_bytes()) {
            let Some(told) = results(&line[at + SUCCESSFUL.len()..]) else { return LineMatch::Foreign };
            // It knows better than lines of which some may be lost.
            self.before = self.before.and(told);
            self.now = TrialCounts::default();
            // How many models and settings are tried, no line says.
            let is_all = find(&line[..at], OF_MODEL.as_bytes()).is_none();
            notes.finished = is_all;
            notes.progress(self.before.trials, is_all.then_some(self.before.trials));
        } else {
            let Some(success) =
                find(line, TRIAL.as_bytes()).and_then(|at| outcome(&line[at + TRIAL.len()..]))
            else {
                return LineMatch::Foreign;
            };
            self.now = self.now.and(TrialCounts { trials: 1, successes: u64::from(success) });
            notes.progress(self.before.and(self.now).trials, None);
        }
        LineMatch::Typical
    }

    fn totals(&self, notes: &mut Notes) {
        let TrialCounts { trials, successes } = self.before.and(self.now);
        if trials > 0 {
            notes.metric("episodes", trials as f64);
            notes.metric("successes", successes as f64);
            notes.metric("success_rate", successes as f64 / trials as f64);
        }
    }
}

impl TrialCounts {
    fn and(self, other: Self) -> Self {
        Self {
            trials: self.trials.saturating_add(other.trials),
            successes: self.successes.saturating_add(other.successes),
        }
    }
}

/// `6, out of 10 trials`.
fn results(text: &[u8]) -> Option<TrialCounts> {
    let (successes, rest) = leading_u64(text)?;
    let (trials, rest) = leading_u64(rest.strip_prefix(OUT_OF)?)?;
    (rest.starts_with(b" trials") && successes <= trials).then_some(TrialCounts { trials, successes })
}

/// Reads the outcome of a trial: `3: True`.
fn outcome(text: &[u8]) -> Option<bool> {
    let (_, rest) = leading_u64(text)?;
    match rest.strip_prefix(b": ")?.trim_ascii() {
        b"True" | b"SUCCESS" => Some(true),
        b"False" | b"FAILED" => Some(false),
        _ => None,
    }
}
