//! What only the end of a log shows: the rhythm in which it stops, a code, an error, a share of all.

use super::any_cut::{metrics, read, summary};
use crate::progress::scan::reading::scan_json;

fn verdict(log: &str) -> &'static str {
    summary(log).3
}

fn repeated(line: impl Fn(u64) -> String, numbers: std::ops::RangeInclusive<u64>) -> String {
    numbers.map(line).collect()
}

#[test]
fn a_log_that_stops_in_the_rhythm_of_its_counts_is_incomplete() {
    let iteration =
        |n: u64| format!("Iteration {n}/208 | Average: 0.1\nCollecting the next batch\nloss 0.{n}\n");
    let log = repeated(iteration, 1..=31);
    assert_eq!(summary(&log), ("counter".into(), Some(31), Some(208), "incomplete"));
    let torn = log.strip_suffix("Collecting the next batch\nloss 0.31\n").unwrap();
    assert_eq!(verdict(torn), "incomplete");
    let bar = |n: u64| format!("\r 10%|█   | {n}/2000 [10:0{n}<30:00, 60.0s/it]\nEpisode reward: 9.5\n");
    assert_eq!(verdict(&repeated(bar, 1..=6)), "incomplete");
}

#[test]
fn a_log_that_stops_within_an_epoch_is_incomplete() {
    let batch = |epoch: u64, n: u64| format!("Epoch {epoch}/100 | Batch {n}0/230 | Loss: 1.4\n");
    let epochs = |last: u64| -> String {
        let all = (1..=last).map(|epoch| repeated(|n| batch(epoch, n), 1..=23));
        all.collect::<String>()
    };
    let torn = epochs(3) + &repeated(|n| batch(4, n), 1..=11);
    assert_eq!(summary(&torn), ("counter".into(), Some(3), Some(100), "incomplete"));
    let warned = "r.py:216: UserWarning: resource_tracker: There appear to be 40 leaked semaphores\n  warnings.warn(\n";
    assert_eq!(verdict(&(torn.clone() + warned)), "incomplete");
    assert_eq!(verdict(&(torn.clone() + &"Best accuracy 0.9\n".repeat(4))), "unknown", "it went on");
    assert_eq!(verdict(&torn.replace("/100", "/4")), "unknown", "the last one may stop at its last steps");
    assert_eq!(verdict(&(torn + "Early stopping triggered\n")), "succeeded");
}

#[test]
fn none_that_failed_is_no_doubt() {
    let log = |line: &str| format!("Loading the policy\nEpisode 3, reward: 7.0\n{line}\n");
    assert_eq!(verdict(&log("Evaluation finished: 3 done, 0 failed")), "succeeded");
    assert_eq!(verdict(&log("Evaluation finished without errors")), "unknown", "as before");
    assert_eq!(verdict(&log("Evaluation finished: 2 done, 1 failed")), "unknown");
    assert_eq!(verdict(&log("Evaluation finished: mean 1.0 error")), "unknown");
}

#[test]
fn a_training_that_may_have_stopped_by_its_own_rules_stays_unknown() {
    let epoch = |n: u64| format!("Epoch {n}/50 - Train: 1.39\n");
    let log = repeated(epoch, 1..=12);
    assert_eq!(verdict(&log), "incomplete");
    assert_eq!(verdict(&(log.clone() + "Best accuracy 0.9\nSaved the best model\n")), "unknown");
    assert_eq!(verdict(&(log.clone() + "Early stopping triggered\n")), "succeeded");
    let classes: String = (1..=110).map(|n| format!("  class {n}  0.45\n")).collect();
    let stopped = log + "EarlyStopping: Training stopped early as it got no better\n" + &classes;
    assert_eq!(verdict(&stopped), "unknown", "much comes behind it");
    assert_eq!(verdict(&(stopped + "End: Fri 14 Nov\nExit code: 0\n")), "succeeded");
    assert_eq!(verdict(&repeated(epoch, 1..=2)), "unknown", "too few to show a rhythm");
}

