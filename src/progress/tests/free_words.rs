//! Logs in free words: rates, counts behind values, sums, bars without a name, and other languages.

use serde_json::json;

use super::any_cut::{metrics, read, summary};
use crate::progress::scan::reading::ScanVerdict;

#[test]
fn a_rate_in_free_words_is_read_where_nothing_else_counts() {
    assert_eq!(metrics("Evaluated the policy.\nSuccess rate: 60.0%\n"), json!({"success_rate": 0.6}));
    assert_eq!(metrics("Tasks: 30\nSuccess: 0 / 30\nSuccess rate: 0.0000\n"), json!({"success_rate": 0.0}));
    let suites = "kitchen\nSuccess rate: 0.5\noffice\nSuccess rate: 0.7\n";
    assert_eq!(metrics(suites), json!({}), "of two, none is that of all");
    let overall = format!("{suites}Overall success rate: 0.6\n");
    assert_eq!(metrics(&overall), json!({"success_rate": 0.6}));
    assert_eq!(metrics("Task 3 success rate: 0.5\nBest success rate: 0.9\n"), json!({}));
    assert_eq!(summary("Success rate: 60.0%\n").3, "unknown", "a rate proves no end");
}

#[test]
fn the_newest_rate_of_a_training_counts() {
    let epoch = |n: u64| format!("  Epoch {n}: loss=3{n}.58, reward=2.79, success=5{n}.00%\n");
    assert_eq!(metrics(&(1..=6).map(epoch).collect::<String>()), json!({"success_rate": 0.56}));
    let abbreviated =
        |n: u64| format!("Iter {n}: SR 4{n}.2%, Q 150.82\n  Ex 1: Fail (R: -0.05, Steps: 12)\n");
    assert_eq!(metrics(&(1..=6).map(abbreviated).collect::<String>()), json!({"success_rate": 0.462}));
    let bar = |n: u64| format!("\r 10%|█   | {n}/300 [00:0{n}<30:00, 1.0s/it]\n");
    let trained: String = (1..=6).map(|n| bar(n) + &epoch(n)).collect();
    assert_eq!(metrics(&trained)["success_rate"], 0.56);
    let tracked =
        "wandb: Run summary:\nwandb:        epoch 200\nwandb: success_rate 0.54\nwandb: value_loss 30.4\n";
    assert_eq!(metrics(tracked), json!({"success_rate": 0.54}));
}

#[test]
fn a_line_that_sums_up_says_how_many_there_were() {
    let one = |n: u64| {
        format!(
            "09/04 [10:00:0{n}] INFO     | >> Finished rollout=task_{n} success=True steps=20 reason=success\n"
        )
    };
    let end = |n: u64| {
        format!(
            "09/04 [10:00:09] INFO     | >> Simulation finished: rollouts={n} success_rate=0.75 completed=True\n"
        )
    };
    let log = (0..4).map(one).collect::<String>() + &end(4);
    assert_eq!(summary(&log), ("steps".into(), Some(4), Some(4), "succeeded"));
    assert_eq!(metrics(&log)["success_rate"], 0.75);
    assert_eq!(summary(&(one(0) + &end(1))), ("steps".into(), Some(1), Some(1), "succeeded"));
    assert_eq!(summary(&(one(0) + &end(3))).3, "succeeded", "it says that it is over");
    assert_eq!(summary(&end(3)).3, "succeeded", "none was counted, but it says so");
}

#[test]
fn counts_may_stand_behind_values_and_before_dots() {
    let of = |unit: u64| ("steps".to_owned(), Some(unit), None, "unknown");
    let behind = |n: u64| format!("Actor_0 INFO episodic returns: {n}6.5, total_time: 2{n}9, episode: {n}\n");
    assert_eq!(summary(&(1..=6).map(behind).collect::<String>()), of(6));
    let dots = |n: u64| format!("Epoch {n}...\n    LossPi=0.1{n}\n    TestEpRet: 990.{n}, TestEpLen:1000\n");
    assert_eq!(summary(&(1..=6).map(dots).collect::<String>()), of(5), "the sixth has begun");
    let row = |n: u64| format!("TIMESTEP {n} / STATE explore / ACTION 0.0 / REWARD 0.1\n");
    assert_eq!(summary(&(1..=6).map(row).collect::<String>()), of(6));
    let short = |n: u64| format!("EP:{n} | TD Error [72.4{n}, 39.41] | ep_r -56 | sum_rate 5.2{n}\n");
    assert_eq!(summary(&(1..=6).map(short).collect::<String>()), of(6));
    let number = |n: u64| format!("time elapsed: 0:02:0{n}\nnum of updates: {}\nloss: 0.5{n}\n", 1000 * n);
    assert_eq!(summary(&(1..=4).map(number).collect::<String>()), of(4000));
    let logged = |n: u64| {
        format!("2026-04-14 09:41:25,91{n} [INFO] collection — Episode 00{n} | reward=11.0 length=1{n}\n")
    };
    assert_eq!(summary(&(1..=6).map(logged).collect::<String>()).1, Some(6));
}

