//! Processes side by side, and loops of several totals: what one completes proves nothing of another.

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
