//! The top of the page: which run this is, and what it came to in a few numbers.

use std::time::Duration;

use super::template::{render_template, values};
use crate::model::state::phase::PhaseKind;
use crate::model::units::{UNKNOWN, format_duration};
use crate::results::axes;
use crate::results::findings::Findings;
use crate::results::scale::{format_bytes, format_short};
use crate::results::statistics::cost::Cost;
use crate::results::statistics::totals::Totals;

/// Renders the header of the page: which run this is.
pub fn render_header(findings: &Findings<'_>) -> String {
    let records = &findings.records;
    let info = records.info;
    let values = values! {
        name => info.name, word => records.word.as_str(), id => info.id.0, host => info.host,
        started => info.created.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
        seen => records.seen.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
        commit => info.git_commit, version => info.sweepdeck,
    };
    render_template("header", values)
}

/// Renders what the run came to, before the first section.
pub fn render_lead(findings: &Findings<'_>) -> String {
    let values = values! {
        tiles => summary_tiles(findings), provisional => findings.is_provisional(),
        warnings => findings.cross_shard_warnings(), clusters => axes::clusters_by_name(findings.records.plan),
    };
    render_template("lead", values)
}

/// A name, a number, and its explanation.
fn summary_tiles(findings: &Findings<'_>) -> Vec<(&'static str, String, String)> {
    let totals = Totals::from_shards(findings.outcomes.iter());
    let cost: Cost = findings.costs.iter().copied().sum();
    let unknown = || UNKNOWN.to_owned();
    let headline = findings.headline();
    let told = headline.map(|headline| headline.text());
    let episodes = match (totals.successes, totals.episodes) {
        (Some(successes), Some(episodes)) => format!("{successes} of {episodes} episodes"),
        (None, Some(episodes)) => format!("{episodes} episodes"),
        (Some(_) | None, None) => String::new(),
    };
    let power = |told: String| match headline.and_then(|headline| headline.power_line()) {
        Some(line) => format!("{told}; {line}"),
        None => told,
    };
    let measured = &findings.measured;
    let vram = findings.outcomes.iter().filter_map(|outcome| outcome.peaks.vram).max();
    let length = |seconds: f64| format_duration(Duration::from_secs_f64(seconds.max(0.0)));
    vec![
        ("shards", format!("{} of {}", totals.succeeded, totals.shards), format_phase_counts(findings)),
        (
            "success",
            headline.map_or_else(unknown, |headline| headline.format_percentage()),
            told.map_or(episodes, power),
        ),
        (
            "wall time",
            length(findings.records.time_grid().seconds),
            format!("{} in attempts", length(cost.seconds)),
        ),
        (
            "GPU-hours",
            cost.gpu_hours.map_or_else(unknown, format_short),
            "a shared hour counts once".to_owned(),
        ),
        (
            "GPU energy",
            measured
                .energy_j()
                .map_or_else(unknown, |joules| format!("{} Wh", format_short(joules / 3600.0))),
            "drawn by the cards, idle included".to_owned(),
        ),
        (
            "VRAM",
            vram.map_or_else(unknown, |bytes| format_bytes(bytes.0 as f64)),
            "the most of one shard".to_owned(),
        ),
        (
            "CPU",
            measured.host.cpu.whole.mean().map_or_else(unknown, |mean| format!("{mean:.0} %")),
            measured
                .host
                .cpu
                .whole
                .peak()
                .map_or_else(unknown, |peak| format!("in the mean, {peak:.0} % at most")),
        ),
    ]
}

/// Writes `succeeded`, and how many of the others are in which phase.
fn format_phase_counts(findings: &Findings<'_>) -> String {
    let phases = PhaseKind::ALL.into_iter().filter(|phase| *phase != PhaseKind::Succeeded);
    let counted = phases.filter_map(|phase| {
        let count = findings.outcomes.iter().filter(|outcome| outcome.phase == phase).count();
        (count > 0).then(|| format!(", {count} {}", phase.as_str()))
    });
    std::iter::once("succeeded".to_owned()).chain(counted).collect()
}
