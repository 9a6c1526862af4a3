//! The results of a run: at its end, in the middle of it, after its death, and a year later.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::harness::place::{Place, Run};
use crate::harness::processes;
use crate::harness::wait::until;

fn summary(run: &Run<'_>) -> Value {
    let text = fs::read_to_string(run.dir.join("results/summary.json")).expect("a summary");
    serde_json::from_str(&text).expect("it is JSON")
}

#[test]
fn the_reporter_finds_the_results_of_a_finished_run_and_its_failure_is_told() {
    let place = Place::new();
    let (ended, run) = place.run_headless(
        "name = \"r\"\n[matrix]\nn = [1, 2]\n[shard]\ncommand = \"echo Episode 1/1; [ {{ n }} = 1 ]\"\n\
         [results]\nreporter = \"cp {{ run_dir }}/results/* seen/; echo no printer; exit 3\"\n",
    );
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("the reporter failed: exit code 3"), "{ended:?}");
    assert!(!place.path().join("seen").exists(), "there was no such folder");
    fs::create_dir(place.path().join("seen")).expect("a folder");
    run.does("requeue", &["2"]);
    assert_eq!(run.wait(), Some(1));
    let seen: Value = serde_json::from_str(&place.read("seen/summary.json").expect("a copy")).expect("JSON");
    assert_eq!(seen["run"]["state"], "finished", "it is not told as running by the writing of its own end");
    assert!(seen["run"]["ended"].is_string() && seen["run"]["finished"] == true, "{}", seen["run"]);
    assert_eq!(seen["shards"][1]["attempts"], 2, "the files are those of the newest end");
    for file in ["combined_results.csv", "junit.xml"] {
        assert_eq!(place.read(&format!("seen/{file}")), place.read(&format!("r/results/{file}")), "{file}");
    }
    assert!(place.read("r/journal.jsonl").expect("a journal").contains("no printer"));
}

#[test]
fn a_reporter_that_fails_is_no_success_and_every_face_says_so() {
    let place = Place::new();
    let (ended, run) = place.run_headless(
        "name = \"r\"\n[matrix]\nn = [1]\n[shard]\ncommand = \"echo Episode 1/1\"\n\
         [results]\nreporter = \"echo no printer; [ -e mended ] || exit 3\"\n",
    );
    let said = "reporter failed: exit code 3 (no printer)";
    let log = run.dir.join("results/reporter.log");
    for ended in [ended, run.sweepdeck("wait", &[])] {
        assert_eq!(ended.code, Some(1), "{ended:?}");
        let again = format!("run it by hand in {}: echo no printer; [", real(&place).display());
        for part in [said, log.to_str().expect("a plain name"), &again] {
            assert!(ended.stderr.contains(part), "`{part}` is missing: {ended:?}");
        }
    }
    let short = "reporter failed: exit code 3";
    let screen = run.does("attach", &["--once"]).stdout;
    assert!(screen.contains(short) && !screen.contains("nothing is wrong"), "{screen}");
    assert!(run.does("status", &[]).stdout.contains(&format!("warning: {short}")));
    let troubles = run.status()["run"]["troubles"].clone();
    assert_eq!(troubles[0], format!("{short}, see results/reporter.log"), "{troubles}");
    for file in ["report.md", "report.html"] {
        let report = place.read(&format!("r/results/{file}")).expect("a report");
        assert!(report.contains(short), "{file}");
    }
    place.write("mended", "");
    run.does("requeue", &["1"]);
    assert_eq!(run.wait(), Some(0), "the newest call of the reporter counts");
    assert_eq!(run.status()["run"]["troubles"], Value::Array(Vec::new()));
    let screen = run.does("attach", &["--once"]).stdout;
    assert!(screen.contains("report: ") && screen.contains("it succeeded"), "{screen}");
}

/// The folder as the program knows it.
fn real(place: &Place) -> PathBuf {
    place.path().canonicalize().expect("the folder is there")
}

