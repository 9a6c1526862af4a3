//! What the sweep says about failures is done step by step, and every step is a fact that is shown.

use rustix::process::Signal;

use crate::harness::place::Place;
use crate::harness::processes;
use crate::harness::wait::until;

/// It fits with two environments without a renderer on the GPU, and only where nothing else is on it.
const LADDER: &str = r#"
name = "ladder"
[matrix]
env = ["kitchen"]
num_envs = [8]
[shard]
id = "{{ env }}"
command = """
echo "{{ num_envs }} $MUJOCO_GL" >> tried
if [ {{ num_envs }} = 2 ] && [ "$MUJOCO_GL" = osmesa ]; then echo fits; exit 0; fi
if [ {{ num_envs }} = 2 ]; then touch waits; until [ -e go ]; do sleep 0.05; done; fi
echo 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 5.00 GiB.'; exit 1"""
env = { MUJOCO_GL = "egl" }
[resources]
vram = "2 GiB"
[schedule]
on_oom = [{ set = { num_envs = "half" }, times = 2 }, { env = { MUJOCO_GL = "osmesa" } }, "alone", "fail"]
"#;

#[test]
fn each_step_changes_what_the_sweep_says_and_is_shown() {
    let place = Place::with_gpus("gpu 0\n total 24 GiB\n");
    let run = place.start(LADDER);
    until("the third try runs", || place.read("waits").is_some());
    // The steps that were taken are in the journal.
    let supervisor = run.supervisor().expect("a supervisor");
    processes::signal(supervisor, Signal::KILL);
    until("another one has taken over", || run.supervisor().is_some_and(|new| new != supervisor));
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
    let tried = place.read("tried").expect("tries");
    assert_eq!(tried.lines().collect::<Vec<_>>(), ["8 egl", "4 egl", "2 egl", "2 osmesa"]);
    let shard = run.shard("kitchen");
    assert_eq!((&shard["phase"], &shard["attempt"]), (&"succeeded".into(), &4.into()), "{shard}");
    let journal = place.read("r/journal.jsonl").expect("a journal");
    let words: Vec<&str> = journal
        .lines()
        .filter_map(|line| line.split_once("\"words\":\"")?.1.split_once('"'))
        .map(|(words, _)| words)
        .collect();
    assert_eq!(words, ["num_envs: 8 → 4", "num_envs: 4 → 2", "$MUJOCO_GL → osmesa"]);
    let report = place.read("r/results/report.md").expect("a report");
    assert!(report.contains("num\\_envs: 8 → 2"), "{report}");
    let plain = run.does("attach", &["--plain"]).stdout;
    assert!(plain.contains("kitchen queued again by on_oom: num_envs: 4 → 2"), "{plain}");
}

#[test]
fn what_had_the_largest_card_for_itself_is_not_tried_unchanged() {
    let place = Place::with_gpus("gpu 0\n total 24 GiB\n");
    let sweep =
        LADDER.replace("= osmesa ]", "= never ]").replace("until [ -e go ]; do sleep 0.05; done", "true");
    let sweep = sweep.replace("[schedule]", "[schedule]\nretries = 3\non_fail = [\"retry\"]");
    let (ended, run) = place.run_headless(&sweep);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let tried = place.read("tried").expect("tries");
    assert_eq!(
        tried.lines().collect::<Vec<_>>(),
        ["8 egl", "4 egl", "2 egl", "2 osmesa"],
        "never alone again"
    );
    let message = run.shard("kitchen")["message"].as_str().expect("a message").to_owned();
    assert!(message.starts_with("needs more than the largest GPU has free"), "{message}");
}

#[test]
fn failures_are_answered_by_reason_and_by_pattern() {
    let place = Place::new();
    let (ended, run) = place.run_headless(
        r#"
name = "patterns"
[matrix]
n = [1, 2]
[shard]
id = "n{{ n }}"
command = """
echo "{{ n }} $MUJOCO_GL" >> tried
case {{ n }} in
  1) [ "$MUJOCO_GL" = egl ] || exit 0; echo 'ImportError: Cannot initialize a EGL device display'; exit 3;;
  2) exit 4;;
esac"""
env = { MUJOCO_GL = "egl" }
[schedule]
on_fail = [{ pattern = "EGL device", env = { MUJOCO_GL = "osmesa" } }, { reason = "exit-code", do = "retry", times = 2 }, "fail"]
retries = 5
"#,
    );
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let tried = place.read("tried").expect("tries");
    let of = |n: &str| tried.lines().filter(|line| line.starts_with(n)).collect::<Vec<_>>();
    assert_eq!(of("1"), ["1 egl", "1 osmesa"]);
    assert_eq!(of("2"), ["2 egl"; 3], "twice again, and `fail` is final whatever `retries` says");
    assert_eq!(run.shard("n1")["phase"], "succeeded");
    assert!(ended.stderr.contains("n1 is tried again by on_fail: $MUJOCO_GL → osmesa"), "{ended:?}");
}

#[test]
fn what_stalls_is_ended_where_it_has_steps() {
    let place = Place::new();
    let (ended, run) = place.run_headless(
        r#"
[shard]
id = "s"
command = "sleep 600"
[schedule]
stall_after = "1s"
grace = { interrupt = "1s", terminate = "1s" }
on_stall = [{ env = { MUJOCO_GL = "osmesa" } }, "fail"]
on_fail = ["fail"]
retries = 5
"#,
    );
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("s is tried again by on_stall: $MUJOCO_GL → osmesa"), "{ended:?}");
    let shard = run.shard("s");
    assert_eq!((&shard["reason"], &shard["attempt"]), (&"stalled".into(), &2.into()), "{shard}");
}

#[test]
fn check_refuses_steps_that_no_shard_could_take() {
    let place = Place::new();
    for (steps, said) in [
        ("on_oom = [{ set = { num_env = 4 } }]", "no shard has a variable `num_env`"),
        ("on_oom = [{ set = { num_envs = 'many' } }]", "of another type"),
        ("on_oom = ['alon']", "`on_oom` has no step `alon`"),
        ("on_fail = ['alone']", "`on_fail` has no step `alone`"),
        ("on_fail = [{ reason = 'oom', do = 'retry' }]", "`oom` is no reason of a failure"),
        ("on_fail = [{ pattern = '(', do = 'retry' }]", "`pattern` cannot be read"),
        ("on_fail = [{ reason = 'timeout' }]", "a step of `on_fail` does one thing"),
        ("on_fail = 'retry'", "`on_fail` is an array of steps, not a string"),
        ("on_fail = [{ env = { A = '{{ nothing }}' } }]", "`nothing` is undefined"),
    ] {
        place.write("sweep.toml", &format!(
            "[matrix]\nnum_envs = [8]\n[shard]\ncommand = 'eval {{{{ num_envs }}}}'\n[schedule]\n{steps}\n"
        ));
        let check = place.sweepdeck(&["check", "sweep.toml"]);
        assert!(check.code == Some(2) && check.stderr.contains(said), "{steps}: {check:?}");
    }
}
