//! skrl: its log lines say whose bar it is.

use crate::progress::tests::any_cut::{metrics, read, summary};

const BAR: &str =
    "\r  0%|          | 0/24000 [00:00<?, ?it/s]\r  5%|▌         | 1200/24000 [00:41<12:59, 29.25it/s]\n";

#[test]
fn the_bar_without_a_name_counts_the_timesteps() {
    for header in [
        "\x1b[38;20m[skrl:INFO] Environment wrapper: Isaac Lab (single-agent)\x1b[0m\n",
        "[2025-05-28 13:30:06,438][skrl][INFO] - Seed: 42\n",
    ] {
        let log = format!("{header}{BAR}\rVideo:  50%|█████     | 1/2 [00:41<12:59, 1.1it/s]\n");
        assert_eq!(summary(&log), ("skrl".into(), Some(1200), Some(24000), "incomplete"));
        assert_eq!(read(&log).unit, "timesteps");
        assert_eq!(metrics(&log)["timesteps_per_s"], 29.25);
    }
}

#[test]
fn its_end_is_that_of_the_bar_and_not_that_of_the_environment() {
    let header = "[skrl:INFO] Seed: 42\n";
    let closed = format!("{header}{BAR}[skrl:INFO] Closing environment\n[skrl:INFO] Environment closed\n");
    assert_eq!(summary(&closed).3, "incomplete");
    let whole = format!(
        "{header}{BAR}\r100%|██████████| 24000/24000 [13:41<00:00, 29.2it/s]\nTraining time: 59.03 seconds\n"
    );
    assert_eq!(summary(&whole), ("skrl".into(), Some(24000), Some(24000), "succeeded"));
    assert_eq!(metrics(&whole)["training_time_s"], 59.03);
}

#[test]
fn without_its_lines_it_is_a_bar_like_any_other() {
    assert_eq!(summary(BAR).0, "tqdm");
}
