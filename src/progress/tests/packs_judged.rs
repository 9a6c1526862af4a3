//! Verdicts on packs that lack some of their values.

use std::sync::Arc;

use crate::model::attempt::AttemptEnd;
use crate::model::logs::value_log::ValueShortfall;
use crate::model::outcome::{ExitStatus, Verdict};
use crate::model::state::phase::StopCause;
use crate::progress::files::evidence::{Coverage, FileEvidence};
use crate::progress::reader::log_reader::LogReader;
use crate::progress::reader::rules::LogRules;
use crate::progress::verdict::judgement::{ArtifactStatus, VerdictEvidence, judge};

const SIGSEGV: i32 = 11;

/// The verdict on a pack of 32 values with such an end, of which so many are missing, and the warnings behind it.
fn judged(missing: &[&str], raw: i32, stop: Option<StopCause>, coverage: Coverage) -> String {
    let mut reader = LogReader::new(Arc::new(LogRules::preset("auto").unwrap()));
    reader.feed(b"Episode 2/3\nEpisode 3/3\n", &mut Vec::new());
    reader.finish(&mut Vec::new());
    let short = ValueShortfall {
        axis: "reward".into(),
        values: 32,
        missing: missing.iter().map(|value| (*value).to_owned()).collect(),
        failed: Vec::new(),
    };
    let judgement = judge(&VerdictEvidence {
        end: &AttemptEnd::Exited { status: ExitStatus { raw } },
        reading: reader.reading(),
        stop,
        artifacts: ArtifactStatus::NotAsked,
        memory_ran_out: false,
        files: &FileEvidence { coverage, ..FileEvidence::default() },
        values: Some(&short).filter(|short| !short.missing.is_empty()),
        setup_step: None,
    });
    let verdict = match judgement.verdict {
        Verdict::Succeeded => "succeeded".to_owned(),
        Verdict::Failed(failure) => format!("{}: {}", failure.reason, failure.message),
        Verdict::Cancelled => "cancelled".to_owned(),
    };
    std::iter::once(verdict).chain(judgement.warnings).collect::<Vec<_>>().join(" | ")
}

#[test]
fn a_pack_that_lacks_values_keeps_the_reason_it_ended_for() {
    let short = "2 of 32 values of reward have no result: 3, 4 missing";
    for coverage in [Coverage::Unknown, Coverage::Complete] {
        let judged = |missing: &[&str], raw, stop| judged(missing, raw, stop, coverage.clone());
        let lacking = ["3", "4"];
        assert_eq!(judged(&lacking, SIGSEGV, None), format!("signal: {short}; ended by SIGSEGV"));
        let timeout = "timeout: ran longer than `timeout` allows";
        assert_eq!(judged(&lacking, 9, Some(StopCause::Timeout)), timeout);
        assert_eq!(judged(&lacking, 0, None), format!("incomplete: {short}"));
        let late = "ended by SIGSEGV after the work was complete";
        assert_eq!(judged(&[], SIGSEGV, None), format!("succeeded | {late}"), "nothing is lacking");
    }
}
