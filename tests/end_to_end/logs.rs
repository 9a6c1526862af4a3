//! `logs` and `scan`: bytes as they are, and what is read from them.

use std::io::Read;
use std::process::Stdio;

use serde_json::Value;

use crate::harness::place::Place;

#[test]
fn a_followed_log_goes_on_until_its_attempt_ends() {
    let place = Place::new();
    let run = place.start(
        "name = \"log\"\n[shard]\nid = \"only\"\n\
         command = \"echo first; until [ -e go ]; do sleep 0.05; done; echo last\"\n",
    );
    run.until_phase("only", "running");
    let mut child = place
        .command(&["logs", run.word(), "only", "--follow"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdout = child.stdout.take().expect("a pipe");
    let mut first = [0; 7];
    stdout.read_exact(&mut first).expect("it prints what is there");
    assert_eq!(&first, b"first\r\n");
    place.write("go", "");
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).expect("text");
    assert_eq!(rest, "last\r\n");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn the_log_of_every_attempt_is_kept() {
    let place = Place::new();
    let (_, run) = place.run_headless(
        "name = \"log\"\n[shard]\nid = \"only\"\ncommand = \"echo try $SWEEPDECK_ATTEMPT; false\"\n\
         [schedule]\nretries = 1\n",
    );
    assert_eq!(run.does("logs", &["only"]).stdout, "try 2\r\n");
    assert_eq!(run.does("logs", &["only", "--attempt", "1"]).stdout, "try 1\r\n");
    assert_eq!(run.sweepdeck("logs", &["only", "--attempt", "3"]).code, Some(4));
    assert_eq!(std::fs::read_to_string(run.dir.join("logs/only.log")).ok().as_deref(), Some("try 2\r\n"));
}

/// The links are there for people.
#[test]
fn whatever_becomes_of_the_links_no_attempt_fails() {
    for (spoil, is_made_again) in [("rm -r logs", true), ("rm -r logs && touch logs", false)] {
        let place = Place::new();
        let (_, run) = place.run_headless(&format!(
            "name = \"log\"\n[shard]\nid = \"only\"\n\
             command = \"test $SWEEPDECK_ATTEMPT = 2 || (cd $SWEEPDECK_RUN && {spoil}; false)\"\n\
             [schedule]\nretries = 1\n"
        ));
        run.until_phase("only", "succeeded");
        let link = run.dir.join("logs/only.log");
        assert_eq!(link.is_symlink(), is_made_again, "{spoil}");
    }
}

#[test]
fn the_end_of_a_log_is_what_a_person_would_read() {
    let place = Place::new();
    let (_, run) = place.run_headless(
        "name = \"end\"\n[shard]\nid = \"s\"\ncommand = '''printf \"one\\n\\033[31mtwo\\033[0m\\n10 %%\\r50 %%\\r100 %%\\nlast\"'''\n",
    );
    assert_eq!(run.does("logs", &["s", "--tail", "3"]).stdout, "two\n100 %\nlast\n");
    assert_eq!(run.does("logs", &["s", "--tail", "100"]).stdout, "one\ntwo\n100 %\nlast\n");
    assert_eq!(run.sweepdeck("logs", &["s", "--tail", "3", "--follow"]).code, Some(2));
}

#[test]
fn scan_reads_a_log_that_nobody_launched() {
    let place = Place::new();
    place.write(
        "own.log",
        "Episode 1/3 reward=1.0 length=9 success=1\nEpisode 2/3 reward=2.0 length=9 success=0\n",
    );
    let scanned = place.sweepdeck(&["scan", "own.log", "--json"]);
    assert_eq!(scanned.code, Some(0), "{scanned:?}");
    let reading: Value = serde_json::from_str(&scanned.stdout).expect("scan prints JSON");
    assert_eq!(reading["progress"]["done"], 2);
    assert_eq!(reading["verdict"], "incomplete");
    assert_eq!(place.sweepdeck(&["scan", "absent.log"]).code, Some(2));
    assert_eq!(place.sweepdeck(&["scan", "own.log", "--preset", "no-such"]).code, Some(2));
}

#[test]
fn scan_of_a_folder_gives_one_row_a_log() {
    let place = Place::new();
    let episodes = |of: u64| {
        (1..=of).map(|n| format!("Episode {n}/3 reward=1.0 length=9 success={}\n", n % 2)).collect()
    };
    let whole: String = episodes(3);
    let part: String = episodes(2);
    place.write("logs/a.log", &whole);
    place.write("logs/deep/b.out", &part);
    place.write("logs/c.txt", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n");
    place.write("logs/d.json", "{}");
    let table = place.sweepdeck(&["scan", "logs"]);
    assert_eq!(table.code, Some(0), "{table:?}");
    let rows: Vec<Vec<&str>> = table.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["STATE", "PROGRESS", "RATE", "CAUSE", "LOG"], "{table:?}");
    assert_eq!(rows.len(), 4, "one row a log, and none for what is no log: {table:?}");
    let row = |log: &str| {
        rows.iter().find(|row| row.last().is_some_and(|last| last.ends_with(log))).expect("its row")
    };
    assert_eq!(row("a.log")[..4], ["succeeded", "3", "of", "3"]);
    assert_eq!(row("deep/b.out")[..4], ["incomplete", "2", "of", "3"]);
    assert_eq!(row("c.txt")[0], "failed");
    assert!(row("c.txt").join(" ").contains("CUDA out of memory"), "{table:?}");

    let json = place.sweepdeck(&["scan", "logs", "--json"]);
    let logs: Value = serde_json::from_str(&json.stdout).expect("an array");
    let told = |log: &Value| {
        let path = log["log"].as_str().expect("a path").to_owned();
        (path, log["verdict"].as_str().expect("a verdict").to_owned(), log["progress"]["done"].as_u64())
    };
    let logs: Vec<_> = logs.as_array().expect("an array").iter().map(told).collect();
    let own = |path: &str, verdict: &str, done| (path.to_owned(), verdict.to_owned(), done);
    assert_eq!(
        logs,
        [
            own("logs/a.log", "succeeded", Some(3)),
            own("logs/c.txt", "failed", None),
            own("logs/deep/b.out", "incomplete", Some(2))
        ]
    );
    assert_eq!(place.sweepdeck(&["scan", "logs/a.log", "logs/c.txt"]).stdout.lines().count(), 3);
    place.write("none/d.json", "{}");
    assert_ne!(place.sweepdeck(&["scan", "none"]).code, Some(0), "no log there");
}

#[test]
fn scan_reads_what_powershell_redirected() {
    let place = Place::new();
    let text = "python : Traceback (most recent call last):\r\nAt line:1 char:1\r\n+ python eval.py > own.log\r\n+ ~~~\r\n\
                \u{20}   + CategoryInfo          : NotSpecified: (Traceback (most recent call last)::String) [], Remote\r\n \r\n\
                \u{20} File \"eval.py\", line 3, in <module>\r\nKeyError: 'gr\u{fc}n'\r\n";
    let units = [0xfeff].into_iter().chain(text.encode_utf16());
    std::fs::write(place.path().join("own.log"), units.flat_map(u16::to_le_bytes).collect::<Vec<u8>>())
        .expect("a file");
    let scanned = place.sweepdeck(&["scan", "own.log", "--json"]);
    let reading: Value = serde_json::from_str(&scanned.stdout).expect("scan prints JSON");
    assert_eq!(reading["reason"], "exception");
    assert_eq!(reading["proof"]["text"], "KeyError: 'gr\u{fc}n'");
}
