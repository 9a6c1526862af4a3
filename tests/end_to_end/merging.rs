//! The files that real shards write become the file of the serial run, or are refused by name.

use std::fs;

use serde_json::Value;

use crate::harness::place::{Place, Run};

/// An evaluator whose results have the shape of LeRobot's: rewards follow the seed, two tasks, a video for each of the
/// first two episodes. Quarters add up without rounding, so that every number is the same whoever adds.
const EVALUATOR: &str = r#"#!/bin/sh
# usage: evaluator N SEED OUT
n=$1 seed=$2 out=$3
mkdir -p "$out/videos"
awk -v n="$n" -v seed="$seed" -v out="$out" 'BEGIN {
  printf "{\n  \"per_task\": ["
  for (task = 0; task < 2; task++) {
    sums = maxs = wins = ""; total = top = won = 0
    for (i = 0; i < n; i++) {
      r = ((seed + i) * 7919 + task * 13) % 1009 / 4; w = ((seed + i) * 31 + task) % 3 > 0; m = r / 2; s = i ? ", " : ""
      sums = sums s sprintf("%.17g", r); maxs = maxs s sprintf("%.17g", m); wins = wins s (w ? "true" : "false")
      total += r; top += m; won += w
    }
    all += total; alltop += top; allwon += won
    vid = sprintf("\"%s/videos/g_%d/eval_episode_0.mp4\"", out, task); vids = vids (task ? ", " : "") vid
    printf "%s{\"task_group\": \"g\", \"task_id\": %d, \"metrics\": {\"sum_rewards\": [%s], \"max_rewards\": [%s], \"successes\": [%s], \"video_paths\": [%s]}}", task ? ", " : "", task, sums, maxs, wins, vid
  }
  common = sprintf("\"avg_sum_reward\": %.17g, \"avg_max_reward\": %.17g, \"pc_success\": %.17g, \"n_episodes\": %d, \"video_paths\": [%s]", all / (2 * n), alltop / (2 * n), allwon / (2 * n) * 100, 2 * n, vids)
  printf "],\n  \"per_group\": {\"g\": {%s}},\n  \"overall\": {%s, \"eval_s\": %.17g, \"eval_ep_s\": %.17g}\n}\n", common, common, n * 0.5, n * 0.5 / (2 * n)
}' > "$out/eval_info.json"
i=0; while [ $i -lt "$n" ]; do i=$((i+1)); echo "Episode $i/$n reward=1.0 success=1"; done
"#;

fn document(run: &Run<'_>, file: &str) -> Value {
    let text = fs::read_to_string(run.dir.join("results").join(file)).expect("a merged file");
    serde_json::from_str(&text).expect("JSON")
}

/// Every number of a document, with the path to it, and every list's length.
fn numbers(of: &Value, path: &str, into: &mut Vec<(String, String)>) {
    match of {
        Value::Object(members) => {
            members.iter().for_each(|(name, value)| numbers(value, &format!("{path}.{name}"), into));
        }
        Value::Array(items) if path.ends_with("video_paths") => {
            assert!(items.iter().all(Value::is_string), "{path}");
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, value)| numbers(value, &format!("{path}[{at}]"), into));
        }
        Value::Number(_) | Value::Bool(_) => into.push((path.to_owned(), of.to_string())),
        Value::String(_) | Value::Null => {}
    }
}

fn all_numbers(of: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    numbers(of, "", &mut found);
    found
}

fn sweep(shards: u32, more: &str) -> String {
    format!(
        "name = \"lerobot\"\n[matrix]\npolicy = [\"a\"]\n[episodes]\ntotal = 103\nshards = {shards}\nseed = 1000\n\
         [shard]\ncommand = \"\"\"\n{more}\nsh evaluator {{{{ shard.episodes }}}} {{{{ shard.seed }}}} {{{{ out }}}}\"\"\"\n\
         [schedule]\nparallel = 4\nretries = 1\n[results]\nmerge = \"lerobot\"\nfile = \"{{{{ out }}}}/eval_info.json\"\n"
    )
}

