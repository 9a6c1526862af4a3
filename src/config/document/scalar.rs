//! Single values of the document: texts, numbers and flags.

use toml::de::DeValue;

use crate::model::value::Value;

/// A value as templates see it; arrays, tables and dates are none.
pub(in crate::config) fn scalar_value(value: &DeValue<'_>) -> Option<Value> {
    match value {
        DeValue::String(text) => Some(Value::String(text.clone().into_owned())),
        DeValue::Boolean(flag) => Some(Value::Boolean(*flag)),
        DeValue::Integer(_) => parse_integer(value).map(Value::Integer),
        // NaN and infinity have no place in JSON, where the plan is kept.
        DeValue::Float(float) => float
            .as_str()
            .replace('_', "")
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite())
            .map(Value::Float),
        DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => None,
    }
}

/// Names the type of a value as TOML does.
pub(in crate::config) fn type_name(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date-time",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}

/// A whole number that fits.
pub(in crate::config) fn parse_integer(value: &DeValue<'_>) -> Option<i64> {
    let integer = value.as_integer()?;
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}
