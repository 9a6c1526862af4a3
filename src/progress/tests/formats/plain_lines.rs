//! Programs that count on plain lines, one table each.

use serde_json::json;

use crate::progress::tests::any_cut::{metrics, read, summary};

fn told(log: &str) -> (String, Option<u64>, Option<u64>, &'static str) {
    summary(log)
}

#[test]
fn openpi_tells_its_steps_in_two_ways() {
    let progress = |done: &str| {
        format!("Progress on: {done}it/30.0kit rate:2.0it/s remaining:2:25:00 elapsed:1:45:00 postfix:-\n")
    };
    let step = |step: u64| format!("Step {step}: grad_norm=0.3100, loss=0.0111, param_norm=1803.3000\n");
    let half = progress("12.6k") + &step(12_600);
    assert_eq!(told(&half), ("openpi".into(), Some(12_600), Some(30_000), "incomplete"));
    assert_eq!(metrics(&half), json!({"loss": 0.0111, "grad_norm": 0.31}));
    let none = "Progress on: -/30000 rate:- remaining:? elapsed:00:06 postfix:-\n";
    assert_eq!(told(none), ("openpi".into(), Some(0), Some(30_000), "incomplete"));
    let rounded = half.clone() + &step(29_960) + &progress("30.0k");
    assert_eq!(told(&rounded).3, "unknown", "29,960 look the same");
    let whole = rounded + "23:10:01.101 [I] Waiting for checkpoint manager to finish\n";
    assert_eq!(told(&whole).3, "succeeded");
    let bar = format!("\r 13%|███▎   | 2004/15000 [2:49:13<23:48:14,  6.59s/it]\n{}", step(2100))
        + "\r 15%|███▎   | 2204/15000 [2:59:13<23:08:14,  6.59s/it]";
    assert_eq!(told(&bar), ("openpi".into(), Some(2204), Some(15_000), "incomplete"));
}

#[test]
fn omnigibson_sums_up_behind_an_error_too() {
    let log = |line: &str| format!("[INFO] [omnigibson.learning.eval] {line}\n");
    let begun = log("Starting OmniGibson.") + &log("Starting task instance 109 for evaluation...");
    let trial = |n: u64, successes: u64| {
        log("Evaluation finished at step 1904.")
            + &log(&format!("Total trials: {n}"))
            + &log(&format!("Total success trials: {successes}"))
    };
    let half = begun + &trial(1, 0) + &log("Starting task instance 139 for evaluation...") + &trial(2, 1);
    assert_eq!(told(&half), ("omnigibson".into(), Some(2), None, "unknown"));
    let sums = log("Total success trials: 1") + &log("Total trials: 2") + &log("Success rate: 0.5");
    let whole = half + &log(&"=".repeat(50)) + &sums + &log(&"=".repeat(50));
    assert_eq!(told(&whole).3, "succeeded");
    assert_eq!(metrics(&whole), json!({"episodes": 2.0, "successes": 1.0, "success_rate": 0.5}));
    let error = "Traceback (most recent call last):\n  File \"eval.py\", line 400, in <module>\n    evaluator.step()\nRuntimeError: no action\n";
    assert_eq!(told(&(whole + error)).3, "failed");
}

#[test]
fn habitat_counts_updates() {
    let update = |n: u64| {
        format!(
            "2026-09-29 12:18:38,350 update: {n}\tfps: 40.826\t\n2026-09-29 12:18:38,351 update: {n}\tenv-time: 643.510s\t\
             pth-time: 476.859s\tframes: {}\n2026-09-29 12:18:38,352 Average window size 50 reward: 0.286\n",
            750 * n
        )
    };
    let log = update(10) + &update(20);
    assert_eq!(told(&log), ("habitat".into(), Some(20), None, "unknown"));
    assert_eq!(metrics(&log), json!({"steps_per_s": 40.826, "frames": 15_000.0, "mean_reward": 0.286}));
}

