//! A table of the document with the place of every value; keys that its section does not describe are unknown keys.

use std::cell::RefCell;
use std::ops::Range;
use std::str::FromStr;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::hints::{retype_hint, unknown_key_hint};
use super::problem::{Problem, did_you_mean, word_hint};
use super::scalar::{parse_integer, type_name};
use crate::config::keys::shape;
use crate::config::keys::shape::Section;
use crate::config::keys::sweep::SWEEP;
use crate::model::needs::resources::VramNeed;
use crate::model::units::{Bytes, UnitError, parse_duration};

/// List in which every reader puts the problems it finds.
#[derive(Default)]
pub(in crate::config) struct Sink(RefCell<Vec<Problem>>);

impl Sink {
    pub(in crate::config) fn add(&self, problem: Problem) {
        self.0.borrow_mut().push(problem);
    }

    pub(in crate::config) fn take_problems(&self) -> Vec<Problem> {
        self.0.take()
    }

    pub(in crate::config) fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }
}

/// Table of the document with the description of its keys: a reader can ask for no other, and
/// [`Table::report_unknown_keys`] refuses all others.
pub(in crate::config) struct Table<'a> {
    section: &'static Section,
    /// How people know it: `[schedule]`, or the name that the user chose.
    name: String,
    span: Range<usize>,
    entries: Option<&'a DeTable<'a>>,
    sink: &'a Sink,
}

impl<'a> Table<'a> {
    pub(in crate::config) fn root(document: &'a Spanned<DeTable<'a>>, sink: &'a Sink) -> Self {
        Self::from_document(&SWEEP, document, sink)
    }

    /// A document with the keys of this section.
    pub(in crate::config) fn from_document(
        section: &'static Section,
        document: &'a Spanned<DeTable<'a>>,
        sink: &'a Sink,
    ) -> Self {
        Self { section, name: section.title.to_owned(), span: 0..0, entries: Some(document.get_ref()), sink }
    }

    /// Whether the sweep has this table at all.
    pub(in crate::config) fn exists(&self) -> bool {
        self.entries.is_some()
    }

