//! The end of a run: the results are written, and the reporter of the sweep runs after them.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::{repeat_files, results_files};
use crate::config::sections::reporter_command::{RenderedReporter, render_reporter};
use crate::model::state::fact::Event;
use crate::model::state::run_info::RunInfo;
use crate::model::state::run_state::{RunStage, RunState};
use crate::model::state::warning_topic::WarningTopic;
use crate::model::sweep::plan::Plan;
use crate::results::merge::merging::Gaps;
use crate::results::merge::record::MergedFile;
use crate::rundir::beneath::PathBeneath;
use crate::rundir::clock;
use crate::rundir::layout::RunDir;
use crate::tail::lines::last_lines;

/// So many bytes of what the reporter printed go into the journal; all of it is in `results/reporter.log`.
const REPORTER_TAIL: u64 = 2000;

/// The file of the results that holds the number of the reporter's setup step at work; gone when all are done.
const STEP_FILE: &str = "reporter-setup-step";

/// A number of a step is shorter.
const LONGEST_NOTE: u64 = 64;

/// Writes the results and runs the reporter; returns the facts to record. The journal does not know of the end yet.
pub(in crate::supervisor) fn finish_run(
    run: &RunDir,
    info: &RunInfo,
    plan: &Plan,
    state: &RunState,
    (finished, home): (bool, Option<&Path>),
) -> Vec<Event> {
    let mut state = state.clone();
    state.stage = RunStage::Ended { at: clock::of_run(state.clock.as_ref()), finished };
    let mut events = find_repeats(run, plan, &state);
    events.iter().for_each(|event| state.warnings.apply_event(event));
    let (told, merged) = write(run, info, plan, &state);
    events.extend(told);
    let Some(ended) = call_reporter(run, plan, home) else { return events };
    let has_failed = matches!(&ended, Event::ReporterEnded { code, .. } if *code != Some(0));
    events.push(ended);
    if has_failed {
        // The report is the first place where its absence is noticed. All other files stay as the reporter saw them.
        events.iter().for_each(|event| state.warnings.apply_event(event));
        let written = results_files::write_reports_again(run, info, plan, &state, merged);
        events.extend(written.err().map(|error| run_warning(WarningTopic::Results, error.to_string())));
    }
    events
}

/// Finds shards that have the same results and should not: the facts that are reported about them everywhere.
fn find_repeats(run: &RunDir, plan: &Plan, state: &RunState) -> Vec<Event> {
    let finds = repeat_files::find_repeats(run, plan, state).into_iter();
    finds.map(|find| Event::EpisodesRepeated { shards: find.shards, text: find.text }).collect()
}

fn write(run: &RunDir, info: &RunInfo, plan: &Plan, state: &RunState) -> (Vec<Event>, Vec<MergedFile>) {
    match results_files::write(run, info, plan, state, Gaps::Refused) {
        Ok(written) => {
            let told = written.merged.iter().filter_map(MergedFile::describe_gaps);
            (told.map(|text| run_warning(WarningTopic::Merge, text)).collect(), written.merged)
        }
        Err(error) => (vec![run_warning(WarningTopic::Results, error.to_string())], Vec::new()),
    }
}

fn run_warning(topic: WarningTopic, text: String) -> Event {
    Event::RunWarned { topic, text }
}

/// Runs the reporter where there is one; a command that does not render is a reporter that failed.
fn call_reporter(run: &RunDir, plan: &Plan, home: Option<&Path>) -> Option<Event> {
    let mark = run.results_folder().join(STEP_FILE);
    match render_reporter(plan, run.path(), mark.full_path(), home) {
        Ok(rendered) => rendered.map(|rendered| run_reporter(run, rendered, &mark)),
        Err(error) => Some(Event::ReporterEnded {
            code: None,
            message: error.to_string(),
            command: None,
            cwd: None,
            setup_step: None,
            elapsed: None,
        }),
    }
}

/// Runs the reporter; what it prints goes to its log as it comes, however much it is.
fn run_reporter(run: &RunDir, reporter: RenderedReporter, mark: &PathBeneath) -> Event {
    let log = run.results_folder().join("reporter.log");
    let (out, err) = open_outputs(&log);
    // The result of an earlier call does not apply to this one.
    let _ = mark.remove();
    let begun = Instant::now();
    let ended = Command::new("bash")
        .arg("-c")
        .arg(&reporter.script)
        .current_dir(&reporter.cwd)
        .env("SWEEPDECK_RUN", run.path())
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .status();
    let elapsed = Some(begun.elapsed());
    let (code, message) = match ended {
        Ok(status) if status.code().is_some() => (status.code(), read_log_tail(&log)),
        Ok(status) => (None, status.to_string()),
        Err(error) => (None, format!("cannot run bash in {}: {error}", reporter.cwd.display())),
    };
    let setup_step = mark.read_text(LONGEST_NOTE).ok().and_then(|note| note.trim().parse().ok());
    let RenderedReporter { by_hand, cwd, .. } = reporter;
    Event::ReporterEnded { code, message, command: Some(by_hand), cwd: Some(cwd), setup_step, elapsed }
}

/// The log for both outputs; a report is worth more than its log, so it is made without one too.
fn open_outputs(log: &PathBeneath) -> (Stdio, Stdio) {
    match log.create().and_then(|file| Ok((file.try_clone()?, file))) {
        Ok((out, err)) => (out.into(), err.into()),
        Err(_) => (Stdio::null(), Stdio::null()),
    }
}

fn read_log_tail(log: &PathBeneath) -> String {
    let end = log.open().and_then(|file| last_lines(&file, usize::MAX, REPORTER_TAIL));
    end.map(|end| String::from_utf8_lossy(&end.bytes).trim().to_owned()).unwrap_or_default()
}
