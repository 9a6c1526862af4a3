//! The values of matrix variables, keeping their TOML types and their order.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value of an axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// The TOML value `true` or `false`.
    Boolean(bool),
    /// A whole number of 64 bits.
    Integer(i64),
    /// A number with a point.
    Float(f64),
    /// A text of any content.
    String(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean(value) => f.pad(if *value { "true" } else { "false" }),
            Self::Integer(value) => fmt::Display::fmt(value, f),
            // `{:?}` keeps the point of 1.0, so that the text reads back as the same type.
            Self::Float(value) => f.pad(&format!("{value:?}")),
            Self::String(value) => f.pad(value),
        }
    }
}

// By hand: serde tries the variants one after the other, and words an error for each that it is not. Plans of 10,000
// shards have 20,000 values.
impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyValue;
        impl Visitor<'_> for AnyValue {
            type Value = Value;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a boolean, a number or a string")
            }
            fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
                Ok(Value::Boolean(value))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
                Ok(Value::Integer(value))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
                Ok(i64::try_from(value).map_or(Value::Float(value as f64), Value::Integer))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
                Ok(Value::Float(value))
            }
            fn visit_str<E>(self, value: &str) -> Result<Value, E> {
                Ok(Value::String(value.to_owned()))
            }
            fn visit_string<E>(self, value: String) -> Result<Value, E> {
                Ok(Value::String(value))
            }
        }
        deserializer.deserialize_any(AnyValue)
    }
}

/// Variables of a combo in the order of the axes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Variables(pub Vec<(String, Value)>);

impl Variables {
    /// The value of the named axis.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Names and values in the order of the axes.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }
}

impl Serialize for Variables {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Variables {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct VariablesVisitor;
        impl<'de> Visitor<'de> for VariablesVisitor {
            type Value = Variables;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table of variables")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Variables, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Variables(entries))
            }
        }
        deserializer.deserialize_map(VariablesVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_types() {
        let text = r#"[true, -3, 9223372036854775807, 9223372036854775808, 1.0, "1"]"#;
        let values: Vec<Value> = serde_json::from_str(text).expect("values");
        let expected = [
            Value::Boolean(true),
            Value::Integer(-3),
            Value::Integer(i64::MAX),
            Value::Float(9_223_372_036_854_775_808.0),
            Value::Float(1.0),
            Value::String("1".to_owned()),
        ];
        assert_eq!(values, expected);
        assert!(
            serde_json::from_str::<Value>("[1]").is_err() && serde_json::from_str::<Value>("null").is_err()
        );
    }
}
