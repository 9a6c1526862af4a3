//! What a program says behind the line that told it to end does not show that its work was done.

use super::any_cut::summary;

const WORDS: &str = "Training finished\nModel saved to final.pt\n";

/// Lines by which it is told, or that say that it was.
const TOLD: [&str; 9] = [
    "slurmstepd: error: *** JOB 33 ON node-12 CANCELLED AT 2026-01-06T13:31:01 ***",
    "slurmstepd: error: *** JOB 33 ON node-12 CANCELLED AT 2026-01-06T13:31:01 DUE TO TIME LIMIT ***",
    "slurmstepd: error: Detected 1 oom_kill event in StepId=33.0.",
    "/var/spool/slurmd/job33/slurm_script: line 12: 3214 Killed                  python train.py",
    "job.sh: line 4: 3214 Terminated              python train.py",
    "Terminated",
    "User defined signal 2",
    "Received SIGTERM, stopping",
    "[2026-01-06 13:31:01] Caught signal 15, saving a checkpoint",
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
    ] {
        let log = format!("{}{other}\n{WORDS}", epochs(1..=9));
        assert_eq!(verdict(&log), "succeeded", "{other}");
    }
    let log = format!("{}{}\n{}{WORDS}", epochs(1..=9), TOLD[2], epochs(10..=1200));
    assert_eq!(verdict(&log), "succeeded", "the memory ran out for another");
}
