//! Runs beside GPUs of a stand-in driver: what real processes hold and what becomes of it.

use rustix::process::Signal;

use crate::harness::place::Place;
use crate::harness::processes;
use crate::harness::wait::until;

const GIB: u64 = 1 << 30;

#[test]
fn eight_shards_beside_a_training_are_told_apart_by_their_memory() {
    let machine =
        |training: &str| format!("gpu 0\n total 96 GiB\n compute 4194303 {training}\nshards 2 GiB\n");
    let place = Place::with_gpus(&machine("39 GiB"));
    let run = place.start(
        "[matrix]\nn = [1, 2, 3, 4, 5, 6, 7, 8]\n[shard]\nid = 'n{{ n }}'\ncommand = 'exec sleep 600'\n[schedule]\nparallel = 8\n",
    );
    until("every shard has its memory", || {
        run.status()["shards"].as_array().is_some_and(|shards| {
            shards.iter().all(|shard| shard["vram_bytes"] == 2 * GIB && shard["gpus"][0] == 0)
        })
    });
    until("their sum stands beside the training", || run.status()["gpus"][0]["vram_used_bytes"] == 55 * GIB);
    place.gpus(&machine("40 GiB"));
    until("the training has grown", || run.status()["gpus"][0]["vram_used_bytes"] == 56 * GIB);
    run.does("kill", &["n1"]);
    until("a killed shard gives its memory back", || run.status()["gpus"][0]["vram_used_bytes"] == 54 * GIB);
    run.does("stop", &["--now"]);
}

#[test]
fn a_machine_in_mig_mode_is_refused_before_anything_starts() {
    let place = Place::with_gpus("gpu 0\n mig on\n");
    place.write("sweep.toml", "[shard]\ncommand = 'true'\n[resources]\ngpus = 1\n");
    for verb in [&["check", "sweep.toml"][..], &["run", "sweep.toml", "--headless", "--out", "r"]] {
        let refused = place.sweepdeck(verb);
        assert_eq!(refused.code, Some(3), "{refused:?}");
        assert!(
            refused.stderr.contains("GPU 0 is in MIG mode, which sweepdeck cannot schedule"),
            "{refused:?}"
        );
    }
    assert!(!place.path().join("r").exists());
}

/// Two GPUs: the first as it is said, the second well.
fn beside(first: &str) -> String {
    format!("gpu 0\n power 100\n {first}\ngpu 1\n power 200\n events yes\nshards 2 GiB\n")
}

#[test]
fn a_gpu_that_is_lost_is_told_everywhere_and_the_other_goes_on() {
    let place = Place::with_gpus(&beside("power 100"));
    let run = place.start(
        "[matrix]\nn = [1, 2]\n[shard]\nid = 'n{{ n }}'\ncommand = 'until [ -e go ]; do sleep 0.1; done'\n[schedule]\nparallel = 2\n",
    );
    ["n1", "n2"].iter().for_each(|shard| run.until_phase(shard, "running"));
    // Those of a node come behind those of the machine of the run.
    let gpu = |number: usize| {
        let all = run.status()["gpus"].as_array().cloned().unwrap_or_default();
        all.len().checked_sub(2).map(|first| all[first + number].clone()).unwrap_or_default()
    };
    until("both GPUs are read", || gpu(0)["power_w"] == 100.0 && gpu(1)["power_w"] == 200.0);
    assert_eq!(gpu(0)["faults"].as_array().map(Vec::len), Some(0));
    place.gpus(&beside("answer lost").replace("events yes", "events yes\n xid 31"));
    until("the status says so", || gpu(0)["faults"][0].as_str().is_some_and(|text| text.contains("is lost")));
    until("its figures are unknown", || gpu(0)["power_w"].is_null());
    until("the other has told its error", || {
        gpu(1)["faults"][0].as_str().is_some_and(|text| text.contains("Xid 31"))
    });
    until("the other is read on", || gpu(1)["power_w"] == 200.0);
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
    until("the supervisor leaves, though the GPUs go on", || run.supervisor().is_none());
    let journal = place.read("r/journal.jsonl").expect("a journal");
    assert!(journal.contains("GPU 0 is lost: it fell off the bus"), "{journal}");
    assert!(journal.contains("GPU 1: Xid 31: a program touched GPU memory that is not its own"), "{journal}");
    let ends: Vec<&str> = journal.lines().filter(|line| line.contains("attempt-ended")).collect();
    for end in ends {
        let of_first = end.contains("GPU 0 is lost");
        assert_ne!(of_first, end.contains("Xid 31"), "each shard is warned of its own GPU: {end}");
    }
}

#[test]
fn a_gpu_that_hangs_is_stale_while_the_other_and_everything_else_go_on() {
    let place = Place::with_gpus(&beside("power 100"));
    let run = place.start("[shard]\ncommand = 'until [ -e go ]; do sleep 0.1; done'\n");
    let gpu = |number: usize| run.status()["gpus"][number].clone();
    until("both GPUs are read", || gpu(0)["power_w"] == 100.0 && gpu(1)["power_w"] == 200.0);
    place.gpus(&beside("answer hang").replace("200", "250"));
    until("it counts as silent", || {
        gpu(0)["faults"][0].as_str().is_some_and(|text| text.contains("does not answer"))
    });
    until("its figures are unknown", || gpu(0)["power_w"].is_null());
    until("the other is read on", || gpu(1)["power_w"] == 250.0);
    place.gpus(&beside("power 100"));
    until("it is back", || {
        gpu(0)["power_w"] == 100.0 && gpu(0)["faults"].as_array().is_some_and(Vec::is_empty)
    });
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
    let journal = place.read("r/journal.jsonl").expect("a journal");
    assert!(journal.contains("GPU 0 answers again"), "{journal}");
}

