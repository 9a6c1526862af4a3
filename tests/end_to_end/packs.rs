//! A pack that runs out of memory becomes smaller ones, and each of its values is evaluated once.

use rustix::process::Signal;

use crate::harness::place::Place;
use crate::harness::processes;
use crate::harness::wait::until;

#[test]
fn a_pack_that_runs_out_of_memory_is_split_until_its_parts_fit() {
    let place = Place::with_gpus("gpu 0\n total 24 GiB\n");
    let run = place.start(
        r#"
name = "packs"
[matrix]
reward = [0, 1, 2, 3, 4, 5, 6, 7]
[shard]
id = "p"
command = """
until [ -e go ] || [ {{ pack.count }} = 8 ]; do sleep 0.05; done
if [ {{ pack.count }} -gt 2 ]; then echo 'torch.OutOfMemoryError: CUDA out of memory.'; exit 1; fi
for value in {{ pack.values | join(" ") | safe }}; do echo $value >> ran; done
echo {{ pack.index }} >> numbers"""
[pack]
axis = "reward"
size = 8
[resources]
vram = "2 GiB"
[schedule]
parallel = 4
"#,
    );
    until("both halves run", || run.count("running") == 2);
    // Whoever takes over knows the half that the plan on disk does not have.
    let supervisor = run.supervisor().expect("a supervisor");
    processes::signal(supervisor, Signal::KILL);
    until("another one has taken over", || run.supervisor().is_some_and(|new| new != supervisor));
    assert_eq!(run.shard("p_pack1")["phase"], "running");
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
    let lines = |name: &str| {
        let mut lines: Vec<String> =
            place.read(name).unwrap_or_default().lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(lines("ran"), ["0", "1", "2", "3", "4", "5", "6", "7"], "each value once");
    assert_eq!(lines("numbers"), ["0", "1", "2", "3"], "no two packs have the same number");
    assert_eq!(run.count("succeeded"), 4);
    let table = place.read("r/results/combined_results.csv").expect("a table");
    assert_eq!(table.lines().count(), 5, "{table}");
    assert!(run.does("logs", &["p_pack3"]).code == Some(0), "every verb knows the new shards");
    run.does("requeue", &["p_pack2"]);
    assert_eq!(run.wait(), Some(0));
    assert_eq!(run.shard("p_pack2")["attempt"], 2);
}

#[test]
fn the_log_tells_each_value_apart_and_each_ends_once_though_its_pack_was_split() {
    let place = Place::with_gpus("gpu 0\n total 24 GiB\n");
    let (ended, run) = place.run_headless(
        r#"
name = "values"
[matrix]
reward = [10, 11, 12, 13, 14, 15]
[shard]
id = "v"
command = """
for v in {{ pack.values | join(" ") | safe }}; do echo "reward $v: 5/10 return=0.5"; done
if [ {{ pack.count }} = 6 ]; then echo 'torch.OutOfMemoryError: CUDA out of memory.'; exit 1; fi
for v in {{ pack.values | join(" ") | safe }}; do
  if [ $v = 11 ]; then echo "reward $v diverged"; continue; fi
  if [ $v = 12 ]; then continue; fi
  echo "reward $v: 10/10 return=$v.5"
done; true"""
[pack]
axis = "reward"
size = 6
done = 'reward (?<value>\d+): (?<done>\d+)/(?<total>\d+) return=(?<mean_return>[\d.]+)'
failed = 'reward (?<value>\d+) diverged'
[resources]
vram = "2 GiB"
"#,
    );
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let told = run.shard("v_pack0");
    assert_eq!((&told["phase"], &told["reason"]), (&"failed".into(), &"incomplete".into()), "{told}");
    assert_eq!(told["message"], "2 of 3 values of reward have no result: 12 missing; 11 failed");
    assert_eq!(run.shard("v_pack1")["phase"], "succeeded");
    let csv = place.read("r/results/pack_values.csv").expect("a table");
    let expected = "reward,shard,end,rows,done,total,mean_return\n\
                    10,v_pack0,succeeded,,10,10,10.5\n11,v_pack0,failed,,5,10,0.5\n12,v_pack0,missing,,5,10,0.5\n\
                    13,v_pack1,succeeded,,10,10,13.5\n14,v_pack1,succeeded,,10,10,14.5\n15,v_pack1,succeeded,,10,10,15.5\n";
    assert_eq!(csv, expected);
    let text = place.read("r/results/report.md").expect("a document");
    assert!(text.contains("1 failed, 1 missing, 4 succeeded; all are in"), "{text}");
    assert!(text.contains("\n- reward 12 in v\\_pack0: missing\n"), "{text}");
    let page = place.read("r/results/report.html").expect("a page");
    assert!(page.contains("2 of 3 values of reward have no result: 12 missing; 11 failed"), "{page}");
}

#[test]
fn a_pack_at_work_shows_how_far_each_value_has_come() {
    let place = Place::new();
    let run = place.start(
        "[matrix]\nreward = [1, 2]\n[pack]\naxis = 'reward'\nsize = 2\nfinished = 'reward (?<value>\\d) finished'\n\
         done = 'reward (?<value>\\d): (?<done>\\d+)/9'\n[shard]\nid = 'p'\n\
         command = 'echo reward 1: 4/9; until [ -e go ]; do sleep 0.1; done; echo reward 1 finished; echo reward 2 finished'\n",
    );
    until("the log is read", || {
        run.does("report", &[]);
        place.read("r/results/pack_values.csv").expect("a table").contains("\n1,p_pack0,open,,4,\n")
    });
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
    let csv = place.read("r/results/pack_values.csv").expect("a table");
    assert_eq!(csv, "reward,shard,end,rows,done,total\n1,p_pack0,succeeded,,4,\n2,p_pack0,succeeded,,,\n");
}

#[test]
fn a_value_whose_file_was_not_read_is_not_missing() {
    let place = Place::new();
    let (ended, run) = place.run_headless(
        r#"
[matrix]
reward = [0, 0.5, 1]
[shard]
id = "s"
command = """
for v in {{ pack.values | join(" ") | safe }}; do [ $v = 1 ] || echo "{\"reward\": $v}" > {{ out }}/$v.jsonl; done
truncate -s 40M {{ out }}/1.jsonl"""
artifacts = ["{{ out }}/*.jsonl"]
[pack]
axis = "reward"
size = 3
"#,
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let told = run.shard("s_pack0");
    let warning = told["warnings"][0].as_str().unwrap_or_default();
    assert!(warning.ends_with("/1.jsonl (it has 40 MiB, and more than 32 are not read)"), "{told}");
}

#[test]
fn a_size_that_did_not_fit_is_not_tried_again_by_siblings_nor_by_the_next_run() {
    let place = Place::with_gpus("gpu 0\n total 24 GiB\n");
    let values: Vec<String> = (0..32).map(|value| value.to_string()).collect();
    let sweep = format!(
        r#"
name = "sizes"
[matrix]
reward = [{}]
[shard]
id = "p"
command = """
sleep 0.1
if [ {{{{ pack.count }}}} -gt 2 ]; then echo 'torch.OutOfMemoryError: CUDA out of memory.'; exit 1; fi
for value in {{{{ pack.values | join(" ") | safe }}}}; do echo $value >> ran; done"""
[pack]
axis = "reward"
size = 8
[resources]
vram = "2 GiB"
[schedule]
parallel = 2
"#,
        values.join(", ")
    );
    place.write("sweep.toml", &sweep);
    let attempts = |folder: &str| {
        let ended = place.sweepdeck(&["run", "sweep.toml", "--headless", "--out", folder]);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let journal = place.read(&format!("{folder}/journal.jsonl")).expect("a journal");
        journal.lines().filter(|line| line.contains("\"attempt-starting\"")).count()
    };
    // Each slot may be at work with a size when the other one sees that it is too large: 2 of eight values, 2 of four.
    let first = attempts("r1");
    assert!(first <= 20, "{first} attempts for 16 shards");
    assert_eq!(attempts("r2"), 16);
    let mut ran: Vec<u32> =
        place.read("ran").expect("values").lines().filter_map(|one| one.parse().ok()).collect();
    ran.sort_unstable();
    assert_eq!(
        ran,
        (0..32).flat_map(|value| [value, value]).collect::<Vec<u32>>(),
        "each value once in each run"
    );
    let check = place.sweepdeck(&["check", "sweep.toml"]).stdout;
    assert!(check.contains("packs of 4 values do not fit"), "{check}");
}
