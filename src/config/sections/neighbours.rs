//! `yield` and `announce` of `[schedule]`: how a run behaves next to other users.

use std::time::Duration;

use crate::config::document::table::Table;
use crate::model::claims::neighbours::Neighbours;

/// Time for which a GPU is left to a user who has just come, where the sweep gives no time.
const YIELD_FOR: Duration = Duration::from_secs(5 * 60);

/// Reads the keys `yield` and `announce`.
pub(in crate::config) fn read_neighbours(table: &Table<'_>) -> Neighbours {
    let yield_for = match table.is_flag("yield") {
        true => table.get_flag("yield").filter(|yields| *yields).map(|_| YIELD_FOR),
        false => table.get_duration("yield"),
    };
    Neighbours { yield_for, announce: table.get_flag("announce").unwrap_or(false) }
}
