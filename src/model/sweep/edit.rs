//! What a user changed of one shard for a new attempt, compared with the sweep as given.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::needs::own_needs::OwnNeeds;
use crate::model::value::Value;

/// All that was changed. It holds for one requeue: for its attempt and for those that are tried again by themselves.
/// The shard keeps its name and its place in the matrix.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Edit {
    /// Variables with other values than the matrix gives them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<VariableEdit>,
    /// Environment variables with other values than the sweep gives them, if it gives any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<EnvironmentEdit>,
    /// Needs that follow from the templates of `[resources]` with these values; they are written with the fact, so that
    /// a reader of the journal needs no templates. Absent in journals of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<Box<OwnNeeds>>,
}

/// A variable with another value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VariableEdit {
    /// Name of the axis that is changed.
    pub name: String,
    /// The value of the matrix.
    pub old: Value,
    /// The value in its place.
    pub new: Value,
}

/// An environment variable with another value; both are templates, as in the sweep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnvironmentEdit {
    /// Its name; never that of a secret, because this is written into the journal.
    pub name: String,
    /// The template in the sweep, where it has one.
    pub old: Option<String>,
    /// The template in its place.
    pub new: String,
}

impl Edit {
    /// Reports whether nothing was changed.
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty() && self.environment.is_empty()
    }

    /// Describes each change in one line: `policy: flat → rough`, `$SEED: 1 → 2`.
    pub fn to_lines(&self) -> Vec<String> {
        let variables =
            self.variables.iter().map(|edit| format!("{}: {} → {}", edit.name, edit.old, edit.new));
        let environment = self.environment.iter().map(|edit| {
            let old = edit.old.as_deref().unwrap_or("(not in the sweep)");
            format!("${}: {old} → {}", edit.name, edit.new)
        });
        variables.chain(environment).collect()
    }
}

impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_lines().join(", "))
    }
}
