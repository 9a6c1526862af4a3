//! Which shards are shown: words that must all be found, `!word` that must not, `name==value` for one value exactly.

use crate::model::state::shard_state::ShardState;
use crate::model::sweep::plan::ShardSpec;

/// A filter as typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    text: String,
    words: Vec<Word>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    text: String,
    /// Before `==`: the variable whose value must be the text, and not only hold it.
    variable: Option<String>,
    wanted: bool,
}

impl Word {
    fn parse(word: &str) -> Self {
        let (rest, wanted) = word.strip_prefix('!').map_or((word, true), |rest| (rest, false));
        let rest = rest.replace('"', "");
        let (variable, text) = match rest.split_once("==") {
            Some((variable, value)) if !variable.is_empty() => (Some(variable.to_owned()), value),
            Some(_) | None => (None, rest.as_str()),
        };
        Self { text: text.to_lowercase(), variable, wanted }
    }
}

/// The word of a filter that admits a variable of this value only.
pub fn filter_for_value(variable: &str, value: &str) -> String {
    // A quote within a value cannot be written; it is passed over on both sides.
    let value = value.replace('"', "");
    if value.contains(char::is_whitespace) {
        format!("{variable}==\"{value}\"")
    } else {
        format!("{variable}=={value}")
    }
}

/// The words of a text; blanks between quotes belong to their word.
fn split_words(text: &str) -> Vec<&str> {
    let mut is_quoted = false;
    let between = |c: char| {
        is_quoted ^= c == '"';
        c.is_whitespace() && !is_quoted
    };
    text.split(between).filter(|word| !word.is_empty()).collect()
}

impl Filter {
    /// Reads a filter; a lone `!` is one that is still being typed.
    pub fn new(text: &str) -> Self {
        let words = split_words(text).into_iter().map(Word::parse);
        let is_said = |word: &Word| !word.text.is_empty() || word.variable.is_some();
        Self { text: text.to_owned(), words: words.filter(is_said).collect() }
    }

    /// Returns the text as it was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Reports whether the filter lets everything through.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The shard is shown. Looked at are id, state, condition, reason and `name=value` of its variables.
    pub fn admits(&self, shard: &ShardState, spec: Option<&ShardSpec>) -> bool {
        if self.is_empty() {
            return true;
        }
        let mut text = format!("{} {}", shard.id, shard.phase.kind().as_str());
        if let Some(condition) = shard.condition() {
            text.push(' ');
            text.push_str(condition.as_str());
        }
        if let Some(failure) = shard.phase.failure() {
            text.push(' ');
            text.push_str(failure.reason.as_str());
        }
        for (name, value) in spec.iter().flat_map(|spec| spec.vars.iter()) {
            text.push_str(&format!(" {name}={value}"));
        }
        let value = |name: &str| spec.map(|spec| spec.value_of(name)).unwrap_or_default();
        self.admits_given(&text, |name| value(name).replace('"', ""))
    }

    /// All wanted words are in the text and none of the others, whatever their case.
    pub fn admits_text(&self, text: &str) -> bool {
        self.admits_given(text, |_| String::new())
    }

    /// The same, where variables have values too.
    fn admits_given(&self, text: &str, value: impl Fn(&str) -> String) -> bool {
        let text = text.to_lowercase();
        self.words.iter().all(|word| {
            let is_found = match &word.variable {
                Some(name) => value(name).to_lowercase() == word.text,
                None => text.contains(&word.text),
            };
            is_found == word.wanted
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admits(filter: &str, value: &str) -> bool {
        Filter::new(filter).admits_given("stairs_hard_7 running env=stairs_hard", |_| value.to_owned())
    }

    #[test]
    fn two_equal_signs_mean_the_whole_value() {
        assert!(admits("env=stairs", "stairs_hard"), "a part is enough after one");
        assert!(!admits("env==stairs", "stairs_hard"));
        assert!(admits("env==Stairs running", "stairs"), "whatever the case");
        assert!(!admits("!env==stairs", "stairs"));
        assert!(admits(&filter_for_value("env", "two words"), "two words"));
        assert!(!admits(&filter_for_value("env", "two words"), "two"));
        assert!(admits(&filter_for_value("env", ""), ""), "a value may be empty");
    }
}
