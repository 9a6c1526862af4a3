//! Logs that must not pass for a success: nothing of nothing, another run behind a complete one, starts, bars of something else.

use std::sync::Arc;

use serde_json::json;

use super::any_cut::{metrics, read, summary};
use super::verdicts::failure;
use crate::model::outcome::FailureReason;
use crate::model::results::result_file::ResultFile;
use crate::progress::files::reader::ResultReader;
use crate::progress::reader::log_reader::LogReader;
use crate::progress::reader::rules::LogRules;
use crate::progress::reading::LogSummary;
use crate::progress::scan::reading::ScanVerdict;
use crate::progress::scan::text::scan_text;

fn declared(preset: &str, log: &str) -> LogSummary {
    let mut reader = LogReader::new(Arc::new(LogRules::preset(preset).unwrap()));
    let mut marks = Vec::new();
    reader.feed(log.as_bytes(), &mut marks);
    reader.finish(&mut marks);
    reader.reading().clone()
}

fn verdict(preset: &str, log: &str) -> &'static str {
    ScanVerdict::of(&declared(preset, log)).as_str()
}

const NOTHING: [(&str, &str); 6] = [
    (
        "openvla",
        "Task suite: libero_spatial\nTotal episodes: 0\nTotal successes: 0\nOverall success rate: 0.0000 (0.0%)\n",
    ),
    ("isaac-eval", "  Capstone Evaluation\n  Episodes:    0\n  Evaluation complete!\n"),
    ("isaaclab-robomimic", "Successful trials: 0, out of 0 trials\n"),
    ("cleanrl", "Running evaluation\nEvaluated 0 steps resulting in 0 episodes\n"),
    (
        "groot",
        "Running collecting 0 episodes for gr1/Cup with 8 vec envs\nCollecting 0 episodes took 0.1 seconds\n\
         success rate:  nan\n",
    ),
    ("calvin", "1 / 5 subtasks: 0 / 0 sequences, SR: 0.0%\nAverage successful sequence length: 0.0\n"),
];

#[test]
fn nothing_of_nothing_is_no_success() {
    for (preset, log) in NOTHING {
        let reading = read(log);
        assert_eq!(reading.preset, Some(preset));
        assert_ne!(ScanVerdict::of(&reading).as_str(), "succeeded", "{log}");
        let (reason, message) = failure(0, log).unwrap_or_else(|| panic!("{log}"));
        assert!(message.starts_with("0 "), "{message}");
        assert_eq!(reason, FailureReason::Incomplete, "{log}");
        assert!(failure(139 << 8, log).is_some(), "no crash at the end of nothing is forgiven: {log}");
    }
    assert_eq!(failure(0, "hello\n"), None, "a command that counts nothing is known by its exit code");
}

#[test]
fn a_format_that_says_nothing_of_episodes_does_not_say_0() {
    let summed_up = "Task suite: libero_spatial\nOverall success rate: 0.8247 (82.5%)\n";
    assert_eq!(summary(summed_up), ("openvla".into(), None, None, "succeeded"));
    assert_eq!(metrics(summed_up), json!({"success_rate": 0.8247}));
    assert_eq!(verdict("isaac-eval", "Environment setup complete!\n"), "unknown", "nothing was counted");
}

#[test]
fn a_training_is_not_over_when_it_has_evaluated() {
    let rollouts = "Epoch 50 Rollouts took 8.09s (avg) with results:\nEnv: NutAssemblySquare\n{\n    \"Success_Rate\": 0.5,\n    \
                    \"Num_Success\": 5.0\n}\n";
    let (preset, done, total, verdict) = summary(rollouts);
    assert_eq!((&*preset, done, total, verdict), ("robomimic", Some(50), None, "unknown"));
    let sequences = "5 / 5 subtasks: 3 / 9 sequences, SR: 33.3%\n";
    assert_eq!(summary(sequences).3, "unknown");
}

