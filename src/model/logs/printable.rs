//! Text from elsewhere made safe to show: nothing in it moves a cursor, turns the direction of writing or hides.
//!
//! Logs, ids, messages, file names and environments may hold anything, and terminals obey what they are sent. Code that
//! shows such a text to people passes it through [`to_printable`] or [`printable_lines`] first, and measures it with
//! [`cell_width`].

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Real words stack up to four marks on one letter; more only pile up over the lines above.
pub(in crate::model) const MOST_MARKS: usize = 4;

/// The text as one line: blanks in place of line ends and tabs, and no character that takes no cell or that commands
/// a terminal.
pub fn to_printable(text: &str) -> Cow<'_, str> {
    if is_plain(text) || is_printable(text) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut marks = 0;
    for c in text.chars() {
        if is_blank(c) {
            shown.push(' ');
        } else if !is_hidden(c) {
            marks = if is_mark(c) { marks + 1 } else { 0 };
            if marks <= MOST_MARKS {
                shown.push(c);
            }
        }
    }
    Cow::Owned(shown)
}

/// The same for a text of several lines, which it keeps.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    if text.split('\n').all(|line| is_plain(line) || is_printable(line)) {
        return Cow::Borrowed(text);
    }
    let lines: Vec<Cow<'_, str>> = text.split('\n').map(to_printable).collect();
    Cow::Owned(lines.join("\n"))
}

/// JSON with every character that [`is_hidden`] as an escape of JSON, so that its value is the same and it
/// prints harmlessly.
pub fn printable_json(json: String) -> String {
    use std::fmt::Write;
    // Between values JSON has line ends of its own, within texts they are escaped already.
    let harmful = |c: char| c != '\n' && is_hidden(c);
    if json.split('\n').all(is_plain) || !json.contains(harmful) {
        return json;
    }
    let mut shown = String::with_capacity(json.len() + 64);
    for c in json.chars() {
        if harmful(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                write!(shown, "\\u{unit:04x}").expect("a string takes everything");
            }
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Cells that a printable text takes in a terminal.
pub fn cell_width(text: &str) -> usize {
    if is_plain(text) { text.len() } else { text.width() }
}

/// The text filled with blanks to so many cells.
pub fn pad_to_width(text: &str, cells: usize) -> String {
    format!("{text}{:blanks$}", "", blanks = cells.saturating_sub(cell_width(text)))
}

/// Lays rows out as lines with columns of one width, two blanks between them and none at the end of a line.
pub fn align_rows<R: AsRef<[String]>>(rows: &[R]) -> String {
    let mut widths: Vec<usize> = Vec::new();
    for row in rows.iter().map(AsRef::as_ref) {
        widths.resize(widths.len().max(row.len()), 0);
        row.iter().zip(&mut widths).for_each(|(cell, width)| *width = cell_width(cell).max(*width));
    }
    let line = |row: &R| {
        let cells = row.as_ref().iter().zip(&widths).map(|(cell, width)| pad_to_width(cell, *width));
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

/// The character commands a terminal, turns the direction of writing, or cannot be seen at all. Variation selectors,
/// joiners and skin tones are among them, because terminals disagree about the cells of what they make.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{1f3fb}'..='\u{1f3ff}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// Reports whether a hidden character separates words.
fn is_blank(c: char) -> bool {
    matches!(c, '\t'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Reports whether the character takes no cell and is drawn over the one before it.
fn is_mark(c: char) -> bool {
    c.width() == Some(0)
}

/// Reports whether the text is printable ASCII alone. Nearly all texts are, and this check takes eight bytes at a time.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

fn is_printable(text: &str) -> bool {
    let mut marks = 0;
    text.chars().all(|c| {
        marks = if is_mark(c) { marks + 1 } else { 0 };
        !is_hidden(c) && marks <= MOST_MARKS
    })
}

/// The text of a cell of a table that people open in a spreadsheet, which would execute what looks like a formula: it
/// gets an apostrophe before it. Numbers stay as they are.
pub fn to_cell(text: &str) -> Cow<'_, str> {
    let looks_executable = text.starts_with(['=', '+', '@', '-', '\t', '\r']) && text.parse::<f64>().is_err();
    if looks_executable { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

    use super::*;

    #[test]
    fn commands_to_the_terminal_become_text() {
        assert_eq!(to_printable("\x1b]52;c;aGk=\x07\x1b[2Jx\u{9b}31m\x7f"), "]52;c;aGk=[2Jx31m");
        assert_eq!(to_printable("one\r\ntwo\tthree\u{2028}four"), "one  two three four");
        assert_eq!(printable_lines("one\x1b[A\ntwo\r\n"), "one[A\ntwo \n");
    }

    #[test]
    fn what_cannot_be_seen_is_left_out() {
        assert_eq!(to_printable("exe\u{202e}txt.\u{2066}a\u{2069}"), "exetxt.a");
        assert_eq!(to_printable("z\u{200b}e\u{200d}r\u{feff}o\u{ad}\u{e0041}\u{fe0f}"), "zero");
        assert_eq!(to_printable("👍🏽 👩\u{200d}🚀"), "👍 👩🚀");
    }

    #[test]
    fn real_text_stays_as_it_is() {
        for text in
            ["Épisode 3 réussi", "e\u{301}tude", "評価 完了", "हिन्दी", "█▉▏ 50%|", "naïve — “x”", "שלום"]
        {
            assert!(matches!(to_printable(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn marks_do_not_pile_up() {
        let piled = format!("a{}b", "\u{301}".repeat(500));
        assert_eq!(to_printable(&piled), format!("a{}b", "\u{301}".repeat(MOST_MARKS)));
    }

    #[test]
    fn cells_are_counted_and_filled() {
        assert_eq!(["ok", "評価", "e\u{301}", "ｶﾞ", "é"].map(cell_width), [2, 4, 1, 2, 1]);
        assert_eq!(pad_to_width("評価", 6), "評価  ");
        assert_eq!(pad_to_width("too long", 3), "too long");
    }

    #[test]
    fn json_says_the_same_in_escapes() {
        let text = "a\u{9b}31m\u{202e}\u{e0041}\n\x1b[2J";
        let json = printable_json(serde_json::to_string_pretty(&[text]).unwrap());
        assert_eq!(json, "[\n  \"a\\u009b31m\\u202e\\udb40\\udc41\\n\\u001b[2J\"\n]");
        assert_eq!(serde_json::from_str::<[String; 1]>(&json).unwrap(), [text]);
    }

    proptest! {
        #[test]
        fn nothing_hidden_is_left_in_any_text(text in any::<String>()) {
            let shown = to_printable(&text);
            prop_assert!(!shown.contains(is_hidden));
            prop_assert_eq!(to_printable(&shown), shown.as_ref());
            prop_assert_eq!(printable_lines(&text).matches('\n').count(), text.matches('\n').count());
        }

        #[test]
        fn a_cell_is_counted_for_every_cell_of_its_parts(words in proptest::collection::vec("[a-zé評価ｶ█ ]{0,4}", 0..6)) {
            prop_assert_eq!(cell_width(&words.concat()), words.iter().map(|word| cell_width(word)).sum::<usize>());
        }
    }
}
