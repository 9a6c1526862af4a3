//! The last pass over a frame where only ASCII may be drawn: names, logs and figures hold other characters too.

use ratatui::buffer::Buffer;

use crate::tui::theme::file::Theme;

/// Characters with a likeness; every other one becomes a question mark, so that its cell is not taken for empty.
const LIKE: [(&str, &str); 14] = [
    ("—", "-"),
    ("–", "-"),
    ("−", "-"),
    ("·", "-"),
    ("•", "*"),
    ("…", "~"),
    ("×", "x"),
    ("±", "~"),
    ("≥", ">"),
    ("≤", "<"),
    ("→", ">"),
    ("←", "<"),
    ("’", "'"),
    ("⏎", ";"),
];

/// Leaves only ASCII in the buffer, where the theme is drawn with nothing else.
pub fn replace_non_ascii(theme: &Theme, buffer: &mut Buffer) {
    if theme.glyphs.braille {
        return;
    }
    for cell in buffer.content.iter_mut().filter(|cell| !cell.symbol().is_ascii()) {
        let like = LIKE.iter().find(|(from, _)| *from == cell.symbol()).map_or("?", |(_, to)| to);
        cell.set_symbol(like);
    }
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    use super::*;
    use crate::tui::theme::color::Depth;
    use crate::tui::theme::store;

    #[test]
    fn what_has_a_likeness_keeps_it_and_the_rest_is_asked_for() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 1));
        buffer.set_string(0, 0, "a—b 東京 e\u{301} naïve", Style::new());
        let unicode = buffer.clone();
        replace_non_ascii(&store::load_or_default(None, Depth::None, false).0, &mut buffer);
        assert_eq!(buffer, unicode);
        replace_non_ascii(&store::load_or_default(None, Depth::None, true).0, &mut buffer);
        let text: String = buffer.content.iter().map(|cell| cell.symbol()).collect();
        assert_eq!(text.trim_end(), "a-b ? ?  ? na?ve");
    }
}
