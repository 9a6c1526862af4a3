//! The known format of a result file: recognised by its shape, because unrelated programs use the same file names.

use serde_json::Value;

use super::tally::FileTally;
use super::walk::names;
use super::{counts, lerobot, lerobot_tasks, vla_eval};

/// A file that was recognised.
#[derive(Debug, Clone, PartialEq)]
pub struct Recognised {
    /// The format, for people.
    pub format: &'static str,
    /// Counts and means that the file gives.
    pub tally: FileTally,
    /// Oddities of the file, one line each.
    pub remarks: Vec<String>,
}

/// Says whether a document has a shape.
type ShapeTest = fn(&Value) -> bool;

/// Counts what a document of that shape says.
type Read = fn(&Value) -> (FileTally, Vec<String>);

/// The most distinctive shape first.
const SHAPES: [(&str, ShapeTest, Read); 3] = [
    ("LeRobot eval_info.json", lerobot::looks_like, lerobot::read),
    ("vla-eval aggregate", vla_eval::looks_like, vla_eval::read),
    ("counts of episodes and successes", counts::looks_like, counts::read),
];

/// Recognises a document; otherwise says what it holds instead.
pub fn recognise(document: &Value) -> Result<Recognised, String> {
    if let Some(known) = known(document) {
        return Ok(known);
    }
    let members = document.as_object().into_iter().flat_map(serde_json::Map::values);
    let mut wrapped: Vec<Recognised> =
        members.filter(|member| lerobot::looks_like(member)).filter_map(known).collect();
    match (wrapped.pop(), wrapped.len()) {
        (Some(only), 0) => Ok(only),
        (Some(_), more) => {
            Err(format!("it holds {} evaluations and says of none that it is the one", more + 1))
        }
        (None, _) => Err(what(document)),
    }
}

/// Recognises lines of JSON; otherwise says what they hold instead.
pub fn recognise_rows(rows: &[Value]) -> Result<Recognised, String> {
    if lerobot_tasks::looks_like(rows) {
        let (tally, remarks) = lerobot_tasks::read(rows);
        return Ok(Recognised { format: "LeRobot results.jsonl", tally, remarks });
    }
    match rows {
        [] => Err("it is empty".to_owned()),
        [only] => recognise(only),
        [first, ..] => Err(format!("each of its {} lines {}", rows.len(), holds(first))),
    }
}

fn known(document: &Value) -> Option<Recognised> {
    let (format, _, read) = SHAPES.iter().find(|(_, looks_like, _)| looks_like(document))?;
    let (tally, remarks) = read(document);
    Some(Recognised { format, tally, remarks })
}

fn what(document: &Value) -> String {
    format!("it {}", holds(document))
}

fn holds(document: &Value) -> String {
    match document {
        Value::Object(members) if members.is_empty() => "holds an empty map".to_owned(),
        Value::Object(members) => format!("holds {}", names(members.keys())),
        Value::Array(items) => format!("holds a list of {}", items.len()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            "holds a single value".to_owned()
        }
    }
}
