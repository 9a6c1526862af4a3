//! The literals on lines that look alike, which are searched for once.

use crate::progress::formats::needles::{NeedleHits, Needles};
use crate::progress::search::line_shapes::LineShapes;
use crate::progress::text::places::Places;

/// What the literals on the lines of a log mean and where they are, by the shapes of the lines: where no literal has a
/// digit, numbers change nothing. Of lines where one may have, only that is known.
#[derive(Debug, Default)]
pub struct NeedleMemory {
    /// The preset whose needles these are.
    reading: Option<usize>,
    shapes: LineShapes<Option<(NeedleHits, Places)>>,
}

impl NeedleMemory {
    /// Returns what the literals on the line mean, and notes the places of those of the format that reads, which the
    /// needles belong to.
    pub fn on(
        &mut self,
        (needles, reading): (&Needles, Option<usize>),
        line: &[u8],
        places: &mut Places,
    ) -> NeedleHits {
        if self.reading != reading {
            self.reading = reading;
            self.shapes.forget();
        }
        match self.shapes.of(line) {
            Some(Some((found, at))) => {
                places.clone_from(at);
                return *found;
            }
            Some(None) => return needles.on(line, places),
            None => {}
        }
        let found = needles.on(line, places);
        if self.shapes.recurs() {
            let is_certain = !needles.depend_on_digits(line);
            self.shapes.keep(is_certain.then(|| (found, places.clone())));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::formats::presets::table::ALL;

    #[test]
    fn what_is_remembered_is_what_a_search_finds() {
        let (needles, mut memory) = (Needles::new(&ALL), NeedleMemory::default());
        let rows = include_str!("../tests/trouble_lines.txt").lines();
        for line in rows.filter_map(|row| row.split('\t').nth(2)).chain(["step 12", "Episode 3/10"]) {
            for digit in ["0", "2", "9", "2", "0"] {
                let line = line.replace(|letter: char| letter.is_ascii_digit(), digit);
                for line in [&line, &line, &line] {
                    let found = memory.on((&needles, None), line.as_bytes(), &mut Places::default());
                    assert_eq!(found, needles.on(line.as_bytes(), &mut Places::default()), "{line}");
                }
            }
        }
    }
}
