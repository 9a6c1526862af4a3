//! A run is in its owner's hands alone: nobody else may write to it, and one that others could have changed runs nothing.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fs::Mode;

use crate::harness::place::{Ended, Place, Run};
use crate::harness::processes;

fn with_umask(command: &mut Command, umask: u32) {
    // SAFETY: a bare system call between fork and exec.
    #[expect(unsafe_code, reason = "the umask of the test itself is shared by all tests")]
    unsafe {
        command.pre_exec(move || {
            rustix::process::umask(Mode::from_raw_mode(umask));
            Ok(())
        });
    }
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    for entry in fs::read_dir(folder).expect("its own folder").flatten() {
        let path = entry.path();
        match path.is_dir() && !path.is_symlink() {
            true => found.extend(walk(&path)),
            false => found.push(path),
        }
    }
    found
}

fn add_mode(path: &Path, more: u32) {
    let mode = fs::metadata(path).expect("its own").permissions().mode();
    fs::set_permissions(path, Permissions::from_mode(mode | more)).expect("its own");
}

fn remove_mode(path: &Path, less: u32) {
    let mode = fs::metadata(path).expect("its own").permissions().mode();
    fs::set_permissions(path, Permissions::from_mode(mode & !less)).expect("its own");
}

/// A run with nothing left that could start a supervisor for it, and work still to do.
fn abandoned(place: &Place) -> Run<'_> {
    let run = place.start(
        "name = \"p\"\n[matrix]\nn = [1, 2]\n[shard]\ncommand = \"sleep 600\"\n[schedule]\nparallel = 1\n",
    );
    run.until_phase("1", "running");
    processes::end_all_of(&run.dir);
    run
}

#[test]
fn no_umask_lets_others_write_to_a_run() {
    for (umask, wanted) in [(0o000, 0o755), (0o002, 0o755), (0o077, 0o700)] {
        let place = Place::new();
        place.write("s.toml", "name = \"u\"\n[matrix]\nn = [1]\n[shard]\ncommand = [\"true\"]\n");
        let mut command = place.command(&["run", "s.toml", "--headless", "--out", "deep/r"]);
        with_umask(&mut command, umask);
        let ended = Ended::of(&mut command);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        for path in walk(&place.path().join("deep")) {
            let found = fs::symlink_metadata(&path).expect("its own");
            assert!(
                found.is_symlink() || found.mode() & 0o022 == 0,
                "umask {umask:03o}: {} has mode {:o}",
                path.display(),
                found.mode()
            );
        }
        let mode = |name: &str| fs::metadata(place.path().join(name)).expect("its own").mode() & 0o777;
        assert_eq!(mode("deep/r/shards"), wanted);
        assert_eq!(mode("deep/r/journal.jsonl"), wanted & 0o666);
        assert_eq!(mode("deep/r/results/summary.json"), wanted & 0o666);
    }
}

#[test]
fn a_run_that_its_group_could_have_changed_runs_nothing() {
    let place = Place::new();
    let run = abandoned(&place);
    for name in ["", "plan.json", "run.json", "journal.jsonl", "shards", "supervisor.json"] {
        let path = run.dir.join(name);
        add_mode(&path, 0o020);
        for words in [
            ["wait", run.word()].as_slice(),
            &["recover", run.word()],
            &["requeue", run.word(), "--all"],
            &["attach", run.word(), "--once"],
        ] {
            let refused = place.sweepdeck(words);
            assert_eq!(refused.code, Some(5), "{name:?}, {words:?}: {refused:?}");
            assert!(
                refused.stderr.contains("can be written by its group"),
                "{name:?}, {words:?}: {refused:?}"
            );
        }
        let supervised = place.sweepdeck(&["supervise", run.word()]);
        assert_ne!(supervised.code, Some(0), "{name:?}: {supervised:?}");
        run.does("status", &[]);
        remove_mode(&path, 0o020);
    }
    assert!(processes::of(&run.dir).is_empty(), "nothing was started");
    run.does("recover", &[]);
    run.does("stop", &["--now"]);
}

