//! `junit.xml`: the shards as test cases, for continuous integration; by the schema that Jenkins checks (junit-10.xsd
//! of its xunit plugin), with tries that failed before as `flakyFailure`, or `rerunFailure` where the last one failed
//! too.

use std::fmt::Write;

use crate::model::outcome::{Failure, Outcome, Verdict};
use crate::model::state::phase::PhaseKind;
use crate::results::findings::Findings;
use crate::results::measured::attempts::AttemptStatus;
use crate::results::outcome::ShardOutcome;
use crate::results::report::escape::escape_markup;

/// The document. A shard that never ran or was taken out is skipped; one at work is an error, since its end is unknown.
pub fn render_junit(findings: &Findings<'_>) -> String {
    let records = &findings.records;
    let name = escape_markup(&records.info.name);
    let count = |kind: CaseKind| {
        findings.outcomes.iter().filter(|shard| CaseKind::from_phase(shard.phase) == kind).count()
    };
    let (failures, errors, skipped) =
        (count(CaseKind::Failed), count(CaseKind::Unfinished), count(CaseKind::Skipped));
    let tests = findings.outcomes.len();
    let seconds = records.time_grid().seconds;
    let counts =
        format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{seconds:.3}\"");
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{name}\" {counts}>\n\
         <testsuite name=\"{name}\" {counts} skipped=\"{skipped}\" timestamp=\"{}\" hostname=\"{}\">\n",
        records.info.created.strftime("%Y-%m-%dT%H:%M:%S"),
        escape_markup(&records.info.host),
    );
    let mut tries: Vec<Vec<&Failure>> = vec![Vec::new(); findings.outcomes.len()];
    for attempt in &findings.attempts {
        if let AttemptStatus::Ended(Outcome { verdict: Verdict::Failed(failure), .. }) = attempt.standing {
            tries[attempt.shard].push(failure);
        }
    }
    for ((shard, cost), tries) in findings.outcomes.iter().zip(&findings.costs).zip(&tries) {
        write_case(&mut xml, &name, shard, cost.seconds, tries);
    }
    xml.push_str("</testsuite>\n</testsuites>\n");
    xml
}

/// Result of a shard in a test report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CaseKind {
    Passed,
    Failed,
    Skipped,
    Unfinished,
}

impl CaseKind {
    fn from_phase(phase: PhaseKind) -> Self {
        match phase {
            PhaseKind::Succeeded => Self::Passed,
            PhaseKind::Failed => Self::Failed,
            PhaseKind::Queued | PhaseKind::Cancelled => Self::Skipped,
            PhaseKind::Starting | PhaseKind::Running | PhaseKind::Paused | PhaseKind::Stopping => {
                Self::Unfinished
            }
        }
    }
}

fn write_case(xml: &mut String, suite: &str, shard: &ShardOutcome<'_>, seconds: f64, tries: &[&Failure]) {
    let (verdict, message) = (shard.verdict(), escape_markup(shard.message.unwrap_or_default()));
    let _ = write!(
        xml,
        "<testcase classname=\"{suite}\" name=\"{}\" time=\"{seconds:.3}\">",
        escape_markup(shard.id().as_str())
    );
    let kind = CaseKind::from_phase(shard.phase);
    let _ = match kind {
        CaseKind::Passed => Ok(()),
        CaseKind::Failed => {
            let proof =
                shard.proof.map(|proof| format!("line {}: {}", proof.line, proof.text)).unwrap_or_default();
            write!(
                xml,
                "<failure type=\"{verdict}\" message=\"{message}\">{}</failure>",
                escape_markup(&proof)
            )
        }
        CaseKind::Skipped if shard.is_unneeded => write!(xml, "<skipped message=\"{message}\"/>"),
        CaseKind::Skipped => write!(xml, "<skipped message=\"{verdict}\"/>"),
        CaseKind::Unfinished => write!(xml, "<error type=\"{verdict}\" message=\"not at its end\"/>"),
    };
    write_earlier_attempts(xml, kind, tries);
    if !shard.warnings.is_empty() {
        let _ = write!(xml, "<system-out>{}</system-out>", escape_markup(&shard.warnings.join("\n")));
    }
    xml.push_str("</testcase>\n");
}

/// The tries before the one that counts.
fn write_earlier_attempts(xml: &mut String, kind: CaseKind, tries: &[&Failure]) {
    let (element, before) = match kind {
        CaseKind::Failed => ("rerunFailure", &tries[..tries.len().saturating_sub(1)]),
        CaseKind::Passed => ("flakyFailure", tries),
        // How it ends is not known yet.
        CaseKind::Skipped | CaseKind::Unfinished => return,
    };
    for failure in before {
        let message = escape_markup(&failure.message);
        let _ = write!(xml, "<{element} message=\"{message}\" type=\"{}\"/>", failure.reason);
    }
}
