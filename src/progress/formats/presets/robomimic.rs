//! Rollouts of robomimic: at the end of an evaluation, or after some epochs of a training.

use memchr::memmem;

use crate::progress::format::{Format, LineMatch, Notes, Preset, PresetRank};
use crate::progress::text::find::find;
use crate::progress::text::number::leading_f64;
use crate::progress::text::number::leading_u64;

/// `Average Rollout Stats` or `Epoch 20 Rollouts took 8.09s (avg) with results:`, and below it JSON, a value on each
/// line.
pub const PRESET: Preset = Preset {
    name: "robomimic",
    unit: "episodes",
    rank: PresetRank::Program,
    needles: &[
        STATS,
        TOOK,
        TRAIN,
        "finished run successfully!",
        "\"Success_Rate\": ",
        "\"Num_Success\": ",
        "\"Horizon\": ",
        "\"Return\": ",
        TIME,
    ],
    begin: &|| Box::new(Robomimic::default()),
};

const STATS: &str = "Average Rollout Stats";
const TOOK: &str = " Rollouts took ";
const TRAIN: &str = "Train Epoch ";
/// Among the values below the line of an epoch.
const TIME: &str = "\"Time_Train_Batch\": ";
const EPOCHS: &str = "epochs";

#[derive(Debug, Default)]
struct Robomimic {
    /// Block to which the values on the next lines belong.
    block: RolloutBlock,
    /// The newest epoch, until its values show whose it is.
    epoch: Option<u64>,
    success_rate: Option<f64>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum RolloutBlock {
    #[default]
    Other,
    /// Rollouts that follow an epoch of a training.
    Epoch,
    /// All rollouts of an evaluation together.
    Evaluation,
}

impl Format for Robomimic {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        let words = line.trim_ascii();
        if words == STATS.as_bytes() {
            self.begin(RolloutBlock::Evaluation);
            return LineMatch::Typical;
        }
        if let Some(at) = find(words, TOOK.as_bytes()) {
            return self.rollouts(&words[..at], &words[at..], notes).unwrap_or(LineMatch::Foreign);
        }
        if let Some(number) = words.strip_prefix(TRAIN.as_bytes()).and_then(whole) {
            self.begin(RolloutBlock::Other);
            self.epoch = Some(number);
            Self::note_epoch(number, notes);
            return LineMatch::Plausible;
        }
        if words.starts_with(TIME.as_bytes())
            && let Some(number) = self.epoch.take()
        {
            Self::note_epoch(number, notes);
            return LineMatch::Typical;
        }
        if words.starts_with(b"finished run successfully!") {
            notes.finished = true;
            return LineMatch::Plausible;
        }
        self.value(words, notes).unwrap_or(LineMatch::Foreign)
    }
}

impl Robomimic {
    fn begin(&mut self, block: RolloutBlock) {
        self.block = block;
        self.success_rate = None;
    }

    /// Validation, rollouts and saving come behind the line of the last epoch too, and then a line that ends the work.
    fn note_epoch(number: u64, notes: &mut Notes) {
        notes.progress_in(EPOCHS, number, None);
        notes.doubted_totals = Some(number..=number);
    }

    fn rollouts(&mut self, before: &[u8], behind: &[u8], notes: &mut Notes) -> Option<LineMatch> {
        let epoch = memmem::rfind(before, b"Epoch ")?;
        let number = whole(&before[epoch + b"Epoch ".len()..])?;
        find(behind, b"(avg) with results:")?;
        self.begin(RolloutBlock::Epoch);
        Self::note_epoch(number, notes);
        Some(LineMatch::Typical)
    }

    /// Reads a value of the block: `"Success_Rate": 0.86,`.
    fn value(&mut self, words: &[u8], notes: &mut Notes) -> Option<LineMatch> {
        if self.block == RolloutBlock::Other {
            return None;
        }
        let (name, value) = words.strip_prefix(b"\"")?.split_at(find(words, b"\": ")?.checked_sub(1)?);
        let value = leading_f64(&value[b"\": ".len()..])?;
        match name {
            b"Return" => notes.metric("mean_reward", value),
            b"Horizon" => notes.metric("mean_length", value),
            b"Success_Rate" => {
                self.success_rate = Some(value);
                notes.metric("success_rate", value);
            }
            b"Num_Success" => {
                notes.metric("successes", value);
                // The share is their mean over all episodes, with all its digits.
                let episodes = self.success_rate.filter(|rate| *rate > 0.0).map(|rate| value / rate);
                if let Some(episodes) = episodes.filter(|count| (count - count.round()).abs() < 1e-6) {
                    notes.metric("episodes", episodes.round());
                    // Those of a training are no end of it.
                    if self.block == RolloutBlock::Evaluation {
                        let episodes = episodes.round() as u64;
                        notes.progress_in(PRESET.unit, episodes, Some(episodes));
                    }
                }
                notes.finished = self.block == RolloutBlock::Evaluation;
            }
            _ => return None,
        }
        Some(LineMatch::Plausible)
    }
}

/// A whole number and nothing else.
fn whole(text: &[u8]) -> Option<u64> {
    leading_u64(text.trim_ascii()).filter(|(_, rest)| rest.is_empty()).map(|(number, _)| number)
}
