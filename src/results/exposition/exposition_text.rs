//! The text: families in their order, each with its help and type, and its samples.

use std::fmt::Write;

/// Whether numbers of a family may fall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeriesKind {
    /// They rise and fall.
    Gauge,
    /// They only rise, until they begin at zero again.
    Counter,
}

/// A family of series: one name, and the labels that distinguish them.
#[derive(Debug, PartialEq, Eq)]
pub struct Definition {
    /// Name with its base unit.
    pub name: &'static str,
    /// Whether its numbers may fall.
    pub kind: SeriesKind,
    /// Labels of each of its series.
    pub labels: &'static [&'static str],
    /// Meaning, one sentence for people.
    pub help: &'static str,
}

/// Samples of families, as they are collected.
#[derive(Debug, Default)]
pub struct Exposition {
    families: Vec<(&'static Definition, Vec<Sample>)>,
}

#[derive(Debug)]
struct Sample {
    labels: Vec<String>,
    value: f64,
}

impl Exposition {
    /// Adds the sample of a series. What is unknown or not finite is left out, and so is a series that is there already: a
    /// second one of it makes a scrape fail.
    pub fn add(&mut self, definition: &'static Definition, labels: &[&str], value: impl Into<Option<f64>>) {
        debug_assert_eq!(definition.labels.len(), labels.len(), "{}", definition.name);
        let Some(value) = value.into().filter(|value| value.is_finite()) else { return };
        let known = self.families.iter().position(|(family, _)| family.name == definition.name);
        let place = known.unwrap_or_else(|| {
            self.families.push((definition, Vec::new()));
            self.families.len() - 1
        });
        let samples = &mut self.families[place].1;
        if !samples.iter().any(|sample| sample.labels == labels) {
            samples.push(Sample { labels: labels.iter().map(|label| (*label).to_owned()).collect(), value });
        }
    }

    /// Renders the text of format version 0.0.4.
    pub fn render(&self) -> String {
        let mut text = String::new();
        for (family, samples) in &self.families {
            let kind = match family.kind {
                SeriesKind::Gauge => "gauge",
                SeriesKind::Counter => "counter",
            };
            let _ = writeln!(text, "# HELP {} {}\n# TYPE {} {kind}", family.name, family.help, family.name);
            for sample in samples {
                let pairs = family.labels.iter().zip(&sample.labels);
                // A label without a value is no label.
                let labels: Vec<String> = pairs
                    .filter(|(_, value)| !value.is_empty())
                    .map(|(name, value)| format!("{name}=\"{}\"", escape_label(value)))
                    .collect();
                let labels =
                    if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
                let _ = writeln!(text, "{}{labels} {}", family.name, sample.value);
            }
        }
        text
    }
}

fn escape_label(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAT: Definition = Definition {
        name: "heat_celsius",
        kind: SeriesKind::Gauge,
        labels: &["at"],
        help: "How warm it is.",
    };
    const SEEN: Definition =
        Definition { name: "seen_total", kind: SeriesKind::Counter, labels: &[], help: "So many." };

    #[test]
    fn families_are_whole_labels_are_escaped_and_unknown_is_absent() {
        let mut exposition = Exposition::default();
        exposition.add(&HEAT, &["a \"b\"\\\n"], 1.5);
        exposition.add(&SEEN, &[], 85_520_809_984.0);
        exposition.add(&HEAT, &[""], 4.0);
        exposition.add(&HEAT, &["c"], 0.0);
        exposition.add(&HEAT, &["c"], 1.0);
        exposition.add(&HEAT, &["d"], None);
        exposition.add(&HEAT, &["e"], f64::NAN);
        assert_eq!(
            exposition.render(),
            "# HELP heat_celsius How warm it is.\n# TYPE heat_celsius gauge\n\
             heat_celsius{at=\"a \\\"b\\\"\\\\\\n\"} 1.5\nheat_celsius 4\nheat_celsius{at=\"c\"} 0\n\
             # HELP seen_total So many.\n# TYPE seen_total counter\nseen_total 85520809984\n"
        );
    }
}
