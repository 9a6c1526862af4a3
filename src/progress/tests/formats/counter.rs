//! Logs that count their work in words, and lines that only look so.

use std::fmt::Write;
use std::sync::{Arc, LazyLock};

use crate::progress::reader::log_reader::LogReader;
use crate::progress::reader::rules::LogRules;
use crate::progress::reading::LogSummary;
use crate::progress::scan::reading::ScanVerdict;
use crate::progress::scan::text::scan_text;
use crate::progress::tests::reading_logs::{auto, metric, progress};

static COUNTER: LazyLock<Arc<LogRules>> = LazyLock::new(|| Arc::new(LogRules::preset("counter").unwrap()));

fn lines(range: impl IntoIterator<Item = u64>, line: impl Fn(u64) -> String) -> String {
    range.into_iter().fold(String::new(), |mut log, index| {
        writeln!(log, "{}", line(index)).unwrap();
        log
    })
}

fn declared(log: &str) -> LogSummary {
    let mut reader = LogReader::new(Arc::clone(&COUNTER));
    reader.feed(log.as_bytes(), &mut Vec::new());
    reader.finish(&mut Vec::new());
    reader.reading().clone()
}

/// `3 of 10 episodes, incomplete`, or what is read where nothing counts.
fn summary(reading: &LogSummary) -> String {
    let progress = reading.progress_text().unwrap_or_else(|| "nothing".to_owned());
    format!("{progress}, {}", ScanVerdict::of(reading).as_str())
}

/// What the declared preset tells, after checking that nothing but a guess comes of it where nobody declared it, and no
/// metric but the outcomes.
fn told(log: &str) -> String {
    let found = auto(log);
    if found.preset == Some("counter") {
        assert!(!found.complete() && !found.falls_short(), "{log}");
        let is_outcome = |name: &String| ["success_rate", "successes", "episodes"].contains(&name.as_str());
        assert!(found.metrics.keys().all(is_outcome), "{:?}", found.metrics);
    }
    summary(&declared(log))
}

fn bar(name: &str, done: u64, total: u64) -> String {
    format!("\r{name}: {:3}%|███   | {done}/{total} [00:01<00:09, 1.00it/s]", 100 * done / total)
}

#[test]
fn a_line_for_each_that_is_over_counts_it() {
    let outcome = |index: u64| if index % 2 == 1 { "success" } else { "failure" };
    let log = lines(1..=10, |i| format!("Episode {i}/10: {}", outcome(i)));
    let reading = declared(&log);
    assert_eq!((reading.progress, reading.unit), (progress(10, 10), "episodes"));
    assert_eq!((metric(&reading, "successes"), metric(&reading, "success_rate")), (5.0, 0.5));
    assert_eq!(told(&lines(1..=7, |i| format!("Episode {i}/10: success"))), "7 of 10 episodes, incomplete");
    assert_eq!(
        told(&lines(1..=9, |i| format!("Rollout {i} of 9 finished, return 1.5"))),
        "9 of 9 rollouts, succeeded"
    );
    assert_eq!(told(&lines(1..=6, |i| format!("Completed {i}/6 episodes"))), "6 of 6 episodes, succeeded");
    assert_eq!(
        told(&lines((5..=20).step_by(5), |i| format!("  {i}/20 episodes"))),
        "20 of 20 episodes, succeeded"
    );
}

#[test]
fn a_count_that_nobody_declared_is_followed_and_proves_no_end() {
    let tasks = |last| lines(1..=last, |i| format!("[{i:3}/40] grasp_{i}: OK"));
    let reading = auto(&tasks(9));
    assert_eq!((reading.preset, reading.progress), (Some("counter"), progress(9, 40)));
    assert_eq!(summary(&auto(&tasks(9))), "9 of 40 items, incomplete");
    assert_eq!(summary(&auto(&tasks(40))), "40 of 40 items, succeeded", "each has its outcome");
    assert_eq!(summary(&auto("Task 3/3 finished\n")), "3 of 3 tasks, unknown");
    assert_eq!(summary(&auto("Task 3/3 finished\nEvaluation complete\n")), "3 of 3 tasks, succeeded");
    let with_reward = lines(1..=4, |i| format!("Rollout {i}/4 reward={i}.0"));
    assert!(auto(&with_reward).metrics.is_empty() && metric(&declared(&with_reward), "mean_reward") == 2.5);
}

