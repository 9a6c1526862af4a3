//! Totals that a program announces before it counts: `max_epochs: 250`, `Total Episodes: 2500`,
//! `Beginning training for 2000000 timesteps`.
//!
//! A program may end before such a total by its own rules, so that a count that falls short of one fails nothing; but
//! it shows how far the program is, and where a log without an end stops.

use std::collections::BTreeMap;

use super::announced_words::{
    FOR_ALL, announced_in_a_sentence, announced_in_chinese, announced_of_part, announced_of_training,
    begins_training, noun, whole,
};
use crate::progress::search::text_set::TextSet;
use crate::progress::text::find::find;
use crate::progress::text::line_prefix::behind_prefix;
use crate::progress::text::number::leading_grouped;
use crate::progress::text::word::is_name_byte;

/// Dumps of settings on one line are not longer.
const LONGEST: usize = 8 * 1024;

/// Every line that announces a total holds one of these; most lines hold none.
static NAMES: TextSet = TextSet::new(&[
    "poch", "POCH", "pisodes", "PISODES", "iter", "Iter", "ITER", "pdates", "PDATES", "enerations",
    "ENERATIONS", "games", "Games", "GAMES", "rials", "RIALS", "teps", "TEPS", "t_max", "代", "总", "轮",
]);

/// Totals that were announced, by the unit that they count.
#[derive(Debug, Default)]
pub struct AnnouncedTotals {
    by_unit: BTreeMap<&'static str, Announced>,
    /// Lines that were taken, of all runs in the log.
    lines: u32,
}

/// Ten runs that dump their settings have fewer such lines; a log that starts again and again would be read slowly.
const MOST_LINES: u32 = 30_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Announced {
    Once(u64),
    /// Different numbers, of which this is the least: one of them is for something else. Or one that may be that of a
    /// part of the work.
    Unclear {
        least: u64,
    },
}

/// What an evaluation runs and a training does not.
const EVALUATED: [&str; 3] = ["episodes", "games", "trials"];

/// Words that may come with such a noun; any other one makes it a setting of something else.
const OF_ALL: [&str; 10] = ["num", "n", "nb", "max", "maximum", "total", "number", "of", "train", "training"];

impl AnnouncedTotals {
    /// Reports whether more lines are taken.
    pub fn takes_lines(&self) -> bool {
        self.lines < MOST_LINES
    }

    /// Takes a line from before the work.
    pub fn take(&mut self, line: &[u8]) {
        self.lines += 1;
        // A row of a table that is drawn again and again counts.
        if line.len() > LONGEST || line.trim_ascii_start().starts_with(b"|") || !NAMES.is_on(line) {
            return;
        }
        let line = behind_prefix(line).unwrap_or(line);
        let lower = line.to_ascii_lowercase();
        let named = name_starts(&lower).filter_map(|start| match line[start..].strip_prefix(T_MAX) {
            Some(_) => most_steps(&lower[start + T_MAX.len()..]).map(|total| ("steps", total)),
            None => announced_at(&lower, start),
        });
        for (unit, total) in named.chain(announced_in_chinese(line)) {
            let known = self.by_unit.entry(unit).or_insert(Announced::Once(total));
            let (Announced::Once(least) | Announced::Unclear { least }) = *known;
            if *known != Announced::Once(total) {
                *known = Announced::Unclear { least: least.min(total) };
            }
        }
        for (unit, total) in name_starts(&lower).filter_map(|start| announced_of_part(&lower, start)) {
            let known = self.by_unit.entry(unit).or_insert(Announced::Unclear { least: total });
            if let Announced::Unclear { least } = known {
                *least = total.min(*least);
            }
        }
    }

    /// Returns the total of what is counted in this unit; none that the count has passed.
    pub fn total_of(&self, unit: &str, done: u64) -> Option<u64> {
        if self.by_unit.is_empty() {
            return None;
        }
        match self.by_unit.get(known_unit(unit))? {
            Announced::Once(total) => (*total >= done).then_some(*total),
            Announced::Unclear { .. } => None,
        }
    }

    /// Reports whether the count falls short of each of several totals that were announced in this unit.
    pub fn all_exceed(&self, unit: &str, done: u64) -> bool {
        !self.by_unit.is_empty()
            && match self.by_unit.get(known_unit(unit)) {
                Some(Announced::Unclear { least }) => done < *least,
                Some(Announced::Once(_)) | None => false,
            }
    }