#[test]
fn the_reporter_has_the_setup_and_the_folder_of_the_shards_and_a_failing_step_is_named() {
    let place = Place::new();
    let sweep = |reporter: &str| {
        format!(
            "name = 'r'\n[matrix]\nn = [1]\n[shard]\ncwd = 'lab'\nsetup = ['source ./env.sh', 'need_tool']\n\
             command = 'echo {{{{ n }}}} $LAB'\n[results]\nreporter = {reporter}\n"
        )
    };
    place.write("lab/env.sh", "export LAB=ready\nneed_tool() { [ -e tool ]; }\n");
    place.write("lab/tool", "");
    let (ended, _) = place.run_headless(&sweep("'echo $LAB in $PWD > {{ run_dir }}/seen'"));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let seen = place.read("r/seen").expect("what the reporter saw");
    assert_eq!(seen.trim(), format!("ready in {}", real(&place).join("lab").display()));

    // The tool vanishes before the reporter runs: the shard removes it.
    let sweep = sweep("'true'").replace("echo {{ n }} $LAB", "echo {{ n }} $LAB; rm -f tool");
    place.write("sweep.toml", &sweep);
    let ended = place.sweepdeck(&["run", "sweep.toml", "--headless", "--out", "again"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("reporter failed: setup step 2, exit code 1"), "{ended:?}");
    let by_hand = format!("in {}: source ./env.sh && need_tool && true", real(&place).join("lab").display());
    assert!(ended.stderr.contains(&by_hand), "{ended:?}");

    place.write("own.toml", &sweep.replace("'true'", "{ command = 'pwd > seen', cwd = '.', setup = [] }"));
    place.write("lab/tool", "");
    let ended = place.sweepdeck(&["run", "own.toml", "--headless", "--out", "own"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(place.read("seen").expect("its folder").trim(), real(&place).display().to_string());
}

#[test]
fn results_that_cannot_be_written_are_no_success() {
    let place = Place::new();
    let (ended, run) = place.run_headless(
        "name = \"r\"\n[matrix]\nn = [1]\n[shard]\n\
         command = \"echo Episode 1/1; mkdir -p $SWEEPDECK_RUN/results/summary.json/taken\"\n",
    );
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("summary.json") && ended.stderr.contains("sweepdeck report"), "{ended:?}");
    let screen = run.does("attach", &["--once"]).stdout;
    assert!(screen.contains("summary.json") && !screen.contains("nothing is wrong"), "{screen}");
}

#[test]
fn a_run_at_work_and_one_that_died_are_reported_as_they_are() {
    let place = Place::new();
    let run = place.start(
        "name = \"w\"\n[matrix]\nn = [1, 2]\n[shard]\ncommand = \"[ {{ n }} = 1 ] || { touch up; sleep 600; }\"\n\
         [schedule]\nparallel = 2\n",
    );
    run.until_phase("1", "succeeded");
    until("the second runs", || place.path().join("up").exists());
    let reported = run.does("report", &[]);
    assert!(reported.stdout.contains("1 of 2 shards succeeded"), "{reported:?}");
    assert!(reported.stderr.contains("results"), "it says where the files are: {reported:?}");
    assert_eq!(summary(&run)["run"]["state"], "running");
    let junit = place.read("r/results/junit.xml").expect("a document");
    assert!(junit.contains("errors=\"1\""), "{junit}");

    processes::end_all_of(&run.dir);
    run.does("report", &[]);
    let summary = summary(&run);
    assert_eq!(summary["run"]["state"], "unsupervised");
    assert_eq!(summary["counts"]["running"], 1, "what became of it is not known: {summary}");
}

#[test]
fn a_run_of_an_older_program_is_reported_without_what_it_did_not_write() {
    let place = Place::new();
    let (_, run) =
        place.run_headless("name = \"o\"\n[matrix]\nn = [1, 2]\n[shard]\ncommand = \"echo Episode 1/1\"\n");
    fs::remove_dir_all(run.dir.join("telemetry")).expect("its telemetry");
    fs::remove_dir_all(run.dir.join("results")).expect("its results");
    fs::create_dir(run.dir.join("results")).expect("a folder");
    let journal = place.read("r/journal.jsonl").expect("a journal");
    let older = journal.lines().map(|line| {
        let mut fact: Value = serde_json::from_str(line).expect("a fact");
        if let Some(outcome) = fact.get_mut("outcome").and_then(Value::as_object_mut) {
            for newer in ["peaks", "metrics", "warnings", "proof", "memory_holders", "paused"] {
                outcome.remove(newer);
            }
        }
        format!("{fact}\n")
    });
    fs::write(run.dir.join("journal.jsonl"), older.collect::<String>()).expect("an older journal");
    let reported = run.does("report", &[]);
    assert!(reported.stdout.contains("2 of 2 shards succeeded"), "{reported:?}");
    let summary = summary(&run);
    assert_eq!(summary["telemetry"]["host"]["cpu_percent"]["peak"], Value::Null);
    assert_eq!(summary["shards"][0]["peaks"]["rss"], Value::Null);
}

#[test]
fn files_of_shards_are_counted_and_linked_and_those_of_two_are_told() {
    let place = Place::new();
    let (ended, run) = place.run_headless(
        r#"
name = "files"
[matrix]
n = [1, 2]
[shard]
command = """
mkdir -p {{ out }}/videos videos; echo v > {{ out }}/videos/eval_episode_0.mp4; echo r > {{ out }}/r.json
[ -e videos/0.mp4 ] || echo v > videos/0.mp4
ln -s "$PWD/videos/0.mp4" {{ out }}/videos/shared.mp4; echo Episode 1/1"""
artifacts = ["{{ out }}/videos"]
[schedule]
parallel = 1
"#,
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let summary = summary(&run);
    let artifacts = &summary["shards"][0]["artifacts"];
    assert_eq!((&artifacts["count"], &artifacts["videos"]), (&3.into(), &2.into()), "{artifacts}");
    let told =
        "1 and 2 share the file shards/1/attempt-01/out/videos/shared.mp4: one has overwritten the other's";
    let warnings = summary["warnings"].as_array().expect("a list");
    assert_eq!(warnings.last(), Some(&serde_json::json!(told)), "{warnings:?}");
    assert!(warnings[0].as_str().is_some_and(|told| told.starts_with("preflight: axis:")), "{warnings:?}");
    let page = place.read("r/results/report.html").expect("a page");
    let link = "<a href=\"../shards/2/attempt-01/out/videos/eval_episode_0.mp4\">eval_episode_0.mp4</a>";
    assert!(page.contains("3 files, 2 videos:") && page.contains(link), "{page}");
}

#[test]
fn each_value_of_a_pack_is_told_once_with_what_the_files_say_of_it() {
    let place = Place::new();
    let (ended, run) = place.run_headless(
        r#"
name = "packs"
[matrix]
policy = ["a"]
reward = [0, 1, 2, 3, 4]
[pack]
axis = "reward"
size = 2
[shard]
command = """
for v in {{ pack.values | join(" ") | safe }}; do
  case $v in
  1) echo '{"reward": 1, "status": "error"}';;
  2) ;;
  *) echo '{"reward": '$v', "score": '$v.5'}';;
  esac >> {{ out }}/r.jsonl
done; echo "Episode 1/1"; [ {{ pack.index }} != 2 ]"""
[results]
merge = "jsonl"
"#,
    );
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let csv = place.read("r/results/pack_values.csv").expect("a table");
    let expected = "policy,reward,shard,end,rows,score\n\
                    a,0,a_pack0,succeeded,1,0.5\na,1,a_pack0,failed,1,\n\
                    a,2,a_pack1,missing,0,\na,3,a_pack1,succeeded,1,3.5\n\
                    a,4,a_pack2,unfinished,1,4.5\n";
    assert_eq!(csv, expected);
    let summary = summary(&run);
    assert_eq!(summary["pack_values"].as_array().map(Vec::len), Some(5));
    // A program that leaves values out and says that all went well is not believed.
    let message = |number: usize| {
        (summary["shards"][number]["reason"].clone(), summary["shards"][number]["message"].clone())
    };
    let none = |value: &str| {
        ("incomplete".into(), format!("1 of 2 values of reward have no result: {value}").into())
    };
    assert_eq!((message(0), message(1)), (none("1 failed"), none("2 missing")));
    let merged = place.read("r/results/merged.json").expect("what was merged");
    assert!(merged.contains("a_pack1"), "what is lacking is refused by name: {merged}");
}
