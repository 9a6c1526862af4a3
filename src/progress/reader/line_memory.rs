//! What is known of a line because lines that look alike came before.

use crate::progress::formats::needles::{NeedleHits, Needles};
use crate::progress::text::line_shapes::{ByShape, LineShapes, ShapeNumber};
use crate::progress::text::places::Places;

/// The shapes of the lines of a log, and what the literals on them mean and where they are: where no literal has a digit,
/// numbers change nothing. Of lines where one may have, only that is known.
#[derive(Debug, Default)]
pub struct LineMemory {
    shapes: LineShapes,
    /// The shape of the line, where it came before.
    shape: Option<ShapeNumber>,
    needles: ByShape<KnownNeedles>,
}

#[derive(Debug)]
struct KnownNeedles {
    /// The preset whose needles these are.
    reading: Option<usize>,
    found: Option<(NeedleHits, Places)>,
}

impl LineMemory {
    /// Begins a line.
    pub fn begin(&mut self, line: &[u8]) {
        self.shape = self.shapes.number_of(line);
    }

    /// Returns the shape of the line, where it came before.
    pub fn shape(&self) -> Option<ShapeNumber> {
        self.shape
    }

    /// Returns what the literals on the line mean, and notes the places of those of the format that reads, which the
    /// needles belong to.
    pub fn needles_on(
        &mut self,
        (needles, reading): (&Needles, Option<usize>),
        line: &[u8],
        places: &mut Places,
    ) -> NeedleHits {
        let known = self.shape.and_then(|shape| self.needles.of(shape));
        let known = known.filter(|known| known.reading == reading);
        let found = match known {
            Some(KnownNeedles { found: Some((found, at)), .. }) => {
                places.clone_from(at);
                *found
            }
            Some(KnownNeedles { found: None, .. }) => needles.on(line, places),
            None => {
                let found = needles.on(line, places);
                if let Some(shape) = self.shape {
                    let is_certain = !needles.depend_on_digits(line);
                    let found = is_certain.then(|| (found, places.clone()));
                    self.needles.keep(shape, KnownNeedles { reading, found });
                }
                found
            }
        };
        places.set_shape(self.shape);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::formats::presets::table::ALL;

    #[test]
    fn what_is_remembered_is_what_a_search_finds() {
        let (needles, mut memory) = (Needles::new(&ALL), LineMemory::default());
        let rows = include_str!("../tests/trouble_lines.txt").lines();
        for line in rows.filter_map(|row| row.split('\t').nth(2)).chain(["step 12", "Episode 3/10"]) {
            for digit in ["0", "2", "9", "2", "0"] {
                let line = line.replace(|letter: char| letter.is_ascii_digit(), digit);
                for line in [&line, &line, &line] {
                    memory.begin(line.as_bytes());
                    let found = memory.needles_on((&needles, None), line.as_bytes(), &mut Places::default());
                    assert_eq!(found, needles.on(line.as_bytes(), &mut Places::default()), "{line}");
                }
            }
        }
    }
}
