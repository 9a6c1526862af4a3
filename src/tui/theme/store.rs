//! Where themes come from: those of the program and those in the user's configuration folder.

use std::fs;
use std::path::PathBuf;

use super::color::Depth;
use super::error::ThemeError;
use super::file::{Theme, ThemeFile};

/// The theme that is used when nothing else is said.
pub const DEFAULT: &str = "dark";

/// The themes of the program: name and text.
pub const SHIPPED: [(&str, &str); 3] = [
    ("dark", include_str!("../../../themes/dark.toml")),
    ("light", include_str!("../../../themes/light.toml")),
    ("contrast", include_str!("../../../themes/contrast.toml")),
];

/// Loads a theme and all it inherits; the user's files come before those of the program.
pub fn load(name: &str, depth: Depth, ascii: bool) -> Result<Theme, ThemeError> {
    let mut file = read(name)?;
    // A chain longer than all themes there can be is a circle.
    let mut rest = names().len() + 1;
    while let Some(parent) = file.inherits.clone() {
        rest = rest.checked_sub(1).ok_or_else(|| ThemeError::Circle { name: name.to_owned() })?;
        let parent = read(&parent)?;
        let inherits = parent.inherits.clone();
        file = file.over(parent);
        file.inherits = inherits;
    }
    Theme::build(name, &file, depth, ascii)
}

/// Loads a theme; a bad one leads to the default and a warning.
pub fn load_or_default(name: Option<&str>, depth: Depth, ascii: bool) -> (Theme, Option<String>) {
    match load(name.unwrap_or(DEFAULT), depth, ascii) {
        Ok(theme) => (theme, None),
        Err(error) => {
            let shipped = ThemeFile::parse(DEFAULT, SHIPPED[0].1)
                .and_then(|file| Theme::build(DEFAULT, &file, depth, ascii))
                .expect("a test loads every shipped theme");
            (shipped, Some(error.to_string()))
        }
    }
}

/// The names of all themes, shipped ones first.
pub fn names() -> Vec<String> {
    let mut names: Vec<String> = SHIPPED.iter().map(|(name, _)| (*name).to_owned()).collect();
    let Some(entries) = folder().and_then(|folder| fs::read_dir(folder).ok()) else { return names };
    let mut own: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".toml").map(str::to_owned))
        .filter(|name| !names.contains(name))
        .collect();
    own.sort();
    names.extend(own);
    names
}

fn read(name: &str) -> Result<ThemeFile, ThemeError> {
    let own = folder()
        .filter(|_| !name.contains('/'))
        .and_then(|folder| fs::read_to_string(folder.join(format!("{name}.toml"))).ok());
    if let Some(text) = own {
        return ThemeFile::parse(name, &text);
    }
    let shipped = SHIPPED.iter().find(|(shipped, _)| *shipped == name);
    let (_, text) =
        shipped.ok_or_else(|| ThemeError::Unknown { name: name.to_owned(), known: names().join(", ") })?;
    ThemeFile::parse(name, text)
}

/// `$XDG_CONFIG_HOME/evaldeck/themes`, else `~/.config/evaldeck/themes`.
fn folder() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let config = absolute("XDG_CONFIG_HOME").or_else(|| absolute("HOME").map(|home| home.join(".config")))?;
    Some(config.join("evaldeck/themes"))
}

#[cfg(test)]
mod tests {
    use ratatui::style::{Color, Modifier};

    use super::*;
    use crate::tui::theme::role::Role;

    #[test]
    fn every_shipped_theme_loads_and_names_every_role() {
        for (name, text) in SHIPPED {
            let mut file = ThemeFile::parse(name, text).unwrap();
            for depth in [Depth::None, Depth::Ansi16, Depth::Ansi256, Depth::True] {
                load(name, depth, false).unwrap();
            }
            if let Some(parent) = file.inherits.clone() {
                file = file.over(read(&parent).unwrap());
            }
            for role in Role::ALL {
                assert!(file.roles.contains_key(role.name()), "{name} lacks {}", role.name());
            }
            assert!(file.series.len() >= 6, "{name} has too few series colours");
        }
    }

    #[test]
    fn a_bad_theme_is_a_warning_and_the_default() {
        let (theme, warning) = load_or_default(Some("nosuch"), Depth::Ansi16, false);
        assert_eq!(theme.name, DEFAULT);
        assert!(warning.unwrap().contains("nosuch"));
        let file = ThemeFile::parse("x", "[roles]\ntext = \"mauve\"").unwrap();
        assert!(matches!(
            Theme::build("x", &file, Depth::True, false),
            Err(ThemeError::UnknownWord { word, .. }) if word == "mauve"
        ));
        let file = ThemeFile::parse("x", "[roles]\ntxt = \"red\"").unwrap();
        assert!(matches!(Theme::build("x", &file, Depth::True, false), Err(ThemeError::UnknownRole { .. })));
    }

    #[test]
    fn without_colour_the_cursor_is_still_seen() {
        for (name, _) in SHIPPED {
            let theme = load(name, Depth::None, false).unwrap();
            for role in Role::ALL {
                let style = theme.style(*role);
                assert!(style.fg.is_none_or(|color| color == Color::Reset), "{name}: {role:?} has a colour");
            }
            assert!(theme.style(Role::Cursor).add_modifier.contains(Modifier::REVERSED), "{name}");
            assert!(theme.style(Role::Alarm).add_modifier.contains(Modifier::REVERSED), "{name}");
        }
    }
}
