//! Isaac Sim evaluations that print one line an episode with outcome, distance, zone and time.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::bytes::{Captures, Regex};

use crate::progress::format::{Format, Look, Notes, Preset, Rank};
use crate::progress::number::{leading_f64, leading_u64};

/// `[  12/100] friction_flat_ep0011  TIMEOUT   progress= 39.5m  zone=4  time=87.4s`.
pub const PRESET: Preset = Preset {
    name: "isaac-eval",
    unit: "episodes",
    rank: Rank::Program,
    needles: &["progress=", "Evaluation complete!", "Total time:"],
    begin: || Box::new(IsaacEval::default()),
};

/// Outcomes become metric names, so a log must not be able to invent any number of them.
const MOST_OUTCOMES: usize = 16;

static EPISODE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?-u)^\s*\[\s*(?<done>\d+)/(?<total>\d+)\]\s+\S+\s+(?<outcome>[A-Z][A-Z_]{0,31})\s+progress=\s*(?<progress>-?[\d.]+)m\s+zone=\d+\s+time=(?<time>[\d.]+)s",
    )
    .expect("a constant pattern")
});

#[derive(Debug, Default)]
struct IsaacEval {
    episodes: u64,
    outcomes: BTreeMap<String, u64>,
    metres: f64,
    seconds: f64,
}

impl Format for IsaacEval {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> Look {
        if let Some(found) = EPISODE.captures(line) {
            return self.episode(&found, notes).unwrap_or(Look::Foreign);
        }
        let line = line.trim_ascii();
        if line.starts_with(b"Evaluation complete!") {
            notes.finished = true;
            return Look::Plausible;
        }
        if let Some(seconds) = line.strip_prefix(b"Total time:").and_then(leading_f64) {
            notes.metric("total_time_s", seconds);
            return Look::Plausible;
        }
        Look::Foreign
    }
}

impl IsaacEval {
    fn episode(&mut self, found: &Captures<'_>, notes: &mut Notes) -> Option<Look> {
        let (done, _) = leading_u64(&found["done"])?;
        let (total, _) = leading_u64(&found["total"])?;
        let outcome = String::from_utf8_lossy(&found["outcome"]).into_owned();
        self.episodes += 1;
        self.metres += leading_f64(&found["progress"])?;
        self.seconds += leading_f64(&found["time"])?;
        if self.outcomes.len() < MOST_OUTCOMES || self.outcomes.contains_key(&outcome) {
            let count = self.outcomes.entry(outcome.clone()).or_default();
            *count += 1;
            notes.metric(format!("outcome_{outcome}"), *count as f64);
        }
        let successes = self.outcomes.get("COMPLETE").copied().unwrap_or(0) as f64;
        let episodes = self.episodes as f64;
        notes.progress(done, Some(total));
        notes.metric("episodes", episodes);
        notes.metric("successes", successes);
        notes.metric("success_rate", successes / episodes);
        notes.metric("mean_progress_m", self.metres / episodes);
        notes.metric("mean_time_s", self.seconds / episodes);
        Some(Look::Typical)
    }
}
