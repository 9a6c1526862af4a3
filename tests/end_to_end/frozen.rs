//! Run directories as earlier versions wrote them: every verb that reads opens them, and none that acts starts anything.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::place::{Place, Run};
use crate::harness::processes::with_command;

/// One folder for each format.
fn frozen() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frozen");
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder).expect("frozen runs").flatten().map(|entry| entry.path()).collect();
    found.sort();
    assert!(found.len() >= 2);
    found
}

/// A copy in the place, closed to others whatever a checkout made of it.
fn thaw<'a>(place: &'a Place, frozen: &Path, name: &str) -> Run<'a> {
    let dir = place.path().join(name);
    let copied = Command::new("cp").arg("-r").args([frozen, &dir]).status();
    assert!(copied.is_ok_and(|status| status.success()));
    let closed = Command::new("chmod").args(["-R", "u+w,go-w"]).arg(&dir).status();
    assert!(closed.is_ok_and(|status| status.success()));
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).expect("it is mine");
    Run { place, dir }
}

#[test]
fn runs_of_every_earlier_format_open_with_every_verb() {
    let place = Place::new();
    let mut runs = Vec::new();
    for (number, frozen) in frozen().iter().enumerate() {
        let run = thaw(&place, frozen, &format!("frozen-{number}"));
        let status = run.status();
        assert_eq!(
            (&status["counts"]["succeeded"], &status["counts"]["failed"]),
            (&1.into(), &1.into()),
            "{status}"
        );
        assert_eq!(run.shard("rough")["exit"]["code"], 7);
        assert_eq!(run.shard("flat")["metrics"]["success"], 1.0);
        for (verb, words, shown) in [
            ("status", &[][..], "rough"),
            ("logs", &["flat"], "Episode 3/3"),
            ("attach", &["--once"], "rough"),
            ("report", &[], "exit-code"),
            ("screenshot", &[], "<svg"),
        ] {
            let read = run.does(verb, words);
            assert!(read.stdout.contains(shown), "{verb} of {}: {read:?}", frozen.display());
        }
        for (verb, words) in
            [("recover", &[][..]), ("requeue", &["--failed"]), ("wait", &[]), ("recover", &["--salvage"])]
        {
            let refused = run.sweepdeck(verb, words);
            let is_over = verb == "wait" && refused.code == Some(1);
            assert!(refused.code == Some(5) || is_over, "{verb} of {}: {refused:?}", frozen.display());
        }
        assert_eq!(with_command(&format!("supervise {}", run.word())), [0; 0]);
        runs.push(run);
    }
    let words: Vec<&str> = ["compare"].into_iter().chain(runs.iter().map(Run::word)).collect();
    let compared = place.sweepdeck(&words);
    assert_eq!(compared.code, Some(0), "{compared:?}");
}