#[test]
fn the_share_of_successes_is_known_where_each_one_says_how_it_ended() {
    let rollouts = |known| {
        let outcome = move |i| if i <= known { format!(" success={}", i % 2) } else { String::new() };
        lines(1..=4, move |i| format!("Rollout {i}/4 reward={i}.0{}", outcome(i)))
    };
    let reading = auto(&rollouts(4));
    assert_eq!((metric(&reading, "successes"), metric(&reading, "success_rate")), (2.0, 0.5));
    assert_eq!(reading.metrics.len(), 3, "{:?}", reading.metrics);
    assert!(auto(&rollouts(3)).metrics.is_empty());
}

#[test]
fn a_nameless_count_at_the_start_of_a_line_counts_no_episodes() {
    let log = lines(1..=40, |i| format!("[{i:3}/40] grasp_{i}: {}", if i % 4 == 0 { "FAIL" } else { "OK" }));
    assert!(declared(&log).metrics.is_empty());
    assert_eq!(told(&log), "40 of 40 items, succeeded");
    assert_eq!(told(&lines(1..=9, |i| format!("[{i}/40] grasp: OK"))), "9 of 40 items, incomplete");
    assert_eq!(told(&lines(1..=9, |i| format!("[{i}/40] scene_{i}.usd"))), "8 of 40 items, incomplete");
}

#[test]
fn a_clock_behind_a_count_is_no_result_and_a_loop_may_end_a_little_beyond() {
    let line = |n: u64, percent: u64| {
        format!(
            "PickCube-v0 - INFO - 2022-04-19 12:37:15 - {n}/1000({percent}%) Passed time:4h5m ETA:56s reward:-3.5\n"
        )
    };
    let log = (1..=9).map(|n| line(n * 100, n * 10)).collect::<String>();
    assert_eq!(told(&log), "900 of 1000 items, incomplete");
    assert_eq!(told(&(log + &line(1014, 100))), "1000 of 1000 items, succeeded");
}

#[test]
fn what_has_only_begun_is_not_done() {
    let starts = |last| lines(1..=last, |i| format!("Starting episode {i}/10\n  seed=4"));
    assert_eq!(told(&starts(4)), "3 of 10 episodes, incomplete");
    assert_eq!(told(&starts(10)), "9 of 10 episodes, incomplete");
    assert_eq!(told(&format!("{}Evaluation complete\n", starts(10))), "10 of 10 episodes, succeeded");
    for remark in ["Success rate: 40.0%", "Mean reward: 3.0", "All episodes so far: 9", "Average return 2.0"]
    {
        assert_eq!(told(&format!("{}{remark}\n", starts(10))), "9 of 10 episodes, incomplete", "{remark}");
    }
    let both = lines(1..=10, |i| format!("Running trial {i}/10 ...\nTrial {i} done"));
    assert_eq!(told(&both), "10 of 10 trials, succeeded");
    let crash = format!(
        "{}Starting episode 3/3\nTraceback (most recent call last):\n  File \"e\"\nKeyError: 'x'\n",
        lines(1..=2, |i| format!("Episode {i}/3: success"))
    );
    assert_eq!(told(&crash), "2 of 3 episodes, failed");
}

#[test]
fn a_line_with_nothing_behind_its_count_is_a_heading_where_others_stand_between() {
    assert_eq!(told(&lines(1..=4, |i| format!("Episode {i}/4"))), "4 of 4 episodes, succeeded");
    assert_eq!(
        told(&lines(1..=4, |i| format!("Episode {i}/4\nmoving\nmoving"))),
        "3 of 4 episodes, incomplete"
    );
    assert_eq!(told(&lines(1..=4, |i| format!("=== Episode {i}/4 ==="))), "3 of 4 episodes, incomplete");
}

#[test]
fn the_first_index_tells_where_counting_begins() {
    let zero = |end| lines(0..end, |i| format!("Episode {i}/10 | reward: {i}.0"));
    assert_eq!(
        (told(&zero(10)), told(&zero(9))),
        ("10 of 10 episodes, succeeded".into(), "9 of 10 episodes, incomplete".into())
    );
    assert_eq!(metric(&declared(&zero(10)), "mean_reward"), 4.5);
}

