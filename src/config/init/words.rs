//! The words of a `for` loop as values of an axis.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::draft::DraftValues;

/// More words than these belong into a file.
const MOST_WORDS: i64 = 10_000;

static SEQUENCE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:\$\(|`)\s*seq\s+(?:(-?\d+)\s+)?(-?\d+)\s*(?:\)|`)$").expect("the pattern is a constant")
});
static BRACE_RANGE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\{(-?\d+)\.\.(-?\d+)\}$").expect("the pattern is a constant"));
static BRACE_LIST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^([^{}$]*)\{([^{}$]+,[^{}$]*)\}([^{}$]*)$").expect("the pattern is a constant")
});
static EXPANSION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"^"?\$\{?(\w+)(?:\[[@*]\])?\}?"?$"#).expect("the pattern is a constant"));

/// The values of the words behind `in`; `known` are variables with their words. The error says what cannot be read.
pub fn read_words(text: &str, known: &BTreeMap<String, Vec<String>>) -> Result<DraftValues, String> {
    let text = text.trim();
    if let Some(found) = SEQUENCE.captures(text) {
        let first = found.get(1).map_or(Ok(1), |first| first.as_str().parse());
        return range(first.ok(), found[2].parse().ok(), text);
    }
    if let Some(found) = BRACE_RANGE.captures(text) {
        return range(found[1].parse().ok(), found[2].parse().ok(), text);
    }
    let mut words = Vec::new();
    for piece in split_words(text)? {
        if let Some(values) = EXPANSION.captures(&piece).and_then(|found| known.get(&found[1])) {
            words.extend(values.iter().cloned());
        } else if let Some(found) = BRACE_LIST.captures(&piece) {
            words.extend(found[2].split(',').map(|middle| format!("{}{middle}{}", &found[1], &found[3])));
        } else if piece.contains(['$', '`', '{', '(']) {
            return Err(format!("`{piece}`"));
        } else {
            words.push(piece.trim_matches(['"', '\'']).to_owned());
        }
    }
    match words.as_slice() {
        [] => Err("no words".to_owned()),
        [only] if only.contains(['*', '?']) => Ok(DraftValues::Glob(only.clone())),
        words if words.iter().any(|word| word.contains(['*', '?'])) => {
            Err("several words with a pattern of files".to_owned())
        }
        _ => Ok(DraftValues::Words(words)),
    }
}

fn range(first: Option<i64>, last: Option<i64>, text: &str) -> Result<DraftValues, String> {
    let fits = |first: &i64, last: &i64| first <= last && last.saturating_sub(*first) <= MOST_WORDS;
    let bounds = first.zip(last).filter(|(first, last)| fits(first, last));
    bounds.map(|(first, last)| DraftValues::Range(first, last)).ok_or_else(|| format!("`{text}`"))
}

/// Words of bash with their quotes, cut at blanks outside of quotes and brackets.
fn split_words(text: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word) = (Vec::new(), String::new());
    let (mut quote, mut depth) = (None, 0_i32);
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c == '(' || c == '{' => depth += 1,
            None if c == ')' || c == '}' => depth -= 1,
            None => {}
        }
        if c.is_whitespace() && quote.is_none() && depth == 0 {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        } else {
            word.push(c);
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    if quote.is_none() { Ok(words) } else { Err("an open quote".to_owned()) }
}

/// The words of an array or of a variable: what is behind `NAME=`.
pub fn read_assigned(text: &str) -> Option<Vec<String>> {
    let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(text);
    match read_words(inner.trim_matches(['"', '\'']), &BTreeMap::new()).ok()? {
        DraftValues::Words(words) => Some(words),
        DraftValues::Range(first, last) => Some((first..=last).map(|number| number.to_string()).collect()),
        DraftValues::Glob(_) => None,
    }
}
