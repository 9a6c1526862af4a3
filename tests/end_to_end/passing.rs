//! A shortage that passes delays shards and fails none.

use std::fs;
use std::process::Command;

use crate::harness::place::{Ended, PROGRAM, Place, Run};
use crate::harness::wait::until;

/// As many shards side by side, each of which runs until it may end.
fn side_by_side(count: u32) -> String {
    let numbers: Vec<String> = (1..=count).map(|n| n.to_string()).collect();
    format!(
        "name = \"short\"\n[matrix]\nn = [{}]\n[shard]\n\
         command = \"echo start >> witness-{{{{ n }}}}; until [ -e go ]; do sleep 0.2; done\"\n\
         [schedule]\nparallel = {count}\n",
        numbers.join(", ")
    )
}

/// Starts the sweep from a shell line that ends in `"$@"`.
fn start_from<'a>(place: &'a Place, program: &str, line: &[&str], sweep: &str) -> Run<'a> {
    place.write("sweep.toml", sweep);
    let usual = place.command(&[]);
    let mut command = Command::new(program);
    command
        .args(line)
        .args([PROGRAM, "run", "sweep.toml", "--detach", "--out", "r"])
        .current_dir(place.path());
    for (name, value) in usual.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let started = Ended::of(&mut command);
    assert_eq!(started.code, Some(0), "{started:?}");
    Run { place, dir: place.path().join("r") }
}

fn waits(run: &Run<'_>) -> Vec<String> {
    let status = run.status();
    let shards = status["shards"].as_array().expect("shards").iter();
    shards.filter_map(|shard| shard["waiting"].as_str().map(str::to_owned)).collect()
}

#[test]
fn too_few_descriptors_delay_what_is_seen_of_shards_and_lose_none() {
    let place = Place::new();
    let run = start_from(&place, "bash", &["-c", "ulimit -n 32; exec \"$@\"", "-"], &side_by_side(40));
    let is_short = || place.read("r/supervisor.log").is_some_and(|log| log.contains("os error 24"));
    until("the supervisor runs out of descriptors", is_short);
    // The shards end while it has hardly one to look with.
    place.write("go", "");
    until("the run ends", || run.status()["run"]["state"] == "finished");
    assert_eq!(run.count("succeeded"), 40, "{}", run.status());
}

#[test]
fn a_supervisor_takes_the_descriptors_that_it_may_have_and_programs_keep_their_limit() {
    let place = Place::new();
    let sweep = "name = \"limit\"\n[shard]\nid = \"only\"\ncommand = \"ulimit -Sn; until [ -e go ]; do sleep 0.05; done\"\n";
    let run = start_from(&place, "bash", &["-c", "ulimit -Sn 64; ulimit -Hn 128; exec \"$@\"", "-"], sweep);
    until("the shard runs", || run.log("only", 1).contains("64"));
    let limits = fs::read_to_string(format!("/proc/{}/limits", run.supervisor().expect("a supervisor")));
    let line =
        limits.expect("its limits").lines().find(|line| line.contains("open files")).map(str::to_owned);
    assert!(line.as_ref().is_some_and(|line| line.matches("128").count() == 2), "{line:?}");
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
#[ignore = "needs root: the limit of processes holds for other users only"]
fn a_user_without_processes_left_waits_and_loses_no_shard() {
    let place = Place::new();
    let user = 54_321;
    std::os::unix::fs::chown(place.path(), Some(user), Some(user)).expect("root gives folders away");
    let other = ["--reuid", "54321", "--regid", "54321", "--clear-groups", "bash", "-c"];
    let line: Vec<&str> = other.iter().copied().chain(["ulimit -u 24; exec \"$@\"", "-"]).collect();
    let run = start_from(&place, "setpriv", &line, &side_by_side(16));
    until("queued shards say what they wait for", || {
        waits(&run).iter().any(|reason| reason.contains("no more processes allowed (ulimit -u)"))
    });
    place.write("go", "");
    until("the run ends", || run.status()["run"]["state"] == "finished");
    assert_eq!(run.count("succeeded"), 16, "{}", run.status());
}

#[test]
#[ignore = "needs root: the limit of processes holds for other users only"]
fn waiting_in_the_foreground_outlasts_a_user_without_processes_left() {
    let place = Place::new();
    let user = 54_322;
    std::os::unix::fs::chown(place.path(), Some(user), Some(user)).expect("root gives folders away");
    let other = ["--reuid", "54322", "--regid", "54322", "--clear-groups", "bash", "-c"];
    let wait = "ulimit -u 20; \"$@\" & until [ $(ls | grep -c witness) -ge 4 ]; do sleep 0.1; done; sleep 2; touch go; wait $!";
    let line: Vec<&str> = other.iter().copied().chain([wait, "-"]).collect();
    place.write("sweep.toml", &side_by_side(16));
    let mut command = Command::new("setpriv");
    command
        .args(line)
        .args([PROGRAM, "run", "sweep.toml", "--headless", "--out", "r"])
        .current_dir(place.path());
    command.envs(place.command(&[]).get_envs().filter_map(|(name, value)| Some((name, value?))));
    let ended = Ended::of(&mut command);
    // A shell that is refused a process of its own fails its shard; the program itself goes on to the end of the run.
    assert!(matches!(ended.code, Some(0 | 1)), "{ended:?}");
    let journal = fs::read_to_string(place.path().join("r/journal.jsonl")).expect("a journal");
    assert!(journal.contains("\"run-ended\",\"finished\":true"), "{journal}");
}

#[test]
#[ignore = "needs root: mounts terminals of its own"]
fn a_machine_without_terminals_left_waits_and_loses_no_shard() {
    let place = Place::new();
    let mount = "mount -t devpts -o newinstance,max=4,ptmxmode=0666 devpts /dev/pts \
        && mount --bind /dev/pts/ptmx /dev/ptmx && exec \"$@\"";
    let run = start_from(&place, "unshare", &["-m", "bash", "-c", mount, "-"], &side_by_side(12));
    until("queued shards say what they wait for", || {
        waits(&run).iter().any(|reason| reason.contains("no free terminals"))
    });
    place.write("go", "");
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    let attempts: i64 = run.status()["shards"]
        .as_array()
        .expect("shards")
        .iter()
        .map(|shard| shard["attempt"].as_i64().unwrap_or(0))
        .sum();
    assert!(attempts < 60, "{attempts} attempts: each shortage costs one start and not one of every shard");
}
