//! `junit.xml` against the schema by which Jenkins accepts or refuses it, and tries before the one that counts.

use std::collections::BTreeMap;

use super::junit::render_junit;
use crate::model::ids::{AttemptNumber, RunId, ShardId};
use crate::model::needs::demand::Demand;
use crate::model::outcome::{Failure, FailureReason, Verdict};
use crate::model::state::fact::{Event, Fact, JOURNAL_VERSION};
use crate::model::state::phase::QueueCause;
use crate::model::state::run_state::RunState;
use crate::results::findings::{Findings, Records};
use crate::results::status::document::RunWord;
use crate::results::status::status_tests::second;
use crate::results::tests::{ended, facts, run};

/// Rules of junit-10.xsd of Jenkins' xunit plugin for an element.
struct Rule {
    children: &'static [&'static str],
    required: &'static [&'static str],
    optional: &'static [&'static str],
    has_text: bool,
}

const fn rule(
    children: &'static [&'static str],
    required: &'static [&'static str],
    optional: &'static [&'static str],
    has_text: bool,
) -> Rule {
    Rule { children, required, optional, has_text }
}

fn schema() -> BTreeMap<&'static str, Rule> {
    let ends = ["skipped", "error", "failure"].map(|name| (name, rule(&[], &[], &["type", "message"], true)));
    let tries = ["rerunFailure", "rerunError", "flakyFailure", "flakyError"]
        .map(|name| (name, rule(&["stackTrace", "system-out", "system-err"], &["type"], &["message"], true)));
    let outputs = ["system-out", "system-err", "stackTrace"].map(|name| (name, rule(&[], &[], &[], true)));
    let of_case = &[
        "skipped", "error", "failure", "rerunFailure", "rerunError", "flakyFailure", "flakyError",
        "system-out", "system-err",
    ];
    let of_suite = &["testsuite", "properties", "testcase", "system-out", "system-err"];
    let said_of_suite =
        &["group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"];
    let whole = [
        ("testsuites", rule(&["testsuite"], &[], &["name", "time", "tests", "failures", "errors"], false)),
        ("testsuite", rule(of_suite, &["name", "tests", "failures", "errors"], said_of_suite, false)),
        ("properties", rule(&["property"], &[], &[], false)),
        ("property", rule(&[], &["name", "value"], &[], false)),
        ("testcase", rule(of_case, &["name"], &["time", "classname", "group"], false)),
    ];
    ends.into_iter().chain(tries).chain(outputs).chain(whole).collect()
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
    let facts: Vec<Fact> = events.into_iter().map(|event| Fact::new(second(1), event)).collect();
    let state = RunState::fold_facts(&facts).unwrap();
    let xml = render_junit(&Findings::new(
        Records::new(&info, &plan, &state, RunWord::Finished, second(9)),
        |_| (),
    ));
    assert_fits(&xml);
    xml
}

/// Every element stands where it may, with all the attributes that it must have and none that it may not.
fn assert_fits(xml: &str) {
    let schema = schema();
    let token = regex::Regex::new(r#"<(/?)([a-zA-Z-]+)((?: [a-z]+="[^"<]*")*)(/?)>|([^<]+)"#).unwrap();
    let attribute = regex::Regex::new(r#" ([a-z]+)="([^"]*)""#).unwrap();
    let time = regex::Regex::new(r"^(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?$").unwrap();
    let body = xml.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>").unwrap();
    let (mut open, mut read): (Vec<&str>, usize) = (Vec::new(), 0);
    for found in token.captures_iter(body) {
        assert_eq!(found.get(0).unwrap().start(), read, "what is no XML: {xml}");
        read = found.get(0).unwrap().end();
        let parent = open.last().copied();
        let Some(name) = found.get(2).map(|name| name.as_str()) else {
            let may = parent.is_some_and(|parent| schema[parent].has_text);
            assert!(may || found[5].trim().is_empty(), "text in {parent:?}: {xml}");
            continue;
        };
        if &found[1] == "/" {
            assert_eq!(open.pop(), Some(name), "{xml}");
            continue;
        }
        let rule = schema.get(name).unwrap_or_else(|| panic!("no element {name}: {xml}"));
        let may = parent.map_or(name == "testsuites", |parent| schema[parent].children.contains(&name));
        assert!(may, "{name} in {parent:?}: {xml}");
        let told: Vec<(&str, &str)> = attribute
            .captures_iter(found.get(3).unwrap().as_str())
            .map(|found| found.extract::<2>().1)
            .map(|[name, value]| (name, value))
            .collect();
        let has = |wanted: &&&str| told.iter().any(|(name, _)| name == *wanted);
        assert_eq!(rule.required.iter().find(|name| !has(name)), None, "{name} lacks it: {xml}");
        for (place, (attribute, value)) in told.iter().enumerate() {
            let is_known = rule.required.contains(attribute) || rule.optional.contains(attribute);
            let is_twice = told[..place].iter().any(|(before, _)| before == attribute);
            assert!(is_known && !is_twice, "{name} has no {attribute}: {xml}");
            assert!(*attribute != "time" || time.is_match(value), "{value} is no time: {xml}");
        }
        open.extend((&found[4] != "/").then_some(name));
    }
    assert_eq!((open.len(), read), (0, body.len()), "{xml}");
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

#[test]
fn names_that_are_no_xml_and_shards_without_an_end_fit_too() {
    let (mut info, mut plan, _) = run();
    info.name = "a \"b\" & <c>\u{1}".to_owned();
    plan.shards.truncate(2);
    let created = Event::RunCreated {
        version: JOURNAL_VERSION,
        run: RunId("r".into()),
        shards: plan.shards.iter().map(|shard| shard.id.clone()).collect(),
        parallel: 1,
    };
    let begun = facts(&plan.shards[0].id, ended(failed(), None, &[])).into_iter().take(2);
    let events = std::iter::once(created).chain(begun);
    let facts: Vec<Fact> = events.map(|event| Fact::new(second(1), event)).collect();
    let state = RunState::fold_facts(&facts).unwrap();
    let xml =
        render_junit(&Findings::new(Records::new(&info, &plan, &state, RunWord::Running, second(9)), |_| ()));
    assert_fits(&xml);
    assert!(xml.contains("<error ") && xml.contains("<skipped ") && !xml.contains('\u{1}'), "{xml}");
}