#[test]
fn each_game_that_rl_games_plays_is_one_more() {
    let games = "=> loading checkpoint 'runs/Ant/nn/Ant.pth'\nreward: 4870.57 steps: 999.0\nreward: 310.1 steps: 121.0\n";
    assert_eq!(told(games), ("rl-games-play".into(), Some(2), None, "unknown"));
    let played = games.to_owned() + "av reward: 2590.34 av steps: 560.0\n";
    assert_eq!(told(&played).3, "succeeded");
    assert_eq!(metrics(&played)["mean_reward"], 2590.34);
}

#[test]
fn a_full_score_on_rlbench_is_a_success() {
    let episode = |n: u64, score: &str| {
        format!(
            "Evaluating close_jar | Episode {n} | Score: {score} | Episode Length: 6 | Lang Goal: close it\n"
        )
    };
    let log = episode(0, "100.0") + &episode(1, "0.0");
    assert_eq!(told(&log), ("rlbench".into(), Some(2), None, "unknown"));
    assert_eq!(metrics(&log), json!({"episodes": 2.0, "successes": 1.0, "success_rate": 0.5}));
}

#[test]
fn only_its_table_ends_an_evaluation_of_language_models() {
    let bar = "\rRunning loglikelihood requests:  50%|██  | 20/40 [00:11<00:11, 1.64it/s]\
               \rRunning loglikelihood requests: 100%|████| 40/40 [00:22<00:00, 1.64it/s]\n";
    assert_eq!(told(bar), ("lm-eval".into(), Some(40), Some(40), "unknown"), "other requests may come");
    let table = bar.to_owned()
        + "100%|████| 100/100 [00:02<00:00, 40.0it/s]\n| Tasks |Version|Filter|n-shot|Metric|   |Value|   |Stderr|\n";
    assert_eq!(told(&table), ("lm-eval".into(), Some(40), Some(40), "succeeded"));
    let cut = bar.split_inclusive("1.64it/s]").next().unwrap();
    assert_eq!(told(cut).3, "incomplete");
}

#[test]
fn the_trainer_of_hugging_face_tells_its_end() {
    let step = |n: u64| {
        format!(
            "{{'loss': 0.61, 'grad_norm': 1.2, 'learning_rate': 4e-05, 'epoch': {n}.0}}\n\r{n:>3}%|██  | {n}/3 [00:09<00:09, 1.6it/s]"
        )
    };
    let loading = "\rLoading checkpoint shards: 100%|████| 2/2 [00:39<00:00, 19.5s/it]\n";
    let log = format!("{loading}{}{}", step(1), step(2));
    assert_eq!(told(&log), ("hf-trainer".into(), Some(2), Some(3), "incomplete"));
    let whole = log
        + &step(3)
        + "\n{'train_runtime': 180.2, 'train_steps_per_second': 1.66, 'train_loss': 0.62, 'epoch': 3.0}\n\
        \r  0%|    | 0/7 [00:00<?, ?it/s]\r 57%|██  | 4/7 [00:09<00:09, 1.6it/s]\n";
    assert_eq!(
        told(&whole),
        ("hf-trainer".into(), Some(3), Some(3), "incomplete"),
        "its evaluation is not over"
    );
    let whole = whole + "\r100%|████| 7/7 [00:11<00:00, 1.6it/s]\n";
    assert_eq!(told(&whole).3, "succeeded");
    assert_eq!(told(&(whole.clone() + &step(1))).3, "incomplete", "another training");
    let row = "{'loss': 0.61, 'grad_norm': 1.2, 'learning_rate': 4e-05, 'epoch': 0.1}\n";
    assert_ne!(told(&(whole.clone() + row)).3, "succeeded", "another training, whose bar is not drawn yet");
    let thrown = "Traceback (most recent call last):\n  File \"train.py\", line 9, in <module>\n    save(out)\n\
        TypeError: Object of type bool_ is not JSON serializable\n";
    assert_eq!(told(&(whole.clone() + thrown)).3, "failed", "it was trained and not saved");
    assert_eq!(metrics(&whole)["train_loss"], 0.62);
}

