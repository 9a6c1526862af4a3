//! The line at the end of a log by which a program says that all of its work is done: `Training done`,
//! `Final test accuracy: 65.57`.
//!
//! It is no proof next to a count that falls short, and none while other work comes after it; nothing but the end of a
//! log without an exit code is judged by it.

use super::before_the_end::BeforeTheEnd;
use super::behind_the_end::{begins_work, belongs_to_end, heads_start};
use super::closing_doubts::{names_exception, shows_failure};
use super::closing_frame::{ends_what_began, place_of_summary};
use super::closing_repeats::{is_said_of_another, is_said_twice, is_saved_for_each};
use super::closing_results::saves_final_model;
use super::closing_share::place_of_final_share;
use super::closing_words::{Proves, closing_words, gives_result_when_done, states_end};
use super::line_words::words_of;
use crate::progress::counts::bar::Bar;
use crate::progress::text::last_words::announces_work;
use crate::progress::text::line_prefix::behind_prefix;
use crate::progress::text::log_tail::LastLine;

/// Summaries, remarks of loggers and reports of schedulers follow such words; more than so many lines are other work.
const MOST_BEHIND: usize = 16;

/// Behind words that many programs print after each part of their work there is nothing but a last remark.
const MOST_BEHIND_WEAK: usize = 1;

/// Returns the newest of the last lines that says that the work is done, unless other work comes behind it.
pub fn closing_line<'a>(lines: &'a [LastLine], log: &BeforeTheEnd<'_>) -> Option<&'a LastLine> {
    let begins_run = |line: &LastLine| {
        let text = line.text.as_bytes();
        // The first line that says anything may be the end itself.
        is_same_start(behind_prefix(text).unwrap_or(text).trim_ascii(), log.first_line)
            && closing_words(&words_of(&line.text)).is_none()
    };
    let lines = &lines[lines.iter().rposition(begins_run).unwrap_or(0)..];
    let result = place_of_final_share(lines, log);
    let words: Vec<_> = lines.iter().map(|line| words_of(&line.text)).collect();
    let summary = place_of_summary(lines, &words).filter(|_| log.has_counted);
    let has_failed = || shows_failure(lines, &words);
    let mut behind = 0;
    for (place, line) in lines.iter().enumerate().rev() {
        let said = &words[place];
        if said.is_empty() {
            continue;
        }
        let is_repeated = || {
            let may_be_torn = log.is_torn && place + 1 == lines.len();
            words[..place].iter().any(|other| is_said_of_another(other, said, may_be_torn))
        };
        let is_of_each = || !saves_final_model(said) && is_saved_for_each(lines, &words, place);
        let closes = closing_words(said)
            .or_else(|| ends_what_began(said, log.first_line).filter(|_| !lines.iter().any(names_exception)))
            .or_else(|| gives_result_when_done(&line.text, said).then_some(Proves::Work))
            .or_else(|| states_end(&line.text, said).then_some(Proves::Part))
            .filter(|_| !log.doubts(said));
        if summary == Some(place) {
            return (!is_repeated() && !has_failed()).then_some(line);
        }
        match closes {
            Some(Proves::Work) => return (!is_repeated() && !has_failed()).then_some(line),
            Some(Proves::Part)
                if behind <= MOST_BEHIND_WEAK && (log.has_counted || is_said_twice(&words, place)) =>
            {
                return (!is_repeated() && !is_of_each() && !has_failed()).then_some(line);
            }
            Some(Proves::Part) | None if result == Some(place) => return Some(line),
            Some(Proves::Part) | None => {}
        }
        let is_of_summary = summary.is_some_and(|heading| heading < place);
        if belongs_to_end(&line.text, said) || is_of_summary || is_redrawn(lines, place) {
            continue;
        }
        behind += 1;
        if behind > MOST_BEHIND
            || begins_work(&line.text, said)
            || announces_work(line.text.as_bytes())
            || heads_start(&lines[place..], log.first_line)
        {
            return None;
        }
    }
    None
}

/// A bar at which the log stood before: it is drawn once more when it is closed.
fn is_redrawn(lines: &[LastLine], place: usize) -> bool {
    let extent = |line: &LastLine| Bar::parse(line.text.as_bytes()).map(|bar| (bar.done(), bar.total()));
    let drawn = extent(&lines[place]);
    drawn.is_some() && lines[..place].iter().rev().find_map(extent) == drawn
}

