//! Which shards are shown: words that must all be found, `!word` that must not.

use crate::model::plan::ShardSpec;
use crate::model::shard_state::ShardState;

/// A filter as typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    text: String,
    words: Vec<Word>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    text: String,
    wanted: bool,
}

impl Filter {
    /// Reads a filter; a lone `!` is one that is still being typed.
    pub fn new(text: &str) -> Self {
        let words = text.split_whitespace().map(|word| match word.strip_prefix('!') {
            Some(rest) => Word { text: rest.to_lowercase(), wanted: false },
            None => Word { text: word.to_lowercase(), wanted: true },
        });
        Self { text: text.to_owned(), words: words.filter(|word| !word.text.is_empty()).collect() }
    }

    /// What was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// It lets everything through.
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
        self.admits_text(&text)
    }

    /// All wanted words are in the text and none of the others, whatever their case.
    pub fn admits_text(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.words.iter().all(|word| text.contains(&word.text) == word.wanted)
    }
}
