//! What is wrong with a sweep file or the user's settings: all of it at once, each with its place, the source and a
//! hint.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet, normalize_untrusted_str};

/// Mistake in a file, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Bytes of the source that it is about.
    pub span: Range<usize>,
    /// Description of the mistake, in one line.
    pub message: String,
    /// Advice on what to do about it.
    pub hint: Option<String>,
    /// Other bytes of the source that belong to it, and what they are.
    pub other: Option<(Range<usize>, &'static str)>,
}

impl Problem {
    /// A problem with these bytes of the source.
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), hint: None, other: None }
    }

    /// The same with another place that belongs to it.
    #[must_use]
    pub fn with_other(mut self, span: Range<usize>, label: &'static str) -> Self {
        self.other = Some((span, label));
        self
    }

    /// The same with what to do about it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Everything that is wrong with a file, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problems {
    file: PathBuf,
    source: String,
    list: Vec<Problem>,
}

impl std::error::Error for Problems {}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl Problems {
    /// The problems of a file with this text.
    pub fn new(file: PathBuf, source: String, mut list: Vec<Problem>) -> Self {
        list.sort_by_key(|problem| problem.span.start);
        list.dedup();
        Self { file, source, list }
    }

    /// Returns all problems found so far.
    pub fn list(&self) -> &[Problem] {
        &self.list
    }

    /// The 1-based line a problem begins in.
    pub fn line_number(&self, problem: &Problem) -> usize {
        let before = &self.source.as_bytes()[..problem.span.start.min(self.source.len())];
        before.iter().filter(|byte| **byte == b'\n').count() + 1
    }

    /// All problems as text for a terminal: message, file and line, the piece of source, the hint.
    pub fn render(&self, color: bool) -> String {
        let path = self.file.to_string_lossy();
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        let groups: Vec<String> =
            self.list.iter().map(|problem| renderer.render(&[self.snippet_group(problem, &path)])).collect();
        groups.join("\n\n")
    }

    fn snippet_group<'a>(&'a self, problem: &Problem, path: &'a str) -> Group<'a> {
        let annotation = AnnotationKind::Primary.span(self.shown_span(&problem.span));
        let other = problem
            .other
            .as_ref()
            .map(|(span, label)| AnnotationKind::Context.span(self.shown_span(span)).label(*label));
        let group = Level::ERROR
            .primary_title(normalize_untrusted_str(&problem.message))
            .element(Snippet::source(&self.source).path(path).annotation(annotation).annotations(other));
        match &problem.hint {
            Some(hint) => group.element(Level::HELP.message(normalize_untrusted_str(hint))),
            None => group,
        }
    }

    /// A value over many lines is shown by its first line only: a report is no copy of the file. Parsers may point
    /// into the middle of a character, which the drawing does not take.
    fn shown_span(&self, span: &Range<usize>) -> Range<usize> {
        let start = self.source.floor_char_boundary(span.start);
        let end = self.source.ceil_char_boundary(span.end).max(start);
        let first_line = self.source[start..end].find('\n');
        start..first_line.map_or(end, |length| start + length)
    }
}

/// The known word that was probably meant: close to what was written, or begun by it.
pub fn did_you_mean<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let written = written.to_lowercase();
    let length = written.chars().count();
    let rated = known.into_iter().filter_map(|word| {
        let distance = strsim::damerau_levenshtein(&written, &word.to_lowercase());
        let shortest = length.min(word.chars().count());
        // A third of the letters may differ; words without a common letter are not alike.
        let close = distance <= (length / 3).max(1) && distance < shortest;
        (close || length >= 3 && word.starts_with(&written)).then_some((distance, word))
    });
    rated.min_by_key(|(distance, _)| *distance).map(|(_, word)| word)
}

/// A list for people: `a`, `b` and `c`, each in backticks.
pub fn join_quoted<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    match words.split_last() {
        None => "nothing".to_owned(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

/// The hint for a word that is not among the known ones.
pub fn word_hint(written: &str, known: &[&str]) -> String {
    match did_you_mean(written, known.iter().copied()) {
        Some(word) => format!("did you mean `{word}`?"),
        None => format!("known are {}", join_quoted(known.iter().copied())),
    }
}
