//! Shards get the memory that the machine really has: beside a training, beside another run, and as it changes.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use crate::harness::place::{Place, Run};
use crate::harness::wait::until;

const GIB: u64 = 1 << 30;

/// One GPU with a training on it; shards hold what they write into `held/PID`.
fn gpu(total: u32, training: u32) -> String {
    format!("gpu 0\n total {total} GiB\n compute 4194303 {training} GiB\n")
}

/// The most attempts that were on one GPU at a time, by the journal, and how many there were in all.
fn crowd(journal: &str) -> (usize, usize) {
    let mut on: BTreeMap<u64, usize> = BTreeMap::new();
    let mut gpu_of: BTreeMap<String, u64> = BTreeMap::new();
    let (mut most, mut starts) = (0, 0);
    for line in journal.lines() {
        let fact: Value = serde_json::from_str(line).expect("a line of the journal");
        let shard = || fact["shard"].as_str().expect("a shard").to_owned();
        match fact["fact"].as_str() {
            Some("attempt-starting") => {
                let gpu = fact["gpus"][0].as_u64().expect("a GPU");
                let tenants = on.entry(gpu).or_default();
                *tenants += 1;
                (most, starts) = (most.max(*tenants), starts + 1);
                gpu_of.insert(shard(), gpu);
            }
            Some("attempt-ended") => {
                if let Some(gpu) = gpu_of.remove(&shard()) {
                    *on.entry(gpu).or_default() -= 1;
                }
            }
            Some(_) | None => {}
        }
    }
    (most, starts)
}

/// Starts shards of 9 GiB on cards on which two of them fit, with a driver that is slow at every call.
fn start_many(shards: u32) {
    let cards: String = (0..6).map(|gpu| format!("gpu {gpu}\n total 24 GiB\n")).collect();
    let place = Place::with_gpus(&format!("{cards}delay 2\n"));
    let numbers: Vec<String> = (1..=shards).map(|number| number.to_string()).collect();
    let (ended, run) = place.run_headless(&format!(
        "[matrix]\nn = [{}]\n[shard]\nid = 'n{{{{ n }}}}'\ncommand = '''\nsleep 0.0$((RANDOM % 9))\n\
         echo 9 GiB > held/$$\nsleep 0.0$((RANDOM % 9))\nrm held/$$'''\n\
         [resources]\nvram = '9 GiB'\n[schedule]\nparallel = 24\nreserve_vram = '4 GiB'\n",
        numbers.join(", ")
    ));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let journal = fs::read_to_string(run.dir.join("journal.jsonl")).expect("a journal");
    assert_eq!(crowd(&journal), (2, shards as usize));
}

#[test]
fn no_card_is_promised_twice_however_slow_the_driver_is() {
    start_many(240);
}

#[test]
#[ignore = "it takes a minute; 240 starts are always made"]
fn a_thousand_starts_promise_no_card_twice() {
    start_many(1000);
}

/// Shards that take their memory, tell who runs, and end when they may.
fn sweep(shards: u32, vram: &str, takes: &str) -> String {
    let numbers: Vec<String> = (1..=shards).map(|number| number.to_string()).collect();
    format!(
        "name = \"admission\"\n[matrix]\nn = [{}]\n[shard]\nid = \"n{{{{ n }}}}\"\ncommand = \"\"\"\n\
         echo $$ >> started\n{takes}\nuntil [ -e go-$SWEEPDECK_SHARD ] || [ -e go-all ]; do sleep 0.05; done\"\"\"\n\
         [resources]\nvram = \"{vram}\"\n[schedule]\nparallel = {shards}\n",
        numbers.join(", ")
    )
}

/// A line of the command that takes so much.
fn hold(gib: u32) -> String {
    format!("echo {gib} GiB > held/$$")
}

fn running(run: &Run<'_>) -> u64 {
    run.count("running")
}

