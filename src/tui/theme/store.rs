//! Where themes come from: those of the program and those in the user's configuration folder.

use std::fs;
use std::path::PathBuf;

use super::color::Depth;
use super::error::ThemeError;
use super::file::{Theme, ThemeFile, ThemeGround};

/// The default theme.
pub const DEFAULT: &str = "dark";

/// The themes of the program: name and text.
pub const SHIPPED: [(&str, &str); 8] = [
    ("dark", include_str!("../../../themes/dark.toml")),
    ("light", include_str!("../../../themes/light.toml")),
    ("night", include_str!("../../../themes/night.toml")),
    ("day", include_str!("../../../themes/day.toml")),
    ("contrast", include_str!("../../../themes/contrast.toml")),
    ("contrast-light", include_str!("../../../themes/contrast-light.toml")),
    ("colorblind", include_str!("../../../themes/colorblind.toml")),
    ("colorblind-light", include_str!("../../../themes/colorblind-light.toml")),
];

/// The theme for a terminal for which the user has set none.
pub fn fitting_theme(variable: impl Fn(&str) -> Option<String>) -> &'static str {
    match terminal_ground(variable) {
        ThemeGround::Light => "light",
        ThemeGround::Dark => DEFAULT,
    }
}

/// Returns the ground of the terminal: some give their colours in COLORFGBG, most others are dark.
pub fn terminal_ground(variable: impl Fn(&str) -> Option<String>) -> ThemeGround {
    let colors = variable("COLORFGBG").unwrap_or_default();
    match colors.rsplit(';').next() {
        // White and bright white of the 16; the other light ones are not used as backgrounds.
        Some("7" | "15") => ThemeGround::Light,
        Some(_) | None => ThemeGround::Dark,
    }
}

/// Loads a theme and all it inherits; the user's files come before those of the program.
pub fn load_theme(name: &str, depth: Depth, ascii: bool) -> Result<Theme, ThemeError> {
    Theme::from_file(name, &load_merged(name)?, depth, ascii)
}

/// The file of a theme on top of all those it inherits.
fn load_merged(name: &str) -> Result<ThemeFile, ThemeError> {
    let mut file = read_theme(name)?;
    // A chain longer than all themes there can be is a circle.
    let mut rest = theme_names().len() + 1;
    while let Some(parent) = file.inherits.clone() {
        rest = rest.checked_sub(1).ok_or_else(|| ThemeError::Circle { name: name.to_owned() })?;
        let parent = read_theme(&parent)?;
        let inherits = parent.inherits.clone();
        file = file.merge_over(parent);
        file.inherits = inherits;
    }
    Ok(file)
}

/// Loads a theme; a bad one leads to the default and a warning.
pub fn load_or_default(name: Option<&str>, depth: Depth, ascii: bool) -> (Theme, Option<String>) {
    match load_theme(name.unwrap_or(DEFAULT), depth, ascii) {
        Ok(theme) => (theme, None),
        Err(error) => {
            let shipped = ThemeFile::parse(DEFAULT, SHIPPED[0].1)
                .and_then(|file| Theme::from_file(DEFAULT, &file, depth, ascii))
                .expect("a test loads every shipped theme");
            (shipped, Some(error.to_string()))
        }
    }
}

/// All themes by name, whether their files are the user's, and what came of reading them.
pub fn load_all(depth: Depth, ascii: bool) -> Vec<(String, bool, Result<Theme, ThemeError>)> {
    let folder = themes_folder();
    let is_own =
        |name: &str| folder.as_ref().is_some_and(|folder| folder.join(format!("{name}.toml")).exists());
    let with_theme = |name: String| (is_own(&name), load_theme(&name, depth, ascii), name);
    theme_names().into_iter().map(with_theme).map(|(is_own, theme, name)| (name, is_own, theme)).collect()
}

/// The names of all themes, shipped ones first.
pub fn theme_names() -> Vec<String> {
    let mut names: Vec<String> = SHIPPED.iter().map(|(name, _)| (*name).to_owned()).collect();
    let Some(entries) = themes_folder().and_then(|folder| fs::read_dir(folder).ok()) else { return names };
    let mut own: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".toml").map(str::to_owned))
        .filter(|name| !names.contains(name))
        .collect();
    own.sort();
    names.extend(own);
    names
}

