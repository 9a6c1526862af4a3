//! A sweep as it is written for the first time, with a word about each line.

use std::fmt::Write;

/// Values of an axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftValues {
    /// Words in their order.
    Words(Vec<String>),
    /// Integers from the first to the last, both included.
    Range(i64, i64),
    /// Files of a pattern.
    Glob(String),
}

/// Axis of the sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftAxis {
    /// Name that templates use.
    pub name: String,
    /// Its values.
    pub values: DraftValues,
}

/// Parts of a first sweep.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SweepDraft {
    /// Axes, the first changes slowest.
    pub axes: Vec<DraftAxis>,
    /// Folder that the command runs in.
    pub cwd: Option<String>,
    /// Lines before the command.
    pub setup: Vec<String>,
    /// The command, a template.
    pub command: String,
    /// Format of the log.
    pub preset: Option<String>,
    /// Pattern of the progress, where no format is known.
    pub done: Option<String>,
}

impl SweepDraft {
    /// Writes the sweep as TOML with comments.
    pub fn to_toml(&self) -> String {
        let mut text = String::from(
            "# A sweep of sweepdeck: `sweepdeck check` says what it comes to, `sweepdeck explain KEY` what a key means.\n",
        );
        if !self.axes.is_empty() {
            text.push_str("\n[matrix]  # every combination of these values is a shard\n");
        }
        for axis in &self.axes {
            let _ = writeln!(text, "{} = {}", axis.name, format_values(&axis.values));
        }
        text.push_str("\n[shard]\n");
        if let Some(cwd) = &self.cwd {
            let _ = writeln!(text, "cwd = {}", quote(cwd));
        }
        if !self.setup.is_empty() {
            let steps: Vec<String> = self.setup.iter().map(|step| format!("  {},\n", quote(step))).collect();
            let _ = writeln!(text, "setup = [  # each step must succeed\n{}]", steps.concat());
        }
        let _ = writeln!(text, "command = {}", quote_block(&self.command));
        text.push_str("# artifacts = [\"{{ out }}/*.json\"]  # files that must exist for success\n");
        text.push_str("\n[schedule]\n");
        text.push_str("# parallel = 4      # shards side by side; without it, one for each core\n");
        text.push_str("# timeout = \"6h\"    # the longest time of an attempt\n");
        text.push_str("# retries = 1       # further attempts of a shard that failed\n");
        text.push_str("\n[progress]\n");
        match (&self.done, &self.preset) {
            (Some(done), _) => _ = writeln!(text, "done = {}  # the line that counts the work", quote(done)),
            (None, Some(preset)) => _ = writeln!(text, "preset = {}", quote(preset)),
            (None, None) => {
                text.push_str("preset = \"auto\"  # `sweepdeck scan LOG` says what is read from a log\n")
            }
        }
        text
    }
}

fn format_values(values: &DraftValues) -> String {
    match values {
        DraftValues::Range(first, last) => format!("\"{first}..={last}\""),
        DraftValues::Glob(pattern) => format!("{{ glob = {} }}", quote(pattern)),
        DraftValues::Words(words) => {
            let numbers: Option<Vec<i64>> = words.iter().map(|word| plain_integer(word)).collect();
            let values: Vec<String> = match numbers {
                Some(numbers) => numbers.iter().map(i64::to_string).collect(),
                None => words.iter().map(|word| quote(word)).collect(),
            };
            format!("[{}]", values.join(", "))
        }
    }
}

/// A number that prints as it was written: `007` stays a string.
fn plain_integer(word: &str) -> Option<i64> {
    word.parse::<i64>().ok().filter(|number| number.to_string() == word)
}

/// A string of TOML, with single quotes where double ones would need backslashes.
fn quote(text: &str) -> String {
    let is_literal = text.contains(['"', '\\']) && !text.contains(['\'', '\n']);
    if is_literal { format!("'{text}'") } else { toml::Value::from(text).to_string() }
}

fn quote_block(text: &str) -> String {
    let is_short = !text.contains(['\n', '"', '\\']);
    match text.contains("'''") || text.ends_with('\'') {
        false if !is_short => format!("'''\n{text}'''"),
        _ => toml::Value::from(text).to_string(),
    }
}
