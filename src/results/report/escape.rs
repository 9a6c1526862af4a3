//! Text from elsewhere as text in HTML, SVG and XML: it cannot become markup, and nothing in it is hidden.

use std::fmt::Write;

use crate::model::logs::printable::printable_lines;

/// Returns the text with markup characters as entities, so that it is safe between tags and in quoted attributes. What
/// cannot be printed is left out; line ends stay.
pub fn escape_markup(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in printable_lines(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // XML has no place for these two, in whatever notation.
            '\u{fffe}' | '\u{ffff}' => {}
            c => escaped.push(c),
        }
    }
    escaped
}

/// A relative path as an address: everything but letters, digits and a few signs in percent notation.
pub fn percent_encode(path: &str) -> String {
    let mut address = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_' | b'~') {
            address.push(char::from(byte));
        } else {
            write!(address, "%{byte:02X}").expect("a string takes everything");
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert, proptest};

    use super::*;

    #[test]
    fn markup_becomes_text() {
        assert_eq!(
            escape_markup("<script>alert('x')</script>"),
            "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"
        );
        assert_eq!(escape_markup("a\" onload=\"b & c"), "a&quot; onload=&quot;b &amp; c");
        assert_eq!(escape_markup("\x1b[31mred\x07\u{202e}\r\nnext\tcell"), "[31mred \nnext cell");
        assert_eq!(percent_encode("../logs/a b#1?\"é.log"), "../logs/a%20b%231%3F%22%C3%A9.log");
    }

    proptest! {
        #[test]
        fn no_text_opens_a_tag_or_leaves_its_quotes(text in any::<String>()) {
            let escaped = escape_markup(&text);
            prop_assert!(!escaped.contains(['<', '>', '"', '\'']));
            let entities = ["amp;", "lt;", "gt;", "quot;", "#39;"];
            let whole = |rest: &str| entities.iter().any(|entity| rest.starts_with(entity));
            prop_assert!(escaped.split('&').skip(1).all(whole));
        }
    }
}
