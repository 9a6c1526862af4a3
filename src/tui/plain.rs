//! The run as lines of text while it happens: for screen readers, logs and machines without a terminal.

use std::io::{self, Write};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::format;
use super::message::Message;
use super::model::screen::{Model, ScreenAccess};
use super::model::shards::shard_row::ShardRow;
use super::model::words;
use super::options::TuiError;
use super::sources::load::load_model;
use super::sources::run_reader::RunReader;
use super::update::message::update;
use crate::model::logs::printable::to_printable;
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_state::RunStage;
use crate::model::state::service_state::phase_counts_text;
use crate::model::state::write_trouble;
use crate::rundir::clock;
use crate::rundir::layout::RunDir;

/// Time between two summaries of the run.
const SUMMARY: Duration = Duration::from_secs(30);

/// Writes a line for everything that happens, and now and then a summary of the run, until the run ends.
pub fn run_plain(run: &RunDir, out: &mut dyn Write) -> Result<(), TuiError> {
    let mut model = load_model(run, ScreenAccess::ReadOnly, Timestamp::now(), TimeZone::system())?;
    let (sender, changes) = sync_channel(1);
    let mut reader = RunReader::with_wake(run, move || _ = sender.try_send(()));
    let mut summed = Instant::now();
    loop {
        if let Some(message) = reader.read_journal() {
            write_message(&model, &message, out)?;
            update(&mut model, message);
        }
        if let RunStage::Ended { .. } = model.state.stage {
            return Ok(write_summary(&model, out)?);
        }
        if summed.elapsed() >= SUMMARY {
            summed = Instant::now();
            for message in reader.read_marks(&model) {
                update(&mut model, message);
            }
            update(&mut model, reader.check_supervisor());
            let now = clock::of_run(model.state.clock.as_ref());
            update(&mut model, Message::Tick { now, bytes: 0 });
            write_summary(&model, out)?;
        }
        let rest = SUMMARY.saturating_sub(summed.elapsed());
        if let Err(RecvTimeoutError::Disconnected) = changes.recv_timeout(rest) {
            return Ok(());
        }
    }
}

fn write_message(model: &Model, message: &Message, out: &mut dyn Write) -> io::Result<()> {
    match message {
        Message::Facts(facts) => {
            for fact in facts {
                let (_, text) = words::describe_event(fact, &model.zone);
                writeln!(out, "{} {}", format::format_time(fact.at, &model.zone), to_printable(&text))?;
            }
        }
        Message::Trouble(text) => writeln!(out, "{}", to_printable(text))?,
        _ => {}
    }
    out.flush()
}

fn write_summary(model: &Model, out: &mut dyn Write) -> io::Result<()> {
    let counts: Vec<String> = PhaseKind::ALL
        .into_iter()
        .filter(|kind| model.count_in_phase(*kind) > 0)
        .map(|kind| format!("{} {}", model.count_in_phase(kind), kind.as_str()))
        .collect();
    let left =
        model.left.map(|left| format!(", {} left", format::duration_text(left.time))).unwrap_or_default();
    let unsupervised = if model.is_unsupervised() { ", unsupervised: nothing new starts" } else { "" };
    let disk = write_trouble::describe_troubles(&model.machine.unwritten);
    let disk = disk.map(|words| format!(", {}", to_printable(&words))).unwrap_or_default();
    let elapsed = format::duration_text(model.elapsed());
    let silent = silent_suffix(model);
    let services = phase_counts_text(&model.state.services).map(|words| format!(", services: {words}"));
    writeln!(
        out,
        "{} {}{}, {elapsed} elapsed{left}{silent}{unsupervised}{disk}",
        format::format_time(model.now, &model.zone),
        counts.join(", "),
        services.unwrap_or_default()
    )?;
    out.flush()
}

/// `, stairs_flat silent for 8m`: the shards that report nothing any more.
fn silent_suffix(model: &Model) -> String {
    let of_one = |reading: ShardRow<'_>| {
        let silence = reading.stuck_for()?;
        Some(format!(
            ", {} silent for {}",
            to_printable(reading.state.id.as_str()),
            format::rough_duration(silence)
        ))
    };
    model.readings().filter_map(of_one).collect()
}