#[test]
fn a_rate_is_a_share_or_nothing() {
    let openvla = |rate: &str| format!("Task suite: libero_spatial\nOverall success rate: {rate}\n");
    let counted = openvla("12/20 (60.0%)");
    assert_eq!(summary(&counted), ("openvla".into(), Some(20), Some(20), "succeeded"));
    assert_eq!(metrics(&counted), json!({"episodes": 20.0, "successes": 12.0, "success_rate": 0.6}));
    assert_eq!(metrics(&openvla("60.0%")), json!({"success_rate": 0.6}));
    for wrong in ["60.0", "20/12", "-0.5"] {
        assert_eq!(declared("openvla", &openvla(wrong)).metrics.get("success_rate"), None, "{wrong}");
    }
    for (preset, log, rate) in [
        ("sb3", "| rollout/  | |\n|    success_rate | 0.85 |\n|    ep_rew_mean  | 9.5 |\n", Some(0.85)),
        ("sb3", "| rollout/  | |\n|    success_rate | 85.0% |\n|    ep_rew_mean  | 9.5 |\n", Some(0.85)),
        ("sb3", "| rollout/  | |\n|    success_rate | 85 |\n|    ep_rew_mean  | 9.5 |\n", None),
        ("sb3", "Success rate: 12/20 (60.0%)\n", Some(0.6)),
        ("rsl-rl", "Mean episode Metrics/success_rate: 85.0%\n", Some(0.85)),
        ("rsl-rl", "Mean episode Metrics/success_rate: 85.0\n", None),
        ("groot", "Collecting 20 episodes took 9.1 seconds\nsuccess rate:  12/20\n", Some(0.6)),
        ("groot", "Collecting 20 episodes took 9.1 seconds\nsuccess rate:  12\n", None),
        ("simpler-env", "Average success 60.0%\n", Some(0.6)),
        ("simpler-env", "Average success 60.0\n", None),
        ("cleanrl", "Running evaluation\neval_success_once_mean=12.0\n", None),
        ("lerobot", "{'pc_success': 70.0, 'n_episodes': 10, 'eval_s': 1.0}\n", Some(0.7)),
        ("lerobot", "{'pc_success': 700.0, 'n_episodes': 10, 'eval_s': 1.0}\n", None),
        ("robomimic", "Average Rollout Stats\n\"Success_Rate\": 86.0,\n", None),
        ("rlinf", "{'eval/success_once': 93.75}\n", None),
        ("tqdm", "Evaluating: 100%|████| 4/4 [00:02<00:00, 2.0it/s, success_rate=75.0%]\n", Some(0.75)),
        ("tqdm", "Evaluating: 100%|████| 4/4 [00:02<00:00, 2.0it/s, success_rate=3]\n", None),
    ] {
        assert_eq!(declared(preset, log).metrics.get("success_rate").copied(), rate, "{log}");
    }
}

#[test]
fn a_file_with_a_wrong_rate_gives_none() {
    let metrics = |text: &str| {
        let mut reader = ResultReader::new(&[]);
        reader.take("r.json", text.as_bytes(), &ResultFile { known: true, ..ResultFile::default() });
        reader.finish().metrics.into_iter().map(|(name, figure)| (name, figure.value)).collect::<Vec<_>>()
    };
    let info = |percent: f64| format!("{{\"overall\": {{\"pc_success\": {percent}, \"eval_s\": 2.0}}}}");
    assert_eq!(metrics(&info(50.0))[1], ("success_rate".to_owned(), 0.5));
    assert_eq!(metrics(&info(7000.0)), [("eval_s".to_owned(), 2.0)]);
    let counts = metrics("{\"episodes\": 4, \"successes\": 5}");
    assert_eq!(counts, [("episodes".to_owned(), 4.0)], "more successes than episodes");
}

/// How an Isaac Sim evaluation starts.
const START: &str =
    "[INFO][AppLauncher]: Using device: cuda:0\n[1.165s] [ext: omni.kit.async_engine-0.0.3] startup\n";

fn isaac(name: &str, episodes: impl IntoIterator<Item = u64>) -> String {
    let line = |n| format!("  [   {n}/3] {name}_ep{n:04}  COMPLETE   progress= 49.5m  zone=5  time=20.5s\n");
    format!("{START}{}", episodes.into_iter().map(line).collect::<String>())
}

