//! Another user may watch a run that can be read, and may do nothing else.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use crate::harness::place::{PROGRAM, Place, Run};
use crate::harness::screen::Screen;
use crate::harness::wait::output_of;

/// A user that every system has and that owns nothing.
const OTHER: &str = "nobody";

/// A run in a folder that others may enter, and a copy of the program that they may run.
fn open_run(place: &Place) -> (Run<'_>, PathBuf) {
    fs::set_permissions(place.path(), Permissions::from_mode(0o755)).expect("its own folder");
    let program = place.path().join("sweepdeck");
    fs::copy(PROGRAM, &program).expect("a copy");
    fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("its own file");
    let run =
        place.start("name = \"ro\"\n[matrix]\nn = [1, 2]\n[shard]\ncommand = \"echo hello; sleep 600\"\n");
    run.until_phase("1", "running");
    run.until_phase("2", "running");
    (run, program)
}

fn as_other(program: &PathBuf, words: &[&str]) -> Output {
    let mut command = Command::new("runuser");
    command
        .args(["-u", OTHER, "--"])
        .arg(program)
        .args(words)
        .env("HOME", "/nonexistent")
        .env_remove("XDG_STATE_HOME")
        .stdin(Stdio::null());
    output_of(&mut command)
}

#[test]
#[ignore = "needs root and a second user"]
fn another_user_sees_everything_and_changes_nothing() {
    let place = Place::new();
    let (run, program) = open_run(&place);
    let status = as_other(&program, &["status", run.word(), "--json"]);
    assert_eq!(status.status.code(), Some(0), "{status:?}");
    for words in [
        vec!["kill", run.word(), "--all"],
        vec!["pause", run.word(), "1"],
        vec!["requeue", run.word(), "--all"],
        vec!["stop", run.word(), "--now"],
        vec!["recover", run.word()],
        vec!["enter", run.word(), "1"],
    ] {
        let refused = as_other(&program, &words);
        let code = if words[0] == "enter" { Some(2) } else { Some(5) };
        assert_eq!(refused.status.code(), code, "{words:?}: {refused:?}");
    }
    let foreign = walk(&run.dir).into_iter().filter(|path| {
        fs::symlink_metadata(path).is_ok_and(|found| found.uid() != rustix::process::geteuid().as_raw())
    });
    assert_eq!(foreign.collect::<Vec<_>>(), Vec::<PathBuf>::new());
    assert_eq!(run.count("running"), 2);
}

#[test]
#[ignore = "needs root and a second user"]
fn a_socket_that_lies_open_refuses_the_peer_all_the_same() {
    let place = Place::new();
    let (run, program) = open_run(&place);
    let record = fs::read_to_string(run.dir.join("supervisor.json")).expect("a supervisor");
    let record: serde_json::Value = serde_json::from_str(&record).expect("a record");
    let socket = PathBuf::from(record["socket"].as_str().expect("a path"));
    let folder = socket.parent().expect("a folder").to_owned();
    fs::set_permissions(&folder, Permissions::from_mode(0o711)).expect("root may");
    fs::set_permissions(&socket, Permissions::from_mode(0o666)).expect("root may");
    let refused = as_other(&program, &["kill", run.word(), "--all"]);
    fs::set_permissions(&folder, Permissions::from_mode(0o700)).expect("root may");
    assert_eq!(refused.status.code(), Some(5), "{refused:?}");
    assert_eq!(run.count("running"), 2);
}

#[test]
#[ignore = "needs root and a second user"]
fn attach_by_another_user_is_read_only_by_itself() {
    let place = Place::new();
    let (run, program) = open_run(&place);
    let line = format!(
        "exec runuser -u {OTHER} -- env -u XDG_STATE_HOME HOME=/nonexistent {} attach {}",
        program.display(),
        run.word()
    );
    let mut screen = Screen::shell(&place, &line);
    screen.until("the badge is shown", |text| text.to_lowercase().contains("read-only"));
    screen.press("xyRy");
    screen.press("q");
    assert_eq!(screen.code(), 0);
    assert_eq!(run.count("running"), 2);
}

#[test]
#[ignore = "needs root and a second user"]
fn a_closed_parent_folder_is_named() {
    let place = Place::new();
    let (run, _) = open_run(&place);
    let closed = place.path().join("closed");
    fs::create_dir(&closed).expect("its own folder");
    let moved = closed.join("r");
    std::os::unix::fs::symlink(&run.dir, &moved).expect("a link");
    fs::set_permissions(&closed, Permissions::from_mode(0o700)).expect("its own folder");
    let refused = as_other(&place.path().join("sweepdeck"), &["status", moved.to_str().expect("plain")]);
    let told = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(5), "{told}");
    assert!(told.contains(&format!("the folder {} cannot be entered", closed.display())), "{told}");
}

fn walk(folder: &PathBuf) -> Vec<PathBuf> {
    let mut found = vec![folder.clone()];
    for entry in fs::read_dir(folder).expect("its own folder").flatten() {
        let path = entry.path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(walk(&path));
        } else {
            found.push(path);
        }
    }
    found
}
