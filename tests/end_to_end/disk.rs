//! A disk that is full: the run says so while it is, wherever it is looked at, and forgets it when there is room again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::harness::place::{Place, Run};
use crate::harness::wait::until;

/// A small file system of its own; it goes with the test.
struct Mount(PathBuf);

impl Mount {
    fn new(at: &Path, options: &str) -> Self {
        fs::create_dir(at).expect("a folder");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(at).status();
        assert!(mounted.expect("mount is there").success());
        Self(at.to_owned())
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// Takes all the room there is.
fn fill(mount: &Path, kind: &str) {
    let folder = mount.join("filler");
    fs::create_dir(&folder).expect("a folder");
    match kind {
        "bytes" => {
            let fed =
                Command::new("sh").args(["-c", "cat /dev/zero > filler/zeros"]).current_dir(mount).output();
            assert!(!fed.expect("sh is there").status.success(), "the disk takes everything");
        }
        _ => (0..).take_while(|number| fs::write(folder.join(number.to_string()), "").is_ok()).for_each(drop),
    }
}

/// What root cannot change either, until this is dropped.
struct Immutable {
    path: PathBuf,
    options: &'static [&'static str],
}

impl Immutable {
    fn new(path: PathBuf, options: &'static [&'static str]) -> Self {
        let immutable = Self { path, options };
        immutable.change_flag("+i");
        immutable
    }

    fn change_flag(&self, flag: &str) {
        // Links have no flags, and it fails for each of them.
        let changed = Command::new("chattr").args(self.options).arg(flag).arg(&self.path).output();
        changed.expect("chattr is part of every system");
    }
}

impl Drop for Immutable {
    fn drop(&mut self) {
        self.change_flag("-i");
    }
}

#[test]
#[ignore = "needs root and a file system with flags"]
fn a_run_that_cannot_be_written_says_so_and_loses_no_shard() {
    let place = Place::new();
    let run = place.start(
        "name = \"disk\"\n[matrix]\nn = [1, 2]\n[shard]\nid = \"n{{ n }}\"\n\
         command = \"until [ -e go-{{ n }} ]; do sleep 0.05; done\"\n[schedule]\nparallel = 1\n",
    );
    run.until_phase("n1", "running");
    let is_said = |word: &str| {
        let status = run.does("status", &[]).stdout;
        status.contains(&format!("warning: nothing starts or ends: cannot write the {word}"))
    };
    let all = Immutable::new(run.dir.clone(), &["-R"]);
    until("the status says so", || is_said("journal"));
    let screen = run.does("attach", &["--once"]).stdout;
    assert!(screen.contains("cannot write the journal") && !screen.contains("all is well"), "{screen}");
    drop(all);
    until("it is over", || run.status()["run"]["troubles"] == serde_json::json!([]));

    // The folder of the second is not there yet.
    let shards = Immutable::new(run.dir.join("shards"), &[]);
    place.write("go-1", "");
    until("the status says which order", || is_said("order of a shard") || run.count("failed") > 0);
    drop(shards);
    place.write("go-2", "");
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    assert_eq!(run.shard("n2")["attempt"], 1, "{}", run.status());
}

#[test]
#[ignore = "needs root and a file system with flags"]
fn what_waits_behind_a_disk_that_takes_nothing_is_not_done_later() {
    let place = Place::new();
    let run = place.start(
        "name = \"disk\"\n[shard]\nid = \"only\"\ncommand = \"until [ -e go ]; do sleep 0.05; done\"\n",
    );
    run.until_phase("only", "running");
    let journal = Immutable::new(run.dir.join("journal.jsonl"), &[]);
    // Its facts are tried again and again, and what comes after it has not begun.
    let mut begun = place.command(&["pause", run.word(), "--all"]);
    let mut begun = begun.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let is_refused =
        || place.read("r/write_troubles.json").is_some_and(|troubles| troubles.contains("\"journal\""));
    until("the journal is refused", is_refused);
    let gave_up = run.sweepdeck("kill", &["--all"]);
    assert_eq!(gave_up.code, Some(5), "{gave_up:?}");
    drop(journal);
    begun.wait().expect("a child");
    run.does("resume", &["--all"]);
    place.write("go", "");
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    assert!(!place.read("r/journal.jsonl").expect("a journal").contains("attempt-stopping"));
}

#[test]
#[ignore = "needs root"]
fn a_full_disk_is_shown_while_it_is_full() {
    for (kind, options) in [("bytes", "size=128m"), ("inodes", "size=128m,nr_inodes=400")] {
        let place = Place::new();
        let mount = Mount::new(&place.path().join("m"), options);
        place.write(
            "sweep.toml",
            "name = \"disk\"\n[matrix]\nn = [1, 2]\n[shard]\nid = \"n{{ n }}\"\n\
             command = \"until [ -e go ]; do echo line; sleep 0.05; done\"\n[schedule]\nparallel = 1\n",
        );
        let started = place.sweepdeck(&["run", "sweep.toml", "--detach", "--out", "m/r"]);
        assert_eq!(started.code, Some(0), "{started:?}");
        let run = Run { place: &place, dir: mount.0.join("r") };
        run.until_phase("n1", "running");
        assert_eq!(run.status()["run"]["troubles"], serde_json::json!([]));
        fill(&mount.0, kind);
        until("the status says so", || run.does("status", &[]).stdout.contains("warning: disk full"));
        let screen = run.does("attach", &["--once"]).stdout;
        assert!(screen.contains("disk full") && !screen.contains("nothing is wrong"), "{kind}: {screen}");
        fs::remove_dir_all(mount.0.join("filler")).expect("room again");
        until("it is over", || run.status()["run"]["troubles"] == serde_json::json!([]));
        assert!(!run.does("attach", &["--once"]).stdout.contains("disk full"));
        place.write("go", "");
        assert_eq!(run.wait(), Some(0), "{kind}");
    }
}
