//! How this terminal can be drawn on: its colours, its characters, and the theme for them.

use crate::tui::model::overlays::theme_chooser::{ThemeChooser, ThemeKind, ThemeLine};
use crate::tui::options::{KeepTheme, Preferences};
use crate::tui::theme::color::Depth;
use crate::tui::theme::file::Theme;
use crate::tui::theme::store;

/// The look of a screen on this terminal.
#[derive(Debug)]
pub struct TerminalStyle {
    /// The theme that the screens are drawn with.
    pub theme: Theme,
    /// The colours there are.
    pub depth: Depth,
    /// Only ASCII characters are drawn.
    pub ascii: bool,
    keep: Option<KeepTheme>,
}

impl TerminalStyle {
    /// The look that is preferred, and what is wrong with its theme.
    pub fn from_preferences(preferences: &Preferences) -> (Self, Option<String>) {
        let variable = |name: &str| std::env::var(name).ok();
        let depth = Depth::from_environment(variable);
        // Crossterm would answer NO_COLOR by resetting bold and reverse too; our themes have no colours then.
        ratatui::crossterm::style::force_color_output(true);
        let ascii = preferences.ascii || !speaks_unicode(variable);
        let theme = preferences.theme.as_deref().unwrap_or_else(|| store::fitting_theme(variable));
        let (theme, warning) = store::load_or_default(Some(theme), depth, ascii);
        (Self { theme, depth, ascii, keep: preferences.keep_theme }, warning)
    }

    /// All themes, with the present one chosen.
    pub fn theme_chooser(&self) -> ThemeChooser {
        let lines =
            store::load_all(self.depth, self.ascii).into_iter().map(|(name, is_own, theme)| ThemeLine {
                name,
                is_own,
                kind: match theme {
                    Ok(theme) => Ok(ThemeKind { ground: theme.ground, pair: theme.pair }),
                    Err(error) => Err(error.to_string()),
                },
            });
        ThemeChooser::new(lines.collect(), &self.theme.name)
    }

    /// Draws with this theme; a bad one leaves what is there.
    pub fn show_theme(&mut self, name: &str) {
        if let Ok(theme) = store::load_theme(name, self.depth, self.ascii) {
            self.theme = theme;
        }
    }

    /// Draws with this theme here and from now on; returns the message, or why it holds for this time only.
    pub fn keep_theme(&mut self, name: &str) -> Result<String, String> {
        self.show_theme(name);
        let kept = self.keep.ok_or_else(|| "there is nowhere to keep it".to_owned());
        kept.and_then(|keep| keep(name)).map_err(|because| format!("theme {name} until you leave: {because}"))
    }
}

/// Whether the locale lets programs write Unicode.
pub fn speaks_unicode(variable: impl Fn(&str) -> Option<String>) -> bool {
    let locale =
        ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(variable).find(|value| !value.is_empty());
    // Without any locale the terminal is asked nothing and believed nothing: most are Unicode today.
    locale.is_none_or(|locale| {
        let locale = locale.to_ascii_uppercase();
        locale.contains("UTF-8") || locale.contains("UTF8")
    })
}
