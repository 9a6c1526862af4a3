//! A theme: a style for each role and a colour for each series, made from a TOML text and what it inherits.

use std::collections::BTreeMap;

use ratatui::style::{Color, Style};
use serde::Deserialize;

use super::color::Depth;
use super::error::ThemeError;
use super::glyphs::{ASCII, Glyphs, UNICODE};
use super::role::Role;
use super::style::{self, UnknownWord};

/// The styles and characters that the screen is drawn with.
#[derive(Debug, Clone, PartialEq)]
pub struct Theme {
    /// Name that the theme is chosen by.
    pub name: String,
    /// Characters that bars, frames and signs are drawn with.
    pub glyphs: Glyphs,
    depth: Depth,
    /// The ground it is made for.
    pub ground: ThemeGround,
    /// The theme that is the same on the other ground.
    pub pair: Option<String>,
    styles: Vec<Style>,
    series: Vec<Color>,
    grade: Vec<Color>,
    load: Vec<Color>,
    heat: Vec<Color>,
}

/// The background that a theme is drawn on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThemeGround {
    /// Light text on a dark ground.
    #[default]
    Dark,
    /// Dark text on a light ground.
    Light,
}

/// From this part of a limit on, a value is worth a look.
const NEAR_LIMIT: f64 = 0.9;

/// A theme file as written.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThemeFile {
    /// The theme whose roles are used where this one has none.
    pub inherits: Option<String>,
    /// The ground it is made for; that of the inherited theme by default.
    pub ground: Option<ThemeGround>,
    /// The theme that is the same on the other ground.
    pub pair: Option<String>,
    /// Names of colours that the styles may use.
    #[serde(default)]
    pub palette: BTreeMap<String, String>,
    /// A style for each role, by the role's name.
    #[serde(default)]
    pub roles: BTreeMap<String, String>,
    /// Colours that distinguish shards from one another.
    #[serde(default)]
    pub series: Vec<String>,
    /// Colours of gauges from empty to their limit, each for an equal part.
    #[serde(default)]
    pub grade: Vec<String>,
    /// Colours of gauges that have no limit to fear, from idle to busy.
    #[serde(default)]
    pub load: Vec<String>,
    /// Grounds of a heat map, from the worst to the best.
    #[serde(default)]
    pub heat: Vec<String>,
    /// Entries that differ where the terminal shows more than its own 16 colours.
    #[serde(default)]
    pub rich: Rich,
}

/// The part of a theme file for terminals with 256 colours and more.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rich {
    /// Names of colours that the styles may use.
    pub palette: BTreeMap<String, String>,
    /// A style for each role, by the role's name.
    pub roles: BTreeMap<String, String>,
    /// Colours that distinguish shards from one another.
    pub series: Vec<String>,
    /// Colours of gauges from empty to their limit.
    pub grade: Vec<String>,
    /// Colours of gauges from idle to busy.
    pub load: Vec<String>,
}

impl ThemeFile {
    /// Reads a theme file.
    pub fn parse(name: &str, text: &str) -> Result<Self, ThemeError> {
        toml::from_str(text).map_err(|error| ThemeError::Malformed {
            name: name.to_owned(),
            problem: error.message().replace('\n', " "),
        })
    }

    /// Returns this file as it holds for a terminal with so many colours.
    fn shown_at(&self, depth: Depth) -> Self {
        let mut file = Self { rich: Rich::default(), ..self.clone() };
        match depth {
            Depth::None | Depth::Ansi16 => {}
            Depth::Ansi256 | Depth::True => {
                let Rich { palette, roles, series, grade, load } = self.rich.clone();
                let pair = file.pair.clone();
                file = Self { palette, roles, series, grade, load, pair, ..Self::default() }.merge_over(file);
            }
        }
        file
    }

    /// Merges this file with the one it inherits: own entries win.
    #[must_use]
    pub fn merge_over(self, parent: Self) -> Self {
        let mut merged = parent;
        merged.inherits = None;
        merged.ground = self.ground.or(merged.ground);
        // The pair of the inherited theme is a pair to that one, not to this one.
        merged.pair = self.pair;
        // What this file gives a colour has no richer one from the inherited file.
        let Rich { palette, roles, series, grade, load } = &mut merged.rich;
        palette.retain(|name, _| !self.palette.contains_key(name));
        roles.retain(|name, _| !self.roles.contains_key(name));
        for (own, richer) in [(&self.series, series), (&self.grade, grade), (&self.load, load)] {
            if !own.is_empty() {
                richer.clear();
            }
        }
        merged.palette.extend(self.palette);
        merged.rich.extend(self.rich);
        merged.roles.extend(self.roles);
        replace_if_set(&mut merged.series, self.series);
        replace_if_set(&mut merged.grade, self.grade);
        replace_if_set(&mut merged.load, self.load);
        replace_if_set(&mut merged.heat, self.heat);
        merged
    }
}

