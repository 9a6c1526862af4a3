//! Logs that end in trouble, judged: what counts before what, and what hides nothing.

use super::verdicts::{OOM, TRACEBACK, failure, read};
use crate::model::outcome::FailureReason;
use crate::progress::scan::reading::scan_json;

fn scanned(log: &str) -> (String, String, Vec<String>) {
    let document = scan_json(&read(log));
    let word = |key: &str| document[key].as_str().unwrap_or("-").to_owned();
    let warnings = document["warnings"].as_array().unwrap();
    let warnings = warnings.iter().map(|warning| warning.as_str().unwrap().to_owned()).collect();
    (word("verdict"), word("reason"), warnings)
}

fn episodes(done: u32) -> String {
    (1..=done).map(|episode| format!("Episode {episode}/100 reward=1.0\n")).collect()
}

#[test]
fn an_exception_that_cut_the_work_comes_before_doubts_of_its_results() {
    let overflows =
        "Patch buffer overflow detected, please increase its size to at least 9 in the scene desc!\n"
            .repeat(5);
    let log = format!("{}{overflows}{TRACEBACK}ValueError: no\n", episodes(50));
    let (verdict, reason, warnings) = scanned(&log);
    assert_eq!((verdict.as_str(), reason.as_str(), warnings.len()), ("failed", "exception", 1));
    assert!(warnings[0].contains("dropped contacts"), "{warnings:?}");
    assert_eq!(failure(0, &log).unwrap().0, FailureReason::Exception);
    let (verdict, _, warnings) = scanned(&format!("{}{overflows}", episodes(50)));
    assert_eq!(
        (verdict.as_str(), warnings),
        ("invalid", vec!["the log ends at 50 of 100 episodes".to_owned()])
    );
}

#[test]
fn counts_alone_do_not_prove_that_results_were_written() {
    let full = "OSError: [Errno 28] No space left on device: 'results.jsonl'\n";
    for end in [format!("{TRACEBACK}TypeError: no\n"), format!("{TRACEBACK}{full}"), full.to_owned()] {
        let log = format!("{}{end}", episodes(100));
        let (verdict, reason, _) = scanned(&log);
        assert_eq!((verdict.as_str(), reason.as_str()), ("failed", "exception"), "{end}");
        assert_eq!(failure(0, &log).map(|failure| failure.0), Some(FailureReason::Exception), "{end}");
    }
    assert_eq!(scanned(&format!("{}Segmentation fault\n", episodes(100))).0, "succeeded");
}

#[test]
fn a_bar_that_is_closed_hides_no_trouble() {
    let bar = |done: u32| format!("\r{done}%|#####     | {done}/100 [00:10<00:10,  5.0it/s]");
    let bars: String = (1..=50).map(bar).collect();
    assert_eq!(read(&format!("{bars}\n{OOM}{}\n", bar(51))).cause.unwrap().kind, "gpu-oom");
    assert_eq!(read(&format!("{bars}\n{OOM}{}{}\n", bar(51), bar(52))).cause, None);
}

#[test]
fn lines_of_a_closing_simulator_hide_no_trouble() {
    let kit = "2026-11-21T10:00:00Z [12,345ms] [Warning] [omni.physx.plugin] closing\n".repeat(1200);
    assert!(read(&format!("{TRACEBACK}ValueError: no\n{kit}")).ending_exception().is_some());
    assert!(read(&format!("{OOM}{kit}")).ending_cause().is_some());
    assert!(read(&format!("{}{OOM}{}", episodes(5), "at work\n".repeat(1200))).ending_cause().is_some());
}

#[test]
fn a_crash_at_close_is_told_where_its_like_was_seen_before() {
    let log = format!("Segmentation fault (core dumped)\n{}Segmentation fault\n", episodes(100));
    assert_eq!(scanned(&log).2, ["after the work was complete: Segmentation fault"]);
}