    /// Returns the only one that counts what an evaluation runs, with its unit.
    pub fn evaluated(&self) -> Option<(&'static str, u64)> {
        let mut known = EVALUATED.iter().filter_map(|unit| Some((*unit, self.by_unit.get(unit)?)));
        match (known.next()?, known.next()) {
            ((unit, Announced::Once(total)), None) => Some((unit, *total)),
            ((_, Announced::Once(_) | Announced::Unclear { .. }), _) => None,
        }
    }

    /// Forgets all of them, because another run begins.
    pub fn forget(&mut self) {
        self.by_unit.clear();
    }
}

/// The name under which totals of a unit are kept.
fn known_unit(unit: &str) -> &str {
    if unit == "timesteps" { "steps" } else { unit }
}

/// Places at which names such as `max_epochs` begin.
fn name_starts(line: &[u8]) -> impl Iterator<Item = usize> {
    (0..line.len()).filter(|at| is_name_byte(line[*at]) && (*at == 0 || !is_name_byte(line[*at - 1])))
}

/// Reads `num_episodes = 100`, `"max_epochs": 250`, `total episodes: 2500` or `for 2000 timesteps` at this place.
fn announced_at(line: &[u8], start: usize) -> Option<(&'static str, u64)> {
    let rest = &line[start..];
    let before = &line[..start];
    if rest[0].is_ascii_digit() {
        return begins_training(before).then(|| announced_of_training(before, rest))?;
    }
    // `--max-steps 200000` of a command line.
    let is_option = before.ends_with(b"--");
    let is_part = |byte: u8| is_name_byte(byte) || is_option && byte == b'-';
    if let Some(number) = FOR_ALL.iter().find_map(|word| rest.strip_prefix(word.as_bytes())) {
        return announced_in_a_sentence(before, number);
    }
    let mut words: Vec<&[u8]> = Vec::new();
    let mut at = 0;
    // A name of one word with lines under it, or up to four words.
    while words.len() < 6 {
        let length = rest[at..].iter().take_while(|byte| is_part(**byte)).count();
        let parts = rest[at..at + length].split(|byte| b"_-".contains(byte));
        words.extend(parts.filter(|word| !word.is_empty()));
        at += length;
        if noun(words.last()?).is_some() || length == 0 || rest.get(at) != Some(&b' ') {
            break;
        }
        at += 1;
    }
    let (last, others) = words.split_last()?;
    let (name, unit) = noun(last)?;
    let is_of_all = others.iter().all(|word| OF_ALL.iter().any(|known| known.as_bytes() == *word));
    let says_total = |known: &[&str]| others.iter().any(|word| known.iter().any(|of| of.as_bytes() == *word));
    let is_total = match unit {
        // `num_steps` and `n_steps` are those of one rollout in many programs.
        "steps" => {
            says_total(&["total", "max", "maximum"])
                || name == "timesteps" && says_total(&["num", "number", "n"])
        }
        _ => name.ends_with('s') || says_total(&["max", "maximum", "num", "total"]),
    };
    // `--max-steps` of an evaluation is the length of an episode.
    let is_of_episode = is_option && unit == "steps" && find(before, b"train").is_none();
    let is_other =
        || is_of_episode || start > 0 && (is_qualified(line, start) || is_of_other_section(before));
    if !is_of_all || !is_total || is_other() {
        return None;
    }
    let signs = rest[at..].iter().take_while(|byte| b" \t\"':=".contains(byte)).count();
    let sign = &rest[at..at + signs];
    // `('n_timesteps', 100000.0),` of a printed list of settings.
    let pair = rest[at..].strip_prefix(b"', ").filter(|_| before.ends_with(b"('"));
    let has_sign =
        pair.is_some() || is_option && sign == b" " || sign.iter().any(|byte| b":=".contains(byte));
    let value = pair.unwrap_or(&rest[at + signs..]);
    let number = value.strip_prefix(b"{").map_or(Some(value), most_in)?;
    // `100,150` may be a list.
    let is_round = |(total, behind): &(u64, &[u8])| total % 1000 == 0 && behind.trim_ascii().is_empty();
    let (total, behind) = leading_grouped(number).filter(is_round).or_else(|| whole(number))?;
    let ends = behind.first().is_none_or(|byte| b" ,;)}]|\t\"'".contains(byte));
    let counts_on = behind.trim_ascii_start().starts_with(b"/");
    let is_each = behind.trim_ascii_start().starts_with(b"per ");
    (has_sign && ends && !counts_on && !is_each && total > 1).then_some((unit, total))
}

