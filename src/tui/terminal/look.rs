//! How this terminal can be drawn on: its colours, its characters, and the theme for them.

use crate::tui::theme::color::Depth;
use crate::tui::theme::file::Theme;
use crate::tui::theme::store;

/// The look of a screen on this terminal.
#[derive(Debug)]
pub struct Look {
    /// What is drawn with.
    pub theme: Theme,
    /// The colours there are.
    pub depth: Depth,
    /// Only ASCII characters are drawn.
    pub ascii: bool,
}

impl Look {
    /// The look with a theme of this name, the default where none is given; and what was wrong with that theme.
    pub fn of(theme: Option<&str>, ascii: bool) -> (Self, Option<String>) {
        let variable = |name: &str| std::env::var(name).ok();
        let depth = Depth::of(variable);
        // Crossterm would answer NO_COLOR by resetting bold and reverse too; our themes have no colours then.
        ratatui::crossterm::style::force_color_output(true);
        let ascii = ascii || !speaks_unicode(variable);
        let theme = theme.unwrap_or_else(|| store::fitting(variable));
        let (theme, warning) = store::load_or_default(Some(theme), depth, ascii);
        (Self { theme, depth, ascii }, warning)
    }

    /// Takes the next theme; says which it is, or what is wrong with it.
    pub fn turn(&mut self) -> Result<String, String> {
        let names = store::names();
        let present = names.iter().position(|name| *name == self.theme.name).unwrap_or(0);
        let name = &names[(present + 1) % names.len()];
        let (theme, warning) = store::load_or_default(Some(name), self.depth, self.ascii);
        self.theme = theme;
        warning.map_or_else(|| Ok(format!("theme {name}")), Err)
    }
}

/// Whether the locale lets programs write Unicode.
fn speaks_unicode(variable: impl Fn(&str) -> Option<String>) -> bool {
    let locale =
        ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(variable).find(|value| !value.is_empty());
    // Without any locale the terminal is asked nothing and believed nothing: most are Unicode today.
    locale.is_none_or(|locale| {
        let locale = locale.to_ascii_uppercase();
        locale.contains("UTF-8") || locale.contains("UTF8")
    })
}
