//! Reading a style such as `bold red on black`, in the manner of git.

use std::collections::BTreeMap;

use ratatui::style::{Color, Modifier, Style};

use super::color::{self, Depth};

/// A word that is neither a colour nor an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownWord(pub String);

/// Reads a style; colours may be names of the palette.
pub fn parse_style(text: &str, palette: &BTreeMap<String, String>) -> Result<Style, UnknownWord> {
    let mut style = Style::new();
    let mut background = false;
    for word in text.split_ascii_whitespace() {
        if word == "on" {
            background = true;
        } else if let Some(attribute) = parse_attribute(word) {
            style = style.add_modifier(attribute);
        } else {
            let color = parse_color(word, palette)?;
            style = if background { style.bg(color) } else { style.fg(color) };
        }
    }
    Ok(style)
}

/// Reads one colour, through the palette where it has the name.
pub fn parse_color(word: &str, palette: &BTreeMap<String, String>) -> Result<Color, UnknownWord> {
    let named = palette.get(word).map_or(word, String::as_str);
    color::parse_color(named).ok_or_else(|| UnknownWord(word.to_owned()))
}

/// The style as the terminal can show it. Where no colour is left, what had a background is reversed. So is a mere
/// background where there are 16 colours: the nearest one of a soft tint is that of the terminal itself.
pub fn adapt_style(style: Style, depth: Depth) -> Style {
    let colored_ground = style.bg.is_some_and(|color| color != Color::Reset);
    let mut shown = Style {
        fg: style.fg.map(|color| depth.nearest_color(color)),
        bg: style.bg.map(|color| depth.nearest_color(color)),
        ..style
    };
    let mere_tint = depth == Depth::Ansi16 && style.fg.is_none() && style.bg != shown.bg;
    if colored_ground && (depth == Depth::None || mere_tint) {
        shown.bg = None;
        shown = shown.add_modifier(Modifier::REVERSED);
    }
    shown
}

fn parse_attribute(word: &str) -> Option<Modifier> {
    match word {
        "bold" => Some(Modifier::BOLD),
        "dim" => Some(Modifier::DIM),
        "italic" => Some(Modifier::ITALIC),
        "underline" => Some(Modifier::UNDERLINED),
        "reverse" => Some(Modifier::REVERSED),
        _ => None,
    }
}
