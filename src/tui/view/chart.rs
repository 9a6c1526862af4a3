//! Progress of the shards over the time of the run: one line each, that of the selected shard on top.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use super::panes::pane;
use super::panes::text::TextWriter;
use super::plot::DotGrid;
use crate::model::state::phase::PhaseKind;
use crate::model::units::duration_between;
use crate::tui::format;
use crate::tui::model::screen::{Model, Pane};
use crate::tui::model::shards::shard_row::ShardRow;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// More lines than this are a carpet: the newest ones are drawn.
const MOST_LINES: usize = 64;

/// Cells for `100 %` and a blank.
pub(super) const LABELS: u16 = 5;

/// Draws it with its frame.
pub fn draw_chart(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let note = match model.selected_shard() {
        Some(reading) => vec![Span::styled(reading.state.id.to_string(), theme.style(Role::ChartSelected))],
        None => Vec::new(),
    };
    let focused = model.focus == Pane::Chart;
    let inner = pane::draw_pane("Progress over time", note, focused, theme, area, buffer);
    if inner.width <= LABELS + 8 || inner.height < 3 {
        return;
    }
    let Some((begin, end)) = time_span(model) else {
        TextWriter::new(buffer, inner, 0).put("nothing has started yet", theme.style(Role::Dim));
        return;
    };
    let field = Rect { x: inner.x + LABELS, width: inner.width - LABELS, height: inner.height - 1, ..inner };
    draw_axes(model, theme, inner, field, (begin, end), buffer);
    let mut plot = DotGrid::new(field.width, field.height, theme.glyphs.braille);
    let place =
        |at: Timestamp| at.duration_since(begin).as_secs_f64() / end.duration_since(begin).as_secs_f64();
    for (position, style) in chart_lines(model, theme) {
        if let Some(reading) = model.reading(position) {
            plot.draw_line(progress_points(reading).into_iter().map(|(at, done)| (place(at), done)), |_| {
                style
            });
        }
    }
    plot.write(field, buffer);
}

/// From the first start to now or to the last end.
pub(super) fn time_span(model: &Model) -> Option<(Timestamp, Timestamp)> {
    let bounds = |reading: ShardRow<'_>| {
        let phase = &reading.state.phase;
        match (phase.live(), phase.ended()) {
            (Some(live), _) => Some((live.started, model.now)),
            (None, Some(ended)) => Some((ended.started?, ended.at)),
            (None, None) => None,
        }
    };
    let (begin, end) = model
        .readings()
        .filter_map(bounds)
        .reduce(|(begin, end), (other_begin, other_end)| (begin.min(other_begin), end.max(other_end)))?;
    (end > begin).then_some((begin, end))
}

/// Lists the shards whose lines are drawn: ended ones first, so that running ones lie above them, and the selected one
/// on top.
pub(super) fn chart_lines(model: &Model, theme: &Theme) -> Vec<(usize, Style)> {
    let mut ended = Vec::new();
    let mut active = Vec::new();
    for (position, shard) in model.state.shards.iter().enumerate() {
        if shard.phase.kind().is_active() {
            active.push((position, theme.series_style(position)));
        } else if let Some(end) = shard.phase.ended() {
            let failed = shard.phase.kind() == PhaseKind::Failed;
            ended.push((end.at, position, if failed { Role::Failed } else { Role::ChartEnded }));
        }
    }
    let room = MOST_LINES.saturating_sub(active.len());
    if ended.len() > room {
        ended.sort_unstable_by_key(|(at, position, _)| (*at, *position));
        ended.drain(..ended.len() - room);
    }
    let mut lines: Vec<(usize, Style)> =
        ended.into_iter().map(|(_, position, role)| (position, theme.style(role))).collect();
    lines.extend(active.into_iter().take(MOST_LINES));
    if let Some(selected) = model.table.selected_position() {
        lines.retain(|(position, _)| *position != selected);
        lines.push((selected, theme.style(Role::ChartSelected)));
    }
    lines
}

/// Moments and the part that was done then. Between what is known a straight line is drawn.
pub(super) fn progress_points(reading: ShardRow<'_>) -> Vec<(Timestamp, f64)> {
    let phase = &reading.state.phase;
    let (started, until) = match (phase.live(), phase.ended()) {
        (Some(live), _) => (Some(live.started), Some(reading.now)),
        (None, Some(ended)) => (ended.started, Some(ended.at)),
        (None, None) => (None, None),
    };
    let Some((started, until)) = started.zip(until) else { return Vec::new() };
    // A line at the bottom would mean that nothing is done where the progress is unknown.
    let Some(last) = reading.done_fraction() else { return Vec::new() };
    let mut points = vec![(started, 0.0)];
    if reading.track.attempt == phase.attempt() {
        let known = reading.track.points.iter();
        points.extend(known.filter_map(|point| Some((point.at, point.progress.fraction()?))));
    }
    points.push((until, last));
    points
}

fn draw_axes(
    model: &Model,
    theme: &Theme,
    inner: Rect,
    field: Rect,
    (begin, end): (Timestamp, Timestamp),
    buffer: &mut Buffer,
) {
    let dim = theme.style(Role::Dim);
    let labels = [("100%", 0), ("50%", (field.height - 1) / 2), ("0%", field.height - 1)];
    // A low chart has no room for the middle.
    for (label, line) in labels.into_iter().filter(|(label, _)| field.height >= 5 || *label != "50%") {
        TextWriter::new(buffer, inner, line).put_right(label, LABELS - 1, dim);
    }
    time_axis(&model.zone, theme, Rect { y: field.y, height: inner.height, ..field }, (begin, end), buffer);
}

/// Start, length and end of the time that is shown, in the last line of an area.
pub(super) fn time_axis(
    zone: &TimeZone,
    theme: &Theme,
    area: Rect,
    (begin, end): (Timestamp, Timestamp),
    buffer: &mut Buffer,
) {
    let dim = theme.style(Role::Dim);
    let bottom = Rect { y: area.bottom() - 1, height: 1, ..area };
    let mut writer = TextWriter::new(buffer, bottom, 0);
    writer.put(&format::format_time(begin, zone), dim);
    let room = writer.room();
    let length = format!("{} ", format::duration_text(duration_between(begin, end)));
    writer.put_right(format!("{length}{}", format::format_time(end, zone)).as_str(), room, dim);
}
