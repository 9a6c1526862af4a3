//! The user's hook: told by the supervisor without any screen, and without any harm to the run whatever it does.

use std::fs;

use serde_json::Value;

use crate::harness::place::{Place, Run};
use crate::harness::processes::{children, with_command};
use crate::harness::wait::until;

/// Two shards fail, one after the other, and one succeeds.
fn sweep(hooks: &str) -> String {
    format!(
        "name = \"told\"\n[matrix]\nn = [1, 2, 3]\n[shard]\nid = \"n{{{{ n }}}}\"\n\
         command = \"echo I am {{{{ n }}}}; test {{{{ n }}}} = 3\"\n[schedule]\nparallel = 1\n[hooks]\n{hooks}\n"
    )
}

/// What the hook was told, one document a line, by event and shard: calls of one moment run side by side, and the one
/// that is told first need not be the first to write.
fn told(place: &Place) -> Vec<Value> {
    let text = place.read("told.jsonl").unwrap_or_default();
    let mut documents: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("a hook is told JSON")).collect();
    let name = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    documents.sort_by_key(|document| (name(&document["event"]), name(&document["shard"]["id"])));
    documents
}

fn events(documents: &[Value]) -> Vec<&str> {
    documents.iter().filter_map(|document| document["event"].as_str()).collect()
}

const NOTE: &str = "command = 'echo \"$(cat)\" >> told.jsonl'";

#[test]
fn the_first_failure_and_the_end_are_told_by_default() {
    let place = Place::new();
    let (ended, run) = place.run_headless(&sweep(NOTE));
    assert_eq!(ended.code, Some(1), "{ended:?}");
    until("both are told", || told(&place).len() == 2);
    let documents = told(&place);
    assert_eq!(events(&documents), ["first-failure", "run-ended"]);
    let [first, last] = &documents[..] else { panic!("{documents:?}") };
    assert_eq!((first["version"].as_u64(), last["version"].as_u64()), (Some(1), Some(1)));
    assert_eq!((&first["shard"]["id"], &first["shard"]["reason"]), (&"n1".into(), &"exit-code".into()));
    assert_eq!((&first["shard"]["attempt"], &first["counts"]["failed"]), (&1.into(), &1.into()));
    assert_eq!(first["run"]["state"], "running");
    assert_eq!(last["shard"], Value::Null);
    assert_eq!((&last["run"]["state"], &last["counts"]["succeeded"]), (&"finished".into(), &1.into()));
    assert_eq!((&last["run"]["name"], &last["counts"]["failed"]), (&"told".into(), &2.into()));
    assert_eq!(last["run"]["dir"].as_str(), Some(run.word()));
}

#[test]
fn each_failure_is_told_where_that_is_asked_for() {
    let place = Place::new();
    place.run_headless(&sweep(&format!("{NOTE}\non = [\"failure\"]")));
    until("both failures are told", || told(&place).len() == 2);
    let documents = told(&place);
    assert_eq!(events(&documents), ["failure", "failure"]);
    assert_eq!((&documents[0]["shard"]["id"], &documents[1]["shard"]["id"]), (&"n1".into(), &"n2".into()));
}

fn remarks(run: &Run<'_>) -> String {
    let journal = fs::read_to_string(run.dir.join("journal.jsonl")).expect("a journal");
    journal.lines().filter(|line| line.contains("remarked") || line.contains("run-warned")).collect()
}

#[test]
fn the_call_at_the_end_that_fails_is_shown_too() {
    let place = Place::new();
    let (ended, run) = place.run_headless(
        "name = \"told\"\n[matrix]\nn = [1]\n[shard]\ncommand = \"echo Episode 1/1\"\n\
         [hooks]\ncommand = \"echo cannot reach anybody; exit 7\"\n",
    );
    assert_eq!(ended.code, Some(0), "the results are there: {ended:?}");
    until("it is shown", || {
        // A supervisor that is asked something stays a while longer.
        run.sweepdeck("set", &["--parallel", "2"]);
        run.does("status", &[]).stdout.contains("warning: the hook failed: it ended with exit code 7")
    });
    let screen = run.does("attach", &["--once"]).stdout;
    assert!(screen.contains("the hook failed") && !screen.contains("nothing is wrong"), "{screen}");
}

