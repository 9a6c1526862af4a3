//! Logs of LIBERO evaluations, as OpenVLA and its descendants print them.

use serde_json::json;

use crate::progress::scan::reading::scan_json;
use crate::progress::tests::any_cut::{metrics, read, summary};
use crate::progress::tests::reading_logs::auto;

/// One episode of a task, as it stands in the program's own log file.
fn episode(number: u64, successes: u64, success: bool) -> String {
    let (outcome, percent) =
        (if success { "True" } else { "False" }, 100.0 * successes as f64 / number as f64);
    format!(
        "\nTask: put the bowl on the plate\nStarting episode 1...\nSuccess: {outcome}\n\
         # episodes completed so far: {number}\n# successes: {successes} ({percent:.1}%)\n\
         Current task success rate: {:.1}\nCurrent total success rate: {}\n",
        f64::from(u8::from(success)),
        successes as f64 / number as f64
    )
}

fn first_tasks(episodes: u64) -> String {
    let episodes: String = (1..=episodes).map(|number| episode(number, number.min(2), number < 3)).collect();
    format!("Task suite: libero_spatial\n[info] running first 3/10 tasks\n{episodes}")
}

#[test]
fn the_announced_tasks_and_the_first_one_tell_how_many_episodes_there_are() {
    assert_eq!(summary(&first_tasks(3)), ("openvla".into(), Some(3), Some(3), "succeeded"));
    assert_eq!(summary(&first_tasks(2)), ("openvla".into(), Some(2), Some(3), "incomplete"));
    let expected = json!({"episodes": 3.0, "successes": 2.0, "success_rate": 2.0 / 3.0});
    assert_eq!(metrics(&first_tasks(3)), expected);
    let in_first_task = first_tasks(1);
    let in_first_task = in_first_task.split("Current").next().unwrap();
    assert_eq!(summary(in_first_task), ("openvla".into(), Some(1), None, "unknown"));
}

#[test]
fn the_last_lines_alone_show_all_episodes_by_their_full_bars() {
    let end = |tasks: u64| {
        format!(
            "# episodes completed so far: 500\n# successes: 416 (83.2%)\n100%|██████████| 50/50 [30:41<00:00, 36.83s/it]\n\
             Current task success rate: 0.68\nCurrent total success rate: 0.832\n\
             100%|██████████| {tasks}/{tasks} [4:16:42<00:00, 1540.20s/it]\n\
             Exception ignored in: <function MjRenderContext.__del__ at 0x7f268f25c3a0>\nTraceback (most recent call last):\n"
        )
    };
    assert_eq!(summary(&end(10)), ("openvla".into(), Some(500), Some(500), "succeeded"));
    let twice = end(10).replace("10/10", "50/50");
    assert_ne!(summary(&twice.replace("500", "2500")).3, "succeeded", "the bar of the next task");
    let video = end(10).replace("4:16:42", "00:02");
    assert_ne!(summary(&video).3, "succeeded", "the bar of a video");
    assert_eq!(summary(&end(9)), ("openvla".into(), Some(500), None, "unknown"), "not as many");
}

#[test]
fn an_evaluation_that_failed_before_its_first_episode_is_one() {
    let log = "INFO:root:Task suite: libero_goal\n  0%|          | 0/2 [00:00<?, ?it/s]\n\
               \r  0%|          | 0/3 [00:00<?, ?it/s]\nTraceback (most recent call last):\n  \
               File \"main.py\", line 3, in <module>\n    f()\nConnectionRefusedError: nobody listens\n";
    assert_eq!(summary(log), ("openvla".into(), Some(0), Some(6), "failed"));
}

#[test]
fn the_suite_may_be_named_with_its_tasks() {
    let log = first_tasks(2)
        .replace("libero_spatial\n[info] running first 3/10 tasks", "libero_spatial (3/10 tasks)");
    assert_eq!(summary(&log), ("openvla".into(), Some(2), Some(3), "incomplete"));
}

#[test]
fn the_usual_tasks_of_a_suite_show_how_far_it_is_and_prove_nothing() {
    let log = |suite: &str, episodes: u64| {
        let episodes: String = (1..=episodes).map(|number| episode(number, 1, number < 2)).collect();
        format!("Task suite: {suite}\n{episodes}")
    };
    assert_eq!(summary(&log("libero_10", 2)), ("openvla".into(), Some(2), Some(10), "incomplete"));
    assert_eq!(metrics(&log("libero_10", 2))["successes"], 1.0);
    assert!(!auto(&log("libero_10", 2)).falls_short(), "a part of the suite may have been all of the work");
    assert_eq!(summary(&log("libero_10", 10)), ("openvla".into(), Some(10), None, "unknown"));
    assert_eq!(summary(&log("libero_mine", 2)), ("openvla".into(), Some(2), None, "unknown"));
}

