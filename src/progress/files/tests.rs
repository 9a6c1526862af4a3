//! Result files of every known format, and of none, held against logs.

use std::sync::Arc;

use serde_json::{Value, json};

use super::evidence::{Coverage, FileEvidence};
use super::reader::ResultReader;
use super::reading::{FileFault, ResultReading};
use crate::model::outcome::{Metrics, Verdict};
use crate::model::results::result_file::ResultFile;
use crate::model::sweep::plan::{MetricSource, MetricSpec, Reduce};
use crate::model::sweep::rule::{BuiltInRule, BuiltInRuleSpec, BuiltInVerdict, RuleSpec};
use crate::progress::reader::log_reader::LogReader;
use crate::progress::reader::rules::LogRules;
use crate::progress::reading::LogSummary;
use crate::progress::remarks::RemarkSeverity;
use crate::progress::trouble::built_in::BuiltInRules;

fn known(files: &[(&str, &str)]) -> ResultReading {
    let wanted = ResultFile { known: true, ..ResultFile::default() };
    let mut reader = ResultReader::new(&[]);
    files.iter().for_each(|(name, text)| reader.take(name, text.as_bytes(), &wanted));
    reader.finish()
}

/// The numbers of one document of a known format.
fn numbers(document: &Value) -> Value {
    let reading = known(&[("eval_info.json", &document.to_string())]);
    assert_eq!(reading.faults, []);
    json!(reading.metrics.iter().map(|(name, figure)| (name.clone(), figure.value)).collect::<Metrics>())
}

fn told(reading: &ResultReading) -> Vec<&str> {
    reading.faults.iter().map(FileFault::told).collect()
}

fn metric(name: &str, key: &str, reduce: Reduce) -> MetricSpec {
    let source = MetricSource::File { file: String::new(), key: key.parse().unwrap() };
    MetricSpec { name: name.into(), source, reduce, unit: None, scale: None }
}

fn own(file: &str, text: &str, metrics: &[MetricSpec]) -> ResultReading {
    let names = metrics.iter().map(|metric| metric.name.clone()).collect();
    let mut reader = ResultReader::new(metrics);
    reader.take(file, text.as_bytes(), &ResultFile { metrics: names, ..ResultFile::default() });
    reader.finish()
}

fn log(text: &str) -> LogSummary {
    let mut reader = LogReader::new(Arc::new(LogRules::preset("auto").unwrap()));
    reader.feed(text.as_bytes(), &mut Vec::new());
    reader.finish(&mut Vec::new());
    reader.reading().clone()
}

fn weighed(files: &ResultReading, log: &LogSummary, asked: Option<u64>) -> FileEvidence {
    FileEvidence::weigh(files, log, asked, &BuiltInRules::changed_by(&[]))
}

#[test]
fn episodes_that_are_there_twice_count_once() {
    let episode =
        |number: u64, success: bool| json!({"episode_ix": number, "seed": 7 + number, "success": success});
    let episodes = [episode(0, true), episode(1, false), episode(2, true), episode(1, true)];
    let reading = known(&[("eval_info.json", &json!({"per_episode": episodes}).to_string())]);
    assert_eq!((reading.metrics["episodes"].value, reading.metrics["successes"].value), (3.0, 3.0));
    assert_eq!(
        told(&reading),
        ["eval_info.json: 1 of its episodes are there more than once and count once: 1"]
    );
    let short = weighed(&reading, &log(""), Some(4)).coverage;
    assert_eq!(short, Coverage::Short { done: 3, asked: 4, file: "eval_info.json".into() });
    // Put together by another program: the seeds tell them apart.
    let other = json!({"episode_ix": 0, "seed": 99, "success": true});
    let reading =
        known(&[("eval_info.json", &json!({"per_episode": [episode(0, true), other]}).to_string())]);
    assert_eq!((reading.metrics["episodes"].value, told(&reading)), (2.0, vec![]));
}

