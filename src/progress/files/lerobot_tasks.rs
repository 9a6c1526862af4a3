//! `results.jsonl` of LeRobot: one line for each task that has ended.

use std::collections::BTreeMap;

use serde_json::Value;

use super::lerobot::add_lists;
use super::tally::{FileTally, count};

/// All lines look like those of such a file.
pub fn looks_like(rows: &[Value]) -> bool {
    let is_task = |row: &Value| {
        ["task_group", "task_id", "status"].iter().all(|name| row.get(name).is_some_and(|v| !v.is_null()))
    };
    !rows.is_empty() && rows.iter().all(is_task)
}

/// Counts the newest line of each task; a task that was tried again has several.
pub fn read(rows: &[Value]) -> (FileTally, Vec<String>) {
    let mut newest: BTreeMap<(String, String), &Value> = BTreeMap::new();
    for row in rows {
        newest.insert((row["task_group"].to_string(), row["task_id"].to_string()), row);
    }
    let mut tally = FileTally::default();
    let mut failed: Vec<String> = Vec::new();
    let mut errors = 0;
    for row in newest.into_values() {
        if row["status"] == "ok" {
            add_lists(&mut tally, row.get("metrics").unwrap_or(&Value::Null));
        } else {
            errors += count(row, "n_episodes").unwrap_or(0);
            failed.push(format!("{} {}", text(&row["task_group"]), text(&row["task_id"])));
        }
    }
    failed.sort();
    tally.episodes.get_or_insert(0);
    tally.errors = (errors > 0).then_some(errors);
    let remark = (!failed.is_empty()).then(|| format!("tasks ended with an error: {}", failed.join(", ")));
    (tally, remark.into_iter().collect())
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