#[test]
fn a_code_other_than_0_at_the_end_is_a_failure() {
    for line in [
        "[2026-04-19 23:07:01] END collect place_burger exit=2",
        "Command '['python', 'train.py']' returned non-zero exit status 1.",
        &format!("Command '['python', '--config', '{}']' returned non-zero exit status 1.", "x".repeat(300)),
        "srun: error: node8: task 0: Exited with exit code 1",
        "run failed with exit code 137",
        "make: *** [Makefile:12: eval] Error 2",
        "Process exited with code 1",
        "DONE 2026-05-03T00:52:37+08:00 rc=143 latest_run=3",
    ] {
        assert_eq!(verdict(&format!("Loading the policy\n{line}\n")), "failed", "{line}");
    }
    for line in [
        "Process exited with code 0",
        "END collect place_burger exit=0",
        "Command returned exit status 0",
        "press q to exit=2 times",
        "the exit code 1 means that no goal was reached",
    ] {
        assert_eq!(verdict(&format!("Loading the policy\n{line}\n")), "unknown", "{line}");
    }
}

#[test]
fn an_error_as_the_last_word_of_a_silent_log_is_a_failure() {
    let started = "2025-07-04 20:20:47,182 - __main__ - INFO - starting\n";
    let error =
        "2025-07-04 20:20:47,182 - __main__ - ERROR - training: 'Loader' object has no attribute 'load'\n";
    assert_eq!(verdict(&format!("{started}{error}")), "failed");
    assert_eq!(verdict(&format!("{started}{error}{started}")), "unknown", "it went on");
    let harmless =
        "2026-02-12 21:41:37.927691: E external/xla/cuda_dnn.cc:9261] Unable to register cuDNN factory\n";
    assert_eq!(verdict(&format!("{started}{harmless}")), "unknown", "libraries print such lines");
    let kit = "2026-02-12T10:00:00Z [12,345ms] [Error] [omni.physx.plugin] joint without a body\n";
    assert_eq!(verdict(&format!("{started}{kit}")), "unknown");
    let counted = repeated(|n| format!("Episode {n}: reward=1.5\n"), 1..=6);
    assert_eq!(verdict(&format!("{counted}{error}")), "unknown", "the work may have gone on");
}

#[test]
fn a_share_of_all_at_the_end_says_how_many_there_were() {
    let episode = |n: u64| format!("Episode {n}: Target = [0.1]\n  Reached goal in 7{n} steps.\n");
    let log =
        repeated(episode, 1..=4) + "Evaluation Summary:\nSuccess rate: 3/4 = 75.0%\nAverage steps: 13.6\n";
    assert_eq!(summary(&log), ("counter".into(), Some(4), Some(4), "succeeded"));
    let seed = |n: u64| format!("[TD3] seed {n}: length=26 | calls=18{n} | distance=0.10\n");
    let log = repeated(seed, 0..=9)
        + "=== TD3 SUMMARY ===\n  method: TD3\n  solved: 6/10\n  avg_length: 37.9\nsaved -> eval_results.json\n";
    let (_, done, total, verdict) = summary(&log);
    assert_eq!((done, total, verdict), (Some(10), Some(10), "succeeded"));
    assert_eq!(metrics(&log)["success_rate"], 0.6);
}

#[test]
fn what_was_begun_is_over_when_the_rate_of_all_is_printed() {
    let test = |n: u64| {
        format!(
            "eval:149 - #### Test No. {n} ####\neval:161 - Step 1 Action: [1]\neval:161 - Step 2 Action: [1]\neval:167 - RESULT: SUCCESS\n"
        )
    };
    let logged = |text: String| -> String {
        text.lines().map(|line| format!("2025-01-06 01:20:51.102 | INFO     | __main__:{line}\n")).collect()
    };
    let log =
        logged(repeated(test, 1..=5) + "eval:181 - #SUCCESS_RATE: 80.00%\neval:182 - #AVG_STEP: 6.34\n");
    assert_eq!(summary(&log), ("steps".into(), Some(5), None, "succeeded"));
    assert_eq!(metrics(&log)["success_rate"], 0.8);
    let cut = logged(repeated(test, 1..=5));
    assert_eq!(summary(&cut), ("steps".into(), Some(4), None, "unknown"));
}

