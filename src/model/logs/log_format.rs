//! A log format as data: which text comes before which number, what ends the work, and which bar counts it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::results::metric_spec::MetricSpec;

/// The lines of one format. Every line is recognised by plain texts that it holds, which is faster than patterns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LogFormat {
    /// Plural noun for what is counted.
    pub unit: String,
    /// Lines that count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub done: Vec<CountLine>,
    /// Lines with the total.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub total: Vec<ValueLine>,
    /// Lines that end the work, once something was counted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub finished: Vec<EndLine>,
    /// Lines that count nothing, but that no other program prints.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub signature: Vec<TextLine>,
    /// Metrics that follow a text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub metric: Vec<MetricLine>,
    /// The bar that counts the same work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bar: Option<WorkBar>,
    /// A count that has reached its total proves nothing without a line that ends the work.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub needs_finish: bool,
}

/// One text or several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "a text, or a list of texts")]
pub enum Texts {
    /// A single text.
    One(String),
    /// Several texts, in any order.
    Many(Vec<String>),
}

/// A line that counts, in one of three ways.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CountLine {
    /// Text before the number that is done, which may have a total behind a slash: `12/30`, `12.6k/30.0k`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Text after the number that is done, with which the line begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Text with which each line begins that is one more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub each: Option<String>,
    /// Other texts on the line.
    #[serde(skip_serializing_if = "Texts::is_empty")]
    pub with: Texts,
    /// With `before`: text behind it after which the number comes, where other values stand between.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<String>,
    /// With `each`: when it is a success.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success: Option<Success>,
}

/// When one more is a success.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Success {
    /// Text before the number.
    pub before: String,
    /// The least number that is a success.
    pub at_least: f64,
}

/// A line that holds some texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextLine {
    /// Text on the line.
    pub text: String,
    /// Other texts on it.
    #[serde(default, skip_serializing_if = "Texts::is_empty")]
    pub with: Texts,
    /// It begins an item of the work: behind an end, more is to be done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub begins_item: bool,
    /// It shows whose log it is only behind a bar that has counted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub behind_bar: bool,
}

/// A line with a number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueLine {
    /// Text before the number.
    pub before: String,
    /// Other texts on the line.
    #[serde(default, skip_serializing_if = "Texts::is_empty")]
    pub with: Texts,
    /// It is the header of a run: behind a count that is full, another one begins.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub begins_run: bool,
    /// Text before a number by which it is multiplied, where each of so many processes does as many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<String>,
}

/// A line that ends the work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndLine {
    /// Text on the line.
    pub text: String,
    /// Other texts on it.
    #[serde(default, skip_serializing_if = "Texts::is_empty")]
    pub with: Texts,
    /// The program prints it where an error ended the work too; the error comes behind it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after_errors: bool,
    /// Texts before the seconds that all took and before how many were done in each: their product is what was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds_and_speed: Option<(String, String)>,
}

/// A metric that follows a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricLine {
    /// Name of the metric.
    pub name: String,
    /// Text before the value.
    pub before: String,
    /// Other texts on the line.
    #[serde(default, skip_serializing_if = "Texts::is_empty")]
    pub with: Texts,
    /// The value is in percent, without saying so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub percent: bool,
}

/// The bar that counts the work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WorkBar {
    /// Text with which its name begins; none for the bar without a name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Text with which its name ends.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name_ends: String,
    /// No other program draws such a bar.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub signature: bool,
    /// Other bars of the kind may follow and count too; without it only those with the same total do.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub any_total: bool,
    /// Name of the metric that is the speed of the bar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<String>,
}

impl CountLine {
    /// Returns the text by which it counts.
    pub fn text(&self) -> &str {
        let texts = [&self.before, &self.after, &self.each];
        texts.into_iter().flatten().next().map_or("", String::as_str)
    }
}

impl Default for Texts {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl Texts {
    /// Returns all of them.
    pub fn as_slice(&self) -> &[String] {
        match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::Many(texts) => texts,
        }
    }

    fn is_empty(&self) -> bool {
        self.as_slice().is_empty()
    }
}

/// A format of the user's own: lines, and the patterns that a sweep would declare.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OwnFormat {
    /// Lines with plain texts.
    pub lines: LogFormat,
    /// Pattern of a line that counts, as in `[progress]`.
    pub done: Option<String>,
    /// Number of units, where no line gives it.
    pub total: Option<u64>,
    /// Pattern of the line that ends the work.
    pub finished: Option<String>,
    /// Metrics with patterns.
    pub metrics: Vec<MetricSpec>,
}

/// The formats of the user by name, each with what is wrong with its file, where something is.
pub type OwnFormats = BTreeMap<String, Result<OwnFormat, String>>;