/// The same words, at another time: `Training Session Started: 2026-02-03 15:36:53`.
fn is_same_start(line: &[u8], first: &[u8]) -> bool {
    fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
        text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
    }
    let is_time = |word: &[u8]| {
        let digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
        digits >= 4 && word.len() > digits && word.iter().all(|byte| b"0123456789-:./T".contains(byte))
    };
    let mut pairs = words(line).zip(words(first));
    !first.is_empty()
        && words(line).count() == words(first).count()
        && pairs.all(|(one, other)| one == other || is_time(one) && is_time(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted() -> BeforeTheEnd<'static> {
        BeforeTheEnd { has_counted: true, ..silent() }
    }

    fn silent() -> BeforeTheEnd<'static> {
        BeforeTheEnd { shares: 1, ..BeforeTheEnd::default() }
    }

    fn closes(log: &[&str]) -> bool {
        closes_after(log, &counted())
    }

    fn closes_after(log: &[&str], before: &BeforeTheEnd<'_>) -> bool {
        let lines: Vec<LastLine> = log
            .iter()
            .zip(1..)
            .map(|(text, number)| LastLine { offset: 0, number, text: (*text).to_owned() })
            .collect();
        closing_line(&lines, before).is_some()
    }

    #[test]
    fn words_at_the_end_say_that_the_work_is_done() {
        for line in [
            "[11/12/23 01:15:18][callback][INFO] - Training done",
            "=== DONE ===",
            "4/4: Training completed",
            "BENCH3 PASS COMPLETE",
            "274 epochs completed in 35.859 hours.",
            "2025-08-07 01:36:12,683 - __main__ - INFO - Experiment completed successfully",
            "Finished Training",
            "Evaluation loop completed successfully.",
            "`Trainer.fit` stopped: `max_epochs=250` reached.",
            "**** Final test accuracy: 65.57. ****",
            "Final Model - Mean reward: 104.76 +/- 100.39",
            "Total training time: 26119.36 seconds",
            "Plot saved as rewards.png",
            "summary written to sweeps/summary.csv",
            "所有任务已完成。",
            "Took 1859.5s to run",
            "Finished all episode. Goodbye!",
            "2021-05-11 18:06:27,690 Done playing 100000 games. Games won: 63669, time taken: 11976.4",
            "Success Rate (over 20 episodes): 50.0%",
            "2025-05-20 00:39:07,538 - INFO - Finished SAC training script",
            "Completed all 10 sequential rounds in 68.68 seconds.",
            "Environment solved in 24 episodes!",
            "Completed at episode:  109",
            "Graphs saved to outputs/baseline",
            "[SUCCESS] 完整实验流程执行完成! 🎉",
            "模型训练完成",
            "2021-04-25 17:36:21,386 Done! Best score: 85/100 wins! Weights: [104.0, 118.0]",
            "2025-04-10 22:19:53,103 INFO [ptm/MainProcess] denovo.evaluate : DONE!",
            "D-05-01 offline diagnostic: COMPLETED",
            "All renders done!",
            "=== Pair 01 ALL DONE ===",
            "Profiling complete.  Results in: results/profiling/",
            "OFT wrapper finished with status: training_finished",
            "Generate test with beam=5, lm_weight=2.0, UER to viterbi: 0",
            "Training time 2:14:38",
            "done, took 400.983 seconds",
            "  Number of finished trials:  100",
            "Training time 1 day, 2:03:04",
            "2025-12-24 15:08:40 - [INFO] - 💾 详细结果已保存至: data/results.jsonl",
            "[2026-06-14 02:51:05] [finished]",
            "DONE 2026-05-09 18:57:49 label=left",
            "EXIT=0 Thu  2 Jul 11:33:25 UTC 2026",
            "[coverage] wrote experiments/v1/ceiling.json",
            "🏁 Training abgeschlossen oder sauber beendet.",
            "Entrenamiento completado correctamente",
            "Évaluation terminée.",
            "Exiting Main",
        ] {
            assert!(closes(&["Episode 3 reward 1", line]), "{line}");
        }
    }

    #[test]
    fn parts_and_plans_are_no_end() {
        for line in [
            "Epoch 3 training complete",
            "Run 3 complete",
            "Task 4 done",
            "The model is saved when training completes",
            "Checkpoint saved at step 200",
            "Saved results of episode 3",
            "Training finished with errors",
            "Setup complete",
            "Loading done",
            "Step 3 all done",
            "Final loss checkpoint saved",
            "Total time: 12 s",
            "Training time: 12.3 s of epoch 3",
            "Finished loading training data",
            "Finished epoch training",
            "Completed all checks of the setup",
            "第 3 轮训练完成",
            "训练完成后保存模型",
            "训练未完成",
            "Done! The best is still to be found",
            "Step 3: DONE",
            "Loading model: done",
            "Config written to config.json",
            "Wenn das Training beendet ist",
            "Done with the best",
            "Loop finished in 3 s",
            "All checks done",
            "All 4 setup checks done",
            "All baseline runs and checks done",
            "All workers of stage 3 done",
            "结果将保存至 results.jsonl",
            "EXIT=1 Thu  2 Jul 11:33:25 UTC 2026",
            "DONE 2026-05-03T00:52:37+08:00 rc=143 latest_run=3",
            "Training at 2026-05-03 00:52:37 done",
            "DONE 2026-05-09 18:57:49 ok=3 failed=2",
            "Job finished at 2026-05-09 18:57:49 with status FAILED",
            "DONE 2026-05-09 18:57:49 seed=1/5",
            "ALL DONE rc=2",
        ] {
            assert!(!closes(&["Episode 3 reward 1", line]), "{line}");
        }
    }

    #[test]
    fn words_that_may_be_said_of_a_part_prove_nothing_before_any_count() {
        let line = |text: &str| [LastLine { offset: 0, number: 1, text: text.to_owned() }];
        assert!(closing_line(&line("Map saved at logs/map.png, a plot"), &silent()).is_none());
        assert!(closing_line(&line("Plot saved as a.png"), &counted()).is_some());
        assert!(closing_line(&line("Results will be saved to a.csv"), &counted()).is_none());
        assert!(closing_line(&line("Experiment complete"), &silent()).is_some());
    }

    #[test]
    fn what_is_saved_and_done_is_over_without_a_count() {
        let said = |log: &[&str]| closes_after(log, &silent());
        assert!(said(&["table", "Results saved -> eval.npz", "Saved -> outage.pdf", "Done."]));
        assert!(!said(&["Map saved", "Done."]) && !said(&["Results saved -> eval.npz", "table", "Done."]));
        assert!(!said(&["Loading", "Done."]));
    }

    #[test]
    fn what_comes_behind_decides() {
        assert!(closes(&["Training complete", "Mean reward: 3.5", "Best: 4"]));
        assert!(!closes(&["Training complete", "Evaluating the policy"]));
        let done = "=== walker DONE Wed Jul 22 05:48:50 2026 ===";
        let walker = BeforeTheEnd {
            first_line: b"=== walker START Wed Jul 22 02:05:26 2026: 10 runs ===",
            ..silent()
        };
        assert!(closes_after(&[done], &walker));
        for other in [
            "=== quadruped START Wed Jul 22 05:48:50 2026: 25 runs ===",
            "--- starting cheetah ---",
            "cheetah BEGIN 05:49",
        ] {
            assert!(
                !closes_after(&[done, other], &walker) && !closes_after(&[done, other, "seed 2"], &walker),
                "{other}"
            );
        }
        assert!(!closes(&["Training complete", "Episode 1 reward 2"]));
        assert!(!closes(&["Results saved to a.json", "seed 2", "policy b"]));
        assert!(!closes(&["Done", "seed 2", "policy b"]));
        assert!(!closes(&["Training complete", "{'loss': 0.41, 'learning_rate': 4e-05, 'epoch': 0.01}"]));
        assert!(closes(&["Training complete", "loss: 0.41"]), "a summary");
        assert!(closes(&["offline diagnostic: COMPLETED", "samples=200", "accuracy=0.42", "l1=0.03"]));
        assert!(!closes(&["offline diagnostic: COMPLETED", "seed 2", "policy b"]));
    }

    #[test]
    fn files_that_are_named_behind_the_end_belong_to_it() {
        assert!(closes(&[
            "ALL DONE",
            "Results in: results/*.json",
            "Training log: out/train.log",
            "Session log: a.log"
        ]));
        assert!(closes(&["wrapper finished with status: done", "Log: /runs/a b.log", "CSV: /runs/s.csv"]));
        assert!(closes(&[
            "Training time 2:14:38",
            "[I ProcessGroupNCCL.cpp:844] [Rank 1] watchdog thread terminated"
        ]));
        assert!(!closes(&["ALL DONE", "Training log of the next one", "seed 2"]));
    }

    #[test]
    fn what_is_saved_behind_each_part_ends_none_but_that() {
        let bar = "100%|████| 30/30 [00:04<00:00, 7.08it/s]";
        assert!(!closes(&["file saved at out/dog.png", bar, "file saved at out/cat-noname.png"]));
        assert!(closes(&[bar, "file saved at out/dog.png"]));
        assert!(closes(&[bar, "Plot saved as rewards.png", "Plot saved as losses.png"]), "of the same work");
    }

    #[test]
    fn a_launcher_whose_command_failed_proves_nothing() {
        for failed in [
            "13:06:19 | Command failed with code 1",
            "Command timed out after 2 hours",
            "Step 2 failed with exit code 137",
        ] {
            assert!(!closes(&["Stage 3", failed, "EXPERIMENT COMPLETE"]), "{failed}");
        }
        for harmless in
            ["Command failed with code 1, retrying", "Script failed with code 0", "step 3 took 1 s"]
        {
            assert!(closes(&["Stage 3", harmless, "EXPERIMENT COMPLETE"]), "{harmless}");
        }
    }

    #[test]
    fn a_share_of_successes_ends_the_work_where_it_is_the_only_one() {
        let summary = ["Total time: 6033.5", "Length of results: 128", "Success rate: 18.0%"];
        assert!(closes_after(&summary, &silent()));
        assert!(closes_after(&["RESULT: SUCCESS", "#SUCCESS_RATE: 90.62%", "#AVG_STEP: 6.34"], &counted()));
        assert!(!closes_after(&["loading", "Success rate: 18.0%"], &silent()), "nothing was counted");
        let often = BeforeTheEnd { shares: 7, ..counted() };
        assert!(!closes_after(&summary, &often), "it is printed again and again");
        assert!(!closes_after(&["Task 3 success rate: 0.5"], &counted()), "of a part");
        assert!(!closes_after(&["Success rate: 0.5", "Evaluating the next policy"], &counted()));
        let accurate = BeforeTheEnd { shares: 0, accuracies: 1, ..silent() };
        assert!(closes_after(&["Total number of examples: 2", "Accuracy: 0"], &accurate));
        assert!(closes_after(&["Accuracy    = 94.0", "Brier Score = 0.009"], &accurate));
        assert!(!closes_after(&["loading", "Accuracy: 0"], &accurate), "nothing was counted");
        let often = BeforeTheEnd { accuracies: 2, ..accurate };
        assert!(!closes_after(&["Accuracy    = 94.0", "Brier Score = 0.009"], &often));
    }

    #[test]
    fn a_torn_line_may_be_said_of_each_too() {
        let playing = "Done playing 100 games for a member. Games won: 21, time taken: 36.8";
        assert!(closes(&[playing]));
        let torn = BeforeTheEnd { is_torn: true, ..counted() };
        assert!(!closes_after(&[playing, "Done playing 100 games for a mem"], &torn));
        assert!(!closes(&[playing, playing]));
        assert!(closes(&["所有任务已完成，服务已关闭。", "----", "所有任务已完成。"]), "it is not torn");
    }

    #[test]
    fn a_run_behind_another_one_is_judged_alone() {
        let line = |number, text: &str| LastLine { offset: 0, number, text: text.to_owned() };
        let run =
            |from| [line(from, "Starting evaluation process..."), line(from + 1, "Evaluation complete")];
        let lines = [run(1), run(3)].concat();
        assert!(closing_line(&lines, &silent()).is_none(), "it is said of each");
        let known = BeforeTheEnd { first_line: b"Starting evaluation process...", ..silent() };
        assert!(closing_line(&lines, &known).is_some());
        let at = |number, time: &str| line(number, &format!("Session started: 2026-02-03 {time}"));
        let lines = [at(1, "15:36:53"), run(2)[1].clone(), at(4, "15:38:07"), run(5)[1].clone()];
        let known = BeforeTheEnd { first_line: b"Session started: 2026-02-03 15:36:53", ..silent() };
        assert!(closing_line(&lines, &known).is_some(), "at another time");
        let fold = |number| line(number, &format!("Starting fold {number}"));
        let lines = [fold(1), run(2)[1].clone(), fold(4), run(5)[1].clone()];
        let known = BeforeTheEnd { first_line: b"Starting fold 1", ..silent() };
        assert!(closing_line(&lines, &known).is_none(), "another fold is no other run");
    }
}