#[test]
fn words_between_a_unit_and_its_number_count() {
    let summed =
        |n: u64| format!("INFO:Runner:Episode Summary for {n} (Cumulative, Avg): (-7{n}.9, -12.6)\n");
    let config = "DEBUG:Main:Config: {'agent': 'ddpg', 'episodes': {'max': 1000, 'save': 5}, 'seed': 1}\n";
    let log = config.to_owned() + &repeated(summed, 0..=5);
    assert_eq!(summary(&log), ("steps".into(), Some(6), Some(1000), "incomplete"));
    let epoch =
        |n: u64| format!("[2022-09-02 10:20:5{n}.901283] epoch is: {n}, eval success rate is: 0.{n}20\n");
    assert_eq!(summary(&repeated(epoch, 0..=5)).1, Some(6));
    let named = |n: u64| format!("2023-11-28 19:46:47, INFO: sac_episode:{n}, reward:-0.02, info:Timeout\n");
    assert_eq!(summary(&repeated(named, 0..=5)).1, Some(6));
    let game = |n: u64| {
        format!("Game {n} started\n | | |\nPlayer 1 wins!\nGame {n} ended\nStats: {{'wins': {n}}}\n")
    };
    assert_eq!(summary(&repeated(game, 1..=5)).1, Some(5));
}

#[test]
fn a_joined_name_of_steps_counts_with_its_total() {
    let step = |name: &str, n: u64| {
        format!("sac train | train | {name}={}/2024 | update={n} critic=0.054\n", 92 * n)
    };
    let log = |name: &str, last| repeated(|n| step(name, n), 1..=last);
    assert_eq!(summary(&log("env_step", 22)), ("counter".into(), Some(2024), Some(2024), "unknown"));
    assert_eq!(summary(&log("global_step", 22)).3, "succeeded", "no other ones are counted");
    assert_eq!(summary(&log("env_step", 21)), ("counter".into(), Some(1932), Some(2024), "incomplete"));
}

#[test]
fn the_last_of_an_announced_loop_may_be_over_without_a_word() {
    let epoch = |n: u64| format!("INFO:root:Epoch {n}\n{}INFO:root:Loss 1.{n}\n", "loading\n".repeat(4));
    let log = |epochs: u64| format!("'epochs': 12\n{}", repeated(epoch, 1..=epochs));
    assert_eq!(summary(&log(12)).3, "unknown");
    let torn = log(11) + "INFO:root:Epoch 12\nloading\n";
    assert_eq!(summary(&torn), ("steps".into(), Some(11), Some(12), "incomplete"));
    assert_eq!(summary(&log(11)), ("steps".into(), Some(10), Some(12), "incomplete"));
}

#[test]
fn an_exception_behind_the_share_of_all_is_no_success() {
    let thrown = "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\nKeyError: 'x'\n";
    for end in
        ["Evaluating policy over 10 episodes.\nEvaluation complete\n", "Total: 10\nSuccess rate: 7/10\n"]
    {
        assert_eq!(verdict(&format!("Loading the policy\nmean: 3\n{end}")), "succeeded", "{end}");
        assert_eq!(verdict(&format!("Loading the policy\nmean: 3\n{end}{thrown}")), "failed", "{end}");
    }
}

#[test]
fn samples_of_the_initialization_are_not_the_work() {
    let sample = |n: u64| format!("INFO:main:Processing initialization sample {n} of 5\n");
    let iteration = |n: u64| format!("INFO:main:Iteration {}: Best=-186.7, Avg=-198.7\n", 10 * n);
    let log = repeated(sample, 1..=5) + &repeated(iteration, 0..=3);
    assert_eq!(summary(&log), ("steps".into(), Some(30), None, "unknown"));
}

#[test]
fn the_end_of_a_testing_is_one() {
    let log = "Gym environment created.\nreward 0.7\n>>>>> End testing <<<<< penalty:_-1.0\nFinal weights saved at: /logs/sac\nTEST COMMAND: python3 test.py\n";
    assert_eq!(verdict(log), "succeeded");
    assert_eq!(verdict("Gym environment created.\nEnd of warm-up\n"), "unknown");
}

