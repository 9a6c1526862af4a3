//! A sweep is tried on a machine before it runs: what is measured, what is advised, and what is left behind.

use std::process::Stdio;

use rustix::process::Signal;
use serde_json::Value;

use crate::harness::place::{Ended, Place};
use crate::harness::processes;
use crate::harness::wait::until;

/// Episodes at an even pace, after taking memory of the GPU.
const STEADY: &str = "echo 2 GiB > held/$$; for i in $(seq 1 1000); do echo Episode $i/1000; sleep 0.1; done";

fn sweep(command: &str, more: &str) -> String {
    format!(
        "name = \"tuned\"\n# what matters\n[matrix]\nn = [1, 2, 3, 4, 5, 6]\n[shard]\nid = \"n{{{{ n }}}}\"\n\
         command = \"\"\"\n{command} # {{{{ out }}}}\"\"\"\n[schedule]\nparallel = 6 # a guess\n{more}"
    )
}

/// Trials lie in the place, so that its driver knows their shards and they end with it.
fn autotune(place: &Place, words: &[&str]) -> std::process::Command {
    let mut all = vec!["autotune", "sweep.toml"];
    all.extend(words);
    let mut command = place.command(&all);
    command.env("TMPDIR", place.path()).env_remove("MUJOCO_GL");
    command
}

fn left_behind(place: &Place) -> Vec<String> {
    let names = std::fs::read_dir(place.path()).expect("the place is there");
    let names = names.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("sweepdeck-autotune")).collect()
}

/// No folder at all, and no process but the keeper, which sees the end of its supervisor a moment later.
fn nothing_is_left(place: &Place) {
    assert_eq!(left_behind(place), [] as [&str; 0]);
    until("no process is left", || processes::of(place.path()).is_empty());
}

fn setting<'a>(document: &'a Value, key: &str) -> &'a Value {
    let settings = document["advice"]["settings"].as_array().expect("settings");
    let found =
        settings.iter().find(|setting| setting["path"].as_array().expect("a path").ends_with(&[key.into()]));
    found.map_or(&Value::Null, |setting| &setting["value"])
}

#[test]
fn memory_that_is_free_beside_a_training_decides_and_is_written_into_a_copy() {
    let place = Place::with_gpus("gpu 0\n total 48 GiB\n compute 4194303 39 GiB\n utilization 20\n");
    let source = sweep(STEADY, "[progress]\npreset = \"episode\"\n");
    place.write("sweep.toml", &source);
    let tried = Ended::of(&mut autotune(&place, &["--json", "--write", "tuned.toml"]));
    assert_eq!(tried.code, Some(0), "{tried:?}");
    let document: Value = serde_json::from_str(&tried.stdout).expect("JSON");
    let trial = &document["found"]["trials"][0];
    assert_eq!((&trial["vram"]["bytes"], &trial["gpu_percent"]), (&(2_u64 << 30).into(), &20.0.into()));
    let rate = trial["done_per_s"].as_f64().expect("a rate");
    assert!((2.0..11.0).contains(&rate), "{trial}");
    assert!(trial["is_steady"] == true && trial["rss_bytes"].as_u64() > Some(0), "{trial}");
    // 2 GiB and a margin are 2.4 GiB, of which three fit into the 9 GiB that the training leaves.
    assert_eq!((setting(&document, "parallel"), setting(&document, "vram")), (&3.into(), &"2.4 GiB".into()));
    let written = place.read("tuned.toml").expect("a copy");
    assert!(written.contains("# what matters") && written.contains("parallel = 3 # a guess"), "{written}");
    assert!(written.contains("[progress]\npreset = \"episode\"\n\n[resources]\n"), "{written}");
    assert!(written.contains("vram = \"2.4 GiB\""), "{written}");
    assert_eq!(place.sweepdeck(&["check", "tuned.toml"]).code, Some(0));
    assert_eq!(place.read("sweep.toml").as_deref(), Some(source.as_str()));
    nothing_is_left(&place);
    assert_eq!(place.sweepdeck(&["status"]).code, Some(4), "a trial is no run that anybody looks for");
    let again = Ended::of(&mut autotune(&place, &["--write", "tuned.toml"]));
    assert_eq!(again.code, Some(2), "{again:?}");
}