#[test]
fn the_energy_of_a_gpu_is_divided_among_its_tenants_also_over_the_death_of_a_supervisor() {
    let machine = |joules: u32, others: &str| format!("gpu 0\n energy {joules}\n{others}shards 2 GiB\n");
    let place = Place::with_gpus(&machine(1000, " power 100\n"));
    let run = place.start(
        "[matrix]\nn = [1, 2]\n[shard]\nid = 'n{{ n }}'\ncommand = 'until [ -e go ]; do sleep 0.1; done'\n[schedule]\nparallel = 2\n",
    );
    let energy = |joules: f64| ["n1", "n2"].iter().all(|shard| run.shard(shard)["energy_j"] == joules);
    until("it is measured", || energy(0.0));
    // That sample may have been begun before the second attempt was there for the whole of an interval.
    place.gpus(&machine(1000, " power 150\n"));
    until("a whole interval is measured", || run.status()["gpus"][0]["power_w"] == 150.0);
    place.gpus(&machine(1600, ""));
    until("two have a half each", || energy(300.0));
    let supervisor = run.supervisor().expect("it lives");
    processes::signal(supervisor, Signal::KILL);
    place.gpus(&machine(2200, ""));
    until("the next one goes on", || run.supervisor().is_some_and(|pid| pid != supervisor) && energy(600.0));
    // One sample may read the energy before a change of the machine and the processes after it, or the other way round.
    let stranger = " compute 4194303 1 GiB\n";
    place.gpus(&machine(2200, stranger));
    until("the stranger is seen", || run.status()["gpus"][0]["vram_used_bytes"] == 5_u64 << 30);
    place.gpus(&machine(2800, stranger));
    until("a stranger has a third", || energy(800.0));
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
    let table = place.read("r/results/combined_results.csv").expect("results");
    let mut lines = table.lines();
    assert!(lines.next().is_some_and(|header| {
        header.trim_end_matches(",node").ends_with(",energy_j,energy_shared,throttled_percent")
    }));
    assert!(lines.all(|line| line.contains(",800.0,true,")), "{table}");
}

#[test]
fn a_gpu_that_hangs_from_the_start_holds_up_neither_check_nor_run() {
    let place = Place::with_gpus("gpu 0\n answer hang\ngpu 1\n power 200\n");
    place.write("sweep.toml", "[shard]\ncommand = 'true'\n[resources]\ngpus = 1\n");
    let check = place.sweepdeck(&["check", "sweep.toml"]);
    assert_eq!(check.code, Some(0), "{check:?}");
    assert!(check.stderr.contains("warning: gpu: GPU 0 does not answer"), "{check:?}");
    let run = place.start("[shard]\ncommand = 'until [ -e go ]; do sleep 0.1; done'\n");
    until("the other GPU is read", || run.status()["gpus"][1]["power_w"] == 200.0);
    assert!(run.status()["gpus"][0]["power_w"].is_null());
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
}

/// Two GPUs, and shards that stay on the second one, whatever they are given.
const STRAYS: &str = "gpu 0\n total 48 GiB\ngpu 1\n total 48 GiB\n";

#[test]
fn a_shard_on_another_gpu_than_its_own_is_told_while_it_runs_and_beside_the_verdict() {
    let place = Place::with_gpus(STRAYS);
    let run = place.start(
        "[shard]\nid = 'stray'\ncommand = 'echo $CUDA_VISIBLE_DEVICES > given; export CUDA_VISIBLE_DEVICES=1; \
         exec bash -c \"echo 1 GiB > held/\\$\\$; until [ -e go ]; do sleep 0.1; done\"'\n",
    );
    let warning = || run.shard("stray")["warnings"][0].as_str().unwrap_or_default().to_owned();
    until("it is told", || warning() == "it computes or renders on GPU 1, and was given GPU 0");
    let shown = run.does("status", &[]).stdout;
    assert!(shown.contains("it computes or renders on GPU 1, and was given GPU 0"), "{shown}");
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
    assert_eq!(warning(), "it computes or renders on GPU 1, and was given GPU 0");
}

#[test]
fn a_shard_that_draws_on_the_processor_although_it_has_a_gpu_is_told() {
    let place = Place::with_gpus(STRAYS);
    let run = place.start(
        "[matrix]\nrenderer = ['llvmpipe', 'NVIDIA']\n[shard]\nid = '{{ renderer }}'\n\
         command = 'echo OpenGL renderer: {{ renderer }}; n=0; until [ -e go ]; do n=$((n+1)); echo Episode $n/1000; sleep 0.2; done'\n\
         [progress]\ndone = 'Episode (?<done>\\d+)'\n[schedule]\nparallel = 2\n",
    );
    let warnings = |shard: &str| run.shard(shard)["warnings"].as_array().cloned().unwrap_or_default();
    until("it is told", || {
        let told = warnings("llvmpipe");
        told.first().and_then(serde_json::Value::as_str).is_some_and(|text| {
            text.starts_with("it renders on the processor: its log names llvmpipe, and it is not on GPU ")
        })
    });
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
    assert_eq!((warnings("llvmpipe").len(), warnings("NVIDIA").len()), (1, 0), "{}", run.status());
}