#[test]
fn a_hook_that_fails_is_told_in_the_events_and_the_run_goes_on() {
    let place = Place::new();
    let run = place.start(
        "name = \"told\"\n[matrix]\nn = [1, 2]\n[shard]\nid = \"n{{ n }}\"\n\
         command = \"test {{ n }} = 2 || exit 3; until [ -e go ]; do sleep 0.05; done\"\n[schedule]\nparallel = 2\n\
         [hooks]\ncommand = \"echo cannot reach anybody; exit 7\"\n",
    );
    until("its failure is an event", || {
        remarks(&run).contains("the hook failed: it ended with exit code 7: cannot reach anybody")
    });
    let text = run.does("status", &[]).stdout;
    assert!(text.contains("warning: the hook failed"), "{text}");
    place.write("go", "");
    assert_eq!(run.wait(), Some(1));
    until("the end is noted too", || {
        place.read("r/hooks.log").is_some_and(|log| log.matches("cannot reach anybody").count() == 2)
    });
    until("and told to the log of the supervisor", || {
        place.read("r/supervisor.log").is_some_and(|log| log.matches("exit code 7").count() == 2)
    });
}

#[test]
fn a_hook_that_hangs_and_floods_holds_up_nothing_and_is_killed_with_what_it_started() {
    let place = Place::new();
    let marker = place.path().join("marker").display().to_string();
    // What it starts is in a session of its own, and its first process ends at once.
    let hook = format!("setsid bash -c \'exec -a {marker} sleep 600\' & yes flood");
    let (ended, _) = place
        .run_headless(&sweep(&format!("command = \"{hook}\"\non = [\"first-failure\"]\ntimeout = \"10s\"")));
    assert_eq!(ended.code, Some(1), "{ended:?}");
    // On a busy machine a run of 1 s ends before bash has begun what the hook starts.
    until("the run ended while the hook still hangs", || !with_command(&marker).is_empty());
    until("all of it is killed", || with_command(&marker).is_empty() && with_command("yes flood").is_empty());
    until("that is noted", || {
        place.read("r/hooks.log").is_some_and(|log| log.contains("it was killed after 10s"))
    });
    let log = fs::metadata(place.path().join("r/hooks.log")).expect("the log").len();
    assert!(log < 64 << 10, "a flood is not kept: {log} bytes");
}

/// Twelve shards that fail together once all run, one that lives on, and a hook that ends when it may.
const MANY: &str = r#"
name = "many"
[matrix]
n = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]
[shard]
id = "n{{ n }}"
command = """
until [ -e fail ]; do sleep 0.05; done
test {{ n }} = 13 || exit 3
until [ -e end ]; do sleep 0.05; done
"""
[schedule]
parallel = 13
[hooks]
command = '''until [ -e go ]; do sleep 0.05; done; told=$(cat); echo "$told" >> told.jsonl'''
on = ["failure"]
timeout = "10m"
"#;

fn twelve_have_failed(place: &Place) -> Run<'_> {
    let run = place.start(MANY);
    until("all run", || run.count("running") == 13);
    place.write("fail", "");
    until("twelve have failed", || run.count("failed") == 12);
    run
}

/// The processes that call the hook. A copy that one has made of itself, not yet turned into the hook, is none.
fn callers(run: &Run) -> Vec<u32> {
    let mut callers = with_command(&format!("call-hook {}", run.dir.display()));
    let copies: Vec<u32> = callers.iter().flat_map(|caller| children(*caller)).collect();
    callers.retain(|pid| !copies.contains(pid));
    callers
}

#[test]
fn four_calls_run_at_a_time_and_the_others_follow() {
    let place = Place::new();
    let run = twelve_have_failed(&place);
    // It is answered in a turn of its own, after the calls for all failures before it were begun.
    run.does("pause", &["n13"]);
    run.does("resume", &["n13"]);
    assert_eq!(callers(&run).len(), 4);
    place.write("go", "");
    until("all are told", || told(&place).len() == 12);
    place.write("end", "");
    assert_eq!(run.wait(), Some(1));
    assert!(!remarks(&run).contains("left out"), "{}", remarks(&run));
}

