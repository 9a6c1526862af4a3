//! The document of `status` as lines for people.

use std::time::Duration;

use super::document::{ComparisonStatus, Status};
use super::nodes::NodeStatus;
use super::service::ServiceStatus;
use super::shard::ShardStatus;
use crate::model::logs::printable::{align_rows, to_printable};
use crate::model::logs::stage::Stage;
use crate::model::outcome::{Failure, Progress};
use crate::model::units::{UNKNOWN, format_duration, or_unknown};
use crate::results::outcome::first_warning;

/// The run in four lines and one line per shard, columns aligned; services have a table of their own.
pub fn render_status_text(status: &Status) -> String {
    let mut text = render_header(status);
    let heads = ["SHARD", "STATE", "PROGRESS", "ELAPSED", "ETA", ""];
    text.push_str(&render_table(heads, status.shards.iter().map(shard_row)));
    if !status.services.is_empty() {
        let heads = ["SERVICE", "STATE", "SHARDS", "ELAPSED", "PORT", ""];
        text.push('\n');
        text.push_str(&render_table(heads, status.services.iter().map(service_row)));
    }
    text
}

fn render_table(heads: [&str; 6], rows: impl Iterator<Item = [String; 6]>) -> String {
    align_rows(&[heads.map(str::to_owned)].into_iter().chain(rows).collect::<Vec<_>>())
}

fn render_header(status: &Status) -> String {
    let run = &status.run;
    let counts: Vec<String> = status
        .counts
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(kind, count)| format!("{count} {}", kind.as_str()))
        .collect();
    let troubles: String = run
        .troubles
        .iter()
        .chain(&run.warnings)
        .map(|told| format!("warning: {}\n", to_printable(told)))
        .collect();
    let success: String =
        status.headline.iter().map(|headline| format!("success {}\n", headline.text())).collect();
    let watching: String =
        run.watching.iter().map(|watch| format!("watching {} for {}\n", watch.glob, watch.axis)).collect();
    let nodes: String = run.nodes.iter().map(node_line).collect();
    let decided: String = run.comparison.iter().map(format_comparison).collect();
    format!(
        "{}  {}{}  elapsed {}  eta {}\n{}\n{}\n{success}{}\n{nodes}{watching}{decided}{troubles}\n",
        run.id,
        run.state.as_str(),
        run.place.as_ref().map_or_else(String::new, |place| format!(" ({})", to_printable(place))),
        format_seconds(Some(run.elapsed_s)),
        format_eta(status),
        run.dir.display(),
        counts.join(", "),
        run.forecast.words()
    )
}

/// `node gpu1  up, 4 running, 4 waiting`
fn node_line(node: &NodeStatus) -> String {
    let standing = node.standing.to_text();
    format!(
        "node {}  {}, {} running, {} waiting\n",
        node.id,
        to_printable(&standing),
        node.running,
        node.waiting
    )
}

/// Prints what was decided, one line each, and what was saved.
fn format_comparison(comparison: &ComparisonStatus) -> String {
    let decided =
        comparison.decided.iter().map(|decided| format!("decided: {}\n", to_printable(&decided.to_text())));
    decided.chain(comparison.saving.saved_text().map(|saving| format!("saved: {saving}\n"))).collect()
}

/// How much longer it takes, and which shards that are stuck must go on for it.
fn format_eta(status: &Status) -> String {
    let stuck: Vec<&ShardStatus> = status.shards.iter().filter(|shard| shard.is_stuck()).collect();
    let left = format_seconds(status.run.eta_s);
    let range = status.run.eta_range_text.as_ref().map(|range| format!(" ({range})")).unwrap_or_default();
    match stuck.as_slice() {
        [] => format!("{left}{range}"),
        [one] => format!("{left} if {} resumes", one.id),
        several => format!("{left} if {} silent shards resume", several.len()),
    }
}

fn shard_row(shard: &ShardStatus) -> [String; 6] {
    let mut state = match shard.condition {
        Some(condition) => format!("{} ({})", shard.phase.as_str(), condition.as_str()),
        None => shard.phase.as_str().to_owned(),
    };
    if shard.edited.is_some() {
        state.push_str(" (edited)");
    }
    let progress = match (shard.progress, &shard.stage) {
        (Some(Progress { done, total: Some(total) }), _) => format!("{done}/{total}"),
        (Some(Progress { done, total: None }), _) => done.to_string(),
        (None, Some(stage)) => stage.as_text().to_owned(),
        (None, None) => UNKNOWN.to_owned(),
    };
    let stage = shard.stage.as_ref().filter(|stage| **stage != Stage::Running).map(ToString::to_string);
    let why = match (&shard.reason, &shard.message, &shard.waiting) {
        (Some(reason), Some(message), _) => {
            Failure { reason: *reason, message: message.clone() }.to_sentence()
        }
        (_, message, waiting) => {
            let remark = || first_warning(&shard.warnings);
            let present = shard.silence.clone().or(stage);
            message.clone().or(waiting.clone()).or(present).or_else(remark).unwrap_or_default()
        }
    };
    [shard.id.to_string(), state, progress, format_seconds(shard.elapsed_s), format_seconds(shard.eta_s), why]
        .map(|cell| to_printable(&cell).into_owned())
}

fn service_row(service: &ServiceStatus) -> [String; 6] {
    let shards = match service.serves {
        Some(serves) => format!("{}/{serves}", service.shards.len()),
        None => service.shards.len().to_string(),
    };
    let port = or_unknown(service.port, |port| port.to_string());
    let why = service.message.clone().unwrap_or_default();
    let name = match &service.node {
        Some(node) => format!("{} at {node}", service.id),
        None => service.id.to_string(),
    };
    [name, service.phase.to_owned(), shards, format_seconds(service.elapsed_s), port, why]
        .map(|cell| to_printable(&cell).into_owned())
}

fn format_seconds(seconds: Option<f64>) -> String {
    or_unknown(seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()), format_duration)
}
