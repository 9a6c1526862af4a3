//! Files of results that real shards write are read, held against their logs, and decide with them.

use serde_json::Value;

use crate::harness::place::{Place, Run};

/// What the summary says of a shard.
fn summary(run: &Run<'_>, shard: &str) -> Value {
    let text = std::fs::read_to_string(run.dir.join("results/summary.json")).expect("the run has ended");
    let summary: Value = serde_json::from_str(&text).expect("a document");
    let shards = summary["shards"].as_array().expect("a list").iter();
    shards
        .clone()
        .find(|entry| entry["id"] == shard)
        .unwrap_or_else(|| panic!("no {shard}: {summary}"))
        .clone()
}

fn warnings(of: &Value) -> Vec<&str> {
    of["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

#[test]
fn a_file_is_compared_with_the_log_and_kept() {
    let place = Place::new();
    let (ended, run) = place.run_headless(
        r#"
name = "files"
[matrix]
case = ["agrees", "differs", "nan", "absent", "torn", "crashes", "short"]
[shard]
command = """
log() { for i in 1 2; do echo "Episode $i/2 reward=1.0 success=$(( i == 1 ))"; done; }
info() { printf '{"per_task": [{"metrics": {"successes": [%s], "sum_rewards": [%s]}}]}' "$1" "$2" > {{ out }}/eval_info.json; }
case {{ case }} in
agrees)  log; info 'true, false' '1.0, 3.0';;
differs) log; info 'true, true' '1.0, 3.0';;
nan)     log; info 'true, false' '1.0, NaN';;
absent)  log;;
torn)    log; echo '{"per_task": [{' > {{ out }}/eval_info.json;;
crashes) log; info 'true, false' '1.0, 3.0'; kill -SEGV $$;;
short)   log; info 'true' '1.0';;
esac"""
[schedule]
parallel = 4
[progress]
preset = "episode"
[results]
file = "{{ out }}/eval_info.json"
"#,
    );
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let agrees = summary(&run, "agrees");
    assert_eq!((&agrees["phase"], warnings(&agrees)), (&"succeeded".into(), vec![]), "{agrees}");
    assert_eq!(agrees["metrics"]["mean_sum_reward"], 2.0);
    let differs = summary(&run, "differs");
    let told =
        ["success_rate: log says 0.5, eval_info.json says 1", "successes: log says 1, eval_info.json says 2"];
    assert_eq!((&differs["phase"], warnings(&differs)), (&"succeeded".into(), told.to_vec()), "{differs}");
    assert_eq!(
        (&differs["successes"], &differs["success_rate"]),
        (&2.0.into(), &1.0.into()),
        "the file is kept"
    );
    let nan = summary(&run, "nan");
    assert_eq!(
        (&nan["reason"], &nan["metrics"]["mean_sum_reward"]),
        (&"invalid".into(), &Value::Null),
        "{nan}"
    );
    let absent = summary(&run, "absent");
    assert_eq!(absent["phase"], "succeeded");
    let [told] = warnings(&absent)[..] else { panic!("{absent}") };
    assert!(
        told.starts_with("there is no file /") && told.ends_with("/out/eval_info.json for `[results]`"),
        "{told}"
    );
    let torn = summary(&run, "torn");
    assert_eq!(torn["phase"], "succeeded");
    assert!(warnings(&torn)[0].starts_with("eval_info.json is cut off at line "), "{torn}");
    let crashes = summary(&run, "crashes");
    assert_eq!(crashes["phase"], "succeeded", "{crashes}");
    assert_eq!(warnings(&crashes), ["ended by SIGSEGV after the work was complete"]);
    let short = summary(&run, "short");
    assert_eq!(short["reason"], "incomplete");
    assert_eq!(short["message"], "1 of 2 episodes in eval_info.json, exit code 0");
    assert!(warnings(&short).contains(&"episodes: log says 2, eval_info.json says 1"), "{short}");
}

#[test]
fn metrics_come_from_documents_lines_and_tables() {
    let place = Place::new();
    let old = place.write("old.json", "{\"score\": 9}");
    let old = std::fs::File::options().write(true).open(old).expect("it is there");
    let before = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    old.set_modified(before).expect("its owner may");
    let (ended, run) = place.run_headless(
        r#"
name = "metrics"
[episodes]
total = 4
shards = 2
[shard]
id = "s{{ shard.index }}"
command = '''
echo '{"fell": true}' > {{ out }}/a.jsonl; echo '{"fell": false}' >> {{ out }}/a.jsonl; printf '{"fel' >> {{ out }}/a.jsonl
printf 'step,power [W]\n1,70.5\n2,71.5\n' > {{ out }}/m.csv
printf '\357\273\277{"overall": {"pc_success": 50, "n": [1, 2]}}' > {{ out }}/r.json
'''
[[metric]]
name = "falls"
file = "{{ out }}/*.jsonl"
key = "fell"
reduce = "sum"
[[metric]]
name = "power"
file = "{{ out }}/m.csv"
key = "power [W]"
reduce = "mean"
[[metric]]
name = "success_rate"
file = "{{ out }}/r.json"
key = "overall.pc_success"
scale = 0.01
[[metric]]
name = "list"
file = "{{ out }}/r.json"
key = "overall.n"
[[metric]]
name = "nowhere"
file = "{{ out }}/r.json"
key = "overal.n"
[[metric]]
name = "score"
file = "{{ 'old.json' if shard.index == 0 else 'none.json' }}"
key = "score"
"#,
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let shard = summary(&run, "s0");
    assert_eq!(shard["metrics"], serde_json::json!({"falls": 1.0, "power": 71.0}), "{shard}");
    assert_eq!(shard["success_rate"], 0.5);
    let told = warnings(&shard).join("\n");
    for expected in [
        "a.jsonl: its last row is torn and was left out",
        "r.json: `overall.n`: a list (`[]` behind the name takes its elements) is no number",
        "r.json: no `overal.n`; it has `overall`",
        "/old.json was not read: it is older than this attempt",
    ] {
        assert!(told.contains(expected), "{expected} in {told}");
    }
    assert!(warnings(&summary(&run, "s1")).join("\n").contains("/none.json for `[[metric]]` score"));
    let csv =
        std::fs::read_to_string(run.dir.join("results/combined_results.csv")).expect("the run has ended");
    assert!(csv.lines().next().is_some_and(|header| header.contains(",falls,power")), "{csv}");
}

#[test]
fn a_pattern_that_never_matches_is_a_warning_of_the_attempt() {
    let place = Place::new();
    let (ended, run) = place.run_headless(
        r#"
name = "unmatched"
[matrix]
case = ["fine", "crashed"]
[shard]
command = "echo 'Episode 1/1'; echo 'reward: 3'; [ {{ case }} = fine ]"
[progress]
done = 'Episode (?<done>\d+)/(?<total>\d+)'
[[metric]]
name = "reward"
pattern = 'rewrd: (?<value>\S+)'
[[metric]]
name = "word"
pattern = '(?<value>reward): '
[[metric]]
name = "falls"
pattern = 'FELL'
reduce = "count"
"#,
    );
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let fine = summary(&run, "fine");
    let never = "[[metric]] reward: its pattern matched none of 2 lines";
    let word = "[[metric]] word: its pattern matched 1 line, but on 1 of them `value` is no number, first on line 2: \
                `reward`";
    assert_eq!((warnings(&fine), &fine["metrics"]["falls"]), (vec![never, word], &0.0.into()), "{fine}");
    assert_eq!(warnings(&summary(&run, "crashed")), [word]);
}

#[test]
fn scan_shows_what_log_and_file_say() {
    let place = Place::new();
    place.write("own.log", "ep 1 FELL\nep 2 ok\nep 3 FELL\n");
    place.write("own.jsonl", "{\"fall\": true}\n{\"fall\": true}\n{\"fall\": true}\n");
    place.write("eval_info.json", "{\"per_episode\": [{\"success\": true}, {\"success\": NaN}]}");
    place.write(
        "sweep.toml",
        "[shard]\ncommand = \"true\"\n[[metric]]\nname = \"falls\"\npattern = 'FELL'\nreduce = \"count\"\n\
         [[metric]]\nname = \"falls\"\nfile = \"{{ out }}/*.jsonl\"\nkey = \"fall\"\nreduce = \"sum\"\n\
         [[metric]]\nname = \"x\"\npattern = '(?<value>x)'\n",
    );
    let scan = |words: &[&str]| place.sweepdeck(&[&["scan", "own.log"], words].concat());
    let text = scan(&["--sweep", "sweep.toml", "--result", "own.jsonl"]);
    assert_eq!(
        (text.code, text.stderr.as_str()),
        (Some(0), "[[metric]] x: its pattern matched none of 3 lines\n")
    );
    assert!(text.stdout.contains("results   falls: log says 2, own.jsonl says 3\n"), "{text:?}");
    let json = scan(&["--sweep", "sweep.toml", "--result", "own.jsonl", "--json"]);
    let json: Value = serde_json::from_str(&json.stdout).expect("scan prints JSON");
    assert_eq!(json["results"]["disagreements"][0]["log"], 2.0);
    assert_eq!(
        (&json["metrics"]["falls"], &json["unmatched"][0]["pattern"]),
        (&3.0.into(), &"[[metric]] x".into())
    );
    let known = scan(&["--result", "eval_info.json", "--result", "none.json"]);
    assert!(known.stdout.contains("results   eval_info.json: LeRobot eval_info.json\n"), "{known:?}");
    assert!(known.stdout.contains("there is no file none.json"), "{known:?}");
    assert!(known.stdout.contains("episodes = 2\n") && !known.stdout.contains("successes"), "{known:?}");
}

#[test]
fn scan_tries_patterns_from_the_command_line() {
    let place = Place::new();
    place.write("own.log", "ep 1 of 3, r=2.5\nep 2 of 3, r=3.5\n");
    let words =
        ["scan", "own.log", "--done", r"ep (?<done>\d+) of (?<total>\d+)", "--metric", r"r=r=(?<value>\S+)"];
    let tried = place.sweepdeck(&words);
    assert_eq!((tried.code, tried.stderr.as_str()), (Some(0), ""), "{tried:?}");
    assert!(tried.stdout.contains("2 of 3 done") && tried.stdout.contains("r = 3.5"), "{tried:?}");
    let wrong = place.sweepdeck(&["scan", "own.log", "--done", r"ep (\d+)"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("has no group `done`; put `(?<done>…)` around the number"), "{wrong:?}");
    assert_eq!(place.sweepdeck(&["scan", "own.log", "--metric", "nameless"]).code, Some(2));
    assert_eq!(place.sweepdeck(&["scan", "own.log", "--sweep", "s.toml", "--done", "x"]).code, Some(2));
}