#[test]
fn an_order_that_its_group_could_have_changed_is_not_carried_out() {
    let place = Place::new();
    let run = abandoned(&place);
    let attempt = run.dir.join("shards/1/attempt-01");
    // What a holder of the past left is taken away, so that this one would start the program.
    for name in ["started.json", "exit.json"] {
        let _ = fs::remove_file(attempt.join(name));
    }
    add_mode(&run.dir.join("shards/1"), 0o020);
    let held = place.sweepdeck(&["hold", attempt.to_str().expect("plain")]);
    assert_eq!(held.code, Some(0), "{held:?}");
    let exit = fs::read_to_string(attempt.join("exit.json")).expect("a record");
    assert!(exit.contains("launch-error") && exit.contains("can be written by its group"), "{exit}");
}

#[test]
fn a_folder_that_was_there_is_closed_to_its_group() {
    let place = Place::new();
    let folder = place.path().join("r");
    fs::create_dir(&folder).expect("a folder");
    fs::set_permissions(&folder, Permissions::from_mode(0o2775)).expect("its own");
    let (ended, run) = place.run_headless("name = \"u\"\n[matrix]\nn = [1]\n[shard]\ncommand = [\"true\"]\n");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(fs::metadata(&run.dir).expect("the run").mode() & 0o022, 0);
}

#[test]
#[ignore = "needs root: gives files away"]
fn a_run_with_a_file_of_another_user_runs_nothing() {
    let place = Place::new();
    let run = abandoned(&place);
    for name in ["plan.json", "journal.jsonl", "shards", "sweep.toml"] {
        let path = run.dir.join(name);
        std::os::unix::fs::chown(&path, Some(54_324), None).expect("root gives files away");
        for words in
            [["wait", run.word()].as_slice(), &["recover", run.word()], &["requeue", run.word(), "--all"]]
        {
            let refused = place.sweepdeck(words);
            assert_eq!(refused.code, Some(5), "{name}, {words:?}: {refused:?}");
            assert!(refused.stderr.contains("belongs to user 54324"), "{name}, {words:?}: {refused:?}");
        }
        std::os::unix::fs::chown(&path, Some(0), None).expect("root takes it back");
    }
    assert!(processes::of(&run.dir).is_empty(), "nothing was started");
}

#[test]
#[ignore = "needs root and a second user"]
fn a_member_of_the_group_cannot_replace_what_runs() {
    const OTHER: &str = "nobody";
    let place = Place::new();
    fs::set_permissions(place.path(), Permissions::from_mode(0o755)).expect("its own folder");
    place.write("s.toml", "name = \"g\"\n[matrix]\nn = [1]\n[shard]\ncommand = \"sleep 600\"\n");
    let mut command = place.command(&["run", "s.toml", "--detach", "--out", "r"]);
    with_umask(&mut command, 0o002);
    // The other user's own group, as a group that the owner shares with it.
    let group = Command::new("id").args(["-g", OTHER]).output().expect("id").stdout;
    command.gid(String::from_utf8_lossy(&group).trim().parse().expect("a number"));
    assert!(command.status().expect("the program starts").success());
    let script = "echo {} > plan.json; mv plan.json other; mkdir shards/x; echo x >> journal.jsonl; : > supervisor.json";
    let _ = Command::new("runuser")
        .args(["-u", OTHER, "--", "sh", "-c", script])
        .current_dir(place.path().join("r"))
        .output()
        .expect("runuser is part of every system");
    assert!(place.read("r/plan.json").expect("the plan").contains("sleep 600"));
    assert!(!place.path().join("r/shards/x").exists() && !place.path().join("r/other").exists());
    assert!(place.read("r/supervisor.json").expect("a record").contains("socket"));
    let stopped = place.sweepdeck(&["stop", "r", "--now"]);
    assert_eq!(stopped.code, Some(0), "{stopped:?}");
}
