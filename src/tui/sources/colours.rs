//! The colours that a program asks its terminal for, as styles.

use ratatui::style::{Color, Modifier, Style};

use crate::tui::theme::color::ANSI16;

/// The style after a sequence `ESC [ … m`, of which `parameters` are the bytes between ESC and the letter. Nothing
/// makes text invisible or blinks.
pub fn apply_sgr(style: Style, parameters: &[u8]) -> Style {
    let text = std::str::from_utf8(parameters.strip_prefix(b"[").unwrap_or(parameters)).unwrap_or("?");
    // Private sequences begin with another sign and are about other things.
    if !text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b';' | b':')) {
        return style;
    }
    let mut numbers = text.split([';', ':']).map(|number| number.parse::<u16>().unwrap_or(0));
    let mut style = style;
    while let Some(number) = numbers.next() {
        style = match number {
            0 => Style::new(),
            1 => style.add_modifier(Modifier::BOLD),
            2 => style.add_modifier(Modifier::DIM),
            3 => style.add_modifier(Modifier::ITALIC),
            4 => style.add_modifier(Modifier::UNDERLINED),
            7 => style.add_modifier(Modifier::REVERSED),
            22 => remove_modifier(style, Modifier::BOLD.union(Modifier::DIM)),
            23 => remove_modifier(style, Modifier::ITALIC),
            24 => remove_modifier(style, Modifier::UNDERLINED),
            27 => remove_modifier(style, Modifier::REVERSED),
            30..=37 => style.fg(ANSI16[usize::from(number - 30)]),
            38 => parse_color(&mut numbers).map_or(style, |colour| style.fg(colour)),
            39 => Style { fg: None, ..style },
            40..=47 => style.bg(ANSI16[usize::from(number - 40)]),
            48 => parse_color(&mut numbers).map_or(style, |colour| style.bg(colour)),
            49 => Style { bg: None, ..style },
            90..=97 => style.fg(ANSI16[usize::from(number - 82)]),
            100..=107 => style.bg(ANSI16[usize::from(number - 92)]),
            _ => style,
        };
    }
    style
}

fn remove_modifier(style: Style, modifier: Modifier) -> Style {
    Style { add_modifier: style.add_modifier.difference(modifier), ..style }
}

/// Reads a colour, either `5;208` or `2;255;128;0`.
fn parse_color(numbers: &mut impl Iterator<Item = u16>) -> Option<Color> {
    let mut byte = || numbers.next().map(|number| number.min(255) as u8);
    match byte()? {
        5 => Some(Color::Indexed(byte()?)),
        2 => Some(Color::Rgb(byte()?, byte()?, byte()?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_add_up_until_they_are_taken_back() {
        let bold = apply_sgr(Style::new(), b"[1;38;5;208");
        assert_eq!(bold, Style::new().fg(Color::Indexed(208)).add_modifier(Modifier::BOLD));
        assert_eq!(apply_sgr(bold, b"[22;39"), Style::new());
        assert_eq!(apply_sgr(bold, b"["), Style::new(), "nothing means 0");
        assert_eq!(
            apply_sgr(Style::new(), b"[97;48;2;1;2;3"),
            Style::new().fg(Color::White).bg(Color::Rgb(1, 2, 3))
        );
        assert_eq!(apply_sgr(bold, b"[>4"), bold);
    }
}
