//! The line with the names of views: where each of them is.

use std::ops::Range;

use crate::model::logs::printable::cell_width;

/// The columns of each name with its number and its brackets: ` 1 Shards `, and one blank before the next.
pub fn tab_ranges<'a>(titles: impl IntoIterator<Item = &'a str>) -> Vec<Range<u16>> {
    let mut end = 0;
    let mut places = Vec::new();
    for (number, title) in (1_u16..).zip(titles) {
        let digits = cell_width(&number.to_string());
        let cells = u16::try_from(1 + digits + 1 + cell_width(title) + 1).unwrap_or(u16::MAX);
        places.push(end..end + cells);
        end += cells + 1;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_side_by_side_with_a_blank_between() {
        // `[1 Shards] [2 Log]`
        assert_eq!(tab_ranges(["Shards", "Log"]), [0..10, 11..18]);
    }
}