/// How PyMARL and its heirs name the steps of a training. In capitals it is a setting of learning rates.
const T_MAX: &[u8] = b"t_max";

/// A smaller number is the length of a rollout, as A3C names it.
const FEWEST_STEPS: u64 = 10_000;

/// Reads `=3000000`, `: 2050000` or `': 2050000`.
fn most_steps(behind: &[u8]) -> Option<u64> {
    let value = behind.strip_prefix(b"'").or_else(|| behind.strip_prefix(b"\"")).unwrap_or(behind);
    let value = value.strip_prefix(b"=").or_else(|| value.strip_prefix(b":"))?;
    whole(value.trim_ascii_start()).map(|(total, _)| total).filter(|total| *total >= FEWEST_STEPS)
}

/// Behind `'max': ` of `'episodes': {'max': 1000, …`.
fn most_in(settings: &[u8]) -> Option<&[u8]> {
    let name = settings.trim_ascii_start().strip_prefix(b"'").or_else(|| settings.strip_prefix(b"\""))?;
    let behind = ["max", "total", "num"].iter().find_map(|known| name.strip_prefix(known.as_bytes()))?;
    let value = behind.trim_ascii_start();
    value.strip_prefix(b"':").or_else(|| value.strip_prefix(b"\":")).map(<[u8]>::trim_ascii_start)
}

/// Sections of a configuration whose numbers are not those of the work.
const OTHER_SECTIONS: [&str; 9] =
    ["save", "eval", "evaluation", "log", "logging", "test", "video", "checkpoint", "warmup"];

/// It is a setting of something else, in a section of that: `'save': {'episodes': 10`.
fn is_of_other_section(before: &[u8]) -> bool {
    let mut depth = 0;
    let opens = before.iter().rposition(|byte| {
        depth += i32::from(*byte == b'}') - i32::from(*byte == b'{');
        depth < 0
    });
    let Some(opens) = opens else { return false };
    let name = before[..opens].trim_ascii_end().strip_suffix(b":").unwrap_or_default().trim_ascii_end();
    let name = name.strip_suffix(b"'").or_else(|| name.strip_suffix(b"\"")).unwrap_or_default();
    OTHER_SECTIONS.iter().any(|section| {
        name.strip_suffix(section.as_bytes())
            .is_some_and(|rest| !rest.last().copied().is_some_and(is_name_byte))
    })
}

