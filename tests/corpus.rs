//! Reads real logs, where a folder of them lies beside the project, and compares with what people read in them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use sweepdeck::cli::scanning::scan::read_log;
use sweepdeck::progress::formats::presets::table;
use sweepdeck::progress::reader::log_reader::LogReader;
use sweepdeck::progress::reader::rules::LogRules;
use sweepdeck::progress::reading::LogSummary;
use sweepdeck::progress::scan::reading::Scan;
use sweepdeck::progress::scan::reading::ScanVerdict;

/// Formats of the corpus that a preset exists for.
const KNOWN: &[&str] = &[
    "capstone_eval", "rsl_rl", "rl_games", "openvla", "lerobot log", "tqdm torn by warning",
    "python repr with array",
];

/// How a program ends that was about to write its results.
const UNCAUGHT: &[u8] = b"
Traceback (most recent call last):
  File \"eval.py\", line 508, in <module>
    json.dump(results, file)
TypeError: Object of type bool_ is not JSON serializable
";

/// What people call a metric, and what the program does.
const METRICS: [(&str, &str); 8] = [
    ("mean_reward", "mean_reward"),
    ("steps_per_s", "steps_per_s"),
    ("fps_total", "steps_per_s"),
    ("frames", "frames"),
    ("best_reward", "best_reward"),
    ("mean_progress_m", "mean_progress_m"),
    ("total_time_s", "total_time_s"),
    ("eval_s", "eval_s"),
];

#[test]
fn real_logs_are_read_as_people_read_them() {
    let corpus = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let Ok(expected) = fs::read_to_string(corpus.join("expected.json")) else { return };
    let expected: Value = serde_json::from_str(&expected).unwrap();
    let rules = Arc::new(LogRules::preset("auto").unwrap());
    let mut misses = Vec::new();
    let mut compared = 0;
    for (name, expected) in expected.as_object().unwrap() {
        let path = corpus.join(name);
        let is_log = path.extension().is_some_and(|extension| extension == "log" || extension == "txt");
        if !is_log || name.contains("cpu_metrics") {
            continue;
        }
        let read = Scan::of_log(read_log(&path, Arc::clone(&rules)).unwrap()).json();
        let known =
            KNOWN.iter().any(|known| expected["format"].as_str().is_some_and(|f| f.starts_with(known)));
        for (what, want, got) in comparisons(expected, &read, known) {
            compared += 1;
            if want != got {
                misses.push(format!("{name}: {what}: want {want}, got {got}"));
            }
        }
    }
    assert!(misses.is_empty(), "{} of {compared} readings differ:\n{}", misses.len(), misses.join("\n"));
    assert!(compared > 50, "only {compared} readings were compared");
}

/// What was read by people and by the program, pair by pair.
fn comparisons(expected: &Value, read: &Value, known: bool) -> Vec<(String, Value, Value)> {
    let mut pairs = Vec::new();
    let mut pair = |what: &str, want: Value, got: &Value| {
        pairs.push((what.to_owned(), number(want), number(got.clone())))
    };
    let verdict = read["verdict"].as_str().unwrap();
    if known {
        for (count, from_zero) in [("progress", 0.0), ("last_iteration", 1.0), ("epoch", 0.0)] {
            if let Some((index, total)) = expected[count].as_str().and_then(|text| text.split_once('/')) {
                let done = index.parse::<f64>().unwrap() + from_zero;
                pair("done", done.into(), &read["progress"]["done"]);
                pair("total", total.parse::<f64>().unwrap().into(), &read["progress"]["total"]);
            }
        }
        for episodes in ["episodes_done", "episodes"] {
            // A log that says nothing has done nothing.
            let (want, done) = (&expected[episodes], &read["progress"]["done"]);
            if !(want.is_null() || *want == 0 && done.is_null()) {
                pair(episodes, want.clone(), done);
            }
        }
        if let Some(successes) =
            expected["successes"].as_u64().filter(|_| !read["metrics"]["episodes"].is_null())
        {
            pair("successes", successes.into(), &read["metrics"]["successes"]);
        }
        for (outcome, count) in expected["outcomes"].as_object().into_iter().flatten() {
            pair(outcome, count.clone(), &read["metrics"][format!("outcome_{outcome}")]);
        }
        for (percentage, share) in [("pc_success", "success_rate"), ("running_success_rate", "success_rate")]
        {
            if let Some(percent) = expected[percentage].as_f64() {
                pair(percentage, (percent / 100.0).into(), &read["metrics"][share]);
            }
        }
        for of_evaluations in ["success_once", "success_at_end"] {
            if let Some(last) = expected[of_evaluations].as_array().and_then(|values| values.last()) {
                pair(of_evaluations, last.clone(), &read["metrics"][of_evaluations]);
            }
        }
        for (wanted, metric) in METRICS {
            if !expected[wanted].is_null() {
                pair(wanted, expected[wanted].clone(), &read["metrics"][metric]);
            }
        }
        if expected["state"] == "done" {
            pair("ends well", true.into(), &["succeeded", "invalid"].contains(&verdict).into());
        }
    }
    if expected["state"] == "failed" {
        pair("verdict", "failed".into(), &verdict.into());
    }
    if ["interrupted", "empty"].iter().any(|state| expected["state"] == *state) {
        pair("does not succeed", true.into(), &(verdict != "succeeded").into());
    }
    let reason = match expected["failure"].as_str() {
        Some("torch_oom" | "physx_gpu_oom" | "vulkan_oom" | "jax_oom") => "gpu-oom",
        Some("host_oom") => "host-oom",
        _ => "another",
    };
    let read_reason = read["reason"].as_str().filter(|reason| reason.ends_with("oom")).unwrap_or("another");
    pair("reason", reason.into(), &read_reason.into());
    let overflows = ["physx_patch_overflow", "physx_collision_stack_overflow"];
    let overflows: u64 = overflows.iter().filter_map(|key| expected[*key].as_u64()).sum();
    if overflows > 0 {
        let alerts = read["alerts"].as_array().unwrap();
        let alert = alerts.iter().find(|alert| alert["kind"] == "physx-overflow").unwrap();
        pair("overflows", overflows.into(), &alert["count"]);
        pair("verdict", "invalid".into(), &verdict.into());
    }
    pairs
}

