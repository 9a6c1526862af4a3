//! The end of a run: the results are written, and the reporter of the sweep runs after them.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::results_files;
use crate::config::render;
use crate::model::fact::Event;
use crate::model::plan::Plan;
use crate::model::run_info::RunInfo;
use crate::model::run_state::RunState;
use crate::results::merge::record::MergedFile;
use crate::rundir::layout::RunDir;
use crate::tail::lines::last_lines;

/// So many bytes of what the reporter printed go into the journal; all of it is in `results/reporter.log`.
const REPORTER_TAIL: u64 = 2000;

/// Writes the results and runs the reporter; gives the facts to record.
pub(super) fn finish(
    run: &RunDir,
    info: &RunInfo,
    plan: &Plan,
    state: &RunState,
    finished: bool,
) -> Vec<Event> {
    let mut events = Vec::new();
    match results_files::write_last(run, info, plan, state, finished) {
        Ok(written) => {
            let told = written.merged.iter().filter_map(MergedFile::told);
            events.extend(told.map(|text| Event::Remarked { about: None, text }));
        }
        Err(error) => events.push(Event::Remarked { about: None, text: error.to_string() }),
    }
    match render::reporter(plan, run.path()) {
        Ok(Some(command)) => events.push(report(run, plan, &command)),
        Ok(None) => {}
        Err(error) => events.push(Event::Remarked { about: None, text: format!("reporter: {error}") }),
    }
    events
}

/// Runs the reporter; what it prints goes to its log as it comes, however much it is.
fn report(run: &RunDir, plan: &Plan, command: &str) -> Event {
    let log = run.results().join("reporter.log");
    let (out, err) = outputs(&log);
    let begun = Instant::now();
    let ended = Command::new("bash")
        .arg("-c")
        .arg(command)
        .current_dir(&plan.sweep_dir)
        .env("SWEEPDECK_RUN", run.path())
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .status();
    let elapsed = Some(begun.elapsed());
    match ended {
        Ok(status) => Event::ReporterEnded { code: status.code(), message: tail(&log), elapsed },
        Err(error) => Event::ReporterEnded { code: None, message: format!("bash: {error}"), elapsed },
    }
}

/// The log for both outputs; a report is worth more than its log, so it is made without one too.
fn outputs(log: &Path) -> (Stdio, Stdio) {
    match File::create(log).and_then(|file| Ok((file.try_clone()?, file))) {
        Ok((out, err)) => (out.into(), err.into()),
        Err(_) => (Stdio::null(), Stdio::null()),
    }
}

fn tail(log: &Path) -> String {
    let end = File::open(log).and_then(|file| last_lines(&file, usize::MAX, REPORTER_TAIL));
    end.map(|end| String::from_utf8_lossy(&end.bytes).trim().to_owned()).unwrap_or_default()
}
