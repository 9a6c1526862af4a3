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