#[test]
fn an_error_that_says_what_failed_on_the_last_line_is_the_end() {
    let begun = "2026-01-06 17:00:33,787 - eval - INFO - Starting evaluation with 10 episodes...\n";
    let failed = "2026-01-06 17:00:34,126 - eval - ERROR - Evaluation failed: no such environment\n";
    let verdict = |log: &str| scanned(log).0;
    assert_eq!(verdict(&format!("{begun}{failed}")), "failed");
    assert_eq!(verdict(&format!("{begun}{failed}{begun}")), "incomplete", "it went on");
    let mild = failed.replace("ERROR", "WARNING");
    assert_eq!(verdict(&format!("{begun}{mild}")), "unknown");
    let other = "2026-01-06 17:00:34,126 - eval - ERROR - The camera of the third robot failed twice\n";
    assert_eq!(verdict(&format!("{begun}{other}")), "unknown");
}

#[test]
fn a_last_line_that_states_an_error_is_why_the_log_ends() {
    for (last, reason) in [
        ("Error: cannot open the environment", "exit-code"),
        ("eval-policy: error: no such task", "exit-code"),
        ("Evaluation failed: the server is gone", "exit-code"),
        ("RuntimeError: no device", "exception"),
        ("KeyboardInterrupt", "cancelled"),
    ] {
        let (verdict, why, _) = scanned(&format!("{}{last}\n", episodes(3)));
        assert_eq!((verdict.as_str(), why.as_str()), ("failed", reason), "{last}");
        let (verdict, _, _) = scanned(&format!("{}{last}\n", episodes(100)));
        assert_eq!(verdict == "succeeded", reason == "exit-code", "all was done before: {last}");
        let (verdict, _, _) = scanned(&format!("{}{last}\nEpisode 4/100 reward=1.0\n", episodes(3)));
        assert_eq!(verdict, "incomplete", "it went on: {last}");
        let again = format!(
            "Episode 1/3 reward=1.0\n{last}\nEpisode 2/3 reward=0.0\nEpisode 3/3 reward=0.0\n{last}\n"
        );
        assert_eq!(scanned(&again).0, "succeeded", "it outlives that: {last}");
        let closed = format!("Iter 1: loss=2\nIter 2: loss=1\nIter 3: loss=1\nTraining complete\n{last}\n");
        assert_eq!(scanned(&closed).0 == "failed", reason != "exit-code", "{last}");
    }
    let logged = "2026-01-06 17:00:39,954 - eval - ERROR - Error during evaluation: 'close'\n";
    assert_eq!(scanned(&format!("Model loaded\n{logged}")).0, "failed");
    assert_eq!(scanned(&format!("{}{logged}", episodes(3))).0, "incomplete", "it may go on");
}

#[test]
fn a_scheduler_reports_how_the_job_ended() {
    let told = |work: &str, state: &str| {
        let report = "JOB STATISTICS\n==============\nJob ID: 12211856\nState: ";
        let behind = "Nodes: 1\nCores per node: 16\nCPU Utilized: 00:00:10\nMemory Utilized: 1.49 MB\n";
        let (verdict, reason, _) = scanned(&format!("{work}\n{report}{state}\n{behind}"));
        (verdict, reason)
    };
    let pair = |verdict: &str, reason: &str| (verdict.to_owned(), reason.to_owned());
    assert_eq!(told("weights loaded", "COMPLETED (exit code 0)"), pair("succeeded", "-"));
    assert_eq!(told(&episodes(3), "COMPLETED (exit code 0)").0, "incomplete", "a pipeline ends well");
    assert_eq!(told("weights loaded", "FAILED (exit code 1)"), pair("failed", "exit-code"));
    assert_eq!(told("weights loaded", "TIMEOUT (exit code 0)"), pair("failed", "timeout"));
    assert_eq!(told("weights loaded", "OUT_OF_MEMORY (exit code 0)"), pair("failed", "host-oom"));
    assert_eq!(told("weights loaded", "CANCELLED (exit code 0)"), pair("failed", "cancelled"));
}

