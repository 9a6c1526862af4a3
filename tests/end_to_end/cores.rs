//! Shards have cores of their own where the sweep asks for it, and are as urgent as it says.

use std::collections::BTreeSet;
use std::fs;

use rustix::process::Signal;

use crate::harness::place::{Ended, PROGRAM, Place, Run};
use crate::harness::processes;
use crate::harness::wait::until;

/// As many shards as there may be cores here, and two more; each ends when it may.
fn sweep(shards: usize, resources: &str) -> String {
    let numbers: Vec<String> = (1..=shards).map(|number| number.to_string()).collect();
    format!(
        "[matrix]\nn = [{}]\n[shard]\nid = \"n{{{{ n }}}}\"\n\
         command = \"echo $OMP_NUM_THREADS; until [ -e go-$SWEEPDECK_SHARD ] || [ -e go-all ]; do sleep 0.05; done\"\n\
         [resources]\n{resources}\n[schedule]\nparallel = {shards}\n",
        numbers.join(", ")
    )
}

fn field(pid: u64, name: &str) -> String {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.trim_start_matches(':').trim().to_owned()
}

fn niceness(pid: u64) -> i64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("it lives");
    let fields = &stat[stat.rfind(')').expect("a name") + 2..];
    fields.split(' ').nth(16).and_then(|field| field.parse().ok()).expect("a niceness")
}

/// The cores that this test may use: all shards together have no more.
fn allowed() -> BTreeSet<u32> {
    let list = field(std::process::id().into(), "Cpus_allowed_list");
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        first.parse().expect("a core")..=last.parse::<u32>().expect("a core")
    };
    list.split(',').flat_map(range).collect()
}

fn pid(run: &Run<'_>, shard: &str) -> u64 {
    run.shard(shard)["pid"].as_u64().expect("it runs")
}

fn core(run: &Run<'_>, shard: &str) -> u32 {
    field(pid(run, shard), "Cpus_allowed_list").parse().expect("one core")
}

#[test]
fn pinned_shards_share_no_core_also_after_the_death_of_a_supervisor() {
    let cores = std::thread::available_parallelism().expect("a number of cores").get();
    let place = Place::new();
    let run = place.start(&sweep(cores + 2, "pin = true\ncpus = 1"));
    until("every core is taken", || run.count("running") == cores as u64);
    let taken: BTreeSet<u32> = (1..=cores).map(|number| core(&run, &format!("n{number}"))).collect();
    assert_eq!(taken.len(), cores, "two shards share one of {taken:?}");
    assert!(taken.is_subset(&allowed()), "{taken:?}");
    assert_eq!(run.log("n1", 1).trim(), "1");
    let waits = || run.shard(&format!("n{}", cores + 1))["waiting"].as_str().unwrap_or_default().to_owned();
    until("the rest say why", || waits().contains("core"));

    let free = core(&run, "n1");
    let before = run.supervisor().expect("it lives");
    processes::signal(before, Signal::KILL);
    until("the next one has taken over", || run.supervisor().is_some_and(|pid| pid != before));
    place.write("go-n1", "");
    until("one follows", || run.count("succeeded") == 1 && run.count("running") == cores as u64);
    assert_eq!(core(&run, &format!("n{}", cores + 1)), free, "the only one that nobody had");
    place.write("go-all", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn cores_that_the_program_itself_may_not_use_are_given_to_nobody() {
    let only = *allowed().last().expect("a core");
    let place = Place::new();
    place.write("sweep.toml", &sweep(2, "pin = true\ncpus = 1"));
    let mut command = std::process::Command::new("taskset");
    command
        .args(["-c", &only.to_string(), PROGRAM, "run", "sweep.toml", "--detach", "--out", "r"])
        .current_dir(place.path())
        .env("XDG_STATE_HOME", place.path().join("state"))
        .env("PATH", place.search_path(&[]));
    let started = Ended::of(&mut command);
    assert_eq!(started.code, Some(0), "{started:?}");
    let run = Run { place: &place, dir: place.path().join("r") };
    until("one runs", || run.count("running") == 1);
    assert_eq!(core(&run, "n1"), only);
    assert_eq!(run.count("queued"), 1);
    place.write("go-all", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn shards_are_as_urgent_as_the_sweep_says_and_unpinned_ones_may_use_every_core() {
    let place = Place::new();
    let run = place.start(&sweep(1, "nice = 7"));
    run.until_phase("n1", "running");
    let pid = pid(&run, "n1");
    let own = niceness(std::process::id().into());
    assert_eq!(niceness(pid), (own + 7).min(19), "`nice` is added to the niceness of the run, here {own}");
    assert_eq!(field(pid, "Cpus_allowed_list"), field(std::process::id().into(), "Cpus_allowed_list"));
    place.write("go-all", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn wishes_that_cannot_be_are_refused_with_what_to_do() {
    let place = Place::new();
    for (resources, words) in [
        ("pin = true", "`pin` needs `cpus`"),
        ("nice = 20", "`nice` is 20, and 19 is the least urgent there is"),
        ("nice = -5", "`nice` must be an integer, at least 0, not -5"),
        ("pin = 3", "`pin` must be a boolean"),
    ] {
        place.write("sweep.toml", &sweep(1, resources));
        let refused = place.sweepdeck(&["check", "sweep.toml"]);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.stderr.contains(words), "{words}: {refused:?}");
    }
}