#[test]
fn the_combo_that_was_measured_is_named_beside_those_with_other_resources() {
    let place = Place::with_gpus("gpu 0\n total 48 GiB\n");
    let resources =
        "[resources]\nvram = \"{{ 20 if n == 6 else 3 }} GiB\"\n[progress]\npreset = \"episode\"\n";
    place.write("sweep.toml", &sweep(STEADY, resources));
    let tried = Ended::of(&mut autotune(&place, &["--shard", "n2", "--write", "tuned.toml"]));
    assert_eq!(tried.code, Some(0), "{tried:?}");
    assert!(tried.stdout.contains("\nmeasured on n2 (n=2)\n"), "{tried:?}");
    assert!(tried.stdout.contains("  n=2 and 4 more  VRAM 3.0 GiB"), "{tried:?}");
    let other =
        tried.stdout.lines().find(|line| line.starts_with("  n=6 ")).expect("a row of the other combo");
    assert_eq!(
        other.split_whitespace().collect::<Vec<_>>()[1..],
        "VRAM 20.0 GiB 2 by what it declares".split(' ').collect::<Vec<_>>()
    );
    assert!(
        tried.stdout.contains("`vram` is a template of the sweep; here \"2.4 GiB\": 2.0 GiB measured"),
        "{tried:?}"
    );
    // What holds for one combo is not written for all of them.
    let written = place.read("tuned.toml").expect("a copy");
    assert!(written.contains("vram = \"{{ 20 if n == 6 else 3 }} GiB\""), "{written}");
}

#[test]
fn more_are_tried_side_by_side_until_memory_ends() {
    let place = Place::with_gpus("gpu 0\n total 48 GiB\n compute 4194303 39 GiB\n");
    place.write("sweep.toml", &sweep(STEADY, ""));
    let tried = Ended::of(&mut autotune(&place, &["--scale", "--json"]));
    assert_eq!(tried.code, Some(0), "{tried:?}");
    let document: Value = serde_json::from_str(&tried.stdout).expect("JSON");
    let trials = document["found"]["trials"].as_array().expect("trials");
    let counts: Vec<u64> = trials.iter().filter_map(|trial| trial["count"].as_u64()).collect();
    assert_eq!(counts, [1, 2, 3], "{document}");
    let stopped = document["found"]["stopped"].as_str().expect("a reason");
    assert!(stopped.starts_with("3 x 2.4 GiB fit into what is free: 9.0 GiB on GPU 0"), "{stopped}");
    assert_eq!(trials[2]["shards"].as_array().map(Vec::len), Some(3));
}

#[test]
fn throughput_that_stops_growing_ends_it_and_the_fewest_are_advised() {
    let place = Place::new();
    // A lock that only one can hold: more side by side are no faster.
    let locked = "for i in $(seq 1 1000); do flock lock sleep 0.4; echo Episode $i/1000; done";
    place.write("sweep.toml", &sweep(locked, ""));
    let tried = Ended::of(&mut autotune(&place, &["--scale"]));
    assert_eq!(tried.code, Some(0), "{tried:?}");
    assert!(tried.stdout.contains("no more were tried: throughput has stopped growing: "), "{tried:?}");
    // On a busy machine the lock changes hands unevenly, and two may look a little faster than one.
    let advised = ["parallel = 1 ", "parallel = 2 "];
    assert!(advised.iter().any(|line| tried.stdout.contains(line)), "{tried:?}");
    assert!(!tried.stdout.contains("vram ="), "without a GPU there is nothing to say of VRAM: {tried:?}");
    assert!(tried.stdout.contains("no GPU: "), "{tried:?}");
}