fn reason(run: &Run<'_>, shard: &str) -> String {
    run.shard(shard)["waiting"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn eight_shards_beside_a_training_start_at_once_where_they_fit() {
    let place = Place::with_gpus(&gpu(96, 39));
    let run = place.start(&sweep(8, "2 GiB", &hold(2)));
    until("all run", || running(&run) == 8);
    place.write("go-all", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn on_a_smaller_card_the_rest_wait_with_the_reason_and_follow() {
    let place = Place::with_gpus(&gpu(48, 39));
    let run = place.start(&sweep(8, "2 GiB", &hold(2)));
    until("as many run as fit", || running(&run) == 4);
    until("the rest say why not", || {
        let reason = reason(&run, "n5");
        reason.starts_with("needs 2.0 GiB on one GPU; GPU 0 has 1.0 GiB free")
            && reason.ends_with("process 4194303 holds 39.0 GiB")
    });
    assert!(run.does("status", &[]).stdout.contains("n8     queued"), "status is aligned as before");
    place.write("go-n1", "");
    until("one follows", || run.count("succeeded") == 1 && running(&run) == 4);
    assert_eq!(run.count("queued"), 3);
    place.write("go-all", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn memory_that_others_take_stops_admission_and_what_they_give_back_is_used() {
    let place = Place::with_gpus(&gpu(48, 8));
    let run = place.start(&sweep(6, "10 GiB", &hold(10)));
    until("as many run as fit", || running(&run) == 4);
    until("they hold what they were promised", || {
        (1..=4).all(|number| run.shard(&format!("n{number}"))["vram_bytes"] == 10 * GIB)
    });
    place.gpus(&gpu(48, 18));
    place.write("go-n1", "");
    until("one has ended", || run.count("succeeded") == 1);
    until("nobody follows, because the training has grown", || {
        reason(&run, "n5").contains("process 4194303 holds 18.0 GiB")
    });
    assert_eq!(running(&run), 3);
    place.gpus(&gpu(48, 5));
    until("there is room again", || running(&run) == 4);
    place.write("go-all", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn two_runs_that_start_at_the_same_moment_never_overcommit_a_gpu() {
    let place = Place::with_gpus("gpu 0\n total 48 GiB\n");
    // What they were promised is taken late, so that nothing but the promises can hold the other run back.
    let lazy = sweep(6, "10 GiB", "sleep 2; echo 10 GiB > held/$$");
    place.write("sweep.toml", &lazy);
    let start = |folder: &str| {
        let words = ["run", "sweep.toml", "--detach", "--out", folder];
        place.command(&words).stdout(std::process::Stdio::null()).spawn().expect("the program starts")
    };
    let mut starts = [start("r1"), start("r2")];
    starts.iter_mut().for_each(|start| assert!(start.wait().expect("it ends").success()));
    let runs = ["r1", "r2"].map(|folder| Run { place: &place, dir: place.path().join(folder) });
    let both = |phase: &str| runs.iter().map(|run| run.count(phase)).sum::<u64>();
    until("the card is promised", || both("running") == 4);
    until("the others wait for it", || {
        runs.iter().all(|run| reason(run, "n6").starts_with("needs 10.0 GiB on one GPU; GPU 0 has"))
    });
    let started = || fs::read_to_string(place.path().join("started")).unwrap_or_default().lines().count();
    assert_eq!((started(), both("queued")), (4, 8));
    place.write("go-all", "");
    for run in &runs {
        assert_eq!(run.wait(), Some(0));
    }
    assert_eq!(started(), 12);
}

#[test]
fn a_run_without_gpus_goes_on_when_another_one_gives_back_its_cores() {
    let (place, other) = (Place::new(), Place::new());
    let cores = std::thread::available_parallelism().expect("a machine has cores");
    let sweep = |name: &str, command: &str| {
        format!(
            "name = \"{name}\"\n[shard]\nid = \"a\"\ncommand = \"{command}\"\n[resources]\ngpus = 0\ncpus = {cores}\n"
        )
    };
    let first = place.start(&sweep("first", "until [ -e go ]; do sleep 0.05; done"));
    until("the first one has all cores", || running(&first) == 1);
    let second = other.start(&sweep("second", "true"));
    until("the second one waits for them", || reason(&second, "a").contains("are promised"));
    place.write("go", "");
    assert_eq!((first.wait(), second.wait()), (Some(0), Some(0)));
}

#[test]
fn a_footprint_that_is_not_declared_is_measured_on_the_first_shard_alone() {
    let place = Place::with_gpus("gpu 0\n total 40 GiB\n");
    let takes = format!("{}; echo Episode 1/1", hold(10));
    let run = place.start(&sweep(5, "auto", &takes));
    until("the first runs alone", || running(&run) == 1);
    until("the others wait for what it takes", || {
        reason(&run, "n2") == "waits until the VRAM of n1 is measured"
    });
    // 10 GiB of the first, and for each of the others a quarter more and a little.
    until("as many join it as have room with a margin", || running(&run) == 3);
    until("the rest say how much they need", || reason(&run, "n4").starts_with("needs 12.6 GiB on one GPU"));
    place.write("go-all", "");
    assert_eq!(run.wait(), Some(0));
}
