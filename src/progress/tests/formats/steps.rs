//! Counts without an end, and plain words of one.

use crate::progress::scan::reading::ScanVerdict;
use crate::progress::tests::any_cut::{metrics, read, summary};

fn told(log: &str) -> (String, Option<u64>, Option<u64>, &'static str) {
    summary(log)
}

fn numbered(line: impl Fn(u64) -> String, numbers: std::ops::RangeInclusive<u64>) -> String {
    numbers.map(line).collect()
}

#[test]
fn numbers_that_grow_behind_a_word_say_how_far_it_is() {
    let of = |done| ("steps".to_owned(), Some(done), None, "unknown");
    let iterations =
        numbered(|n| format!("****** Iteration {n} ******\nCollecting data...\nLoss : 0.{n}\n"), 0..=9);
    assert_eq!(told(&iterations), of(9), "a heading: the tenth has begun");
    let logged = |n| {
        format!(
            "2026-11-07 10:26:34.540 | INFO     | __main__:main:139 - iter={n:04} reward=-107.7 ESS=0.59\n"
        )
    };
    assert_eq!(told(&numbered(logged, 0..=4)), of(5));
    let record = |n| {
        format!(
            "{{\"episode_reward\": 13.5, \"episode\": {n}.0, \"duration\": 0.7, \"step\": {}}}\n",
            250 * n
        )
    };
    assert_eq!(told(&numbered(record, 1..=7)), of(7));
    assert_eq!(told(&numbered(|n| format!("[Run 003] Epoch {n:03}, Avg Reward: -5.93\n"), 1..=6)), of(6));
    assert_eq!(
        told(&numbered(|n| format!("step : {}\neval_return : 500.0\n", 10_000 * n), 1..=6)),
        of(60_000)
    );
    let row = |n| format!("-------\n| EpisodeScore  | 91   |\n| Step          | {}  |\n-------\n", 100 * n);
    assert_eq!(told(&numbered(row, 1..=5)), of(500));
    assert_eq!(
        told(&numbered(|n| format!(" Simulating batch {n}\n"), 1..=6)).1,
        Some(5),
        "the sixth has begun"
    );
    let spaced = numbered(|n| format!(" step n=  {:11}  t=0.1E-2   bf =  1.0\n", 1000 * n), 0..=6);
    assert_eq!(told(&spaced), of(6000));
    let boxed = |n| {
        format!(
            "├──────────┼────────┤\n│                 iterations                  │         {n}         │\n"
        )
    };
    assert_eq!(told(&numbered(boxed, 1..=5)).1, Some(5));
    let epochs = |n: u64| {
        format!("Epoch {n}: loss=0.1\n") + &numbered(|step| format!("  step {step}: loss=0.1\n"), 1..=4)
    };
    assert_eq!(told(&numbered(epochs, 1..=5)), of(5), "the outer one drives");
}

#[test]
fn a_few_numbers_or_settings_are_no_count() {
    for log in [
        "epoch: 100\nstep: 10\nepisode: 3\n",
        "Saving every step 100\nSaving every step 200\nSaving every step 300\nSaving every step 400\n",
        "Loading batch 1\nLoading batch 2\nLoading batch 3\nLoading batch 4\n",
        "Best model at 3, step 100\nseed 1\nseed 2\nseed 3\nseed 4\n",
        "lr at epoch 1.5\nlr at epoch 2.5\nlr at epoch 3.5\nlr at epoch 4.5\n",
    ] {
        assert_eq!(told(log).1, None, "{log}");
    }
}

#[test]
fn what_has_only_begun_is_not_the_last_of_an_announced_number() {
    let deeds: String = (1..=10).map(|n| format!("Evaluating step {}\n", 10 * n)).collect();
    assert_ne!(told(&("max_steps: 100\n".to_owned() + &deeds)).3, "succeeded");
    let rows: String = [10, 25, 50].map(|n| format!("| episodes | {n} |\n")).concat();
    assert_ne!(told(&("episodes: 50\n".to_owned() + &rows)).3, "succeeded", "settings");
}

#[test]
fn a_rate_beside_such_a_count_is_one() {
    let line = |n| format!("Epoch {n}: policy_loss=0.08, success_rate=1.5{n}%, samples=319\n");
    assert!((metrics(&numbered(line, 1..=6))["success_rate"].as_f64().unwrap() - 0.0156).abs() < 1e-9);
}