/// A training under a bar without a name.
fn epochs(names: impl Fn(u64) -> String, last: u64, total: u64) -> String {
    let bar =
        |n: u64| format!("\r{:3}%|██   | {n}/{total} [0{}:00<00:09, 60.0s/it]", 100 * n / total, n.min(9));
    let one = |n: u64| format!("{}{}\nTrain loss: 0.1{n}\n", bar(n), names(n));
    (0..last).map(one).collect::<String>() + &bar(last) + "\n"
}

#[test]
fn a_bar_without_a_name_is_the_work_where_epochs_keep_pace_with_it() {
    let paced = |n| format!("\nEpoch {n}, lr: 0.001");
    assert_eq!(summary(&epochs(paced, 6, 6)), ("tqdm".into(), Some(6), Some(6), "succeeded"));
    let from_one = |n| format!("\nEpoch {}, lr: 0.001", n + 1);
    assert_eq!(summary(&epochs(from_one, 6, 6)).3, "succeeded");
    assert_eq!(summary(&epochs(|_| String::new(), 6, 6)).3, "unknown", "it may be anything");
    let other = |n| format!("\nEpoch {}, lr: 0.001", 4 * n);
    assert_eq!(summary(&epochs(other, 6, 6)).3, "unknown", "epochs of another pace");
    let read_on = epochs(paced, 6, 6) + "\r 20%|██   | 1/5 [00:01<00:04, 1.0s/it]\n";
    assert_ne!(summary(&read_on).3, "succeeded", "more work comes");
}

#[test]
fn a_log_that_ends_within_a_long_bar_is_incomplete() {
    let bar = |elapsed: &str| format!("PnP started.\r  1%|▍    | 7100/500000 [{elapsed}<2:52:15, 47.69it/s]");
    let reading = read(&bar("02:29"));
    assert_eq!(ScanVerdict::of(&reading).as_str(), "incomplete");
    assert_eq!(summary(&bar("00:29")).3, "incomplete", "its line has not ended");
    assert_eq!(summary(&(bar("00:29") + "\n")).3, "unknown", "a loop may be left early");
    assert_eq!(summary(&(bar("02:29") + "\n")).3, "incomplete");
    assert_eq!(summary(&(bar("02:29") + "\nleft the loop\n")).3, "unknown");
}

#[test]
fn the_words_of_an_end_may_be_chinese() {
    let scene = |n: u64| format!("[{n}/2] 当前场景: S{n}\n  iter=10, reward=2.0\n✓ 场景 S{n} 训练完成\n");
    let begun = scene(1) + "[2/2] 当前场景: S2\n";
    assert_ne!(summary(&begun).3, "succeeded");
    let whole = scene(1) + &scene(2) + "所有场景训练完成!\n成功率: 60.0%\n";
    let (preset, done, total, verdict) = summary(&whole);
    assert_eq!((&*preset, done, total, verdict), ("counter", Some(2), Some(2), "succeeded"));
    assert_eq!(metrics(&whole)["success_rate"], 0.6);
}

#[test]
fn bars_may_come_before_the_lines_that_say_whose_they_are() {
    let log = "\r 99%|███ | 624/625 [11:40<00:01,  1.12s/it]\r100%|████| 625/625 [11:42<00:00,  1.21s/it]\n\
               {'loss': 0.2, 'learning_rate': 2e-05, 'epoch': 0.5}\n{'loss': 0.1, 'learning_rate': 1e-05, 'epoch': 1.0}\n\
               {'train_runtime': 702.7, 'train_loss': 0.15, 'epoch': 1.0}\n";
    assert_eq!(summary(log), ("hf-trainer".into(), Some(625), Some(625), "succeeded"));
    let behind = log.split_once('\n').unwrap().1;
    let begun =
        format!("\r  0%|    | 0/625 [00:00<?, ?it/s]/x/checkpoint.py:429: UserWarning: none\n{behind}");
    assert_eq!(summary(&begun).3, "succeeded", "its other drawings went elsewhere");
}

