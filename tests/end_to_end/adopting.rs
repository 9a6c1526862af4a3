//! Processes that something else has started, watched by their logs and never signalled.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use rustix::process::Signal;

use crate::harness::place::{Place, Run};
use crate::harness::processes::{self, signal, state};
use crate::harness::screen::Screen;
use crate::harness::wait::{until, until_some};

/// Counts to the number in the file `upto`, and ends when it has counted to three.
const EVALUATION: &str = "done=0\nwhile [ $done -lt 3 ]; do\n  if [ $done -lt $(cat upto) ]; then\n    \
    done=$((done + 1)); printf 'Episode %s/3 success=1\\r\\n' $done\n  else\n    sleep 0.02\n  fi\ndone\n\
    echo Evaluation complete!\n";

/// A process of somebody else, which ends with the test.
struct Foreign(Child);

impl Foreign {
    /// Runs a script in its own session, with its output in a log.
    fn start(place: &Place, log: &str, script: &str) -> Self {
        let log = File::create(place.path().join(log)).expect("a log");
        let mut command = Command::new("bash");
        command.args(["-c", script]).current_dir(place.path()).stdin(Stdio::null());
        command.stdout(log.try_clone().expect("a descriptor")).stderr(log).process_group(0);
        Self(command.spawn().expect("a process"))
    }

    fn pid(&self) -> u32 {
        self.0.id()
    }

    fn lives(&self) -> bool {
        state(self.pid()).is_some()
    }

    fn end(&mut self) {
        let _ = Command::new("kill").args(["-9", "--", &format!("-{}", self.pid())]).output();
        let _ = self.0.wait();
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        self.end();
    }
}

fn adopt<'a>(place: &'a Place, words: &[&str]) -> Run<'a> {
    let mut all = vec!["adopt"];
    all.extend(words);
    all.extend(["--detach", "--out", "r"]);
    place.start_with(&all)
}

#[test]
fn a_process_started_otherwise_is_watched_to_its_end() {
    let place = Place::new();
    place.write("upto", "1");
    let mut work = Foreign::start(&place, "grass_flat.log", EVALUATION);
    place.write(
        "old.log",
        "Episode 1/9\nTraceback (most recent call last):\n  File \"e.py\", line 3\nValueError: no\n",
    );
    let run = adopt(&place, &["grass_flat.log", "old.log"]);
    until("its progress is read", || run.shard("grass_flat")["progress"]["done"] == 1);
    until("what it uses is measured", || run.shard("grass_flat")["rss_bytes"].as_u64() > Some(0));
    let shard = run.shard("grass_flat");
    assert_eq!((shard["phase"].as_str(), shard["pid"].as_u64()), (Some("running"), Some(work.pid().into())));
    run.until_phase("old", "failed");
    let old = run.shard("old");
    assert_eq!((old["reason"].as_str(), &old["exit"]), (Some("exception"), &serde_json::Value::Null));
    assert!(old["message"].as_str().is_some_and(|text| text.contains("exit code unknown")), "{old}");
    assert_eq!(old["elapsed_s"], serde_json::Value::Null, "nobody knows how long it ran: {old}");

    for words in [&["kill", "grass_flat"][..], &["pause", "--all"], &["requeue", "old"], &["resume", "--all"]]
    {
        let refused = run.sweepdeck(words[0], &words[1..]);
        assert_eq!(refused.code, Some(2), "{words:?}: {refused:?}");
        assert!(refused.stderr.contains("only watches"), "{refused:?}");
    }
    assert!(work.lives());

    place.write("upto", "3");
    assert_eq!(work.0.wait().expect("it ends").code(), Some(0));
    assert_eq!(run.wait(), Some(1), "one of them had failed");
    let shard = run.shard("grass_flat");
    assert_eq!((shard["phase"].as_str(), &shard["exit"]), (Some("succeeded"), &serde_json::Value::Null));
    let warnings = shard["warnings"].to_string();
    assert!(warnings.contains("exit code unknown"), "{warnings}");
    let log = fs::read(place.path().join("grass_flat.log")).expect("its own log");
    assert_eq!(run.log("grass_flat", 1).as_bytes(), log, "line ends stay as they were");
}

