//! What went wrong: each cause once with its sentence and its shards, and what a later try made good.

use std::fmt::Write;
use std::time::Duration;

use super::escape::escape_markup;
use crate::model::outcome::{FailureReason, Verdict};
use crate::model::state::phase::PhaseKind;
use crate::model::units::format_duration;
use crate::results::findings::Findings;
use crate::results::measured::attempts::{Attempt, AttemptStatus};

/// More causes than this are in the table of shards.
const MOST: usize = 12;

/// So many shards of one cause are named.
const NAMED: usize = 6;

/// Failures with the same text.
struct FailureGroup<'a> {
    reason: FailureReason,
    /// Message of the first of them.
    message: &'a str,
    /// Without what differs from shard to shard.
    alike: String,
    /// Positions of shards, each once.
    shards: Vec<usize>,
}

/// The section; empty if nothing failed.
pub fn render_section(findings: &Findings<'_>) -> String {
    let (mut last, mut cured) = (Vec::new(), Vec::new());
    for (position, outcome) in findings.outcomes.iter().enumerate() {
        if let Some((reason, message)) = outcome.reason.zip(outcome.message) {
            add_cause(&mut last, findings, (reason, message), position);
        }
    }
    let mut lost = 0.0;
    for attempt in &findings.attempts {
        let AttemptStatus::Ended(outcome) = attempt.standing else { continue };
        let Verdict::Failed(failure) = &outcome.verdict else { continue };
        lost += attempt.seconds();
        if findings.outcomes[attempt.shard].phase == PhaseKind::Succeeded {
            add_cause(&mut cured, findings, (failure.reason, &failure.message), attempt.shard);
        }
    }
    if last.is_empty() && cured.is_empty() {
        return String::new();
    }
    let mut html = String::from("<section><h2>What failed</h2>\n");
    let length = |seconds| format_duration(Duration::from_secs_f64(seconds));
    let all = findings.attempts.iter().map(Attempt::seconds).sum();
    let _ = writeln!(
        html,
        "<p>Attempts that failed took {} of the {} of all attempts.</p>",
        length(lost),
        length(all)
    );
    if !last.is_empty() {
        write_causes(&mut html, findings, &last);
    }
    if !cured.is_empty() {
        html.push_str("<h3>Failed once, and succeeded on a later try</h3>\n");
        write_causes(&mut html, findings, &cured);
    }
    html.push_str("</section>\n");
    html
}

fn add_cause<'a>(
    causes: &mut Vec<FailureGroup<'a>>,
    findings: &Findings<'_>,
    (reason, message): (FailureReason, &'a str),
    shard: usize,
) {
    let id = findings.outcomes[shard].id().as_str();
    let alike: String = message.replace(id, "").chars().filter(|c| !c.is_ascii_digit()).collect();
    match causes.iter_mut().find(|cause| cause.reason == reason && cause.alike == alike) {
        Some(cause) if cause.shards.last() == Some(&shard) => {}
        Some(cause) => cause.shards.push(shard),
        None => causes.push(FailureGroup { reason, message, alike, shards: vec![shard] }),
    }
}

fn write_causes(html: &mut String, findings: &Findings<'_>, causes: &[FailureGroup<'_>]) {
    let mut order: Vec<&FailureGroup<'_>> = causes.iter().collect();
    order.sort_by_key(|cause| std::cmp::Reverse(cause.shards.len()));
    html.push_str(
        "<div class=\"wide\" tabindex=\"0\"><table class=\"causes\"><thead><tr><th>shards</th><th class=\"text\">reason</th>\
         <th class=\"text\">what was seen first</th><th>which</th></tr></thead><tbody>\n",
    );
    for cause in order.iter().take(MOST) {
        let _ = write!(
            html,
            "<tr><td>{}</td><td class=\"text\"><b>{}</b></td><td class=\"text seen\">{}</td><td class=\"text\">",
            cause.shards.len(),
            cause.reason,
            escape_markup(cause.message)
        );
        for position in cause.shards.iter().take(NAMED) {
            let id = escape_markup(findings.outcomes[*position].id().as_str());
            let _ = write!(html, "<a href=\"#shard-{position}\">{id}</a> ");
        }
        if cause.shards.len() > NAMED {
            let _ = write!(html, "and {} more", cause.shards.len() - NAMED);
        }
        html.push_str("</td></tr>\n");
    }
    html.push_str("</tbody></table></div>\n");
    if order.len() > MOST {
        let _ = writeln!(html, "<p>{} more causes stand with the shards below.</p>", order.len() - MOST);
    }
}
