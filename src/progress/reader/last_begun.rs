//! The last of all that a log counts, which was only begun: whether it is over too when the log ends.

use super::log_reader::Interpreter;
use crate::progress::counts::printed::share::share_on;
use crate::progress::text::line_prefix::behind_prefix;
use crate::progress::text::log_tail::LastLine;

impl Interpreter {
    /// Words at the end of the log end the last one too, which was only begun; a rate may be that of the others. So does
    /// a line that ended the one before. Without either it may be over once as many lines follow as between two before.
    pub(super) fn end_last_begun(&mut self, last: &[LastLine]) {
        let reading = self.recorder.reading();
        let total =
            reading.progress.and_then(|progress| progress.total.filter(|total| *total == progress.done + 1));
        let Some(total) = total.filter(|_| self.chooser.is_at_last()) else { return };
        let Some(line) = reading.progress_line.clone() else { return };
        let Some(closing) = reading.closing.clone() else {
            if ends_as_one_before(last, line.line) && !self.rules.progress.declares_done() {
                let unit = reading.unit;
                self.recorder.count_at_end(total, unit, &line);
            } else if reading.rhythm.fills_stride(reading.lines) {
                self.recorder.doubt_announced_total();
            }
            return;
        };
        let is_share = share_on(closing.text.as_bytes()).is_some();
        if !is_share && !self.rules.progress.declares_done() {
            let unit = self.recorder.reading().unit;
            self.recorder.count_at_end(total, unit, &closing);
        }
    }
}

/// Reports whether the line that came last before the newest heading, and once behind the heading before it, came again:
/// it ends each of them.
fn ends_as_one_before(last: &[LastLine], heading: u64) -> bool {
    let Some(newest) = last.iter().position(|line| line.number == heading) else { return false };
    let is_like = |one: &LastLine, other: &LastLine| words(&one.text).eq(words(&other.text));
    let Some(before) = last[..newest].iter().rposition(|line| is_like(line, &last[newest])) else {
        return false;
    };
    let part = &last[before + 1..newest];
    let Some(end) = part.last().filter(|end| words(&end.text).next().is_some()) else { return false };
    let ends = |line: &&LastLine| is_like(line, end);
    part.iter().filter(ends).count() == 1 && last[newest + 1..].iter().any(|line| is_like(line, end))
}

/// The words of a line without those that hold a number, and without the prefix of a logger.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let behind = behind_prefix(line.as_bytes()).map_or(0, |behind| line.len() - behind.len());
    let text = line.get(behind..).unwrap_or(line);
    text.split_whitespace().filter(|word| !word.bytes().any(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(log: &[&str], heading: u64) -> bool {
        let line = |(text, number): (&&str, u64)| LastLine { offset: 0, number, text: (*text).to_owned() };
        let lines: Vec<LastLine> = log.iter().zip(1..).map(line).collect();
        ends_as_one_before(&lines, heading)
    }

    #[test]
    fn the_line_that_ends_each_ends_the_last_one_too() {
        let one = ["Epoch 9", "loss 0.5", "=====", "Epoch 10", "loss 0.25", "=====", "agent saved"];
        assert!(ends(&one, 4));
        assert!(!ends(&one[..5], 4), "it did not come yet");
        assert!(!ends(&one[3..], 4), "the one before is not in sight");
    }

    #[test]
    fn a_line_that_comes_often_ends_none() {
        let rules = ["Epoch 9", "=====", "loss 0.5", "=====", "Epoch 10", "=====", "loss 0.25"];
        assert!(!ends(&rules, 5));
        assert!(!ends(&["INFO:a:Epoch 9", "INFO:a:F1=0.5", "INFO:a:Epoch 10", "INFO:a:F1=0.7"], 3));
        assert!(!ends(&["Epoch 9", "0.5 0.3", "Epoch 10", "0.25 0.1"], 3), "numbers alone are no words");
    }
}