#[test]
fn a_log_that_ends_where_work_begins_is_incomplete() {
    for line in [
        "Starting episode 3...",
        "Start evaluating...",
        "2026-01-06 17:00:33,787 - INFO - Starting evaluation",
        "开始评估...",
        "Stage 1/5: scenario=clean, timesteps=50000",
    ] {
        assert_eq!(verdict(&format!("Loading the policy\n3 scenes found\n{line}\n")), "incomplete", "{line}");
    }
    for line in ["Loading the model...", "Starting server on port 8000", "Starting Isaac Sim"] {
        assert_eq!(verdict(&format!("Loading the policy\n3 scenes found\n{line}\n")), "unknown", "{line}");
    }
}

#[test]
fn a_bar_that_is_drawn_again_behind_the_last_epoch_takes_nothing_back() {
    let epoch = |n: u64| {
        format!("Epoch {n}/9 ━━━━━━━━━━━━━━━━━━━━ 500/500 0:02:24 • 0:00:00 3.51it/s loss: 0.2{n}\n")
    };
    let log = repeated(epoch, 5..=9) + "`Trainer.fit` stopped: `max_epochs=10` reached.\n" + &epoch(9);
    assert_eq!(summary(&log), ("tqdm".into(), Some(10), Some(10), "succeeded"));
}

#[test]
fn who_ends_a_program_ends_it_at_any_level_of_its_logger() {
    let step = |n: u64| format!("[Step {n}/100] Loss: 4.9{n} | Tokens/s: 137.19\n");
    let end =
        "[2025-08-15 08:42:11,420] [INFO] [launch.py:328:handler] Main process received SIGINT, exiting\n";
    let cut = repeated(step, 1..=12);
    assert_eq!(verdict(&format!("{cut}{end}")), "failed");
    assert_eq!(verdict(&format!("{cut}{end}{}", repeated(step, 13..=14))), "incomplete", "it went on");
}

#[test]
fn what_a_logger_puts_before_its_level_is_a_prefix() {
    let logged = |n: u64, words: &str| format!("2023-10-02 23:08:5{n},029 segmentation INFO: {words}\n");
    let count = |n: u64| logged(n, &format!("Iters: {n}0/60 || Lr: 0.0199{n} || Task Loss: 3.28{n}"));
    let log = repeated(count, 1..=6);
    assert_eq!(summary(&log), ("counter".into(), Some(60), Some(60), "unknown"));
    assert_eq!(verdict(&(log + &logged(7, "Total training time: 0:49:16 (0.8678s / it)"))), "succeeded");
}

#[test]
fn rounds_that_are_over_all_together_leave_none_open() {
    let round = |n: u64| {
        format!("======\n     ROUND {n} / 10 (Sequential)\n======\n  --> node 1: MAE 0.1{n}, 0 rows sent\n")
    };
    let log = repeated(round, 1..=10);
    assert_eq!(summary(&log).1, Some(9));
    let closed = log + "Completed all 10 sequential rounds in 68.68 seconds.\n";
    assert_eq!(summary(&closed), ("counter".into(), Some(10), Some(10), "succeeded"));
    assert_eq!(verdict(&(repeated(round, 1..=4) + "Completed all checks\n")), "unknown");
}

#[test]
fn a_loop_that_prints_every_twentieth_is_over_by_the_words_behind_it() {
    let batches: String = (1..=15).map(|n| format!("  batch {}/313\n", 20 * n)).collect();
    let summary_of_all = "EVALUATION SUMMARY\n  Images: 5000\n  BLEU-1: 50.39\n";
    assert_eq!(verdict(&format!("{batches}{summary_of_all}")), "succeeded");
    assert_eq!(verdict(&batches), "unknown", "it may be one of several loops");
    let fewer: String = (1..=14).map(|n| format!("  batch {}/313\n", 20 * n)).collect();
    assert_ne!(verdict(&format!("{fewer}{summary_of_all}")), "succeeded", "two more were to come");
}

#[test]
fn a_step_in_the_last_words_is_the_last_step() {
    let steps: String = (1..=9).map(|n| format!("step   {n}0 | loss 1.4 | lr 1.07e-06\n")).collect();
    let log = format!("{steps}\nTraining complete! Final step: 94\n");
    assert_eq!(summary(&log), ("steps".into(), Some(94), Some(94), "succeeded"));
    let log = format!("{steps}\nTraining complete! Best step: 40\n");
    assert_eq!(summary(&log).1, Some(90), "an earlier one");
}