/// Two tasks of three episodes behind a logger's prefix; `logging.info("\nTask: …")` leaves the prefix on a line of its
/// own. Every second episode succeeds.
fn openpi(episodes: u64) -> String {
    let mut log = "INFO:root:Task suite: libero_10\n\r  0%|          | 0/2 [00:00<?, ?it/s]\n".to_owned();
    for number in 1..=episodes {
        let (before, successes) = ((number - 1) % 3, number.div_ceil(2));
        log += &format!(
            "\r {}%|█     | {before}/3 [00:05<04:41,  5.74s/it]\x1b[AINFO:root:\nTask: put the mug away\n\
             INFO:root:Starting episode {}...\nINFO:root:Success: {}\n\
             INFO:root:# episodes completed so far: {number}\nINFO:root:# successes: {successes} (50.0%)\n",
            33 * before,
            before + 1,
            if number % 2 == 1 { "True" } else { "False" },
        );
        if number % 3 == 0 {
            log += "\r100%|██████| 3/3 [00:15<00:00,  4.85s/it]INFO:root:Current task success rate: 0.5██| 3/3\n\
                    INFO:root:Current total success rate: 0.5\n";
        }
    }
    log
}

#[test]
fn bars_tell_how_many_episodes_there_are_and_stay_out_of_the_way() {
    assert_eq!(summary(&openpi(2)), ("openvla".into(), Some(2), Some(6), "incomplete"));
    assert_eq!(summary(&openpi(5)), ("openvla".into(), Some(5), Some(6), "incomplete"));
    let all = openpi(6) + "INFO:root:Total success rate: 0.5\nINFO:root:Total episodes: 6\n";
    assert_eq!(summary(&all), ("openvla".into(), Some(6), Some(6), "succeeded"));
    assert_eq!(metrics(&all), json!({"episodes": 6.0, "successes": 3.0, "success_rate": 0.5}));
    assert!(read(&all).finished.is_some());
}

#[test]
fn successes_of_fewer_episodes_than_there_were_are_not_those_of_all() {
    let shortened = "INFO:root:Task suite: libero_10\nINFO:root:Success: True\nINFO:root:# successes: 1 (100.0%)\n...\n\
        INFO:root:Total success rate: 0.8\nINFO:root:Total episodes: 10\n";
    assert_eq!(summary(shortened).1, Some(10));
    assert_eq!(metrics(shortened)["success_rate"], json!(0.8));
}

#[test]
fn tasks_that_are_left_out_do_not_make_a_whole_evaluation_incomplete() {
    let empty = "  0%|          | 0/4 [00:00<?, ?it/s]\n  0%|          | 0/1 [00:00<?, ?it/s]\n";
    let walked = "100%|██████████| 4/4 [31:04<00:00, 186.46s/it]\n";
    let suite = "Task suite: libero_spatial\n";
    let three: String = (1..=3).map(|number| episode(number, 1, true)).collect();
    assert_eq!(summary(&format!("{suite}{empty}{three}")).2, Some(4));
    let of_a_task = empty.replace("0/1 ", "0/4 ");
    let (_, _, total, verdict) = summary(&format!("{suite}{of_a_task}{walked}{three}"));
    assert_ne!((total, verdict), (Some(3), "succeeded"), "the bar may be that of one task");
    let (_, _, total, verdict) = summary(&format!("{suite}{empty}{walked}{three}"));
    assert_eq!((total, verdict), (None, "unknown"));
}

/// What each suite of several prints at its end.
fn finals(successes: u64, episodes: u64) -> String {
    format!(
        "Final results:\nTotal episodes: {episodes}\nTotal successes: {successes}\n\
         Overall success rate: {:.4} (50.0%)\n",
        successes as f64 / episodes as f64
    )
}

#[test]
fn a_suite_that_broke_off_is_missed_whatever_comes_after_it() {
    let second = format!("Task suite: libero_goal\n{}{}", episode(1, 1, true), finals(1, 1));
    let whole = first_tasks(3) + &finals(2, 3) + &second;
    assert_eq!(summary(&whole), ("openvla".into(), Some(4), Some(4), "succeeded"));
    let short = first_tasks(2) + &second;
    assert_eq!(summary(&short), ("openvla".into(), Some(3), Some(4), "incomplete"), "two of three tasks");
    let unknown = format!("Task suite: libero_10\n{}{second}", episode(1, 1, true));
    assert_eq!(summary(&unknown).3, "unknown", "of the first suite nobody knows how long it was");
}

