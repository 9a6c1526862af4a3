//! The table of shards: verdict, proof, warnings, numbers, and links to logs and files.

use std::fmt::Write;
use std::time::Duration;

use super::escape::{escape_markup, percent_encode};
use super::timeline::render_badge;
use crate::model::units::{UNKNOWN, format_duration};
use crate::results::artifacts::ShardArtifacts;
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
pub fn render_section(findings: &Findings<'_>) -> String {
    let counted =
        count_heading(findings.outcomes.iter().map(|outcome| (outcome.phase, outcome.counted_unit())));
    let mut html = String::from("<section><h2>Shards</h2>\n");
    html.push_str(&by_verdict(findings));
    let _ = writeln!(
        html,
        "<div class=\"wide\" tabindex=\"0\"><table class=\"shards sortable\"><thead><tr><th>shard</th><th>verdict</th><th>time</th>\
         <th>{}</th><th>success</th><th>peak VRAM</th><th>peak power</th><th>energy of all attempts</th><th>what was seen</th></tr></thead><tbody>",
        escape_markup(counted)
    );
    for (position, (outcome, artifacts)) in findings.outcomes.iter().zip(&findings.artifacts).enumerate() {
        write_shard_row(&mut html, position, (outcome, &findings.costs[position]), artifacts.as_ref());
    }
    html.push_str("</tbody></table></div></section>\n");
    html
}

/// The shards of each verdict by name, to be opened: what a script filters, a reader without one finds here.
fn by_verdict(findings: &Findings<'_>) -> String {
    let mut verdicts: Vec<(&str, Vec<usize>)> = Vec::new();
    for (position, outcome) in findings.outcomes.iter().enumerate() {
        let verdict = outcome.verdict();
        match verdicts.iter_mut().find(|(known, _)| *known == verdict) {
            Some((_, positions)) => positions.push(position),
            None => verdicts.push((verdict, vec![position])),
        }
    }
    let mut html = String::new();
    if findings.outcomes.len() < MANY {
        return html;
    }
    for (verdict, positions) in verdicts {
        let _ = write!(html, "<details><summary>{verdict} ({})</summary><p>", positions.len());
        for position in positions {
            let id = escape_markup(findings.outcomes[position].id().as_str());
            let _ = write!(html, "<a href=\"#shard-{position}\">{id}</a> ");
        }
        html.push_str("</p></details>\n");
    }
    html
}

fn write_shard_row(
    html: &mut String,
    position: usize,
    (outcome, cost): (&ShardOutcome<'_>, &Cost),
    artifacts: Option<&ShardArtifacts>,
) {
    let or_unknown = |text: Option<String>| text.unwrap_or_else(|| UNKNOWN.to_owned());
    let peaks = &outcome.peaks;
    let energy = cost.energy_j.filter(|_| outcome.attempts > 0);
    let id = outcome.id().as_str();
    let _ = write!(
        html,
        "<tr id=\"shard-{position}\"><th scope=\"row\">{}{}</th>",
        escape_markup(id),
        render_links(outcome)
    );
    let tries = if outcome.attempts > 1 {
        format!(" <small>attempt {}</small>", outcome.attempts)
    } else {
        String::new()
    };
    let _ = write!(html, "<td class=\"text\">{}{tries}</td>", render_badge(outcome.phase, outcome.verdict()));
    let mut cell = |number: Option<f64>, shown: &dyn Fn(f64) -> String| {
        // The script sorts by the number, not by its words.
        let key = number.map(|number| number.to_string()).unwrap_or_default();
        let _ =
            write!(html, "<td data-sort=\"{key}\">{}</td>", escape_markup(&or_unknown(number.map(shown))));
    };
    cell(outcome.seconds, &|seconds| format_duration(Duration::from_secs_f64(seconds)));
    cell(outcome.done_count(), &format_short);
    cell(outcome.success_rate, &format_percent);
    let how = if peaks.vram_by_rise { " by rise" } else { "" };
    cell(peaks.vram.map(|bytes| bytes.0 as f64), &|bytes| format!("{}{how}", format_bytes(bytes)));
    cell(peaks.power_w, &|power| format!("{power:.0} W"));
    cell(energy, &|joules| format!("{} Wh", format_short(joules / 3600.0)));
    html.push_str("<td class=\"text seen\">");
    if let Some(message) = outcome.message {
        let _ = write!(html, "<p>{}</p>", escape_markup(message));
    }
    if let Some(proof) = outcome.proof {
        let _ = write!(
            html,
            "<p><small>line {}</small> <code>{}</code></p>",
            proof.line,
            escape_markup(&proof.text)
        );
    }
    if let Some(edit) = outcome.edit {
        let _ = write!(html, "<p class=\"warn\">edited: {}</p>", escape_markup(&edit.to_string()));
    }
    for warning in outcome.warnings {
        let _ = write!(html, "<p class=\"warn\">{}</p>", escape_markup(warning));
    }
    if let Some(artifacts) = artifacts.filter(|artifacts| !artifacts.files.is_empty()) {
        html.push_str(&render_files(artifacts));
    }
    html.push_str("</td></tr>\n");
}

/// How many files there are, and the way to the first of them: videos before others, because they are looked at.
fn render_files(artifacts: &ShardArtifacts) -> String {
    let mut html = format!("<p><small class=\"links\">{}:", escape_markup(&artifacts.format_counts()));
    let (videos, others): (Vec<_>, Vec<_>) = artifacts.files.iter().partition(|file| file.is_video());
    for file in videos.iter().chain(&others).take(LINKED) {
        let name = file.path.rsplit('/').next().unwrap_or(&file.path);
        // What lies elsewhere is not below the page, and a page may have moved.
        let _ = match file.path.starts_with('/') {
            true => write!(html, " {}", escape_markup(&file.path)),
            false => {
                write!(
                    html,
                    " <a href=\"{}\">{}</a>",
                    percent_encode(&format!("../{}", file.path)),
                    escape_markup(name)
                )
            }
        };
    }
    if artifacts.files.len() > LINKED {
        html.push_str(" …");
    }
    html.push_str("</small></p>");
    html
}

/// To the newest log, to the folder of the newest attempt and to what it wrote; none before the first start.
fn render_links(outcome: &ShardOutcome<'_>) -> String {
    if outcome.attempts == 0 {
        return String::new();
    }
    let id = outcome.id().as_str();
    let attempt = format!("../shards/{id}/attempt-{:02}/", outcome.attempts);
    format!(
        "<small class=\"links\"><a href=\"{}\">log</a> <a href=\"{}\">files</a> <a href=\"{}\">output</a></small>",
        percent_encode(&format!("../logs/{id}.log")),
        percent_encode(&attempt),
        percent_encode(&format!("{attempt}out/"))
    )
}