#[test]
fn rows_that_are_there_twice_are_told() {
    let metrics = [metric("success", "success", Reduce::Mean)];
    let rows = |numbers: &[u64]| {
        let row = |number: &u64| format!("{{\"episode\": {number}, \"success\": true}}\n");
        own("episodes.jsonl", &numbers.iter().map(row).collect::<String>(), &metrics)
    };
    assert_eq!(
        told(&rows(&[0, 1, 2, 1])),
        ["episodes.jsonl: episode 1 more often than the others: every row counts"]
    );
    assert_eq!(told(&rows(&[0, 1, 0, 1])), [""; 0], "two rows for each");
    let tasks = "episode,task,success\n0,a,1\n1,a,0\n0,b,1\n";
    assert_eq!(told(&own("episodes.csv", tasks, &metrics)), [""; 0]);
}

fn task(successes: &[bool], reward: f64) -> Value {
    let rewards = vec![reward; successes.len()];
    let metrics =
        json!({"sum_rewards": rewards, "max_rewards": rewards, "successes": successes, "video_paths": []});
    json!({"task_group": "libero_goal", "task_id": 0, "metrics": metrics})
}

/// What LeRobot 0.6 writes, with one group of tasks of unequal length.
fn eval_info() -> Value {
    json!({
        "per_task": [task(&[true, true, true, false], 1.0), task(&[false], 6.0)],
        "per_group": {"libero_goal": {"pc_success": 60.0, "n_episodes": 5, "avg_sum_reward": 2.0}},
        "overall": {"avg_sum_reward": 2.0, "avg_max_reward": 2.0, "pc_success": 60.0, "n_episodes": 5,
                    "eval_s": 12.5, "eval_ep_s": 2.5, "video_paths": [], "predicted_video_paths": []},
    })
}

fn expected() -> Value {
    json!({"episodes": 5.0, "successes": 3.0, "success_rate": 0.6, "mean_sum_reward": 2.0, "mean_max_reward": 2.0,
           "eval_s": 12.5})
}

#[test]
fn every_form_of_eval_info_gives_the_same_numbers() {
    assert_eq!(numbers(&eval_info()), expected());
    assert_eq!(numbers(&json!({"eval_results_400": eval_info()})), expected());

    let episode = |ix: u32, success: bool, reward: f64| json!({"episode_ix": ix, "sum_reward": reward, "max_reward": reward, "success": success, "seed": 1000 + ix});
    let episodes = [
        episode(0, true, 1.0),
        episode(1, true, 1.0),
        episode(2, true, 1.0),
        episode(3, false, 1.0),
        episode(4, false, 6.0),
    ];
    let summary = json!({"pc_success": 60.0, "eval_s": 12.5, "eval_ep_s": 2.5});
    assert_eq!(numbers(&json!({"per_episode": episodes, "aggregated": summary})), expected());
    let nested = json!({"per_task": [{"metrics": {"per_episode": episodes}}], "overall": summary});
    assert_eq!(numbers(&nested), expected());

    let mut without_lists = eval_info();
    without_lists["per_task"] = json!([]);
    assert_eq!(numbers(&without_lists), expected());
    let only_summary = json!({"aggregated": {"pc_success": 60.0, "eval_s": 12.5}});
    assert_eq!(numbers(&only_summary), json!({"success_rate": 0.6, "eval_s": 12.5}));
}

#[test]
fn groups_are_weighed_by_their_episodes() {
    let groups =
        json!({"a": {"pc_success": 100.0, "n_episodes": 10}, "b": {"pc_success": 0.0, "n_episodes": 90}});
    let numbers = numbers(&json!({"per_task": [], "per_group": groups}));
    assert_eq!(numbers, json!({"episodes": 100.0, "successes": 10.0, "success_rate": 0.1}));
}

#[test]
fn a_summary_that_is_not_that_of_its_lists_is_told() {
    let mut merged = eval_info();
    merged["overall"]["pc_success"] = json!("NaN");
    let text = merged.to_string().replace("\"NaN\"", "NaN");
    let reading = known(&[("eval_info.json", &text)]);
    assert_eq!(reading.metrics["success_rate"].value, 0.6);
    let odd = "eval_info.json: its summary says a success rate of NaN of 5 episodes, its lists 0.6000 of 5 episodes";
    assert_eq!(told(&reading), [odd]);
}