#[test]
fn a_first_line_that_comes_again_behind_the_end_is_remarked() {
    let log = "Evaluation of the policy\nEpisode 1/2 success\nEpisode 2/2 success\nTraining complete!\n";
    let warnings = |log: &str| scan_json(&read(log))["warnings"].to_string();
    assert_eq!(warnings(log), "[]");
    let again = format!("{log}Evaluation of the policy\n");
    assert!(warnings(&again).contains("another run may have begun on line 5"), "{}", warnings(&again));
    let pointer = format!("Run directory: /runs/3\n{log}Run directory: /runs/3\n");
    assert_eq!(warnings(&pointer), "[]", "where its files are");
    let bar = |total: u64| format!("{log}Evaluating:  40%|██  | 8/{total} [00:08<00:12, 1.0it/s]\n");
    assert_eq!(verdict(&bar(20)), "incomplete", "other work that is not over");
    let own = format!("4%| | 8/200 [00:01<00:12, 8.0it/s]\n{}", bar(200));
    assert_eq!(warnings(&own), "[]", "the bar of a loop that was left early");
    let imports = format!("{log}[robosuite WARNING] No private macro file found!\n");
    assert_eq!(verdict(&imports), "incomplete", "a process imports its libraries once");
    assert!(warnings(&imports).contains("run 2 of 2 in this file began on line 5"), "{}", warnings(&imports));
    let loading = format!("{log}Loading model from /runs/4\n");
    assert!(warnings(&loading).contains("another run may have begun"), "{}", warnings(&loading));
}

#[test]
fn the_word_of_a_shell_that_its_job_was_terminated_is_a_failure_at_the_end() {
    let log = "[epoch  1][iter  100/ 162] training loss: 1.36\n";
    assert_eq!(verdict(&format!("{log}Terminated                 $PY swing.py --starts 120\n")), "failed");
    let word = "train.sh: line 1:  7349 Terminated              CUDA_VISIBLE_DEVICES=2 python3 train.py\n";
    assert_eq!(verdict(&format!("{log}{word}")), "failed");
    assert_eq!(verdict(&format!("{log}{word}Closing the server\n")), "unknown", "a helper");
}

#[test]
fn a_log_may_stop_within_a_later_round_of_counts() {
    let games = |last: u64| repeated(|n| format!("Game {n}/20 won: true\n"), 1..=last);
    let rounds = games(20) + "the new one is better\n" + &games(20) + "the new one is better\n";
    assert_eq!(verdict(&format!("{rounds}{}", games(7))), "incomplete");
    assert_ne!(verdict(&rounds), "incomplete");
    let of_workers = (1..=12).map(|n| format!("Game {}/20 won: true\n", 3 + n % 5)).collect::<String>();
    assert_ne!(verdict(&of_workers), "incomplete", "they end in any order");
}

#[test]
fn what_python_warns_of_when_it_is_killed_is_no_end() {
    let counted = repeated(|n| format!("Iteration {n}/208 | Average: 0.0\n"), 1..=31);
    let warned = "/usr/lib/python3.10/multiprocessing/resource_tracker.py:224: UserWarning: resource_tracker: There appear to be 30 leaked shared_memory objects to clean up at shutdown\n  warnings.warn('resource_tracker: There appear to be %d '\n";
    assert_eq!(verdict(&format!("{counted}{warned}")), "incomplete");
    assert_eq!(verdict(&format!("{counted}stopped by a rule\nmodel kept\n")), "unknown");
    assert_eq!(scan_json(&read(&format!("{counted}Terminated\n{warned}")))["reason"], "cancelled");
}

