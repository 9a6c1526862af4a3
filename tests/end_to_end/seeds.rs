//! The sweeps of `configs/`, with stand-ins for their programs.

mod behavior;
mod envcoderbench;
mod isaac;
mod lerobot;
mod stress;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::harness::place::{Ended, PROGRAM, Place, Run};

/// The folder of the sweeps.
fn configs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("configs")
}

/// The program among the stand-ins, not yet started.
fn among_stand_ins(place: &Place, words: &[&str]) -> Command {
    let plain = place.command(&[]);
    let mut command = Command::new("bash");
    command.arg(configs().join("stand-ins/with")).arg(PROGRAM).args(words);
    command.current_dir(place.path()).stdin(Stdio::null()).env("STAND_IN_PACE", "0.01");
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

/// Puts a sweep of `configs/` into the place, with some of its text replaced.
fn put_sweep(place: &Place, name: &str, changes: &[(&str, &str)]) {
    let mut sweep = fs::read_to_string(configs().join(name)).expect("the sweep");
    for (text, other) in changes {
        assert!(sweep.contains(text), "`{text}` is not in {name}");
        sweep = sweep.replace(text, other);
    }
    place.write(name, &sweep);
}

/// Runs a sweep of the place to its end.
fn run_sweep<'a>(place: &'a Place, name: &str, words: &[&str]) -> (Ended, Run<'a>) {
    let mut all = vec!["run", name, "--headless", "--out", "r"];
    all.extend(words);
    (Ended::of(&mut among_stand_ins(place, &all)), Run { place, dir: place.path().join("r") })
}
