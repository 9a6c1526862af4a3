//! A run whose journal lost facts is refused by every verb and left as it is.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::process::Signal;

use crate::harness::place::{Place, Run};
use crate::harness::processes::{self, signal, with_command};
use crate::harness::wait::until;

const FAILING: &str =
    "name = \"failing\"\n[matrix]\nn = [1, 2, 3]\n[shard]\ncommand = \"echo failing; exit 7\"\n";

/// Every file below a folder with its bytes, links with their targets.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let kind = entry.file_type().expect("its type");
        if kind.is_dir() {
            found.extend(files(&path));
        } else if kind.is_symlink() {
            found.insert(
                path.clone(),
                fs::read_link(&path).expect("a target").into_os_string().into_encoded_bytes(),
            );
        } else {
            found.insert(path.clone(), fs::read(&path).expect("its bytes"));
        }
    }
    found
}

fn expect_refused(run: &Run<'_>, damage: &str) {
    let before = files(&run.dir);
    let verbs: [(&str, &[&str]); 10] = [
        ("wait", &[]),
        ("status", &[]),
        ("report", &[]),
        ("recover", &[]),
        ("requeue", &["--all"]),
        ("set", &["--parallel", "2"]),
        ("attach", &["--once"]),
        ("attach", &["--plain"]),
        ("replay", &[]),
        ("logs", &["1"]),
    ];
    for (verb, words) in verbs {
        let refused = run.sweepdeck(verb, words);
        assert_eq!(refused.code, Some(5), "{damage}: {verb} {words:?}: {refused:?}");
        assert!(refused.stderr.contains("journal.jsonl"), "{damage}: {verb}: {refused:?}");
    }
    let supervised = run.place.sweepdeck(&["supervise", run.word()]);
    assert_ne!(supervised.code, Some(0), "{damage}: {supervised:?}");
    assert!(files(&run.dir) == before, "{damage}: a file of the run was changed");
}

#[test]
fn a_run_whose_journal_lost_facts_is_refused_and_left_as_it_is() {
    let place = Place::new();
    let (ended, run) = place.run_headless(FAILING);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    until("its supervisor has left", || run.supervisor().is_none());
    let path = run.dir.join("journal.jsonl");
    let whole = fs::read_to_string(&path).expect("a journal");
    let lines: Vec<&str> = whole.lines().collect();
    let without = |word: &str| -> String {
        lines.iter().filter(|line| !line.contains(word)).map(|line| format!("{line}\n")).collect()
    };
    let damages = [
        ("emptied", Some(String::new())),
        // As some file systems leave it after a loss of power.
        ("made of zeros", Some("\0".repeat(whole.len()))),
        ("torn in its first line", Some(lines[0][..20].to_owned())),
        ("begins in the middle", Some(lines[1..].join("\n") + "\n")),
        ("cut behind its first fact", Some(format!("{}\n", lines[0]))),
        ("lost the announcements", Some(without("attempt-starting"))),
        ("missing", None),
    ];
    for (damage, text) in damages {
        match text {
            Some(text) => fs::write(&path, text).expect("it is mine"),
            None => fs::remove_file(&path).expect("it is mine"),
        }
        expect_refused(&run, damage);
    }
    fs::write(&path, &whole).expect("it is mine");
    // A umask that gives the group a way to write would make it another user's to change.
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("it is mine");
    assert_eq!(run.wait(), Some(1), "the restored journal is good again");
}

#[test]
fn results_prove_attempts_whose_folders_were_removed() {
    let place = Place::new();
    let (ended, run) = place.run_headless(FAILING);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    until("its supervisor has left", || run.supervisor().is_none());
    fs::remove_dir_all(run.dir.join("shards")).expect("it is mine");
    let path = run.dir.join("journal.jsonl");
    let whole = fs::read_to_string(&path).expect("a journal");
    fs::write(&path, format!("{}\n", whole.lines().next().expect("a first fact"))).expect("it is mine");
    let refused = run.sweepdeck("wait", &[]);
    assert_eq!(refused.code, Some(5), "{refused:?}");
    assert!(refused.stderr.contains("summary.json"), "{refused:?}");
}

