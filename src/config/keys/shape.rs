//! What a key may hold, in the terms that parser, documentation and JSON schema share.

use std::fmt;

/// Table of a file: its keys, or what keys with names of the user's own hold.
#[derive(Debug)]
pub struct Section {
    /// How people know it: `[schedule]`.
    pub title: &'static str,
    /// Keys that it may have.
    pub keys: &'static [Key],
    /// Description of a key whose name the user chooses, such as an axis.
    pub named: Option<&'static Key>,
}

/// Keys of a table that no description leads to; a reader that asks for one fails in every test.
pub(in crate::config) static UNDESCRIBED: Section = Section::new("this table", &[]);

impl Section {
    /// A table with these keys and no others.
    pub(super) const fn new(title: &'static str, keys: &'static [Key]) -> Self {
        Self { title, keys, named: None }
    }

    /// A table whose keys the user names.
    pub(super) const fn of_named(title: &'static str, named: &'static Key) -> Self {
        Self { title, keys: &[], named: Some(named) }
    }

    /// Finds the description of a key.
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name).or(self.named)
    }

    /// Names of the keys that are not chosen by the user.
    pub fn names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|key| key.name).collect()
    }
}

/// Key with everything that is said about it anywhere.
#[derive(Debug)]
pub struct Key {
    /// Name in its table; in capitals where the user chooses it.
    pub name: &'static str,
    /// Values that it takes.
    pub kind: Kind,
    /// What holds without it, as Markdown; empty where nothing has to be said.
    pub default: &'static str,
    /// Meaning, as one sentence of Markdown.
    pub meaning: &'static str,
    /// A value, as TOML.
    pub example: &'static str,
    /// Other lines of the same table without which the example is refused.
    pub beside: &'static str,
}

/// Default of a key that has to be there.
pub const REQUIRED: &str = "required";

impl Key {
    pub(super) const fn new(
        name: &'static str,
        kind: Kind,
        default: &'static str,
        meaning: &'static str,
        example: &'static str,
    ) -> Self {
        Self { name, kind, default, meaning, example, beside: "" }
    }

    /// The same where the example needs other lines.
    #[must_use]
    pub(super) const fn beside(mut self, lines: &'static str) -> Self {
        self.beside = lines;
        self
    }
}

/// Values that a key takes, as TOML has them.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// String with a meaning: what one and what several of them are called.
    Text(&'static str, &'static str),
    /// Integer between these bounds.
    Integer(i64, i64),
    /// Integer or float above the first bound and up to the second.
    Number(f64, f64),
    /// `true` or `false`.
    Boolean,
    /// One of these strings.
    Words(&'static [&'static str]),
    /// One of the strings that this returns; what one and what several are called.
    WordsOf(fn() -> Vec<&'static str>, &'static str, &'static str),
    /// Array of such values.
    Array(&'static Kind),
    /// Table.
    Table(&'static Section),
    /// Array of tables, each under its own heading.
    Tables(&'static Section),
    /// One of several kinds.
    Either(&'static [Kind]),
    /// A kind with a name of its own: what one and what several are called.
    Called(&'static str, &'static str, &'static Kind),
}

impl Kind {
    /// Finds the table among the values that it takes.
    pub fn section(&self) -> Option<&'static Section> {
        match self {
            Self::Table(section) | Self::Tables(section) => Some(section),
            Self::Array(kind) | Self::Called(_, _, kind) => kind.section(),
            Self::Either(kinds) => kinds.iter().find_map(Self::section),
            Self::Text(..)
            | Self::Integer(..)
            | Self::Number(..)
            | Self::Boolean
            | Self::Words(_)
            | Self::WordsOf(..) => None,
        }
    }

    /// Strings that have a meaning of their own; empty where any string does.
    pub fn words(&self) -> Vec<&'static str> {
        match self {
            Self::Words(words) => words.to_vec(),
            Self::WordsOf(words, ..) => words(),
            Self::Array(kind) | Self::Called(_, _, kind) => kind.words(),
            Self::Either(kinds) => kinds.iter().flat_map(Self::words).collect(),
            Self::Text(..)
            | Self::Integer(..)
            | Self::Number(..)
            | Self::Boolean
            | Self::Table(_)
            | Self::Tables(_) => Vec::new(),
        }
    }

    /// Several of them: `strings`, `tables`.
    fn plural(&self) -> String {
        match self {
            Self::Text(_, many) | Self::WordsOf(_, _, many) | Self::Called(_, many, _) => (*many).to_owned(),
            Self::Integer(..) => "integers".to_owned(),
            Self::Number(..) => "numbers".to_owned(),
            Self::Boolean => "booleans".to_owned(),
            Self::Words(words) => quoted_words(words),
            Self::Array(kind) => format!("arrays of {}", kind.plural()),
            Self::Table(_) | Self::Tables(_) => "tables".to_owned(),
            Self::Either(kinds) => {
                let kinds: Vec<String> = kinds.iter().map(Self::plural).collect();
                join_words(&kinds, "and")
            }
        }
    }
}

/// `a, b or c`; a comma more where one of them has commas itself.
fn join_words(words: &[String], last: &str) -> String {
    let comma = if words.iter().any(|word| word.contains(", ")) { "," } else { "" };
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [others @ .., end] => format!("{}{comma} {last} {end}", others.join(", ")),
    }
}

fn quoted_words(words: &[&str]) -> String {
    words.iter().map(|word| format!("`\"{word}\"`")).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(one, _) | Self::WordsOf(_, one, _) | Self::Called(one, ..) => f.write_str(one),
            Self::Integer(i64::MIN, _) => f.write_str("integer"),
            Self::Integer(least, i64::MAX) => write!(f, "integer, at least {least}"),
            Self::Integer(least, most) => write!(f, "integer, {least} to {most}"),
            Self::Number(f64::NEG_INFINITY, _) => f.write_str("number"),
            Self::Number(above, most) => write!(f, "number above {above}, at most {most}"),
            Self::Boolean => f.write_str("boolean"),
            Self::Words(words) => f.write_str(&quoted_words(words)),
            Self::Array(kind) => write!(f, "array of {}", kind.plural()),
            Self::Table(Section { named: Some(key), .. }) => write!(f, "table of {}", key.kind.plural()),
            Self::Table(_) => f.write_str("table"),
            Self::Tables(_) => f.write_str("array of tables"),
            Self::Either(kinds) => {
                let kinds: Vec<String> = kinds.iter().map(ToString::to_string).collect();
                f.write_str(&join_words(&kinds, "or"))
            }
        }
    }
}
