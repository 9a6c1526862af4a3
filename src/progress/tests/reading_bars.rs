//! Logs of bars: nested, repeated, torn, under lines that count epochs, and bars that only prepare.

use std::sync::{Arc, LazyLock};

use proptest::prelude::{prop_assert, proptest};

use crate::model::logs::mark::MarkKind;
use crate::model::outcome::Progress;
use crate::progress::reader::log_reader::LogReader;
use crate::progress::reader::rules::LogRules;
use crate::progress::reading::LogSummary;
use crate::progress::scan::reading::scan_json;
use crate::progress::scan::text::scan_text;

static AUTO: LazyLock<Arc<LogRules>> = LazyLock::new(|| Arc::new(LogRules::preset("auto").unwrap()));

fn read(log: &str) -> (Vec<MarkKind>, LogSummary) {
    let mut reader = LogReader::new(Arc::clone(&AUTO));
    let mut marks = Vec::new();
    reader.feed(log.as_bytes(), &mut marks);
    reader.finish(&mut marks);
    (marks.into_iter().map(|(_, kind)| kind).collect(), reader.reading().clone())
}

fn progress(log: &str) -> Option<(u64, Option<u64>)> {
    read(log).1.progress.map(|progress| (progress.done, progress.total))
}

/// One drawing of a bar, as tqdm draws it on a terminal.
fn bar(name: &str, done: u64, total: u64, seconds: u64, values: &str) -> String {
    let (percent, minutes, seconds) = (100 * done / total, seconds / 60, seconds % 60);
    let values = if values.is_empty() { String::new() } else { format!(", {values}") };
    format!("\r{name}{percent:3}%|██   | {done}/{total} [{minutes:02}:{seconds:02}<00:09, 1.0it/s{values}]")
}

#[test]
fn the_outer_of_nested_bars_drives() {
    let outer = |done, seconds| bar("Batches: ", done, 5, seconds, "");
    let inner = |done, seconds| format!("\n{}\x1b[A", bar("Rollout: ", done, 280, seconds, ""));
    let log = format!(
        "{}{}{}{}{}{}",
        outer(0, 0),
        inner(140, 30),
        inner(279, 59),
        outer(1, 60),
        inner(0, 0),
        inner(100, 20)
    );
    assert_eq!(progress(&log), Some((1, Some(5))));
    let nameless = format!("{}\n{}\x1b[A", bar("", 3, 10, 90, ""), bar("", 12, 50, 20, ""));
    assert_eq!(progress(&nameless), Some((3, Some(10))), "told apart by their totals");
}

#[test]
fn a_bar_that_is_drawn_for_each_step_does_not_follow_the_full_one() {
    let step = |step: u64| {
        let outer = bar("Tasks", step, 3, 10 * step, "");
        format!("{outer}{}{}", bar("Steps", 1, 9, 1, ""), bar("Steps", 6, 9, 5, ""))
    };
    assert_eq!(progress(&(0..=3).map(step).collect::<String>()), Some((3, Some(3))));
    let worker = format!("{}{}", bar("first", 0, 9, 0, ""), bar("second", 0, 9, 0, ""));
    let later = format!("{worker}{}{}", bar("first", 9, 9, 9, ""), bar("second", 5, 9, 9, ""));
    assert_eq!(progress(&later), Some((5, Some(9))), "of workers side by side the slower one is waited for");
}

#[test]
fn bars_one_after_the_other_are_read_in_their_turn() {
    let log = [bar("Collect: ", 5, 5, 9, ""), "\n".into(), bar("Evaluate: ", 2, 8, 4, "")].concat();
    assert_eq!(progress(&log), Some((2, Some(8))));
    let again = [bar("Task: ", 3, 5, 9, ""), "\n".into(), bar("Task: ", 1, 4, 2, "")].concat();
    assert_eq!(progress(&again), Some((1, Some(4))), "a loop that was left early begins again");
}

#[test]
fn a_bar_that_was_left_unfinished_gives_way_to_one_that_runs_on() {
    let left = bar("Warm rollouts: ", 45, 100, 9, "");
    let young = [left.clone(), "\n".into(), bar("Evaluate: ", 2, 50, 5, "")].concat();
    assert_eq!(progress(&young), Some((45, Some(100))), "it may still lie within one step");
    let old = [left, "\n".into(), bar("Evaluate: ", 20, 50, 40, "")].concat();
    assert_eq!(progress(&old), Some((20, Some(50))));
}