#[test]
fn a_process_that_is_killed_has_not_succeeded() {
    let place = Place::new();
    place.write("upto", "2");
    let mut work = Foreign::start(&place, "a.log", EVALUATION);
    let run = adopt(&place, &["a.log"]);
    until("its progress is read", || run.shard("a")["progress"]["done"] == 2);
    work.end();
    assert_eq!(run.wait(), Some(1));
    let shard = run.shard("a");
    assert_eq!(shard["reason"], "incomplete", "{shard}");
    assert!(
        shard["message"].as_str().is_some_and(|text| text.contains("2 of 3") && text.contains("unknown")),
        "{shard}"
    );
}

#[test]
fn whatever_becomes_of_the_watching_the_work_goes_on() {
    let place = Place::new();
    place.write("upto", "1");
    let mut work = Foreign::start(&place, "a.log", EVALUATION);
    let run = adopt(&place, &["a.log", "--pid", &work.pid().to_string()]);
    until("its progress is read", || run.shard("a")["progress"]["done"] == 1);
    let holder = until_some("its holder", || {
        processes::with_command("sweepdeck hold")
            .into_iter()
            .find(|pid| processes::command(*pid).contains(run.word()))
    });
    signal(holder, Signal::KILL);
    until("it is watched again", || run.shard("a")["attempt"] == 2 && run.shard("a")["phase"] == "running");
    let supervisor = until_some("its supervisor", || run.supervisor());
    signal(supervisor, Signal::KILL);
    place.write("upto", "2");
    until("a new supervisor reads on", || run.shard("a")["progress"]["done"] == 2);
    run.does("stop", &["--now"]);
    assert_eq!(run.wait(), Some(1));
    run.until_phase("a", "cancelled");
    assert!(work.lives(), "only the watching was stopped");
    place.write("upto", "3");
    assert_eq!(work.0.wait().expect("it ends").code(), Some(0), "no signal has reached it");
}

#[test]
fn gpus_show_what_it_holds_and_nothing_is_wrong_with_that() {
    let machine = |pid: u32| format!("gpu 0\n power 300\n compute {pid} 39 GiB\n");
    let place = Place::with_gpus("gpu 0\n");
    place.write("upto", "1");
    let work = Foreign::start(&place, "a.log", EVALUATION);
    place.gpus(&machine(work.pid()));
    let run = adopt(&place, &["a.log"]);
    until("its memory is its own", || run.shard("a")["vram_bytes"] == 39_u64 << 30);
    run.does("stop", &["--now"]);
    let journal = fs::read_to_string(run.dir.join("journal.jsonl")).expect("a journal");
    assert!(!journal.contains("was given"), "{journal}");
}

#[test]
fn the_dashboard_has_no_keys_that_act() {
    let place = Place::new();
    place.write("upto", "1");
    let work = Foreign::start(&place, "a.log", EVALUATION);
    let mut screen = Screen::open(&place, &["adopt", "a.log", "--out", "r"]);
    screen.until("the row is there", |text| text.contains("read-only") && text.contains("1/3"));
    screen.press("x");
    screen.until("the key is answered", |text| text.contains("this screen is read-only"));
    screen.press("\r");
    screen.until("what is watched is named", |text| text.contains("watches") && text.contains("a.log"));
    screen.press("\x1b");
    // Sent at once, the two would be one key.
    screen.until("it is closed", |text| !text.contains("watches"));
    screen.press("q");
    assert_eq!(screen.code(), 0);
    assert!(work.lives());
}

#[test]
fn what_cannot_be_watched_is_said() {
    let place = Place::new();
    place.write("a.log", "Episode 1/3\n");
    let wrong = |words: &[&str], text: &str| {
        let ended = place.sweepdeck(words);
        assert_eq!(ended.code, Some(2), "{words:?}: {ended:?}");
        assert!(ended.stderr.contains(text), "{words:?}: {ended:?}");
    };
    wrong(&["adopt", "nowhere.log"], "nowhere.log");
    wrong(&["adopt", "."], "is no file");
    wrong(&["adopt", "a.log", "./a.log"], "is named twice");
    wrong(&["adopt", "a.log", "--pid", "4194303"], "there is no process 4194303");
    let ended = place.sweepdeck(&["adopt", "a.log", "--headless", "--out", "r"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    // A user who may not look into all processes is told so.
    assert!(ended.stderr.contains("a.log: no process"), "{ended:?}");
    assert!(ended.stderr.contains("it is judged as it is now"), "{ended:?}");
    assert!(ended.stdout.contains("incomplete"), "{ended:?}");
}
