//! A format that is data, ready to be searched for.

use std::sync::{Mutex, PoisonError};

use super::format_needles::choose_needles;
use super::line_kinds::{Count, End, How, Metric, Signature, Total};
use super::line_texts::{LineTexts, TextTable, keep};
use super::plain_reader::PlainReader;
use crate::model::logs::log_format::{LogFormat, Texts, WorkBar};
use crate::progress::format::{Format, Preset, PresetRank};

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

/// Presets of the user's own, each made once.
static OWN: Mutex<Vec<(LogFormat, &'static [&'static Preset])>> = Mutex::new(Vec::new());

/// Returns the only preset of a sweep that names a format of the user's own.
pub fn own_preset(name: &str, format: &LogFormat) -> &'static [&'static Preset] {
    let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = own.iter().find(|(known, presets)| known == format && presets[0].name == name);
    if let Some((_, presets)) = known {
        return presets;
    }
    let presets: &'static [_] = vec![make_preset(name, format, true)].leak();
    own.push((format.clone(), presets));
    presets
}

/// Makes a preset of a format of the program, which lives as long as the process.
pub fn preset_of(name: &str, format: &LogFormat) -> &'static Preset {
    make_preset(name, format, false)
}

fn make_preset(name: &str, format: &LogFormat, is_declared: bool) -> &'static Preset {
    let needles: Vec<&'static str> = choose_needles(format).into_iter().map(keep).collect();
    let needles = needles.leak();
    let plain: &'static PlainFormat = Box::leak(Box::new(PlainFormat::new(format, needles, is_declared)));
    Box::leak(Box::new(Preset {
        name: keep(name),
        unit: keep(&format.unit),
        rank: PresetRank::Program,
        needles,
        begin: Box::leak(Box::new(move || Box::new(PlainReader::new(plain)) as Box<dyn Format>)),
    }))
}

impl PlainFormat {
    fn new(format: &LogFormat, needles: &[&str], is_declared: bool) -> Self {
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
