//! A pack: several values of one axis, or of several axes together, in one process.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::value::Value;

/// Several values in one process: `{{ pack.values }}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "WrittenPack", into = "WrittenPack")]
pub struct Pack {
    /// 0-based number of the pack within its combo.
    pub index: u32,
    /// The packed axes, usually one.
    pub axes: Vec<String>,
    /// The values in this pack.
    pub values: Vec<PackedValue>,
    /// How the number of values that share a process is decided.
    pub sizing: PackSizing,
    /// The number of the part that would begin with the second value, and so on; `None` if parts get the next number that
    /// is free, as on one machine.
    pub split_from: Option<u32>,
}

/// A value of the packed axis, or one value of each axis where several are packed.
#[derive(Debug, Clone, PartialEq)]
pub struct PackedValue(pub Vec<Value>);

/// How the number of values that share a process is decided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PackSizing {
    /// By a number in the sweep.
    #[default]
    Given,
    /// By what is known of the memory when the pack starts: values beyond what fits are cut off then.
    Auto,
}

impl PackSizing {
    fn is_given(&self) -> bool {
        *self == Self::Given
    }
}

impl Pack {
    /// A pack of values of one axis.
    pub fn of_axis(index: u32, axis: &str, values: impl IntoIterator<Item = Value>) -> Self {
        let values = values.into_iter().map(|value| PackedValue(vec![value])).collect();
        Self { index, axes: vec![axis.to_owned()], values, sizing: PackSizing::Given, split_from: None }
    }

    /// The packed axes as one name: `reward`, `task × seed`.
    pub fn axis_name(&self) -> String {
        self.axes.join(" × ")
    }

    /// The values of one of the packed axes, one for each value of the pack; `None` of an axis that is not packed.
    pub fn values_of(&self, axis: &str) -> Option<Vec<&Value>> {
        let place = self.axes.iter().position(|packed| packed == axis)?;
        Some(self.values.iter().filter_map(|value| value.0.get(place)).collect())
    }

    /// Each value with the axes that it is of.
    pub fn axis_values(&self) -> impl Iterator<Item = Vec<(&str, &Value)>> {
        let axes = || self.axes.iter().map(String::as_str);
        self.values.iter().map(move |value| axes().zip(&value.0).collect())
    }
}

impl fmt::Display for PackedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0[..] {
            [only] => only.fmt(f),
            several => f.pad(&several.iter().map(Value::to_string).collect::<Vec<_>>().join(" ")),
        }
    }
}

/// The form in files: a pack of one axis as versions without packs of several axes write it.
#[derive(Serialize, Deserialize)]
struct WrittenPack {
    index: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    axis: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    axes: Vec<String>,
    values: Vec<WrittenValue>,
    #[serde(default, skip_serializing_if = "PackSizing::is_given")]
    size: PackSizing,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    split_from: Option<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WrittenValue {
    One(Value),
    Several(Vec<Value>),
}

impl From<WrittenPack> for Pack {
    fn from(written: WrittenPack) -> Self {
        let value = |value| match value {
            WrittenValue::One(value) => PackedValue(vec![value]),
            WrittenValue::Several(values) => PackedValue(values),
        };
        Self {
            index: written.index,
            axes: written.axis.into_iter().chain(written.axes).collect(),
            values: written.values.into_iter().map(value).collect(),
            sizing: written.size,
            split_from: written.split_from,
        }
    }
}

impl From<Pack> for WrittenPack {
    fn from(pack: Pack) -> Self {
        let is_one = pack.axes.len() == 1;
        let value = |PackedValue(mut values): PackedValue| match values.pop() {
            Some(only) if is_one => WrittenValue::One(only),
            last => WrittenValue::Several(values.into_iter().chain(last).collect()),
        };
        Self {
            index: pack.index,
            values: pack.values.into_iter().map(value).collect(),
            axis: if is_one { pack.axes.first().cloned() } else { None },
            axes: if is_one { Vec::new() } else { pack.axes },
            size: pack.sizing,
            split_from: pack.split_from,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        Value::String(text.to_owned())
    }

    #[test]
    fn a_pack_of_one_axis_is_written_as_ever() {
        let written = r#"{"index":3,"axis":"reward","values":[0,0.5,"a"]}"#;
        let pack: Pack = serde_json::from_str(written).unwrap();
        let values = [Value::Integer(0), Value::Float(0.5), text("a")];
        assert_eq!(pack, Pack::of_axis(3, "reward", values));
        assert_eq!(serde_json::to_string(&pack).unwrap(), written);
    }

    #[test]
    fn values_of_several_axes_stay_together() {
        let value = |task: &str, seed| PackedValue(vec![text(task), Value::Integer(seed)]);
        let pack = Pack {
            index: 0,
            axes: vec!["task".to_owned(), "seed".to_owned()],
            values: vec![value("pick", 0), value("pick", 1)],
            sizing: PackSizing::Auto,
            split_from: None,
        };
        let written = serde_json::to_string(&pack).unwrap();
        let expected = r#"{"index":0,"axes":["task","seed"],"values":[["pick",0],["pick",1]],"size":"auto"}"#;
        assert_eq!(written, expected);
        assert_eq!(serde_json::from_str::<Pack>(&written).unwrap(), pack);
        assert_eq!(pack.values_of("seed"), Some(vec![&Value::Integer(0), &Value::Integer(1)]));
        assert_eq!(pack.values_of("policy"), None);
        assert_eq!(
            (pack.axis_name().as_str(), pack.values[1].to_string().as_str()),
            ("task × seed", "pick 1")
        );
    }
}
