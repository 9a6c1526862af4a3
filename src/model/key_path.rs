//! Which values of a result file are meant: `overall.pc_success`, `per_task[].metrics.successes[]`, `per_group.*.n`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A path from the top of a document to its values; in a table the name of a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct KeyPath {
    text: String,
    steps: Vec<KeyPathStep>,
}

/// A step from a value down into what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyPathStep {
    /// The value of this name in a map.
    Name(String),
    /// Each value of a map or list.
    Each,
    /// The value at this place of a list; negative ones count from its end.
    At(i64),
}

/// Why a text is no path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyPathError {
    /// The text of the path is empty.
    #[error("is empty")]
    Empty,
    /// Two dots in a row, or one at an end.
    #[error("has an empty step in `{0}`")]
    EmptyStep(String),
}

impl KeyPath {
    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The steps from the top.
    pub fn steps(&self) -> &[KeyPathStep] {
        &self.steps
    }

    /// Reports whether a document may hold several such values.
    pub fn is_many(&self) -> bool {
        self.steps.contains(&KeyPathStep::Each)
    }
}

impl FromStr for KeyPath {
    type Err = KeyPathError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.trim().is_empty() {
            return Err(KeyPathError::Empty);
        }
        if text.split('.').any(|part| part.trim().is_empty()) {
            return Err(KeyPathError::EmptyStep(text.to_owned()));
        }
        // Columns are called `power.draw [W]`, too.
        let steps = parse_steps(text).unwrap_or_else(|| vec![KeyPathStep::Name(text.to_owned())]);
        Ok(Self { text: text.to_owned(), steps })
    }
}

/// The steps; `None` if brackets hold what is no step.
fn parse_steps(text: &str) -> Option<Vec<KeyPathStep>> {
    let mut steps = Vec::new();
    for part in text.split('.') {
        let (name, mut brackets) = part.split_at(part.find('[').unwrap_or(part.len()));
        match name {
            "" => {}
            "*" => steps.push(KeyPathStep::Each),
            name => steps.push(KeyPathStep::Name(name.to_owned())),
        }
        while !brackets.is_empty() {
            let (inside, rest) = brackets.strip_prefix('[')?.split_once(']')?;
            steps.push(match inside {
                "" | "*" => KeyPathStep::Each,
                place => KeyPathStep::At(place.parse().ok()?),
            });
            brackets = rest;
        }
    }
    Some(steps)
}

impl TryFrom<String> for KeyPath {
    type Error = KeyPathError;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<KeyPath> for String {
    fn from(path: KeyPath) -> Self {
        path.text
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_taken_apart_at_dots_and_brackets() {
        let name = |name: &str| KeyPathStep::Name(name.to_owned());
        let steps = |text: &str| text.parse::<KeyPath>().map(|path| path.steps);
        assert_eq!(steps("overall.pc_success"), Ok(vec![name("overall"), name("pc_success")]));
        let lists =
            vec![name("per_task"), KeyPathStep::Each, name("metrics"), name("successes"), KeyPathStep::Each];
        assert_eq!(steps("per_task[].metrics.successes[*]"), Ok(lists));
        assert_eq!(
            steps("*.n[-1][0]"),
            Ok(vec![KeyPathStep::Each, name("n"), KeyPathStep::At(-1), KeyPathStep::At(0)])
        );
        assert_eq!(steps("[].success"), Ok(vec![KeyPathStep::Each, name("success")]));
        assert_eq!(steps("eval/success rate"), Ok(vec![name("eval/success rate")]));
    }

    #[test]
    fn what_is_no_step_belongs_to_a_name() {
        for text in ["power.draw [W]", "a[x]", "a[", "a[]b"] {
            assert_eq!(text.parse::<KeyPath>().unwrap().steps, [KeyPathStep::Name(text.to_owned())]);
        }
        let error = |text: &str| text.parse::<KeyPath>().unwrap_err().to_string();
        assert_eq!(error(" "), "is empty");
        assert_eq!(error("a..b"), "has an empty step in `a..b`");
    }
}
