//! A run stays within the cores and the memory that its start was given, and `check` says so before.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};

use rustix::process::Signal;
use serde_json::Value;

use crate::harness::place::{Ended, PROGRAM, Place, Run};
use crate::harness::processes;
use crate::harness::wait::until;

/// Shards that end when they may.
fn sweep(shards: usize, resources: &str) -> String {
    let numbers: Vec<String> = (1..=shards).map(|number| number.to_string()).collect();
    format!(
        "[matrix]\nn = [{}]\n[shard]\nid = 'n{{{{ n }}}}'\n\
         command = 'until [ -e go ]; do sleep 0.05; done'\n\
         [resources]\ngpus = 0\n{resources}\n[schedule]\nparallel = {shards}\n",
        numbers.join(", ")
    )
}

fn allowed(pid: u32) -> String {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    line.unwrap_or_default().trim().to_owned()
}

/// The cores of this test.
fn cores() -> BTreeSet<u32> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        first.parse().expect("a core")..=last.parse::<u32>().expect("a core")
    };
    allowed(std::process::id()).split(',').flat_map(range).collect()
}

/// The program behind another one that restricts it, such as `taskset`.
fn behind(place: &Place, before: &[&str], words: &[&str]) -> Ended {
    let mut command = Command::new(before[0]);
    command
        .args(&before[1..])
        .arg(PROGRAM)
        .args(words)
        .current_dir(place.path())
        .env("XDG_STATE_HOME", place.path().join("state"))
        .env("XDG_CONFIG_HOME", place.path().join("config"))
        .stdin(Stdio::null());
    Ended::of(&mut command)
}