#[test]
fn a_hundred_and_three_episodes_over_five_shards_are_the_serial_run_in_every_number() {
    let place = Place::new();
    place.write("evaluator", EVALUATOR);
    fs::create_dir(place.path().join("serial")).expect("a folder");
    let serial = std::process::Command::new("sh")
        .args(["evaluator", "103", "1000", "serial"])
        .current_dir(place.path())
        .output()
        .expect("sh");
    assert!(serial.status.success(), "{serial:?}");
    let serial: Value =
        serde_json::from_str(&place.read("serial/eval_info.json").expect("its results")).expect("JSON");
    // One shard fails at first, after it has written half of its results: only its second attempt counts.
    let fails =
        "if [ {{ shard.index }} = 2 ] && [ {{ attempt }} = 1 ]; then sh evaluator 7 0 {{ out }}; exit 1; fi";
    let (ended, run) = place.run_headless(&sweep(5, fails));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let merged = document(&run, "eval_info.json");
    let (merged_numbers, serial_numbers) = (all_numbers(&merged), all_numbers(&serial));
    assert!(serial_numbers.len() > 600, "{}", serial_numbers.len());
    assert_eq!(merged_numbers, serial_numbers);
    let videos = merged["overall"]["video_paths"].as_array().expect("a list");
    assert_eq!(videos.len(), 10, "those of every shard: {videos:?}");
    let record = document(&run, "merged.json");
    let pieces = record["files"][0]["pieces"].as_array().expect("a list");
    let attempts: Vec<u64> = pieces.iter().filter_map(|piece| piece["attempt"].as_u64()).collect();
    assert_eq!(attempts, [1, 1, 2, 1, 1]);
    let summary = document(&run, "summary.json");
    assert_eq!(summary["merged"][0]["completeness"], "whole", "{}", summary["merged"]);
}

#[test]
fn what_is_missing_is_refused_by_name_and_merged_only_on_request() {
    let place = Place::new();
    place.write("evaluator", EVALUATOR);
    let (ended, run) = place.run_headless(&sweep(5, "[ {{ shard.index }} != 3 ] || [ -e mended ] || exit 7"));
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let told = "eval_info.json was not merged: a_3of5 is missing: it failed: ";
    assert!(ended.stderr.contains(told), "{ended:?}");
    assert!(!run.dir.join("results/eval_info.json").exists());
    let reported = run.does("report", &["--partial"]);
    assert!(reported.stderr.contains("eval_info.partial.json is partial: a_3of5"), "{reported:?}");
    let partial = document(&run, "eval_info.partial.json");
    assert_eq!((&partial["partial"], &partial["missing"][0]), (&true.into(), &"a_3of5".into()));
    assert_eq!(partial["overall"]["n_episodes"], 2 * (103 - 20));
    // Once the shard has its results, the file is whole and the partial one is gone.
    place.write("mended", "");
    run.does("requeue", &["a_3of5"]);
    assert_eq!(run.wait(), Some(0));
    assert_eq!(document(&run, "eval_info.json")["overall"]["n_episodes"], 206);
    assert!(!run.dir.join("results/eval_info.partial.json").exists());
}

