//! Colours as themes write them, and their nearest kin where the terminal shows fewer.

use ratatui::style::Color;

/// How many colours the terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// None: NO_COLOR is set. Bold, reverse and underline remain.
    None,
    /// The 16 of the user's own scheme.
    Ansi16,
    /// The cube of 256.
    Ansi256,
    /// 24-bit colours, also called true colour.
    True,
}

impl Depth {
    /// Reads the depth from the environment: NO_COLOR, COLORTERM, TERM.
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Self {
        if variable("NO_COLOR").is_some_and(|value| !value.is_empty()) {
            return Self::None;
        }
        let color_term = variable("COLORTERM").unwrap_or_default();
        let term = variable("TERM").unwrap_or_default();
        if color_term == "truecolor" || color_term == "24bit" || term.ends_with("-direct") {
            Self::True
        } else if term.contains("256color") {
            Self::Ansi256
        } else {
            Self::Ansi16
        }
    }

    /// The nearest colour that can be shown.
    pub fn nearest_color(self, color: Color) -> Color {
        match (self, color) {
            (Self::None, _) => Color::Reset,
            (Self::Ansi256, Color::Rgb(r, g, b)) => Color::Indexed(palette_index(r, g, b)),
            (Self::Ansi16, Color::Rgb(r, g, b)) => nearest16((r, g, b)),
            (Self::Ansi16, Color::Indexed(index)) if index >= 16 => nearest16(indexed_rgb(index)),
            (Self::Ansi16 | Self::Ansi256 | Self::True, color) => color,
        }
    }
}

/// Reads `cyan`, `bright-black`, `#7aa2f7`, `208` or `default`.
pub fn parse_color(word: &str) -> Option<Color> {
    let named = match word {
        "default" => Color::Reset,
        "black" => Color::Black,
        "red" => Color::Red,
        "green" => Color::Green,
        "yellow" => Color::Yellow,
        "blue" => Color::Blue,
        "magenta" => Color::Magenta,
        "cyan" => Color::Cyan,
        "white" => Color::Gray,
        "bright-black" => Color::DarkGray,
        "bright-red" => Color::LightRed,
        "bright-green" => Color::LightGreen,
        "bright-yellow" => Color::LightYellow,
        "bright-blue" => Color::LightBlue,
        "bright-magenta" => Color::LightMagenta,
        "bright-cyan" => Color::LightCyan,
        "bright-white" => Color::White,
        _ => return parse_hex(word).or_else(|| word.parse().ok().map(Color::Indexed)),
    };
    Some(named)
}

fn parse_hex(word: &str) -> Option<Color> {
    let digits = word.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii())?;
    let part = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).ok();
    Some(Color::Rgb(part(0)?, part(2)?, part(4)?))
}

/// The steps of the 6x6x6 cube of xterm.
const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// The 16 colours as most schemes mean them; only used to find the nearest one.
pub const BASE16: [(u8, u8, u8); 16] = [
    (0, 0, 0),
    (205, 49, 49),
    (13, 188, 121),
    (229, 192, 16),
    (36, 114, 200),
    (188, 63, 188),
    (17, 168, 205),
    (204, 204, 204),
    (102, 102, 102),
    (241, 76, 76),
    (35, 209, 139),
    (245, 245, 67),
    (59, 142, 234),
    (214, 112, 214),
    (41, 184, 219),
    (255, 255, 255),
];

/// The 16 colours in the order of [`BASE16`].
pub const ANSI16: [Color; 16] = [
    Color::Black,
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Cyan,
    Color::Gray,
    Color::DarkGray,
    Color::LightRed,
    Color::LightGreen,
    Color::LightYellow,
    Color::LightBlue,
    Color::LightMagenta,
    Color::LightCyan,
    Color::White,
];

fn palette_index(r: u8, g: u8, b: u8) -> u8 {
    let step = |value: u8| {
        let near = STEPS.iter().enumerate().min_by_key(|(_, step)| step.abs_diff(value));
        near.map_or(0, |(index, _)| index as u8)
    };
    let spread = r.max(g).max(b) - r.min(g).min(b);
    // The ramp of greys is finer than the cube's own diagonal.
    if spread < 10 && (8..=238).contains(&r) {
        return 232 + (r - 8) / 10;
    }
    16 + 36 * step(r) + 6 * step(g) + step(b)
}

/// The red, green and blue of a colour of the cube or of the ramp of greys.
pub fn indexed_rgb(index: u8) -> (u8, u8, u8) {
    match index {
        0..16 => BASE16[usize::from(index)],
        16..232 => {
            let index = index - 16;
            let step = |value: u8| STEPS[usize::from(value)];
            (step(index / 36), step(index / 6 % 6), step(index % 6))
        }
        232.. => {
            let grey = 8 + (index - 232) * 10;
            (grey, grey, grey)
        }
    }
}

fn nearest16(color: (u8, u8, u8)) -> Color {
    let distance = |other: &(u8, u8, u8)| {
        let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
        square(color.0, other.0) + square(color.1, other.1) + square(color.2, other.2)
    };
    let near = BASE16.iter().enumerate().min_by_key(|(_, other)| distance(other));
    near.map_or(Color::Reset, |(index, _)| ANSI16[index])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(pairs: &[(&str, &str)]) -> Depth {
        Depth::from_environment(|name| {
            pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_environment_decides_the_depth() {
        assert_eq!(depth(&[("NO_COLOR", "1"), ("COLORTERM", "truecolor")]), Depth::None);
        assert_eq!(depth(&[("COLORTERM", "truecolor")]), Depth::True);
        assert_eq!(depth(&[("TERM", "xterm-256color")]), Depth::Ansi256);
        assert_eq!(depth(&[("TERM", "linux"), ("NO_COLOR", "")]), Depth::Ansi16);
    }

    #[test]
    fn colours_fall_to_their_nearest_kin() {
        assert_eq!(parse_color("#ff0000"), Some(Color::Rgb(255, 0, 0)));
        assert_eq!(Depth::Ansi256.nearest_color(Color::Rgb(255, 0, 0)), Color::Indexed(196));
        assert_eq!(Depth::Ansi16.nearest_color(Color::Rgb(250, 250, 250)), Color::White);
        assert_eq!(Depth::None.nearest_color(Color::Red), Color::Reset);
        assert_eq!(parse_color("#ff00"), None);
        assert_eq!(parse_color("mauve"), None);
    }
}
