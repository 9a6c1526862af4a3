//! The values that a path leads to in a JSON document, or where it ends.

use serde_json::Value;

use crate::model::key_path::{KeyPath, KeyPathStep};

/// Highest number of names of a level that are shown to a user who asked for another.
const SHOWN_NAMES: usize = 8;

/// Calls `each` for every value that the path leads to, in the order of the document; gives how many there were.
pub fn values(path: &KeyPath, document: &Value, mut each: impl FnMut(&Value)) -> u64 {
    // Flat rows have names with dots in them: `eval.success`.
    if let Some(value) = document.get(path.as_str()) {
        each(value);
        return 1;
    }
    let mut count = 0;
    visit(path.steps(), document, &mut |value| {
        count += 1;
        each(value);
    });
    count
}

fn visit(steps: &[KeyPathStep], value: &Value, each: &mut dyn FnMut(&Value)) {
    let Some((step, rest)) = steps.split_first() else { return each(value) };
    match step {
        KeyPathStep::Each => children(value).for_each(|child| visit(rest, child, each)),
        KeyPathStep::Name(_) | KeyPathStep::At(_) => {
            if let Some(next) = one_step(step, value) {
                visit(rest, next, each);
            }
        }
    }
}

/// The values right below: those of a list or of a map.
fn children(value: &Value) -> impl Iterator<Item = &Value> {
    let items = value.as_array().into_iter().flatten();
    items.chain(value.as_object().into_iter().flat_map(serde_json::Map::values))
}

fn one_step<'a>(step: &KeyPathStep, value: &'a Value) -> Option<&'a Value> {
    match (step, value) {
        (KeyPathStep::Each, _) => None,
        (KeyPathStep::Name(name), Value::Array(items)) => items.get(name.parse::<usize>().ok()?),
        (KeyPathStep::Name(name), value) => value.get(name),
        (KeyPathStep::At(place), value) => {
            let items = value.as_array()?;
            let place = if *place < 0 { place + i64::try_from(items.len()).ok()? } else { *place };
            items.get(usize::try_from(place).ok()?)
        }
    }
}

/// Describes where a path that leads to nothing ends, with what is there instead.
pub fn dead_end(path: &KeyPath, document: &Value) -> String {
    let mut value = document;
    for step in path.steps() {
        let next = match step {
            KeyPathStep::Each => children(value).next(),
            KeyPathStep::Name(_) | KeyPathStep::At(_) => one_step(step, value),
        };
        match next {
            Some(next) => value = next,
            None => break,
        }
    }
    match value {
        Value::Object(members) if !members.is_empty() => format!("has {}", names(members.keys())),
        Value::Object(_) => "has an empty map".to_owned(),
        Value::Array(items) => format!("has a list of {} (`[]` takes its elements)", items.len()),
        other => format!("has {other}"),
    }
}

/// `` `a`, `b` and 3 more ``.
pub fn names<'a>(all: impl ExactSizeIterator<Item = &'a String>) -> String {
    let more = all.len().saturating_sub(SHOWN_NAMES);
    let shown: Vec<String> = all.take(SHOWN_NAMES).map(|name| format!("`{name}`")).collect();
    match more {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(path: &str, document: &Value) -> Vec<Value> {
        let mut found = Vec::new();
        let count = values(&path.parse().unwrap(), document, |value| found.push(value.clone()));
        assert_eq!(count, found.len() as u64);
        found
    }

    #[test]
    fn paths_lead_through_maps_and_lists() {
        let document = json!({
            "per_task": [{"n": 1, "ok": [true, false]}, {"n": 2, "ok": [true]}, {}],
            "groups": {"a": {"n": 3}, "b": {"n": 4}},
            "eval.rate": 5,
        });
        assert_eq!(found("per_task[].ok[]", &document), [json!(true), json!(false), json!(true)]);
        assert_eq!(found("per_task.*.n", &document), [json!(1), json!(2)]);
        assert_eq!(found("groups.*.n", &document), [json!(3), json!(4)]);
        assert_eq!(found("per_task[-2].n", &document), [json!(2)]);
        assert_eq!(found("per_task.0.n", &document), [json!(1)]);
        assert_eq!(found("eval.rate", &document), [json!(5)]);
        for none in ["per_task.n", "groups[0]", "per_task[9].n", "per_task[-9].n", "groups.a.n.x"] {
            assert!(found(none, &document).is_empty(), "{none}");
        }
    }

    #[test]
    fn a_dead_end_says_what_stands_there() {
        let document = json!({"overall": {"pc_success": 1, "n_episodes": 2}, "list": [1, 2], "n": 3});
        let end = |path: &str| dead_end(&path.parse().unwrap(), &document);
        assert_eq!(end("overall.pc_succes"), "has `n_episodes`, `pc_success`");
        assert_eq!(end("list.x"), "has a list of 2 (`[]` takes its elements)");
        assert_eq!(end("n.x"), "has 3");
        let wide: Value =
            (0..11).map(|n| (n.to_string(), json!(n))).collect::<serde_json::Map<_, _>>().into();
        assert!(dead_end(&"x".parse().unwrap(), &wide).ends_with("`6` and 3 more"), "sorted as texts");
    }
}
