//! What was found, for people: the machine, the table of trials, and the advice to paste.

use std::time::Duration;

use super::advice::Advice;
use super::combos::Combos;
use super::conduct::TuningResult;
use super::machine::MachineResources;
use super::measured::{TrialEnd, TrialResult, VramBy};
use super::scaling::format_figure;
use super::setting::render_settings;
use crate::model::units::{Bytes, UNKNOWN, format_duration};

/// The columns of the table.
const HEADS: [&str; 8] =
    ["side by side", "done/s", "steps/s", "VRAM each", "RSS each", "cores each", "GPU busy", "began after"];

/// Formats the machine, the trials and the advice.
pub fn format_report(machine: &MachineResources, found: &TuningResult, advice: Option<&Advice>) -> String {
    let mut text = machine_line(machine);
    if let Some(batches) = &found.batches {
        text.push_str(&format!("\nalone, by {}:\n", batches.axis));
        let rows = batches.trials.iter().map(|(value, trial)| (value.to_string(), trial)).collect();
        text.push_str(&format_table(&batches.axis, rows));
    }
    text.push('\n');
    let rows = found.trials.iter().map(|trial| (trial.count.to_string(), trial)).collect();
    text.push_str(&format_table(HEADS[0], rows));
    for line in list_remarks(&found.trials) {
        text.push_str(&format!("{line}\n"));
    }
    if let Some(stopped) = &found.stopped {
        text.push_str(&format!("no more were tried: {stopped}\n"));
    }
    let Some(advice) = advice else {
        text.push_str("\nnothing can be advised: the shard did not run\n");
        return text;
    };
    text.extend(advice.combos.iter().map(Combos::to_text));
    text.push_str("\nlimits:\n");
    for limit in &advice.limits {
        text.push_str(&format!("  {:>4}  {}\n", limit.count, limit.text));
    }
    text.push_str("\nto paste into the sweep:\n\n");
    text.push_str(&render_settings(&advice.settings));
    if !advice.unknown.is_empty() {
        text.push_str("\nnot known:\n");
        advice.unknown.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
    }
    text
}

fn machine_line(machine: &MachineResources) -> String {
    let ram = machine.ram.map_or_else(
        || "main memory unknown".to_owned(),
        |ram| format!("{} of {} main memory free", ram.free, ram.total),
    );
    let mut text = format!("{} cores, {ram}\n", machine.cores);
    for gpu in &machine.gpus {
        let memory = gpu.memory.map_or_else(
            || "memory unknown".to_owned(),
            |memory| format!("{} of {} free", memory.free, memory.total),
        );
        text.push_str(&format!("GPU {}: {}, {memory}\n", gpu.index, gpu.name));
    }
    if let Some(reason) = &machine.no_gpu {
        text.push_str(&format!("no GPU: {reason}\n"));
    }
    text
}

fn format_table(first: &str, rows: Vec<(String, &TrialResult)>) -> String {
    let mut cells: Vec<[String; HEADS.len()]> = vec![HEADS.map(str::to_owned)];
    cells[0][0] = first.to_owned();
    cells.extend(rows.into_iter().map(|(name, trial)| format_row(name, trial)));
    let widths: Vec<usize> = (0..HEADS.len())
        .map(|column| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in cells {
        let aligned = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}"));
        text.push_str(&format!("{}\n", aligned.collect::<Vec<_>>().join("  ")));
    }
    text
}

fn format_row(name: String, trial: &TrialResult) -> [String; HEADS.len()] {
    let or_unknown = |text: Option<String>| text.unwrap_or_else(|| UNKNOWN.to_owned());
    // A rate that has not settled is marked.
    let settled = if trial.is_steady { "" } else { "~" };
    let rate = |rate: Option<f64>| or_unknown(rate.map(|rate| format!("{settled}{}", format_figure(rate))));
    let bytes = |bytes: Option<Bytes>| or_unknown(bytes.map(|bytes| bytes.to_string()));
    let percent = |percent: Option<f64>| or_unknown(percent.map(|percent| format!("{percent:.0} %")));
    let seconds = trial.startup_s.map(Duration::from_secs_f64);
    [
        name,
        rate(trial.done_per_s),
        rate(trial.steps_per_s),
        bytes(trial.vram.map(|vram| vram.bytes)),
        bytes(trial.rss),
        or_unknown(trial.cpu_percent.map(|percent| format!("{:.1}", percent / 100.0))),
        percent(trial.gpu_percent),
        or_unknown(seconds.map(format_duration)),
    ]
}

fn list_remarks(trials: &[TrialResult]) -> Vec<String> {
    let mut lines = Vec::new();
    for trial in trials {
        match &trial.end {
            TrialEnd::Failed { shard, message } => {
                lines.push(format!("{}: {shard} failed, {message}", trial.count))
            }
            TrialEnd::NotStarted { waiting } => {
                lines.push(format!("{}: not all could be started; {waiting}", trial.count));
            }
            TrialEnd::TimeUp => lines.push(format!("{}: ended when the time was up", trial.count)),
            TrialEnd::Settled | TrialEnd::Done => {}
        }
    }
    if trials.iter().any(|trial| !trial.is_steady && trial.throughput().is_some()) {
        lines.push("~ the rate had not settled; --for gives a trial more time".to_owned());
    }
    if trials.iter().any(|trial| trial.vram.is_some_and(|vram| vram.by == VramBy::Rise)) {
        lines.push("VRAM is the rise on the card, because the driver lists no processes here".to_owned());
    }
    lines
}
