//! A shard that runs out of memory gets more of it, until it succeeds or nothing more is to be had.

use std::fs;

use crate::harness::place::{Place, Run};

/// Shards that take 5 GiB, and run out of memory where all living ones together take more than the card has. They
/// are promised 2 GiB each, so that too many start.
fn greedy(shards: u32, card: u32, schedule: &str) -> String {
    let numbers: Vec<String> = (1..=shards).map(|number| number.to_string()).collect();
    format!(
        r#"
name = "oom"
[matrix]
n = [{numbers}]
[shard]
id = "n{{{{ n }}}}"
command = """
echo 5 GiB > held/$$
sleep 0.5
sum=0
for pid in $(ls held); do if kill -0 $pid 2>/dev/null; then sum=$((sum + 5)); fi; done
if [ $sum -gt {card} ]; then
  echo "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 5.00 GiB. GPU 0 has a total capacity of {card} GiB"
  exit 1
fi
sleep 1
rm held/$$"""
[resources]
vram = "2 GiB"
[schedule]
parallel = {shards}
{schedule}
"#,
        numbers = numbers.join(", ")
    )
}

/// How often the journal says so.
fn told(run: &Run<'_>, what: &str) -> usize {
    let journal = fs::read_to_string(run.dir.join("journal.jsonl")).expect("a journal");
    journal.lines().filter(|line| line.contains(what)).count()
}

#[test]
fn shards_that_run_out_of_memory_back_off_and_all_succeed_in_the_end() {
    let place = Place::with_gpus("gpu 0\n total 24 GiB\n");
    let (ended, run) = place.run_headless(&greedy(8, 24, ""));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(run.count("succeeded"), 8);
    let (ooms, again) = (told(&run, "\"reason\":\"gpu-oom\""), told(&run, "\"cause\":\"gpu-oom\""));
    assert!(ooms > 0 && ooms == again, "{ooms} ran out of memory, {again} were tried again");
    assert!(ended.stderr.contains("is tried again with more GPU memory"), "{ended:?}");
}

#[test]
fn what_runs_out_of_memory_alone_has_failed() {
    let place = Place::with_gpus("gpu 0\n total 4 GiB\n");
    let (ended, run) = place.run_headless(&greedy(1, 4, "retries = 2"));
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let shard = run.shard("n1");
    assert_eq!((&shard["reason"], &shard["attempt"]), (&"gpu-oom".into(), &1.into()), "{shard}");
    let message = shard["message"].as_str().expect("a message");
    assert!(message.starts_with("needs more than the largest GPU has free: 4.0 GiB ("), "{message}");
}

#[test]
fn without_back_off_running_out_of_memory_is_a_failure_like_any_other() {
    let place = Place::with_gpus("gpu 0\n total 4 GiB\n");
    let (ended, run) = place.run_headless(&greedy(1, 4, "on_oom = \"fail\"\nretries = 1"));
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!((&run.shard("n1")["attempt"], told(&run, "\"cause\":\"retry\"")), (&2.into(), 1));
}
