//! Several runs in one log: the newest one counts, none adds to another, and the end of one proves nothing of the next.

use super::any_cut::{metrics, read, summary};
use crate::model::outcome::{FailureReason, Progress};
use crate::progress::scan::reading::ScanVerdict;
use crate::progress::scan::reading::scan_json;

const BANNER: &str =
    "[robosuite] No private macro file found!\nusing task orders of the suite\nLoaded the policy\n";

fn suite(name: &str, episodes: u64) -> String {
    let one = |n| {
        format!(
            "Starting episode 1...\nSuccess: True\n# episodes completed so far: {n}\n# successes: {n} (100.0%)\nCurrent task success rate: 1.0\n"
        )
    };
    format!(
        "{BANNER}Task suite: {name}\n[info] running first 2/10 tasks\n{}",
        (1..=episodes).map(one).collect::<String>()
    )
}

#[test]
fn a_start_that_is_printed_again_begins_another_run() {
    let log = suite("libero_goal", 2) + &suite("libero_object", 2);
    assert_eq!(
        summary(&log),
        ("openvla".into(), Some(2), Some(2), "succeeded"),
        "other suites of other processes"
    );
    let reading = read(&log);
    assert_eq!((reading.runs(), scan_json(&reading)["runs"].as_u64()), (2, Some(2)));
    let text = reading.restart_text().unwrap();
    assert!(text.starts_with("run 2 of 2 in this file began on line "), "{text}");
    let begun = suite("libero_goal", 2) + BANNER;
    assert_eq!(summary(&begun).3, "incomplete", "nothing was counted of it");
    assert_eq!(summary(&(suite("libero_goal", 2) + &suite("libero_object", 1))).3, "incomplete");
}

#[test]
fn a_start_behind_a_full_count_that_proves_nothing_begins_another_run_too() {
    let task = |n: u64| format!("--- Task {n}/3: stack the blocks ---\n  Episode 1/1: ❌ Fail (steps=608)\n");
    let run = format!(
        "[INFO]\n####\n# Evaluating suite: kitchen\n####\nSuite: kitchen | Tasks: 3 | Episodes/task: 1\n{}         Suite kitchen Summary: 0/3 = 0.0%\n# FINAL RESULTS\n  kitchen : 0/3 = 0.0%\nResults saved to k.json\n",
        (1..=3).map(task).collect::<String>()
    );
    assert_eq!((read(&run).runs(), metrics(&run)["episodes"].as_f64()), (1, Some(3.0)));
    let twice = run.repeat(2);
    assert_eq!((read(&twice).runs(), metrics(&twice)["episodes"].as_f64()), (2, Some(3.0)), "never added");
}

#[test]
fn the_first_task_behind_one_that_was_left_begins_another_run() {
    let head = |suite: &str, each: u64| {
        format!("# Evaluating suite: {suite}\nSuite: {suite} | Episodes/task: {each}\n")
    };
    let task = |task: u64, episodes: u64, each: u64| {
        let one = |n: u64| {
            format!("Video saved: task{task}_ep{n}.mp4\n  Episode {n}/{each}: ❌ Fail (steps=600)\n")
        };
        format!("--- Task {task}/3: stack the blocks ---\n{}", (1..=episodes).map(one).collect::<String>())
    };
    let cut = head("goal", 4) + &task(1, 4, 4) + &task(2, 3, 4);
    let whole = head("object", 2) + &(1..=3).map(|n| task(n, 2, 2)).collect::<String>();
    let log = cut.clone() + &whole;
    assert_eq!(summary(&log), ("episode".into(), Some(6), Some(6), "succeeded"));
    assert_eq!((read(&log).runs(), metrics(&log)["episodes"].as_f64()), (2, Some(6.0)), "never added");
    let early = head("goal", 20) + &task(1, 18, 20) + &whole;
    assert_eq!(summary(&early), ("episode".into(), Some(6), Some(6), "succeeded"), "left in its first task");
    let again = cut.clone() + &head("object", 2) + &task(1, 2, 2);
    assert_eq!(summary(&again), ("episode".into(), Some(2), Some(6), "incomplete"));
    assert_ne!(summary(&(whole.clone() + &whole)).3, "incomplete", "rounds of as many seeds have no end");
    let workers = [task(1, 2, 4), task(1, 1, 4), "  Episode 3/4: ❌ Fail (steps=600)\n".repeat(2)].concat();
    assert_eq!(summary(&workers).3, "unknown", "side by side");
    let by = |pid: u64, task: &str| -> String {
        task.lines().map(|line| format!("(Eval pid={pid}) {line}\n")).collect()
    };
    let died = by(11, &task(1, 2, 2)) + &by(11, "--- Task 2/3: stack the blocks ---\nreset\n");
    let other = (1..=3).map(|n| by(12, &task(n, 2, 2))).collect::<String>();
    assert_ne!(summary(&(died + &other)).3, "succeeded", "one of two workers did not end");
}

