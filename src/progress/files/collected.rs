//! The values of one metric from its files, on their way to one number.

use serde_json::Value;

use crate::model::sweep::plan::Reduce;
use crate::progress::counts::metrics::Reduction;
use crate::progress::reading::shorten;

/// The values of one metric so far.
#[derive(Debug)]
pub struct Collected {
    reduce: Reduce,
    scale: f64,
    reduction: Reduction,
    result: Option<f64>,
    has_nan: bool,
    /// First value that is no number, as text, and how many there were.
    foreign: Option<(String, u64)>,
}

/// The result over all values.
#[derive(Debug, Clone, PartialEq)]
pub enum MetricResult {
    /// There was no value to take.
    Nothing,
    /// The result is a finite number.
    Number(f64),
    /// Not a number: the results are wrong, or the file does not know.
    NotANumber,
    /// A division by zero, most likely.
    Infinite,
}

impl MetricResult {
    /// Classifies a single value as a total.
    pub fn of(value: f64) -> Self {
        match value {
            value if value.is_nan() => Self::NotANumber,
            value if value.is_infinite() => Self::Infinite,
            value => Self::Number(value),
        }
    }
}

impl Collected {
    /// Nothing read yet; every value will be multiplied by `scale`.
    pub fn new(reduce: Reduce, scale: Option<f64>) -> Self {
        Self {
            reduce,
            scale: scale.unwrap_or(1.0),
            reduction: Reduction::new(reduce),
            result: None,
            has_nan: false,
            foreign: None,
        }
    }

    /// Takes one value. Nothing where there should be a value is an unknown one and does not count.
    pub fn take(&mut self, value: &Value) {
        if self.reduce == Reduce::Count {
            // Whatever is there is counted: names and lists too.
            if number(value) != Some(None) {
                self.result = Some(self.reduction.take(1.0));
            }
            return;
        }
        match number(value) {
            Some(Some(value)) => {
                self.has_nan |= value.is_nan();
                self.result = Some(self.reduction.take(value * self.scale));
            }
            Some(None) => {}
            None => self.foreign.get_or_insert_with(|| (shown(value), 0)).1 += 1,
        }
    }

    /// Returns the result over all values.
    pub fn total(&self) -> MetricResult {
        match self.result {
            None => MetricResult::Nothing,
            // The least of some numbers and something unknown is unknown.
            Some(_) if self.has_nan && matches!(self.reduce, Reduce::Min | Reduce::Max) => {
                MetricResult::NotANumber
            }
            Some(result) => MetricResult::of(result),
        }
    }

    /// Describes what is wrong with some of the values.
    pub fn complaint(&self) -> Option<String> {
        let (first, count) = self.foreign.as_ref()?;
        Some(match count {
            1 => format!("{first} is no number"),
            count => format!("{count} values are no numbers, the first is {first}"),
        })
    }
}

/// The number that a value is or spells, with 1 for true; unknown where there is nothing; none for what is no number.
pub fn number(value: &Value) -> Option<Option<f64>> {
    match value {
        Value::Null => Some(None),
        Value::Bool(flag) => Some(Some(f64::from(u8::from(*flag)))),
        Value::Number(number) => Some(number.as_f64()),
        Value::String(text) => match text.trim() {
            "" => Some(None),
            text if text.eq_ignore_ascii_case("true") => Some(Some(1.0)),
            text if text.eq_ignore_ascii_case("false") => Some(Some(0.0)),
            text => text.parse().ok().map(Some),
        },
        Value::Array(_) | Value::Object(_) => None,
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list (`[]` behind the name takes its elements)".to_owned(),
        Value::Object(_) => "a map (`.*` behind the name takes its values)".to_owned(),
        other => format!("`{}`", shorten(other.to_string().trim_matches('"').as_bytes())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn total(reduce: Reduce, scale: Option<f64>, values: Value) -> MetricResult {
        let mut collected = Collected::new(reduce, scale);
        values.as_array().unwrap().iter().for_each(|value| collected.take(value));
        collected.total()
    }

    #[test]
    fn booleans_count_and_their_mean_is_a_rate() {
        let values = json!([true, false, null, true, "False", "", "TRUE"]);
        assert_eq!(total(Reduce::Mean, None, values.clone()), MetricResult::Number(0.6));
        assert_eq!(total(Reduce::Sum, None, values.clone()), MetricResult::Number(3.0));
        assert_eq!(total(Reduce::Count, None, values), MetricResult::Number(5.0));
        assert_eq!(total(Reduce::Count, None, json!(["ep0", null, "ep1", []])), MetricResult::Number(3.0));
        assert_eq!(total(Reduce::Last, Some(0.01), json!([10, "75"])), MetricResult::Number(0.75));
        assert_eq!(total(Reduce::Mean, None, json!([null])), MetricResult::Nothing);
    }

    #[test]
    fn what_is_no_number_spoils_what_depends_on_it() {
        for reduce in [Reduce::Mean, Reduce::Sum, Reduce::Min, Reduce::Max] {
            assert_eq!(total(reduce, None, json!([1, "NaN", 2])), MetricResult::NotANumber, "{reduce:?}");
        }
        assert_eq!(total(Reduce::Last, None, json!(["NaN", 2])), MetricResult::Number(2.0));
        assert_eq!(total(Reduce::Max, None, json!([1, "Infinity"])), MetricResult::Infinite);
    }

    #[test]
    fn what_should_be_a_number_and_is_none_is_told() {
        let complaint = |values: &[Value]| {
            let mut collected = Collected::new(Reduce::Mean, None);
            values.iter().for_each(|value| collected.take(value));
            collected.complaint()
        };
        assert_eq!(complaint(&[json!(1), json!("none")]).as_deref(), Some("`none` is no number"));
        let list = complaint(&[json!([1]), json!([2])]).unwrap();
        assert!(list.starts_with("2 values are no numbers, the first is a list (`[]`"), "{list}");
        assert_eq!(complaint(&[json!(1), json!(null)]), None);
    }
}