#[test]
fn a_launcher_that_was_told_to_end_is_cancelled() {
    let thrown = |signal: u8| {
        scanned(&format!("{TRACEBACK}torch.distributed.elastic.multiprocessing.api.SignalException: Process 47068 got signal: {signal}\n")).1
    };
    assert_eq!(
        (thrown(1), thrown(15), thrown(11)),
        ("cancelled".into(), "cancelled".into(), "exception".into())
    );
}

#[test]
fn what_refused_its_command_line_was_over_before_ctrl_c() {
    let refused =
        "usage: train.py [--num_worker N]\ntrain.py: error: argument --num_worker: expected one argument\n";
    let reason = |thrown: &str| scanned(&format!("{refused}{TRACEBACK}{thrown}\n")).1;
    assert_eq!(
        (reason("KeyboardInterrupt"), reason("ChildFailedError: ")),
        ("cancelled".into(), "exit-code".into())
    );
}

#[test]
fn a_program_goes_on_behind_its_trouble_where_it_logs_much_else() {
    let line = |level: &str, text: &str| format!("2026-01-13 02:51:33,749 - {level} - {text}\n");
    let caught = line("ERROR", "OutOfMemoryError: CUDA out of memory. Tried to allocate 716.00 MiB");
    let after =
        |lines: usize| scanned(&(caught.clone() + &line("INFO", "Building contexts").repeat(lines))).0;
    assert_eq!((after(20), after(101)), ("failed".into(), "unknown".into()));
    let printed = |line: &str| scanned(&format!("{OOM}\n{}", line.repeat(101))).0;
    assert_eq!(printed(&line("INFO", "Building contexts")), "unknown");
    assert_eq!(
        (printed("a dump\n"), printed(&line("ERROR", "no memory"))),
        ("failed".into(), "failed".into())
    );
}

#[test]
fn names_of_items_and_times_are_no_other_work() {
    let counted = "[20/30] caught=11/20\n[30/30] caught=22/30\n";
    let table = "ALL DONE\n  ConstantBearing(K=8.0)   : catch=70%\n  Expert(pred=2.0s) : catch=73%\n";
    assert_eq!(scanned(&(counted.repeat(2) + table)).0, "succeeded");
    let trained = "step 0\nstep 10\nstep 20\nstep 30\ntime to jit: 0:01:21.0\ntime to train: 0:08:09.227187\n\
                   Saving parameters to /a/models\n";
    assert_eq!(scanned(trained).0, "succeeded");
}

#[test]
fn so_many_that_are_done_are_not_all() {
    for line in [
        "[Parallel(n_jobs=90)]: Done 878 tasks      | elapsed: 81.6min",
        "[Parallel(n_jobs=90)]: Done 1142 out of 1200 | elapsed: 88.9min remaining:  4.5min",
        "Finished 12 rollouts in 30 s",
        "Completed 3 jobs",
        "12 runs finished",
        "3 episodes done in 3.2s",
        "3 tasks done, 8 left",
        "Tasks done: 3",
        "Total tasks done: 3",
        "Runs completed so far: 3",
        "Finished run 3 in 3.2s",
        "Completed jobs (3/8)",
        "Done games #3",
        "Finished run with lr 0.1",
    ] {
        assert_eq!(scanned(&format!("{line}\n")).0, "unknown", "{line}");
        assert_eq!(scanned(&format!("step 10 loss 0.3\nstep 20 loss 0.2\n{line}\n")).0, "unknown", "{line}");
    }
    let folks = "04/24 [02:02:29] INFO     | >> [*] ... and that's all, folks!       train.py:291";
    for line in [folks, "All 12 runs finished", "274 epochs completed in 35.859 hours.", "All tasks done: 40"]
    {
        assert_eq!(scanned(&format!("{line}\n")).0, "succeeded", "{line}");
    }
}

