//! The start of another run at the end of the log, which came to nothing: no more than its first lines are there.

use super::log_reader::Interpreter;
use super::recorded_ends::proof_of;
use super::run_starts::heads_summary;
use crate::progress::counts::bar::Bar;
use crate::progress::formats::behind_the_end::{gives_figure, heads_start, sums_up};
use crate::progress::formats::line_words::words_of;
use crate::progress::formats::stages::{StageAnnouncement, announcement_on};
use crate::progress::text::log_tail::LastLine;

/// What libraries print once, while a process imports them or is set up, and schedulers before it starts.
const LIBRARIES: [&str; 21] = [
    "[robosuite WARNING]",
    "Gym has been unmaintained",
    "oneDNN custom operations are on",
    "TensorFlow binary is optimized",
    "Unable to register cuDNN factory",
    "Could not find TensorRT",
    "Setting ds_accelerator to",
    "Automatically detected platform",
    "wandb: Tracking run with",
    "wandb: Currently logged in",
    "Command Line Args:",
    "Hello from the pygame community",
    "| NVIDIA-SMI ",
    "Inactive Modules:",
    "The following modules were not unloaded",
    "The following have been reloaded",
    "Your token has been saved",
    "Using cuda device",
    "Using cpu device",
    "Using device: ",
    "] A new study created in ",
];

fn begins_process(line: &&LastLine) -> bool {
    LIBRARIES.iter().any(|start| line.text.contains(start))
}

/// The log ends on a bar that is not full and that nothing drew before the end: a loop that is left early draws its own
/// once more.
fn begins_bar(last: &[LastLine], end: u64, counted: Option<u64>) -> bool {
    let bar_on = |line: &LastLine| Bar::parse(line.text.as_bytes()).map(|bar| (bar.done(), bar.total()));
    let Some((done, Some(total))) = last.last().filter(|line| line.number > end).and_then(bar_on) else {
        return false;
    };
    let mut before = last.iter().filter(|line| line.number <= end).filter_map(bar_on);
    done < total && counted != Some(total) && !before.any(|(_, known)| known == Some(total))
}

impl Interpreter {
    /// Notes the first line behind the end that began this log too, by which programs begin, or that heads other work.
    pub(super) fn look_for_start_behind_end(&mut self, last: &[LastLine]) {
        let reading = self.recorder.reading();
        let said = reading.finished.as_ref().or(reading.progress_line.as_ref());
        let Some(end) = reading.closing.as_ref().or(said.filter(|_| reading.complete())) else { return };
        let is_summary = |line: &&LastLine| !heads_summary(line.text.as_bytes());
        let mut behind = last.iter().filter(|line| line.number > end.line).take_while(is_summary);
        let heading = || {
            let first = self.starts.first_line();
            let heads = |place: &usize| last[*place].number > end.line && heads_start(&last[*place..], first);
            (0..last.len()).find(heads).map(|place| &last[place])
        };
        // What was declared is the whole work.
        let open_bar = || last.last().filter(|_| begins_bar(last, end.line, reading.total()));
        // What sums up the work names it again, perhaps in other words.
        let other_part = || {
            let place = last.iter().rposition(|line| self.starts.names_another(line.text.as_bytes()))?;
            let is_behind = behind.clone().any(|line| line.number == last[place].number);
            (is_behind && !last[place + 1..].iter().any(|line| gives_figure(&words_of(&line.text))))
                .then(|| &last[place])
        };
        let process =
            behind.clone().find(begins_process).or_else(heading).or_else(open_bar).or_else(other_part);
        let process = process.filter(|_| self.rules.is_auto());
        if let Some(process) = process.map(proof_of) {
            self.recorder.begin_run_at_end(process);
            return;
        }
        let begins = |line: &&LastLine| {
            let text = line.text.as_bytes();
            let announces = announcement_on(text).is_some_and(StageAnnouncement::precedes_work);
            announces || self.starts.begins_another(text) || self.starts.holds(text) && !sums_up(&line.text)
        };
        let Some(begun) = behind.find(begins).or_else(open_bar) else { return };
        self.recorder.reading.begun_behind = Some(proof_of(begun));
    }
}
