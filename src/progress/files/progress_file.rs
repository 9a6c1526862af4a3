//! The file in which a program reports its progress: `{"completed": 12, "total": 500}`.

use serde_json::Value;

use crate::model::outcome::Progress;

/// No such file is longer; the rest of a longer one is not read.
pub const LONGEST: u64 = 64 * 1024;

/// Names of what is done, the first that is there counts.
const DONE: [&str; 3] = ["completed", "done", "n_done"];

/// Names of how much there is to do.
const TOTAL: [&str; 2] = ["total", "n_total"];

/// Returns the progress that the file gives; nothing where it is torn or says something else.
pub fn progress_in(text: &[u8]) -> Option<Progress> {
    let Ok(Value::Object(object)) = serde_json::from_slice(text) else { return None };
    let count = |names: &[&str]| names.iter().find_map(|name| object.get(*name)).and_then(whole);
    Some(Progress { done: count(&DONE)?, total: count(&TOTAL) })
}

/// 12, also where it is written as 12.0.
fn whole(value: &Value) -> Option<u64> {
    // Larger ones are not exact.
    const LARGEST: f64 = 9e15;
    let float = || value.as_f64().filter(|number| number.fract() == 0.0 && (0.0..=LARGEST).contains(number));
    value.as_u64().or_else(|| float().map(|number| number as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(u64, Option<u64>)> {
        progress_in(text.as_bytes()).map(|progress| (progress.done, progress.total))
    }

    #[test]
    fn the_usual_names_are_known() {
        assert_eq!(read(r#"{"completed": 12, "total": 500, "errors": 0}"#), Some((12, Some(500))));
        assert_eq!(read(r#"{"done": 3.0}"#), Some((3, None)));
        assert_eq!(read(r#"{"n_total": 9, "n_done": 0}"#), Some((0, Some(9))));
        assert_eq!(read(r#"{"done": 3, "total": null}"#), Some((3, None)));
    }

    #[test]
    fn what_is_torn_or_something_else_says_nothing() {
        for text in [
            "", "{\"completed\": 1", "[1, 2]", "12", r#"{"total": 5}"#, r#"{"done": -1}"#, r#"{"done": 0.5}"#,
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
