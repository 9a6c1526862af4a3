//! Shards whose work is in a container, below an engine that is no part of the run. The engine is a stand-in: a daemon of
//! the test, and a client called `docker` that is no parent of the container and passes no signals on.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::Signal;

use crate::harness::place::{Ended, Place, Run};
use crate::harness::processes::{self, signal, state};
use crate::harness::wait::{until, until_some};

/// Starts what is asked for as its own child, in a control group if it has any, and tells how it ended.
const DAEMON: &str = r#"
mkfifo asked; exec 3<>asked
while read -r id <&3; do (
  if [ -n "$GROUPS_AT" ]; then mkdir "$GROUPS_AT/docker-$id.scope"; echo $BASHPID > "$GROUPS_AT/docker-$id.scope/cgroup.procs"; fi
  env -i PATH="$PATH" $(cat made/$id.env) setsid -w bash -c "$(cat made/$id.command)"; code=$?
  if [ -n "$GROUPS_AT" ]; then echo $BASHPID > "$GROUPS_AT/cgroup.procs"; rmdir "$GROUPS_AT/docker-$id.scope"; fi
  echo $code > made/$id.exit
) & done
"#;

/// `docker run [--cidfile FILE] [--label L] [--env NAME] IMAGE COMMAND`.
const CLIENT: &str = r#"#!/bin/bash
trap '' INT TERM
cd "$(dirname "$0")/.."
[ "$1" = run ] || exit 125
shift
id=$(printf '%064x' $$)
: > made/$id.env
while [ "${1#-}" != "$1" ]; do
  case $1 in
    --cidfile) [ -e "$2" ] && exit 125; cidfile=$2; shift 2 ;;
    --env) [ -e tagless ] || echo "$2=${!2}" >> made/$id.env; shift 2 ;;
    --label) echo "$2" >> labels; shift 2 ;;
    *) exit 125 ;;
  esac
done
shift
echo "$1" > made/$id.command
[ -z "$cidfile" ] || echo -n $id > "$cidfile"
echo $id > asked
until [ -s made/$id.exit ]; do sleep 0.05; done
exit "$(cat made/$id.exit)"
"#;

/// The engine of a place, which ends with the test.
struct Engine<'a> {
    place: &'a Place,
    daemon: Child,
    group: Option<PathBuf>,
}

impl<'a> Engine<'a> {
    /// One that passes the variables on that its client was asked to pass, and has no control groups.
    fn with_variables(place: &'a Place) -> Self {
        Self::start(place, None)
    }

    /// One with control groups and a clean environment, where this machine lets one be made.
    fn with_groups(place: &'a Place) -> Option<Self> {
        let name = place.path().file_name().expect("a folder with a name");
        let mounts = fs::read_to_string("/proc/self/mounts").expect("a list of mounts");
        let mounts = mounts.lines().map(|line| line.split(' ').collect::<Vec<_>>());
        let groups = mounts.filter(|fields| matches!(fields[2], "cgroup" | "cgroup2"));
        let group = groups.map(|fields| Path::new(fields[1]).join(name)).find(|group| {
            // One of a controller that wants more settings first takes no process.
            fs::create_dir(group).is_ok() && takes_processes(group)
        })?;
        place.write("tagless", "");
        Some(Self::start(place, Some(group)))
    }

    fn start(place: &'a Place, group: Option<PathBuf>) -> Self {
        let client = place.write("engine/docker", CLIENT);
        fs::set_permissions(client, std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .expect("its own file");
        fs::create_dir(place.path().join("made")).expect("a folder");
        let mut daemon = Command::new("bash");
        daemon.args(["-c", DAEMON]).current_dir(place.path()).stdin(Stdio::null());
        daemon.env("GROUPS_AT", group.as_deref().unwrap_or(Path::new("")));
        let daemon = daemon.spawn().expect("a daemon");
        until("the daemon listens", || place.path().join("asked").exists());
        Self { place, daemon, group }
    }

    /// Starts the sweep on a machine that has this engine.
    fn run(&self, sweep: &str) -> Run<'a> {
        self.place.write("sweep.toml", sweep);
        let path = self.place.search_path(&[self.place.path().join("engine")]);
        let mut command = self.place.command(&["run", "sweep.toml", "--detach", "--out", "r"]);
        let started = Ended::of(command.env("PATH", path));
        assert_eq!(started.code, Some(0), "{started:?}");
        Run { place: self.place, dir: self.place.path().join("r") }
    }

    /// The process in the newest container, which notes itself.
    fn inside(&self) -> u32 {
        until_some("the container runs", || self.place.read("inside")?.trim().parse().ok())
    }
}