#[test]
fn a_suite_that_is_run_again_after_a_crash_counts_once() {
    let crashed = first_tasks(2) + "\nTask: put the bowl on the plate\nStarting episode 1...\n";
    assert_eq!(summary(&(crashed.clone() + &first_tasks(3))).1, Some(3));
    let log = crashed + &first_tasks(1);
    assert_eq!(metrics(&log), json!({"episodes": 1.0, "successes": 1.0, "success_rate": 1.0}));
    let seeds = first_tasks(3) + &first_tasks(3);
    assert_eq!(summary(&seeds), ("openvla".into(), Some(3), Some(3), "succeeded"), "the newest of two runs");
}

#[test]
fn episodes_that_ended_in_an_exception_are_told() {
    let raised = |error: &str, number: u64| {
        episode(number, 0, false).replace("Success:", &format!("{error}\nSuccess:"))
    };
    let caught = "ERROR:root:Caught exception: server closed the connection";
    let some =
        format!("Task suite: libero_10\n{}{}", raised(caught, 1), episode(2, 0, false)) + &finals(0, 2);
    assert_eq!(summary(&some).3, "succeeded");
    assert_eq!(metrics(&some)["caught_exceptions"], 1.0);
    let scan = scan_json(&read(&some));
    assert_eq!(scan["alerts"][0]["kind"], "exception");
    let warning = "1 of 2 episodes ended in an exception and count as failures";
    assert_eq!(scan["warnings"], json!([warning]));

    let all = format!("Task suite: libero_10\n{}", raised("Episode error: no display", 1)) + &finals(0, 1);
    assert_eq!(summary(&all).3, "invalid", "nothing was measured");
}

#[test]
fn runs_that_tell_nothing_but_their_ends_add_up() {
    let log = finals(1, 2) + "Loading the model\n" + &finals(2, 3);
    assert_eq!(summary(&log), ("openvla".into(), Some(5), Some(5), "succeeded"));
    assert_eq!(metrics(&log)["successes"], 3.0);
}

#[test]
fn counts_at_the_end_may_stand_on_one_line() {
    let log = format!("Task suite: libero_10\n{}Final results: 1/2 (Rate: 0.5)\n", episode(1, 1, true));
    assert_eq!(summary(&log), ("openvla".into(), Some(2), Some(2), "succeeded"));
    assert_eq!(metrics(&log)["successes"], 1.0);
}

/// Rich wraps at 80 columns where nothing tells it the width, so that some numbers stand on the next line.
#[test]
fn lines_that_a_logger_wrapped_still_count() {
    let logged = |text: &str| format!("{:17}INFO     | >> {text:25} run_libero_eval.py:143\n", "");
    let behind = |text: &str| format!("{:26}{text}{:40}\n", "", "");
    let episode = |number: u64, successes: u64, success: &str| {
        let percent = 100.0 * successes as f64 / number as f64;
        logged(&format!("Success: {success}"))
            + &logged("# episodes completed so")
            + &behind(&format!("far: {number}"))
            + &logged(&format!("# successes: {successes} ({percent:.1}%)"))
    };
    let log = logged("Task suite: libero_goal") + &episode(1, 1, "True") + &episode(2, 1, "False");
    assert_eq!(metrics(&log), json!({"episodes": 2.0, "successes": 1.0, "success_rate": 0.5}));
    let rate = logged("Overall success rate:") + &behind("0.5000 (50.0%)");
    let whole = log + &logged("Total episodes: 2") + &logged("Total successes: 1") + &rate;
    assert_eq!(summary(&whole), ("openvla".into(), Some(2), Some(2), "succeeded"));
    let cut_at_begin = episode(9, 4, "True") + &episode(10, 4, "False");
    assert_eq!(summary(&cut_at_begin).1, None, "how many came before is not known");
}

#[test]
fn the_bar_of_a_model_that_is_loaded_late_counts_no_tasks() {
    let loading = "\rLoading checkpoint shards:   0%|  | 0/4 [00:00<?, ?it/s]\r  0%|";
    assert_eq!(summary(&openpi(2).replacen("\r  0%|", loading, 1)).2, Some(6));
}