#[test]
fn what_every_tenth_line_says_is_a_sample() {
    let tenth = |last: u64| lines((0..=last).step_by(10), |i| format!("Episode {i}/500: Avg Reward={i}.0"));
    assert_eq!(told(&tenth(490)), "491 of 500 episodes, incomplete");
    assert!(declared(&tenth(490)).metrics.is_empty(), "a sample of the episodes has no mean of all");
}

#[test]
fn the_outermost_count_drives() {
    let tasks = |last: u64, trials: u64| {
        lines(1..=last, |task| {
            let ends = if task == last { trials } else { 5 };
            format!(
                "Task {task}/3: pick up the cup\n{}",
                lines(1..=ends, |i| format!("  Trial {i}/5: success"))
            )
        })
    };
    assert_eq!(
        (told(&tasks(3, 5)), metric(&declared(&tasks(3, 5)), "episodes")),
        ("3 of 3 tasks, succeeded".into(), 15.0)
    );
    let within = declared(&tasks(3, 2));
    assert_eq!((within.progress, within.part), (progress(2, 3), progress(2, 5)));
    assert_eq!(told(&tasks(3, 2)), "2 of 3 tasks, incomplete");
    let one_line = lines(0..15, |i| format!("Task {}/3 trial {}/5: success", i / 5 + 1, i % 5 + 1));
    assert_eq!(told(&one_line), "3 of 3 tasks, succeeded");
    let other_way = lines(1..=2, |trial| {
        format!("Trial {trial}/2\n{}", lines(1..=4, |i| format!("  Task {i}/4: success")))
    });
    assert_eq!(told(&other_way), "2 of 2 trials, succeeded", "what restarts lies within, whatever its word");
}

#[test]
fn what_trainings_count_proves_no_end() {
    assert_eq!(
        summary(&auto(&lines(1..=50, |i| format!("Iteration {i}/100 loss=0.3")))),
        "50 of 100 iterations, incomplete"
    );
    assert_eq!(
        summary(&auto(&lines((500..=5000).step_by(500), |i| format!("step {i}/10000")))),
        "5000 of 10000 steps, incomplete"
    );
    let stopped = declared(&lines(1..=50, |i| format!("Iteration {i}/100 loss=0.3")));
    assert!(stopped.falls_short(), "a declared preset is believed");
}

#[test]
fn workers_that_end_in_another_order_are_counted_one_by_one() {
    let log = lines([2, 1, 3, 5, 4, 6, 8, 7, 10, 9, 12], |i| format!("Episode {i}/12: success"));
    assert_eq!(told(&log), "11 of 12 episodes, incomplete");
}

#[test]
fn counts_without_a_total_have_none() {
    assert_eq!(told(&lines(0..7, |i| format!("eval episode {i}: reward = {i}.0"))), "7 episodes, unknown");
    assert_eq!(
        summary(&auto("Episode 4: reward = 2.0\n")),
        "4 episodes, unknown",
        "one line that gives values"
    );
    assert_eq!(summary(&auto("Episode 4 of the series\nnum_eval_ep: 20, max: 30\n")), "nothing, unknown");
}

#[test]
fn a_bar_that_was_there_before_the_first_count_drives() {
    let steps = |episode| {
        format!(
            "{}{}\n",
            lines((100..=400).step_by(100), |i| format!("step {i}/400 reward=0.1")),
            bar("Episodes", episode, 5)
        )
    };
    let outer = auto(&format!("{}\n{}", bar("Episodes", 0, 5), lines(1..=3, steps)));
    assert_eq!((outer.preset, outer.progress), (Some("tqdm"), progress(3, 5)));
    let inner = |drawn: u64| {
        lines(1..=4, |i| {
            format!("{}{}\nEpisode {i}/4: success", bar("Rolling", 0, 50), bar("Rolling", drawn, 50))
        })
    };
    assert_eq!(told(&inner(50)), "4 of 4 episodes, succeeded");
    let same = lines(1..=4, |i| format!("Episode {i}/9: success{}", bar("Eval", i, 9)));
    assert_eq!(auto(&same).part, None, "a bar of as many steps counts the same");
    assert_eq!(told(&inner(25)), "4 of 4 episodes, succeeded", "a loop that is left early holds no count");
    let within = |last: u64| {
        lines(1..=last, |i| {
            format!(
                "== Task {i}/4 ==\n{}{}",
                bar("Trials", 25, 50),
                if i < 4 || last == 4 { bar("Trials", 50, 50) } else { String::new() }
            )
        })
    };
    assert_eq!(told(&within(4)), "4 of 4 tasks, succeeded");
}

