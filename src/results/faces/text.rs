//! The results of a run as a table for the terminal.

use std::time::Duration;

use crate::model::logs::printable::{align_rows, to_printable};
use crate::model::state::run_state::RunState;
use crate::model::sweep::plan::Plan;
use crate::model::units::{UNKNOWN, format_duration, or_unknown};
use crate::results::counted_unit::count_heading;
use crate::results::doubts::{run_troubles, seeds};
use crate::results::outcome::{ShardOutcome, shard_outcomes};
use crate::results::rate_text::rate_alone;
use crate::results::statistics::headline::Headline;
use crate::results::statistics::sequential::{Sequential, SequentialPair};
use crate::results::statistics::totals::Totals;
use crate::results::{axes, edited};

/// Prints one line a shard, aligned, and one with the totals.
pub fn render_results_text(plan: &Plan, state: &RunState) -> String {
    let outcomes = shard_outcomes(plan, state);
    let counted = count_heading(outcomes.iter().map(|outcome| (outcome.phase, outcome.counted_unit())));
    let heads = ["SHARD", "VERDICT", "ATTEMPTS", "TIME", &counted.to_uppercase(), "SUCCESS", ""];
    let mut rows = vec![heads.map(str::to_owned)];
    rows.extend(outcomes.iter().map(shard_row));
    let mut text = align_rows(&rows);
    text.push('\n');
    text.push_str(&format_totals(
        &Totals::from_shards(outcomes.iter()),
        Headline::from_outcomes(plan, &outcomes),
    ));
    text.push('\n');
    text.push_str(&format_comparison(plan, state));
    for sign in
        edited::find_edit_warnings(&outcomes).into_iter().chain(seeds::find_seed_warnings(plan, &outcomes))
    {
        text.push_str(&format!("warning: {sign}\n"));
    }
    if let Some(note) = axes::clusters_by_name(plan) {
        text.push_str(&format!("note: {}\n", to_printable(&note)));
    }
    for trouble in run_troubles::recorded_troubles(state) {
        text.push_str(&format!("warning: {}\n", to_printable(&trouble.text)));
    }
    text
}

/// Reports what became of the comparison that ends once it is decided, and what was saved.
fn format_comparison(plan: &Plan, state: &RunState) -> String {
    let Some(sequential) = Sequential::from_state(plan, state) else { return String::new() };
    let pair = |pair: &SequentialPair| {
        let (first, second) = pair.successes;
        let counts = format!("{first}/{n} against {second}/{n}{}", pair.paired_suffix(), n = pair.episodes);
        let told = format!(
            "{} {} and {}: {counts}, {}",
            sequential.axis,
            pair.first,
            pair.second,
            pair.result_text()
        );
        format!("{}\n", to_printable(&told))
    };
    let pairs = sequential.pairs.iter().map(pair);
    pairs.chain(sequential.saving.saved_text().map(|saving| format!("{saving}\n"))).collect()
}

fn shard_row(outcome: &ShardOutcome<'_>) -> [String; 7] {
    [
        outcome.id().to_string(),
        outcome.verdict().to_owned(),
        outcome.attempts.to_string(),
        or_unknown(outcome.seconds, format_seconds),
        or_unknown(outcome.done_count(), |counted| counted.to_string()),
        or_unknown(outcome.success_rate, format_percent),
        outcome.remark().unwrap_or_default(),
    ]
    .map(|cell| to_printable(&cell).into_owned())
}

/// `7 of 8 shards succeeded, episodes: 812/1000 81.2 % [78.7, 83.5]`.
fn format_totals(totals: &Totals, headline: Option<Headline>) -> String {
    let mut text = format!("{} of {} shards succeeded", totals.succeeded, totals.shards);
    match (headline, totals.episodes) {
        (Some(headline), _) => {
            text.push_str(&format!(", episodes: {}, the 95 % interval in brackets", headline.text()));
            text.extend(headline.power_line().map(|line| format!("; {line}")));
        }
        (None, Some(_)) if totals.repeated > 0 => {
            let rate = rate_alone(totals).unwrap_or_else(|| UNKNOWN.to_owned());
            text.push_str(&format!(", episodes: {rate}"));
        }
        (None, Some(episodes)) => text.push_str(&format!(", {episodes} episodes")),
        (None, None) => {}
    }
    text
}

fn format_percent(rate: f64) -> String {
    format!("{:.1} %", rate * 100.0)
}

/// Tenths below ten seconds, because whole ones would make short shards look alike.
fn format_seconds(seconds: f64) -> String {
    if seconds < 10.0 { format!("{seconds:.1}s") } else { format_duration(Duration::from_secs_f64(seconds)) }
}
