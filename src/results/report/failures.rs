//! What went wrong: each cause once with its sentence and its shards, and what a later try made good.

use minijinja::Value;

use super::template::{Section, values};
use crate::model::outcome::{FailureReason, Verdict};
use crate::model::state::phase::PhaseKind;
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

/// Returns the section; `None` if nothing failed.
pub fn render_section(findings: &Findings<'_>) -> Option<Section> {
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
    let all: f64 = findings.attempts.iter().map(Attempt::seconds).sum();
    let lists = [("", &last), ("Failed once, and succeeded on a later try", &cured)];
    let lists = lists
        .map(|(title, causes)| (title, list_causes(findings, causes), causes.len().saturating_sub(MOST)));
    let is_any = !(last.is_empty() && cured.is_empty());
    is_any.then(|| Section::new("What failed", "failures", values! { lost, all, lists }))
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

/// The causes, those of most shards first.
fn list_causes(findings: &Findings<'_>, causes: &[FailureGroup<'_>]) -> Vec<Value> {
    let mut order: Vec<&FailureGroup<'_>> = causes.iter().collect();
    order.sort_by_key(|cause| std::cmp::Reverse(cause.shards.len()));
    let describe = |cause: &FailureGroup<'_>| {
        let named = cause.shards.iter().take(NAMED);
        values! {
            count => cause.shards.len(), reason => cause.reason.to_string(), message => cause.message,
            shards => named.map(|shard| (shard, findings.outcomes[*shard].id().as_str())).collect::<Vec<_>>(),
            more => cause.shards.len().saturating_sub(NAMED),
        }
    };
    order.into_iter().take(MOST).map(describe).collect()
}
