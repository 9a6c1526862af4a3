//! Logs of LeRobot's trainings.

use std::sync::Arc;

use serde_json::json;

use crate::model::sweep::plan::ProgressSpec;
use crate::progress::reader::log_reader::LogReader;
use crate::progress::reader::rules::LogRules;
use crate::progress::scan::reading::ScanVerdict;
use crate::progress::tests::any_cut::{metrics, summary};

fn line(step: &str, loss: f64) -> String {
    format!(
        "INFO 2025-05-28 12:12:40 ts/train.py:232 step:{step} smpl:2K ep:3 epch:0.16 loss:{loss:.3} grdn:nan \
         lr:1.0e-05 updt_s:0.048 data_s:0.002\n"
    )
}

#[test]
fn steps_are_counted_as_the_lines_tell_them() {
    let log = "INFO 2025-05-28 12:12:33 ts/train.py:190 cfg.steps=20000 (20K)\n".to_owned()
        + &line("800", 7.5)
        + &line("1K", 3.25);
    assert_eq!(summary(&log), ("lerobot-train".into(), Some(1000), Some(20_000), "incomplete"));
    assert_eq!(metrics(&log), json!({"loss": 3.25, "steps_per_s": 20.0}));
    assert_eq!(summary(&line("800", 7.5)).2, None);
}

#[test]
fn a_bar_knows_the_step_exactly_and_evaluations_in_between_do_not_count() {
    let bar = |done: u64| format!("\rTraining:  50%|█████     | {done}/1600 [03:27<03:27,  1.35step/s]");
    let log = bar(1400)
        + &line("1K", 3.0)
        + "\rStepping through eval batches:  50%|█████| 1/2 [00:09<00:09,  9.1s/it, running_success_rate=50.0%]\n"
        + &bar(1600)
        + &line("2K", 2.0);
    assert_eq!(summary(&log), ("lerobot-train".into(), Some(1600), Some(1600), "succeeded"));
    assert_eq!(summary(&(line("200", 1.0) + "INFO x ts/train.py:300 End of training\n")).3, "succeeded");
}

#[test]
fn bars_of_other_trainings_are_not_lerobots() {
    assert_eq!(summary("\rTraining:  50%|█████ | 1/2 [00:09<00:09,  9.1s/it]\nEnd of training\n").0, "tqdm");
}

#[test]
fn evaluations_in_between_tell_their_results() {
    let start = "INFO 2025-05-28 12:12:33 ts/train.py:190 cfg.steps=20000 (20K)\n";
    let bar = "\rStepping through eval batches:  50%|█████| 1/2 [00:09<00:09,  9.1s/it, running_success_rate=90.0%]\n";
    let tracker = "INFO 2025-05-28 12:42:40 ts/train.py:275 step:10K smpl:80K ep:399 epch:3.12 ∑rwrd:12.500 success:40.0 eval_s:70.250\n";
    let expected = json!({"success_rate": 0.4, "mean_sum_reward": 12.5, "eval_s": 70.25});
    assert_eq!(metrics(&format!("{start}{bar}{tracker}")), expected);
    assert_eq!(summary(&format!("{start}{bar}{tracker}")).0, "lerobot-train");
    let suite =
        |name: &str, results: &str| format!("INFO x ot_train.py:738 Suite {name} aggregated: {results}\n");
    let dictionaries = suite(
        "per_group",
        "{'pusht': {'avg_sum_reward': 9.0, 'pc_success': 99.0, 'n_episodes': 5}}",
    ) + &suite(
        "overall",
        "{'avg_sum_reward': 12.5, 'avg_max_reward': 0.5, 'pc_success': 40.0, 'n_episodes': 5, 'eval_s': 70.25}",
    );
    let expected = json!({
        "success_rate": 0.4, "mean_sum_reward": 12.5, "mean_max_reward": 0.5, "eval_s": 70.25, "episodes": 5.0, "successes": 2.0,
    });
    assert_eq!(metrics(&(start.to_owned() + bar + &dictionaries)), expected);
}

#[test]
fn a_rounded_step_is_not_the_last_one() {
    let training = |total: u64, step: &str| {
        format!("INFO x ts/train.py:190 cfg.steps={total} (50K)\n{}", line(step, 2.0))
    };
    assert_eq!(summary(&training(50_000, "50K")).3, "unknown", "it may be 49,600");
    assert_eq!(summary(&training(800, "800")).3, "succeeded");
    let ended = training(50_000, "50K") + "INFO x ot_train.py:438 End of training\n";
    assert_eq!(summary(&ended), ("lerobot-train".into(), Some(50_000), Some(50_000), "succeeded"));
    let progress = ProgressSpec { total: Some(50_000), ..ProgressSpec::of_preset("lerobot-train") };
    let mut reader = LogReader::new(Arc::new(LogRules::compile(&progress, &[], &[]).unwrap()));
    reader.feed(line("50K", 2.0).as_bytes(), &mut Vec::new());
    reader.finish(&mut Vec::new());
    assert_eq!(ScanVerdict::of(reader.reading()).as_str(), "unknown", "as it may with a declared total");
}

#[test]
fn the_end_tells_that_the_last_step_was_made() {
    let log = "INFO x ts/train.py:190 cfg.steps=1600 (2K)\n".to_owned()
        + &line("2K", 2.0)
        + "INFO x End of training\n";
    assert_eq!(summary(&log), ("lerobot-train".into(), Some(1600), Some(1600), "succeeded"));
}

#[test]
fn a_training_after_another_begins_anew() {
    let begin = |steps: u32| format!("INFO x ot_train.py:336 cfg.steps={steps} (10K)\n");
    let bar = |done: u32, total: u32| {
        format!("\rTraining:  50%|█████     | {done}/{total} [03:27<03:27,  1.35step/s]")
    };
    let end = "INFO x ot_train.py:533 End of training\n";
    let first = begin(100) + &bar(100, 100) + end;
    let thrown = "Traceback (most recent call last):\n  File \"t.py\", line 3, in f\nValueError: x\n";
    let log = first + thrown + &begin(180) + &bar(0, 80) + &bar(40, 80);
    assert_eq!(summary(&log), ("lerobot-train".into(), Some(40), Some(80), "incomplete"));
    let log = log + "INFO x ot_train.py:673 step 140: eval_loss=0.1250\n" + &bar(80, 80) + end;
    assert_eq!(summary(&log), ("lerobot-train".into(), Some(80), Some(80), "succeeded"));
    assert_eq!(metrics(&log), json!({"eval_loss": 0.125}));
}
