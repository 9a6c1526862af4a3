//! Training and evaluation with skrl: its log lines, and one bar without a name over the timesteps.

use crate::progress::counts::bar::Bar;
use crate::progress::counts::trainer_bar::TrainerBar;
use crate::progress::format::{Format, LineMatch, Notes, Preset, PresetRank};
use crate::progress::text::find::find;
use crate::progress::text::number::leading_f64;

/// `[skrl:INFO] Environment wrapper: Isaac Lab (single-agent)` at the start, under Hydra with a time and
/// `[skrl][INFO]`, then `  5%|▌  | 1200/24000 [00:41<12:59, 29.2it/s]`. Rewards are written to TensorBoard only.
pub const PRESET: Preset = Preset {
    name: "skrl",
    unit: "timesteps",
    rank: PresetRank::Program,
    needles: &["[skrl:", "[skrl][", "%|", TRAINING_TIME],
    begin: || Box::new(Skrl::default()),
};

const TRAINING_TIME: &str = "Training time:";

#[derive(Debug, Default)]
struct Skrl {
    bar: TrainerBar,
}

impl Format for Skrl {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        let speaks = ["[skrl:", "[skrl]["].iter().any(|name| find(line, name.as_bytes()).is_some());
        if speaks {
            return LineMatch::Typical;
        }
        let Some(text) = line.trim_ascii().strip_prefix(TRAINING_TIME.as_bytes()) else {
            return LineMatch::Foreign;
        };
        let Some(seconds) = leading_f64(text) else { return LineMatch::Foreign };
        notes.metric("training_time_s", seconds);
        notes.finished = true;
        self.bar.close();
        LineMatch::Plausible
    }

    fn read_bar(&mut self, bar: &Bar<'_>, _line: &[u8], notes: &mut Notes) -> LineMatch {
        let Some((done, total)) = self.bar.take(bar) else { return LineMatch::Foreign };
        notes.progress(done, Some(total));
        bar.tail.rate().into_iter().for_each(|rate| notes.metric("timesteps_per_s", rate));
        LineMatch::Plausible
    }
}
