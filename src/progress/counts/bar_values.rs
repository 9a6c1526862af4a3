//! The values behind bars as metrics: few, and with plain names.

use super::bar::Bar;
use super::rate::is_rate;
use crate::model::logs::metric_name::MetricName;
use crate::progress::format::Notes;

/// A program that puts more values behind its bars invents their names.
const MOST_VALUES: usize = 16;

/// Longer names are sentences.
const LONGEST_NAME: usize = 40;

/// The values seen so far.
#[derive(Debug, Default)]
pub struct BarValues {
    known: Vec<BarMetric>,
}

#[derive(Debug)]
struct BarMetric {
    /// As the program writes it.
    written: Vec<u8>,
    /// As the metric is called.
    name: MetricName,
    newest: f64,
    /// The bar that drives the progress shows it; an inner bar means something else by the same name.
    is_of_driver: bool,
}

impl BarValues {
    /// Notes the values behind the bar that changed. They are as the program writes them, so that of `17.5%` the metric
    /// is 17.5, but for what is called a success rate.
    pub fn note(&mut self, bar: &Bar<'_>, drives: bool, notes: &mut Notes) {
        for pair in bar.tail.postfix() {
            let known = match self.known.iter().position(|known| known.written == pair.name) {
                Some(position) => &mut self.known[position],
                None if self.known.len() < MOST_VALUES => {
                    let Some(name) = metric_name(pair.name) else { continue };
                    let (written, newest) = (pair.name.to_vec(), f64::INFINITY);
                    self.known.push(BarMetric { written, name, newest, is_of_driver: false });
                    self.known.last_mut().expect("it was pushed just now")
                }
                None => continue,
            };
            if known.is_of_driver && !drives {
                continue;
            }
            known.is_of_driver = drives;
            let is_share = pair.is_percentage && is_rate(&known.name);
            let value = if is_share { pair.value / 100.0 } else { pair.value };
            // Bits, because NaN differs from itself and would be noted for ever.
            if known.newest.to_bits() != value.to_bits() {
                known.newest = value;
                notes.metric(known.name.clone(), value);
            }
        }
    }
}

/// Turns `Val Loss` into `val_loss`; none where no character of it can be part of a name.
fn metric_name(written: &[u8]) -> Option<MetricName> {
    let mut name = String::new();
    for byte in written {
        if byte.is_ascii_alphanumeric() {
            name.push(char::from(byte.to_ascii_lowercase()));
        } else if !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
    }
    let name = name.trim_end_matches('_');
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.len() <= LONGEST_NAME;
    is_name.then(|| name.to_owned().into())
}