#[test]
fn a_summary_without_counts_says_of_how_many_episodes_it_is() {
    let told = |log: &str| {
        let document = scan_json(&read(log));
        (document["progress"]["done"].as_u64(), document["progress"]["total"].as_u64())
    };
    let summary = "Success: 3 / 30\nSuccess rate: 0.1000\nAverage reward: 0.1\n\nNothing else was tried.\n";
    assert_eq!(told(summary), (Some(30), None), "it may be a part");
    assert_eq!(scanned(summary).0, "unknown");
    let tasks = "pick\nSuccess: 2/10\nplace\nSuccess: 3/20\n";
    assert_eq!(told(tasks), (None, None), "parts of it");
    assert_eq!(told(&format!("{}{summary}", episodes(50))), (Some(50), Some(100)), "what was counted");
}

const TWO_COMMANDS: &str = "09:00:00 START walk n=1\n09:10:00 END walk rc=0\n09:10:00 START run n=2\nTraining completed.\n09:20:00 END run rc=0\n";

#[test]
fn a_launcher_is_over_with_its_own_last_word_alone() {
    let reading = read(&format!("{TWO_COMMANDS}09:20:01 === QUEUE_DONE ===\n"));
    assert_eq!(reading.progress_text().as_deref(), Some("2 of 2 jobs"));
    assert_eq!(scanned(&format!("{TWO_COMMANDS}09:20:01 === QUEUE_DONE ===\n")).0, "succeeded");
    let mut log = String::new();
    for line in TWO_COMMANDS.lines().chain(["09:21:00 START fly n=3"]) {
        log.extend([line, "\n"]);
        if log.contains("START run") {
            assert_eq!(scanned(&log).0, "unknown", "{log}");
        }
    }
}

#[test]
fn a_command_that_failed_within_a_queue_fails_the_whole() {
    let failed = TWO_COMMANDS.replace("walk rc=0", "walk rc=1");
    let log = format!("{failed}09:20:01 DONE\n");
    assert_eq!(scanned(&log).0, "failed");
    let (reason, message) = failure(0, &log).unwrap();
    assert_eq!(reason, FailureReason::Exception);
    assert!(message.contains("09:10:00 END walk rc=1"), "{message}");
    let again = format!("{failed}09:21:00 START walk n=1\n09:22:00 END walk rc=0\n09:22:01 DONE\n");
    assert_eq!(failure(0, &again), None, "the second time it ended well");
    assert_eq!(scanned("09:10:00 START walk\n09:20:00 DONE walk (exit 1)\n09:20:00 DONE\n").0, "unknown");
}

#[test]
fn a_mean_of_as_many_as_were_counted_ends_them() {
    let episodes = |count: u32| -> String {
        (1..=count)
            .map(|episode| format!("INFO:root:Episode {episode}: Total reward = 2{episode}.5\n"))
            .collect()
    };
    let five = episodes(5);
    let log = format!("{five}INFO:root:Average reward over 5 episodes: 23.5\n");
    assert_eq!(scanned(&log).0, "succeeded");
    assert_eq!(read(&log).progress_text().as_deref(), Some("5 of 5 episodes"));
    for end in [
        "INFO:root:Average reward over last 5 episodes: 23.5\n",
        "INFO:root:Average reward over 4 episodes: 23.5\n",
        "INFO:root:Average reward over 6 episodes: 23.5\n",
        "INFO:root:Average reward over 5 episodes: 23.5\nINFO:root:Episode 6: Total reward = 1.5\n",
    ] {
        assert_eq!(scanned(&format!("{five}{end}")).0, "unknown", "{end}");
    }
}

#[test]
fn the_last_line_of_pytest_says_how_its_tests_ended() {
    let log = |end: &str| format!("collected 2 items\n\ntest_policy.py ..\n\n{end}\n");
    for passed in ["=== 2 passed in 2.12s ===", "== 2 passed, 1 warning in 63.12s (0:01:03) =="] {
        assert_eq!(scanned(&log(passed)).0, "succeeded", "{passed}");
    }
    for failed in ["=== 1 failed, 1 passed in 2.12s ===", "=== 2 errors in 0.12s ==="] {
        assert_eq!(scanned(&log(failed)).0, "failed", "{failed}");
    }
}

