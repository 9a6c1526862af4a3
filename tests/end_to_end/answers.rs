//! What an attempt ended by decides what follows: others that took its memory, too many side by side, a lost GPU.

use std::process::{Child, Command};

use rustix::process::Signal;

use crate::harness::place::{Place, Run};
use crate::harness::processes;
use crate::harness::wait::until;

/// A process that runs no shard and holds GPU memory by the driver's script.
struct Training(Child);

impl Training {
    fn start() -> Self {
        Self(Command::new("sleep").arg("600").spawn().expect("sleep starts"))
    }

    /// One GPU on which it holds so much.
    fn on_gpu(&self, total: u32, holds: u32) -> String {
        format!("gpu 0\n total {total} GiB\n compute {} {holds} GiB\n", self.0.id())
    }
}

impl Drop for Training {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Shards that hold 3 GiB, end as the file `end-ID-ATTEMPT` says, and succeed when there is `go`.
fn sweep(shards: u32, rest: &str) -> String {
    let numbers: Vec<String> = (1..=shards).map(|number| number.to_string()).collect();
    format!(
        r#"
name = "answers"
[matrix]
n = [{}]
[shard]
id = "n{{{{ n }}}}"
command = """
echo 3 GiB > held/$$
end=end-$SWEEPDECK_SHARD-$SWEEPDECK_ATTEMPT
until [ -e $end ] || [ -e go ]; do sleep 0.05; done
if [ -e $end ]; then . ./$end; exit 1; fi"""
{rest}
"#,
        numbers.join(", ")
    )
}

fn reason(run: &Run<'_>, shard: &str) -> String {
    run.shard(shard)["waiting"].as_str().unwrap_or_default().to_owned()
}

fn journal(run: &Run<'_>) -> String {
    run.place.read("r/journal.jsonl").expect("a journal")
}

#[test]
fn a_shard_whose_memory_was_taken_by_a_training_waits_for_it() {
    let training = Training::start();
    let place = Place::with_gpus(&training.on_gpu(48, 8));
    let run = place.start(&sweep(2, "[resources]\nvram = \"10 GiB\"\n[schedule]\nparallel = 2"));
    until("both run", || run.count("running") == 2);
    place.gpus(&training.on_gpu(48, 44));
    place.write(
        "end-n1-1",
        "echo 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.'\n",
    );
    until("the shard waits for the memory", || {
        let reason = reason(&run, "n1");
        reason.starts_with("needs 10.0 GiB on one GPU; GPU 0 has") && reason.contains("sleep (pid ")
    });
    assert!(journal(&run).contains("\"cause\":\"foreign-oom\""), "it is not the shard's doing");
    // Whoever takes over knows as much.
    let supervisor = run.supervisor().expect("a supervisor");
    processes::signal(supervisor, Signal::KILL);
    until("another one has taken over", || run.supervisor().is_some_and(|new| new != supervisor));
    assert_eq!(run.shard("n1")["phase"], "queued");
    place.gpus(&training.on_gpu(48, 8));
    run.until_phase("n1", "running");
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
    assert_eq!(run.shard("n1")["attempt"], 2);
}

#[test]
fn running_out_of_main_memory_leaves_fewer_side_by_side() {
    let place = Place::new();
    place.write("held/here", "");
    let run = place.start(&sweep(4, "[schedule]\nparallel = 3"));
    until("three run", || run.count("running") == 3);
    place.write("end-n1-1", "echo 'MemoryError: Unable to allocate 40.0 GiB for an array'\n");
    until("it is queued again", || journal(&run).contains("\"cause\":\"host-oom\""));
    assert_eq!((run.count("running"), run.count("queued")), (2, 2));
    assert_eq!(reason(&run, "n1"), "all 2 slots are taken");
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn a_shard_whose_gpu_is_lost_gets_another_and_the_lost_one_is_avoided() {
    let gpus = |second: &str| format!("gpu 0\n total 40 GiB\ngpu 1\n total 40 GiB\n {second}\n");
    let place = Place::with_gpus(&gpus("power 100"));
    let run = place.start(&sweep(3, "[schedule]\nparallel = 2"));
    let gpu_of = |shard: &str| run.shard(shard)["gpus"][0].clone();
    until("each has a GPU", || run.count("running") == 2);
    assert_eq!((gpu_of("n1"), gpu_of("n2")), (0.into(), 1.into()));
    place.gpus(&gpus("answer lost"));
    place.write("end-n2-1", "echo 'RuntimeError: CUDA error: unspecified launch failure'\n");
    until("it has the other one", || run.shard("n2")["attempt"] == 2 && gpu_of("n2") == 0);
    place.gpus(&gpus("power 100"));
    until("the GPU answers again", || run.status()["gpus"][1]["power_w"] == 100.0);
    place.write("end-n1-1", "");
    until("the next one runs", || run.shard("n3")["phase"] == "running");
    assert_eq!(gpu_of("n3"), 0, "the GPU is avoided for the rest of the run");
    assert_eq!(run.shard("n1")["phase"], "failed", "what has no answer of its own is no exception");
    assert!(journal(&run).contains("\"fact\":\"gpu-avoided\",\"gpu\":1"));
    place.write("go", "");
    assert_eq!(run.wait(), Some(1));
}

#[test]
fn a_sweep_that_cannot_work_is_held_until_somebody_has_seen_to_it() {
    let place = Place::new();
    let (ended, run) = place.run_headless(
        "name = \"held\"\n[matrix]\nn = [1, 2, 3, 4, 5, 6]\n[shard]\nid = \"n{{ n }}\"\n\
         setup = [\"test -e mended\"]\ncommand = \"echo {{ n }} >> ran\"\n[schedule]\nparallel = 1\n",
    );
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(
        ended.stderr.contains("the sweep is held: 3 times the same failure of several combos"),
        "{ended:?}"
    );
    assert_eq!((run.count("failed"), run.count("queued")), (3, 3));
    let held = "held until `sweepdeck resume`: 3 times the same failure of several combos within a minute: \
                setup step 1 failed: exit code 1 (launch-error)";
    assert!(reason(&run, "n4").starts_with(held), "{}", reason(&run, "n4"));
    place.write("mended", "");
    run.does("resume", &["n4"]);
    run.does("requeue", &["--failed"]);
    assert_eq!(run.wait(), Some(0));
    assert_eq!(run.count("succeeded"), 6);
    assert_eq!(place.read("ran").map(|ran| ran.lines().count()), Some(6));
}

#[test]
fn a_combo_that_fails_again_and_again_is_held_and_the_others_go_on() {
    let place = Place::new();
    let (ended, run) = place.run_headless(
        "name = \"held\"\n[matrix]\npolicy = [\"bad\", \"good\"]\n[episodes]\ntotal = 10\nshards = 5\n\
         [shard]\ncommand = \"[ {{ policy }} = good ]\"\n[schedule]\nparallel = 1\nretries = 9\n",
    );
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!((run.count("succeeded"), run.count("queued"), run.count("failed")), (5, 5, 0));
    let reason = reason(&run, "bad_3of5");
    assert!(
        reason
            .contains("3 times the same failure of this combo within a minute: nothing printed, exit code 1"),
        "{reason}"
    );
    run.does("kill", &["--all"]);
    assert_eq!(run.wait(), Some(1));
}