#[test]
fn an_interrupted_trial_leaves_nothing_behind() {
    let place = Place::new();
    place.write("sweep.toml", &sweep("touch began; exec sleep 600", ""));
    let mut tuning =
        autotune(&place, &[]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    until("the trial runs", || place.read("began").is_some());
    processes::signal(tuning.id(), Signal::INT);
    let code = tuning.wait().expect("it ends").code();
    assert_eq!(code, Some(130));
    nothing_is_left(&place);
}

#[test]
fn a_shard_that_fails_is_told_and_its_log_is_kept() {
    let place = Place::new();
    place.write("sweep.toml", &sweep("echo Episode 1/9; echo ModuleNotFoundError; exit 3", ""));
    let tried = Ended::of(&mut autotune(&place, &["--write", "tuned.toml"]));
    assert_eq!(tried.code, Some(1), "{tried:?}");
    assert!(tried.stdout.contains("n1 failed, last line: ModuleNotFoundError; exit code 3"), "{tried:?}");
    assert!(tried.stderr.contains("the trials are in"), "{tried:?}");
    assert_eq!((left_behind(&place).len(), place.read("tuned.toml")), (1, None));
}

#[test]
fn what_cannot_be_tried_is_refused_before_anything_runs() {
    let place = Place::new();
    place.write("sweep.toml", &sweep("true", ""));
    assert_eq!(Ended::of(&mut autotune(&place, &["--shard", "n9"])).code, Some(4));
    assert_eq!(Ended::of(&mut autotune(&place, &["--for", "soon"])).code, Some(2));
    assert_eq!(
        Ended::of(&mut autotune(&place, &["--most", "3"])).code,
        Some(2),
        "it means nothing without --scale"
    );
    assert_eq!(left_behind(&place), [] as [&str; 0]);
}

/// Many cores, whatever this machine has: only what the driver says decides.
const AUTO: &str = "[matrix]\nn = [1, 2, 3, 4, 5, 6]\n[shard]\nid = \"n{{ n }}\"\n\
    command = \"echo 2 GiB > held/$$; until [ -e go ]; do sleep 0.05; done\"\n\
    [schedule]\nparallel = \"auto\"\n";

#[test]
fn parallel_auto_says_what_it_rests_on_and_a_run_follows_it() {
    let place = Place::with_gpus("gpu 0\n total 48 GiB\n compute 4194303 45 GiB\n");
    place.write("sweep.toml", &format!("{AUTO}[resources]\nvram = \"30 GiB\"\ncpus = 1\n"));
    let checked = place.sweepdeck(&["check", "sweep.toml"]);
    let because = "parallel = \"auto\": 1, because 1 x 30.0 GiB fit into what is free: 48.0 GiB on GPU 0, \
                   once nobody else is there; now 0";
    assert!(checked.stdout.contains(because), "{checked:?}");
    let checked = place.sweepdeck(&["check", "sweep.toml", "--json"]);
    let document: Value = serde_json::from_str(&checked.stdout).expect("JSON");
    assert_eq!(document["parallel"], 1);
    assert!(
        document["parallel_because"].as_str().is_some_and(|why| why.starts_with("1 x 30.0 GiB")),
        "{document}"
    );
    assert_eq!(document["shards_because"], Value::Null);

    place.gpus("gpu 0\n total 48 GiB\n");
    place.write("sweep.toml", &AUTO.replace("\"auto\"", "9"));
    let started = place.sweepdeck(&["run", "sweep.toml", "--parallel", "auto", "--detach", "--out", "r"]);
    assert_eq!(started.code, Some(0), "{started:?}");
    let said =
        started.stderr.lines().find(|line| line.contains("side by side: ")).expect("the reason is said");
    let count: usize = said.split(' ').next().and_then(|word| word.parse().ok()).expect("a number first");
    let run = crate::harness::place::Run { place: &place, dir: place.path().join("r") };
    until("as many run", || run.count("running") == count as u64);
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn parallel_auto_knows_what_an_earlier_tuning_measured() {
    let gpus = "gpu 0\n total 48 GiB\n compute 4194303 45 GiB\n";
    let place = Place::with_gpus(gpus);
    let source = sweep(STEADY, "").replace("parallel = 6 # a guess", "parallel = \"auto\"");
    place.write("sweep.toml", &source);
    let before = place.sweepdeck(&["check", "sweep.toml"]);
    assert!(before.stdout.contains("cores, and a shard says of none"), "{before:?}");
    let tried = Ended::of(&mut autotune(&place, &[]));
    assert_eq!(tried.code, Some(0), "{tried:?}");
    let after = place.sweepdeck(&["check", "sweep.toml"]);
    let because =
        "parallel = \"auto\": 1, because 1 x 2.4 GiB fit into what is free: 3.0 GiB on GPU 0 (autotune of ";
    assert!(after.stdout.contains(because), "{after:?}");
    place.write("sweep.toml", &source.replace("Episode", "Trial"));
    let other = place.sweepdeck(&["check", "sweep.toml"]);
    assert!(!other.stdout.contains("autotune of"), "of another command nothing is known: {other:?}");
}

/// What is advised is what `parallel = "auto"` comes to afterwards, with the sweep as it was and as it is advised.
#[test]
fn parallel_auto_comes_to_what_was_advised() {
    // 20 % of a GPU would do for 5, and memory for 3: more than this machine may have cores.
    let gpus = "gpu 0\n total 48 GiB\n compute 4194303 39 GiB\n utilization 20\n";
    for words in [&[][..], &["--scale"]] {
        let place = Place::with_gpus(gpus);
        let auto = |source: &str| {
            place.write("auto.toml", &source.replace("parallel = 6", "parallel = \"auto\""));
            let checked = place.sweepdeck(&["check", "auto.toml", "--json"]);
            let document: Value = serde_json::from_str(&checked.stdout).expect("JSON");
            (document["parallel"].clone(), document["parallel_because"].to_string())
        };
        let source = sweep(STEADY, "");
        place.write("sweep.toml", &source);
        let words = [words, &["--json", "--write", "tuned.toml"]].concat();
        let tried = Ended::of(&mut autotune(&place, &words));
        assert_eq!(tried.code, Some(0), "{tried:?}");
        let document: Value = serde_json::from_str(&tried.stdout).expect("JSON");
        let advised = setting(&document, "parallel").clone();
        let (count, because) = auto(&source);
        assert_eq!(count, advised, "{because}: {document}");
        assert!(because.contains("(autotune of "), "{because}");
        let written = place.read("tuned.toml").expect("a copy");
        let written = written.replace(&format!("parallel = {advised}"), "parallel = 6");
        assert_eq!(auto(&written).0, advised, "{written}: {document}");
    }
}

#[test]
fn shards_auto_cut_combos_for_those_that_run_side_by_side() {
    let place = Place::new();
    let sweep = |combos: &str, parallel: u32| {
        let text = format!(
            "[matrix]\nn = [{combos}]\n[episodes]\ntotal = 100\nshards = \"auto\"\n\
             [shard]\ncommand = \"true\"\n[schedule]\nparallel = {parallel}\n"
        );
        place.write("sweep.toml", &text);
        let checked = place.sweepdeck(&["check", "sweep.toml", "--json"]);
        let document: Value = serde_json::from_str(&checked.stdout).expect("JSON");
        let because = document["shards_because"].as_str().expect("a reason").to_owned();
        (document["shards"].as_array().map_or(0, Vec::len), because)
    };
    assert_eq!(sweep("1", 6), (6, "each combo is cut into 6, for 6 side by side".to_owned()));
    assert_eq!(sweep("1, 2, 3", 6), (6, "each combo is cut into 2, for 6 side by side".to_owned()));
    assert_eq!(sweep("1, 2, 3, 4, 5, 6", 6), (6, "combos stay whole, for 6 side by side".to_owned()));
}

#[test]
fn the_smallest_of_the_fastest_batch_sizes_is_advised_and_scaled() {
    let place = Place::new();
    // Two at once are twice as fast as one; more are no faster.
    let paced = "for i in $(seq 1 1000); do sleep {% if batch_size == 1 %}0.5{% else %}0.25{% endif %}; echo Episode $i/1000; done";
    let source = sweep(paced, "").replace("n = [1, 2, 3, 4, 5, 6]", "batch_size = [4, 1, 2]");
    place.write("sweep.toml", &source.replace("n{{ n }}", "b{{ batch_size }}"));
    let tried = Ended::of(&mut autotune(&place, &["--scale", "--most", "1"]));
    assert_eq!(tried.code, Some(0), "{tried:?}");
    assert!(tried.stdout.contains("[matrix]\nbatch_size = [2]"), "{tried:?}");
    assert!(tried.stdout.contains("alone, by batch_size:"), "{tried:?}");
}

/// A program that works through batches: one of 8 takes 4.5 times as long as one of 1, and does 8 times as much.
fn batched(says: &str, more: &str) -> String {
    format!(
        "name = \"batched\"\n[matrix]\nbatch_size = [1, 8]\n[shard]\ncommand = \"\"\"\n\
         case {{{{ batch_size }}}} in 1) pause=0.2;; 8) pause=0.9;; esac\n\
         for i in $(seq 1 1000); do sleep $pause; {says}; done # {{{{ out }}}}\"\"\"\n{more}"
    )
}

fn tuned(place: &Place, source: &str) -> Value {
    place.write("sweep.toml", source);
    let tried = Ended::of(&mut autotune(place, &["--scale", "--most", "1", "--for", "20s", "--json"]));
    assert_eq!(tried.code, Some(0), "{tried:?}");
    serde_json::from_str(&tried.stdout).expect("JSON")
}

fn reason<'a>(document: &'a Value, key: &str) -> &'a str {
    let settings = document["advice"]["settings"].as_array().expect("settings");
    let found = settings.iter().find(|setting| setting["path"][1] == key).expect("it is advised");
    found["because"].as_str().expect("a reason")
}

