//! An axis of a sweep with its values, and what a typed text means among them.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::value::Value;

/// The values of an axis in their order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AxisValues {
    /// The name of the axis.
    pub name: String,
    /// Its values, none twice.
    pub values: Vec<Value>,
}

/// Reports whether the axis repeats the others under other random numbers, as far as its name shows it.
pub fn is_seed(axis: &str) -> bool {
    axis.eq_ignore_ascii_case("seed") || axis.ends_with("_seed")
}

/// The source of an axis' values, where the sweep file does not list them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AxisOrigin {
    /// Files and folders that match a pattern.
    Glob(String),
    /// The lines of a file.
    Lines(String),
    /// The lines that a command prints.
    Command(String),
}

impl fmt::Display for AxisOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Glob(pattern) => write!(f, "files `{pattern}`"),
            Self::Lines(file) => write!(f, "lines of `{file}`"),
            Self::Command(command) => write!(f, "lines that `{command}` prints"),
        }
    }
}

/// An axis of that kind once its values were looked for.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundAxis {
    /// The name of the axis.
    pub name: String,
    /// The source of its values.
    pub origin: AxisOrigin,
    /// Its values, or why there are none.
    pub values: Result<Vec<Value>, String>,
}

/// Why a text is no further value of an axis.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AxisError {
    /// The typed text is empty.
    #[error("type a value for `{axis}`")]
    Empty {
        /// Name of the axis that lacks a value.
        axis: String,
    },
    /// The axis has this value already.
    #[error("`{axis}` has `{text}` already")]
    Twice {
        /// Name of the axis that has it.
        axis: String,
        /// The value as the user typed it.
        text: String,
    },
    /// The value is of another type than the others.
    #[error("`{text}` is not {wanted}, as the values of `{axis}` are")]
    OtherType {
        /// Name of the axis with the other values.
        axis: String,
        /// The value as the user typed it.
        text: String,
        /// The type of the others, in words.
        wanted: &'static str,
    },
}

impl AxisValues {
    /// Parses a typed text as a further value of this axis, of the type that the others have.
    pub fn parse_value(&self, text: &str) -> Result<Value, AxisError> {
        let (axis, text) = (self.name.clone(), text.trim());
        if text.is_empty() {
            return Err(AxisError::Empty { axis });
        }
        let other = |wanted| AxisError::OtherType { axis: axis.clone(), text: text.to_owned(), wanted };
        let number = || text.parse().ok().filter(|number: &f64| number.is_finite());
        // Only an axis of files has no values yet.
        let all = |is_so: fn(&Value) -> bool| !self.values.is_empty() && self.values.iter().all(is_so);
        let value = if all(|value| matches!(value, Value::Boolean(_))) {
            Value::Boolean(text.parse().map_err(|_| other("a boolean"))?)
        } else if all(|value| matches!(value, Value::Integer(_))) {
            Value::Integer(text.parse().map_err(|_| other("an integer"))?)
        } else if all(|value| matches!(value, Value::Float(_) | Value::Integer(_))) {
            Value::Float(number().ok_or_else(|| other("a number"))?)
        } else {
            Value::String(text.to_owned())
        };
        if self.values.iter().any(|known| known.to_string() == value.to_string()) {
            return Err(AxisError::Twice { axis, text: text.to_owned() });
        }
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(values: &[Value]) -> AxisValues {
        AxisValues { name: "x".to_owned(), values: values.to_vec() }
    }

    #[test]
    fn a_text_becomes_a_value_of_the_type_that_the_others_have() {
        let numbers = axis(&[Value::Integer(1), Value::Integer(2)]);
        assert_eq!(numbers.parse_value(" 7 "), Ok(Value::Integer(7)));
        assert!(numbers.parse_value("7.5").unwrap_err().to_string().contains("not an integer"));
        assert!(numbers.parse_value("2").unwrap_err().to_string().contains("already"));
        assert!(numbers.parse_value(" ").is_err());
        let rates = axis(&[Value::Float(0.5), Value::Integer(1)]);
        assert_eq!(rates.parse_value("2"), Ok(Value::Float(2.0)));
        assert!(rates.parse_value("inf").is_err());
        assert_eq!(axis(&[Value::Boolean(true)]).parse_value("false"), Ok(Value::Boolean(false)));
        let texts = axis(&[Value::String("flat".to_owned())]);
        assert_eq!(texts.parse_value("7"), Ok(Value::String("7".to_owned())));
    }
}
