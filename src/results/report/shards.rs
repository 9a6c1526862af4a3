//! The table of shards: verdict, proof, warnings, numbers, and links to logs and files.

use std::time::Duration;

use minijinja::Value;

use super::template::{Section, values};
use super::timeline::badge_class;
use crate::model::units::{format_duration, or_unknown};
use crate::results::artifacts::{ArtifactFile, ShardArtifacts};
use crate::results::counted_unit::count_heading;
use crate::results::findings::Findings;
use crate::results::outcome::ShardOutcome;
use crate::results::scale::{format_bytes, format_percent, format_short};
use crate::results::statistics::cost::Cost;

/// So many files of a shard are linked; its folder is, too.
const LINKED: usize = 4;

/// From so many shards on a table is too long to look a verdict up by eye.
const MANY: usize = 30;

/// Returns the section on shards as HTML.
pub fn render_section(findings: &Findings<'_>) -> Section {
    let outcomes = &findings.outcomes;
    let rows = outcomes.iter().zip(&findings.costs).zip(&findings.artifacts);
    let row = |((outcome, cost), artifacts)| describe_shard(outcome, cost, Option::as_ref(artifacts));
    let values = values! {
        verdicts => if outcomes.len() < MANY { Vec::new() } else { list_by_verdict(outcomes) },
        counted => count_heading(outcomes.iter().map(|outcome| (outcome.phase, outcome.counted_unit()))),
        rows => rows.map(row).collect::<Vec<_>>(),
    };
    Section::new("Shards", "shards", values)
}

/// The shards of each verdict by position and name: what a script filters, a reader without one finds here.
fn list_by_verdict<'a>(outcomes: &'a [ShardOutcome<'_>]) -> Vec<(&'a str, Vec<(usize, &'a str)>)> {
    let mut verdicts: Vec<(&str, Vec<(usize, &str)>)> = Vec::new();
    for (position, outcome) in outcomes.iter().enumerate() {
        let (verdict, shard) = (outcome.verdict(), (position, outcome.id().as_str()));
        match verdicts.iter_mut().find(|(known, _)| *known == verdict) {
            Some((_, shards)) => shards.push(shard),
            None => verdicts.push((verdict, vec![shard])),
        }
    }
    verdicts
}

fn describe_shard(outcome: &ShardOutcome<'_>, cost: &Cost, artifacts: Option<&ShardArtifacts>) -> Value {
    let (id, attempts, peaks) = (outcome.id().as_str(), outcome.attempts, &outcome.peaks);
    let energy = cost.energy_j.filter(|_| attempts > 0);
    let how = if peaks.vram_by_rise { " by rise" } else { "" };
    // The script sorts by the number, not by its words.
    let cell = |number: Option<f64>, shown: &dyn Fn(f64) -> String| {
        (number.map(|number| number.to_string()).unwrap_or_default(), or_unknown(number, shown))
    };
    let artifacts = artifacts.filter(|artifacts| !artifacts.files.is_empty());
    values! {
        id, attempts, node => outcome.node, class => badge_class(outcome.phase), verdict => outcome.verdict(),
        folder => format!("../shards/{id}/attempt-{attempts:02}/"),
        cells => [
            cell(outcome.seconds, &|seconds| format_duration(Duration::from_secs_f64(seconds))),
            cell(outcome.done_count(), &format_short),
            cell(outcome.success_rate, &format_percent),
            cell(peaks.vram.map(|bytes| bytes.0 as f64), &|bytes| format!("{}{how}", format_bytes(bytes))),
            cell(peaks.power_w, &|power| format!("{power:.0} W")),
            cell(energy, &|joules| format!("{} Wh", format_short(joules / 3600.0))),
        ],
        message => outcome.message, proof => outcome.proof.map(|proof| (proof.line, &proof.text)),
        edit => outcome.edit.map(ToString::to_string), warnings => outcome.warnings,
        files => artifacts.map(ShardArtifacts::format_counts), links => artifacts.map(list_links),
        has_more_files => artifacts.is_some_and(|artifacts| artifacts.files.len() > LINKED),
    }
}

/// The ways to the first files, each with its name: videos before others, because they are looked at. What is
/// elsewhere is not below the page, and a page may have moved, so such a file has no name to click on.
fn list_links(artifacts: &ShardArtifacts) -> Vec<(String, Option<&str>)> {
    let (videos, others): (Vec<_>, Vec<_>) = artifacts.files.iter().partition(|file| file.is_video());
    videos.into_iter().chain(others).take(LINKED).map(link_to).collect()
}

fn link_to(file: &ArtifactFile) -> (String, Option<&str>) {
    match file.path.starts_with('/') {
        true => (file.path.clone(), None),
        false => (format!("../{}", file.path), file.path.rsplit('/').next()),
    }
}
