//! The check of a machine: what it says of limits, drivers and folders, and the file that it makes for a bug report.

use std::process::Command;

use serde_json::Value;

use crate::harness::place::{Ended, PROGRAM, Place};

fn checks(ended: &Ended) -> Vec<Value> {
    let document: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!(document["version"], 1);
    document["checks"].as_array().expect("checks").clone()
}

/// The check of a name: the gravest where there are several.
fn check<'c>(checks: &'c [Value], name: &str) -> &'c Value {
    checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("no check {name}: {checks:?}"))
}

#[test]
fn every_concern_has_a_line_and_what_is_wrong_has_a_remedy() {
    let place = Place::new();
    let text = place.sweepdeck(&["doctor"]);
    assert!(matches!(text.code, Some(0 | 3)), "{text:?}");
    let found = checks(&place.sweepdeck(&["doctor", "--json"]));
    for name in [
        "driver", "host", "open files", "processes", "terminals", "inotify", "run folder", "sockets",
        "memory of runs", "terminal", "clock", "logout",
    ] {
        let check = check(&found, name);
        assert_eq!(check["level"] != "ok", check["remedy"].is_string(), "{check}");
        assert!(text.stdout.contains(name), "{name}: {}", text.stdout);
    }
    assert!(!place.path().join("results").exists(), "a look leaves nothing behind");
}

#[test]
fn a_low_limit_is_seen_and_ends_with_the_code_of_a_refusal() {
    let place = Place::new();
    let mut shell = place.command(&[]);
    let environment: Vec<_> =
        shell.get_envs().map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned))).collect();
    shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit -n 100; exec '{PROGRAM}' doctor --json")]).current_dir(place.path());
    for (name, value) in environment {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let ended = Ended::of(&mut shell);
    assert_eq!(ended.code, Some(3), "{ended:?}");
    let found = checks(&ended);
    assert_eq!(check(&found, "open files")["level"], "problem");
    assert!(
        check(&found, "open files")["message"].as_str().is_some_and(|message| message.starts_with("100 "))
    );
}

#[test]
fn gpus_and_their_faults_are_listed() {
    let place = Place::with_gpus("driver 550.1\ngpu 0\ngpu 1\n");
    let found = checks(&place.sweepdeck(&["doctor", "--json"]));
    assert_eq!(check(&found, "driver")["level"], "ok", "{found:?}");
    assert!(
        check(&found, "gpus")["message"].as_str().is_some_and(|message| message.starts_with("2 x ")),
        "{found:?}"
    );
}

#[test]
fn a_folder_without_permission_is_a_problem() {
    let place = Place::new();
    place.write("taken", "a file");
    let found = checks(&place.sweepdeck(&["doctor", "--json", "--folder", "taken"]));
    assert_eq!(check(&found, "run folder")["level"], "problem", "{found:?}");
}

#[test]
fn the_file_for_a_bug_report_holds_no_secret_and_replaces_none() {
    let place = Place::new();
    place.write(
        "sweep.toml",
        "name = \"secretive\"\n[matrix]\nn = [1]\n[shard]\ncommand = [\"echo\", \"{{ n }}\"]\n\
         secret = [\"WANDB_API_KEY\"]\n",
    );
    let mut run = place.command(&["run", "sweep.toml", "--headless", "--out", "r"]);
    assert_eq!(Ended::of(run.env("WANDB_API_KEY", "0123abcd")).code, Some(0));
    let mut command = place.command(&["doctor", "--report", "report.txt"]);
    let written = Ended::of(command.env("OTHER_TOKEN", "tok-9876").env("TERM", "xterm-password=hunter2"));
    assert!(written.stderr.contains("report.txt"), "{written:?}");
    let report = place.read("report.txt").expect("a report");
    for part in ["== checks", "open files", "== newest run", "secretive", "supervisor.log", "== panics\nnone"]
    {
        assert!(report.contains(part), "{part} is missing in\n{report}");
    }
    for secret in ["0123abcd", "tok-9876", "hunter2"] {
        assert!(!report.contains(secret), "{secret} is in\n{report}");
    }
    let again = place.sweepdeck(&["doctor", "--report", "report.txt"]);
    assert_eq!(again.code, Some(2), "{again:?}");
}