impl Rich {
    fn extend(&mut self, own: Self) {
        self.palette.extend(own.palette);
        self.roles.extend(own.roles);
        replace_if_set(&mut self.series, own.series);
        replace_if_set(&mut self.grade, own.grade);
        replace_if_set(&mut self.load, own.load);
    }
}

fn replace_if_set(inherited: &mut Vec<String>, own: Vec<String>) {
    if !own.is_empty() {
        *inherited = own;
    }
}

impl Theme {
    /// Makes the theme of a file that inherits nothing any more.
    pub fn from_file(name: &str, file: &ThemeFile, depth: Depth, ascii: bool) -> Result<Self, ThemeError> {
        let unknown = |UnknownWord(word)| ThemeError::UnknownWord { name: name.to_owned(), word };
        let mut named = file.roles.keys().chain(file.rich.roles.keys());
        if let Some(role) = named.find(|key| Role::ALL.iter().all(|role| role.name() != *key)) {
            return Err(ThemeError::UnknownRole { name: name.to_owned(), role: role.clone() });
        }
        let file = &file.shown_at(depth);
        let styles = Role::ALL.iter().map(|role| {
            let text = file.roles.get(role.name()).map_or("", String::as_str);
            let mut style = style::parse_style(text, &file.palette).map_err(unknown)?;
            if depth == Depth::None && *role == Role::Text {
                // This ground lies behind everything that is drawn; reversed, nothing on it could be distinguished from
                // it.
                style.bg = None;
            }
            Ok(style::adapt_style(style, depth))
        });
        let colors = |words: &[String]| -> Result<Vec<Color>, ThemeError> {
            let color = |word: &String| style::parse_color(word, &file.palette).map_err(unknown);
            words.iter().map(|word| color(word).map(|color| depth.nearest_color(color))).collect()
        };
        Ok(Self {
            name: name.to_owned(),
            depth,
            glyphs: if ascii { ASCII } else { UNICODE },
            ground: file.ground.unwrap_or_default(),
            pair: file.pair.clone(),
            styles: styles.collect::<Result<_, _>>()?,
            series: colors(&file.series)?,
            grade: colors(&file.grade)?,
            load: colors(&file.load)?,
            heat: colors(&file.heat)?,
        })
    }

    /// The style of a role.
    pub fn style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }

    /// The ground of a grade of a heat map, from 0 for the worst; `None` if the terminal has too few colours
    /// for tints.
    pub fn heat_style(&self, grade: usize) -> Option<Style> {
        let last = self.heat.len().checked_sub(1)?;
        self.has_tints().then(|| Style::new().bg(self.heat[grade.min(last)]))
    }

    /// A role that is a mere ground; `None` if the terminal has too few colours for tints.
    pub fn tint_style(&self, role: Role) -> Option<Style> {
        Some(self.style(role)).filter(|style| style.bg.is_some() && self.has_tints())
    }

    fn has_tints(&self) -> bool {
        match self.depth {
            Depth::None | Depth::Ansi16 => false,
            Depth::Ansi256 | Depth::True => true,
        }
    }

    /// Returns a style with colours that the theme does not choose, as the terminal can show them.
    pub fn adapt_foreign(&self, style: Style) -> Style {
        style::adapt_style(style, self.depth)
    }

    /// The style of a part, 0 to 1, of a limit: from calm to alarming.
    pub fn grade_style(&self, part: f64) -> Style {
        self.step_style(&self.grade, part)
    }

    /// The style of a part, 0 to 1, of a gauge that should be full.
    pub fn load_style(&self, part: f64) -> Style {
        self.step_style(&self.load, part)
    }

    /// Returns the style of a number next to its gauge: plain until it nears the limit, so that only what matters has a
    /// colour.
    pub fn graded_text(&self, part: Option<f64>) -> Style {
        part.filter(|part| *part >= NEAR_LIMIT)
            .map_or_else(|| self.style(Role::Text), |part| self.grade_style(part))
    }

    fn step_style(&self, colors: &[Color], part: f64) -> Style {
        let step = (part.clamp(0.0, 1.0) * colors.len() as f64) as usize;
        let color = colors.get(step.min(colors.len().saturating_sub(1)));
        // A theme of a user may have none.
        let role = if part >= NEAR_LIMIT { Role::GaugeHigh } else { Role::Gauge };
        color.map_or_else(|| self.style(role), |color| Style::new().fg(*color))
    }

    /// The style of a series; the colours repeat.
    pub fn series_style(&self, number: usize) -> Style {
        let color = if self.series.is_empty() { None } else { self.series.get(number % self.series.len()) };
        color.map_or_else(|| self.style(Role::Text), |color| Style::new().fg(*color))
    }
}
