//! Parts of the work such as folds, processes side by side, and loops of several totals: what one completes proves
//! nothing of another.

use super::any_cut::{read, summary};
use crate::progress::scan::reading::scan_json;

fn episodes(tag: &str, range: std::ops::RangeInclusive<u64>, total: u64) -> String {
    range.fold(String::new(), |log, number| log + &format!("{tag}Episode {number}/{total}: success\n"))
}

const NO_MEMORY: &str = "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n";

#[test]
fn what_one_process_completes_hides_no_failure_of_another() {
    for (zero, one) in [("[worker 0] ", "[worker 1] "), ("[rank0]: ", "[rank1]: ")] {
        let log = format!("{zero}{NO_MEMORY}{}Evaluation finished\n", episodes(one, 1..=20, 20));
        let json = scan_json(&read(&log));
        assert_eq!((&json["verdict"], &json["reason"]), (&"failed".into(), &"gpu-oom".into()), "{zero}");
        let went_on = format!("{zero}{NO_MEMORY}{}", episodes(zero, 1..=20, 20));
        assert_eq!(scan_json(&read(&went_on))["verdict"], "succeeded", "the same one");
        let of_all = format!("{zero}{NO_MEMORY}{}", episodes("", 1..=20, 20));
        assert_eq!(scan_json(&read(&of_all))["verdict"], "succeeded", "nobody is named");
    }
}

#[test]
fn a_loop_that_was_left_is_not_done_with_another() {
    let done = "Evaluation finished\n";
    for (first, total) in [(31, 50), (50, 50)] {
        let log = episodes("", 1..=first, total) + &episodes("", 1..=20, 20) + done;
        let expected = if first == total { "succeeded" } else { "unknown" };
        assert_eq!(summary(&log).3, expected, "{first}/{total}");
    }
    let counted = |done: u64, total: u64| {
        (1..=done / 10)
            .fold(String::new(), |log, ten| log + &format!("Test: [{}/{total}] Data 0.3\n", ten * 10))
    };
    let log = counted(800, 1814) + &counted(120, 120) + "All tests done\n";
    assert_ne!(summary(&log).3, "succeeded");
    let log = counted(800, 1814) + &counted(120, 120) + &counted(1810, 1814) + "All tests done\n";
    assert_eq!(summary(&log).1, Some(1810), "it went on");
}

#[test]
fn all_of_a_part_is_not_all_of_the_work() {
    for name in [
        "Epoch #/10 - loss: 0.5",
        "Epoch [#/10], Loss: 0.5",
        "Episode #/10: reward 2.5 success True",
        "Iteration #/10 reward=2.5",
    ] {
        let part: String = (1..=10).map(|i| format!("{}\n", name.replace('#', &i.to_string()))).collect();
        for heading in [
            "Trial 1/5",
            "Fold 1 of 5",
            "[1/5] Training seed 0",
            "Stage 1/2",
            "5-fold cross-validation\nFold 1",
        ] {
            let log = format!("Loading data\n{heading}\n{part}");
            assert_ne!(summary(&log).3, "succeeded", "{heading} of {name}");
            let said = format!("{log}Training complete\n");
            assert_ne!(summary(&said).3, "succeeded", "{heading} of {name}, with words");
        }
        let last = format!("Loading data\nFold 1/2\n{part}Fold 2/2\n{part}");
        assert_eq!(read(&last).open_part, None, "the last part of {name}");
    }
}

#[test]
fn each_part_may_begin_and_end_like_a_log_of_its_own() {
    const BANNER: &str = "Using cuda device\nWrapping the env with a `Monitor` wrapper\n";
    const EPOCHS: &str = "Epoch 1/2 - loss: 0.9\nEpoch 2/2 - loss: 0.5\n";
    let parts = |numbers: std::ops::Range<u32>| -> String {
        numbers.map(|i| format!("Seed {i}/3\n{BANNER}{EPOCHS}Training complete.\n")).collect()
    };
    assert_ne!(summary(&parts(1..3)).3, "succeeded");
    assert_ne!(summary(&parts(0..2)).3, "succeeded", "numbered from 0");
    assert_eq!((summary(&parts(1..4)).3, summary(&parts(0..3)).3), ("succeeded", "succeeded"));
    let only = format!("Config 7/20: lr=0.1\n{EPOCHS}All done!\n");
    assert_eq!(summary(&only).3, "succeeded", "other processes run the others");
    let first = format!("Config 1/20: lr=0.1\n{EPOCHS}All done!\n");
    assert_eq!(summary(&first).3, "unknown", "perhaps they do");
}
