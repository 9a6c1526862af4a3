//! An evaluation on CALVIN: the bar of the sequences, with the shares so far in its name.

/// One sequence, drawn twice.
pub fn piece(log: &mut String, number: u64) {
    let done = number % 1000 + 1;
    for step in 0..2 {
        log.push_str(&format!(
            "\r1/5 : {}.5% | 2/5 : 80.2% | 3/5 : 70.1% | 4/5 : 61.0% | 5/5 : 52.9% ||: {:>3}%|{:<10}| {done}/1000 \
             [{:02}:{:02}<1:02:03, 12.{step}3s/it]",
            90 - step,
            done / 10,
            "█".repeat(done as usize / 100),
            done / 60,
            done % 60,
        ));
    }
    if done == 1000 {
        log.push_str("\nAverage successful sequence length: 3.55\n");
    }
}
