//! Bars as programs draw them, taken apart.

use std::time::Duration;

use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

use crate::progress::counts::bar::Bar;
use crate::progress::counts::bar::Extent;

fn bar(line: &str) -> Bar<'_> {
    Bar::parse(line.as_bytes()).unwrap_or_else(|| panic!("no bar: {line}"))
}

fn none(line: &str) {
    assert_eq!(Bar::parse(line.as_bytes()), None, "{line}");
}

fn name<'a>(bar: &Bar<'a>) -> &'a str {
    std::str::from_utf8(bar.name).unwrap()
}

fn seconds(seconds: f64) -> Option<Duration> {
    Some(Duration::from_secs_f64(seconds))
}

fn postfix(line: &str) -> Vec<(String, f64, bool)> {
    let pairs = bar(line).tail.postfix();
    pairs
        .map(|pair| (String::from_utf8_lossy(pair.name).into_owned(), pair.value, pair.is_percentage))
        .collect()
}

#[test]
fn tqdm_tells_count_times_speed_and_values() {
    let line = "Evaluating:  80%|████████  | 4/5 [02:22<00:33, 33.92s/it, loss=0.69, success_rate=17.5%]";
    let bar = bar(line);
    assert_eq!((name(&bar), bar.extent), ("Evaluating", Extent::Of { done: 4, total: 5 }));
    assert_eq!((bar.done(), bar.total(), bar.percent()), (4, Some(5), Some(80)));
    assert_eq!((bar.tail.elapsed(), bar.tail.remaining()), (seconds(142.0), seconds(33.0)));
    assert_eq!(bar.tail.rate(), Some(1.0 / 33.92));
    assert_eq!(postfix(line), [("loss".into(), 0.69, false), ("success_rate".into(), 17.5, true)]);
    assert!(!bar.is_transfer);
}

#[test]
fn tqdm_writes_speeds_times_and_sizes_in_many_ways() {
    let begun = bar("  0%|          | 0/31 [00:00<?, ?it/s, loss=nan]");
    assert_eq!((name(&begun), begun.tail.elapsed()), ("", seconds(0.0)));
    assert_eq!((begun.tail.remaining(), begun.tail.rate()), (None, None));
    let pairs: Vec<_> = begun.tail.postfix().collect();
    assert!(pairs.len() == 1 && pairs[0].value.is_nan());
    let long = bar("a:  5%|5         | 1.2k/24.0k [1:02:03<26:00:59,  2.5kit/s]");
    assert_eq!(long.extent, Extent::Of { done: 1200, total: 24_000 });
    assert_eq!((long.tail.elapsed(), long.tail.remaining()), (seconds(3723.0), seconds(93_659.0)));
    assert_eq!(long.tail.rate(), Some(2500.0));
    assert_eq!(bar("40%|####  | 2/5 [00:05<00:07, 0.4 episodes/s]").tail.rate(), Some(0.4));
    assert_eq!(bar("40%|####  | 2.0/5.0 [00:05<00:07]").extent, Extent::Of { done: 2, total: 5 });
    assert_eq!(bar("40%|| 2/5 [00:05<00:07,  2.50s/it]").extent, Extent::Of { done: 2, total: 5 });
    let narrow = bar("Evaluating:  80% 4/5 [02:22<00:33, 33.92s/it]");
    assert_eq!((name(&narrow), narrow.extent), ("Evaluating", Extent::Of { done: 4, total: 5 }));
    let shards = bar("Loading shards:  50% Completed | 1/2 [00:01<00:01,  1.02s/it]");
    assert_eq!((name(&shards), shards.extent), ("Loading shards", Extent::Of { done: 1, total: 2 }));
}

#[test]
fn a_bar_without_a_total_counts_on() {
    let steps = bar("Steps: 12it [00:03,  4.1it/s, loss=2]");
    assert_eq!((name(&steps), steps.extent), ("Steps", Extent::Open { done: 12 }));
    assert_eq!((steps.total(), steps.percent(), steps.tail.rate()), (None, None, Some(4.1)));
    assert_eq!(bar("0it [00:00, ?it/s]").extent, Extent::Open { done: 0 });
    assert_eq!(bar("roll out: 7 episodes [00:03, 2.3 episodes/s]").extent, Extent::Open { done: 7 });
    assert_eq!(bar("Epoch 0: |          | 3/? [00:00<?, 8.1it/s]").extent, Extent::Open { done: 3 });
    let download = bar("page.zip: 1.20MB [00:01, 1.1MB/s]");
    assert!(download.is_transfer && download.extent == Extent::Open { done: 1_200_000 });
}

#[test]
fn numbers_in_a_name_are_not_the_bar() {
    let chains = bar("1/5 : 90.1% | 2/5 : 70.0%|:  33%|███    | 33/100 [10:00<20:18, 18.2s/it]");
    assert_eq!(chains.extent, Extent::Of { done: 33, total: 100 });
    let named = bar("Epoch 3/30 (lr=0.1):  45%|████    | 14/31 [00:05<00:07, 2.4it/s]");
    assert_eq!((name(&named), named.steady_name()), ("Epoch 3/30 (lr=0.1)", &b"Epoch"[..]));
}