#[test]
fn success_is_read_as_the_program_says_it() {
    let log = |rate: &str| format!("{}{rate}\n", lines(1..=4, |i| format!("Starting episode {i}/4")));
    for (said, rate) in [
        ("Success rate: 1/4 (25.0%)", 0.25),
        ("Overall success rate = 25.0%", 0.25),
        ("Success: 3/4", 0.75),
        ("success rate: 0.5", 0.5),
        ("success rate (%): 25", 0.25),
    ] {
        assert_eq!(metric(&declared(&log(said)), "success_rate"), rate, "{said}");
    }
    for said in ["Task 2 success rate: 1/4", "Success rate improved by: 5%", "Success: 1"] {
        assert!(!declared(&log(said)).metrics.contains_key("success_rate"), "{said}");
    }
}

#[test]
fn what_only_looks_like_a_count_is_none() {
    let logs = [
        "#5 [1/3] FROM x\n#6 [2/3] RUN pip install y\nStep 1/3 : FROM x\nStep 2/3 : RUN y\n",
        "[1/3] c++ -MMD -c main.cpp -o main.o\n[2/3] nvcc x.cu -o x.o\n[3/3] c++ main.o x.o -shared -o e.so\n",
        "[1/4] Resolving packages...\n[2/4] Fetching packages...\n[3/4] Linking dependencies...\n",
        "[1/3] Loading model\n[2/3] Creating environments\n[3/3] Saving results\n",
        "(1/3): a.rpm   1.2 MB/s |  34 kB     00:00\n(2/3): b.rpm   1.2 MB/s |  34 kB     00:00\n",
        "2026/02/12 10:00:00 1/2 of it\n2026/02/13 3/4 tests\n12/25/2026\nscore 7/10\nScore: 8/10\n",
        "GPU 0/8\nGPU 1/8\nrank 0/4\nrank 1/4\npage 1/5\npage 2/5\nratio 0.5/1.0\nv1/2\nworker 1/2\nworker 2/2\n",
        "Downloading shards 1/2\nDownloading shards 2/2\nLoading checkpoint 1/4\nLoading checkpoint 2/4\n",
        "3/4 tests passed\n4/4 tests passed\nsee /home/a/1/2 and https://x.y/3/4\n",
        "tests/a.py::x PASSED [ 50%]\ntests/a.py::y PASSED [100%]\n",
        "remote: Counting objects: 100% (2/2), done.\nReceiving objects:  50% (500/1000), 1.2 MiB | 2 MiB/s\n",
    ];
    for log in logs {
        let reading = auto(log);
        assert_eq!((reading.preset, reading.progress), (None, None), "{log}");
    }
}

#[test]
fn an_answer_behind_a_trial_without_a_total_counts() {
    let trials = lines(0..4, |i| {
        let answer = if i % 2 == 0 { "False" } else { "True" };
        format!("[INFO] Starting trial {i}\n[INFO] Trial {i}: {answer}\n")
    });
    let reading = declared(&trials);
    assert_eq!((told(&trials), metric(&reading, "successes")), ("4 trials, unknown".into(), 2.0));
    let silent = declared(&format!("{trials}Trial 4: reward=1.0\n"));
    assert!(!silent.metrics.contains_key("success_rate"), "one did not tell how it ended");
}

#[test]
fn a_scan_says_what_to_do_where_nothing_is_proved() {
    let nothing = scan_text(&auto("hello\n"));
    assert!(nothing.contains("none recognised") && nothing.contains("(?<done>"), "{nothing}");
    let guess = scan_text(&auto(&lines(1..=5, |i| format!("Iteration {i}/9 loss=0.3"))));
    assert!(guess.contains("--preset counter"), "{guess}");
    assert!(
        !scan_text(&auto("Episode 3/3: success\n")).contains("--preset"),
        "what is believed needs no hint"
    );
}

#[test]
fn steps_beside_updates_are_the_same_count() {
    let line = |update| format!("[Update {update}/9] Step: {}/150 | FPS: 35 | ETA: 0:53:50", 16 * update);
    assert_eq!(told(&lines(1..=9, line)), "9 of 9 updates, succeeded");
    assert_eq!(told(&lines(1..=4, line)), "4 of 9 updates, incomplete");
    // Episodes that are numbered over all tasks do not end their task.
    let of_task = |episode: u64| format!("Task {}/3, episode {episode}/9: success", episode.div_ceil(3));
    assert_eq!(told(&lines(1..=7, of_task)), "2 of 3 tasks, incomplete");
}

