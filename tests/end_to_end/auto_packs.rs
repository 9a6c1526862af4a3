//! Packs whose size is found by trying: few attempts, each value once, and nothing to try in the next run.

use rustix::process::Signal;

use crate::harness::place::Place;
use crate::harness::processes;
use crate::harness::wait::until;

/// Four combos of eight rewards each; two of them fit into the memory of a process.
fn sweep(size: &str) -> String {
    format!(
        r#"
name = "sizes"
[matrix]
obs = ["a", "b", "c", "d"]
reward = "0..8"
[shard]
id = "{{{{ obs }}}}"
command = """
if [ {{{{ pack.count }}}} -gt 2 ]; then echo 'torch.OutOfMemoryError: CUDA out of memory.'; exit 1; fi
for value in {{{{ pack.values | join(" ") | safe }}}}; do echo {{{{ obs }}}} $value >> ran; done"""
[pack]
axis = "reward"
size = {size}
[resources]
vram = "2 GiB"
[schedule]
parallel = 2
"#
    )
}

fn attempts(place: &Place, folder: &str) -> usize {
    let ended = place.sweepdeck(&["run", "sweep.toml", "--headless", "--out", folder]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let journal = place.read(&format!("{folder}/journal.jsonl")).expect("a journal");
    journal.lines().filter(|line| line.contains("\"attempt-starting\"")).count()
}

/// Each reward of each combo ran so many times.
fn assert_ran(place: &Place, times: usize) {
    let ran = place.read("ran").expect("values");
    let mut ran: Vec<&str> = ran.lines().collect();
    ran.sort_unstable();
    let all = ["a", "b", "c", "d"].iter().flat_map(|obs| (0..8).map(move |reward| format!("{obs} {reward}")));
    let expected: Vec<String> = all.flat_map(|one| vec![one; times]).collect();
    assert_eq!(ran, expected);
}

#[test]
fn combos_learn_from_one_another_how_many_values_fit() {
    let place = Place::with_gpus("gpu 0\n total 24 GiB\n");
    place.write("sweep.toml", &sweep("8"));
    // Each slot may be at work with a size when the other one sees that it is too large: 2 of eight values, 2 of four.
    let first = attempts(&place, "r1");
    assert!(first <= 20, "{first} attempts for 16 shards");
    assert_eq!(attempts(&place, "r2"), 16);
    assert_ran(&place, 2);
}

#[test]
fn a_size_that_is_left_to_what_fits_is_tried_by_one_pack_at_a_time() {
    let place = Place::with_gpus("gpu 0\n total 24 GiB\n");
    place.write("sweep.toml", &sweep("\"auto\""));
    let check = place.sweepdeck(&["check", "sweep.toml"]).stdout;
    assert!(check.contains("size = \"auto\": a pack starts with as many values of reward as fit"), "{check}");
    // One try with eight values and one with four.
    assert_eq!(attempts(&place, "r1"), 18);
    assert_eq!(attempts(&place, "r2"), 16);
    assert_ran(&place, 2);
    let check = place.sweepdeck(&["check", "sweep.toml"]).stdout;
    assert!(check.contains("packs of 4 values do not fit, packs of 2 values fit"), "{check}");
}

#[test]
fn a_supervisor_that_takes_over_knows_the_sizes_and_who_waits_says_why() {
    let place = Place::with_gpus("gpu 0\n total 24 GiB\n");
    let gated = sweep("\"auto\"").replace("\nfor value", "\nuntil [ -e go ]; do sleep 0.05; done\nfor value");
    let run = place.start(&gated);
    until("two values run, and others wait for them", || {
        let status = run.status();
        let waits = status["shards"].as_array().expect("shards").iter().any(|shard| {
            let waits = shard["waiting"].as_str().unwrap_or_default();
            waits.contains("waits to see whether 2 values fit in")
        });
        run.count("running") == 1 && waits
    });
    let supervisor = run.supervisor().expect("a supervisor");
    processes::signal(supervisor, Signal::KILL);
    until("another one has taken over", || run.supervisor().is_some_and(|new| new != supervisor));
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
    let journal = place.read("r/journal.jsonl").expect("a journal");
    assert_eq!(journal.lines().filter(|line| line.contains("\"attempt-starting\"")).count(), 18);
    assert_ran(&place, 1);
}

#[test]
fn what_a_pack_cannot_be_cut_by_is_refused() {
    let place = Place::new();
    place.write("sweep.toml", &(sweep("\"auto\"") + "on_oom = \"fail\"\n"));
    let refused = place.sweepdeck(&["check", "sweep.toml"]);
    assert!(refused.stderr.contains("`on_oom` never splits one"), "{refused:?}");
    place.write(
        "sweep.toml",
        &sweep("\"auto\"").replace("id = \"{{ obs }}", "id = \"{{ obs }}_{{ pack.count }}"),
    );
    let refused = place.sweepdeck(&["check", "sweep.toml"]);
    assert!(refused.stderr.contains("`pack.count` is not known yet"), "{refused:?}");
}

#[test]
fn values_of_two_axes_share_a_process_and_each_ends_once() {
    let place = Place::with_gpus("gpu 0\n total 24 GiB\n");
    let (ended, run) = place.run_headless(
        r#"
name = "tasks"
[matrix]
policy = ["flat"]
task = ["pick", "place"]
seed = [0, 1, 2]
[shard]
id = "{{ policy }}"
command = """
echo {{ pack.count }} tasks={{ pack.task | join(",") | safe }} seeds={{ pack.seed | join(",") | safe }}
if [ {{ pack.count }} = 6 ]; then echo 'torch.OutOfMemoryError: CUDA out of memory.'; exit 1; fi
{% for v in pack.values %}
echo "task {{ v.task }} seed {{ v.seed }}: 10/10 sr=0.{{ v.seed }}"
{% if v.task == "place" and v.seed == 1 %}echo "task place seed 1 failed"{% endif %}
{% endfor %}
true"""
[pack]
axes = ["task", "seed"]
size = 6
done = 'task (?<task>\w+) seed (?<seed>\d+): (?<done>\d+)/(?<total>\d+) sr=(?<sr>[\d.]+)'
failed = 'task (?<task>\w+) seed (?<seed>\d+) failed'
[resources]
vram = "2 GiB"
"#,
    );
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(run.log("flat_pack0", 1).contains("6 tasks=pick,pick,pick,place,place,place seeds=0,1,2,0,1,2"));
    assert_eq!(run.shard("flat_pack0")["phase"], "succeeded");
    let second = run.shard("flat_pack1");
    assert_eq!(second["message"], "1 of 3 values of task × seed have no result: place 1 failed", "{second}");
    let csv = place.read("r/results/pack_values.csv").expect("a table");
    let expected = "policy,task,seed,shard,end,rows,done,total,sr\n\
        flat,pick,0,flat_pack0,succeeded,,10,10,0\nflat,pick,1,flat_pack0,succeeded,,10,10,0.1\n\
        flat,pick,2,flat_pack0,succeeded,,10,10,0.2\nflat,place,0,flat_pack1,succeeded,,10,10,0\n\
        flat,place,1,flat_pack1,failed,,10,10,0.1\nflat,place,2,flat_pack1,succeeded,,10,10,0.2\n";
    assert_eq!(csv, expected);
    let summary: serde_json::Value =
        serde_json::from_str(&place.read("r/results/summary.json").expect("a summary")).expect("JSON");
    let value = &summary["pack_values"][4];
    assert_eq!((&value["axis"], &value["value"]), (&"task × seed".into(), &"place 1".into()), "{value}");
    assert_eq!(value["packed"], serde_json::json!({"task": "place", "seed": 1}));
    run.does("add", &["seed=3"]);
    assert_eq!(run.wait(), Some(1));
    let csv = place.read("r/results/pack_values.csv").expect("a table");
    assert!(
        csv.contains("flat,pick,3,flat_pack2,succeeded") && csv.contains("flat,place,3,flat_pack2,"),
        "{csv}"
    );
}