#[test]
fn a_long_round_within_a_step_is_known_the_second_time() {
    let outer = |done| bar("Training: ", done, 1000, 10 * done, "");
    let inner = |done| bar("Evaluating on test set: ", done, 74, 9 * done, "");
    let first = [outer(49), outer(50), "\n".into(), inner(0), inner(73), inner(74), "\n".into()].concat();
    let second = [first, outer(51), outer(100), "\n".into(), inner(0), inner(34)].concat();
    assert_eq!(progress(&second), Some((100, Some(1000))));
}

#[test]
fn a_bar_of_a_part_of_the_last_epoch_does_not_end_it() {
    let epoch = |name: &str| bar(name, 40, 40, 20, "") + "\n";
    let verdict = |log: &str| scan_json(&read(log).1)["verdict"].clone();
    let head = "epochs: 2\n";
    let tagged =
        [head, &epoch("Epoch 1 [train]: "), &epoch("Epoch 1 [val]: "), &epoch("Epoch 2 [train]: ")].concat();
    assert_ne!(verdict(&tagged), "succeeded");
    let named = [head, &epoch("Epoch 1: "), &epoch("Validating: "), &epoch("Epoch 2: ")].concat();
    assert_ne!(verdict(&named), "succeeded");
}

#[test]
fn a_bar_may_change_its_description() {
    let named = [bar("", 0, 4, 0, ""), bar("task stack: ", 0, 4, 0, ""), bar("task pour: ", 1, 4, 30, "")];
    assert_eq!(progress(&named.concat()), Some((1, Some(4))));
    let alone = [bar("stack: ", 2, 4, 60, ""), bar("pour: ", 3, 4, 90, "")];
    assert_eq!(progress(&alone.concat()), Some((3, Some(4))));
    let nested = [bar("tasks: ", 0, 4, 0, ""), bar("trials: ", 1, 4, 30, "")];
    assert_eq!(progress(&nested.concat()), Some((0, Some(4))));
    let later = [bar("tasks: ", 1, 4, 120, ""), bar("trials: ", 2, 4, 60, "")];
    assert_eq!(progress(&later.concat()), Some((1, Some(4))));
    let spinner =
        "\r⠋ Evaluating ━━━━━━━╸━━  45%  9/20 0:00:12\r⠙ Evaluating ━━━━━━━╸━━  50% 10/20 0:00:11\r";
    assert_eq!(progress(spinner), Some((10, Some(20))));
}

#[test]
fn bars_that_prepare_do_not_drive() {
    let downloads = "\
model-00001-of-00002.safetensors: 100%|████| 1.20G/1.20G [00:10<00:00, 120MB/s]\n\
config.json: 100%|████| 1.2k/1.2k [00:00<00:00, 5.6MB/s]\n\
Sanity Checking DataLoader 0: 100%|████| 2/2 [00:02<00:00,  1.45it/s]\n\
Generating train split:  50%|████| 200/400 [00:00<00:00, 5000 examples/s]\n\
Fetching 12 files: 100%|████| 12/12 [00:10<00:00,  1.2it/s]\n\
Loading checkpoint shards: 100%|████| 2/2 [00:02<00:00,  1.45s/it]\n\
(EngineCore pid=7) Loading safetensors checkpoint shards:  50% Completed | 1/2 [00:01<00:01,  1.02s/it]\n\
Capturing CUDA graph shapes: 100%|████| 35/35 [00:06<00:00,  5.00it/s]\n\
train: Scanning /data/labels.cache... 100 images, 0 corrupt: 100% ━━━━━━━━━━━━ 100/100 28.7Kit/s 0.0s\n\
Downloading yolo.pt to 'yolo.pt': 40% ━━━━╸─────── 2.1/5.4MB 10.2MB/s 0.3s<0.4s\n\
\rt:  45%|████    | 90/200 [00:01<00:01, 90.1it/s, now=None]\n\
   ━━━━━━━━━━━━━━━━━━━━━━━━ 5.4/5.4 MB 10.2 MB/s eta 0:00:00\n";
    let (_, reading) = read(downloads);
    assert_eq!((reading.progress, reading.preset), (None, None));
    let log = format!("{downloads}{}", bar("Evaluating model_100.pt: ", 1, 4, 3, ""));
    assert_eq!(progress(&log), Some((1, Some(4))), "a file may be what the work is about");
}

