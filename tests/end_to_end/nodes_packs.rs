//! Packs whose parts are split by one node and run by another.

use crate::harness::place::Place;
use crate::harness::wait::until;
use crate::nodes::begin;

/// A pack of eight values that may be run by two at a time.
fn sweep(size: &str) -> String {
    format!(
        r#"
name = "packs"
[[nodes]]
kind = "ssh"
hosts = ["gpu1", "gpu2"]
[matrix]
reward = [0, 1, 2, 3, 4, 5, 6, 7]
[shard]
id = "p"
command = """
if [ {{{{ pack.count }}}} -gt 2 ]; then echo 'torch.OutOfMemoryError: CUDA out of memory.'; exit 1; fi
until [ -e go ]; do sleep 0.05; done
for value in {{{{ pack.values | join(" ") | safe }}}}; do echo $value >> ran; echo "reward $value: ok"; done
echo {{{{ pack.index }}}} >> numbers"""
[pack]
axis = "reward"
size = {size}
finished = 'reward (?<value>\d+): ok'
[resources]
vram = "2 GiB"
[schedule]
parallel = 1
"#
    )
}

fn lines(place: &Place, name: &str) -> Vec<String> {
    let mut lines: Vec<String> = place.read(name).unwrap_or_default().lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

fn assert_each_value_runs_once(size: &str) {
    let place = Place::with_gpus("gpu 0\n total 24 GiB\n");
    place.write("sweep.toml", &sweep(size));
    let run = begin(&place);
    until("parts of the pack run at both nodes", || {
        let status = run.status();
        let runs_at = |node: &str| {
            let shards = status["shards"].as_array().into_iter().flatten();
            shards.filter(|shard| shard["node"] == node && shard["phase"] == "running").count() == 1
        };
        runs_at("gpu1") && runs_at("gpu2")
    });
    place.write("go", "");
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    let each: Vec<String> = (0..8).map(|value| value.to_string()).collect();
    assert_eq!(lines(&place, "ran"), each, "each value once");
    let mut numbers = lines(&place, "numbers");
    assert_eq!(run.count("succeeded"), numbers.len() as u64, "{}", run.status());
    numbers.dedup();
    assert_eq!(
        run.count("succeeded"),
        numbers.len() as u64,
        "no two packs have the same number: {numbers:?}"
    );
    let table = place.read("r/results/pack_values.csv").expect("a table");
    let done = table.lines().filter(|line| line.contains(",succeeded,")).count();
    assert_eq!(done, 8, "{table}");
}

#[test]
fn a_pack_is_split_at_one_node_and_its_parts_run_at_both() {
    assert_each_value_runs_once("8");
}

#[test]
fn a_pack_of_any_size_is_cut_at_each_node() {
    assert_each_value_runs_once("'auto'");
}
