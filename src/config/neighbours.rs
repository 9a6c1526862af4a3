//! `yield` and `announce` of `[schedule]`: how a run behaves beside other users.

use std::time::Duration;

use super::table::Table;
use crate::model::neighbours::Neighbours;

/// For so long a GPU is left to whoever has just come, where the sweep says no time.
const YIELD_FOR: Duration = Duration::from_secs(5 * 60);

/// Reads both keys.
pub(super) fn read(table: &Table<'_>) -> Neighbours {
    let yield_for = match table.is_flag("yield") {
        true => table.flag("yield").filter(|yields| *yields).map(|_| YIELD_FOR),
        false => table.duration("yield"),
    };
    Neighbours { yield_for, announce: table.flag("announce").unwrap_or(false) }
}