#[test]
fn results_printed_as_json_come_behind_the_end() {
    let results = "Results saved to results.json\n==\nSUMMARY\n==\n{\n  \"policy\": {\n    \"accuracy\": 0.17,\n  }\n}\n";
    let started: String =
        (1..=5).map(|sample| format!("Evaluating sample {sample}/5...\n  Predicted: x\n")).collect();
    assert_eq!(scanned(&format!("{started}{results}")).0, "succeeded");
    assert_eq!(scanned(&format!("{started}{results}Evaluating sample 1/5...\n")).0, "incomplete");
}

#[test]
fn what_is_saved_at_last_ends_a_training_of_which_an_earlier_line_says_so() {
    let table = "Validating runs/detect/train/weights/best.pt...\n   all  4146  20410  0.887  0.861\n";
    let log = format!("93 epochs completed in 10.314 hours.\n{table}Results saved to runs/detect/train\n");
    assert_eq!(scanned(&log).0, "succeeded");
    assert_eq!(scanned(&format!("{table}Results saved to runs/detect/train\n")).0, "unknown");
    let saved = |name: &str| format!("Checkpoint saved: results/{name}.pt\n");
    let log: String =
        (1..=9).map(|n| format!("Episode {n} | Reward: {n}.5\n{}", saved(&format!("ep{n}")))).collect();
    let evaluated = format!("{log}Running final evaluation...\n  Average Reward: 3.5\n");
    assert_eq!(scanned(&format!("{evaluated}{}", saved("final_model"))).0, "succeeded");
    assert_eq!(scanned(&format!("{evaluated}{}", saved("best_model"))).0, "unknown");
}

#[test]
fn a_training_that_was_resumed_may_count_its_last_step_from_0() {
    let steps =
        |last: u32| -> String { (50..=last).map(|step| format!("Step {step}/60 | loss=0.1\n")).collect() };
    let ended = |last: u32| format!("{}Training complete (62.8s)\n", steps(last));
    assert_eq!(scanned(&ended(59)).0, "succeeded");
    assert_eq!(scanned(&ended(58)).0, "unknown");
    assert_eq!(scanned(&steps(59)).0, "incomplete");
}

#[test]
fn what_is_over_for_one_of_several_is_no_end() {
    let circuit = |name: &str| {
        format!(
            "[15:26:10] Training {name}...\n✓ Training complete for {name}\nEvaluating {name}...\n✓ Evaluation complete for {name}\n"
        )
    };
    let circuits = ["monaco", "suzuka", "spa"].map(circuit).concat();
    let mut log = "=== Starting training for 3 circuits ===\n".to_owned();
    for line in circuits.lines() {
        log.extend([line, "\n"]);
        assert_ne!(scanned(&log).0, "succeeded", "{log}");
    }
    assert_eq!(scanned(&format!("{log}=== All circuits complete ===\n")).0, "succeeded");
    for part in [
        "DEBUG - Finished training batch",
        "Rollouts complete: 256 steps in 0.4s",
        "Training complete for monaco",
        "Training complete.\nStarting data collection. Target: 2048 transitions.",
    ] {
        assert_eq!(scanned(&format!("Loading 3 maps\n{part}\n")).0, "unknown", "{part}");
    }
}

#[test]
fn the_heading_of_another_part_behind_a_full_count_begins_it() {
    for heading in ["=== NAME ===", "Running NAME", "[LAUNCH] NAME", "--- NAME ---"] {
        let part = |name: &str| {
            let heading = heading.replace("NAME", name);
            format!("{heading}\nLoading the policy\nEpisode 1/2 success\nEpisode 2/2 failure\n{name} ok\n")
        };
        let first = part("pick-cube");
        assert_eq!(scanned(&first).0, "succeeded", "{first}");
        let second = part("stack-cube");
        for lines in 1..=2 {
            let begun: String = second.lines().take(lines).map(|line| format!("{line}\n")).collect();
            assert_ne!(scanned(&format!("{first}{begun}")).0, "succeeded", "{first}{begun}");
        }
        assert_eq!(scanned(&format!("{first}{second}ALL OK\n")).0, "succeeded", "{heading}");
    }
}
