//! The names of a pack's values as a program may spell them: 1e-5 is 1e-05, and 1.0 is 1.

use std::collections::HashMap;

use crate::model::logs::value_log::NAME_SEPARATOR;
use crate::model::sweep::plan::Pack;
use crate::model::value::Value;
use crate::results::merge::json::Json;

/// The place of each value in its pack, by its name in files and logs.
#[derive(Debug)]
pub(super) struct Names {
    /// The kind of name of each packed axis.
    kinds: Vec<NameKind>,
    /// Values of one name, such as 1 and "1", are reported together.
    places: HashMap<Vec<Name>, Vec<usize>>,
}

/// How names are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameKind {
    /// All values are numbers.
    Number,
    /// All are `true` or `false`, which Python writes with a capital.
    Boolean,
    /// Compared letter by letter.
    Text,
}

/// A name of a value in the same spelling wherever it is found.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Name {
    Integer(i64),
    /// The bits of a number that is not whole, or too large.
    Float(u64),
    Boolean(bool),
    Text(String),
}

impl Names {
    /// The names of the values of a pack.
    pub(super) fn from_pack(pack: &Pack) -> Self {
        let columns = pack.axes.iter().map(|axis| pack.values_of(axis).unwrap_or_default());
        let kinds: Vec<NameKind> = columns.map(|values| NameKind::from_values(&values)).collect();
        let mut places: HashMap<Vec<Name>, Vec<usize>> = HashMap::new();
        for (at, value) in pack.values.iter().enumerate() {
            let named = kinds.iter().zip(&value.0).map(|(kind, value)| kind.parse_name(&value.to_string()));
            if let Some(name) = named.collect::<Option<Vec<Name>>>() {
                places.entry(name).or_default().push(at);
            }
        }
        Self { kinds, places }
    }

    /// The places of the value that is called so; empty where there is none. The names of a value of several axes are
    /// separated by [`NAME_SEPARATOR`].
    pub(super) fn find_places(&self, called: &str) -> &[usize] {
        if let [_] = &self.kinds[..] {
            return self.places_by(&[called.to_owned()]);
        }
        self.places_by(&called.split(NAME_SEPARATOR).map(str::to_owned).collect::<Vec<_>>())
    }

    /// The places of the value that cells or keys of a document name, one for each axis.
    pub(super) fn places_of(&self, cells: &[&Json]) -> &[usize] {
        let called = |cell: &&Json| match cell {
            Json::Word(word) => Some(word.clone()),
            Json::Text(text) => Some(serde_json::from_str(text).unwrap_or_else(|_| cell.display_text())),
            Json::List(_) | Json::Map(_) => None,
        };
        let called = cells.iter().map(called).collect::<Option<Vec<String>>>();
        called.map(|called| self.places_by(&called)).unwrap_or_default()
    }

    fn places_by(&self, called: &[String]) -> &[usize] {
        if called.len() != self.kinds.len() {
            return &[];
        }
        let name = self.kinds.iter().zip(called).map(|(kind, text)| kind.parse_name(text));
        let places = name.collect::<Option<Vec<Name>>>().and_then(|name| self.places.get(&name));
        places.map(Vec::as_slice).unwrap_or_default()
    }
}

impl NameKind {
    fn from_values(values: &[&Value]) -> Self {
        let all = |is: fn(&Value) -> bool| !values.is_empty() && values.iter().all(|value| is(value));
        if all(|value| matches!(value, Value::Integer(_) | Value::Float(_))) {
            Self::Number
        } else if all(|value| matches!(value, Value::Boolean(_))) {
            Self::Boolean
        } else {
            Self::Text
        }
    }

    fn parse_name(self, text: &str) -> Option<Name> {
        match self {
            Self::Number => parse_number(text.trim()),
            Self::Boolean => match text.trim() {
                "true" | "True" => Some(Name::Boolean(true)),
                "false" | "False" => Some(Name::Boolean(false)),
                _ => None,
            },
            Self::Text => Some(Name::Text(text.to_owned())),
        }
    }
}

