//! What the processes behind a run log for developers: lines of `supervisor.log`, as many as `SWEEPDECK_LOG` asks for.

use std::fmt;

use jiff::Timestamp;
use tracing::level_filters::LevelFilter;
use tracing::{Event, Level, Subscriber, warn};
use tracing_subscriber::Registry;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::{DefaultFields, FormatEvent, FormatFields, Writer};
use tracing_subscriber::fmt::{FmtContext, layer};
use tracing_subscriber::layer::SubscriberExt;

/// Name of the variable with a level (`debug`), or with one for each module (`warn,sweepdeck::session=trace`).
pub const VARIABLE: &str = "SWEEPDECK_LOG";

/// Level without the variable: what goes wrong, and nothing of what works.
const DEFAULT: LevelFilter = LevelFilter::WARN;

/// Logs to the standard error, which is `supervisor.log`, in this process and in all that are forked from it. Only the
/// first call has an effect.
pub fn log_to_stderr() {
    let asked = std::env::var_os(VARIABLE).unwrap_or_default();
    let asked = asked.to_string_lossy();
    let parsed = match asked.trim() {
        "" => Ok(Targets::new().with_default(DEFAULT)),
        filter => filter.parse(),
    };
    let (filter, wrong) = match parsed {
        Ok(filter) => (filter, None),
        Err(error) => (Targets::new().with_default(DEFAULT), Some(error)),
    };
    // A log that cannot be written (a full disk) must not end a process: the report of that would panic.
    let lines = layer().with_writer(std::io::stderr).event_format(LineFormat).log_internal_errors(false);
    let is_first =
        tracing::subscriber::set_global_default(Registry::default().with(filter).with(lines)).is_ok();
    if let Some(error) = wrong.filter(|_| is_first) {
        warn!(
            "{VARIABLE}={asked} is not understood: {error}; write a level, such as `debug`, or MODULE=LEVEL"
        );
    }
}

/// Time, level, process and module: what a line begins with, up to its text.
pub struct LineHead<'a> {
    /// How much the line matters.
    pub level: Level,
    /// Module that it comes from.
    pub target: &'a str,
}

impl fmt::Display for LineHead<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { level, target } = self;
        // The name that the kernel shows says the part: `sweepdeck-hold`.
        let thread = rustix::thread::name().unwrap_or_default();
        let (thread, pid) = (thread.to_string_lossy(), std::process::id());
        write!(f, "{} {level} {thread}[{pid}] {target}: ", Timestamp::now())
    }
}

/// Text of a line that reports trouble, without its head.
pub fn trouble_of_line(line: &str) -> Option<&str> {
    let (head, text) = line.split_once(": ")?;
    let level: Level = head.split(' ').nth(1)?.parse().ok()?;
    (level <= Level::WARN).then_some(text)
}

struct LineFormat;

impl<S: Subscriber> FormatEvent<S, DefaultFields> for LineFormat
where
    S: for<'a> tracing_subscriber::registry::LookupSpan<'a>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, DefaultFields>,
        mut line: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let about = event.metadata();
        write!(line, "{}", LineHead { level: *about.level(), target: about.target() })?;
        context.format_fields(line.by_ref(), event)?;
        writeln!(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_trouble_is_found_behind_its_head() {
        let line =
            |level| format!("{}cannot write: no room", LineHead { level, target: "sweepdeck::rundir" });
        assert_eq!(trouble_of_line(&line(Level::WARN)), Some("cannot write: no room"));
        assert_eq!(trouble_of_line(&line(Level::ERROR)), Some("cannot write: no room"));
        assert_eq!(trouble_of_line(&line(Level::INFO)), None, "nothing is wrong");
        assert_eq!(trouble_of_line("what a library printed: text"), None);
    }
}