#[test]
fn verl_and_the_playground_count_steps() {
    let step = |n: u64| {
        format!(
            "(TaskRunner pid=7) step:{n} - global_seqlen/min:41.0 - actor/pg_loss:0.020 - critic/score/mean:0.507\n"
        )
    };
    let log = step(8) + "\rTraining Progress:   6%|▌  | 9/150 [23:07<5:43:53, 146.34s/it]\n" + &step(9);
    assert_eq!(told(&log), ("verl".into(), Some(9), Some(150), "incomplete"));
    assert_eq!(metrics(&log)["mean_score"], 0.507);
    let playground = "0: reward=1.234\n5734400: reward=12.110\n";
    assert_eq!(told(playground), ("mujoco-playground".into(), Some(5_734_400), None, "unknown"));
    assert_eq!(told(&format!("{playground}Done training.\n")).3, "succeeded");
    assert_eq!(
        told(&format!("{playground}time to jit: 0:00:31.2\ntime to train: 0:09:12.5\n")).3,
        "succeeded"
    );
    let several = "| eval  | E: 1000 | S: 150000 | R: 196.9513 | Su: 0.1000 | R_0: 423.5090 | Su_0: 0.0000\n";
    assert_eq!(metrics(several)["success_rate"], 0.1);
}

#[test]
fn words_of_other_programs_are_not_theirs() {
    for line in [
        "reward: 4.0", "update: 7", "Step 12: loss=0.1", "Evaluating close_jar", "{'loss': 0.5}",
        "Done training.", "step:9 - x",
    ] {
        let preset = read(&format!("{line}\n")).preset;
        assert!(
            preset.is_none_or(|preset| ["counter", "episode", "tqdm"].contains(&preset)),
            "{line}: {preset:?}"
        );
    }
}

#[test]
fn a_training_with_hugging_face_whose_bar_was_lost_tells_how_much_it_did() {
    let begun =
        "\r  0%|          | 0/625 [00:00<?, ?it/s]\n{'loss': 0.23, 'learning_rate': 1e-05, 'epoch': 0.5}\n";
    let end = |speed: &str| {
        format!(
            "{begun}{{'train_runtime': 767.7949, 'train_steps_per_second': {speed}, 'train_loss': 0.06}}\n"
        )
    };
    assert_eq!(told(&end("0.814")), ("hf-trainer".into(), Some(625), Some(625), "succeeded"));
    assert_eq!(told(&end("0.5")).1, None, "it stopped early");
}

#[test]
fn trainings_with_hugging_face_one_after_another_may_draw_no_bar() {
    let row = "{'loss': 0.61, 'grad_norm': 1.2, 'learning_rate': 4e-05, 'epoch': 0.5}\n";
    let end = "{'train_runtime': 48.9, 'train_steps_per_second': 16.441, 'train_loss': 0.32, 'epoch': 3.0}\n";
    let first = format!("Training model bert on dataset sst2\n{row}{end}\n");
    assert_eq!(told(&first), ("hf-trainer".into(), None, None, "succeeded"));
    let second = format!("{first}Training model bert on dataset cola\n{row}");
    assert_ne!(told(&second).3, "succeeded", "the second one has not ended");
    assert_eq!(told(&(second + end)), ("hf-trainer".into(), None, None, "succeeded"));
}

#[test]
fn a_training_with_hugging_face_may_draw_its_bar_without_strokes() {
    let end = "{'train_runtime': 11.2237, 'train_steps_per_second': 0.713, 'train_loss': 1.5}\n";
    let log = format!("\r  0% 0/8 [00:00<?, ?it/s]\n{end}\r100% 8/8 [00:11<00:00,  1.40s/it]\n");
    assert_eq!(told(&log), ("hf-trainer".into(), Some(8), Some(8), "succeeded"));
    let second = format!("{log}second adapter\n\r 25% 2/8 [00:03<00:09,  1.40s/it]\n");
    assert_eq!(told(&second).3, "incomplete");
}