#[test]
fn rewards_that_are_no_numbers_are_told_as_such() {
    let mut info = eval_info();
    info["per_task"][0]["metrics"]["sum_rewards"][1] = json!("NaN");
    let reading = known(&[("eval_info.json", &info.to_string().replace("\"NaN\"", "NaN"))]);
    assert_eq!(reading.not_numbers.keys().collect::<Vec<_>>(), ["mean_sum_reward"]);
    let evidence = weighed(&reading, &log(""), None);
    let remark = evidence.remark(RemarkSeverity::Invalid).unwrap();
    assert_eq!(remark.message, "mean_sum_reward is not a number in eval_info.json");
    let known_to_log = Metrics::from([("mean_sum_reward".to_owned(), 3.0)]);
    assert!(!evidence.amend(&known_to_log).contains_key("mean_sum_reward"));

    let off = BuiltInRuleSpec { name: BuiltInRule::Nan, verdict: BuiltInVerdict::Off };
    let rules = BuiltInRules::changed_by(&[RuleSpec::BuiltIn(off)]);
    assert_eq!(FileEvidence::weigh(&reading, &log(""), None, &rules).remarks, []);
}

#[test]
fn files_of_the_same_name_and_another_shape_are_not_recognised() {
    let told_of = |text: &str| told(&known(&[("eval_info.json", text)]))[0].to_owned();
    assert_eq!(
        told_of(r#"{"model": "pi0", "accuracy": 0.9}"#),
        "eval_info.json: not a known format: it holds `accuracy`, `model`; name what is wanted with `[[metric]]`, \
         `file` and `key`"
    );
    assert!(told_of(r#"{"per_episode": [1.0, 2.0], "mean": 1.5}"#).contains("holds `mean`, `per_episode`"));
    assert!(told_of("[]").contains("it holds a list of 0"));
    assert_eq!(told_of("{\"per_task\": ["), "eval_info.json is cut off at line 1 column 14");
    assert_eq!(told_of("\n"), "eval_info.json is empty");
    let two = json!({"a": eval_info(), "b": eval_info()}).to_string();
    assert!(told_of(&two).contains("it holds 2 evaluations"));
}

#[test]
fn files_of_several_suites_are_added_up() {
    let text = eval_info().to_string();
    let reading = known(&[("goal_eval_info.json", &text), ("object_eval_info.json", &text)]);
    let figure = |name: &str| (reading.metrics[name].value, reading.metrics[name].file.as_str());
    assert_eq!(figure("episodes"), (10.0, "2 files"));
    assert_eq!((figure("success_rate").0, figure("eval_s").0), (0.6, 25.0));
}

#[test]
fn lines_of_tasks_count_the_newest_try_of_each() {
    let line = |id: u32, status: &str, successes: &[bool]| {
        let mut line = task(successes, 1.0);
        (line["task_id"], line["status"]) = (json!(id), json!(status));
        line.to_string()
    };
    let text = [line(0, "error", &[]), line(0, "ok", &[true, false]), line(1, "error", &[])].join("\n");
    let reading = known(&[("results.jsonl", &text)]);
    assert_eq!(reading.metrics["episodes"].value, 2.0);
    assert_eq!(reading.metrics["success_rate"].value, 0.5);
    assert_eq!(told(&reading), ["results.jsonl: tasks ended with an error: libero_goal 1"]);
    assert_eq!(weighed(&reading, &log(""), None).coverage, Coverage::Unknown, "more lines may come");
}

#[test]
fn episodes_of_vla_eval_that_ended_with_an_error_are_failures_and_told() {
    let episode = |success: f64| json!({"episode_id": 0, "metrics": {"success": success}, "steps": 9});
    let broken = json!({"episode_id": 2, "metrics": {"success": 0.0}, "failure_reason": "timeout"});
    let tasks = json!([{"task": "a", "episodes": [episode(1.0), episode(0.0)]}, {"task": "b", "episodes": [broken, broken]}]);
    let document = json!({"benchmark": "libero", "tasks": tasks, "num_errors": 2, "mean_success": 0.25});
    let reading = known(&[("libero_aggregate.json", &document.to_string())]);
    assert_eq!(
        told(&reading),
        ["libero_aggregate.json: 2 episodes ended with an error and count as failures"]
    );
    let numbers = ["episodes", "successes", "success_rate", "errors"].map(|name| reading.metrics[name].value);
    assert_eq!(numbers, [4.0, 1.0, 0.25, 2.0]);
}

#[test]
fn short_summaries_are_counted_where_they_count() {
    let demo =
        json!({"env": "cart-pole", "complete": true, "episodes": 25, "successes": 20, "success_rate": 0.8});
    assert_eq!(numbers(&demo), json!({"episodes": 25.0, "successes": 20.0, "success_rate": 0.8}));
    let suites =
        json!({"overall": {"successes": 205, "episodes": 300, "success_rate_percent": 68.3333}, "seed": 0});
    assert_eq!(numbers(&suites)["success_rate"], 205.0 / 300.0);
    let odd = json!({"n_episodes": 4, "successes": 1, "success_rate_percent": 50.0});
    let reading = known(&[("s.json", &odd.to_string())]);
    assert_eq!(told(&reading), ["s.json: it says a success rate of 0.5000, its counts make 0.2500"]);
}

#[test]
fn own_metrics_are_read_from_documents_lines_and_tables() {
    let lines =
        "{\"fell\": true, \"m\": 2.5}\n{\"fell\": false, \"m\": null}\n{\"fell\": true, \"m\": 3.5}\n{\"fel";
    let metrics = [metric("falls", "fell", Reduce::Sum), metric("m", "m", Reduce::Mean)];
    for name in ["e.jsonl", "e.json"] {
        let reading = own(name, lines, &metrics);
        assert_eq!((reading.metrics["falls"].value, reading.metrics["m"].value), (2.0, 3.0), "{name}");
        assert_eq!(told(&reading), [format!("{name}: its last row is torn and was left out")]);
    }
    let table = "step, power.draw [W]\n1, 71.5\n2, 73.5\n";
    let reading = own("m.csv", table, &[metric("power", "power.draw [W]", Reduce::Max)]);
    assert_eq!(reading.metrics["power"].value, 73.5);
    let rate = metric("rate", "per_task[].metrics.successes[]", Reduce::Mean);
    assert_eq!(own("e.json", &eval_info().to_string(), &[rate]).metrics["rate"].value, 0.6);
}

#[test]
fn a_key_that_leads_nowhere_says_what_is_there() {
    let told_of = |file: &str, text: &str, key: &str| {
        told(&own(file, text, &[metric("x", key, Reduce::Last)]))[0].to_owned()
    };
    assert_eq!(told_of("e.json", r#"{"a": {"b": 1}}"#, "a.c"), "e.json: no `a.c`; it has `b`");
    assert_eq!(told_of("e.csv", "a,b\n1,2\n", "c"), "e.csv: no `c`; it has `a`, `b`");
    assert_eq!(told_of("e.jsonl", "", "c"), "e.jsonl: no `c`; it has no rows");
    assert_eq!(told_of("e.json", r#"{"a": "high"}"#, "a"), "e.json: `a`: `high` is no number");
    assert_eq!(told_of("e.json", r#"{"a": 1e999}"#, "a").split(':').next(), Some("e.json is no JSON"));
    assert_eq!(told_of("e.json", r#"{"a": -Infinity}"#, "a"), "e.json: x is infinite");
    assert_eq!(
        told_of("e.json", r#"[{"a": 1}]"#, "a"),
        "e.json: no `a`; it has a list of 1 (`[]` takes its elements)"
    );
}

#[test]
fn a_number_of_the_log_does_not_stand_for_one_that_is_none_in_the_file() {
    let log = log("Episode 1/1 reward=1.0 success=1\n");
    let mean = |text: &str| own("e.json", text, &[metric("success_rate", "a[]", Reduce::Mean)]);
    for text in [r#"{"a": [1, Infinity]}"#, r#"{"a": [1, NaN]}"#] {
        let evidence = weighed(&mean(text), &log, None);
        assert_eq!(evidence.amend(&log.metrics).get("success_rate"), None, "{text}");
    }
    let summary = json!({"pc_success": "NaN", "avg_sum_reward": "NaN", "n_episodes": 0, "eval_s": 1.5});
    let nothing = known(&[("eval_info.json", &json!({"per_task": [], "overall": summary}).to_string())]);
    assert_eq!(nothing.not_numbers.keys().collect::<Vec<_>>(), ["success_rate"]);
    assert_eq!(weighed(&nothing, &log, None).amend(&log.metrics).get("success_rate"), None);
}

#[test]
fn the_log_and_the_file_are_compared_by_name() {
    let lines = "Episode 1/2 reward=1.0 success=1\nEpisode 2/2 reward=2.0 success=0\n";
    let file = |episodes: u32, successes: u32| {
        known(&[("r.json", &json!({"episodes": episodes, "successes": successes}).to_string())])
    };
    let log = log(lines);
    assert_eq!(weighed(&file(2, 1), &log, None).disagreements, []);
    let evidence = weighed(&file(2, 2), &log, None);
    let warnings = evidence.warnings(&Verdict::Succeeded);
    assert_eq!(
        warnings,
        ["success_rate: log says 0.5, r.json says 1", "successes: log says 1, r.json says 2"]
    );
    assert_eq!(evidence.amend(&log.metrics)["successes"], 2.0, "the file is kept");
}

#[test]
fn coverage_is_what_the_files_count_of_what_was_asked() {
    let file = |text: &Value| known(&[("r.json", &text.to_string())]);
    let counts = file(&json!({"episodes": 87, "successes": 1}));
    let nothing = log("");
    let short = Coverage::Short { done: 87, asked: 100, file: "r.json".to_owned() };
    assert_eq!(weighed(&counts, &nothing, Some(100)).coverage, short);
    assert_eq!(weighed(&counts, &log("Episode 100/100\n"), None).coverage, short, "the log knows how many");
    assert_eq!(weighed(&counts, &nothing, Some(87)).coverage, Coverage::Complete);
    assert_eq!(weighed(&counts, &nothing, None).coverage, Coverage::Unknown);
    assert_eq!(
        weighed(&file(&eval_info()), &nothing, None).coverage,
        Coverage::Complete,
        "written at the end"
    );
    let empty = json!({"per_task": [], "overall": {"pc_success": 0.0, "n_episodes": 0}});
    let none = Coverage::Short { done: 0, asked: 0, file: "r.json".to_owned() };
    assert_eq!(weighed(&file(&empty), &nothing, None).coverage, none, "written at the end of nothing");
    let open = json!({"episodes": 0, "successes": 0});
    assert_eq!(weighed(&file(&open), &nothing, None).coverage, Coverage::Unknown, "more may come");
    assert_eq!(
        weighed(&file(&open), &log("Successful trials: 0, out of 0 trials\n"), Some(0)).coverage,
        none
    );
    assert_eq!(weighed(&ResultReading::default(), &nothing, Some(3)).coverage, Coverage::Unknown);
}

proptest::proptest! {
    #[test]
    fn no_file_breaks_the_reader(bytes: Vec<u8>, cut in 0_usize..600, name in "e\\.(json|jsonl|csv|tsv|txt)") {
        let info = eval_info().to_string();
        let metrics = [metric("a", "per_task[].metrics.successes[]", Reduce::Mean), metric("b", "b", Reduce::Last)];
        let wanted = ResultFile { known: true, metrics: vec!["a".into(), "b".into()], ..ResultFile::default() };
        for text in [bytes.as_slice(), &info.as_bytes()[..cut.min(info.len())]] {
            let mut reader = ResultReader::new(&metrics);
            reader.take(&name, text, &wanted);
            let evidence = weighed(&reader.finish(), &log("Episode 1/2\n"), None);
            proptest::prop_assert!(evidence.metrics.values().all(|value| value.is_finite()));
        }
    }
}
