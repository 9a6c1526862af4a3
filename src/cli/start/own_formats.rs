//! The log formats of the user's own: files in the folder `formats` beside the settings.

use std::fs;
use std::path::Path;

use crate::model::logs::log_format::{OwnFormat, OwnFormats};
use crate::model::sweep::presets::PRESETS;
use crate::progress::formats::file::FormatFile;
use crate::progress::scan::examples::check_examples;
use crate::tui::theme::store::config_folder;

/// Reads all of them; a sweep that names one of which something is wrong is refused.
pub fn read_formats() -> OwnFormats {
    let entries = config_folder().and_then(|folder| fs::read_dir(folder.join("formats")).ok());
    let format_at = |path: &Path| {
        let name = path.file_name()?.to_str()?.strip_suffix(".toml")?.to_owned();
        let format = read_format(&name, path).map_err(|mistake| format!("{}: {mistake}", path.display()));
        Some((name, format))
    };
    entries.into_iter().flatten().filter_map(|entry| format_at(&entry.ok()?.path())).collect()
}

fn read_format(name: &str, path: &Path) -> Result<OwnFormat, String> {
    if PRESETS.contains(&name) {
        return Err(format!("`{name}` is a preset of the program: rename this file"));
    }
    let source = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let file = FormatFile::parse(&source).map_err(|error| error.to_string())?;
    check_examples(name, &file).map_err(|error| error.to_string())?;
    Ok(file.format)
}
