//! JSON whose numbers, texts and order stay as they were written, so that what is merged looks like what was read.

use super::python_float;

/// Deeper documents are refused: reading them would take the stack.
const DEEPEST: usize = 128;

/// A value of a JSON document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Json {
    /// A number, `true`, `false`, `null`, or one of the words that Python writes: `NaN`, `Infinity`, `-Infinity`.
    Word(String),
    /// A text with its quotes and escapes.
    Text(String),
    /// A list of values.
    List(Vec<Json>),
    /// A map in the order of the file, with the quotes and escapes of its keys.
    Map(Vec<(String, Json)>),
}

/// Why a text is no JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("is no JSON: {wanted} expected at line {line}")]
pub struct JsonError {
    wanted: &'static str,
    line: usize,
}

impl Json {
    /// Parses the text of one document.
    pub fn parse(text: &str) -> Result<Self, JsonError> {
        let mut reader = JsonParser { text, at: 0 };
        let value = reader.parse_value(0)?;
        reader.skip_whitespace();
        if reader.at < text.len() {
            return Err(reader.error_expecting("the end of the document"));
        }
        Ok(value)
    }

    /// Returns a whole number as a value.
    pub fn from_integer(number: impl Into<i128>) -> Self {
        Self::Word(number.into().to_string())
    }

    /// A number as Python writes it.
    pub fn from_float(number: f64) -> Self {
        Self::Word(python_float::repr(number))
    }

    /// Returns a text as a value, quoted.
    pub fn quoted_string(text: &str) -> Self {
        Self::Text(quote_text(text))
    }

    /// The member of a map.
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.members()?.iter().find(|(key, _)| strip_quotes(key) == name).map(|(_, value)| value)
    }

    /// The members of a map.
    pub fn members(&self) -> Option<&[(String, Self)]> {
        match self {
            Self::Map(members) => Some(members),
            Self::Word(_) | Self::Text(_) | Self::List(_) => None,
        }
    }

    /// The elements of a list.
    pub fn items(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            Self::Word(_) | Self::Text(_) | Self::Map(_) => None,
        }
    }

    /// The number it is; `true` counts as 1 and `NaN` is one.
    pub fn as_number(&self) -> Option<f64> {
        let Self::Word(word) = self else { return None };
        match word.as_str() {
            "true" => Some(1.0),
            "false" => Some(0.0),
            "null" => None,
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            digits => digits.parse().ok(),
        }
    }

    /// The whole number it is.
    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Self::Word(word) => word.parse().ok(),
            Self::Text(_) | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// Sets a member of a map, in its place where it is there, or else at the end.
    pub fn set_member(&mut self, name: &str, value: Self) {
        let Self::Map(members) = self else { return };
        match members.iter_mut().find(|(key, _)| strip_quotes(key) == name) {
            Some((_, old)) => *old = value,
            None => members.push((quote_text(name), value)),
        }
    }

    /// As people read it: a text without its quotes.
    pub fn display_text(&self) -> String {
        match self {
            Self::Text(text) => strip_quotes(text).to_owned(),
            Self::Word(_) | Self::List(_) | Self::Map(_) => Style::COMPACT.write(self),
        }
    }
}

/// A key without its quotes.
pub fn strip_quotes(key: &str) -> &str {
    key.strip_prefix('"').and_then(|key| key.strip_suffix('"')).unwrap_or(key)
}

/// A text with its quotes.
pub fn quote_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// How a document is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Spaces for each level; `None` if everything is on one line.
    indent: Option<usize>,
    spaced_items: bool,
    spaced_keys: bool,
    ends_with_newline: bool,
}

impl Style {
    /// On one line, as Python writes without any option.
    pub const COMPACT: Self =
        Self { indent: None, spaced_items: true, spaced_keys: true, ends_with_newline: false };

    /// The layout of a text.
    pub fn from_text(text: &str) -> Self {
        let begin = text.find(['{', '[']).map_or("", |at| &text[at + 1..]);
        let line = begin.trim_start_matches(['\r', ' ']).strip_prefix('\n');
        let indent = line.map(|line| line.len() - line.trim_start_matches(' ').len());
        let mut style = Self { indent, ..Self::COMPACT };
        style.ends_with_newline = text.ends_with('\n');
        let (mut comma, mut colon) = (None, None);
        let mut at = 0;
        while at < text.len() && (comma.is_none() || colon.is_none()) {
            match text.as_bytes()[at] {
                b'"' => at += string_length(&text[at..]).unwrap_or(1) - 1,
                b',' => comma = comma.or(Some(text[at + 1..].starts_with(' '))),
                b':' => colon = colon.or(Some(text[at + 1..].starts_with(' '))),
                _ => {}
            }
            at += 1;
        }
        style.spaced_items = comma.unwrap_or(true);
        style.spaced_keys = colon.unwrap_or(true);
        style
    }

    /// The document in this layout.
    pub fn write(self, value: &Json) -> String {
        let mut text = String::new();
        self.write_value(&mut text, value, 0);
        if self.ends_with_newline {
            text.push('\n');
        }
        text
    }

    fn write_value(self, text: &mut String, value: &Json, level: usize) {
        match value {
            Json::Word(word) | Json::Text(word) => text.push_str(word),
            Json::List(items) if items.is_empty() => text.push_str("[]"),
            Json::Map(members) if members.is_empty() => text.push_str("{}"),
            Json::List(items) => {
                text.push('[');
                for (position, item) in items.iter().enumerate() {
                    self.write_separator(text, position, level);
                    self.write_value(text, item, level + 1);
                }
                self.write_closing(text, ']', level);
            }
            Json::Map(members) => {
                text.push('{');
                for (position, (key, member)) in members.iter().enumerate() {
                    self.write_separator(text, position, level);
                    text.push_str(key);
                    text.push_str(if self.spaced_keys { ": " } else { ":" });
                    self.write_value(text, member, level + 1);
                }
                self.write_closing(text, '}', level);
            }
        }
    }

