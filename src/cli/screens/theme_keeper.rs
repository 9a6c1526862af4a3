//! The theme that was chosen on a screen: for the screens that follow, and in the settings for those of later days.

use std::io;
use std::sync::{Mutex, PoisonError};

use crate::cli::settings_file;
use crate::config::kept_theme::{ThemeSide, with_theme};
use crate::tui::theme::file::ThemeGround;
use crate::tui::theme::store;

/// Theme that was chosen on a screen: it goes before the typed one on the next screen, because home and dashboards take
/// turns.
static KEPT: Mutex<Option<String>> = Mutex::new(None);

/// Returns the theme kept so far.
pub fn current_theme() -> Option<String> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Writes the theme into the settings; returns the message, or why it holds for this time only.
pub fn save_theme(name: &str) -> Result<String, String> {
    *KEPT.lock().unwrap_or_else(PoisonError::into_inner) = Some(name.to_owned());
    let path = settings_file::path().ok_or("no folder for settings is known, because HOME is not set")?;
    let source = match std::fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        read => read.map_err(|error| format!("cannot read {}: {error}", path.display()))?,
    };
    let side = match store::terminal_ground(|name| std::env::var(name).ok()) {
        ThemeGround::Dark => ThemeSide::Dark,
        ThemeGround::Light => ThemeSide::Light,
    };
    let text = with_theme(&source, name, side)
        .map_err(|because| format!("{} is yours to change: {because}", path.display()))?;
    settings_file::replace_file(&path, &text)
        .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    Ok(format!("theme {name}, kept in {}", path.display()))
}
