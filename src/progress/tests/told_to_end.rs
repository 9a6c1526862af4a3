//! What a program says behind the line that told it to end does not show that its work was done.

use super::any_cut::{read, summary};
use crate::progress::scan::reading::scan_json;

const WORDS: &str = "Training finished\nModel saved to final.pt\n";

/// Lines by which it is told, or that say that it was.
const TOLD: [&str; 18] = [
    "slurmstepd: error: *** JOB 33 ON node-12 CANCELLED AT 2026-01-06T13:31:01 ***",
    "slurmstepd: error: *** JOB 33 ON node-12 CANCELLED AT 2026-01-06T13:31:01 DUE TO TIME LIMIT ***",
    "slurmstepd: error: Detected 1 oom_kill event in StepId=33.0.",
    "/var/spool/slurmd/job33/slurm_script: line 12: 3214 Killed                  python train.py",
    "job.sh: line 4: 3214 Terminated              python train.py",
    "Terminated",
    "User defined signal 2",
    "Received SIGTERM, stopping",
    "[2026-01-06 13:31:01] Caught signal 15, saving a checkpoint",
    "2026-01-06 13:31:01 INFO Received SIGTERM, saving a checkpoint",
    "^CKeyboardInterrupt received, saving",
    "Signal handler called with signal 15",
    "Termination signal received, saving the model",
    "Stop requested by user, finishing up",
    "Received SIGTERM, stopping after this epoch",
    "Caught SIGINT, saving once the step is done",
    "submitit INFO (2026-01-06 13:31:01,100) - Caught signal SIGUSR1 on node-12: this job is timed-out.",
    "W0106 13:31:01.109000 771 torch/distributed/elastic/agent/server/api.py:719] Received Signals.SIGTERM death signal, shutting down workers",
];

fn epochs(numbers: std::ops::RangeInclusive<u64>) -> String {
    numbers.map(|n| format!("Epoch {n} loss 0.8\n")).collect()
}

fn verdict(log: &str) -> &'static str {
    summary(log).3
}

#[test]
fn words_behind_it_prove_nothing_and_neither_do_they_behind_one_more_count() {
    assert_eq!(verdict(&(epochs(1..=9) + WORDS)), "succeeded");
    for told in TOLD {
        for more in [String::new(), epochs(10..=10)] {
            let log = format!("{}{told}\n{more}{WORDS}", epochs(1..=9));
            assert_ne!(verdict(&log), "succeeded", "{told}");
        }
    }
}

#[test]
fn a_reading_says_why_its_words_prove_nothing() {
    let log = format!("{}Received SIGTERM, stopping\n{WORDS}", epochs(1..=9));
    let warnings = scan_json(&read(&log))["warnings"].to_string();
    assert!(warnings.contains("told to end on line 10"), "{warnings}");
}

#[test]
fn neither_does_what_a_format_knows_as_an_end() {
    let reports =
        "[INFO] Cube. Step: 12000. Time Elapsed: 18.8 s. Mean Reward: 1.1. Std of Reward: 0.7. Training.\n";
    let copied = "[INFO] Copied results/a/Cube/Cube-12447.onnx to results/a/Cube.onnx.\n";
    assert_eq!(verdict(&format!("{reports}{copied}")), "succeeded");
    assert_eq!(
        verdict(&format!("{reports}[INFO] Learning was interrupted. Please wait.\n{copied}")),
        "failed"
    );
    let steps = "global_step=16, episodic_return=[3.]\nglobal_step=40, episodic_return=[4.]\n";
    let saved = "model saved to runs/Walker2d-v4__ppo__3__17/ppo.cleanrl_model\n";
    assert_eq!(verdict(&format!("{steps}{saved}")), "succeeded");
    assert_eq!(verdict(&format!("{steps}{}\n{saved}", TOLD[0])), "failed");
}

#[test]
fn nor_what_is_printed_in_any_case_behind_an_exception() {
    let thrown = |what: &str| {
        format!(
            "Traceback (most recent call last):\n  File \"train.py\", line 12, in <module>\n    main()\n{what}\n"
        )
    };
    let reports =
        "[INFO] Cube. Step: 12000. Time Elapsed: 18.8 s. Mean Reward: 1.1. Std of Reward: 0.7. Training.\n";
    let copied = "[INFO] Copied results/a/Cube/Cube-12447.onnx to results/a/Cube.onnx.\n";
    let frames = "[a][7] Fps is (10 sec: 0.0, 60 sec: 0.0). Total num frames: 4096. Throughput: 0: 168.5.\n";
    let collected = "[a][7] Collected {0: 4500}, FPS: 146.8\n";
    for (counted, end) in [(reports, copied), (frames, collected)] {
        assert_eq!(verdict(&format!("{counted}{end}")), "succeeded");
        for what in ["KeyboardInterrupt", "RuntimeError: the environment crashed"] {
            assert_eq!(verdict(&format!("{counted}{}{end}", thrown(what))), "failed", "{what}");
        }
    }
}

#[test]
fn a_full_count_behind_it_is_one() {
    let log = format!("Episode 4/5: success\n{}\nEpisode 5/5: success\n", TOLD[0]);
    assert_eq!(verdict(&log), "succeeded");
}

