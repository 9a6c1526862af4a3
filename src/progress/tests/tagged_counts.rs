//! Counts behind a name in brackets, and the words and headings that end the work they count.

use std::fmt::Write;

use super::any_cut::summary;
use super::reading_logs::auto;

fn counted(tag: &str, done: u64, total: u64) -> String {
    (1..=done).fold(String::new(), |mut log, index| {
        writeln!(log, "[{tag}] {index:>3}/{total} | loss=0.1 | reward=0.5").unwrap();
        log
    })
}

#[test]
fn a_count_behind_a_name_in_brackets_is_one() {
    let log = format!("[math] 800 problems\n[math] Connecting...\n{}", counted("math", 7, 10));
    assert_eq!(summary(&log), ("counter".into(), Some(7), Some(10), "incomplete"));
    let builds = "[build] 1/3 FROM x\n[build] 2/3 RUN y\n[build] 3/3 RUN z\n";
    assert_eq!(auto(builds).progress, None, "no value stands behind it");
}

#[test]
fn the_only_one_that_counts_says_that_it_is_done() {
    let all = counted("math", 10, 10);
    assert_eq!(summary(&all).3, "unknown");
    let done = format!("{all}[math]   -> checkpoint 10\n[math] DONE | last=0.5 | path=x\n");
    assert_eq!(summary(&done), ("counter".into(), Some(10), Some(10), "succeeded"));
    let worded = done.replace("/10 |", "/10: ok |").replace("[math] ", "[math] Step ");
    assert_eq!(summary(&worded.replace("Step DONE", "DONE")).3, "succeeded");
    for other in [
        counted("math", 9, 10) + "[math] DONE | last=0.5\n",
        counted("math", 10, 10) + &counted("code", 3, 10) + "[math] DONE | last=0.5\n",
        counted("math", 10, 10) + "[code] DONE | last=0.5\n",
        counted("math", 10, 10) + "[math] DONE loading the next part\n",
        counted("math", 10, 10) + &counted("math", 10, 10) + "[math] DONE | last=0.5\n",
        done.clone() + &counted("math", 4, 10),
    ] {
        assert_ne!(summary(&other).3, "succeeded", "{other}");
    }
}

#[test]
fn the_heading_of_the_final_results_ends_what_was_counted_to_the_last() {
    let all = counted("math", 10, 10);
    for heading in ["[math] === FINAL REPORT ===", "===== FINAL RESULTS =====", "Final Results:"] {
        assert_eq!(summary(&format!("{all}{heading}\n[math] Steps: 10\n")).3, "succeeded", "{heading}");
        let short = counted("math", 9, 10);
        assert_ne!(summary(&format!("{short}{heading}\n")).3, "succeeded", "{heading}");
        let rounds = format!("{all}{heading}\n{}", counted("math", 10, 10));
        assert_ne!(summary(&format!("{rounds}{heading}\n")).3, "succeeded", "one of several rounds");
    }
    for other in ["Final Results of task 1:", "Final Results for the first of many seeds"] {
        assert_ne!(summary(&format!("{all}{other}\n")).3, "succeeded", "{other}");
    }
}

#[test]
fn the_next_round_begins_where_the_first_did_once_the_last_was_reached() {
    let tenths = |last: u64| {
        (1..=last).fold(String::new(), |mut log, tenth| {
            let correct = 9 * tenth;
            writeln!(log, "  [{}/100] Accuracy so far: {correct}/{} = 90.0%", 10 * tenth, 10 * tenth)
                .unwrap();
            log
        })
    };
    let two = format!("{}Evaluating the next model\n{}", tenths(10), tenths(3));
    assert_eq!(summary(&two), ("counter".into(), Some(30), Some(100), "unknown"));
}

#[test]
fn epochs_that_hold_counted_steps_lead_them() {
    let epoch = |n: u64| {
        let steps = (1..=9).map(|step| format!("[Train] epoch={n} step={step}0/95 loss=1.4\n"));
        format!("{}[Epoch {n}/2] loss=1.8 val_loss=1.7\n", steps.collect::<String>())
    };
    let log = epoch(1) + &epoch(2);
    assert_eq!(summary(&log), ("counter".into(), Some(2), Some(2), "unknown"));
    assert_eq!(summary(&format!("{log}Training completed!\n")).3, "succeeded");
    assert_ne!(summary(&format!("{}Training completed!\n", epoch(1))).3, "succeeded");
}

#[test]
fn a_number_may_be_glued_to_its_word() {
    let log: String = (1..=82).fold(String::new(), |mut log, epoch| {
        writeln!(log, "[20:48:01]   [F2][M4] ep{epoch:02}/300  loss=0.7007  (840s)").unwrap();
        log
    });
    assert_eq!(summary(&log), ("counter".into(), Some(82), Some(300), "incomplete"));
    assert_eq!(auto("saved runs/ep12/300\nx3/4\nv1ep5/9\nep3/10.mp4\nep4/10.mp4\n").progress, None);
}