#[test]
fn lines_of_results_count_the_epochs_that_are_over() {
    let epoch = |number: u64| {
        let train = bar("  Train (α=0.9): ", 31, 31, 5, "loss=0.5");
        format!("{train}\r          \r\n[Epoch {number}/3] α=0.9 | lr=1e-5\n")
    };
    let (_, reading) = read(&[epoch(1), epoch(2)].concat());
    assert_eq!(reading.progress_text().unwrap(), "2 of 3 epochs");
    assert!(reading.guessed);
    assert_eq!(reading.metrics.get("loss"), Some(&0.5));
    let log = [epoch(1), epoch(2), epoch(3), "best epoch 2/3 loss 0.4\n".into()].concat();
    assert_eq!(progress(&log), Some((3, Some(3))));
    assert_eq!(scan_json(&read(&log).1)["verdict"], "unknown", "a bar alone proves no success");
}

#[test]
fn a_heading_begins_an_epoch_and_its_last_bar_ends_it() {
    let train = |done| bar("Train: ", done, 31, 5, "");
    let first = format!("Epoch 1/2\n{}", train(20));
    assert_eq!(progress(&first), Some((0, Some(2))));
    let second = format!("{first}{}\n{}\n----- Epoch 2/2 -----\n", train(31), bar("Val: ", 8, 8, 1, ""));
    assert_eq!(progress(&second), Some((1, Some(2))));
    assert_eq!(progress(&format!("{second}{}\n", train(31))), Some((1, Some(2))), "validation is missing");
    let whole = format!("{second}{}\n{}\n", train(31), bar("Val: ", 8, 8, 1, ""));
    assert_eq!(progress(&whole), Some((2, Some(2))));
}

#[test]
fn a_count_in_the_name_or_first_column_of_a_bar_drives() {
    let step = |epoch: u64, done: u64| {
        format!(
            "\r\x1b[K      {epoch}/100      12.8G      3.568         43        832: 9% ━─────────── {done}/6848 2.9it/s 3:32<35:24"
        )
    };
    let head = "      Epoch    GPU_mem   box_loss  Instances       Size\n";
    let (marks, reading) = read(&format!("{head}{}{}WARNING out of steps\n", step(1, 608), step(1, 609)));
    assert_eq!(reading.progress_text().unwrap(), "0 of 100 epochs");
    assert_eq!(reading.part, Some(Progress { done: 609, total: Some(6848) }));
    assert!(marks.contains(&MarkKind::Part(Progress { done: 608, total: Some(6848) })));
    assert!(scan_text(&reading).contains("progress  0 of 100 epochs\n          609 of 6848 of the next\n"));
    assert_eq!(progress(&[step(1, 6848), step(2, 5)].concat()), Some((1, Some(100))));
    assert_eq!(progress(&step(100, 6848)), Some((100, Some(100))));
    assert_eq!(progress(&bar("Task 3/10: ", 12, 50, 9, "")), Some((2, Some(10))));
    assert_eq!(progress(&bar("Epoch 0/3: ", 31, 31, 9, "")), Some((1, Some(3))), "counted from 0");
    assert_eq!(progress(&bar("Epoch 7 [warmup]: ", 31, 31, 9, "")), Some((7, None)), "with a remark");
    let remarked = [
        bar("Epoch 7, iter 73: loss 0.1.: ", 74, 74, 9, ""),
        bar("Epoch 8, iter 9: loss 0.1.: ", 10, 74, 9, ""),
    ];
    assert_eq!(progress(&remarked.concat()), Some((7, None)));
    assert_eq!(progress(&bar("Success 3/5: ", 5, 50, 9, "")), Some((5, Some(50))));
    assert_eq!(progress(&bar("1/5 : 90.1% | 2/5 : 70.0% |: ", 5, 50, 9, "")), Some((5, Some(50))));
}