#[test]
fn what_is_done_of_one_total_is_not_done_of_another() {
    let tests = |done: u64, total: u64| {
        lines((10..=done).step_by(10), |i| {
            format!("[2026-08-04 18:50:21 INFO infer.py line 190] Test: [{i}/{total}] Data 0.3")
        })
    };
    let thrown = "Traceback (most recent call last):\n  File \"infer.py\", line 1, in <module>\nFileNotFoundError: a.jpg\n";
    assert_eq!(told(&(tests(800, 1814) + &tests(40, 124))), "40 of 124 tests, incomplete");
    let log = tests(800, 1814) + thrown + &tests(40, 124);
    assert_eq!(
        (told(&log), ScanVerdict::of(&auto(&log)).as_str()),
        ("40 of 124 tests, incomplete".to_owned(), "incomplete")
    );
    assert_eq!(told(&(tests(120, 124) + &tests(800, 1814))), "800 of 1814 tests, incomplete");
}

#[test]
fn successes_of_all_are_no_count() {
    let episode = |i| format!("Task 9 | Episode {i}/10: Fail\n");
    let log: String = (1..=10).map(episode).collect();
    for share in ["Total Successful Episodes: 4/10", "Succeeded episodes: 4/10", "Failed episodes: 4/10"] {
        assert_eq!(told(&format!("{log}{share}\n")), told(&log), "{share}");
    }
}

#[test]
fn a_speed_reports_what_is_over() {
    let update =
        |i| format!("Algo mappo Exp a updates {i}/250 episodes, total num timesteps 3200/800000, FPS 120.");
    let found = |last| {
        let log = lines((0..last).step_by(5), update);
        (told(&log), ScanVerdict::of(&auto(&log)).as_str())
    };
    let (whole, short) = (found(250), found(200));
    assert_eq!(
        (whole.0.as_str(), whole.1),
        ("246 of 250 updates, incomplete", "unknown"),
        "every fifth is printed"
    );
    assert_eq!((short.0.as_str(), short.1), ("196 of 250 updates, incomplete", "incomplete"));
}

#[test]
fn the_logger_of_torchvision_counts_batches_and_gen_is_short_for_generation() {
    let val = |n: u64| format!("Val:  [{n:4}/23]  eta: 0:00:06  loss: 0.16 (0.44)  time: 0.18 (0.18)\n");
    let log: String = [0, 10, 20, 22].into_iter().map(val).collect();
    assert_eq!(auto(&log).progress, progress(23, 23));
    let log: String = (1..=4).map(|n| format!("Gen: {n}/5, best: 85 wins\n")).collect();
    assert_eq!((auto(&log).progress, auto(&log).unit), (progress(4, 5), "generations"));
}

#[test]
fn counts_are_written_in_many_ways() {
    for (line, read) in [
        ("step @00 / 20000.0", "300 of 20000 steps"),
        ("Step: @00/1e6", "300 of 1000000 steps"),
        ("Steps: 1,@00/10,000", "1300 of 10000 steps"),
        ("T = @5000 / 1000000 | env: a", "35000 of 1000000 steps"),
        ("step @00/1000000, reward 3", "300 of 1000000 steps"),
        ("timesteps @00/500 reward=1.5", "300 of 500 steps"),
        ("num_steps: @00/500", "300 of 500 steps"),
        ("Epochs: 1@/50 loss 0.3", "13 of 50 epochs"),
        ("epoch=1@/50 loss=0.3", "13 of 50 epochs"),
        ("Epoch 1@ out of 50: loss 0.3", "13 of 50 epochs"),
        ("CYCLE @ | 10.8 hours remaining", "3 cycles"),
    ] {
        let log: String = (1..=3).map(|number| line.replace('@', &number.to_string()) + "\n").collect();
        assert_eq!(auto(&log).progress_text().as_deref(), Some(read), "{line}");
    }
    assert_eq!(
        told("Step 3/12 : RUN apt-get\nStep 4/12 : RUN make\n"),
        "nothing, unknown",
        "sections of a script"
    );
}