#[test]
fn a_start_that_failed_stands_between_two_runs() {
    let start = |second: u64| {
        format!("2026-02-18 20:33:{second}: W tensorflow/utils/py_utils.cc:38] TF-TRT Warning: no TensorRT\n")
    };
    let loaded =
        "Using the latest cached version of the dataset\nSome weights of the model were not initialized\n";
    let steps = |done: u64, total: u64| -> String {
        (0..=done)
            .map(|n| format!("\r {}%|█     | {n}/{total} [00:0{n}<09:00,  1.9it/s]", n * 100 / total))
            .collect()
    };
    let thrown = |line: &str| {
        format!(
            "\nTraceback (most recent call last):\n  File \"train.py\", line 153, in <module>\n    main()\n{line}\n"
        )
    };
    let end = "\n{'train_runtime': 20.3, 'train_samples_per_second': 15.3, 'train_steps_per_second': 1.9, 'train_loss': 0.08, 'epoch': 1.0}\n";
    let interrupted = start(20) + loaded + &steps(5, 240_003) + &thrown("KeyboardInterrupt");
    let refused = start(41) + &thrown("ValueError: Some specified arguments are not used");
    let log = interrupted + &refused + &start(58) + loaded + &steps(8, 8) + end;
    assert_eq!(summary(&log), ("hf-trainer".into(), Some(8), Some(8), "succeeded"));
    assert_eq!(read(&log).runs(), 2);
}

#[test]
fn a_heading_of_other_work_behind_the_end_begins_it() {
    let verdict = |log: &str| ScanVerdict::of(&read(log)).as_str();
    let done = "=== ffhq START 12:08 ===\nEpoch 1/2 loss=0.5\nEpoch 2/2 loss=0.5\nTraining complete\n=== ffhq DONE 18:40 ===\n";
    assert_eq!(verdict(done), "succeeded");
    assert_eq!(verdict(&format!("{done}=== afhq START 18:40 ===\n")), "incomplete");
    for remark in [
        "=== Start time 10:00, end time 12:00 ===",
        "JOB START: 10:00:00\nJOB END: 12:00:00",
        "wandb: started",
        "--- Starting accuracy: 0.10 -> Final accuracy: 0.93 ---",
        "======== EPILOG START ========\n======== EPILOG END ========",
        "=== 7200 s since start ===",
    ] {
        assert_eq!(verdict(&format!("{done}{remark}\n")), "succeeded", "{remark}");
    }
}

#[test]
fn the_end_of_a_program_that_a_shell_runs_for_each_part_is_that_of_a_part() {
    let run = "Beginning training for 20000 timesteps\nmy_main Recent Stats | t_env:      20020 | Episode:      818\nmy_main Finished Training\n";
    let verdict = |log: &str| ScanVerdict::of(&read(log)).as_str();
    assert_eq!(verdict(run), "succeeded");
    assert_ne!(verdict(&format!("=== seed 1/3 ===\n{run}=== seed 2/3 ===\n{run}")), "succeeded");
    let two = format!("=== seed 1/2 ===\n{run}=== seed 2/2 ===\n{run}");
    assert_eq!(verdict(&two), "succeeded");
}

#[test]
fn what_a_crash_left_does_not_count_for_the_next_run() {
    let log = suite("libero_goal", 1) + "Killed\n" + &suite("libero_object", 2);
    let reading = read(&log);
    assert_eq!((reading.runs(), reading.progress.map(|progress| progress.done)), (2, Some(2)));
    assert_eq!(ScanVerdict::of(&reading).as_str(), "succeeded");
}

#[test]
fn another_program_behind_the_end_begins_a_run_of_its_own() {
    let block = |n: u64| {
        format!("Learning iteration {n}/3\nComputation: 8962 steps/s (collection: 1s, learning 1s)\n")
    };
    let training: String = (0..3).map(block).collect();
    assert_eq!(summary(&training).3, "succeeded");
    let episode = |n: u64| format!("Episode {n}/4: success\n");
    let (preset, done, total, verdict) = summary(&(training.clone() + &episode(1) + &episode(2)));
    assert_eq!((&*preset, done, total, verdict), ("episode", Some(2), Some(4), "incomplete"));
    let both = read(&(training + &(1..=4).map(episode).collect::<String>()));
    assert_eq!((both.runs(), ScanVerdict::of(&both).as_str()), (2, "succeeded"));
}