#[test]
fn a_printed_setting_and_the_announced_tasks_tell_the_total_at_once() {
    let log = "2026-01-01 20:22:49,028 - INFO - Arguments: {\n\"num_trials_per_task\": 5,\n}\n\
               2026-01-01 20:22:49,028 - INFO - Evaluating 4/10 tasks\n\
               2026-01-01 20:50:15,773 - INFO - # episodes completed so far: 1\n\
               2026-01-01 20:50:15,773 - INFO - # successes: 0 (0.0%)\n";
    assert_eq!(summary(log), ("openvla".into(), Some(1), Some(20), "incomplete"));
    assert_eq!(metrics(log), json!({"episodes": 1.0, "successes": 0.0, "success_rate": 0.0}));
}

#[test]
fn the_final_results_alone_are_a_whole_log() {
    for prefix in ["", "INFO     | >> ", "08/25 [14:03:11] INFO     | >> ", "[>>] ", "INFO:root:"] {
        let log: String = ["Final results:", "Total episodes: 40", "Total successes: 33"]
            .map(|line| format!("{prefix}{line}{:30}\n", ""))
            .concat()
            + &format!("{prefix}Overall success rate: 0.8250 (82.5%)  \n");
        assert_eq!(summary(&log), ("openvla".into(), Some(40), Some(40), "succeeded"), "{prefix}");
        assert_eq!(metrics(&log), json!({"episodes": 40.0, "successes": 33.0, "success_rate": 0.825}));
    }
}

#[test]
fn suites_after_one_another_add_up() {
    let suite = |name: &str| {
        format!("Task suite: {name}\n{}{}", episode(1, 1, true), episode(2, 1, false))
            + "Total success rate: 0.5\nTotal episodes: 2\n"
    };
    let log = suite("libero_goal") + &suite("libero_object");
    assert_eq!(summary(&log), ("openvla".into(), Some(4), Some(4), "succeeded"));
    let begun = suite("libero_goal") + "Task suite: libero_object\n";
    assert_eq!(
        summary(&begun),
        ("openvla".into(), Some(2), None, "unknown"),
        "a name is the first of a suite"
    );
    let in_second = suite("libero_goal") + "Task suite: libero_object\n" + &episode(1, 1, true);
    assert_eq!(
        summary(&in_second),
        ("openvla".into(), Some(3), None, "unknown"),
        "the first alone is complete"
    );
    assert_eq!(metrics(&log), json!({"episodes": 4.0, "successes": 2.0, "success_rate": 0.5}));
}

#[test]
fn a_log_that_begins_in_the_middle_invents_no_successes() {
    let log = "Success: True\n# episodes completed so far: 300\n";
    assert_eq!(summary(log).1, Some(300));
    assert_eq!(metrics(log), json!({"episodes": 300.0}));
    let log = "# episodes completed so far: 300\n# successes: 127 (42.3%)\nSuccess: True\n\
               # episodes completed so far: 301\n";
    assert_eq!(metrics(log)["successes"], 128.0, "the outcome is known before it is counted");
}

#[test]
fn words_that_others_use_too_recognise_nothing() {
    for line in
        ["Success: True", "Total episodes: 100", "Task suite: nightly", "12/20 tasks", "Total successes: 3"]
    {
        assert_eq!(summary(&format!("{line}\n")).0, "none", "{line}");
    }
}

#[test]
fn two_episodes_that_end_in_an_exception_do_not_spoil_what_goes_on() {
    let broken = |n: u64| {
        format!(
            "Starting episode 1...\nCaught exception: 'bowl'\nSuccess: False\n\
             # episodes completed so far: {n}\n# successes: 0 (0.0%)\n"
        )
    };
    let begun = "Task suite: libero_10\n".to_owned() + &broken(1) + &broken(2) + "Starting episode 1...\n";
    assert_eq!(summary(&begun).3, "incomplete");
    assert_eq!(summary(&(begun.clone() + "Total episodes: 2\nOverall success rate: 0.0\n")).3, "invalid");
    assert_eq!(summary(&(begun + &broken(3))).3, "invalid");
}

#[test]
fn suites_of_a_run_that_broke_off_count_no_more_when_the_next_one_is_run_again() {
    let episode = |n: u64| {
        format!(
            "Starting episode 1...\nSuccess: False\n# episodes completed so far: {n}\n# successes: 0 (0.0%)\n"
        )
    };
    let suite = |name: &str, episodes: u64| {
        format!("Task suite: {name}\n") + &(1..=episodes).map(episode).collect::<String>()
    };
    let log = suite("libero_spatial", 9) + &suite("libero_10", 3) + &suite("libero_10", 1);
    assert_eq!(summary(&log).1, Some(1));
}
