//! A frame as text with its colours: what `--once` prints on a terminal.

use std::fmt::Write;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr;

/// The cells of a buffer with their colours as escape sequences; each line ends as it began, without any.
pub fn buffer_to_ansi(buffer: &Buffer) -> String {
    let mut text = String::new();
    for y in buffer.area.top()..buffer.area.bottom() {
        let mut style = String::new();
        let mut x = buffer.area.left();
        while x < buffer.area.right() {
            let cell = &buffer[(x, y)];
            let wanted = style_codes(cell);
            if wanted != style {
                let _ = write!(text, "\x1b[0{wanted}m");
                style = wanted;
            }
            text.push_str(cell.symbol());
            // The cells after a wide character are empty.
            x += u16::try_from(cell.symbol().width()).unwrap_or(1).max(1);
        }
        text.push_str(if style.is_empty() { "\n" } else { "\x1b[0m\n" });
    }
    text
}

/// Returns the part after `0` in the sequence that sets the style of a cell.
fn style_codes(cell: &Cell) -> String {
    const MODIFIERS: [(Modifier, &str); 5] = [
        (Modifier::BOLD, ";1"),
        (Modifier::DIM, ";2"),
        (Modifier::ITALIC, ";3"),
        (Modifier::UNDERLINED, ";4"),
        (Modifier::REVERSED, ";7"),
    ];
    let mut codes: String = MODIFIERS
        .iter()
        .filter(|(modifier, _)| cell.modifier.contains(*modifier))
        .map(|(_, code)| *code)
        .collect();
    for (color, base) in [(cell.fg, 30), (cell.bg, 40)] {
        match color {
            Color::Reset => {}
            Color::Rgb(r, g, b) => _ = write!(codes, ";{};2;{r};{g};{b}", base + 8),
            Color::Indexed(index) => _ = write!(codes, ";{};5;{index}", base + 8),
            named => {
                if let Some(at) = super::color::ANSI16.iter().position(|known| *known == named) {
                    let bright = if at < 8 { base + at } else { base + 52 + at };
                    let _ = write!(codes, ";{bright}");
                }
            }
        }
    }
    codes
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    use super::*;

    #[test]
    fn a_style_is_set_where_it_begins_and_ended_with_its_line() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 4, 1));
        buffer.set_string(1, 0, "ab", Style::new().fg(Color::LightRed).bg(Color::Rgb(1, 2, 3)));
        assert_eq!(buffer_to_ansi(&buffer), " \x1b[0;91;48;2;1;2;3mab\x1b[0m \n");
        let mut wide = Buffer::empty(Rect::new(0, 0, 4, 1));
        wide.set_string(0, 0, "東 c", Style::new().add_modifier(Modifier::BOLD).bg(Color::Indexed(208)));
        assert_eq!(buffer_to_ansi(&wide), "\x1b[0;1;48;5;208m東 c\x1b[0m\n");
    }
}
