//! The texts of a format that is data, and the few of them that are searched for on each line.

use std::collections::BTreeSet;

use crate::model::logs::log_format::{LogFormat, Texts};

/// Drawings of bars without names hold one of these, also without strokes: `80% 4/5 [02:22<00:33, 33.92s/it]`.
const UNNAMED_BAR: [&str; 3] = ["%|", "it/s]", "s/it]"];

/// Lists the texts that each line of the format holds.
fn texts_by_line(format: &LogFormat) -> Vec<Vec<&str>> {
    fn all<'a>(text: &'a str, with: &'a Texts) -> Vec<&'a str> {
        std::iter::once(text).chain(with.as_slice().iter().map(String::as_str)).collect()
    }
    let done = format.done.iter().map(|line| all(line.text(), &line.with));
    let total = format.total.iter().map(|line| all(&line.before, &line.with));
    let finished = format.finished.iter().map(|line| all(&line.text, &line.with));
    let signature = format.signature.iter().map(|line| all(&line.text, &line.with));
    let metric = format.metric.iter().map(|line| all(&line.before, &line.with));
    let drawings = |name| if str::is_empty(name) { UNNAMED_BAR.to_vec() } else { vec![name] };
    let bar = format.bar.iter().flat_map(|bar| drawings(bar.name.as_str())).map(|text| vec![text]);
    done.chain(total).chain(finished).chain(signature).chain(metric).chain(bar).collect()
}

/// Returns the number of different texts that the lines of the format hold.
pub fn count_texts(format: &LogFormat) -> usize {
    let success = format.done.iter().filter_map(|line| line.success.as_ref());
    let success = success.map(|success| success.before.as_str());
    texts_by_line(format).into_iter().flatten().chain(success).collect::<BTreeSet<_>>().len()
}

/// Chooses few texts of which each line holds one: again and again that of the most lines, or of those the longest.
pub fn choose_needles(format: &LogFormat) -> Vec<&str> {
    let lines = texts_by_line(format);
    let holds = |line: &[&str], needle: &str| line.iter().any(|text| text.contains(needle));
    let mut needles = Vec::new();
    let mut left: Vec<&Vec<&str>> = lines.iter().collect();
    let worth =
        |text: &str, left: &[&Vec<&str>]| (left.iter().filter(|line| holds(line, text)).count(), text.len());
    while let Some(needle) = left.iter().copied().flatten().max_by_key(|text| worth(text, &left)).copied() {
        needles.push(needle);
        left.retain(|line| !holds(line, needle));
    }
    needles
}
