//! JSON as programs write it: with a byte order mark, text that is not UTF-8, and the bare `NaN` of Python.

use std::borrow::Cow;

use serde_json::Value;

/// Reads one document. A bare `NaN`, `Infinity` or `-Infinity` becomes the text of that name: code that wants a number
/// takes one from a text too.
pub fn parse(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    serde_json::from_str(&quoted(&String::from_utf8_lossy(bytes)))
}

/// The document with what JSON has no numbers for in quotes.
fn quoted(text: &str) -> Cow<'_, str> {
    const WORDS: [&str; 3] = ["NaN", "-Infinity", "Infinity"];
    if !["NaN", "Infinity"].iter().any(|word| text.contains(word)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 64);
    let mut rest = text;
    while let Some(at) = rest.find(['"', 'N', 'I', '-']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = if rest.starts_with('"') {
            string_length(rest)
        } else if let Some(word) = WORDS.iter().find(|word| rest.starts_with(**word)) {
            out.push_str(&format!("\"{word}\""));
            rest = &rest[word.len()..];
            continue;
        } else {
            1
        };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The length of the string that the text begins with, quotes included; all of the text where it does not end.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bare_words_of_python_are_read_and_strings_stay_as_they_are() {
        let text = br#"{"a": NaN, "b": [Infinity,-Infinity, -1], "NaN": "is NaN, \"NaN\" \\", "c": "-"}"#;
        let expected =
            json!({"a": "NaN", "b": ["Infinity", "-Infinity", -1], "NaN": "is NaN, \"NaN\" \\", "c": "-"});
        assert_eq!(parse(text).unwrap(), expected);
        assert!(parse(b"{\"a\": NaNs}").is_err());
        assert!(parse(b"{\"a\": \"NaN}").is_err());
    }

    #[test]
    fn a_mark_of_byte_order_and_foreign_letters_do_no_harm() {
        assert_eq!(parse(b"\xef\xbb\xbf{\"n\": 1}").unwrap(), json!({"n": 1}));
        assert_eq!(parse(b"{\"caf\xe9\": 1}").unwrap(), json!({"caf\u{fffd}": 1}));
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_panic(bytes in "[NaInfinity\\-\"\\\\{}\\[\\]:,0-9\\PC]{0,60}") {
            let _ = parse(bytes.as_bytes());
        }

        #[test]
        fn what_json_can_hold_is_read_as_strict_json_reads_it(text in "[NaIfinty\\-\"\\\\ ]{0,12}", number: i64) {
            let document = json!({"text": text, "number": number, "list": [text, null]});
            proptest::prop_assert_eq!(parse(document.to_string().as_bytes()).unwrap(), document);
        }
    }
}