#[test]
fn failures_that_the_hook_was_not_told_before_the_supervisor_ended_are_an_event() {
    let place = Place::new();
    let run = twelve_have_failed(&place);
    place.write("end", "");
    assert_eq!(run.wait(), Some(1));
    until("the rest is given up", || remarks(&run).contains("8 calls of the hook were left out"));
    place.write("go", "");
    until("those that were called are told", || told(&place).len() == 4);
}

#[test]
fn a_section_with_mistakes_is_refused_with_all_of_them() {
    let place = Place::new();
    place.write("sweep.toml", &sweep("on = [\"first-failur\"]\ncomand = \"true\""));
    let refused = place.sweepdeck(&["check", "sweep.toml"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    for mistake in ["did you mean `first-failure`", "did you mean `command`", "[hooks] needs `command`"] {
        assert!(refused.stderr.contains(mistake), "{mistake}: {}", refused.stderr);
    }
}

/// A hook that needs no JSON: what a line with `curl -d "$SWEEPDECK_MESSAGE"` sends.
const WORDS: &str = r#"command = '''printf '%s|%s\n' "$SWEEPDECK_TITLE" "$SWEEPDECK_MESSAGE" >> words'''"#;

#[test]
fn title_and_message_are_variables_of_the_hook() {
    let place = Place::new();
    place.run_headless(&sweep(WORDS));
    let words = || place.read("words").unwrap_or_default();
    until("both are sent", || words().contains("of 3 shards failed|") && words().contains("n1 failed|"));
    let words = words();
    assert!(words.contains("told: n1 failed|exit-code: "), "{words}");
    assert!(words.contains("told: 2 of 3 shards failed|1 succeeded, 2 failed\n"), "{words}");
}

#[test]
fn a_question_and_silence_are_reported_where_that_is_asked_for() {
    let place = Place::new();
    let run = place.start(&format!(
        "name = \"asks\"\n[matrix]\nn = [1, 2]\n[shard]\nid = \"n{{{{ n }}}}\"\n\
         command = \"if [ {{{{ n }}}} = 1 ]; then printf 'Proceed ([y]/n)? '; read -r a; else until [ -e go ]; do sleep 0.05; done; fi\"\n\
         [schedule]\nparallel = 2\nstall_after = \"1s\"\n[hooks]\n{NOTE}\non = [\"needs-input\", \"stuck\"]\n"
    ));
    until("both are reported", || {
        let documents = told(&place);
        let about = |event: &str, shard: &str| {
            documents.iter().any(|document| document["event"] == event && document["shard"]["id"] == shard)
        };
        about("needs-input", "n1") && about("stuck", "n2")
    });
    let documents = told(&place);
    let asks = documents.iter().find(|document| document["event"] == "needs-input").expect("the question");
    assert_eq!((&asks["shard"]["reason"], &asks["shard"]["message"]), (&Value::Null, &Value::Null));
    assert_eq!(asks["title"], "asks: n1 needs input");
    run.does("stop", &["--now"]);
    run.wait();
}

#[test]
fn the_hook_of_the_settings_is_called_beside_that_of_the_sweep() {
    let place = Place::new();
    let folder = place.path().display().to_string();
    let settings = format!(
        "[hooks]\ncommand = '''cat > {folder}/own.json; echo no network; exit 7'''\non = [\"run-ended\"]\n"
    );
    place.write("config/sweepdeck/config.toml", &settings);
    place.run_headless(&sweep(NOTE));
    until("the sweep's is called", || told(&place).len() == 2);
    until("the user's is called", || {
        let document = place.read("own.json").and_then(|text| serde_json::from_str::<Value>(&text).ok());
        document.is_some_and(|document| document["event"] == "run-ended")
    });
    until("its failure is noted as its own", || {
        place.read("r/supervisor.log").is_some_and(|log| log.contains("the hook of the settings failed"))
            || place
                .read("r/journal.jsonl")
                .is_some_and(|log| log.contains("the hook of the settings failed"))
    });
    let plan = place.read("r/plan.json").expect("a plan");
    assert!(!plan.contains("own.json"), "the settings stay out of the run");
}
