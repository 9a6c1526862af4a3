//! The end of a run: the results are written, and the reporter of the sweep runs after them.

use std::process::{Command, Stdio};
use std::time::Instant;

use crate::config::render;
use crate::model::fact::Event;
use crate::model::plan::Plan;
use crate::model::run_info::RunInfo;
use crate::model::run_state::RunState;
use crate::results::{summary, table};
use crate::rundir::error::RunDirError;
use crate::rundir::layout::RunDir;
use crate::rundir::records;

/// So much of what the reporter printed goes into the journal; all of it is in `results/reporter.log`.
const REPORTER_TAIL: usize = 2000;

/// Writes `combined_results.csv` and `summary.json`.
pub fn write_results(run: &RunDir, info: &RunInfo, plan: &Plan, state: &RunState) -> Result<(), RunDirError> {
    let folder = run.results();
    records::write_text(&folder.join("combined_results.csv"), &table::table(plan, state).to_csv())?;
    records::write_atomic(&folder.join("summary.json"), &summary::summary(info, plan, state))
}

/// Writes the results and runs the reporter; gives the facts to record.
pub(super) fn finish(run: &RunDir, info: &RunInfo, plan: &Plan, state: &RunState) -> Vec<Event> {
    let mut events = Vec::new();
    if let Err(error) = write_results(run, info, plan, state) {
        events.push(Event::Remarked { about: None, text: error.to_string() });
    }
    match render::reporter(plan, run.path()) {
        Ok(Some(command)) => events.push(report(run, plan, &command)),
        Ok(None) => {}
        Err(error) => events.push(Event::Remarked { about: None, text: format!("reporter: {error}") }),
    }
    events
}

fn report(run: &RunDir, plan: &Plan, command: &str) -> Event {
    let begun = Instant::now();
    let output = Command::new("bash")
        .arg("-c")
        .arg(command)
        .current_dir(&plan.sweep_dir)
        .env("EVALDECK_RUN", run.path())
        .stdin(Stdio::null())
        .output();
    let elapsed = Some(begun.elapsed());
    match output {
        Ok(output) => {
            let mut text = output.stdout;
            text.extend_from_slice(&output.stderr);
            let text = String::from_utf8_lossy(&text).into_owned();
            // The verdict on the run does not hang on this file.
            let _ = records::write_text(&run.results().join("reporter.log"), &text);
            let from = text.len().saturating_sub(REPORTER_TAIL);
            let from = (from..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            let message = text[from..].trim().to_owned();
            Event::ReporterEnded { code: output.status.code(), message, elapsed }
        }
        Err(error) => Event::ReporterEnded { code: None, message: format!("bash: {error}"), elapsed },
    }
}
