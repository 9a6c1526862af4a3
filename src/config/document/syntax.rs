//! What is wrong with a text that is no TOML: one mistake for one slip, where the parser finds many in its wake.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use toml::de::Error;

use super::problem::Problem;

/// Heading of a table that fills its line.
static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*\[{1,2}\s*[\w\-. ]*[A-Za-z_][\w\-. ]*\s*\]{1,2}\s*(#.*)?$").expect("a constant")
});

/// Line of YAML: a word with a colon, and no `=` before it.
static YAML_LINE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(---|[\w\-]+:(\s|$))").expect("a constant"));

/// Turns the errors of the TOML parser into problems.
pub(in crate::config) fn syntax_problems(source: &str, errors: &[Error]) -> Vec<Problem> {
    if let Some(problem) = find_other_language(source) {
        return vec![problem];
    }
    let open = find_open_bracket(source);
    let is_wake = |error: &Error| {
        let start = error.span().map_or(0, |span| span.start);
        open.as_ref().is_some_and(|open| start >= open.start)
    };
    let line = |problem: &Problem| line_of(source, problem.span.start);
    let mut problems: Vec<Problem> = Vec::new();
    for error in errors.iter().filter(|error| !is_wake(error)) {
        let problem = describe(source, error);
        // What follows a slip in its line is noise.
        if problems.last().is_none_or(|last| line(last) != line(&problem)) {
            problems.push(problem);
        }
    }
    let hint = "write `]` behind the last value";
    problems.extend(open.map(|open| Problem::new(open, "this `[` is never closed").with_hint(hint)));
    problems
}

fn line_of(source: &str, at: usize) -> usize {
    source.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count()
}

fn find_other_language(source: &str) -> Option<Problem> {
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        let (text, start) = (line.trim(), at);
        at += line.len();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let language = match text {
            _ if YAML_LINE.is_match(text) => "YAML",
            _ if text.starts_with('{') => "JSON",
            _ => return None,
        };
        let message = format!("this looks like {language}, and the file has to be TOML");
        let hint = "a table is `[shard]`, a value `command = \"python eval.py\"`";
        return Some(Problem::new(start..start + line.trim_end().len(), message).with_hint(hint));
    }
    None
}

/// The place of a `[` of a value that is still open where the next table begins, or at the end of the file.
fn find_open_bracket(source: &str) -> Option<Range<usize>> {
    let mut open: Vec<(usize, char)> = Vec::new();
    let first_open = |open: &[(usize, char)]| {
        open.iter().find(|(_, bracket)| *bracket == '[').map(|(place, _)| *place..place + 1)
    };
    let mut at = 0;
    while let Some(c) = source[at..].chars().next() {
        let rest = &source[at..];
        let line = rest.split('\n').next().unwrap_or(rest);
        let begins_line = at == 0 || source[..at].ends_with('\n');
        if begins_line && HEADING.is_match(line) {
            if let Some(place) = first_open(&open) {
                return Some(place);
            }
            open.clear();
            at += line.len();
            continue;
        }
        at += match c {
            '#' => line.len(),
            '"' | '\'' => string_length(rest, c),
            _ => c.len_utf8(),
        };
        match c {
            '[' | '{' => open.push((at - 1, c)),
            ']' | '}' => _ = open.pop(),
            _ => {}
        }
    }
    first_open(&open)
}

/// Bytes of the string at the start of a text, its quotes included; one that is not closed ends with its line.
fn string_length(text: &str, quote: char) -> usize {
    let triple: String = std::iter::repeat_n(quote, 3).collect();
    let (mark, whole) = match text.starts_with(&triple) {
        true => (triple.as_str(), text),
        false => (&text[..1], &text[..text.find('\n').unwrap_or(text.len())]),
    };
    let mut at = mark.len();
    while let Some(rest) = whole.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with(mark) {
            return at + mark.len();
        }
        let escaped = usize::from(quote == '"' && rest.starts_with('\\'));
        at += rest.chars().take(1 + escaped).map(char::len_utf8).sum::<usize>();
    }
    whole.len()
}