#[test]
fn what_a_summary_repeats_of_the_start_is_no_other_run() {
    let start = "Grasping of cups\ncheckpoint: model_1.pt\nenvironment: kitchen\n";
    let work = "Episode 1/2: success\nEpisode 2/2: success\n";
    let end = "checkpoint: model_1.pt\nenvironment: kitchen\nmean reward 3.5\n";
    for log in
        [format!("{start}{work}{end}"), format!("{start}{work}=== Summary ===\n{start}mean reward 3.5\n")]
    {
        let reading = read(&log);
        assert_eq!((ScanVerdict::of(&reading).as_str(), reading.runs()), ("succeeded", 1), "{log}");
    }
    assert_eq!(summary(&format!("{start}{work}{start}")).3, "incomplete", "a start is one");
}

#[test]
fn the_console_that_started_it_knows_how_it_ended() {
    let verdict = |log: &str| ScanVerdict::of(&read(log)).as_str();
    let log = "episode reward=0.2 episode length=126\nmean reward=0.15 +/- 0.2\n";
    let ended = "\nProcess finished with exit code 0\n\n";
    assert_eq!(verdict(log), "unknown");
    assert_eq!(verdict(&format!("{log}{ended}")), "succeeded");
    assert_eq!(
        verdict(&format!("{log}{ended}>>> python a.py\nstarting\nat work\n")),
        "unknown",
        "another began"
    );
    assert_eq!(verdict(&format!("Episode 3/10: success\n{ended}")), "incomplete");
    let thrown =
        "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    f()\nKeyError: 'x'\n";
    assert_eq!(verdict(&format!("{log}{thrown}{ended}")), "failed", "the code does not count");
    assert_eq!(verdict(&format!("{log}{}", ended.replace("code 0", "code 01"))), "unknown");
}

#[test]
fn an_experiment_says_that_it_is_complete() {
    let verdict = |log: &str| ScanVerdict::of(&read(log)).as_str();
    let logged = |n| format!("2026-03-09 20:48:53,759 - INFO - Iteration {n}: score=0.9666\n");
    let counted: String = (1..=5).map(logged).collect();
    assert_eq!(verdict(&counted), "unknown");
    let end = "2026-03-09 21:35:11,903 - INFO - Evolution complete. Best program: score=0.9, ss_error=0.01\n";
    assert_eq!(verdict(&format!("{counted}{end}Saved best program\n")), "succeeded");
    assert_eq!(
        verdict(&format!("{counted}=====\nEXPERIMENT COMPLETE\n=====\nTotal time: 26.0 hours\n")),
        "succeeded"
    );
    assert_eq!(verdict(&format!("{counted}Plots are drawn once the experiment complete\n")), "unknown");
}

#[test]
fn columns_between_drawn_bars_are_a_prefix() {
    let logged =
        |n: u64| format!("14:39:24 │ INFO     │   Step  {n}50,000 | Mean reward:   -17.2 | Std:   2.1\n");
    let steps: String = (1..=6).map(logged).collect();
    assert_eq!(summary(&steps), ("steps".into(), Some(650_000), None, "unknown"));
    let whole = format!("{steps}15:19:51 │ INFO     │ \n  ✓ Training complete in 2425s\n");
    assert_eq!(summary(&whole).3, "succeeded");
}

#[test]
fn keras_without_a_bar_ends_its_epochs() {
    let epoch = |n: u64| format!("Epoch {n}/3\n21/21 - 6s - 275ms/step - loss: 0.48 - val_loss: 0.5\n");
    let log: String = (1..=3).map(epoch).collect();
    assert_eq!(summary(&log), ("tqdm".into(), Some(3), Some(3), "unknown"));
    assert_eq!(summary(&(epoch(1) + "Epoch 2/3\n")), ("tqdm".into(), Some(1), Some(3), "unknown"));
}

#[test]
fn bars_named_by_their_epoch_count_epochs() {
    let bar = |name: &str, done: u64| format!("\r{name}:  50%|###  | {done}/16 [00:01<00:01, 8.00it/s]");
    let epoch =
        |number: u64| bar(&format!("Epoch #{number}"), 8) + &bar(&format!("Epoch #{number}"), 16) + "\n";
    let (_, done, total, verdict) = summary(&(epoch(1) + &epoch(2)));
    assert_eq!((done, total, verdict), (Some(2), None, "unknown"));
    let lightning = (0..3).map(|number| bar(&format!("Epoch {number}"), 16)).collect::<String>()
        + "\n`Trainer.fit` stopped: `max_epochs=3` reached.\n";
    assert_eq!(summary(&lightning), ("tqdm".into(), Some(3), Some(3), "succeeded"));
}