#[test]
fn the_batch_that_does_the_most_work_is_advised_though_each_takes_longer() {
    let document = tuned(&Place::new(), &batched("echo Batch $i/1000", ""));
    assert_eq!(setting(&document, "batch_size"), "[8]", "{document}");
    assert!(reason(&document, "batch_size").ends_with(" batch_size x batches/s"), "{document}");
    let episodes = batched("echo Batch $i/1000 done, episodes=$((i * {{ batch_size }}))", EPISODES);
    let document = tuned(&Place::new(), &episodes);
    assert_eq!(setting(&document, "batch_size"), "[8]", "{document}");
    assert!(reason(&document, "batch_size").ends_with(" episodes/s"), "{document}");
}

/// What a program can be made to say of its work.
const EPISODES: &str = "[[metric]]\nname = \"episodes\"\npattern = 'episodes=(?<value>\\d+)'\n";

#[test]
fn what_may_be_a_batch_or_a_step_of_one_environment_is_not_advised() {
    let document = tuned(&Place::new(), &batched("echo Step $i/1000", ""));
    assert_eq!(setting(&document, "batch_size"), &Value::Null, "{document}");
    let unknown = document["advice"]["unknown"].to_string();
    assert!(unknown.contains("batch_size: the log counts steps, which may hold more work"), "{unknown}");
    assert!(unknown.contains("`episodes`, `env_steps` or `samples`"), "{unknown}");
}