#[test]
fn others_that_end_and_a_program_that_goes_on_were_not_told() {
    for other in [
        "ffmpeg: Aborted (core dumped)",
        "job.sh: line 4: 99 Terminated              nvidia-smi dmon",
        "Will save a checkpoint when SIGTERM is received",
        "job.sh: line 4: 99 Terminated              python serve_policy.py --port 8000",
        "[loader worker 3] received signal 15",
        "received signal strength -63 dBm",
        "Received SIGCHLD",
    ] {
        let log = format!("{}{other}\n{WORDS}", epochs(1..=9));
        assert_eq!(verdict(&log), "succeeded", "{other}");
    }
    let log = format!("{}{}\n{}{WORDS}", epochs(1..=9), TOLD[2], "the loop goes on\n".repeat(1200));
    assert_eq!(verdict(&log), "succeeded", "the memory ran out for another");
    let counts = format!("{}{}\n{}{WORDS}", epochs(1..=9), TOLD[1], epochs(10..=30));
    assert_eq!(verdict(&counts), "succeeded", "it counts on");
    let resumed = "Loading checkpoint ckpt_9.pt\n";
    let log = format!("{}{}\n{resumed}{}{WORDS}", epochs(1..=9), TOLD[1], epochs(10..=12));
    assert_eq!(verdict(&log), "succeeded", "the job was queued again");
    let flags: String = (1..=9).map(|n| format!("{}Terminated\n", epochs(n..=n))).collect();
    assert_eq!(verdict(&(flags + WORDS)), "succeeded", "a flag of each episode");
}

#[test]
fn an_exit_code_of_0_ends_what_does_not_fall_short() {
    let exit = "EXIT=0 Thu  2 Jul 11:33:25 UTC 2026\n";
    assert_eq!(verdict(&(epochs(1..=9) + exit)), "succeeded");
    assert_eq!(
        verdict(&format!("loading\n./train.sh: Permission denied\n{exit}")),
        "unknown",
        "of a pipeline"
    );
    let bar = "Evaluating:  47%|████      | 47/100 [00:03<00:04, 12.00it/s]\n";
    assert_ne!(verdict(&format!("{bar}{exit}")), "succeeded");
    assert_ne!(verdict(&format!("{}EXIT=1\n{exit}", epochs(1..=9))), "succeeded", "one of two failed");
    assert_eq!(verdict(&format!("{}rc=0\ndevices: [cuda:0]\nparams: 3.3B\n", epochs(1..=9))), "unknown");
}

#[test]
fn another_part_is_named_behind_the_end() {
    let done = "Task: reach-v2\nEpisode 1/2: success\nEpisode 2/2: success\n";
    assert_eq!(verdict(done), "succeeded");
    assert_ne!(verdict(&format!("{done}Task: push-v2\n")), "succeeded");
    assert_ne!(verdict(&format!("{done}Evaluation finished\nTask: push-v2\n")), "succeeded");
    assert_eq!(verdict(&format!("{done}Task: Reach\nSuccess rate: 100.0%\n")), "succeeded", "a summary");
}

#[test]
fn a_weaker_line_behind_a_certain_one_leaves_that() {
    for weaker in ["Terminated", "Termination signal received", "Resetting env"] {
        let log = format!("{}{}\n{}{weaker}\n{WORDS}", epochs(1..=9), TOLD[0], epochs(10..=10));
        assert_ne!(verdict(&log), "succeeded", "{weaker}");
    }
}

#[test]
fn a_tally_of_what_was_interrupted_is_none() {
    let seeds: String = (0..3).map(|n| format!("  walk seed {n}: success=1 after 3.5 s\n")).collect();
    let tally = "[walk] n=3 success 0.667\n";
    assert_eq!(verdict(&format!("{seeds}{tally}")), "succeeded");
    assert_ne!(verdict(&format!("{seeds}Received SIGTERM, stopping\n{tally}")), "succeeded");
    assert_ne!(verdict(&format!("{seeds}Computing the mean score over 3 seeds...\n")), "succeeded");
}

#[test]
fn an_accuracy_is_no_end_where_more_is_to_come() {
    let log = |name: &str, behind: &str| format!("Samples: 500\nLoss = 0.41\n{name} = 87.2\n{behind}");
    assert_eq!(verdict(&log("Accuracy", "Time = 560.1\n")), "succeeded");
    assert_ne!(verdict(&log("Accuracy", "LoRA r=16 alpha=32\n")), "succeeded");
    assert_ne!(verdict(&log("Accuracy", "[e2 b000] nll=0.55\n")), "succeeded");
    assert_ne!(verdict(&log("Val accuracy", "")), "succeeded");
}

#[test]
fn the_date_in_a_path_ends_no_words() {
    let saved = |path: &str| verdict(&format!("{}Results saved to {path}\n", epochs(1..=9)));
    assert_eq!(saved("outputs/2026-05-09/18-57-49/results.json"), "succeeded");
    assert_ne!(saved("outputs/2026-05-09/18-57-49/task/results.json"), "succeeded", "of a part");
    assert_ne!(verdict(&(epochs(1..=9) + "DONE 2026-05-09 18:57:49 3/5\n")), "succeeded");
}

#[test]
fn a_scheduler_may_say_so_behind_a_count() {
    for (told, reason) in [
        ("CANCELLED AT 2026-01-06T13:31:01 ***", "cancelled"),
        ("CANCELLED AT 2026-01-06T13:31:01 DUE TO TIME LIMIT ***", "timeout"),
    ] {
        let episodes: String = (1..=8).map(|n| format!("Episode {n}, Score: 9.04\n")).collect();
        let log = format!("{episodes}Episode 9, Score: 9.04slurmstepd: error: *** JOB 33 ON n {told}\n");
        let document = scan_json(&read(&log));
        assert_eq!((&document["verdict"], &document["reason"]), (&"failed".into(), &reason.into()));
    }
}