/// Whole numbers are compared as such, so that none is rounded to another.
fn parse_number(text: &str) -> Option<Name> {
    if let Ok(whole) = text.parse() {
        return Some(Name::Integer(whole));
    }
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite())?;
    let range = i64::MIN as f64..-(i64::MIN as f64);
    if number.fract() == 0.0 && range.contains(&number) {
        return Some(Name::Integer(number as i64));
    }
    Some(Name::Float(number.to_bits()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::sweep::plan::PackSizing;
    use crate::model::sweep::plan::PackedValue;

    fn names_of(values: &[Value]) -> Names {
        Names::from_pack(&Pack::of_axis(0, "x", values.to_vec()))
    }

    #[test]
    fn a_value_of_several_axes_is_found_by_all_of_its_names() {
        let value = |task: &str, rate| PackedValue(vec![Value::String(task.to_owned()), Value::Float(rate)]);
        let pack = Pack {
            index: 0,
            axes: vec!["task".to_owned(), "rate".to_owned()],
            values: vec![value("pick", 0.5), value("pick", 1e-5), value("place", 0.5)],
            sizing: PackSizing::Given,
            split_from: None,
        };
        let names = Names::from_pack(&pack);
        assert_eq!((names.find_places("pick\t1e-05"), names.find_places("place\t.5")), (&[1][..], &[2][..]));
        assert!(["pick", "place\t1", "pick\t0.5\tx"].iter().all(|other| names.find_places(other).is_empty()));
        let (task, rate) = (Json::Text(r#""place""#.into()), Json::Word("0.50".into()));
        assert_eq!(names.places_of(&[&task, &rate]), [2]);
        assert!(names.places_of(&[&task]).is_empty());
    }

    #[test]
    fn a_number_is_found_however_it_is_spelt() {
        let names = names_of(&[Value::Integer(0), Value::Float(0.5), Value::Integer(1), Value::Float(1e-5)]);
        for (spellings, place) in
            [(["0.0", "-0", "0"], 0), (["0.5", " 0.50", ".5"], 1), (["1.0", "1e0", "+1"], 2)]
        {
            assert!(spellings.iter().all(|spelling| names.find_places(spelling) == [place]), "{spellings:?}");
        }
        assert!(["1e-5", "1e-05", "0.00001"].iter().all(|spelling| names.find_places(spelling) == [3]));
        assert!(
            ["2", "1x", "", "nan", "inf", "1e999"].iter().all(|other| names.find_places(other).is_empty())
        );
        let large = names_of(&[Value::Integer(i64::MAX), Value::Integer(i64::MAX - 1)]);
        assert_eq!(large.find_places("9223372036854775806"), [1]);
        assert!(large.find_places("9223372036854775807.0").is_empty(), "what was rounded is another number");
    }

    #[test]
    fn other_values_are_found_as_they_are_written() {
        let truth = names_of(&[Value::Boolean(false), Value::Boolean(true)]);
        assert_eq!((truth.find_places("True"), truth.find_places("false")), (&[1][..], &[0][..]));
        assert!(truth.find_places("1").is_empty());
        let mixed = names_of(&[Value::String("1".into()), Value::Integer(1), Value::Float(1.0)]);
        assert_eq!((mixed.find_places("1"), mixed.find_places("1.0")), (&[0, 1][..], &[2][..]));
        let text = names_of(&[Value::String("café".into())]);
        assert_eq!(text.places_of(&[&Json::Text(r#""caf\u00e9""#.into())]), [0]);
    }

    proptest! {
        #[test]
        fn every_number_is_found_in_the_spelling_of_rust_and_of_python(
            number in any::<f64>().prop_filter("finite", |number| number.is_finite()),
            whole in any::<i64>(),
        ) {
            let names = names_of(&[Value::Float(number)]);
            prop_assert_eq!(names.find_places(&format!("{number:?}")), [0]);
            prop_assert_eq!(names.find_places(&format!("{number:e}")), [0]);
            prop_assert_eq!(names.places_of(&[&Json::from_float(number)]), [0]);
            let names = names_of(&[Value::Integer(whole)]);
            prop_assert_eq!(names.find_places(&whole.to_string()), [0]);
        }
    }
}