const END: &str = "  Evaluation complete!\n  Total time:     61.3s (1.0min)\n";

#[test]
fn a_proof_counts_for_the_run_that_it_ends() {
    let first = isaac("grass", 1..=3) + END;
    assert_eq!(summary(&first), ("isaac-eval".into(), Some(3), Some(3), "succeeded"));
    let begun = read(&format!("{first}{START}"));
    assert_eq!(ScanVerdict::of(&begun).as_str(), "incomplete");
    assert_eq!(begun.metrics["episodes"], 3.0, "nothing else was counted");
    let after = format!("{first}{START}");
    assert_eq!(failure(0, &after), None, "whatever it was, it exited with 0");
    assert!(failure(1 << 8, &after).is_some() && failure(139 << 8, &after).is_some(), "it was not complete");
    let part = format!("{first}{}", isaac("stairs", 1..=2));
    assert_eq!(summary(&part), ("isaac-eval".into(), Some(2), Some(3), "incomplete"));
    assert_eq!(failure(0, &part).unwrap().1, "2 of 3 episodes, exit code 0");
    let whole = read(&format!("{first}{}{END}", isaac("stairs", 1..=3)));
    assert_eq!((whole.complete(), whole.metrics["episodes"]), (true, 3.0), "they do not add up");
    assert!(whole.restart_text().is_some_and(|text| text.contains("line 8")), "{:?}", whole.restart_text());
}

#[test]
fn a_smaller_count_takes_the_proof_back() {
    let training = |last: u64| {
        let block = |n| {
            format!("Learning iteration {n}/3\nComputation: 8962 steps/s (collection: 1s, learning 1s)\n")
        };
        (0..last).map(block).collect::<String>()
    };
    let first = training(3) + "Training time: 9.5 seconds\n";
    assert_eq!(summary(&first).3, "succeeded");
    assert_eq!(read(&(first.clone() + &training(1))).finished, None);
    assert_eq!(summary(&(first + &training(1))).3, "incomplete");
}

#[test]
fn the_same_suite_again_is_another_run() {
    let episodes = |last: u64| {
        let one = |n| {
            format!(
                "Starting episode 1...\nSuccess: True\n# episodes completed so far: {n}\n# successes: {n} (100.0%)\nCurrent task success rate: 1.0\n"
            )
        };
        format!(
            "Task suite: libero_spatial\n[info] running first 2/10 tasks\n{}",
            (1..=last).map(one).collect::<String>()
        )
    };
    let first = episodes(2);
    assert_eq!(summary(&first), ("openvla".into(), Some(2), Some(2), "succeeded"));
    assert_eq!(summary(&(first.clone() + "Task suite: libero_spatial\n")).3, "unknown");
    assert_eq!(summary(&(first.clone() + &episodes(1))), ("openvla".into(), Some(1), Some(2), "incomplete"));
    assert_eq!(summary(&(first.clone() + &first)), ("openvla".into(), Some(2), Some(2), "succeeded"));
}

#[test]
fn a_benchmark_that_has_begun_is_not_over() {
    let line = |text: &str| format!("2026-04-01 06:15:22 INFO     vla_eval.orchestrator: {text}\n");
    let begin = line("Starting benchmark: libero (mode=sync)");
    let first = format!("{begin}{}", line("  [1/1] put the bowl ep1: SUCCESS (steps=97)"));
    assert_eq!(summary(&first).3, "succeeded");
    assert_eq!(summary(&(first + &begin)), ("vla-eval".into(), Some(1), None, "unknown"));
}