/// 36 and 36.0 are the same reading, and so are means that differ by the rounding of a sum.
fn number(value: Value) -> Value {
    value.as_f64().map_or(value, |number| Value::from((number * 1e9).round() / 1e9))
}

/// The verdict on what was read so far.
fn verdict(reader: &LogReader) -> &'static str {
    ScanVerdict::of(reader.reading()).as_str()
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n')
}

#[test]
fn a_complete_log_and_part_of_another_run_are_no_success() {
    let corpus = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let rules = Arc::new(LogRules::preset("auto").unwrap());
    let logs = glob::glob(&corpus.join("**/*").to_string_lossy()).unwrap().map(Result::unwrap);
    let is_log =
        |path: &PathBuf| path.extension().is_some_and(|end| ["log", "txt", "out"].iter().any(|e| end == *e));
    let mut complete = Vec::new();
    for path in logs.filter(is_log) {
        let reading = read_log(&path, Arc::clone(&rules)).unwrap();
        if ScanVerdict::of(&reading).as_str() == "succeeded" {
            complete.push((path.clone(), fs::read(&path).unwrap(), reading));
        }
    }
    let mut marks = Vec::new();
    let mut wrong = Vec::new();
    for (path, bytes, whole) in &complete {
        let name = path.strip_prefix(&corpus).unwrap().display();
        let proof = whole.proof_of_completeness().map_or(1, |proof| proof.line);
        let mut reader = LogReader::new(Arc::clone(&rules));
        for (position, line) in lines(bytes).take(usize::try_from(proof).unwrap() - 1).enumerate() {
            reader.feed(line, &mut marks);
            // Of several parts each is complete by itself.
            let total = |reading: &LogSummary| reading.progress.and_then(|progress| progress.total);
            if verdict(&reader) == "succeeded" && total(reader.reading()) == total(whole) {
                wrong.push(format!("{name}: its first {} lines are a success", position + 1));
                break;
            }
        }
        let mut reader = LogReader::new(Arc::clone(&rules));
        reader.feed(bytes, &mut marks);
        reader.feed(UNCAUGHT, &mut marks);
        if verdict(&reader) == "succeeded" {
            wrong.push(format!("{name} and an exception that nobody caught are a success"));
        }
        for (other, second, alone) in &complete {
            let other = other.strip_prefix(&corpus).unwrap().display();
            let mut reader = LogReader::new(Arc::clone(&rules));
            reader.feed(bytes, &mut marks);
            reader.feed(b"\n", &mut marks);
            let mut begun = LogReader::new(Arc::clone(&rules));
            for (position, line) in lines(second).enumerate() {
                reader.feed(line, &mut marks);
                begun.feed(line, &mut marks);
                marks.clear();
                let counts = begun.reading().progress.is_some_and(|progress| progress.done > 0);
                let is_part = counts && verdict(&begun) != "succeeded";
                let is_plain = reader.reading().restart_text().is_none();
                if is_part && verdict(&reader) == "succeeded" && is_plain {
                    wrong.push(format!("{name} and {} lines of {other} are a success", position + 1));
                    break;
                }
            }
            // Where all that was said of it stands on a few lines, some of them came before it was known as another run.
            let both = reader.reading().progress;
            if alone.progress.is_some() && both.is_some() && both != alone.progress {
                let (both, one) = (reader.reading().progress, alone.progress);
                wrong.push(format!("{name} and {other}: {both:?}, not {one:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_file_in_the_folder_of_formats_is_built_in() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("formats");
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let there: BTreeSet<String> = names.collect();
    assert_eq!(there, table::files().map(|(name, _)| format!("{name}.toml")).collect());
}
