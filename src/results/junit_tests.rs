//! `junit.xml` against the schema by which Jenkins accepts or refuses it, and tries before the one that counts.

use std::collections::BTreeMap;

use super::findings::{Findings, Records};
use super::junit::junit;
use super::status::RunWord;
use super::status_tests::second;
use super::tests::{ended, facts, run};
use crate::model::demand::Demand;
use crate::model::fact::{Event, Fact, JOURNAL_VERSION};
use crate::model::ids::{AttemptNumber, RunId, ShardId};
use crate::model::outcome::{Failure, FailureReason, Verdict};
use crate::model::phase::QueueCause;
use crate::model::run_state::RunState;

/// Elements with their attributes, as in junit-10.xsd of Jenkins' xunit plugin.
fn schema() -> BTreeMap<&'static str, &'static [&'static str]> {
    BTreeMap::from([
        ("testsuites", &["name", "time", "tests", "failures", "errors"][..]),
        (
            "testsuite",
            &["name", "tests", "failures", "errors", "time", "skipped", "timestamp", "hostname", "id"],
        ),
        ("testcase", &["name", "time", "classname", "group"]),
        ("failure", &["type", "message"]),
        ("error", &["type", "message"]),
        ("skipped", &["type", "message"]),
        ("flakyFailure", &["type", "message"]),
        ("rerunFailure", &["type", "message"]),
        ("system-out", &[]),
    ])
}

fn failed() -> Verdict {
    Verdict::Failed(Failure { reason: FailureReason::GpuOom, message: "CUDA out of <memory>".to_owned() })
}

/// One shard whose attempts end so, one after the other.
fn document(verdicts: Vec<Verdict>) -> String {
    let (info, mut plan, _) = run();
    plan.shards.truncate(1);
    let id: ShardId = plan.shards[0].id.clone();
    let created = Event::RunCreated {
        version: JOURNAL_VERSION,
        run: RunId("r".into()),
        shards: vec![id.clone()],
        parallel: 1,
    };
    let mut events = vec![created];
    for (number, verdict) in (1..).zip(verdicts) {
        if number > 1 {
            events.push(Event::ShardQueued {
                shard: id.clone(),
                cause: QueueCause::Retry,
                by: None,
                not_before: None,
                demand: Demand::default(),
                edit: None,
                step: None,
            });
        }
        for mut event in facts(&id, ended(verdict, None, &[])) {
            if let Event::AttemptStarting { attempt, .. }
            | Event::AttemptStarted { attempt, .. }
            | Event::AttemptEnded { attempt, .. } = &mut event
            {
                *attempt = AttemptNumber(number);
            }
            events.push(event);
        }
    }
    let facts: Vec<Fact> = events.into_iter().map(|event| Fact { at: second(1), event }).collect();
    let state = RunState::fold(&facts).unwrap();
    let xml = junit(&Findings::new(Records::new(&info, &plan, &state, RunWord::Finished, second(9)), |_| ()));
    assert_fits(&xml);
    xml
}

fn assert_fits(xml: &str) {
    let schema = schema();
    let tag = regex::Regex::new(r#"<([a-zA-Z-]+)((?: [a-z]+="[^"]*")*)/?>"#).unwrap();
    let attribute = regex::Regex::new(r#" ([a-z]+)=""#).unwrap();
    let mut seen = 0;
    for found in tag.captures_iter(xml) {
        let allowed = schema.get(&found[1]).unwrap_or_else(|| panic!("no element {}: {xml}", &found[1]));
        for name in attribute.captures_iter(&found[2]) {
            assert!(allowed.contains(&&name[1]), "{} has no {}: {xml}", &found[1], &name[1]);
        }
        seen += 1;
    }
    assert_eq!(seen, xml.matches('<').count() - xml.matches("</").count() - 1, "{xml}");
}

#[test]
fn a_success_after_failures_is_flaky() {
    let xml = document(vec![failed(), failed(), Verdict::Succeeded]);
    let flaky = "<flakyFailure message=\"CUDA out of &lt;memory&gt;\" type=\"gpu-oom\"/>";
    assert_eq!(xml.matches(flaky).count(), 2, "{xml}");
    assert!(xml.contains("failures=\"0\""), "{xml}");
}

#[test]
fn a_failure_after_failures_names_the_tries_before() {
    let xml = document(vec![failed(), failed()]);
    assert_eq!((xml.matches("<rerunFailure ").count(), xml.matches("<failure ").count()), (1, 1), "{xml}");
    let once = document(vec![Verdict::Succeeded]);
    assert!(!once.contains("flaky"), "{once}");
}
