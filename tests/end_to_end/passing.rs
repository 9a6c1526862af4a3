//! A shortage that passes delays shards and fails none.

use std::fs;
use std::process::Command;

use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};

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

/// The program as a shell line starts it that ends in `"$@"`.
fn command_from(place: &Place, program: &str, line: &[&str], words: &[&str]) -> Command {
    let usual = place.command(&[]);
    let mut command = Command::new(program);
    command.args(line).arg(PROGRAM).args(words).current_dir(place.path());
    for (name, value) in usual.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

/// Starts the sweep from such a line.
fn start_from<'a>(place: &'a Place, program: &str, line: &[&str], sweep: &str) -> Run<'a> {
    place.write("sweep.toml", sweep);
    let words = ["run", "sweep.toml", "--detach", "--out", "r"];
    let started = Ended::of(&mut command_from(place, program, line, &words));
    assert_eq!(started.code, Some(0), "{started:?}");
    Run { place, dir: place.path().join("r") }
}

/// Gives the place to a user without a name, and says how a line becomes one of that user's.
fn as_user<'a>(place: &Place, user: &'a str, line: &'a str) -> [&'a str; 8] {
    let number = user.parse().ok();
    std::os::unix::fs::chown(place.path(), number, number).expect("root gives folders away");
    ["--reuid", user, "--regid", user, "--clear-groups", "bash", "-c", line]
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

/// Sets how many descriptors another process may have.
fn limit_descriptors(pid: u32, most: u64) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let limit = Rlimit { current: Some(most), ..getrlimit(Resource::Nofile) };
    prlimit(pid, Resource::Nofile, limit).expect("it is a process of this user");
}

#[test]
fn an_end_that_could_not_be_seen_is_seen_once_there_are_descriptors() {
    let place = Place::new();
    let run = place.start(&side_by_side(1));
    until("it runs", || place.read("witness-1").is_some());
    let supervisor = run.supervisor().expect("a supervisor");
    limit_descriptors(supervisor, 3);
    place.write("go", "");
    until("its end is looked for in vain", || {
        place.read("r/journal.jsonl").is_some_and(|journal| journal.contains("is looked for again"))
    });
    limit_descriptors(supervisor, 1024);
    until("the run ends", || run.status()["run"]["state"] == "finished");
    assert_eq!(run.count("succeeded"), 1, "{}", run.status());
    assert_eq!(run.supervisor(), Some(supervisor), "it was no other one that looked");
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
    let line = as_user(&place, "54321", "ulimit -u 24; exec \"$0\" \"$@\"");
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
    let line = as_user(&place, "54322", "exec \"$0\" \"$@\"");
    // It lasts until the one that waits would watch the journal from a thread.
    let sweep = "name = \"short\"\n[shard]\nid = \"only\"\ncommand = \"sleep 4\"\n";
    let run = start_from(&place, "setpriv", &line, sweep);
    let line = as_user(&place, "54322", "ulimit -u 1; exec \"$0\" \"$@\"");
    let ended = Ended::of(&mut command_from(&place, "setpriv", &line, &["wait", run.word()]));
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[test]
#[ignore = "needs root: the limit of processes holds for other users only"]
fn a_supervisor_that_panics_says_where_and_is_replaced() {
    let place = Place::new();
    let line = as_user(&place, "54323", "exec \"$0\" \"$@\"");
    let run = start_from(&place, "setpriv", &line, &side_by_side(1));
    until("it runs", || place.read("witness-1").is_some());
    let supervisor = run.supervisor().expect("a supervisor").to_string();
    // Results are written by a thread, and its library panics where there can be none.
    let line = as_user(&place, "54323", "prlimit --pid \"$1\" --nproc=1:1");
    let limited = Command::new("setpriv").args(line).args(["-", &supervisor]).status();
    assert!(limited.is_ok_and(|status| status.success()));
    place.write("go", "");
    let panic = format!("[{supervisor}] sweepdeck::process::panics::note: panicked at src/");
    until("it says so", || place.read("r/supervisor.log").is_some_and(|log| log.contains(&panic)));
    until("the run ends", || run.status()["run"]["state"] == "finished");
    assert_eq!(run.count("succeeded"), 1, "{}", run.status());
    let reports = fs::read_dir(place.path().join("state/sweepdeck/panics")).expect("a folder of reports");
    assert_eq!(reports.count(), 1);
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