#[test]
fn empty_records_of_a_run_are_refused() {
    let place = Place::new();
    let (_, run) = place.run_headless(FAILING);
    until("its supervisor has left", || run.supervisor().is_none());
    for record in ["plan.json", "run.json"] {
        let path = run.dir.join(record);
        let whole = fs::read(&path).expect("a record");
        fs::write(&path, "").expect("it is mine");
        let before = files(&run.dir);
        for (verb, words) in [("status", &[][..]), ("report", &[]), ("recover", &[]), ("requeue", &["--all"])]
        {
            let refused = run.sweepdeck(verb, words);
            assert_eq!(refused.code, Some(5), "{record}: {verb}: {refused:?}");
            assert!(refused.stderr.contains(record), "{record}: {verb}: {refused:?}");
        }
        assert!(files(&run.dir) == before, "{record}: a file of the run was changed");
        fs::write(&path, whole).expect("it is mine");
    }
    assert_eq!(run.wait(), Some(1));
}

/// Four shards of which one runs at a time, and each until it may end.
const ONE_BY_ONE: &str = "name = \"live\"\n[matrix]\nn = [1, 2, 3, 4]\n[shard]\n\
    command = \"echo start >> witness-{{ n }}; until [ -e go ]; do sleep 0.05; done\"\n[schedule]\nparallel = 1\n";

#[test]
fn a_journal_that_is_emptied_under_a_living_run_starts_nothing_more() {
    let place = Place::new();
    let run = place.start(ONE_BY_ONE);
    until("the first shard runs", || place.read("witness-1").is_some());
    fs::write(run.dir.join("journal.jsonl"), "").expect("it is mine");
    place.write("go", "");
    until("nothing of the run is left", || processes::of(&run.dir).is_empty());
    assert_eq!(place.read("witness-2"), None, "a shard was started without a fact");
    assert_eq!(fs::read(run.dir.join("journal.jsonl")).expect("the journal"), b"");
    assert_eq!(run.wait(), Some(5));
}

#[test]
fn attempts_prove_facts_that_were_lost_before_there_were_results() {
    let place = Place::new();
    let run = place.start(ONE_BY_ONE);
    until("the first shard runs", || place.read("witness-1").is_some());
    processes::end_all_of(&run.dir);
    let path = run.dir.join("journal.jsonl");
    let whole = fs::read_to_string(&path).expect("a journal");
    fs::write(&path, format!("{}\n", whole.lines().next().expect("a first fact"))).expect("it is mine");
    place.write("go", "");
    let refused = run.sweepdeck("wait", &[]);
    assert_eq!(refused.code, Some(5), "{refused:?}");
    assert!(refused.stderr.contains("no fact announces it"), "{refused:?}");
    assert_eq!(place.read("witness-1").as_deref(), Some("start\n"), "nothing ran a second time");
}

#[test]
fn holders_of_a_run_without_a_journal_start_no_supervisor() {
    let place = Place::new();
    let run = place.start(ONE_BY_ONE);
    until("the first shard runs", || place.read("witness-1").is_some());
    fs::remove_file(run.dir.join("journal.jsonl")).expect("it is mine");
    for pid in with_command(&format!("supervise {}", run.word())) {
        signal(pid, Signal::KILL);
    }
    let log = run.dir.join("supervisor.log");
    let before = fs::read(&log).expect("a log");
    place.write("go", "");
    until("nothing of the run is left", || processes::of(&run.dir).is_empty());
    assert_eq!(fs::read(&log).expect("a log"), before, "a supervisor was started");
    assert!(!run.dir.join("journal.jsonl").exists());
    assert_eq!(place.read("witness-2"), None);
}