#[test]
fn training_complete_ends_what_knows_no_end() {
    let table = |n: u64| {
        format!(
            "| time/              |          |\n|    fps             | 75       |\n|    total_timesteps | {}    |\n",
            2048 * n
        )
    };
    let counted = numbered(table, 1..=5);
    assert_eq!(told(&counted).3, "unknown");
    let whole = counted.clone() + "Training complete!\n";
    assert_eq!(told(&whole).3, "succeeded");
    assert_eq!(told("Training complete!\n").3, "succeeded", "nothing was counted, but it says so at the end");
    let open = numbered(|n| format!("Iter {n}: SR 54.6%, Q 228.7\n"), 1..=6)
        + "Training finished. Final model saved to a.zip\n";
    assert_eq!(told(&open).3, "succeeded");
    for behind in [
        "Starting evaluation...\n".to_owned(),
        table(1),
        "Traceback (most recent call last):\n  File \"a.py\", line 3, in main\n    evaluate()\nValueError: no checkpoint\n".to_owned(),
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n".to_owned(),
        "evaluated one more\n".repeat(120),
    ] {
        assert_ne!(ScanVerdict::of(&read(&(whole.clone() + &behind))).as_str(), "succeeded", "{behind}");
    }
    let short =
        "Epoch 1/10 - loss: 0.63\nEpoch 2/10 - loss: 0.06\nEpoch 3/10 - loss: 0.01\nTraining complete\n";
    assert_ne!(told(short).3, "succeeded", "it stopped early, and nobody knows why");
}

#[test]
fn what_counts_beyond_a_total_holds_what_has_it() {
    let episodes =
        |from: u64| numbered(|n| format!("Episode {n}, Reward: 7.0, Loss: 0.003\n"), from..=from + 40);
    let log = episodes(0) + "Evaluation episode 0/10\nEvaluation reward: 3\n" + &episodes(41);
    assert_eq!(told(&log), ("episode".into(), Some(81), None, "unknown"));
}

#[test]
fn trainings_in_the_words_of_drqv2_end_by_their_own() {
    let train = |s: u64| {
        format!(
            "[08/28/2023 05:57:30 PM] - [TRAIN] - S: {s}        | E: {}           | L: 500         | R: 277.332     | FPS: 61.594    | T: 0:00:16\n",
            s / 500
        )
    };
    let eval = "[08/28/2023 05:58:26 PM] - [EVAL.] - S: 5000        | E: 10          | L: 500         | R: 135.729     | T: 0:01:11\n";
    let log = train(1000) + &train(5000) + eval;
    assert_eq!(told(&log), ("drqv2".into(), Some(5000), None, "unknown"));
    assert_eq!(metrics(&log)["mean_reward"], 135.729);
    assert_eq!(told(&(log + "[08/28/2023 05:58:26 PM] - [INFO.] - Training Accomplished!\n")).3, "succeeded");
    let original =
        "| train | F: 4000 | S: 2000 | E: 4 | L: 500 | R: 5.5312 | BS: 2000 | FPS: 96.71 | T: 0:00:42\n";
    assert_eq!(told(original).1, Some(2000));
    let tdmpc = " train          E: 1                     I: 1,000                 R: 24.7                 T: 0:00:10\n";
    assert_eq!(told(tdmpc).1, Some(1000));
    assert_eq!(metrics(tdmpc)["mean_reward"], 24.7);
}

#[test]
fn another_bar_behind_trouble_is_no_redrawing() {
    let log = "Traceback (most recent call last):\n  File \"a.py\", line 3, in main\n    load()\nValueError: no split\n\
               next of the batch\n\r  0%|          | 0/100005 [00:00<?, ?it/s]\n\
               slurmstepd: error: *** JOB 267039 ON dgx-06 CANCELLED AT 2026-08-21T02:53:05 ***\n";
    let verdict = crate::progress::scan::reading::scan_json(&read(log));
    assert!(verdict["message"].as_str().unwrap().contains("CANCELLED"), "{verdict}");
}

