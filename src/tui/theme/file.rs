//! A theme: a style for each role and a colour for each series, made from a TOML text and what it inherits.

use std::collections::BTreeMap;

use ratatui::style::{Color, Style};
use serde::Deserialize;

use super::color::Depth;
use super::error::ThemeError;
use super::glyphs::{ASCII, Glyphs, UNICODE};
use super::role::Role;
use super::style::{self, UnknownWord};

/// What the screen is drawn with.
#[derive(Debug, Clone, PartialEq)]
pub struct Theme {
    /// Its name.
    pub name: String,
    /// The characters.
    pub glyphs: Glyphs,
    depth: Depth,
    /// The ground it is made for.
    pub ground: Ground,
    /// The theme that is the same on the other ground.
    pub pair: Option<String>,
    styles: Vec<Style>,
    series: Vec<Color>,
}

/// What a theme is drawn on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ground {
    /// Light text on a dark ground.
    #[default]
    Dark,
    /// Dark text on a light ground.
    Light,
}

/// A theme file as written.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThemeFile {
    /// The theme whose roles stand where this one has none.
    pub inherits: Option<String>,
    /// The ground it is made for; that of the inherited theme where nothing is said.
    pub ground: Option<Ground>,
    /// The theme that is the same on the other ground.
    pub pair: Option<String>,
    /// Names for colours.
    #[serde(default)]
    pub palette: BTreeMap<String, String>,
    /// A style for each role, by the role's name.
    #[serde(default)]
    pub roles: BTreeMap<String, String>,
    /// Colours that tell shards apart.
    #[serde(default)]
    pub series: Vec<String>,
}

impl ThemeFile {
    /// Reads a theme file.
    pub fn parse(name: &str, text: &str) -> Result<Self, ThemeError> {
        toml::from_str(text).map_err(|error| ThemeError::Malformed {
            name: name.to_owned(),
            problem: error.message().replace('\n', " "),
        })
    }

    /// This file on top of the one it inherits: own entries win.
    #[must_use]
    pub fn over(self, parent: Self) -> Self {
        let mut merged = parent;
        merged.inherits = None;
        merged.ground = self.ground.or(merged.ground);
        // The pair of the inherited theme is a pair to that one, not to this one.
        merged.pair = self.pair;
        merged.palette.extend(self.palette);
        merged.roles.extend(self.roles);
        if !self.series.is_empty() {
            merged.series = self.series;
        }
        merged
    }
}

impl Theme {
    /// Makes the theme of a file that inherits nothing any more.
    pub fn build(name: &str, file: &ThemeFile, depth: Depth, ascii: bool) -> Result<Self, ThemeError> {
        let unknown = |UnknownWord(word)| ThemeError::UnknownWord { name: name.to_owned(), word };
        if let Some(role) = file.roles.keys().find(|key| Role::ALL.iter().all(|role| role.name() != *key)) {
            return Err(ThemeError::UnknownRole { name: name.to_owned(), role: role.clone() });
        }
        let styles = Role::ALL.iter().map(|role| {
            let text = file.roles.get(role.name()).map_or("", String::as_str);
            let mut style = style::parse(text, &file.palette).map_err(unknown)?;
            if depth == Depth::None && *role == Role::Text {
                // All that is drawn stands on this ground; reversed, nothing on it could be told from it.
                style.bg = None;
            }
            Ok(style::shown(style, depth))
        });
        let series = file.series.iter().map(|word| {
            style::parse_color(word, &file.palette).map(|color| depth.show(color)).map_err(unknown)
        });
        Ok(Self {
            name: name.to_owned(),
            depth,
            glyphs: if ascii { ASCII } else { UNICODE },
            ground: file.ground.unwrap_or_default(),
            pair: file.pair.clone(),
            styles: styles.collect::<Result<_, _>>()?,
            series: series.collect::<Result<_, _>>()?,
        })
    }

    /// The style of a role.
    pub fn style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }

    /// Colours of somebody else's choice, as the terminal can show them.
    pub fn foreign(&self, style: Style) -> Style {
        style::shown(style, self.depth)
    }

    /// The style of a series; the colours repeat.
    pub fn series(&self, number: usize) -> Style {
        let color = if self.series.is_empty() { None } else { self.series.get(number % self.series.len()) };
        color.map_or_else(|| self.style(Role::Text), |color| Style::new().fg(*color))
    }
}