#[test]
fn the_first_line_that_proves_the_end_is_its_proof() {
    let block = |n: u64| {
        format!("Learning iteration {n}/2\nComputation: 8962 steps/s (collection: 1s, learning 1s)\n")
    };
    let reading = read(&((0..2).map(block).collect::<String>() + "Training time: 9.5 seconds\n"));
    assert!(reading.finished.is_some());
    assert_eq!(reading.proof_of_completeness().map(|proof| proof.line), Some(3));
}

#[test]
fn whoever_ended_it_is_named() {
    for (note, reason) in [
        (
            "slurmstepd: error: *** STEP 6053.0 ON n CANCELLED AT 2026-04-23T12:18:08 ***",
            FailureReason::Cancelled,
        ),
        (
            "slurmstepd: error: *** JOB 6 ON n CANCELLED AT 2026-04-23T12:18:08 DUE TO JOB REQUEUE ***",
            FailureReason::Cancelled,
        ),
        (
            "srun: Job step aborted: Waiting up to 47 seconds for job step to finish.",
            FailureReason::Cancelled,
        ),
        ("=>> PBS: job killed: node 3 requested job terminate", FailureReason::Cancelled),
        ("[rank3]: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7)", FailureReason::Stalled),
        ("To avoid data inconsistency, we are taking the entire process down.", FailureReason::Stalled),
        ("WindowlessContext: Unable to create windowless context", FailureReason::ExitCode),
        ("Error: signal 11:", FailureReason::Signal),
        ("/x/script: line 3: num_environments=4: command not found", FailureReason::ExitCode),
    ] {
        let json = scan_json(&read(&format!("Episode 1/4: success\n{note}\n")));
        let is_late = note.contains("command not found");
        assert_eq!(json["verdict"], if is_late { "incomplete" } else { "failed" }, "{note}");
        let alone = scan_json(&read(&format!("{note}\n")));
        assert_eq!(
            (&alone["verdict"], &alone["reason"]),
            (&"failed".into(), &reason.as_str().into()),
            "{note}"
        );
    }
    let thrown = "Traceback (most recent call last):\n  File \"t.py\", line 3, in f\nValueError: x\n";
    let json = scan_json(&read(&format!(
        "{thrown}srun: Force Terminated StepId=3.0\nslurmstepd: error: *** STEP 3.0 ON n CANCELLED AT 2026-04-23T12:18:08 ***\n"
    )));
    assert_eq!(
        (&json["reason"], &json["message"]),
        (&"exception".into(), &"ValueError: x".into()),
        "why it was cancelled"
    );
}

#[test]
fn a_total_is_read_in_the_start_of_every_run() {
    let run = |total: u64, done: u64| {
        let start = "Logger initialized\nEnvironment constructed\nAll settings follow\n".to_owned();
        let settings = (0..800).fold(start, |log, number| log + &format!("setting {number} is on\n"));
        let counts = settings + &format!("max_iterations={total}\nStarting the PPO run\n");
        (0..done).fold(counts, |log, done| log + &format!("iter={done:04} reward=8109.5\n"))
    };
    for runs in [2, 6] {
        let reading = read(&(run(40, 40).repeat(runs - 1) + &run(100, 90)));
        assert_eq!(reading.progress, Some(Progress { done: 90, total: Some(100) }), "{runs} runs");
        assert_eq!(reading.runs(), runs as u64);
    }
}

#[test]
fn a_program_that_failed_at_its_start_may_be_started_again() {
    let start = "python eval.py --task push\nConnected to the simulator.\nLoading the policy network\n";
    let crash =
        "Traceback (most recent call last):\n  File \"eval.py\", line 7, in <module>\nValueError: no\n";
    let failed = format!("{start}{crash}");
    assert_eq!(summary(&failed).3, "failed");
    let again = read(&format!("{failed}{start}"));
    assert_eq!(again.runs(), 2);
    assert_ne!(ScanVerdict::of(&again).as_str(), "failed");
    let twice = read(&format!("{failed}{failed}"));
    assert_eq!((twice.runs(), ScanVerdict::of(&twice).as_str()), (2, "failed"));
    let other = format!("{failed}Connected to the simulator.\n");
    assert_eq!(summary(&other).3, "failed", "one of its lines is no start");
    let ranks = format!("{crash}{crash}");
    assert_eq!(read(&ranks).runs(), 1, "two processes of one run");
}

#[test]
fn a_training_that_is_given_more_episodes_goes_on() {
    let episodes = |numbers: std::ops::RangeInclusive<u64>, total: u64| -> String {
        numbers.map(|n| format!("Episode {n}/{total} reward=1.0\n")).collect()
    };
    let log = episodes(1..=6, 10) + &episodes(7..=12, 12);
    assert_eq!(summary(&log), ("episode".into(), Some(12), Some(12), "succeeded"));
    assert_eq!(summary(&(episodes(1..=6, 10) + &episodes(7..=9, 12))).1, Some(9));
}
