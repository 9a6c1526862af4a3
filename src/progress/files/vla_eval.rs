//! The aggregate file of vla-eval: tasks with their episodes, of which some may have ended with an error.

use serde_json::Value;

use super::tally::{FileCompletion, FileTally, outcome};

/// The document looks like such a file.
pub fn looks_like(document: &Value) -> bool {
    let has_episodes =
        |task: &Value| task.get("task").is_some() && task.get("episodes").is_some_and(Value::is_array);
    let tasks = document.get("tasks").and_then(Value::as_array);
    document.get("benchmark").is_some() && tasks.is_some_and(|tasks| tasks.iter().all(has_episodes))
}

/// Counts the episodes. Those with a `failure_reason` ended with an error; vla-eval counts them as failures of the
/// policy.
pub fn read(document: &Value) -> (FileTally, Vec<String>) {
    let list = |of: &Value, name: &str| of.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let mut tally = FileTally { episodes: Some(0), successes: Some(0.0), ..FileTally::default() };
    let mut errors = 0;
    for episode in list(document, "tasks").iter().flat_map(|task| list(task, "episodes")) {
        let success = episode.get("metrics").and_then(|metrics| outcome(metrics.get("success")?));
        let is_error = episode.get("failure_reason").is_some_and(|reason| !reason.is_null());
        errors += u64::from(is_error);
        tally.episode(if is_error { Some(success == Some(true)) } else { success });
    }
    tally.errors = (errors > 0).then_some(errors);
    let partial = document.get("partial").and_then(Value::as_bool).unwrap_or(false);
    tally.ending = if partial { FileCompletion::Open } else { FileCompletion::Closed };
    let remark = (errors > 0).then(|| {
        let what = if errors == 1 { "1 episode".to_owned() } else { format!("{errors} episodes") };
        format!("{what} ended with an error and count as failures")
    });
    (tally, remark.into_iter().collect())
}
