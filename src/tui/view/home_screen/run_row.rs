//! A run in one row of the home screen: its state, how far it is, its shards, and when it is or was done.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::model::state::phase::PhaseKind;
use crate::model::units::or_unknown;
use crate::results::status::document::{PhaseCounts, RunWord};
use crate::tui::format;
use crate::tui::model::home_screen::home::HomeModel;
use crate::tui::model::home_screen::run_line::{RunLine, RunLineState, RunSummary};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::panes::bar;
use crate::tui::view::panes::text::{TextWriter, text_width};

/// Width of `✗ unsupervised` in cells.
const STATE: u16 = 14;

/// `Nov 22 14:02` and `12h 15m left`
const WHEN: u16 = 12;

/// `success`, `   86 %`; the narrower one where the bar would have no room.
const SUCCESS: u16 = 8;
const NARROW_SUCCESS: u16 = 6;

/// A name that is cut to fewer cells is that of no run.
const SHORTEST_NAME: u16 = 14;

/// `✗1 ✓2 ►3 `
const FEW_COUNTS: u16 = 9;

/// Least room for the reason why a shard failed.
const WHY: u16 = 24;

/// The widths of the columns that differ from list to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tui::view) struct RunColumns {
    name: u16,
    /// The progress bar, where there is room for one.
    bar: u16,
    counts: u16,
    /// The success so far, where any of the runs has one.
    success: u16,
    /// Whether phases are named next to their glyphs.
    words: bool,
}

impl RunColumns {
    /// As these runs need and the width allows: names first, then counts, then the bar.
    pub(in crate::tui::view) fn for_runs<'a>(
        runs: impl Iterator<Item = &'a RunLine> + Clone,
        room: u16,
        theme: &Theme,
    ) -> Self {
        let longest = runs.clone().map(|run| text_width(&run.id.0)).max().unwrap_or(0);
        let counts = |words| {
            let widths = runs.clone().filter_map(RunLine::glance).map(|glance| {
                count_pieces(&glance.counts, words, theme)
                    .iter()
                    .map(|(_, text)| text_width(text) + 1)
                    .sum::<u16>()
            });
            widths.max().unwrap_or(0)
        };
        // A narrow screen cuts names before what failed and when it is done.
        let without_name = STATE + 1 + 2 + 6 + WHEN;
        let spare = room.saturating_sub(without_name + counts(false).min(FEW_COUNTS));
        let name = longest.min(room * 2 / 5).min(spare.max(SHORTEST_NAME));
        let fixed = without_name + name;
        let mut known = runs.clone().filter_map(RunLine::glance);
        let has_success = known.any(|glance| glance.success.is_some());
        // The rest shows why shards failed: words take that room only where there is much of it.
        let words = fixed + counts(true) + 10 + SUCCESS + WHY <= room;
        let counts = counts(words).min(room.saturating_sub(fixed));
        let rest = room.saturating_sub(fixed + counts + 2);
        let fitting = [SUCCESS, NARROW_SUCCESS].into_iter().find(|success| rest >= success + 4);
        let success = fitting.filter(|_| has_success).unwrap_or(0);
        let rest = rest - success;
        // On a narrow screen the bar takes what there is; on a wide one the reason of a failure needs more.
        let bar = if rest > 8 + WHY { (rest - WHY).min(16) } else { rest.min(12) };
        Self { name, bar, counts, success, words }
    }
}

/// Draws what the columns are called.
pub(in crate::tui::view) fn draw_headings(
    columns: RunColumns,
    theme: &Theme,
    line: Rect,
    buffer: &mut Buffer,
) {
    let dim = theme.style(Role::Dim);
    let mut writer = TextWriter::new(buffer, line, 0);
    writer.put_field("state", STATE, dim, "").skip(1).put_field("run", columns.name, dim, "").skip(2);
    writer.put_field(if columns.bar >= 8 { "progress" } else { "" }, columns.bar, dim, "");
    writer.put_right("done", 5, dim).skip(1);
    if columns.success > 0 {
        writer
            .put_right(if columns.success < SUCCESS { "good" } else { "success" }, columns.success - 1, dim)
            .skip(1);
    }
    let shards = if columns.counts > 6 { "shards" } else { "" };
    writer.put_field(shards, columns.counts, dim, "").put_field("end", WHEN, dim, "").skip(2);
    if writer.room() >= 10 {
        writer.put("what failed, or where it is", dim);
    }
}