#[test]
fn a_training_that_stops_early_has_ended() {
    let log = "max_episodes: 500\n".to_owned()
        + &(1..60).map(|n| format!("Episode {n} | Reward: {n}.0 | Loss: 0.1\n")).collect::<String>();
    assert_eq!(summary(&log).3, "incomplete");
    let ended = log + "Early stopping triggered: mean reward reached 500.00.\nEnvironments closed.\n";
    assert_eq!(summary(&ended).3, "succeeded");
}

#[test]
fn steps_within_episodes_know_no_announced_total() {
    let episode = "Step 1 Action: 0.5\nStep 2 Action: 0.4\nStep 3 Action: 0.1\nRESULT: SUCCESS\n";
    let log = "max_steps: 50\n".to_owned() + &episode.repeat(5) + "#SUCCESS_RATE: 100.0%\n#AVG_STEP: 3.0\n";
    let (_, _, total, verdict) = summary(&log);
    assert_eq!((total, verdict), (None, "unknown"));
    assert_eq!(metrics(&log)["success_rate"], 1.0);
}

#[test]
fn what_was_announced_is_done_where_the_end_says_so() {
    let begun = "Starting eval of 1000 games...\nWeights: [1, 2]\n";
    assert_eq!(summary(begun), ("none".into(), None, None, "unknown"));
    let ended = begun.to_owned() + "Done playing 1000 games. Games won: 671, time taken: 11.0\n";
    assert_eq!(summary(&ended), ("none".into(), Some(1000), Some(1000), "succeeded"));
}

#[test]
fn a_round_of_trials_with_outcomes_is_all_there_is() {
    let trials = |last: u64| {
        (1..=last).map(|n| format!("env: push | trial {n}/20 | success: True\n")).collect::<String>()
    };
    assert_ne!(summary(&trials(19)).3, "succeeded");
    assert_eq!(summary(&trials(20)).3, "succeeded");
    assert_ne!(summary(&(trials(20) + &trials(3))).3, "succeeded", "another round");
    assert_ne!(summary(&(trials(20) + &trials(20))).3, "succeeded", "there may be a third one");
}

#[test]
fn sections_with_dots_are_no_counts() {
    let log = "  总迭代数: 182000\n[1/3] 创建环境...\n[2/3] 初始化 PPO...\n[3/3] 初始化环境状态...\n"
        .to_owned()
        + &(1..30).map(|n| format!("  iter  {} | frames {n} | fps 16050\n", n * 10)).collect::<String>();
    assert_eq!(summary(&log), ("steps".into(), Some(290), Some(182_000), "incomplete"));
}

#[test]
fn the_report_of_a_scheduler_says_that_a_job_failed() {
    let log = "Episode 1/3 reward=1\n".to_owned()
        + "\n-----\nSender: LSF System\nExited with exit code 1.\n\nResource usage summary:\n";
    assert_eq!(summary(&log).3, "failed");
}

#[test]
fn bars_behind_those_that_count_epochs_lie_within_them() {
    let head = "      Epoch    GPU_mem   box_loss\n";
    let epoch = |number: u64| {
        format!(
            "\r      {number}/50      3.21G       1.18: 50% ━━━━━━╸ 254/508 10.4it/s 25.4s<0.2s\
                 \r      {number}/50      3.21G       1.18: 100% ━━━━━━━━ 508/508 11.2it/s 45.5s\n\
                 \r                 Class     Images: 50% ━━━━━╸ 48/96 15.3it/s 4.5s<0.1s\
                 \r                 Class     Images: 100% ━━━━━━━━ 96/96 11.1it/s 8.7s\n"
        )
    };
    let log = (1..=21).map(|number| head.to_owned() + &epoch(number)).collect::<String>();
    let (_, done, total, _) = summary(&log);
    assert_eq!((done, total), (Some(21), Some(50)));
}

#[test]
fn what_the_shell_says_of_a_killed_program_may_lie_behind_its_bar() {
    let bar = "Running rollout:  69%|██████▉   | 346/500 [00:51<00:57,  8.94s/it]";
    for word in ["Terminated", "Killed"] {
        assert_eq!(summary(&format!("{bar}{word}\n")).3, "failed", "{word}");
    }
    let crashed = format!("loading\n{bar}Segmentation fault (core dumped)\n");
    assert_eq!(summary(&crashed).3, "failed", "the first bar of the log");
    let again = bar.replace("346/500", "347/500");
    assert_ne!(summary(&format!("{crashed}{again}\n")).3, "failed", "another program went on");
    assert_ne!(summary("loading\nagents: [1,2,3]Killed\n").3, "failed", "no bar");
    let spinner = "getting output:  20% (117/558) [#      ] eta 28:34:54 \\Terminated\n";
    assert_eq!(summary(spinner).3, "failed");
    assert_eq!(summary("loading\nTerminated\n").3, "failed");
    assert_ne!(summary("loading\nTerminated\nEpisode 1 begins\n").3, "failed", "perhaps a helper");
}

