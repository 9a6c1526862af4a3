//! The lines of a format that is data, ready to be searched for: those that count, that say how much there is, that show
//! whose log it is, and that end the work.

use super::line_texts::{LineTexts, TextTable, keep};
use crate::model::logs::log_format::{CountLine, EndLine, MetricLine, TextLine, ValueLine};
use crate::progress::text::find::Sought;

/// A line that counts.
#[derive(Debug)]
pub struct Count {
    /// Texts by which it is known.
    pub texts: LineTexts,
    /// How it counts.
    pub how: How,
}

/// How a line counts.
#[derive(Debug)]
pub enum How {
    /// The number behind the text is done, or behind one that follows it.
    Number(Option<Sought>),
    /// The number before the text is done.
    Leading,
    /// One more is done, which succeeded where the number behind this text is at least this one.
    Each(Option<(usize, f64)>),
}

/// A line with the total.
#[derive(Debug)]
pub struct Total {
    /// Texts by which it is known.
    pub texts: LineTexts,
    /// What is before the number by which it is multiplied.
    pub times: Option<Sought>,
    /// Behind a full count, another run begins.
    pub begins_run: bool,
}

/// A line with a metric.
#[derive(Debug)]
pub struct Metric {
    /// Texts by which it is known.
    pub texts: LineTexts,
    /// Name of the metric.
    pub name: &'static str,
    /// What its value is multiplied by.
    pub scale: f64,
}

/// A line that shows whose log it is.
#[derive(Debug)]
pub struct Signature {
    /// Texts by which it is known.
    pub texts: LineTexts,
    /// Behind an end, more is to be done.
    pub begins_item: bool,
    /// It shows that only behind a bar that has counted.
    pub behind_bar: bool,
}

/// A line that ends the work.
#[derive(Debug)]
pub struct End {
    /// Texts by which it is known.
    pub texts: LineTexts,
    /// It is printed where an error ended the work too.
    pub after_errors: bool,
    /// What is before the seconds that all took, and before the speed.
    pub seconds_and_speed: Option<(Sought, Sought)>,
}

impl Count {
    /// Makes it ready to be searched for.
    pub fn new(line: &CountLine, needles: &[&str], table: &mut TextTable) -> Self {
        let texts = LineTexts::new(line.text(), &line.with, needles, table);
        let how = match (&line.after, &line.each) {
            (Some(_), _) => How::Leading,
            (None, Some(_)) => {
                let success = line.success.as_ref();
                How::Each(success.map(|success| (table.add(&success.before, needles), success.at_least)))
            }
            (None, None) => How::Number(line.then.as_deref().map(|then| Sought::new(keep(then)))),
        };
        Self { texts, how }
    }
}

impl Total {
    /// Makes it ready to be searched for.
    pub fn new(line: &ValueLine, texts: LineTexts) -> Self {
        let times = line.times.as_deref().map(|times| Sought::new(keep(times)));
        Self { texts, times, begins_run: line.begins_run }
    }
}

impl Metric {
    /// Makes it ready to be searched for.
    pub fn new(line: &MetricLine, texts: LineTexts) -> Self {
        Self { texts, name: keep(&line.name), scale: if line.percent { 0.01 } else { 1.0 } }
    }
}

impl Signature {
    /// Makes it ready to be searched for.
    pub fn new(line: &TextLine, texts: LineTexts) -> Self {
        Self { texts, begins_item: line.begins_item, behind_bar: line.behind_bar }
    }
}

impl End {
    /// Makes it ready to be searched for.
    pub fn new(line: &EndLine, texts: LineTexts) -> Self {
        let speed = line.seconds_and_speed.as_ref();
        let speed = speed.map(|(seconds, speed)| (Sought::new(keep(seconds)), Sought::new(keep(speed))));
        Self { texts, after_errors: line.after_errors, seconds_and_speed: speed }
    }
}
