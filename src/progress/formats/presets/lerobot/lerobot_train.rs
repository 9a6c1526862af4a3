//! Trainings with LeRobot: a line of short names every so many steps, in newer versions behind a bar.

use super::results::PrintedResult;
use super::results::printed_on;
use crate::progress::counts::bar::Bar;
use crate::progress::format::{Format, LineMatch, Notes, Preset, PresetRank};
use crate::progress::text::find::find;
use crate::progress::text::number::leading_f64;
use crate::progress::text::number::leading_scaled;
use crate::progress::text::number::leading_u64;

/// `step:200 smpl:2K ep:5 epch:0.10 loss:7.490 grdn:154.502 lr:1.0e-05 updt_s:0.047 data_s:0.002`.
pub const PRESET: Preset = Preset {
    name: "lerobot-train",
    unit: "steps",
    rank: PresetRank::Program,
    needles: &[" smpl:", "Training:", "cfg.steps=", "End of training", " aggregated: {", ": eval_loss="],
    begin: &|| Box::new(LeRobotTraining::default()),
};

#[derive(Debug, Default)]
struct LeRobotTraining {
    total: Option<u64>,
    /// A bar counts the steps; the lines round them to thousands.
    has_bar: bool,
}

impl Format for LeRobotTraining {
    fn read(&mut self, line: &[u8], notes: &mut Notes) -> LineMatch {
        let on_bar = self.bar(line, notes);
        if find(line, b" smpl:").is_some()
            && let Some(step) = find(line, b"step:")
        {
            return self.step(&line[step..], notes).map_or(LineMatch::Foreign, |()| LineMatch::Typical);
        }
        if let Some(at) = find(line, b"cfg.steps=") {
            return self.announce(&line[at + b"cfg.steps=".len()..], notes);
        }
        if line.trim_ascii_end().ends_with(b"End of training") {
            notes.finished = true;
            // The lines round the step, and the bar of a training that went on counts from where it did.
            if let Some(total) = self.total {
                notes.progress(total, Some(total));
            }
            return LineMatch::Plausible;
        }
        if let Some(at) = find(line, b" aggregated: {") {
            evaluation(&line[at..], notes);
            return LineMatch::Plausible;
        }
        // `step 5000: eval_loss=0.1234`: of episodes that were held out.
        if let Some(loss) = value(line, b": eval_loss=") {
            notes.metric("eval_loss", loss);
            return LineMatch::Plausible;
        }
        if on_bar { LineMatch::Plausible } else { LineMatch::Foreign }
    }
}

impl LeRobotTraining {
    /// Takes the total number of steps: `20000 (20K)`.
    fn announce(&mut self, text: &[u8], notes: &mut Notes) -> LineMatch {
        let Some((total, rest)) = leading_u64(text) else { return LineMatch::Foreign };
        (self.total, self.has_bar) = (Some(total), false);
        // Perhaps one before it has ended.
        notes.resumes = true;
        // It comes before the evaluations in between, which look like evaluations alone.
        if rest.starts_with(b" (") { LineMatch::Typical } else { LineMatch::Plausible }
    }

    /// `Training:   2%|▏   | 200/10000 [03:27<2:01:15,  1.35step/s]`.
    fn bar(&mut self, line: &[u8], notes: &mut Notes) -> bool {
        let Some(at) = find(line, b"Training:") else { return false };
        let Some(bar) = Bar::parse(&line[at..]) else { return false };
        self.has_bar = true;
        self.total = bar.total().or(self.total);
        notes.progress(bar.done(), self.total);
        true
    }

    fn step(&mut self, text: &[u8], notes: &mut Notes) -> Option<()> {
        let text = text.strip_prefix(b"step:")?;
        let (step, rest) = leading_scaled(text)?;
        if !self.has_bar {
            notes.progress(step, self.total.filter(|total| *total >= step));
            // `50K` may be 49,500, and proves no end.
            let is_rounded = leading_u64(text)?.1 != rest;
            notes.is_open = is_rounded && self.total.is_none_or(|total| step >= total);
        }
        if let Some(loss) = value(text, b" loss:") {
            notes.metric("loss", loss);
        }
        if let (Some(update), Some(data)) = (value(text, b" updt_s:"), value(text, b" data_s:"))
            && update + data > 0.0
        {
            notes.metric("steps_per_s", 1.0 / (update + data));
        }
        // The line of an evaluation in between: `… epch:0.10 ∑rwrd:12.345 success:40.0 eval_s:70.123`.
        if let Some(percent) = value(text, b" success:") {
            notes.metric("success_rate", percent / 100.0);
        }
        for (name, metric) in [("∑rwrd:", "mean_sum_reward"), (" eval_s:", "eval_s")] {
            if let Some(value) = value(text, name.as_bytes()) {
                notes.metric(metric, value);
            }
        }
        Some(())
    }
}

/// `Suite overall aggregated: {'avg_sum_reward': …, 'pc_success': 40.0, 'n_episodes': 10, 'eval_s': …}`; those of
/// groups of tasks have no time.
fn evaluation(text: &[u8], notes: &mut Notes) {
    if let Some(PrintedResult::Averages(averages)) = printed_on(text)
        && let Some(seconds) = averages.eval_s
    {
        averages.note(notes);
        notes.metric("eval_s", seconds);
    }
}

fn value(text: &[u8], name: &[u8]) -> Option<f64> {
    leading_f64(&text[find(text, name)? + name.len()..])
}