fn read_theme(name: &str) -> Result<ThemeFile, ThemeError> {
    let own = themes_folder()
        .filter(|_| !name.contains('/'))
        .and_then(|folder| fs::read_to_string(folder.join(format!("{name}.toml"))).ok());
    if let Some(text) = own {
        return ThemeFile::parse(name, &text);
    }
    let shipped = SHIPPED.iter().find(|(shipped, _)| *shipped == name);
    let (_, text) = shipped
        .ok_or_else(|| ThemeError::Unknown { name: name.to_owned(), known: theme_names().join(", ") })?;
    ThemeFile::parse(name, text)
}

/// Returns the folder of the user's themes.
fn themes_folder() -> Option<PathBuf> {
    config_folder().map(|folder| folder.join("themes"))
}

/// The user's folder for this program: `$XDG_CONFIG_HOME/sweepdeck`, else `~/.config/sweepdeck`.
pub fn config_folder() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let config = absolute("XDG_CONFIG_HOME").or_else(|| absolute("HOME").map(|home| home.join(".config")))?;
    Some(config.join("sweepdeck"))
}

#[cfg(test)]
mod tests {
    use ratatui::style::{Color, Modifier};

    use super::*;
    use crate::tui::theme::role::Role;

    #[test]
    fn every_shipped_theme_loads_and_names_every_role() {
        for (name, _) in SHIPPED {
            for depth in [Depth::None, Depth::Ansi16, Depth::Ansi256, Depth::True] {
                load_theme(name, depth, false).unwrap();
            }
            let file = load_merged(name).unwrap();
            for role in Role::ALL {
                assert!(file.roles.contains_key(role.name()), "{name} lacks {}", role.name());
            }
            assert!(file.series.len() >= 6, "{name} has too few series colours");
        }
    }

    #[test]
    fn a_pair_is_one_from_both_sides_and_on_both_grounds() {
        for (name, _) in SHIPPED {
            let theme = load_theme(name, Depth::True, false).unwrap();
            let pair = load_theme(theme.pair.as_deref().unwrap(), Depth::True, false).unwrap();
            assert_eq!(pair.pair.as_deref(), Some(name));
            assert_ne!(pair.ground, theme.ground, "{name}");
        }
    }

    #[test]
    fn a_light_terminal_that_says_so_gets_the_light_theme() {
        let fitting = |colors: &str| fitting_theme(|name| (name == "COLORFGBG").then(|| colors.to_owned()));
        assert_eq!(fitting("0;15"), "light");
        assert_eq!(fitting("0;default;7"), "light");
        assert_eq!(fitting("15;0"), "dark");
        assert_eq!(fitting_theme(|_| None), "dark");
    }

    #[test]
    fn a_bad_theme_is_a_warning_and_the_default() {
        let (theme, warning) = load_or_default(Some("nosuch"), Depth::Ansi16, false);
        assert_eq!(theme.name, DEFAULT);
        assert!(warning.unwrap().contains("nosuch"));
        let file = ThemeFile::parse("x", "[roles]\ntext = \"mauve\"").unwrap();
        assert!(matches!(
            Theme::from_file("x", &file, Depth::True, false),
            Err(ThemeError::UnknownWord { word, .. }) if word == "mauve"
        ));
        let file = ThemeFile::parse("x", "[roles]\ntxt = \"red\"").unwrap();
        assert!(matches!(
            Theme::from_file("x", &file, Depth::True, false),
            Err(ThemeError::UnknownRole { .. })
        ));
    }

    #[test]
    fn with_few_colours_no_text_sinks_into_its_ground() {
        for (name, _) in SHIPPED {
            for depth in [Depth::Ansi16, Depth::Ansi256] {
                let theme = load_theme(name, depth, false).unwrap();
                for role in Role::ALL {
                    let style = theme.style(Role::Text).patch(theme.style(*role));
                    let told = style.fg.is_some_and(|color| color != Color::Reset);
                    assert!(
                        !told || style.fg != style.bg,
                        "{name}, {depth:?}: {role:?} is on its own colour"
                    );
                }
            }
        }
    }

    #[test]
    fn without_colour_the_cursor_is_still_seen() {
        for (name, _) in SHIPPED {
            let theme = load_theme(name, Depth::None, false).unwrap();
            for role in Role::ALL {
                let style = theme.style(*role);
                assert!(style.fg.is_none_or(|color| color == Color::Reset), "{name}: {role:?} has a colour");
            }
            assert!(!theme.style(Role::Text).add_modifier.contains(Modifier::REVERSED), "{name}");
            assert!(theme.style(Role::Cursor).add_modifier.contains(Modifier::REVERSED), "{name}");
            assert!(theme.style(Role::Alarm).add_modifier.contains(Modifier::REVERSED), "{name}");
        }
    }
}
