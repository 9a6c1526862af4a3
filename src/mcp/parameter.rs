//! A parameter of a tool: its type, and its place on the command line.

use serde_json::{Value, json};

/// A parameter of a tool.
#[derive(Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Name in the call.
    pub name: &'static str,
    /// Its type, and its place on the command line.
    pub kind: ParameterKind,
    /// Whether a call must have it.
    pub is_required: bool,
    /// Its meaning.
    pub help: &'static str,
}

/// Type of a parameter, and its place on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// A string behind this option.
    Option(&'static str),
    /// A number of at least 1 behind this option, and the number where none is given.
    Number(&'static str, Option<u64>),
    /// This option, or not.
    Flag(&'static str),
    /// A word of its own.
    Word,
    /// Several words.
    Words,
}

impl Parameter {
    /// Returns the JSON schema of its values.
    pub fn to_schema(&self) -> Value {
        let mut schema = match self.kind {
            ParameterKind::Option(_) | ParameterKind::Word => json!({"type": "string"}),
            ParameterKind::Number(..) => json!({"type": "integer", "minimum": 1}),
            ParameterKind::Flag(_) => json!({"type": "boolean"}),
            ParameterKind::Words => json!({"type": "array", "items": {"type": "string"}, "minItems": 1}),
        };
        schema["description"] = json!(self.help);
        schema
    }
}