#[test]
fn the_start_of_an_episode_counts_the_one_before_it() {
    let starts =
        |last, behind: &str| (1..=last).map(|n| format!("Episode {n}/30{behind}\n")).collect::<String>();
    for behind in ["...", ":", " starting", ": running the policy", ": pick up the bowl..."] {
        let begun = declared("episode", &starts(30, behind));
        assert_eq!(begun.progress.map(|progress| progress.done), Some(29), "{behind}");
        assert_eq!(verdict("episode", &starts(30, behind)), "unknown", "nothing says how the last one ended");
        assert_eq!(verdict("episode", &starts(15, behind)), "incomplete");
        assert_eq!(summary(&starts(30, behind)), ("episode".into(), Some(29), Some(30), "unknown"));
    }
    for behind in [": success...", " reward=1.0", ": done", ""] {
        assert_eq!(verdict("episode", &starts(30, behind)), "succeeded", "{behind}");
    }
    let both = |n: u64| format!("Episode {n}/3...\nstep 10\nEpisode {n}/3: success\n");
    let log = both(1) + &both(2) + "Episode 3/3...\n";
    assert_eq!(summary(&log), ("episode".into(), Some(2), Some(3), "incomplete"), "each end is printed");
    let log = both(1) + &both(2) + &both(3);
    assert_eq!(summary(&log), ("episode".into(), Some(3), Some(3), "succeeded"));
    assert_eq!(metrics(&log), json!({"episodes": 3.0, "successes": 3.0, "success_rate": 1.0}));
    let from_zero: String = (0..3).map(|n| format!("Episode {n}/3...\n")).collect();
    assert_eq!(summary(&from_zero), ("episode".into(), Some(2), Some(3), "unknown"));
}

#[test]
fn a_short_bar_beside_that_of_a_training_is_of_something_else() {
    let bar = |done: u64, total: u64, seconds: u64| {
        format!("\r {}%|██  | {done}/{total} [00:{seconds:02}<00:10, 1.5it/s]", 100 * done / total)
    };
    for (preset, first) in
        [("sb3", "| rollout/  | |\n"), ("skrl", "[skrl:INFO] Environment wrapper: Isaac Lab\n")]
    {
        let log =
            first.to_owned() + &bar(0, 900, 0) + &bar(450, 900, 20) + &bar(0, 5, 0) + &bar(5, 5, 2) + "\n";
        let (_, done, total, verdict) = summary(&log);
        assert_eq!((done, total, verdict), (Some(450), Some(900), "incomplete"), "{preset}");
        let (_, done, total, verdict) = summary(&(log + &bar(900, 900, 40) + "\n"));
        assert_eq!((done, total, verdict), (Some(900), Some(900), "succeeded"), "{preset}");
    }
}

#[test]
fn a_job_that_its_scheduler_cancelled_says_so() {
    let half = isaac("grass", 1..=2);
    for note in [
        "slurmstepd: error: *** JOB 310529 ON node-30 CANCELLED AT 2025-10-30T05:33:43 ***",
        "slurmstepd: error: *** JOB 310529 ON node-30 CANCELLED AT 2025-10-30T05:33:43 DUE TO PREEMPTION ***",
        "slurmstepd: error: *** STEP 310529.0 ON node-30 CANCELLED AT 2025-10-30T05:33:43 DUE TO NODE FAILURE ***",
    ] {
        for before in ["", &half] {
            let log = format!("{before}{note}\n");
            assert_eq!(verdict("auto", &log), "failed", "{log}");
            assert_eq!(failure(143 << 8, &log).unwrap().0, FailureReason::Cancelled, "{log}");
        }
    }
    let complete = isaac("grass", 1..=3)
        + END
        + "slurmstepd: error: *** JOB 3 ON n CANCELLED AT 2025-10-30T05:33:43 ***\n";
    assert_eq!(verdict("auto", &complete), "succeeded", "it came too late");
}

fn bar(name: &str, done: u64, total: u64) -> String {
    let name = if name.is_empty() { String::new() } else { format!("{name}: ") };
    format!("\r{name}{:>3}%|███  | {done}/{total} [00:{:02}<00:00, 11.2it/s]", 100 * done / total, done % 60)
}

