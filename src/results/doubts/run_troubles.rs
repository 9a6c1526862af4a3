//! What is wrong with a run as a whole, for every face of it: reporter, results, hook, disk, telemetry.

use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;

use crate::model::state::run_state::RunState;
use crate::model::state::service_state::ServicePhase;
use crate::model::state::warning_topic::WarningTopic;
use crate::model::state::write_trouble::{self, WriteTrouble};
use crate::model::units::{duration_between, format_duration};

/// Telemetry comes every second; so late it does not come any more.
const SILENT: Duration = Duration::from_secs(30);

/// A problem of the run as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunTrouble {
    /// The problem in a few words.
    pub text: String,
    /// Something that was asked for is lost or does not happen.
    pub is_grave: bool,
}

/// Current activity of a supervisor, as far as others see it.
#[derive(Debug, Clone, Copy)]
pub struct Present<'a> {
    /// Outputs that it cannot write.
    pub unwritten: &'a [WriteTrouble],
    /// When it wrote telemetry for the last time.
    pub telemetry: Option<Timestamp>,
    /// Current time of the reader.
    pub now: Timestamp,
}

/// Lists the troubles that the journal records.
pub fn recorded_troubles(state: &RunState) -> Vec<RunTrouble> {
    let reporter = state.warnings.reporter.as_ref().map(|failure| RunTrouble {
        text: format!("{}, see results/reporter.log", failure.to_text()),
        is_grave: true,
    });
    let topics = state.warnings.topic_lines().map(|(topic, text)| RunTrouble {
        text,
        is_grave: match topic {
            WarningTopic::Results => true,
            WarningTopic::Merge | WarningTopic::Hook | WarningTopic::Watch => false,
        },
    });
    let repeats =
        state.warnings.repeat_lines().map(|text| RunTrouble { text: text.to_owned(), is_grave: true });
    let services = state.services.iter().filter(|service| service.phase() == ServicePhase::Failed);
    let services = services.map(|service| RunTrouble {
        text: match service.last_failure() {
            Some(failure) => format!("service {} failed: {failure}", service.id()),
            None => format!("service {} was taken out", service.id()),
        },
        is_grave: true,
    });
    reporter.into_iter().chain(repeats).chain(topics).chain(services).collect()
}

/// Lists the troubles that exist now; of a run without a supervisor there are none.
pub fn current_troubles(state: &RunState, present: &Present<'_>) -> Vec<RunTrouble> {
    if state.stage.is_over() {
        return Vec::new();
    }
    let is_forecast = write_trouble::are_forecasts(present.unwritten);
    let disk = write_trouble::describe_troubles(present.unwritten)
        .map(|text| RunTrouble { text, is_grave: !is_forecast });
    let heard = present.telemetry.max(state.created);
    let silence =
        heard.map(|heard| duration_between(heard, present.now)).filter(|silence| *silence >= SILENT);
    // A disk that is full explains it.
    let silence = silence.filter(|_| disk.is_none()).map(|silence| RunTrouble {
        text: format!("no telemetry for {}", format_duration(silence)),
        is_grave: false,
    });
    disk.into_iter().chain(silence).collect()
}

/// Reports to the caller of a verb that waits which results are missing: what, where, and what to do.
pub fn missing_results(state: &RunState, results: &Path) -> Vec<String> {
    let reporter = state.warnings.reporter.as_ref().map(|failure| {
        let why = if failure.code.is_some() && !failure.last_line.is_empty() {
            format!(" ({})", failure.last_line)
        } else {
            String::new()
        };
        let folder = failure.cwd.as_ref().map_or_else(String::new, |cwd| format!(" in {}", cwd.display()));
        let again =
            failure.command.as_ref().map_or_else(String::new, |command| format!("{folder}: {command}"));
        format!(
            "the {}{why}; see {}, mend it and run it by hand{again}",
            failure.to_text(),
            results.join("reporter.log").display()
        )
    });
    let unwritten = state.warnings.topic_lines().filter(|(topic, _)| *topic == WarningTopic::Results);
    let unwritten = unwritten.map(|(_, text)| format!("{text}; then write them with `sweepdeck report`"));
    reporter.into_iter().chain(unwritten).collect()
}
