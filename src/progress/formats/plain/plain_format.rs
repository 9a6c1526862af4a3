//! A format that is data, ready to be searched for.

use super::line_kinds::{Count, End, How, Metric, Signature, Total};
use super::line_texts::{LineTexts, TextTable, keep};
use crate::model::logs::log_format::{LogFormat, Texts, WorkBar};

/// The lines of one format, ready to be searched for.
#[derive(Debug)]
pub struct PlainFormat {
    /// All texts of its lines.
    pub texts: TextTable,
    /// Lines that count.
    pub counts: Vec<Count>,
    /// Lines that show whose log it is.
    pub signatures: Vec<Signature>,
    /// Lines with the total.
    pub totals: Vec<Total>,
    /// Lines that end the work.
    pub finished: Vec<End>,
    /// Lines with a metric.
    pub metrics: Vec<Metric>,
    /// The bar that counts the work.
    pub bar: Option<WorkBar>,
    /// Name of the metric that is the speed of the bar.
    pub bar_speed: Option<&'static str>,
    /// Only such a line ends the work.
    pub needs_finish: bool,
    /// Its lines say which one succeeded.
    pub counts_successes: bool,
    /// The log is known to be of the format before a line shows it.
    pub is_declared: bool,
}

impl PlainFormat {
    /// Makes it ready to be searched for, where these needles are found before.
    pub fn new(format: &LogFormat, needles: &[&str], is_declared: bool) -> Self {
        let mut texts = TextTable::default();
        let mut of = |text: &str, with: &Texts| LineTexts::new(text, with, needles, &mut texts);
        let signatures =
            format.signature.iter().map(|line| Signature::new(line, of(&line.text, &line.with))).collect();
        let totals = format.total.iter().map(|line| Total::new(line, of(&line.before, &line.with))).collect();
        let metrics =
            format.metric.iter().map(|line| Metric::new(line, of(&line.before, &line.with))).collect();
        let finished =
            format.finished.iter().map(|line| End::new(line, of(&line.text, &line.with))).collect();
        let counts: Vec<Count> =
            format.done.iter().map(|line| Count::new(line, needles, &mut texts)).collect();
        let counts_successes = counts.iter().any(|count| matches!(count.how, How::Each(Some(_))));
        Self {
            texts,
            counts,
            signatures,
            totals,
            finished,
            metrics,
            bar: format.bar.clone(),
            bar_speed: format.bar.as_ref().and_then(|bar| bar.speed.as_deref()).map(keep),
            needs_finish: format.needs_finish,
            counts_successes,
            is_declared,
        }
    }
}
