//! The matrix as a heat map: what its cells are shaded by, and which of them are best and worst.

use crate::tui::model::matrix::{MatrixCell, MatrixView};
use crate::tui::model::results::success::Success;
use crate::tui::model::screen::Model;
use crate::tui::model::views::Shade;

/// The ground of one cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CellGround {
    /// The whole cell in one of [`GRADES`] steps, from 0 for the worst rate of success.
    Graded(usize),
    /// So much of the cell, 0 to 1: it is done.
    Filled(f64),
}

/// Number of steps of a graded ground: neighbours must be easy to distinguish, with and without colour.
pub const GRADES: usize = 5;

/// How a cell compares with all others of the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellRank {
    /// The highest rate of success.
    Best,
    /// The lowest rate of success.
    Worst,
}

impl CellRank {
    /// Returns the word that is printed next to the rate.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Worst => "worst",
        }
    }
}

/// The heat map of a matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeatMap {
    /// The measure that the grounds show.
    pub shade: Shade,
    best: Option<(usize, usize)>,
    worst: Option<(usize, usize)>,
}

impl HeatMap {
    /// Builds the map of what is shown. Progress takes the place of success as long as no cell has any.
    pub fn for_matrix(model: &Model, matrix: &MatrixView<'_>) -> Self {
        let success = |shards: &[usize]| {
            Success::from_readings(shards.iter().filter_map(|position| model.reading(*position)))
        };
        let rates: Vec<((usize, usize), f64)> =
            matrix.cells().filter_map(|(place, shards)| Some((place, success(shards)?.rate))).collect();
        let shade = if rates.is_empty() { Shade::Progress } else { model.views.shade };
        let (best, worst) = find_extremes(&rates);
        Self { shade, best, worst }
    }

    /// Returns the ground of a cell; `None` if the value that it would show is not known.
    pub fn cell_ground(&self, cell: &MatrixCell) -> Option<CellGround> {
        match self.shade {
            Shade::Success => {
                let grade = (cell.success?.rate * GRADES as f64) as usize;
                Some(CellGround::Graded(grade.min(GRADES - 1)))
            }
            Shade::Progress => (cell.done > 0.0).then_some(CellGround::Filled(cell.done)),
        }
    }

    /// Whether the cell of this row and column is the best or the worst.
    pub fn cell_rank(&self, place: (usize, usize)) -> Option<CellRank> {
        match place {
            place if self.best == Some(place) => Some(CellRank::Best),
            place if self.worst == Some(place) => Some(CellRank::Worst),
            _ => None,
        }
    }
}

/// The places with the highest and the lowest rate. A rate that several cells share marks none of them: to choose one
/// would mean that it is better than its equals.
fn find_extremes<P: Copy>(rates: &[(P, f64)]) -> (Option<P>, Option<P>) {
    let only = |wanted: Option<f64>| {
        let wanted = wanted?;
        let mut equal = rates.iter().filter(|(_, rate)| *rate == wanted);
        let (place, _) = equal.next()?;
        equal.next().is_none().then_some(*place)
    };
    if rates.len() < 2 {
        return (None, None);
    }
    let all = || rates.iter().map(|(_, rate)| *rate);
    (only(all().reduce(f64::max)), only(all().reduce(f64::min)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn best_and_worst_are_single_cells_among_several() {
        assert_eq!(find_extremes(&[('a', 0.5), ('b', 0.9), ('c', 0.1)]), (Some('b'), Some('c')));
        assert_eq!(
            find_extremes(&[('a', 0.5), ('b', 0.9), ('c', 0.9)]),
            (None, Some('a')),
            "equals are not ranked"
        );
        assert_eq!(find_extremes(&[('a', 0.5)]), (None, None), "one alone is neither");
        assert_eq!(find_extremes(&[('a', 1.0), ('b', 1.0)]), (None, None));
        assert_eq!(find_extremes::<char>(&[]), (None, None));
    }
}