#[test]
fn a_training_may_be_cut_behind_the_rate_of_an_evaluation() {
    let epochs = (1..=10).map(|n| format!("Epoch {n} | loss 0.{n}\n")).collect::<String>();
    let log = epochs + "Evaluation: success rate: 0.40, mean reward: 3.0\n";
    assert_eq!(summary(&log).3, "unknown");
    assert_eq!(
        summary("loading\nTEST has success rate: 0.82, nav time: 10.6\nTimeout cases: 3 5\n").3,
        "succeeded"
    );
}

#[test]
fn an_epoch_may_end_without_its_total() {
    let epoch = |n: u64| {
        format!("=== Epoch {n}/3 ===\n[timing] sample processed in 19{n}.74s\n==end-of-epoch {n}==\n")
    };
    let log = epoch(1) + &epoch(2);
    assert_eq!(summary(&log), ("tqdm".into(), Some(2), Some(3), "unknown"));
    assert_eq!(summary(&(log.clone() + &epoch(3))).1, Some(3));
    assert_eq!(summary(&(log + "=== Epoch 3/3 ===\n==end-of-epoch 2==\n")).1, Some(2), "of another one");
}

#[test]
fn words_at_the_end_end_the_last_one_that_was_begun() {
    let query = |n: u64| format!("2025-12-24 15:08:32 - [INFO] - 进度: [{n}/20] | Query ID: a{n}\nF1=0.57\n");
    let log = (1..=20).map(query).collect::<String>();
    assert_eq!(summary(&log), ("counter".into(), Some(19), Some(20), "incomplete"));
    let ended = log + "2025-12-24 15:08:40 - [INFO] - 结果已保存至: data/results.jsonl\n";
    assert_eq!(summary(&ended), ("counter".into(), Some(20), Some(20), "succeeded"));
}

fn verdict_behind_counts(tail: &str) -> &'static str {
    let counted: String = (1..8).map(|n| format!("Iter {n}00: reward=1.{n}\n")).collect();
    ScanVerdict::of(&read(&format!("{counted}{tail}\n"))).as_str()
}

#[test]
fn an_end_on_whose_line_more_begins_is_none() {
    for line in [
        "Training finished, starting evaluation",
        "Training complete. Evaluating...",
        "Training done, now testing",
        "Finished training, evaluating on test set",
        "Training completed, running final evaluation on 100 episodes",
        "Offline training finished, online training begins",
        "Finished evaluation at step 1000",
        "Evaluation complete for seed 1",
        "Finished run 1",
        "Finished training seed 1",
        "Initial evaluation complete",
        "Warmup training finished",
        "Phase I training complete",
        "Process 3 finished",
        "Training complete, loading best checkpoint for evaluation",
        "Plot saved to plots/epoch_10.png",
        "Complete evaluation",
        "Final evaluation",
    ] {
        assert_eq!(verdict_behind_counts(line), "unknown", "{line}");
    }
    for line in [
        "Training complete",
        "Training finished at epoch 178",
        "Finished training and testing",
        "Finished training 3 models",
        "Training is complete now",
        "Final evaluation complete",
    ] {
        assert_eq!(verdict_behind_counts(line), "succeeded", "{line}");
    }
    for line in ["Finished evaluating 100 episodes", "Evaluation complete for walker", "Testing done in 3 s"]
    {
        assert_eq!(verdict_behind_counts(line), "unknown", "{line}: a training evaluates more than once");
        let evaluated = format!("episode 1 reward 3\nepisode 2 reward 3\nepisode 3 reward 3\n{line}\n");
        assert_eq!(summary(&evaluated).3, "succeeded", "{line}");
    }
}

#[test]
fn a_last_line_that_heads_a_part_takes_an_end_in_words_back() {
    for tail in [
        "Training complete\n=== Evaluation ===",
        "Training complete\nSeed 2",
        "Training complete\nFine-tuning...",
        "Done\nJob 2 of 5",
        "Results saved to results.json\npython eval.py --seed 2",
    ] {
        assert_eq!(verdict_behind_counts(tail), "unknown", "{tail}");
    }
    for tail in [
        "Training complete\nSeed 1: 0.5\nSeed 2: 0.85",
        "Training complete\nGenerating plots",
        "Training complete\nBest epoch: 50",
    ] {
        assert_eq!(verdict_behind_counts(tail), "succeeded", "{tail}");
    }
}