impl Drop for Engine<'_> {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
        let inside = self.place.read("inside").and_then(|pid| pid.trim().parse().ok());
        inside.into_iter().for_each(|pid| signal(pid, Signal::KILL));
        if let Some(group) = &self.group {
            let below = fs::read_dir(group).into_iter().flatten().flatten();
            below.for_each(|entry| _ = fs::remove_dir(entry.path()));
            let _ = fs::remove_dir(group);
        }
    }
}

fn takes_processes(group: &Path) -> bool {
    let mut child = Command::new("sleep").arg("600").spawn().expect("a process");
    let takes = fs::write(group.join("cgroup.procs"), child.id().to_string()).is_ok();
    let _ = child.kill();
    let _ = child.wait();
    if !takes {
        let _ = fs::remove_dir(group);
    }
    takes
}

const SWEEP: &str = "[shard]\nid = \"boxed\"\ncommand = \"docker run image 'echo $$ > inside; exec sleep 600'\"\n\
    [schedule]\ngrace = { interrupt = \"100ms\", terminate = \"100ms\" }\nlinger = \"100ms\"\n";

/// Pauses, resumes and kills; the process in the container follows.
fn follows_the_keys(engine: &Engine<'_>, run: &Run<'_>) {
    let inside = engine.inside();
    run.until_phase("boxed", "running");
    run.does("pause", &["boxed"]);
    until("it is stopped", || state(inside) == Some('T'));
    run.does("resume", &["boxed"]);
    until("it goes on", || state(inside).is_some_and(|state| state != 'T'));
    run.does("kill", &["boxed"]);
    until("nothing is left of it", || state(inside).is_none());
    assert_eq!(run.wait(), Some(1));
    assert_eq!(run.shard("boxed")["reason"], "killed");
}

#[test]
fn a_container_that_passes_variables_on_is_paused_and_killed() {
    let place = Place::new();
    let engine = Engine::with_variables(&place);
    let run = engine.run(SWEEP);
    follows_the_keys(&engine, &run);
    let labels = place.read("labels").expect("labels");
    assert!(
        labels.contains("sweepdeck.shard=boxed\n") && labels.contains("sweepdeck.attempt=1\n"),
        "{labels}"
    );
}

#[test]
fn a_container_is_measured_paused_and_killed_by_its_control_group() {
    let place = Place::with_gpus("gpu 0\n");
    let Some(engine) = Engine::with_groups(&place) else {
        return eprintln!("skipped: this user can make no control group here");
    };
    let run = engine.run(SWEEP);
    let inside = engine.inside();
    place.gpus(&format!("gpu 0\n compute {inside} 3 GiB\n"));
    until("its memory is the shard's", || run.shard("boxed")["vram_bytes"] == 3_u64 << 30);
    follows_the_keys(&engine, &run);
}

#[test]
fn a_container_ends_with_an_attempt_whose_holder_died() {
    let place = Place::new();
    let engine = Engine::with_variables(&place);
    let run = engine.run(SWEEP);
    let first = engine.inside();
    run.until_phase("boxed", "running");
    let holder = until_some("its holder", || {
        let holders = processes::with_command("sweepdeck hold");
        holders.into_iter().find(|pid| processes::command(*pid).contains(run.word()))
    });
    signal(holder, Signal::KILL);
    until("the first container is gone", || state(first).is_none());
    until("the shard has another", || engine.inside() != first && run.shard("boxed")["attempt"] == 2);
    run.does("kill", &["boxed"]);
    assert_eq!(run.wait(), Some(1));
}

#[test]
fn a_container_that_outlives_its_client_is_ended() {
    let place = Place::new();
    let Some(engine) = Engine::with_groups(&place) else {
        return eprintln!("skipped: this user can make no control group here");
    };
    let run = engine.run(SWEEP);
    let inside = engine.inside();
    run.until_phase("boxed", "running");
    let client = until_some("its client", || {
        let clients = processes::with_command("engine/docker");
        clients
            .into_iter()
            .find(|pid| processes::command(*pid).contains(place.path().to_str().expect("a plain name")))
    });
    signal(client, Signal::KILL);
    assert_eq!(run.wait(), Some(1));
    assert!(state(inside).is_none(), "the container was not left behind");
    let warnings = run.shard("boxed")["warnings"].to_string();
    assert!(warnings.contains("outlived the main process"), "{warnings}");
}

#[test]
fn the_exit_code_is_that_of_the_container() {
    let place = Place::new();
    let engine = Engine::with_variables(&place);
    let run = engine
        .run("[matrix]\nn = [1, 2]\n[shard]\nid = 'n{{ n }}'\ncommand = \"docker run image 'exit 7'\"\n");
    assert_eq!(run.wait(), Some(1));
    assert_eq!(run.shard("n1")["exit"]["code"], 7);
    assert_eq!(run.shard("n2")["exit"]["code"], 7);
}
