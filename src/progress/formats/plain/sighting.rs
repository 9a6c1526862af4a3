//! Which lines of its format a line of the log is, and where their values are: on lines of one shape that is found once.

use super::line_kinds::How;
use super::line_texts::{LineTexts, TextsOnLine};
use super::plain_format::PlainFormat;
use crate::progress::text::line_shapes::{ByShape, ShapeNumber};
use crate::progress::text::places::Places;

/// A line of the format that is on a line of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// Its position among the lines of its kind.
    pub position: usize,
    /// Where on the line its first text ends.
    pub behind: usize,
}

/// The lines of the format that are on a line of the log, by their kinds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sighting {
    /// The first that counts.
    pub count: Option<Seen>,
    /// Where the text ends that is before the value by which it succeeded.
    pub success: Option<usize>,
    /// All that show whose log it is.
    pub signatures: Vec<usize>,
    /// The first that ends the work.
    pub end: Option<usize>,
    /// All with a total.
    pub totals: Vec<Seen>,
    /// All with a metric.
    pub metrics: Vec<Seen>,
}

/// Looks at one line after the other.
#[derive(Debug, Default)]
pub struct Sightings {
    newest: Sighting,
    texts: TextsOnLine,
    /// By the shapes of lines that came before, with the number of bytes that were seen; none where other digits make
    /// other texts.
    known: ByShape<Option<(usize, Sighting)>>,
}

impl Sightings {
    /// Returns what the line holds of the format.
    pub fn on(&mut self, line: &[u8], places: &Places, format: &PlainFormat) -> &Sighting {
        let Some(shape) = places.shape() else { return self.look(line, places, format) };
        if self.known.of(shape).is_none() {
            let is_certain = !format.texts.depend_on_digits(line);
            let sighting = is_certain.then(|| self.look(line, places, format).clone());
            self.known.keep(shape, sighting.map(|sighting| (line.len(), sighting)));
        }
        if self.remembered(shape, line).is_none() {
            return self.look(line, places, format);
        }
        self.remembered(shape, line).unwrap_or(&self.newest)
    }

    fn remembered(&self, shape: ShapeNumber, line: &[u8]) -> Option<&Sighting> {
        let (length, sighting) = self.known.of(shape)?.as_ref()?;
        // A last line may be seen without its last number.
        (*length == line.len()).then_some(sighting)
    }

    fn look(&mut self, line: &[u8], places: &Places, format: &PlainFormat) -> &Sighting {
        let Self { newest, texts, .. } = self;
        texts.begin(&format.texts, places);
        let mut end_of = |sought: &LineTexts| texts.end_of(sought, &format.texts, line, places);
        newest.count = first(format.counts.iter().map(|count| &count.texts), &mut end_of);
        newest.signatures.clear();
        let signatures = format.signatures.iter().enumerate();
        let signatures = signatures.filter(|(_, known)| end_of(&known.texts).is_some());
        newest.signatures.extend(signatures.map(|(position, _)| position));
        newest.end = first(format.finished.iter().map(|end| &end.texts), &mut end_of).map(|end| end.position);
        newest.totals.clear();
        newest.totals.extend(all(format.totals.iter().map(|total| &total.texts), &mut end_of));
        newest.metrics.clear();
        newest.metrics.extend(all(format.metrics.iter().map(|metric| &metric.texts), &mut end_of));
        let how = newest.count.map(|seen| &format.counts[seen.position].how);
        newest.success = match how {
            Some(How::Each(Some((text, _)))) => texts.end_of_text(*text, &format.texts, line, places),
            Some(How::Each(None) | How::Number(_) | How::Leading) | None => None,
        };
        newest
    }
}

/// Those of these lines that are there, in their order.
fn all<'a>(
    lines: impl Iterator<Item = &'a LineTexts>,
    end_of: &mut impl FnMut(&LineTexts) -> Option<usize>,
) -> impl Iterator<Item = Seen> {
    let lines = lines.enumerate();
    lines.filter_map(|(position, texts)| end_of(texts).map(|behind| Seen { position, behind }))
}

/// The first of these lines that is there.
fn first<'a>(
    lines: impl Iterator<Item = &'a LineTexts>,
    end_of: &mut impl FnMut(&LineTexts) -> Option<usize>,
) -> Option<Seen> {
    all(lines, end_of).next()
}
