//! Values of packs, by files and by logs.

use super::*;
use crate::model::sweep::plan::ShardSpec;
use crate::model::value::Value;

fn ends(phase: PhaseKind, name: &str, text: &str) -> Vec<(String, ValueEnd, Option<u64>)> {
    let pack = Pack::of_axis(0, "reward", (3..6).map(Value::Integer));
    let plan = crate::results::status::status_tests::plan(&["p"]);
    let spec = ShardSpec { pack: Some(pack.clone()), ..plan.shards[0].clone() };
    let outcome = ShardOutcome { phase, ..ShardOutcome::from_state(&spec, None) };
    let files = vec![PackFile { name: name.to_owned(), bytes: text.as_bytes().to_vec() }];
    let traces = Traces { files, ..Traces::default() };
    let values = of_pack(&outcome, &pack, &ValueLogSpec::default(), &traces);
    values.into_iter().map(|value| (value.value, value.end, value.rows)).collect()
}

#[test]
fn values_are_told_apart_where_a_file_does_and_each_ends_once() {
    use ValueEnd::{Failed, Missing, Succeeded, Unfinished};
    let told = |all: [(ValueEnd, Option<u64>); 3]| -> Vec<(String, ValueEnd, Option<u64>)> {
        ["3", "4", "5"].iter().zip(all).map(|(value, (end, rows))| ((*value).to_owned(), end, rows)).collect()
    };
    let lines =
        "{\"reward\": 3, \"x\": 1}\n{\"reward\": 3, \"x\": 2}\n{\"reward\": 5, \"status\": \"error\"}\n";
    let expected = told([(Succeeded, Some(2)), (Missing, Some(0)), (Failed, Some(1))]);
    assert_eq!(ends(PhaseKind::Succeeded, "r.jsonl", lines), expected);
    let table = "reward,x,error\n3,1,\n4,2,boom\n";
    let expected = told([(Unfinished, Some(1)), (Failed, Some(1)), (Missing, Some(0))]);
    assert_eq!(ends(PhaseKind::Failed, "r.csv", table), expected);
    let keyed = "{\"results\": {\"3\": {\"x\": 1}, \"4\": {\"x\": 2}, \"5\": {\"x\": 3}}}";
    let expected = told([(Succeeded, Some(1)), (Succeeded, Some(1)), (Succeeded, Some(1))]);
    assert_eq!(ends(PhaseKind::Succeeded, "r.json", keyed), expected);
    let together = "{\"success_rate\": 0.5}";
    assert_eq!(ends(PhaseKind::Failed, "r.json", together), told([(Failed, None); 3]));
    assert_eq!(ends(PhaseKind::Running, "r.json", "")[0].1, ValueEnd::Open);
}

/// How each of three values ends, and what is reported as lacking, by a log and rows of `r.jsonl`.
fn by_log(phase: PhaseKind, log: &[(&str, ValueLog)], rows: &str) -> (Vec<ValueEnd>, Option<String>) {
    let pack = Pack::of_axis(0, "reward", (3..6).map(Value::Integer));
    let plan = crate::results::status::status_tests::plan(&["p"]);
    let shard = ShardSpec { pack: Some(pack.clone()), ..plan.shards[0].clone() };
    let log = log.iter().map(|(value, log)| ((*value).to_owned(), log.clone())).collect();
    let files = vec![PackFile { name: "r.jsonl".to_owned(), bytes: rows.as_bytes().to_vec() }];
    let traces = Traces { files, log, has_unread: false };
    let patterns = ValueLogSpec { finished: Some("(?<value>.)".into()), ..ValueLogSpec::default() };
    let short = value_shortfall(&pack, &shard.id, &patterns, &traces).map(|short| short.to_string());
    let outcome = ShardOutcome {
        phase,
        reason: (phase == PhaseKind::Failed).then_some(FailureReason::Incomplete),
        message: short.as_deref().filter(|_| phase == PhaseKind::Failed),
        ..ShardOutcome::from_state(&shard, None)
    };
    let ends = of_pack(&outcome, &pack, &patterns, &traces).into_iter().map(|value| value.end).collect();
    (ends, short)
}

#[test]
fn a_log_tells_values_apart_also_against_their_files() {
    use ValueEnd::{Failed, Missing, Open, Succeeded};
    let finished = ValueLog { end: Some(ValueLogEnd::Finished), ..ValueLog::default() };
    let broken = ValueLogEnd::Failed { line: "diverged".into() };
    let failed = ValueLog { end: Some(broken), ..ValueLog::default() };
    let all = [("3", finished.clone()), ("4", finished.clone()), ("5", finished.clone())];
    assert_eq!(by_log(PhaseKind::Succeeded, &all, ""), (vec![Succeeded; 3], None));
    assert_eq!(by_log(PhaseKind::Running, &all, "").0, [Open; 3]);
    let some = [("3", finished.clone()), ("4", failed), ("9", finished)];
    let (ends, short) = by_log(PhaseKind::Failed, &some, "");
    assert_eq!(ends, [Succeeded, Failed, Missing], "one lacks nothing though its pack does");
    assert_eq!(short.as_deref(), Some("2 of 3 values of reward have no result: 5 missing; 4 failed"));
    let rows = "{\"reward\": 3}\n{\"reward\": 4}\n";
    let (ends, short) = by_log(PhaseKind::Failed, &all, rows);
    assert_eq!(ends, [Succeeded, Succeeded, Missing], "a finished value without its row has no result");
    assert_eq!(short.as_deref(), Some("1 of 3 values of reward have no result: 5 missing"));
}