#[test]
fn a_line_within_an_epoch_tells_how_far_it_is() {
    let (_, reading) = read("Epoch [2/3], Step [100/500], Loss: 0.5\n");
    assert_eq!(reading.progress_text().unwrap(), "1 of 3 epochs");
    assert_eq!(reading.part_text().unwrap(), "100 of 500 of the next");
    assert_eq!(progress("Epoch [3/3], Step [500/500], Loss: 0.5\n"), Some((3, Some(3))));
    assert_eq!(progress("epoch: 4 of 9 done\n"), Some((4, Some(9))));
}

#[test]
fn values_behind_bars_become_metrics() {
    let outer = bar("Batches: ", 1, 5, 60, "Running Success-Rate=17.5%, task=stack, n=3/4, loss=nan");
    let inner = bar("Rollout: ", 1, 280, 1, "Running Success-Rate=0.0%, reward=-1.5e-2");
    let (_, reading) = read(&[outer, inner, "\n".into()].concat());
    let metrics: Vec<_> = reading.metrics.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    assert_eq!(metrics, [("reward", -0.015), ("running_success_rate", 0.175)]);
    let many: Vec<String> = (0..100).map(|number| format!("v{number}=1")).collect();
    assert_eq!(read(&bar("x: ", 1, 5, 60, &many.join(", "))).1.metrics.len(), 16);
}

#[test]
fn a_torn_bar_counts() {
    let log = "Stepping:  80%|████▊ | 4/5 [02:22<00:33, 33.92s/it, success_rate=17.5%/opt/core.py:311: UserWarning: a\n  logger.warn(\n";
    let (_, reading) = read(log);
    assert_eq!(reading.progress, Some(Progress { done: 4, total: Some(5) }));
    assert_eq!(reading.metrics.get("success_rate"), Some(&0.175));
    assert_eq!(
        progress("Eval:  40%|████   | 2/5 [00:05<00:07]\nEval:  60%|███\nwarning\n"),
        Some((2, Some(5)))
    );
}

#[test]
fn other_bars_are_read_too() {
    assert_eq!(progress("\rWorking... ━━━━━━━╸━━━━━━━━━  45%  9/20 0:00:12\r"), Some((9, Some(20))));
    assert_eq!(progress("\rEvaluate ━━━━━━━╸━━━━━━━━━  45% 0:00:12\r"), Some((45, Some(100))));
    assert_eq!(progress("\rSteps: 12it [00:03,  4.1it/s]\rSteps: 15it [00:04,  4.1it/s]"), Some((15, None)));
    assert_eq!(progress("\rEvaluating:  80% 4/5 [02:22<00:33, 33.92s/it]"), Some((4, Some(5))));
}

#[test]
fn what_prepares_for_long_is_the_work() {
    let quantized = |seconds| bar("Quantizing layers: ", 154, 224, seconds, "");
    assert_eq!(progress(&quantized(9)), None);
    assert_eq!(progress(&quantized(900)), Some((154, Some(224))));
    assert_eq!(progress(&bar("Loading shards: ", 1, 3, 900, "")), None);
}

proptest! {
    #[test]
    fn no_bars_break_a_reader(parts in proptest::collection::vec((0_usize..9, 0_u64..4, 1_u64..4, 0_u64..99), 0..30)) {
        let log: String = parts
            .iter()
            .map(|(kind, done, total, seconds)| match kind {
                0 => bar("a: ", *done, *total, *seconds, "x=1"),
                1 => bar("b c: ", *done, *total, *seconds, "x=2"),
                2 => bar("", *done, *total, *seconds, ""),
                3 => format!("Epoch {done}/{total}\n"),
                4 => format!("Epoch {done}/{total} loss=0.1\n"),
                5 => bar(&format!("Task {done}/{total}: "), *done, *total, *seconds, ""),
                6 => format!("x ━━━━━━ {}% {done}/{total}\r", 100 * done / total),
                7 => format!("{done}it [00:{seconds:02}, ?it/s]\n"),
                _ => format!("Epoch {}/{} {}%| | {}/{}\n", u64::MAX, u64::MAX, u64::MAX, u64::MAX, u64::MAX),
            })
            .collect();
        let (_, reading) = read(&log);
        let whole = reading.progress.is_none_or(|progress| progress.fraction_with(reading.part).is_none_or(|part| part <= 1.0));
        prop_assert!(whole);
    }
}