/// Draws it into a line.
pub(in crate::tui::view) fn draw_run(
    home: &HomeModel,
    run: &RunLine,
    columns: RunColumns,
    theme: &Theme,
    line: Rect,
    buffer: &mut Buffer,
) {
    let mut writer = TextWriter::new(buffer, line, 0);
    let (glyph, role) = state_sign(run, theme);
    writer.put_field(&format!("{glyph} {}", run.state_word()), STATE, theme.style(role), "").skip(1);
    let name =
        theme.style(if matches!(run.standing, RunLineState::Gone(_)) { Role::Dim } else { Role::Name });
    writer.put_field(&run.id.0, columns.name, name, theme.glyphs.ellipsis).skip(2);
    match &run.standing {
        RunLineState::Unread => {}
        RunLineState::Unreadable(why) => _ = writer.put(why, theme.style(Role::Warning)),
        RunLineState::Gone(why) => _ = writer.put(why, theme.style(Role::Dim)),
        RunLineState::Read(glance) => {
            draw_progress(glance, columns.bar, theme, &mut writer);
            if columns.success > 0 {
                let rate = glance.success.map(|success| format!("{:.0} %", 100.0 * success.success_rate()));
                writer
                    .put_right(&rate.unwrap_or_default(), columns.success - 1, theme.style(Role::Text))
                    .skip(1);
            }
            let end = writer.x() + columns.counts;
            for (role, text) in count_pieces(&glance.counts, columns.words, theme) {
                // What has no room is left out whole: half a number would be another one.
                if writer.x() + text_width(&text) < end {
                    writer.put(&text, theme.style(role)).skip(1);
                }
            }
            let rest = end.saturating_sub(writer.x());
            writer.skip(rest);
            let (when, role) = time_text(home, run, glance);
            writer.put_field(&when, WHEN, theme.style(role), "").skip(2);
            // What is left of wide screens: what failed, else where it is.
            let room = writer.room();
            let (text, role) = match &glance.failed {
                Some(why) => (why.clone(), Role::Failed),
                None => (run.dir.display().to_string(), Role::Dim),
            };
            if room >= if glance.failed.is_some() { 10 } else { 24 } {
                writer.put_field(&text, room, theme.style(role), theme.glyphs.ellipsis);
            }
        }
    }
}

/// Returns the sign and the colour of the run's state; a run that is over with failures looks failed.
fn state_sign(run: &RunLine, theme: &Theme) -> (&'static str, Role) {
    let RunLineState::Read(glance) = &run.standing else {
        return match run.standing {
            RunLineState::Unreadable(_) => ("?", Role::Warning),
            RunLineState::Unread | RunLineState::Gone(_) | RunLineState::Read(_) => {
                (theme.glyphs.unknown, Role::Dim)
            }
        };
    };
    let failed = glance.counts.iter().any(|(kind, count)| kind == PhaseKind::Failed && count > 0);
    let kind = match glance.state {
        RunWord::Unsupervised => return ("!", Role::Warning),
        RunWord::Running if glance.is_waiting() => PhaseKind::Paused,
        RunWord::Running => PhaseKind::Running,
        RunWord::Finished if failed => PhaseKind::Failed,
        RunWord::Finished => PhaseKind::Succeeded,
        RunWord::Stopped => PhaseKind::Cancelled,
    };
    (theme.glyphs.for_phase(kind), Role::of_phase(kind))
}

fn draw_progress(glance: &RunSummary, bar: u16, theme: &Theme, writer: &mut TextWriter<'_>) {
    let share = glance.share;
    if bar >= 4 {
        let parts = [
            (share.succeeded, theme.style(Role::Succeeded)),
            (share.lost, theme.style(Role::Failed)),
            (share.under_way, theme.style(Role::Running)),
        ];
        bar::draw_segments(writer, bar, &parts, theme);
    } else {
        writer.skip(bar);
    }
    let whole = 100.0 * (share.succeeded + share.lost + share.under_way);
    // 99.6 % is not all: only what is over is 100.
    let whole = if glance.ended.is_some() { whole.round() } else { whole.min(99.0).floor() };
    writer.put_right(&format::format_percent(whole), 5, theme.style(Role::Strong)).skip(1);
}

/// `✓ 7 succeeded`, or `✓7` where there is little room; phases without shards are left out.
pub(in crate::tui::view) fn count_pieces(
    counts: &PhaseCounts,
    words: bool,
    theme: &Theme,
) -> Vec<(Role, String)> {
    // What is good or bad first: a narrow screen cuts the rest.
    let order = [
        PhaseKind::Failed,
        PhaseKind::Succeeded,
        PhaseKind::Running,
        PhaseKind::Starting,
        PhaseKind::Paused,
        PhaseKind::Stopping,
        PhaseKind::Queued,
        PhaseKind::Cancelled,
    ];
    let count = |wanted| counts.iter().find(|(kind, _)| *kind == wanted).map_or(0, |(_, count)| count);
    let shown = order.into_iter().filter(|kind| count(*kind) > 0);
    let piece = |kind: PhaseKind| {
        let glyph = theme.glyphs.for_phase(kind);
        let text = if words {
            format!("{glyph} {} {}", count(kind), kind.as_str())
        } else {
            format!("{glyph}{}", count(kind))
        };
        (Role::of_phase(kind), text)
    };
    shown.map(piece).collect()
}

/// How long it will take, or when it was over; unknown stays unknown.
fn time_text(home: &HomeModel, run: &RunLine, glance: &RunSummary) -> (String, Role) {
    if let Some(ended) = glance.ended {
        return (format::moment_text(ended, home.now, &home.zone), Role::Dim);
    }
    if glance.state == RunWord::Unsupervised {
        return (format::moment_text(run.created, home.now, &home.zone), Role::Dim);
    }
    if let Some(opens) = glance.opens {
        return (format::moment_text(opens, home.now, &home.zone), Role::Paused);
    }
    (format!("{} left", or_unknown(glance.left, format::duration_text)), Role::Strong)
}
