//! The columns that were chosen on a screen, kept for later ones: `$XDG_STATE_HOME/sweepdeck/columns.json`.

use std::path::PathBuf;

use crate::cli::settings_file;
use crate::rundir::machine_wide::discover;
use crate::rundir::refusal::{open_foreign, read_bounded};
use crate::tui::model::shards::column::ColumnChoice;

/// More than the names of all columns of many sweeps.
const LONGEST: u64 = 1 << 16;

fn columns_path() -> Option<PathBuf> {
    discover::pointers_folder().ok()?.parent().map(|folder| folder.join("columns.json"))
}

/// Returns the chosen columns; the default where no choice can be read, because a table without it is good enough.
pub fn load_columns() -> ColumnChoice {
    let read = || read_bounded(open_foreign(&columns_path()?).ok()?, LONGEST).ok();
    read().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// Keeps a choice; the error is one line for people.
pub fn save_columns(choice: &ColumnChoice) -> Result<(), String> {
    let path =
        columns_path().ok_or("the columns hold until you leave: neither XDG_STATE_HOME nor HOME is set")?;
    let text = serde_json::to_string(choice).map_err(|error| error.to_string())?;
    settings_file::replace_file(&path, &text).map_err(|error| {
        format!("the columns hold until you leave: cannot write {}: {error}", path.display())
    })
}
