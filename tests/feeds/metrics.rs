//! `metrics`: what it says agrees with `status`, and the real promtool has nothing to say against it.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use crate::harness::place::{Place, Run};
use crate::harness::wait::until;
use crate::http::Served;
use crate::tools;

/// One shard succeeds, one fails, one lives, one waits.
const MIXED: &str = r#"
name = "mixed"
[matrix]
n = [1, 2, 3, 4]
[shard]
id = "n{{ n }}"
command = """
echo Episode 1/4 success=1
test {{ n }} = 2 && exit 3
test {{ n }} = 1 && { echo Episode 2/4 success=0; echo Episode 3/4 success=1; echo Episode 4/4 success=1; exit 0; }
until [ -e go ]; do sleep 0.05; done
"""
[schedule]
parallel = 1
order = "as-listed"
"#;

fn at_work(place: &Place) -> Run<'_> {
    let run = place.start(MIXED);
    until("one lives and its line was read", || {
        let shard = run.shard("n3");
        shard["phase"] == "running" && shard["progress"]["done"] == 1
    });
    run
}

/// The value of the series that begins with that text.
fn value(text: &str, series: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.starts_with(series))?;
    line.rsplit(' ').next()?.parse().ok()
}

#[test]
fn the_numbers_are_those_of_status() {
    let place = Place::new();
    let run = at_work(&place);
    let served = Served::start(&place, &["metrics", "--listen", "127.0.0.1:0"]);
    let answer = served.get("/metrics");
    assert_eq!(answer.code, 200);
    assert!(
        answer.head.contains("content-type: text/plain; version=0.0.4; charset=utf-8"),
        "{}",
        answer.head
    );
    let status = run.status();
    let id = status["run"]["id"].as_str().expect("an id").to_owned();
    for (phase, count) in status["counts"].as_object().expect("counts") {
        let series = format!("sweepdeck_shards{{run=\"{id}\",phase=\"{phase}\"}}");
        assert_eq!(value(&answer.body, &series), count.as_f64(), "{series}");
    }
    let of_run = |name: &str| value(&answer.body, &format!("{name}{{run=\"{id}\""));
    assert_eq!(of_run("sweepdeck_result_episodes"), Some(4.0));
    assert_eq!(of_run("sweepdeck_result_successes"), Some(3.0));
    assert_eq!(of_run("sweepdeck_attempts_total"), Some(3.0));
    assert_eq!(of_run("sweepdeck_shard_progress_ratio"), Some(0.25));
    assert_eq!(
        value(&answer.body, &format!("sweepdeck_shards_failed{{run=\"{id}\",reason=\"exit-code\"")),
        Some(1.0)
    );
    assert!(!answer.body.contains("shard=\"n1\""), "what has ended has no series of its own");
    assert!(!answer.body.contains("gpu=\""), "what is unknown is absent");
}

#[test]
fn only_those_who_know_it_by_its_own_name_are_answered() {
    let place = Place::new();
    let served = Served::start(&place, &["metrics", "--listen", "127.0.0.1:0", "--host", "gpu07.example"]);
    let port = served.host().rsplit(':').next().expect("a port").to_owned();
    let asked = |host: &str| served.ask("GET", "/metrics", &[("Host", host)]).code;
    assert_eq!(asked(&format!("evil.example:{port}")), 421);
    assert_eq!(asked(&format!("gpu07.example:{port}")), 200);
    assert_eq!(asked(&format!("localhost:{port}")), 200);
    assert_eq!(served.ask("POST", "/metrics", &[("Content-Length", "0")]).code, 405);
    assert_eq!(served.get("/journal.jsonl").code, 404);
}

#[test]
fn a_file_for_node_exporter_is_whole_and_readable() {
    let place = Place::new();
    let run = at_work(&place);
    let written = place.sweepdeck(&["metrics", "--textfile", "out/x.prom"]);
    assert_eq!(written.code, Some(2), "the folder is not there: {written:?}");
    fs::create_dir(place.path().join("out")).expect("a folder");
    assert_eq!(place.sweepdeck(&["metrics", "--textfile", "out/x.prom"]).code, Some(0));
    let mode = fs::metadata(place.path().join("out/x.prom")).expect("the file").permissions().mode();
    assert_eq!(mode & 0o777, 0o644);
    assert_eq!(
        fs::read_dir(place.path().join("out")).expect("the folder").count(),
        1,
        "nothing is left beside it"
    );
    let refused = place.sweepdeck(&["metrics", "--textfile", "out/x.txt"]);
    assert!(refused.code == Some(2) && refused.stderr.contains(".prom"), "{refused:?}");
    let journal = fs::read(run.dir.join("journal.jsonl")).expect("the journal");
    fs::write(run.dir.join("journal.jsonl"), "").expect("a damaged journal");
    let numbers = place.sweepdeck(&["metrics"]);
    assert_eq!(value(&numbers.stdout, "sweepdeck_runs_unreadable"), Some(1.0), "{numbers:?}");
    fs::write(run.dir.join("journal.jsonl"), journal).expect("the journal as before");
}

/// Feeds promtool, and returns what it printed where it is not content.
fn promtool(words: &[&str], input: &str) -> Option<String> {
    let mut tool = Command::new("promtool")
        .args(words)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("promtool");
    tool.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("its input");
    let output = tool.wait_with_output().expect("its end");
    let said = || String::from_utf8_lossy(&[output.stdout.as_slice(), &output.stderr].concat()).into_owned();
    (!output.status.success()).then(said)
}

#[test]
#[ignore = "needs promtool, of the package prometheus"]
fn promtool_finds_nothing_wrong_with_numbers_and_rules() {
    tools::require_program("promtool", "prometheus");
    let script = "gpu 0\n name NVIDIA H100\n total 80 GiB\n";
    let place = Place::with_gpus(script);
    at_work(&place);
    let numbers = place.sweepdeck(&["metrics"]).stdout;
    assert_eq!(promtool(&["check", "metrics"], &numbers), None, "{numbers}");
    assert_eq!(promtool(&["check", "rules", "configs/prometheus/alerts.yml"], ""), None);
    assert_eq!(promtool(&["test", "rules", "configs/prometheus/alerts_test.yml"], ""), None);
}