    /// Returns the place where the table begins; the start of the file where it is missing.
    pub(in crate::config) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    pub(in crate::config) fn sink(&self) -> &'a Sink {
        self.sink
    }

    /// Keys and values in the order of the file.
    pub(in crate::config) fn entries(&self) -> Vec<(&'a str, Range<usize>, &'a Spanned<DeValue<'a>>)> {
        let mut entries: Vec<_> = self.entries.into_iter().flatten().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        entries.into_iter().map(|(key, value)| (key.get_ref().as_ref(), key.span(), value)).collect()
    }

    /// A value of any type.
    pub(in crate::config) fn get(&self, key: &'static str) -> Option<&'a Spanned<DeValue<'a>>> {
        debug_assert!(self.section.key(key).is_some(), "{} describes no key `{key}`", self.section.title);
        self.find_value(key)
    }

    fn find_value(&self, key: &str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.entries?.iter().find(|(name, _)| name.get_ref() == key).map(|(_, value)| value)
    }

    fn section_of(&self, key: &str) -> &'static Section {
        self.section.key(key).and_then(|key| key.kind.section()).unwrap_or(&shape::UNDESCRIBED)
    }

    /// A table inside this one; a missing one is empty.
    pub(in crate::config) fn get_table(&self, key: &'static str) -> Table<'a> {
        let value = self.get(key);
        value.and_then(|value| self.table_from_item(key, value)).unwrap_or_else(|| {
            let section = self.section_of(key);
            let span = value.map_or(0..0, Spanned::span);
            Self { section, name: section.title.to_owned(), span, entries: None, sink: self.sink }
        })
    }

    /// The table under a name that the sweep chose.
    pub(in crate::config) fn named_table(&self, name: &str) -> Option<Table<'a>> {
        let table = self.table_from_item(name, self.find_value(name)?)?;
        Some(Self { name: format!("`{name}`"), ..table })
    }

    /// The tables of an array of tables, such as `[[metric]]`.
    pub(in crate::config) fn get_tables(&self, key: &'static str) -> Vec<Table<'a>> {
        let Some(value) = self.get(key) else { return Vec::new() };
        let DeValue::Array(items) = value.get_ref() else {
            let title = self.section_of(key).title;
            let message = format!("`{key}` must be an array of tables, not {}", type_name(value.get_ref()));
            let hint = format!("write its heading with double brackets: `{title}`");
            self.sink.add(Problem::new(value.span(), message).with_hint(hint));
            return Vec::new();
        };
        items.iter().filter_map(|item| self.table_from_item(key, item)).collect()
    }

    fn table_from_item(&self, key: &str, item: &'a Spanned<DeValue<'a>>) -> Option<Table<'a>> {
        match item.get_ref() {
            DeValue::Table(entries) => {
                let section = self.section_of(key);
                let name = section.title.to_owned();
                Some(Self { section, name, span: item.span(), entries: Some(entries), sink: self.sink })
            }
            other => {
                self.wrong_type(key, item.span(), other, "a table");
                None
            }
        }
    }

    pub(in crate::config) fn get_string(&self, key: &'static str) -> Option<Spanned<String>> {
        let value = self.get(key)?;
        self.text_of(key, value)
    }

    fn text_of(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Spanned<String>> {
        match value.get_ref() {
            DeValue::String(text) => Some(Spanned::new(value.span(), text.clone().into_owned())),
            other => {
                self.wrong_type(key, value.span(), other, "a string");
                None
            }
        }
    }

    /// A list of texts; empty if the key is missing.
    pub(in crate::config) fn get_strings(&self, key: &'static str) -> Vec<Spanned<String>> {
        let Some(value) = self.get(key) else { return Vec::new() };
        let DeValue::Array(items) = value.get_ref() else {
            self.wrong_type(key, value.span(), value.get_ref(), "an array of strings");
            return Vec::new();
        };
        items.iter().filter_map(|item| self.text_of(key, item)).collect()
    }

    /// A text, or a list of them; empty if the key is missing.
    pub(in crate::config) fn one_or_more_texts(&self, key: &'static str) -> Vec<Spanned<String>> {
        match self.get(key).map(Spanned::get_ref) {
            Some(DeValue::String(_)) => self.get_string(key).into_iter().collect(),
            Some(_) | None => self.get_strings(key),
        }
    }

    /// A list of numbers and texts, the numbers as texts; empty if the key is missing.
    pub(in crate::config) fn numbers_or_texts(&self, key: &'static str) -> Vec<Spanned<String>> {
        let Some(value) = self.get(key) else { return Vec::new() };
        let DeValue::Array(items) = value.get_ref() else {
            self.wrong_type(key, value.span(), value.get_ref(), "an array of integers and strings");
            return Vec::new();
        };
        let item = |item: &Spanned<DeValue<'_>>| match item.get_ref() {
            DeValue::Integer(number) => Some(Spanned::new(item.span(), number.to_string())),
            DeValue::String(_)
            | DeValue::Float(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_)
            | DeValue::Array(_)
            | DeValue::Table(_) => self.text_of(key, item),
        };
        items.iter().filter_map(item).collect()
    }

    pub(in crate::config) fn get_flag(&self, key: &'static str) -> Option<bool> {
        let value = self.get(key)?;
        let flag = value.get_ref().as_bool();
        if flag.is_none() {
            self.wrong_type(key, value.span(), value.get_ref(), "a boolean");
        }
        flag
    }

    /// Whether the value is true or false.
    pub(in crate::config) fn is_flag(&self, key: &'static str) -> bool {
        self.get(key).is_some_and(|value| value.get_ref().as_bool().is_some())
    }

    /// A whole number of at least `least`.
    pub(in crate::config) fn get_integer<T: TryFrom<i64>>(&self, key: &'static str, least: i64) -> Option<T> {
        let value = self.get(key)?;
        let wanted =
            if least == i64::MIN { "an integer".to_owned() } else { format!("an integer, at least {least}") };
        let Some(number) = parse_integer(value.get_ref()) else {
            self.wrong_type(key, value.span(), value.get_ref(), &wanted);
            return None;
        };
        let fits = (number >= least).then(|| T::try_from(number).ok()).flatten();
        if fits.is_none() {
            self.sink.add(Problem::new(value.span(), format!("`{key}` must be {wanted}, not {number}")));
        }
        fits
    }

    /// A whole number or the word `auto`.
    pub(in crate::config) fn number_or_auto<T: TryFrom<i64>>(
        &self,
        key: &'static str,
        least: i64,
    ) -> Option<NumberOrAuto<T>> {
        if self.is_auto(key) {
            return Some(NumberOrAuto::Auto);
        }
        match self.get(key)?.get_ref() {
            DeValue::String(text) if text.trim().parse::<i64>().is_err() => {
                let hint = did_you_mean(text, ["auto"])
                    .map_or("write a number, or `\"auto\"`".to_owned(), |word| {
                        format!("did you mean `{word}`?")
                    });
                let message = format!("`{key}` cannot be `{text}`");
                self.sink.add(Problem::new(self.get(key)?.span(), message).with_hint(hint));
                None
            }
            _ => self.get_integer(key, least).map(NumberOrAuto::Number),
        }
    }

    /// Whether the value is the word `auto`.
    pub(in crate::config) fn is_auto(&self, key: &'static str) -> bool {
        self.get(key).is_some_and(|value| value.get_ref().as_str() == Some("auto"))
    }

    pub(in crate::config) fn get_duration(&self, key: &'static str) -> Option<Duration> {
        self.parse_with(key, "`30s`, `5min`, `2h` or `1d`", parse_duration)
    }

    pub(in crate::config) fn get_bytes(&self, key: &'static str) -> Option<Bytes> {
        self.parse_with(key, "`2 GiB`", Bytes::from_str)
    }

    /// A size, a share of the card such as `25 %`, or the word `auto`.
    pub(in crate::config) fn get_vram(&self, key: &'static str) -> Option<VramNeed> {
        if self.is_auto(key) {
            return Some(VramNeed::Auto);
        }
        self.parse_with(key, "`2 GiB`", parse_vram)
    }

    /// The value, if it is a template to be rendered for each combo.
    pub(in crate::config) fn get_template(&self, key: &'static str) -> Option<Spanned<String>> {
        let value = self.get(key)?;
        let text = value.get_ref().as_str().filter(|text| text.contains("{{") || text.contains("{%"))?;
        Some(Spanned::new(value.span(), text.to_owned()))
    }

    fn parse_with<T, E: std::fmt::Display>(
        &self,
        key: &'static str,
        example: &str,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Option<T> {
        let value = self.get(key)?;
        let Some(text) = value.get_ref().as_str() else {
            let example = example.split(',').next().unwrap_or(example).replace('`', "\"");
            let wanted = format!("a string with a unit, such as {example}");
            self.wrong_type(key, value.span(), value.get_ref(), &wanted);
            return None;
        };
        parse(text)
            .map_err(|error| {
                let hint = format!("write the number and its unit, such as {example}");
                self.sink.add(Problem::new(value.span(), format!("`{key}`: {error}")).with_hint(hint));
            })
            .ok()
    }

    /// Reads one of several words, each with its meaning.
    pub(in crate::config) fn get_choice<T: Copy>(
        &self,
        key: &'static str,
        words: &[(&'static str, T)],
    ) -> Option<T> {
        let text = self.get_string(key)?;
        let found = words.iter().find(|(word, _)| word == text.get_ref()).map(|(_, meaning)| *meaning);
        if found.is_none() {
            let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            self.wrong_word(key, &names);
        }
        found
    }

    fn wrong_word(&self, key: &'static str, words: &[&str]) {
        if let Some(text) = self.get_string(key) {
            let message = format!("`{key}` cannot be `{}`", text.get_ref());
            self.sink.add(Problem::new(text.span(), message).with_hint(word_hint(text.get_ref(), words)));
        }
    }

    fn wrong_type(&self, key: &str, span: Range<usize>, found: &DeValue<'_>, wanted: &str) {
        let message = format!("`{key}` must be {wanted}, not {}", type_name(found));
        let problem = Problem::new(span, message);
        let example = self.section.key(key).map_or("", |key| key.example);
        let example = (!example.is_empty()).then(|| format!("such as `{key} = {example}`"));
        self.sink.add(match retype_hint(found, wanted).or(example) {
            Some(hint) => problem.with_hint(hint),
            None => problem,
        });
    }

    /// A problem of the table as a whole.
    pub(in crate::config) fn report_missing(&self, key: &str, hint: &str) {
        let missing = Problem::new(self.span(), format!("{} needs `{key}`", self.name));
        let hint = match self.exists() {
            true => hint.to_owned(),
            false => format!("add `{}` and its `{key}`, {hint}", self.name),
        };
        self.sink.add(missing.with_hint(hint));
    }

    /// Reports keys that the section does not describe.
    pub(in crate::config) fn report_unknown_keys(&self) {
        let known = self.section.names();
        for (key, span, _) in self.entries() {
            if self.section.key(key).is_none() {
                let message = format!("{} has no key `{key}`", self.name);
                self.sink.add(Problem::new(span, message).with_hint(unknown_key_hint(key, &known)));
            }
        }
    }
}

/// A size, or a share of the card.
pub(in crate::config) fn parse_vram(text: &str) -> Result<VramNeed, UnitError> {
    match text.trim().strip_suffix('%') {
        Some(number) => parse_percent(number).map(VramNeed::Percent).ok_or_else(|| {
            let wanted = "a share such as `25 %`, more than 0 and at most 100";
            UnitError { text: text.to_owned(), wanted }
        }),
        None => text.parse().map(VramNeed::Fixed),
    }
}

fn parse_percent(number: &str) -> Option<f64> {
    number.trim().parse().ok().filter(|percent| *percent > 0.0 && *percent <= 100.0)
}

/// A whole number, or as many as fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::config) enum NumberOrAuto<T> {
    Number(T),
    Auto,
}