#[test]
fn lines_that_tell_how_one_ended_are_counted() {
    let end = |n: u64| {
        format!(
            "07/13 [01:24:43] INFO     | >> Finished rollout=task_00_trial_{n:03} success={} steps=267\n",
            if n.is_multiple_of(2) { "True" } else { "False" }
        )
    };
    let log = numbered(end, 0..=7);
    assert_eq!(told(&log), ("steps".into(), Some(8), None, "unknown"));
    let whole = log
        + "07/13 [03:05:49] INFO     | >> Simulation finished: rollouts=8 success_rate=0.5 completed=True\n";
    assert_eq!(told(&whole).3, "succeeded");
}

#[test]
fn rllib_counts_iterations_whatever_its_table_of_trials_says() {
    let block = |n: u64| {
        format!(
            "Result for DQN_x:\n  episode_reward_mean: {n}.5\n  timesteps_total: {}\n  training_iteration: {n}\n  trial_id: x\n\nNumber of trials: 1/1 (1 RUNNING)\n",
            1000 * n
        )
    };
    let log = numbered(block, 1..=4);
    assert_eq!(told(&log), ("rllib".into(), Some(4), None, "unknown"));
    assert_eq!(
        (metrics(&log)["mean_reward"].as_f64(), metrics(&log)["total_steps"].as_f64()),
        (Some(4.5), Some(4000.0))
    );
}

#[test]
fn a_script_that_is_not_there_fails_unless_something_follows() {
    let missing = "slurm_script: line 11: ../venv/bin/activate: No such file or directory\npython: can't open file '/home/me/train.py': [Errno 2] No such file or directory\n";
    assert_eq!(told(missing).3, "failed");
    let counted = missing.to_owned() + &numbered(|n| format!("Iteration {n}: loss 0.1\n"), 1..=5);
    assert_eq!(told(&counted).3, "unknown");
}

#[test]
fn batches_are_counted_too() {
    let batch =
        |n| format!("2025-09-23 16:18:10,679 - train - INFO - rollout batch {n} generated, length: 256\n");
    let log = numbered(batch, 0..=9);
    assert_eq!(told(&log), ("steps".to_owned(), Some(10), None, "unknown"));
    let lettered = |n| format!("batch i:{n}, episode_len:11\nkl:0.01894,loss:2.06\n");
    assert_eq!(told(&numbered(lettered, 1..=5)).1, Some(5));
    assert_eq!(told("batch 256\nbatch 256\nbatch 256\n").1, None, "a setting");
}

#[test]
fn steps_next_to_another_count_show_how_far_it_is_of_their_total() {
    let log = |lines: u64| {
        let line = |n: u64| format!("Iter {n} | Steps {} | hider=+0.553\n", 8000 * n);
        format!("[rc] obs=33 steps=1000000 hidden=256\n{}", (1..=lines).map(line).collect::<String>())
    };
    let told = |lines: u64| summary(&log(lines));
    assert_eq!(told(60), ("steps".into(), Some(480_000), None, "incomplete"), "perhaps those of a stage");
    let named = |lines: u64| summary(&log(lines).replace("steps=", "total_steps="));
    assert_eq!(named(60), ("steps".into(), Some(480_000), Some(1_000_000), "incomplete"));
    assert_eq!(
        (named(124).3, named(125).3, named(126).3),
        ("incomplete", "unknown", "unknown"),
        "it may go on"
    );
}

#[test]
fn episodes_in_brackets_count_and_name_no_speaker() {
    let log: String = (0..5).map(|n| format!("[ep {n:03} F] dist=244.06mm angle=61.61  SR=3.3%\n")).collect();
    assert_eq!(summary(&log).1, Some(5));
}

#[test]
fn a_result_of_as_many_episodes_as_were_counted_ends_them() {
    let episodes: String =
        (0..30).map(|n| format!("ep {n} success={} steps=60 reason=max\n", u64::from(n == 8))).collect();
    let log = format!("{episodes}RESULT qwen27b-pickcube 1/30\n");
    let (_, done, total, verdict) = summary(&log);
    assert_eq!((done, total, verdict), (Some(30), Some(30), "succeeded"));
    assert_eq!(summary(&episodes).3, "unknown");
    assert_eq!(summary(&format!("{log}ep 0 success=1 steps=3 reason=max\n")).3, "unknown", "of the next one");
    assert_eq!(summary(&format!("{episodes}RESULT task pick 1/30\n")).3, "unknown", "of one task");
    assert_eq!(summary(&format!("{episodes}RESULT pick 1/29\n")).3, "unknown", "of fewer");
    assert_eq!(summary(&format!("{log}=== b ===\n")).3, "unknown");
    assert_eq!(summary(&format!("num_episodes=60\n{log}")).3, "incomplete");
}