#[test]
fn ultralytics_draws_no_brackets() {
    let line = "      1/100        15G      3.566         57        640: 9% ━─────────── 609/6848 2.7it/s 3:40<38:10";
    let train = bar(line);
    assert_eq!(train.extent, Extent::Of { done: 609, total: 6848 });
    assert!(name(&train).starts_with("1/100 ") && name(&train).ends_with(" 640"));
    assert_eq!((train.tail.elapsed(), train.tail.remaining()), (seconds(220.0), seconds(2290.0)));
    assert_eq!(train.tail.rate(), Some(2.7));
    let torn = format!("{line}WARNING CUDA OutOfMemoryError in TaskAlignedAssigner, using CPU");
    assert_eq!(bar(&torn).tail.remaining(), seconds(2290.0));
    assert_eq!(bar("x: 2% ╸─────────── 1/68 1.3s/it 1.6s<2:26:31").tail.elapsed(), seconds(1.6));
    assert_eq!(bar("x: 0% ──────────── 0/6848  1.2s").extent, Extent::Of { done: 0, total: 6848 });
    assert!(bar("'yolo.pt': 40% ━━━━╸─────── 2.1/5.4MB 10.2MB/s 0.3s<0.4s").is_transfer);
}

#[test]
fn rich_puts_the_numbers_behind_the_bar() {
    let plain = bar("Working... ━━━━━━━━━━━━━━━╸━━━━━━━━━━━━━━━━━━━━━━━━  45% 0:00:12");
    assert_eq!((name(&plain), plain.extent), ("Working...", Extent::Percent(45)));
    assert_eq!((plain.done(), plain.total(), plain.percent()), (45, Some(100), Some(45)));
    assert_eq!(plain.tail.elapsed(), None, "one time alone may be either");
    let counted = bar("⠋ Evaluating ━━━━━━━╸━━━━━━━━  45%  9/20 0:00:12");
    assert_eq!(counted.extent, Extent::Of { done: 9, total: 20 });
    let lightning = bar("Epoch 3/29 ━━━━━━━━╺━━━━━━━ 14/31 0:00:05 • 0:00:07 2.41it/s v_num: 0.000");
    assert_eq!((name(&lightning), lightning.extent), ("Epoch 3/29", Extent::Of { done: 14, total: 31 }));
    assert_eq!(lightning.tail.rate(), Some(2.41));
    assert!(bar("   ━━━━━━━━━━━━━━━━━━━━━━━━ 5.4/5.4 MB 10.2 MB/s eta 0:00:00").is_transfer);
    assert!(bar("model ━━━━━━━━━━━━━━━━━━━━━ 100% 8.2/8.2 kB • 00:01 • ?").is_transfer);
}

#[test]
fn a_torn_bar_is_read_as_far_as_it_is_certain() {
    let glued = "Stepping:  80%|████▊ | 4/5 [02:22<00:33, 33.92s/it, n=4, success=17.5%/opt/x.py:311: Warning: v1.0, use a=3";
    assert_eq!(bar(glued).extent, Extent::Of { done: 4, total: 5 });
    assert_eq!(postfix(glued), [("n".into(), 4.0, false), ("success".into(), 17.5, true)]);
    assert_eq!(postfix("80%|██| 4/5 [02:22<00:33, 33.92s/it, a=1, loss=0.6"), [("a".into(), 1.0, false)]);
    assert_eq!(bar("Eval:  80%|████▊ | 4/5 [02:22<0").extent, Extent::Of { done: 4, total: 5 });
    assert_eq!(bar("Eval:  80%|████▊ | 4/5").extent, Extent::Of { done: 4, total: 5 });
    none("Eval:   8%|▊ | 4/5");
    none("Eval:  80%|████▊ | 4/");
    none("Eval:  80%|████▊");
    none("▊    | 4/5 [02:22<00:33, 33.92s/it]");
}

#[test]
fn other_lines_hold_no_bar() {
    none("[00:12:33] step 5/10 [00:12:33] done");
    none("━━━━━━━━━━━━━ TARGET: 100% ━━━━━━━━━━━━━");
    none("┌──────────────┬───────────────┐");
    none("  ├─ train: loss=0.7443 | accuracy 5/10");
    none("table | 50%| 3 of 4 |");
    none("[INFO]: 12 of 100 [fast, 3 it/s]");
}

proptest! {
    #[test]
    fn what_tqdm_draws_comes_back(done in 0_u64..5000, rest in 0_u64..5000, elapsed in 0_u64..500_000, width in 1_usize..30) {
        let total = done + rest + 1;
        let percent = 100 * done / total;
        let (hours, minutes, left) = (elapsed / 3600, elapsed / 60 % 60, elapsed % 60);
        let time = if hours > 0 { format!("{hours}:{minutes:02}:{left:02}") } else { format!("{minutes:02}:{left:02}") };
        let line = format!("a b:{percent:4}%|{}| {done}/{total} [{time}<?, 2.0it/s, x=3.5]", "#".repeat(width));
        let bar = bar(&line);
        prop_assert_eq!(bar.extent, Extent::Of { done, total });
        prop_assert_eq!(bar.tail.elapsed(), Some(Duration::from_secs(elapsed)));
        prop_assert_eq!(postfix(&line), [("x".to_owned(), 3.5, false)]);
        // Cut off anywhere, it says the same or less, and never something else.
        for end in 0..line.len() {
            let Some(cut) = Bar::parse(&line.as_bytes()[..end]) else { continue };
            let close = 100.0 * cut.done() as f64 / cut.total().unwrap() as f64 - percent as f64;
            prop_assert!(cut.extent == bar.extent || close.abs() <= 2.0, "{:?} of {line}", cut.extent);
            prop_assert!(cut.tail.postfix().all(|pair| pair.value == 3.5));
        }
    }

    #[test]
    fn no_bytes_break_the_parser(bytes in proptest::collection::vec(any::<u8>(), 0..200), text in "[0-9%|/\\[:<, ─━itskB.=]{0,60}") {
        for line in [bytes.as_slice(), text.as_bytes()] {
            if let Some(bar) = Bar::parse(line) {
                let _ = (bar.steady_name(), bar.percent(), bar.tail.elapsed(), bar.tail.remaining(), bar.tail.rate());
                prop_assert!(bar.tail.postfix().count() <= line.len());
            }
        }
    }
}