/// Values reported as lacking, by one file and by the names that the log calls finished.
fn lacking(values: &[Value], file: (&str, &str), finished: &[&str]) -> Option<String> {
    let pack = Pack::of_axis(0, "lr", values.to_vec());
    let log = ValueLog { end: Some(ValueLogEnd::Finished), ..ValueLog::default() };
    let traces = Traces {
        files: vec![PackFile { name: file.0.to_owned(), bytes: file.1.as_bytes().to_vec() }],
        log: finished.iter().map(|name| ((*name).to_owned(), log.clone())).collect(),
        has_unread: false,
    };
    let pattern = (!finished.is_empty()).then(|| "(?<value>.)".to_owned());
    let spec = ValueLogSpec { finished: pattern, ..ValueLogSpec::default() };
    let shard = crate::results::status::status_tests::plan(&["p"]).shards[0].id.clone();
    value_shortfall(&pack, &shard, &spec, &traces).map(|short| short.to_string())
}

#[test]
fn a_value_is_found_though_its_program_spells_it_otherwise() {
    let values = [Value::Integer(0), Value::Float(1e-5), Value::Integer(1)];
    let written = [
        ("r.jsonl", "{\"lr\": 0.0}\n{\"lr\": 1e-05}\n{\"lr\": 1.0}\n"),
        ("r.csv", "lr,x\n0.0,1\n1e-05,1\n1.0,1\n"),
        ("r.json", "{\"0.0\": {\"x\": 1}, \"1e-05\": {\"x\": 1}, \"1.0\": {\"x\": 1}}"),
        ("r.json", "[{\"lr\": 0.0}, {\"lr\": \"1e-05\"}, {\"lr\": 1.0}]"),
    ];
    for file in written {
        assert_eq!(lacking(&values, file, &[]), None, "{file:?}");
    }
    let short = lacking(&values, ("r.jsonl", "{\"lr\": 0.0}\n"), &[]);
    assert_eq!(short.as_deref(), Some("2 of 3 values of lr have no result: 1e-5, 1 missing"));
    assert_eq!(lacking(&values, ("r.jsonl", ""), &["0.0", "1e-05", "1.0"]), None);
    let truth = [Value::Boolean(true), Value::Boolean(false)];
    assert_eq!(lacking(&truth, ("r.csv", "lr\nTrue\nFalse\n"), &["True", "False"]), None);
}

#[test]
fn what_was_not_looked_at_is_not_missing() {
    let pack = Pack::of_axis(0, "reward", (0..4).map(Value::Integer));
    let plan = crate::results::status::status_tests::plan(&["p"]);
    let shard = ShardSpec { pack: Some(pack.clone()), ..plan.shards[0].clone() };
    let rows = "{\"reward\": 0}\n{\"reward\": 1, \"error\": \"nan\"}\n{\"reward\": 2}\n";
    let files = vec![PackFile { name: "r.jsonl".to_owned(), bytes: rows.as_bytes().to_vec() }];
    let lacking = |spec: &ValueLogSpec, traces: &Traces| {
        value_shortfall(&pack, &shard.id, spec, traces).map(|short| (short.missing, short.failed))
    };
    let (none, one, three) = (Vec::new(), vec!["1".to_owned()], vec!["3".to_owned()]);
    let files_alone = |has_unread| Traces { files: files.clone(), has_unread, ..Traces::default() };
    let silent = ValueLogSpec::default();
    assert_eq!(lacking(&silent, &files_alone(false)), Some((three.clone(), one.clone())));
    assert_eq!(lacking(&silent, &files_alone(true)), Some((none.clone(), one)));
    let outcome = ShardOutcome { phase: PhaseKind::Succeeded, ..ShardOutcome::from_state(&shard, None) };
    let last = of_pack(&outcome, &pack, &silent, &files_alone(true)).pop().unwrap();
    assert_eq!((last.end, last.rows), (ValueEnd::Succeeded, None));
    // A log that named as many values as it may: 3 was reported half done, and 2 is not in it.
    let spec = ValueLogSpec { finished: Some("(?<value>.)".into()), ..ValueLogSpec::default() };
    let finished = ValueLog { end: Some(ValueLogEnd::Finished), ..ValueLog::default() };
    let names = ["0", "1"].map(str::to_owned).into_iter().chain((3..).map(|number: u32| number.to_string()));
    let told = |count| {
        let mut log: BTreeMap<_, _> =
            names.clone().take(count).map(|name| (name, finished.clone())).collect();
        log.insert("3".to_owned(), ValueLog::default());
        Traces { log, ..Traces::default() }
    };
    assert_eq!(lacking(&spec, &told(MOST_VALUES)), Some((three, none.clone())));
    assert_eq!(lacking(&spec, &told(9)), Some((vec!["2".to_owned(), "3".to_owned()], none)));
}