#[test]
fn where_every_tenth_is_printed_the_last_one_may_be_too() {
    let log = |epochs: &[u64]| {
        let lines = epochs.iter().map(|epoch| format!("    epoch {epoch:3}  action MSE 0.02\n"));
        format!("  cloning 60 epochs on 30,000 pairs ...\n{}", lines.collect::<String>())
    };
    assert_eq!(summary(&log(&[0, 10, 20, 30, 40])).3, "incomplete");
    let named = |epochs: &[u64]| summary(&log(epochs).replace("cloning 60 epochs on", "num_epochs: 60,"));
    assert_eq!(named(&[0, 10, 20, 30, 40, 50, 59]), ("steps".into(), Some(60), Some(60), "succeeded"));
    assert_eq!(named(&[0, 10, 20, 30, 40]).3, "incomplete");
    assert_eq!(named(&[0, 10, 20, 30, 40, 50]).3, "unknown", "the others may be done");
    let headings = log(&[0, 10, 20, 30, 40, 50, 59]).replace("  action MSE 0.02", " ===");
    assert_ne!(summary(&headings.replace("cloning 60 epochs on", "num_epochs: 60,")).3, "succeeded");
}

#[test]
fn a_count_below_every_total_that_was_announced_is_short_of_all() {
    let line = |n: u64| format!("step {n} reward 0.5\n");
    let log = |last: u64| {
        let steps = (1..=last).map(|n| line(100 * n)).collect::<String>();
        format!("Starting training (2000000 timesteps)\nTraining for 5000 timesteps\n{steps}")
    };
    assert_eq!(summary(&log(20)), ("steps".into(), Some(2000), None, "incomplete"));
    assert_eq!(summary(&log(50)).3, "unknown", "one of them may be all");
}

#[test]
fn what_is_said_in_an_episode_does_not_end_it() {
    let begun = "num_episodes: 3\n[ep 0] success\n[ep 1] success\n[ep 2] reset\n";
    assert_ne!(summary(begun).3, "succeeded");
    let crashed =
        begun.replace("reset", "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB");
    assert_eq!(summary(&crashed).3, "failed");
}

#[test]
fn first_values_rows_and_numbered_words_count() {
    let of = |done| ("steps".to_owned(), Some(done), None, "unknown");
    let first = |n| format!("episodes: {n}, episode time: 0.628, remaining time: 3.5, reward: 0.157\n");
    assert_eq!(told(&numbered(first, 0..=5)), of(6));
    let row = |n| format!("-----------  -----\nepoch                               {n}\nsac/alpha  0.5\n");
    assert_eq!(told(&numbered(row, 0..=4)), of(5), "a table without borders");
    let named = |n| format!("Epoch num {n} | train loss 0.21 | dsc 0.57\n");
    assert_eq!(told(&numbered(named, 1..=4)), of(4));
    assert_eq!(told(&numbered(|n| format!("updates: {n}\n"), 1..=4)).1, None, "it may be a setting");
}

#[test]
fn loops_that_print_both_times_count() {
    let timed = |done: u64, percent: u64| {
        format!(
            "total_actions 1, IL_loss 6.8\n387m 0s (- 4890m 20s) ({done} {percent}%) iter {done}, sr: 0.7\n"
        )
    };
    let (started, ended) = (timed(2000, 5), timed(40_000, 100));
    assert_eq!(told(&started), ("steps".into(), Some(2000), None, "unknown"));
    assert_eq!(told(&(started + &ended)), ("steps".into(), Some(40_000), Some(40_000), "unknown"));
}

#[test]
fn a_name_that_ends_in_a_unit_counts_none_of_it() {
    let log = "eval @ 100 steps: 4853.1\ntraining done: {'timesteps_this_run': 300000}\n";
    assert_eq!((told(log).1, told(log).2), (None, None));
}