    fn write_separator(self, text: &mut String, position: usize, level: usize) {
        if position > 0 {
            text.push(',');
        }
        match self.indent {
            Some(indent) => {
                text.push('\n');
                text.extend(std::iter::repeat_n(' ', indent * (level + 1)));
            }
            None if position > 0 && self.spaced_items => text.push(' '),
            None => {}
        }
    }

    fn write_closing(self, text: &mut String, bracket: char, level: usize) {
        if let Some(indent) = self.indent {
            text.push('\n');
            text.extend(std::iter::repeat_n(' ', indent * level));
        }
        text.push(bracket);
    }
}

struct JsonParser<'a> {
    text: &'a str,
    at: usize,
}

impl JsonParser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip_whitespace(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t', '\r', '\n']).len();
    }

    fn error_expecting(&self, wanted: &'static str) -> JsonError {
        let line = self.text[..self.at].bytes().filter(|byte| *byte == b'\n').count() + 1;
        JsonError { wanted, line }
    }

    /// Takes the sign, if it is there.
    fn take_char(&mut self, sign: char) -> bool {
        self.skip_whitespace();
        let found = self.rest().starts_with(sign);
        self.at += usize::from(found);
        found
    }

    fn parse_value(&mut self, depth: usize) -> Result<Json, JsonError> {
        if depth > DEEPEST {
            return Err(self.error_expecting("no deeper nesting"));
        }
        self.skip_whitespace();
        match self.rest().as_bytes().first() {
            Some(b'{') => self.parse_map(depth),
            Some(b'[') => self.parse_list(depth),
            Some(b'"') => self.parse_string().map(Json::Text),
            Some(_) | None => self.parse_word(),
        }
    }

    fn parse_map(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.at += 1;
        let mut members = Vec::new();
        if self.take_char('}') {
            return Ok(Json::Map(members));
        }
        loop {
            self.skip_whitespace();
            let key = self.parse_string()?;
            if !self.take_char(':') {
                return Err(self.error_expecting("`:`"));
            }
            members.push((key, self.parse_value(depth + 1)?));
            if self.take_char('}') {
                return Ok(Json::Map(members));
            }
            if !self.take_char(',') {
                return Err(self.error_expecting("`,` or `}`"));
            }
        }
    }

    fn parse_list(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.at += 1;
        let mut items = Vec::new();
        if self.take_char(']') {
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.parse_value(depth + 1)?);
            if self.take_char(']') {
                return Ok(Json::List(items));
            }
            if !self.take_char(',') {
                return Err(self.error_expecting("`,` or `]`"));
            }
        }
    }

    fn parse_string(&mut self) -> Result<String, JsonError> {
        let length = string_length(self.rest()).ok_or_else(|| self.error_expecting("a text"))?;
        let text = self.rest()[..length].to_owned();
        if serde_json::from_str::<String>(&text).is_err() {
            return Err(self.error_expecting("a text"));
        }
        self.at += length;
        Ok(text)
    }

    fn parse_word(&mut self) -> Result<Json, JsonError> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let end = self.rest().find(|c| !is_part(c)).unwrap_or(self.rest().len());
        let word = &self.rest()[..end];
        let known = ["true", "false", "null", "NaN", "Infinity", "-Infinity"].contains(&word);
        let digits = word.strip_prefix('-').unwrap_or(word).starts_with(|c: char| c.is_ascii_digit());
        let is_number = digits && word.parse::<f64>().is_ok();
        if !known && !is_number {
            return Err(self.error_expecting("a value"));
        }
        let word = word.to_owned();
        self.at += end;
        Ok(Json::Word(word))
    }
}

/// The length of the string that the text begins with, quotes included.
fn string_length(text: &str) -> Option<usize> {
    let mut escaped = false;
    let mut bytes = text.bytes().enumerate();
    bytes.next().filter(|(_, byte)| *byte == b'"')?;
    for (at, byte) in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn documents_of_python_come_out_as_they_went_in() {
        let indented = "{\n  \"a\": [\n    1.0,\n    NaN,\n    1e-05\n  ],\n  \"b\": {},\n  \"c\": [],\n  \"d\": \"caf\\u00e9, \\\"x\\\": y\"\n}";
        let plain = "{\"a\": [true, -Infinity], \"b\": null}\n";
        let dense = "{\"b\":[1,{\"a\":2}],\"a\":\"x, y: z\"}";
        for text in [indented, plain, dense, "[]", "3"] {
            assert_eq!(Style::from_text(text).write(&Json::parse(text).unwrap()), text);
        }
    }

    #[test]
    fn what_is_no_json_is_told_with_its_line() {
        let told = |text: &str| Json::parse(text).unwrap_err().to_string();
        assert_eq!(told("{\"a\": 1,\n \"b\""), "is no JSON: `:` expected at line 2");
        assert_eq!(told("{\"a\": 1} x"), "is no JSON: the end of the document expected at line 1");
        assert_eq!(told("[nan]"), "is no JSON: a value expected at line 1");
        assert_eq!(told(&"[".repeat(300)), "is no JSON: no deeper nesting expected at line 1");
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[NaI\\-\"\\\\{}\\[\\]:,0-9e.\\PC \n]{0,60}") {
            let _ = Json::parse(&text);
            let _ = Style::from_text(&text);
        }
    }
}