#[test]
fn a_bar_that_is_not_the_work_proves_nothing() {
    for name in ["Loading checkpoint shards", "Shards", ""] {
        let shards = bar(name, 25, 50) + &bar(name, 50, 50) + "\n";
        for (work, expected) in [
            ("Starting evaluation of 200 episodes\n", "incomplete"),
            ("[INFO]: Base environment:\n", "unknown"),
        ] {
            let log = shards.clone() + work;
            assert_eq!(verdict("tqdm", &log), expected, "{log}");
        }
        let long = shards + &"at work\n".repeat(100);
        assert_eq!(verdict("tqdm", &long), "unknown", "{name}");
    }
    let work =
        bar("Evaluating", 3, 6) + &bar("Evaluating", 6, 6) + "\nSuccess rate: 50.0%\nwrote results.json\n";
    assert_eq!(verdict("tqdm", &work), "succeeded", "results are short");
    let late = bar("Shards", 50, 50) + "\nStarting evaluation of 6 episodes\n" + &work;
    assert_eq!(verdict("tqdm", &late), "succeeded");
    assert_eq!(verdict("tqdm", &bar("Evaluating", 3, 6)), "incomplete");
}

#[test]
fn a_bar_that_is_named_counts_and_no_other_does() {
    let shards = bar("Shards", 50, 50) + "\n";
    assert_eq!(declared("tqdm:Evaluating", &shards).progress, None);
    let log = shards.clone()
        + &bar("Evaluating", 3, 6)
        + "\nEpoch 9/9\n"
        + &bar("Videos", 1, 3)
        + &bar("Videos", 3, 3)
        + "\n";
    assert_eq!(verdict("tqdm:Evaluating", &log), "incomplete");
    let log = log + &bar("Evaluating", 6, 6) + "\nStarting evaluation\n" + &"row\n".repeat(200);
    assert_eq!(verdict("tqdm: Evaluating", &log), "succeeded", "it was declared");
    let log: String = log.split('\r').map(|bar| format!("\r[rank0]: {bar}")).collect();
    assert_eq!(verdict("tqdm:Evaluating", &log), "succeeded", "behind a prefix");
    assert!(LogRules::preset("tqdm:").is_err() && LogRules::preset("episode:x").is_err());
}

#[test]
fn a_scan_recommends_no_bar_without_its_name() {
    let text = |log: &str| scan_text(&read(log));
    let named = text(&(bar("Evaluating", 6, 6) + "\n"));
    assert!(named.contains("--preset \"tqdm:Evaluating\""), "{named}");
    let nameless = text(&(bar("", 6, 6) + "\n"));
    assert!(!nameless.contains("--preset") && nameless.contains("its bar has no name"), "{nameless}");
    let open = scan_text(&declared("episode", "Episode 1/2...\nEpisode 2/2...\n"));
    assert!(open.contains("no line says that the last one is over"), "{open}");
}

#[test]
fn other_work_behind_an_end_takes_that_end_back() {
    let epoch = |n: u64| format!("Epoch {n}/10 completed in 0.33s - Loss: 0.52{n}\n");
    let trained =
        (1..=10).map(epoch).collect::<String>() + "Training completed in 246.39s (4.11m)\nModel saved\n";
    assert_eq!(summary(&trained).3, "succeeded");
    let evaluates =
        trained.clone() + "Evaluating the policy on 60 test examples\n" + &"Question: what\n".repeat(20);
    assert_eq!(summary(&evaluates).3, "unknown");
    assert_eq!(summary(&(evaluates + "Evaluation completed with overall accuracy: 53.33%\n")).3, "succeeded");
    let bar = "\r  0%|          | 0/8 [00:00<?, ?it/s]\r100%|██████████| 8/8 [00:11<00:00,  1.40s/it]\n";
    let tuned =
        format!("{bar}{{'train_runtime': 11.2, 'train_steps_per_second': 0.713, 'train_loss': 1.5}}\n");
    assert_eq!(summary(&tuned).3, "succeeded");
    let lines = |count| (0..count).map(|n| format!("request {n} answered\n")).collect::<String>();
    assert_eq!(summary(&(tuned.clone() + &lines(100))).3, "succeeded", "a summary");
    assert_eq!(summary(&(tuned + &lines(400))).3, "unknown", "a server");
}

