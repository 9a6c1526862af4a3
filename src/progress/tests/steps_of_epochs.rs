//! Steps that are counted behind the number of their epoch, of which no line says how many there are.

use crate::progress::scan::reading::scan_json;
use crate::progress::tests::any_cut::read;

fn told(log: &str) -> (String, String, String) {
    let reading = read(log);
    let verdict = scan_json(&reading)["verdict"].as_str().unwrap_or_default().to_owned();
    (reading.progress_text().unwrap_or_default(), reading.part_text().unwrap_or_default(), verdict)
}

/// Two epochs and a half.
fn epochs(line: impl Fn(u64, u64) -> String, first: u64) -> String {
    let whole = (first..first + 2).flat_map(|epoch| (0..5000).step_by(500).map(move |step| (epoch, step)));
    let half = (0..2500).step_by(500).map(|step| (first + 2, step));
    whole.chain(half).map(|(epoch, step)| line(epoch, step) + "\n").collect()
}

#[test]
fn an_epoch_holds_the_steps_behind_its_number() {
    let resnet = |epoch, step| format!("Epoch: [{epoch}][{step:4}/5005]\tTime 0.3 (0.4)\tLoss 6.9 (6.9)");
    let torchvision =
        |epoch, step| format!("Epoch: [{epoch}]  [{step:4}/5005]  eta: 0:10:00  loss: 6.9 (6.9)");
    let mnist = |epoch, step| format!("Train Epoch: {epoch} [{step}/5005 ({}%)]\tLoss: 0.3", step / 51);
    let worded = |epoch, step| format!("Epoch {epoch}, Step {}/5005, Loss: 0.3", step + 1);
    for (log, steps) in [
        (epochs(resnet, 0), 2000),
        (epochs(torchvision, 0), 2000),
        (epochs(mnist, 1), 2000),
        (epochs(worded, 1), 2001),
    ] {
        let (progress, part, verdict) = told(&log);
        assert_eq!(progress, "2 epochs", "{log}");
        assert_eq!((part, verdict.as_str()), (format!("{steps} of 5005 of the next"), "incomplete"), "{log}");
        assert_eq!(told(&(log + "Training complete\n")).2, "succeeded");
    }
}

#[test]
fn an_epoch_whose_last_steps_are_not_printed_may_be_the_last() {
    let line = |step| format!("Epoch: [0][{step:4}/5005]\tTime 0.3 (0.4)\n");
    let whole: String = (0..=5000).step_by(500).map(line).collect();
    assert_eq!(told(&whole), ("0 epochs".into(), "5000 of 5005 of the next".into(), "unknown".into()));
}

#[test]
fn the_last_of_an_announced_number_may_be_over_and_may_be_tested_yet() {
    let train = |epoch| -> String {
        (1..=10).map(|step| format!("Epoch: [{epoch}][{:4}/100]\tLoss 6.9\n", 10 * step)).collect()
    };
    let test = (1..=5).map(|step| format!("Test: [{}/50] Acc@1 3\n", 10 * step)).collect::<String>();
    let tested = |epoch| train(epoch) + &test;
    let head = "epochs: 3\n".to_owned();
    for log in
        [head.clone() + &tested(1) + &tested(2), head.clone() + &tested(1) + &tested(2) + &train(3)[..100]]
    {
        assert_eq!(told(&log).2, "incomplete", "{log}");
    }
    let all = head + &tested(1) + &tested(2) + &train(3);
    assert_ne!(told(&all).2, "succeeded", "the test is to come");
    assert_eq!(told(&(all.clone() + &test)).2, "unknown");
    assert_eq!(told(&(all + &test + "Training finished\n")).2, "succeeded");
    let mnist = |step| format!("Train Epoch: 1 [{}/60000 (9%)]\tLoss: 0.3\n", 640 * step);
    let only = "epochs: 1\n".to_owned() + &(0..=93).map(mnist).collect::<String>();
    let accuracy = "\nTest set: Average loss: 0.03, Accuracy: 9900/10000 (99%)\n";
    assert_ne!(told(&(only + accuracy)).2, "incomplete");
}

#[test]
fn epochs_beyond_an_announced_number_are_no_success() {
    let line = |epoch: u64, step: u64| format!("Epoch: [{epoch}][{step:3}/60]\tLoss 0.3\n");
    let epoch = |number| -> String { [0, 10, 20, 30, 40, 50].map(|step| line(number, step)).concat() };
    let whole = (0..3).map(epoch).collect::<String>();
    let head = "epochs: 3\n".to_owned();
    assert_ne!(
        told(&(head.clone() + &whole + &line(3, 0) + &line(3, 10))).2,
        "succeeded",
        "of something else"
    );
    let ended = told(&(head + &whole + "Training complete\n"));
    assert_eq!((ended.0.as_str(), ended.2.as_str()), ("3 of 3 epochs", "succeeded"));
    let resumed =
        "epochs: 42\n=> loaded checkpoint 'ck.pth' (epoch 40)\n".to_owned() + &epoch(40) + &epoch(41);
    assert_eq!(told(&resumed).2, "unknown", "counted from 0 or from 1");
}

#[test]
fn a_training_that_says_that_it_stops_early_is_not_called_incomplete() {
    let epoch = |number: u64| -> String {
        (0..6).map(|step| format!("Epoch: [{number}][{:3}/60]\tLoss 0.3\n", 10 * step)).collect()
    };
    let five = "epochs: 30\n".to_owned() + &(0..5).map(epoch).collect::<String>();
    assert_eq!(told(&five).2, "incomplete");
    for said in [
        "Early stopping at epoch 5",
        "No improvement for 10 epochs, stopping.",
        "Target accuracy reached, stopping.",
    ] {
        assert_eq!(told(&format!("{five}{said}\n")).2, "unknown", "{said}");
        assert_eq!(told(&format!("{five}{said}\nTraining complete\n")).2, "succeeded", "{said}");
    }
    assert_eq!(told(&format!("{five}Early stopping at epoch 5\n{}", &epoch(5)[..60])).2, "incomplete");
}

#[test]
fn an_epoch_alone_counts_nothing_here() {
    let log = "Epoch: 4 | loss 0.3\nEpoch: 5 | loss 0.3\nbatch 3/9\n";
    assert_eq!(read(log).preset, None);
}
