//! The themes there are, while one of them is chosen and the whole screen is drawn with it.

use crate::tui::theme::file::ThemeGround;

/// A theme that can be chosen, or cannot because its file has a mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThemeLine {
    /// Name by which the theme is chosen.
    pub name: String,
    /// Its file lies in the user's folder.
    pub is_own: bool,
    /// The properties of the theme, or what is wrong with it in one line.
    pub kind: Result<ThemeKind, String>,
}

/// The properties of a theme that can be drawn with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThemeKind {
    /// The ground it is made for.
    pub ground: ThemeGround,
    /// The theme that is the same on the other ground.
    pub pair: Option<String>,
}

/// The list with its cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThemeChooser {
    /// All themes, those of the program first.
    pub lines: Vec<ThemeLine>,
    /// Index of the chosen theme in `lines`.
    pub chosen: usize,
    /// Name of the theme that the screen was drawn with before; Esc goes back to it.
    pub before: String,
}

/// A request about themes to the code outside the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ThemeRequest {
    /// Look for all themes and open the list.
    List,
    /// Draw with this one.
    Show(String),
    /// Draw with this one from now on, also in later screens.
    Keep(String),
}

impl ThemeChooser {
    /// A list that begins on the theme which is drawn with.
    pub fn new(lines: Vec<ThemeLine>, present: &str) -> Self {
        let chosen = lines.iter().position(|line| line.name == present).unwrap_or(0);
        Self { lines, chosen, before: present.to_owned() }
    }

    /// The line under the cursor; `None` if there are no themes at all.
    pub fn chosen_line(&self) -> Option<&ThemeLine> {
        self.lines.get(self.chosen)
    }

    /// So many lines down, up where negative; no further than to the ends.
    pub fn move_cursor(&mut self, lines: isize) {
        self.chosen = self.chosen.saturating_add_signed(lines).min(self.lines.len().saturating_sub(1));
    }

    /// Moves to the next line; after the last comes the first.
    pub fn cycle_line(&mut self) {
        self.chosen = (self.chosen + 1) % self.lines.len().max(1);
    }

    /// To the same theme on the other ground, where there is one.
    pub fn switch_ground(&mut self) {
        let kind = self.chosen_line().and_then(|line| line.kind.as_ref().ok());
        let pair = kind.and_then(|kind| kind.pair.as_deref());
        let found = pair.and_then(|pair| self.lines.iter().position(|line| line.name == pair));
        self.chosen = found.unwrap_or(self.chosen);
    }
}