#[test]
fn another_count_that_was_announced_takes_an_end_back() {
    let episode = |n: u64| format!("    Episode: {n}, Reward: 30{n}.1, Average Reward: 305.2\n");
    let recorded = "\"number_of_episodes\": 12,\n\"number_of_epochs\": 10,\nRecording\n".to_owned()
        + &(0..12).map(episode).collect::<String>();
    assert_eq!(summary(&recorded).3, "succeeded");
    let behind = "Starting Train/Test\n    Epoch: 0\n    Epoch: 1\n";
    assert_ne!(summary(&(recorded.clone() + behind)).3, "succeeded");
    for behind in ["Best model from epoch 7\n", "Longest episode: step 340\n"] {
        assert_eq!(summary(&(recorded.clone() + behind)).3, "succeeded", "{behind}");
    }
}

#[test]
fn the_total_of_one_command_does_not_end_the_next() {
    let episodes = |n: u64| format!("Episode {n} reward 0.1\n");
    let collected =
        "+ python collect.py --num-episodes 10\n".to_owned() + &(1..=10).map(episodes).collect::<String>();
    assert_eq!(summary(&collected).3, "succeeded");
    assert_ne!(summary(&(collected + "+ python train.py --data demos\nloading data\n")).3, "succeeded");
    let evaluated = (1..=5).map(|n| format!("Episode {n}/5\n")).collect::<String>() + "Evaluation complete\n";
    let before = summary(&evaluated).3;
    let drawn = evaluated + "Running command: ffmpeg -i frames out.mp4\n";
    assert_eq!(summary(&drawn).3, before, "what is done with the results");
}

#[test]
fn words_at_an_end_prove_nothing_of_nothing() {
    for log in [
        "Episodes: 0/0\nEvaluation complete\n",
        "Evaluating 0 episodes\nEvaluation complete!\n",
        "Success rate: 0/0 (nan%)\nEvaluation complete!\n",
        "batch 10/20\nbatch 20/20\nEVALUATION SUMMARY\nEvaluated: 0\nErrors: 20\n",
        "batch 10/20\nbatch 20/20\nEVALUATION SUMMARY\nTotal: 0\nFailed: 20\n",
    ] {
        assert_ne!(summary(log).3, "succeeded", "{log}");
    }
    let none_succeeded = "batch 10/20\nbatch 20/20\nEVALUATION SUMMARY\nTotal: 20\nSuccesses: 0\n";
    assert_eq!(summary(none_succeeded).3, "succeeded");
}

#[test]
fn words_at_an_end_prove_nothing_where_the_work_was_broken_off() {
    for log in [
        "START eval grasp\nRuntimeError: no device\nEND eval grasp exit=0\n",
        "step 0/100\nstep 40/100\nstep 80/100\nTraining interrupted\nDone.\n",
        "Epoch 3\nTraining was aborted\nExperiment complete\n",
    ] {
        assert_ne!(summary(log).3, "succeeded", "{log}");
    }
    assert_eq!(summary("START eval grasp\nloading\nEND eval grasp exit=0\n").3, "succeeded");
}

#[test]
fn the_next_part_is_begun_in_the_words_that_began_the_first() {
    let start = "Training for 5000 steps\nTraining all\nTraining Drop\nUsing cuda device\n";
    let steps = |n: u64| {
        let table = "---------------------------------\n| rollout/           |          |\n|    ep_rew_mean     | 4.15     |\n| time/              |          |\n|    fps             | 14       |\n|    total_timesteps | ";
        format!("{table}{n}     |\n---------------------------------\n")
    };
    let log: String = start.to_owned() + &(1..=5).map(|n| steps(1000 * n)).collect::<String>();
    assert_eq!(summary(&log), ("sb3".into(), Some(5000), Some(5000), "succeeded"));
    assert_eq!(summary(&format!("{log}Training ReachDrop\n")).3, "unknown");
    assert_eq!(summary(&format!("{log}Training complete\n")).3, "succeeded");
}
