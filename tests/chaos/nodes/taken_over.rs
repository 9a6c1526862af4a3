//! A machine of a run that stands still, loses the run to another machine, and wakes up.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, Instant};

use crate::cluster::{Cluster, Share};
use crate::judge;
use crate::signs::describe_standstill;

const DEADLINE: Duration = Duration::from_secs(60);

#[test]
#[ignore = "needs root"]
fn one_of_machines_that_are_apart_wakes_up_and_leaves_the_run_to_its_new_place() {
    let cluster = Cluster::new(2, Share::Late, None);
    let (run, go) = (cluster.share().join("run"), cluster.witness().join("go"));
    begin(&cluster, &run, &go);
    await_that(&run, "its shards run", || count(&run, "attempt-started") == 2);
    // What it had in hand when it stood still it ends when it wakes up: the links come right behind these facts.
    await_that(&run, "their logs are linked", || fs::read_dir(run.join("logs")).unwrap().count() == 2);
    assert!(cluster.does("freeze", "login").status.success());
    let taken = on(&cluster, "gpu2", &["recover", "--take-over", word(&run)]);
    assert!(taken.status.success(), "{taken:?}");
    // What is written from now on is written by the old place.
    for machine in ["gpu1", "gpu2"] {
        assert!(cluster.does("freeze", machine).status.success());
    }
    let before = read_files(&run);
    assert!(cluster.does("thaw", "login").status.success());
    await_that(&run, "the old place has left", || living_on(&cluster, "login").is_empty());
    let after = read_files(&run);
    let is_changed = |(path, text): &(&PathBuf, &Vec<u8>)| before.get(*path) != Some(*text);
    let changed: Vec<&PathBuf> = after.iter().filter(is_changed).map(|(path, _)| path).collect();
    assert_eq!(changed, [&run.join("supervisor.log")], "it says why it leaves, and no more");
    for machine in ["gpu1", "gpu2"] {
        assert!(cluster.does("thaw", machine).status.success());
    }
    fs::write(&go, "").unwrap();
    await_that(&run, "the run ends", || judge::has_finished(&run));
    let mut starts: Vec<String> =
        fs::read_to_string(cluster.witness().join("starts")).unwrap().lines().map(str::to_owned).collect();
    starts.sort();
    assert_eq!(starts, ["1 1", "2 1", "3 1", "4 1"], "nothing ran twice");
}

fn begin(cluster: &Cluster, run: &Path, go: &Path) {
    let starts = cluster.witness().join("starts");
    let sweep = format!(
        "name = 'moving'\n[[nodes]]\nkind = 'ssh'\nhosts = ['gpu1']\n[matrix]\nn = [1, 2, 3, 4]\n[shard]\nid = 'n{{{{ n }}}}'\n\
         command = 'echo {{{{ n }}}} $SWEEPDECK_ATTEMPT >> {}; until [ -e {} ]; do sleep 0.05; done'\n\
         [schedule]\nparallel = 2\nlinger = '1s'\n",
        starts.display(),
        go.display()
    );
    let file = cluster.share().join("sweep.toml");
    fs::write(&file, sweep).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_sweepdeck"), cluster.witness().join("sweepdeck")).unwrap();
    let started = on(cluster, "login", &["run", word(&file), "--detach", "--out", word(run)]);
    assert!(started.status.success(), "{started:?}");
}

fn on(cluster: &Cluster, machine: &str, words: &[&str]) -> Output {
    let program = cluster.witness().join("sweepdeck");
    let mut all = vec![program.as_os_str()];
    all.extend(words.iter().map(OsStr::new));
    cluster.on(machine, &all).output().unwrap()
}

/// Processes on a machine that serve a run.
fn living_on(cluster: &Cluster, machine: &str) -> String {
    let list = ["sh", "-c", "grep -alsE 'supervis[e]|spawne[r]' /proc/[0-9]*/cmdline"];
    let output = cluster.on(machine, &list.map(OsStr::new)).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Every file of the run, with the time of the record that carries the beat.
fn read_files(run: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![run.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
                continue;
            }
            // One of the links leads to a folder.
            let Ok(mut text) = fs::read(entry.path()) else { continue };
            text.extend(format!("{:?}", entry.metadata().unwrap().modified()).bytes());
            found.insert(entry.path(), text);
        }
    }
    found
}

fn count(run: &Path, fact: &str) -> usize {
    judge::facts(run).iter().filter(|known| known["fact"] == fact).count()
}

fn word(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn await_that(run: &Path, what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !condition() {
        assert!(Instant::now() < deadline, "waited in vain until {what}; {}", describe_standstill(run));
        std::thread::sleep(Duration::from_millis(50));
    }
}
