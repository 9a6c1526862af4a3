//! Presets of formats that are data.

use std::sync::{Mutex, PoisonError};

use super::format_needles::choose_needles;
use super::line_texts::keep;
use super::plain_format::PlainFormat;
use super::plain_reader::PlainReader;
use crate::model::logs::log_format::LogFormat;
use crate::progress::format::{Format, Preset, PresetRank};

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
