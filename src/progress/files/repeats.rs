//! Episodes that a file holds more than once: a program that continued after an interruption wrote them again.

use std::collections::BTreeMap;

use serde_json::Value;

use super::collected::number;

/// The names that the number of an episode goes by.
const NUMBERS: [&str; 5] = ["episode", "episode_index", "episode_ix", "episode_id", "ep"];

/// Columns that distinguish episodes of one number.
const OTHERS: [&str; 10] =
    ["seed", "task", "task_id", "task_name", "task_group", "suite", "env", "env_id", "policy", "split"];

/// So many numbers are shown.
const SHOWN: usize = 5;

/// How often each episode is there.
#[derive(Debug, Default)]
pub struct Repeats {
    counts: BTreeMap<(i64, String), usize>,
}

impl Repeats {
    /// Counts one row for the episode that it names.
    pub fn take(&mut self, row: &Value) {
        let Some(number) = NUMBERS.iter().find_map(|name| whole(row.get(name)?)) else { return };
        let others = OTHERS.iter().map(|name| row.get(name).map(Value::to_string).unwrap_or_default());
        *self.counts.entry((number, others.collect::<Vec<_>>().join("\n"))).or_default() += 1;
    }

    /// Describes the repeated episodes; nothing where all are there equally often, as several rows for each are.
    pub fn told(&self) -> Option<String> {
        let usual = self.counts.values().min()?;
        let again: Vec<i64> =
            self.counts.iter().filter(|(_, count)| *count > usual).map(|((number, _), _)| *number).collect();
        // Rows of steps are any number for each episode.
        if again.is_empty() || 2 * again.len() > self.counts.len() {
            return None;
        }
        let shown: Vec<String> = again.iter().take(SHOWN).map(i64::to_string).collect();
        let more = if again.len() > SHOWN { ", …" } else { "" };
        let episodes = if again.len() == 1 { "episode" } else { "episodes" };
        Some(format!("{episodes} {}{more} more often than the others: every row counts", shown.join(", ")))
    }
}

fn whole(value: &Value) -> Option<i64> {
    number(value)?.filter(|number| number.fract() == 0.0 && number.abs() < 9e15).map(|number| number as i64)
}
