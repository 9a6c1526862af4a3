//! `mcp`: what an assistant is given, by plain lines and by the client of the protocol's own Python package.

use std::fs;
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::harness::place::{Ended, PROGRAM, Place};
use crate::harness::wait::until;
use crate::tools::python_with;

const SWEEP: &str = r#"
name = "asked"
[matrix]
n = [1, 2]
[shard]
id = "n{{ n }}"
command = """
for i in 1 2 3; do printf '\\033[32mEpisode %s/3\\033[0m success=1\\n' $i; done
test {{ n }} = 1 || until [ -e go ]; do sleep 0.05; done
"""
[schedule]
parallel = 2
"#;

/// A server and its client.
struct Assistant {
    server: Child,
    requests: Option<ChildStdin>,
    answers: Lines<BufReader<ChildStdout>>,
    number: u64,
}

impl Assistant {
    fn start(place: &Place, words: &[&str]) -> Self {
        let all: Vec<&str> = ["mcp"].iter().chain(words).copied().collect();
        let mut server =
            place.command(&all).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program");
        let answers = BufReader::new(server.stdout.take().expect("a pipe")).lines();
        let requests = server.stdin.take();
        let mut assistant = Self { server, requests, answers, number: 0 };
        let asked = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
        let met = assistant.ask("initialize", asked);
        assert_eq!(met["result"]["protocolVersion"], "2025-06-18", "{met}");
        assistant.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        assistant
    }

    fn send(&mut self, message: &Value) {
        let requests = self.requests.as_mut().expect("an open pipe");
        writeln!(requests, "{message}").expect("a request");
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}));
        let line = self.answers.next().expect("an answer").expect("a line");
        let answer: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(answer["id"], self.number, "{answer}");
        answer
    }

    /// The result of a tool: its texts, and whether it failed.
    fn call(&mut self, tool: &str, arguments: Value) -> (Vec<String>, bool) {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        let texts = answer["result"]["content"].as_array().unwrap_or_else(|| panic!("{answer}")).iter();
        let texts = texts.map(|one| one["text"].as_str().expect("a text").to_owned()).collect();
        (texts, answer["result"]["isError"] == true)
    }

    fn names(&mut self) -> Vec<String> {
        let listed = self.ask("tools/list", json!({}));
        let tools = listed["result"]["tools"].as_array().expect("tools").iter();
        tools.map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
    }
}

impl Drop for Assistant {
    fn drop(&mut self) {
        drop(self.requests.take());
        let _ = self.server.wait();
    }
}

fn files(folder: &Path) -> Vec<String> {
    let mut all: Vec<String> = fs::read_dir(folder)
        .expect("a folder")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    all.sort();
    all
}

#[test]
fn an_assistant_reads_runs_and_may_do_nothing_else() {
    let place = Place::new();
    let run = place.start(SWEEP);
    until("one has ended and one has spoken", || {
        run.shard("n1")["phase"] == "succeeded" && run.shard("n2")["progress"]["done"] == 3
    });
    let mut assistant = Assistant::start(&place, &[]);
    assert_eq!(assistant.names(), ["list_runs", "status", "logs", "scan", "report", "compare", "explain"]);
    let (runs, failed) = assistant.call("list_runs", json!({}));
    let runs: Value = serde_json::from_str(&runs[0]).expect("JSON");
    assert!(!failed && runs[0]["name"] == "asked", "{runs}");
    let (status, _) = assistant.call("status", json!({"run": run.word()}));
    let status: Value = serde_json::from_str(&status[0]).expect("JSON");
    assert_eq!(status["counts"]["running"], 1, "{status}");
    let (log, _) = assistant.call("logs", json!({"shard": "n2", "lines": 2}));
    assert_eq!(log, ["Episode 2/3 success=1\nEpisode 3/3 success=1\n"]);
    let before = files(&run.dir.join("results"));
    let (report, failed) = assistant.call("report", json!({}));
    assert!(!failed && report[0].contains("n1"), "{report:?}");
    assert_eq!(files(&run.dir.join("results")), before, "a reader has written");
    let (key, _) = assistant.call("explain", json!({"key": "schedule.parallel"}));
    assert!(key[0].contains("parallel"), "{key:?}");
    let log = run.dir.join("shards/n1/attempt-01/output.log");
    let (scanned, _) = assistant.call("scan", json!({"log": log}));
    assert!(scanned[0].contains("\"progress\""), "{scanned:?}");

    let (refused, failed) = assistant.call("kill", json!({"shards": ["n2"]}));
    assert!(failed && refused[0].contains("--allow-acting"), "{refused:?}");
    let (absent, failed) = assistant.call("logs", json!({"shard": "n3"}));
    assert!(failed && absent[0].contains("has no shard `n3`"), "{absent:?}");
    let (wrong, failed) = assistant.call("status", json!({"all": true}));
    assert!(failed && wrong[0].contains("it takes: run"), "{wrong:?}");
    assert_eq!(run.shard("n2")["phase"], "running");
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn an_assistant_that_may_act_starts_and_ends_work() {
    let place = Place::new();
    place.write("sweep.toml", SWEEP);
    let mut assistant = Assistant::start(&place, &["--allow-acting"]);
    let (plan, failed) = assistant.call("check", json!({"sweep": "sweep.toml"}));
    assert!(!failed && plan[0].contains("\"n1\""), "{plan:?}");
    let (started, failed) = assistant.call("start_run", json!({"sweep": "sweep.toml"}));
    assert!(!failed, "{started:?}");
    let folder = started[0].trim();
    let phase = |assistant: &mut Assistant, shard: &str| {
        let (status, _) = assistant.call("status", json!({"run": folder}));
        let status: Value = serde_json::from_str(&status[0]).expect("JSON");
        let shards = status["shards"].as_array().expect("shards").clone();
        shards.into_iter().find(|one| one["id"] == shard).expect("the shard")["phase"].clone()
    };
    until("it runs", || phase(&mut assistant, "n2") == "running");
    let (told, failed) = assistant.call("kill", json!({"run": folder, "shards": ["n2"]}));
    assert!(!failed && told[0].contains("1 shard being ended"), "{told:?}");
    until("it has ended", || phase(&mut assistant, "n2") == "failed");
    let (told, failed) = assistant.call("requeue", json!({"run": folder, "shards": ["n2"]}));
    assert!(!failed, "{told:?}");
    place.write("go", "");
    until("it has succeeded", || phase(&mut assistant, "n2") == "succeeded");
}

#[test]
#[ignore = "needs Python with mcp"]
fn the_client_of_the_python_package_reads_a_run() {
    let program = python_with("mcp");
    let place = Place::new();
    let (_, run) = place.run_headless(&SWEEP.replace("until [ -e go ]", "until true"));
    let client = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/feeds/readers/assistant.py");
    let mut command = Command::new(program);
    let environment = place.command(&[]);
    command.envs(environment.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.arg(client).arg(PROGRAM).arg(run.word()).current_dir(place.path());
    let ended = Ended::of(&mut command);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let read: Value = serde_json::from_str(ended.stdout.trim()).expect("JSON");
    assert_eq!(read["server"], "sweepdeck");
    assert_eq!(read["read_only"], json!([true]), "{read}");
    assert_eq!(read["succeeded"], 2);
    assert_eq!(read["log"], "Episode 3/3 success=1\n");
    assert_eq!(read["kill_failed"], true);
    assert_eq!(read["acting"], json!(["check", "kill", "pause", "requeue", "resume", "start_run", "stop"]));
}