#[test]
fn shells_say_in_their_language_that_a_program_was_killed() {
    for word in ["Killed", "已杀死", "段错误", "Getötet", "Speicherzugriffsfehler", "Processus arrêté"]
    {
        let log = format!("Writing metrics: scores.jsonl\n{word}\n");
        assert_eq!(scan_json(&read(&log))["reason"], "signal", "{word}");
    }
    for line in [
        "eval.sh: 行 3: 4242 已杀死  python eval.py",
        "./run.sh: Zeile 3: 4242 Getötet  python eval.py",
        "./run.sh : ligne 3 : 4242 Erreur de segmentation (core dumped) python eval.py",
    ] {
        assert_eq!(scan_json(&read(&format!("at work\n{line}\n")))["reason"], "signal", "{line}");
    }
}

#[test]
fn a_step_that_slurm_ends_because_a_task_failed_has_the_reason_of_the_task() {
    let ended = "slurmstepd: error: *** STEP 22.0 ON n1 CANCELLED AT 2026-05-09T16:50:50 ***\n";
    let reason = |log: &str| scan_json(&read(log))["reason"].clone();
    for (task, expected) in [
        ("srun: error: n1: task 0: Exited with exit code 174\n", "exit-code"),
        ("yhrun: error: n1: tasks 0-3: Exited with exit code 174\n", "exit-code"),
        ("srun: error: n1: task 0: Segmentation fault (core dumped)\n", "signal"),
        ("srun: error: n1: task 0: Out Of Memory\n", "host-oom"),
        ("srun: Force Terminated StepId=22.0\n", "cancelled"),
    ] {
        assert_eq!(reason(&format!("{task}{ended}")), expected, "{task}");
    }
    let by_user = format!("{ended}srun: error: n1: task 0: Terminated\n");
    assert_eq!(reason(&by_user), "cancelled");
}

#[test]
fn a_terminal_that_shows_the_key_at_the_end_shows_who_stopped_the_program() {
    let reason = |log: &str| scan_json(&read(log))["reason"].clone();
    let bars = "  0% 0/4073 [00:00<?, ?it/s]\nEpoch:   0% 0/3 [00:00<?, ?it/s]";
    assert_eq!(reason(&format!("***** Running training *****\n{bars}^C")), "cancelled");
    assert_eq!(reason("Episode 3/10 reward 1\n^C\n"), "cancelled");
    assert_ne!(reason("Episode 3/10 reward 1\nto stop it, press ^C\n"), "cancelled");
    assert_ne!(reason("^C\nEpisode 3/10 reward 1\n"), "cancelled", "it goes on");
    let viewer = scan_json(&read("Epoch 1 loss 3\nEpoch 2 loss 2\nEpoch 3 loss 2\nTraining complete!\n^C\n"));
    assert_eq!(viewer["verdict"], "succeeded", "it had to be stopped");
    let complete = scan_json(&read("Episode 1/2 success=1\nEpisode 2/2 success=1\n^C\n"));
    assert_eq!(complete["verdict"], "succeeded");
}

#[test]
fn words_behind_what_stopped_the_job_are_those_of_its_script() {
    let row = |n: u64| format!("Epoch {n} loss 0.5\n");
    let log = repeated(row, 1..=9);
    assert_eq!(verdict(&format!("{log}Training complete\n")), "succeeded");
    for end in [" ***", " DUE TO TIME LIMIT ***"] {
        let stopped =
            format!("{log}slurmstepd: error: *** JOB 4 ON a CANCELLED AT 2026-01-06T13:31:01{end}\n");
        assert_eq!(verdict(&format!("{stopped}Training complete\n")), "failed", "{end}");
    }
}

#[test]
fn a_launcher_whose_last_command_failed_completes_nothing() {
    let bar =
        " 50%|█████     | 5/10 [00:01<00:01, 5.00it/s]\r100%|██████████| 10/10 [00:02<00:00, 5.00it/s]\n";
    let log = |failed: &str| format!("{bar}{failed}09:00:00 | INFO | EXPERIMENT COMPLETE\n");
    assert_eq!(verdict(&log("")), "succeeded");
    assert_ne!(verdict(&log("09:00:00 | ERROR | Command failed with code 1\n")), "succeeded");
    let episodes = "Episode 1/2: success=True, length=3\nEpisode 2/2: success=True, length=3\n";
    assert_eq!(verdict(&format!("{episodes}EXPERIMENT COMPLETE\n")), "succeeded");
    assert_eq!(verdict(&format!("{episodes}Exited with exit code 1.\n")), "failed");
}