#[test]
fn one_file_of_two_shards_and_one_of_yesterday_are_refused() {
    let place = Place::new();
    let old = place.write("old.jsonl", "{\"x\": 1}\n");
    let old = fs::File::options().write(true).open(old).expect("it is there");
    let before = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    old.set_modified(before).expect("its owner may");
    let (ended, run) = place.run_headless(
        r#"
name = "rows"
[matrix]
case = ["linked", "stale", "good"]
[episodes]
total = 2
shards = 2
[shard]
command = """
case {{ case }}{{ shard.index }} in
linked0) echo '{"x": 0}' > shared.jsonl; ln shared.jsonl {{ out }}/r.jsonl;;
linked1) while [ ! -e shared.jsonl ]; do sleep 0.05; done; ln -s "$PWD/shared.jsonl" {{ out }}/r.jsonl;;
stale1)  ln -s "$PWD/old.jsonl" {{ out }}/r.jsonl;;
*)       echo '{"x": {{ shard.first }}}' > {{ out }}/r.jsonl;;
esac
echo "Episode 1/1 reward=1" """
[schedule]
parallel = 4
[results]
merge = "jsonl"
merge_file = "{{ out }}/r.jsonl"
"#,
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let record = document(&run, "merged.json");
    let refused = |place: usize| record["files"][place]["refused"][0].clone();
    assert_eq!((&refused(0)["shard"], &refused(0)["fault"]), (&"linked_1of2".into(), &"duplicate".into()));
    assert_eq!((&refused(1)["shard"], &refused(1)["fault"]), (&"stale_1of2".into(), &"stale".into()));
    assert_eq!(record["files"][2]["completeness"], "whole", "{record}");
    assert_eq!(place.read("r/results/good/r.jsonl").as_deref(), Some("{\"x\": 0}\n{\"x\": 1}\n"));
    assert!(!run.dir.join("results/stale").exists());
}

/// Writes settings, a count and one figure for each episode; `$4` copies the shard before it, `short` lacks one episode.
const DOCUMENTS: &str = r#"#!/bin/sh
# usage: documents N FIRST OUT FAULT
n=$1 first=$2
[ "$4" = copied ] && first=0
[ "$4" = short ] && n=$((n - 1))
awk -v n="$n" -v first="$first" 'BEGIN {
  for (i = first; i < first + n; i++) list = list (i > first ? ", " : "") (i * 7919 % 1009) "." (1000 + i * 31 % 997)
  printf "{\"layers\": [1, 2, 3], \"n_episodes\": %d, \"rewards\": [%s]}\n", n, list
}' > "$3/r.json"
"#;

fn documents(fault: &str) -> String {
    format!(
        "name = \"r\"\n[matrix]\npolicy = [\"a\"]\n[episodes]\ntotal = 103\nshards = 5\n[shard]\n\
         command = \"sh documents {{{{ shard.episodes }}}} {{{{ shard.first }}}} {{{{ out }}}} $(test {{{{ shard.index }}}} = 2 && echo {fault})\"\n\
         [schedule]\nparallel = 4\n[results]\nmerge = \"json\"\nmerge_file = \"{{{{ out }}}}/r.json\"\n"
    )
}

#[test]
fn a_copied_or_short_shard_makes_no_whole_document() {
    for (fault, word, said) in [
        ("copied", "duplicate", "a_2of5 is duplicate: its 21 episodes in `rewards` are those of a_0of5"),
        ("short", "incomplete", "a_2of5 is incomplete: "),
    ] {
        let place = Place::new();
        place.write("documents", DOCUMENTS);
        let (ended, run) = place.run_headless(&documents(fault));
        let record = document(&run, "merged.json");
        assert_eq!(record["files"][0]["completeness"], "refused", "{record}");
        let refused = record["files"][0]["refused"].as_array().expect("a list");
        let named = refused.iter().find(|refused| refused["shard"] == "a_2of5").expect("it is named");
        assert_eq!(named["fault"], word, "{record}");
        assert_eq!(named["file"], "shards/a_2of5/attempt-01/out/r.json", "{record}");
        assert!(!run.dir.join("results/r.json").exists());
        let reported = run.does("report", &[]);
        assert!(record.to_string().contains(&said[said.find(": ").map_or(0, |at| at + 2)..]), "{record}");
        assert!(reported.stderr.contains("r.json was not merged: "), "{ended:?} {reported:?}");
    }
    let place = Place::new();
    place.write("documents", DOCUMENTS);
    let (ended, run) = place.run_headless(&documents("nothing"));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    fs::create_dir(place.path().join("serial")).expect("a folder");
    let serial = std::process::Command::new("sh")
        .args(["documents", "103", "0", "serial", "nothing"])
        .current_dir(place.path())
        .output();
    assert!(serial.expect("sh").status.success());
    assert_eq!(place.read("serial/r.json"), fs::read_to_string(run.dir.join("results/r.json")).ok());
}