fn describe(source: &str, error: &Error) -> Problem {
    let span = error.span().unwrap_or(0..0);
    let (message, rest) = error.message().split_once('\n').unwrap_or((error.message(), ""));
    let found = source.get(span.clone()).unwrap_or_default();
    if message.starts_with("duplicate key") {
        return describe_duplicate(source, span);
    }
    let hint = match message {
        _ if found == "True" || found == "False" => {
            format!("TOML writes it in small letters: `{}`", found.to_lowercase())
        }
        _ if message.starts_with("string values must be quoted") => {
            format!("write it between quotes: `\"{}\"`", found.trim())
        }
        _ if message.contains("escape") => {
            "between single quotes a backslash is a backslash: `'\\d+'`".to_owned()
        }
        _ if message.starts_with("invalid basic string") || message.starts_with("invalid literal string") => {
            "close it with the quote that it begins with; text of several lines belongs between `'''`"
                .to_owned()
        }
        _ if message.starts_with("unexpected key or value") => {
            "a value ends with its line; text with quotes in it belongs between other quotes, or `'''`"
                .to_owned()
        }
        _ if message.starts_with("key with no value") => "write `key = value`".to_owned(),
        _ => rest.replace('\n', ", "),
    };
    let problem = Problem::new(span, message);
    if hint.is_empty() { problem } else { problem.with_hint(hint) }
}

/// A key or a table that is there twice, with both places.
fn describe_duplicate(source: &str, span: Range<usize>) -> Problem {
    let start = source[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let line = source[start..].split('\n').next().unwrap_or_default().trim();
    let heading = HEADING.is_match(line).then(|| line.split('#').next().unwrap_or(line).trim());
    let name = heading.unwrap_or_else(|| source.get(span.clone()).unwrap_or("this key"));
    let problem = Problem::new(span, format!("`{name}` is there twice")).with_hint(match heading {
        Some(_) => "put the keys of both under one heading",
        None => "keep one of them",
    });
    match find_first(source, start, (heading, name)) {
        Some(first) => problem.with_other(first, "first here"),
        None => problem,
    }
}

/// The line above that has the same heading, or the same key in the same table.
fn find_first(source: &str, before: usize, (heading, name): (Option<&str>, &str)) -> Option<Range<usize>> {
    let mut found = None;
    let mut at = 0;
    for line in source[..before].split_inclusive('\n') {
        let text = line.trim();
        let place = at + line.len() - line.trim_start().len();
        at += line.len();
        let is_heading = HEADING.is_match(text);
        let is_key = text.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(['=', '.']));
        match heading {
            Some(heading) if is_heading && text.starts_with(heading) => {
                return Some(place..place + heading.len());
            }
            Some(_) => {}
            None if is_heading => found = None,
            None if is_key && found.is_none() => found = Some(place..place + name.len()),
            None => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use toml::de::DeTable;

    use super::*;

    fn found(source: &str) -> Vec<Problem> {
        syntax_problems(source, &DeTable::parse_recoverable(source).1)
    }

    fn problems(source: &str) -> Vec<(String, String)> {
        let found = found(source).into_iter();
        found.map(|problem| (source[problem.span].to_owned(), problem.message)).collect()
    }

    #[test]
    fn one_slip_is_one_mistake() {
        let open = "[matrix]\na = [1, 2 # ]\nb = ['[', \"]\"]\n[shard]\ncommand = 'x'\n";
        assert_eq!(problems(open), [("[".to_owned(), "this `[` is never closed".to_owned())]);
        assert_eq!(problems("a = [[1], [2]\n").len(), 1);
        let yaml = problems("# eval\nname: eval\nmatrix:\n  policy: [flat]\n");
        let message = "this looks like YAML, and the file has to be TOML".to_owned();
        assert_eq!(yaml, [("name: eval".to_owned(), message)]);
        assert_eq!(problems("{\"shard\": {}}").len(), 1);
        assert_eq!(problems("command = python eval.py\nname = x\n").len(), 2);
    }

    #[test]
    fn both_places_of_what_is_there_twice_are_known() {
        let tables = "[shard]\ncommand = 'a'\n[schedule]\nretries = 1\n[shard]\ncwd = '.'\n";
        let [problem] = &found(tables)[..] else { panic!("{:?}", found(tables)) };
        assert_eq!(problem.message, "`[shard]` is there twice");
        assert_eq!(problem.other, Some((0..7, "first here")));
        let keys = "command = 'z'\n[shard]\ncommand = 'a'\ncommand = 'b'\n";
        assert_eq!(found(keys)[0].other, Some((22..29, "first here")));
    }
}
