//! Judges what concerns the session: its terminal, its clock and its end.

use jiff::Timestamp;

use super::check::Check;
use super::facts::{ClockFacts, TerminalFacts};
use crate::preflight::finding::Finding;

const TERMINAL: &str = "terminal";
const CLOCK: &str = "clock";

/// The smallest terminal that shows a table.
const LEAST_SIZE: (u16, u16) = (36, 6);

/// Before this program was written: 2025-01-01. Certificates and times of files would be wrong too.
const PAST: Timestamp = Timestamp::constant(1_735_689_600, 0);

pub(super) fn judge_terminal(terminal: Option<&TerminalFacts>) -> Check {
    let Some(terminal) = terminal else {
        return Check::ok(TERMINAL, "the output is no terminal, so nothing is known of one");
    };
    let kind = terminal.kind.as_deref().unwrap_or("");
    let size = terminal
        .size
        .map_or_else(|| "unknown size".to_owned(), |(columns, rows)| format!("{columns}x{rows}"));
    let alphabet = if terminal.speaks_unicode { "Unicode" } else { "ASCII" };
    let message = format!("{kind}, {size}, {}, {alphabet}", terminal.colours);
    if kind.is_empty() || kind == "dumb" {
        let message = format!(
            "TERM is {}, so the dashboard cannot draw",
            if kind.is_empty() { "not set" } else { "dumb" }
        );
        return Check::problem(
            TERMINAL,
            message,
            "`export TERM=xterm-256color`, or `--plain` for lines without drawing",
        );
    }
    if terminal.size.is_some_and(|(columns, rows)| columns < LEAST_SIZE.0 || rows < LEAST_SIZE.1) {
        return Check::warning(TERMINAL, message, "enlarge it: the table needs 36 columns and 6 rows");
    }
    if !terminal.speaks_unicode {
        let remedy =
            "`export LC_ALL=C.UTF-8` shows bars and frames as they are meant; without it they are ASCII";
        return Check::warning(TERMINAL, message, remedy);
    }
    Check::ok(TERMINAL, message)
}

/// No timeout of a run follows the wall clock; start times and reports do.
pub(super) fn judge_clock(clock: &ClockFacts) -> Check {
    let zone = clock.zone.as_deref().unwrap_or("an unknown time zone");
    let message = format!("{} ({zone})", clock.now.strftime("%Y-%m-%d %H:%M:%SZ"));
    if clock.now < PAST {
        return Check::problem(
            CLOCK,
            format!("{message} is in the past"),
            "set the clock: `sudo timedatectl set-ntp true`",
        );
    }
    match clock.is_synchronised {
        Some(false) => Check::warning(
            CLOCK,
            format!("{message}, not synchronised with a time server"),
            "`sudo timedatectl set-ntp true`; timeouts are right without it, `--at` and times in reports may be off",
        ),
        Some(true) => Check::ok(CLOCK, format!("{message}, synchronised")),
        None => Check::ok(CLOCK, message),
    }
}

pub(super) fn judge_logout(finding: Option<&Finding>) -> Check {
    let name = "logout";
    match finding {
        Some(finding) => Check::from_finding(name, finding),
        None => Check::ok(name, "runs continue after your last logout"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preflight::doctor::check::CheckLevel;

    fn terminal() -> TerminalFacts {
        TerminalFacts {
            kind: Some("xterm-256color".to_owned()),
            speaks_unicode: true,
            size: Some((120, 40)),
            colours: "256 colours",
        }
    }

    #[test]
    fn terminals_are_judged_by_what_the_dashboard_needs() {
        let level = |terminal: &TerminalFacts| judge_terminal(Some(terminal)).level;
        assert_eq!(level(&terminal()), CheckLevel::Ok);
        assert_eq!(judge_terminal(None).level, CheckLevel::Ok);
        assert_eq!(
            level(&TerminalFacts { kind: Some("dumb".to_owned()), ..terminal() }),
            CheckLevel::Problem
        );
        assert_eq!(level(&TerminalFacts { kind: None, ..terminal() }), CheckLevel::Problem);
        assert_eq!(level(&TerminalFacts { speaks_unicode: false, ..terminal() }), CheckLevel::Warning);
        assert_eq!(level(&TerminalFacts { size: Some((20, 40)), ..terminal() }), CheckLevel::Warning);
    }

    #[test]
    fn a_clock_without_a_server_is_a_warning_and_one_in_the_past_a_problem() {
        let clock = |now: &str, is_synchronised| {
            judge_clock(&ClockFacts { now: now.parse().expect("a time"), is_synchronised, zone: None }).level
        };
        assert_eq!(clock("2026-11-23T07:00:00Z", Some(true)), CheckLevel::Ok);
        assert_eq!(clock("2026-11-23T07:00:00Z", None), CheckLevel::Ok, "unknown is unknown");
        assert_eq!(clock("2026-11-23T07:00:00Z", Some(false)), CheckLevel::Warning);
        assert_eq!(clock("1970-01-02T00:00:00Z", Some(true)), CheckLevel::Problem);
    }
}