fn waiting(run: &Run<'_>, shard: &str) -> String {
    run.shard(shard)["waiting"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn the_affinity_of_the_start_holds_for_check_for_admission_and_for_later_supervisors() {
    let all = cores();
    let (Some(first), Some(last)) = (all.first(), all.last().filter(|_| all.len() > 1)) else {
        return;
    };
    let place = Place::new();
    place.write("sweep.toml", &sweep(3, "cpus = 1"));
    let only = last.to_string();
    let mask = ["taskset", "-c", only.as_str()];
    let check = behind(&place, &mask, &["check", "sweep.toml"]);
    assert_eq!(check.code, Some(0), "{check:?}");
    assert!(check.stderr.contains("note: cores: 1 core of "), "{check:?}");
    assert!(check.stderr.contains(&format!(" is used (affinity {only}")), "{check:?}");
    assert!(check.stdout.contains("cores (1): 1 x 1 claimed, 0 left"), "{check:?}");
    let document = behind(&place, &mask, &["check", "sweep.toml", "--json"]);
    let document: Value = serde_json::from_str(&document.stdout).expect("JSON");
    assert_eq!(document["host"]["cores"], 1);

    let started = behind(&place, &mask, &["run", "sweep.toml", "--detach", "--out", "r"]);
    assert_eq!(started.code, Some(0), "{started:?}");
    let run = Run { place: &place, dir: place.path().join("r") };
    until("one runs and the others wait for the core", || {
        run.count("running") == 1 && waiting(&run, "n2").contains("1 of 1 are promised")
    });
    // Nothing of the run is left that could hand its mask on, and the next verb has another one.
    run.does("stop", &["--now"]);
    until("its supervisor has left", || run.supervisor().is_none());
    let recovered = behind(&place, &["taskset", "-c", &first.to_string()], &["recover", run.word()]);
    assert_eq!(recovered.code, Some(0), "{recovered:?}");
    until("it goes on with one", || run.count("running") == 1);
    assert_eq!(allowed(run.supervisor().expect("it lives")), only);
    let shard = run.shard("n1")["pid"].as_u64().or_else(|| run.shard("n2")["pid"].as_u64());
    assert_eq!(allowed(u32::try_from(shard.expect("it runs")).expect("a pid")), only);
    let supervisor = run.supervisor().expect("it lives");
    processes::signal(supervisor, Signal::KILL);
    until("another one supervises", || run.supervisor().is_some_and(|pid| pid != supervisor));
    until("with the same core", || run.supervisor().is_some_and(|pid| allowed(pid) == only));
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
}

/// The folder of control groups as it would be with limits for our group and the one above it: `files` are for our group
/// with `true`, and for the top with `false`.
fn groups(place: &Place) -> Option<String> {
    let own = fs::read_to_string("/proc/self/cgroup").ok()?;
    let line = |controller: &str| {
        let mut fields = own.lines().filter_map(|line| line.split_once(':')?.1.split_once(':'));
        fields.find(|(controllers, _)| controllers.split(',').any(|one| one == controller))
    };
    let write = |folder: &str, file: &str, text: &str| {
        place.write(&format!("groups/{folder}/{file}"), text);
    };
    const MIB: u64 = 1 << 20;
    match (line("memory"), line("cpu"), line("")) {
        (Some((_, memory)), Some((_, cpu)), _) => {
            write(&format!("memory/{memory}"), "memory.limit_in_bytes", &(900 * MIB).to_string());
            write("memory", "memory.limit_in_bytes", &(100 * MIB).to_string());
            write("memory", "memory.usage_in_bytes", "0");
            write(&format!("cpu/{cpu}"), "cpu.cfs_quota_us", "100000");
            write(&format!("cpu/{cpu}"), "cpu.cfs_period_us", "100000");
        }
        (None, _, Some((_, path))) => {
            write(path, "memory.max", "max");
            write(path, "cpu.max", "100000 100000");
            write("", "memory.max", &(100 * MIB).to_string());
            write("", "memory.current", "0");
        }
        (_, _, _) => return None,
    }
    Some(place.path().join("groups").display().to_string())
}

#[test]
fn the_smallest_limit_of_all_control_groups_above_bounds_the_run() {
    let place = Place::new();
    let Some(groups) = groups(&place) else { return };
    let mount = format!("mount --bind {groups} /sys/fs/cgroup && exec \"$@\"");
    let inside = ["unshare", "-Urm", "sh", "-c", mount.as_str(), "sh"];
    let can_mount = Command::new("unshare").args(["-Urm", "sh", "-c", &mount, "sh", "true"]).output();
    if !can_mount.is_ok_and(|output| output.status.success()) {
        // A machine without namespaces of users: what is read of such files is tested without them too.
        return;
    }
    place.write("sweep.toml", &sweep(4, "cpus = 1\nram = '40 MiB'"));
    let check = behind(&place, &inside, &["check", "sweep.toml"]);
    assert_eq!(check.code, Some(0), "{check:?}");
    assert!(check.stderr.contains("note: memory: 100.0 MiB of "), "{check:?}");
    assert!(check.stderr.contains(": 1.0 cores"), "{check:?}");
    place.write("sweep.toml", &sweep(4, "ram = '40 MiB'"));
    let started = behind(&place, &inside, &["run", "sweep.toml", "--detach", "--out", "r"]);
    assert_eq!(started.code, Some(0), "{started:?}");
    let run = Run { place: &place, dir: place.path().join("r") };
    until("two run and the others wait for memory", || {
        run.count("running") == 2
            && waiting(&run, "n3").starts_with("needs 40.0 MiB of memory; 100.0 MiB is free")
    });
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn check_shows_the_budget_of_each_gpu_before_the_start() {
    let place = Place::with_gpus("gpu 0\n total 80 GiB\n compute 4194303 39 GiB\ngpu 1\n total 16 GiB\n");
    let sweep = |vram: &str| {
        format!(
            "[matrix]\nn = [1, 2, 3, 4, 5, 6, 7, 8]\n[shard]\nid = 'n{{{{ n }}}}'\ncommand = 'true'\n\
             [resources]\nvram = '{vram}'\ndevices = [0]\n[schedule]\nparallel = 8\nstagger = '5s'\n"
        )
    };
    place.write("sweep.toml", &sweep("2 GiB"));
    let check = place.sweepdeck(&["check", "sweep.toml"]);
    assert_eq!(check.code, Some(0), "{check:?}");
    assert!(
        check.stdout.contains("GPU 0 (80.0 GiB): 39.0 in use, 8 x 2.0 claimed, 25.0 left\n"),
        "{check:?}"
    );
    assert!(check.stdout.contains("GPU 1 (16.0 GiB): no shards, not chosen for this run\n"), "{check:?}");
    place.write("sweep.toml", &sweep("12 GiB"));
    let check = place.sweepdeck(&["check", "sweep.toml"]);
    assert!(
        check.stdout.contains("GPU 0 (80.0 GiB): 39.0 in use, 3 x 12.0 claimed, 5.0 left\n")
            && check.stdout.contains("3 of 8 start at once; the next one needs 12.0 GiB on one GPU"),
        "{check:?}"
    );
    let document = place.sweepdeck(&["check", "sweep.toml", "--json"]);
    let document: Value = serde_json::from_str(&document.stdout).expect("JSON");
    assert_eq!(document["budget"]["starts"], 3);
    assert_eq!(document["budget"]["gpus"][0]["left_bytes"], 5_u64 << 30);
}