/// The word before it says what else it counts: `eval episodes: 10`, `per-episode steps`.
fn is_qualified(line: &[u8], start: usize) -> bool {
    let before = &line[..start];
    let word = before.trim_ascii_end();
    let length = word.iter().rev().take_while(|byte| is_name_byte(**byte)).count();
    let last = &word[word.len() - length..];
    let is_joined = matches!(before.last(), Some(b'-' | b'.' | b'/')) && !before.ends_with(b"--");
    // `obs=33 steps=50000000`: a value, and then another name.
    let is_value = word[..word.len() - length].ends_with(b"=");
    let is_near = word.len() + 1 == before.len() && !last.is_empty() && !is_value;
    is_joined || is_near && !OF_ALL.iter().any(|known| known.as_bytes() == last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn announced(line: &str) -> Vec<(&'static str, u64)> {
        let mut totals = AnnouncedTotals::default();
        totals.take(line.as_bytes());
        let known = totals.by_unit.into_iter().filter_map(|(unit, total)| match total {
            Announced::Once(total) => Some((unit, total)),
            Announced::Unclear { .. } => None,
        });
        known.collect()
    }

    #[test]
    fn settings_of_the_whole_work_are_totals() {
        for (line, unit, total) in [
            ("             ('n_timesteps', 100000.0),", "steps", 100_000),
            ("Total Episodes: 2500", "episodes", 2500),
            ("  max_epochs: 250", "epochs", 250),
            ("Namespace(lr=0.1, num_episodes=10000, seed=1)", "episodes", 10_000),
            ("{\"total_timesteps\": 1e6, \"n_steps\": 2048}", "steps", 1_000_000),
            ("Beginning training for 2000000 timesteps", "steps", 2_000_000),
            ("[INFO 12:08:48] my_main Beginning training for 2050000 timesteps", "steps", 2_050_000),
            ("MAX_ITER: 90000", "iterations", 90_000),
            ("Max steps               : 100,000", "steps", 100_000),
            ("{'agent': 'ddpg', 'episodes': {'max': 1000, 'save': 5}}", "episodes", 1000),
            ("number of episodes = 120", "episodes", 120),
            ("epochs                  100", "", 0),
            ("max_steps:\t500000", "steps", 500_000),
            ("🎓 开始训练 (30 epochs)...", "epochs", 30),
            ("[Train] Starting training: 813 iterations, 10,000,000 total timesteps", "steps", 10_000_000),
            ("python train.py --max_steps 200000 --seed 1", "steps", 200_000),
            ("+ python eval.py --num-episodes 50", "episodes", 50),
            ("MAPPO training - stage 1, t_max=3000000, device=cuda", "steps", 3_000_000),
            ("{'env': 'x', 't_max': 2050000}", "steps", 2_050_000),
            ("total_timesteps = 1_000_000", "steps", 1_000_000),
            ("2025-01-08 08:45:21,831 - INFO - Evaluating policy over 10 episodes.", "episodes", 10),
            ("2021-05-11 14:46:51,288 Starting eval of 100000 games...", "games", 100_000),
            ("[INFO] Starting evaluation with 18 episodes", "episodes", 18),
            ("  总迭代数: 182000", "iterations", 182_000),
            ("Starting training (2000000 timesteps, checkpoint every 200000 steps)", "steps", 2_000_000),
            ("[train] Starting PPO training for 100000 timesteps …", "steps", 100_000),
        ] {
            let expected = if unit.is_empty() { Vec::new() } else { vec![(unit, total)] };
            assert_eq!(announced(line), expected, "{line}");
        }
    }

    #[test]
    fn settings_of_something_else_are_none() {
        for line in [
            "eval_episodes: 10",
            "num_eval_episodes=10",
            "eval episodes: 10",
            "n_steps: 2048",
            "save_steps=1000000",
            "total_timesteps=1000000 per task, 10 tasks",
            "num_steps=128",
            "max_episode_steps: 500",
            "warmup_epochs: 5",
            "save_every_epochs: 5",
            "Epochs: 3/10",
            "epoch: 12",
            "|    total_timesteps | 8192 |",
            "log_interval_iters: 100",
            "steps per second: 120",
            "T_max: 200",
            "Early stopping of training (patience 10 epochs)",
            "Starting pretraining of the encoder (5 epochs)",
            "Loaded training state (5 epochs)",
            "Starting training of seed 1 (3 epochs)",
            "+ python eval.py --max-steps 300",
            "Namespace(lr=0.1, t_max=20)",
            "Warmup (5 epochs)",
            "Collected 5000 total timesteps",
            "--eval-episodes 10",
            "episodes 10",
            "3 of 10 episodes",
            "saved every 100 of 2000 steps",
            "{'output': {'save': {'csv': true, 'episodes': 10}}}",
            "evaluating 5 episodes of each task",
        ] {
            assert_eq!(announced(line), [], "{line}");
        }
        let mut totals = AnnouncedTotals::default();
        totals.take(b"num_episodes: 10");
        totals.take(b"num_episodes: 20");
        assert_eq!(totals.total_of("episodes", 3), None);
        assert!(totals.all_exceed("episodes", 3) && !totals.all_exceed("episodes", 10));
    }

    #[test]
    fn totals_that_may_be_those_of_a_part_only_show_what_is_short_of_them() {
        let short_of = |line: &str, unit: &str, total: u64| {
            let mut totals = AnnouncedTotals::default();
            totals.take(line.as_bytes());
            totals.total_of(unit, 1).is_none()
                && totals.all_exceed(unit, total - 1)
                && !totals.all_exceed(unit, total)
        };
        let steps = "[rc] 10 envs x 800 steps = 8000/update | obs=33 steps=50000000 hidden=256";
        assert!(short_of(steps, "steps", 50_000_000));
        assert!(short_of("  cloning 60 epochs on 30,000 pairs ...", "epochs", 60));
        assert!(!short_of("LinearSchedule(init=3e-4, steps=50000000)", "steps", 50_000_000));
        assert!(!short_of("steps=2048", "steps", 2048));
    }
}
