//! Everything that has a course over time on one time axis: progress, a metric, GPUs and host, and below them marks
//! where a shard started, failed or was throttled.

use jiff::Timestamp;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use super::chart::{self, LABELS};
use super::panels::build_panels;
use super::panes::pane;
use super::panes::panel::ChartPanel;
use super::panes::text::{TextWriter, text_width};
use super::plot::DotGrid;
use crate::model::state::fact::Condition;
use crate::model::state::phase::{Ended, Phase, PhaseKind};
use crate::tui::model::screen::{Model, Pane};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// A title and three lines: a lower chart is not readable.
pub(super) const LOWEST: u16 = 4;

/// From this width on, two charts are drawn side by side.
const TWO: u16 = 156;

/// A part of the time in percent from which on a GPU counts as throttled.
const THROTTLED: f64 = 1.0;

/// The time that is shown.
pub(super) type Times = (Timestamp, Timestamp);

/// Draws it with its frame.
pub fn draw_charts(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let focused = model.focus == Pane::Shards;
    let inner = pane::draw_pane("Charts", mark_legend(theme), focused, theme, area, buffer);
    if inner.width <= LABELS + 8 || inner.height < LOWEST + 2 {
        return;
    }
    let Some(times) = chart::time_span(model) else {
        TextWriter::new(buffer, inner, 0).put("nothing has started yet", theme.style(Role::Dim));
        return;
    };
    let all = build_panels(model, theme, times);
    draw_grid(&all, theme, Rect { height: inner.height - 2, ..inner }, times, buffer);
    let (columns, width) = split_columns(inner.width);
    for column in 0..columns {
        let x = inner.x + column * (width + 2);
        let foot = Rect { x: x + LABELS, width: width - LABELS, y: inner.bottom() - 2, height: 2 };
        draw_marks(model, theme, foot, times, buffer);
        chart::time_axis(&model.zone, theme, foot, times, buffer);
    }
}

/// Returns how many charts fit side by side in so many cells, and how wide each is.
pub(super) fn split_columns(width: u16) -> (u16, u16) {
    let columns = if width >= TWO { 2 } else { 1 };
    (columns, (width - (columns - 1) * 2) / columns)
}

/// As many charts as there is room for, over one time; the foot of each column is left to the caller.
pub(super) fn draw_grid(all: &[ChartPanel], theme: &Theme, room: Rect, times: Times, buffer: &mut Buffer) {
    let (columns, width) = split_columns(room.width);
    let rows = (all.len().div_ceil(usize::from(columns)) as u16).min(room.height / LOWEST).max(1);
    for column in 0..columns {
        let x = room.x + column * (width + 2);
        for row in 0..rows {
            let Some(panel) = all.get(usize::from(row) * usize::from(columns) + usize::from(column)) else {
                continue;
            };
            let (top, bottom) = (room.height * row / rows, room.height * (row + 1) / rows);
            let area = Rect { x, width, y: room.y + top, height: bottom - top };
            draw_panel(panel, theme, area, times, buffer);
        }
    }
}

/// Explains the marks in the charts, such as start and failure.
fn mark_legend<'a>(theme: &Theme) -> Vec<Span<'a>> {
    let glyphs = &theme.glyphs;
    let mark = |glyph: &str, word: &str, role| Span::styled(format!("{glyph} {word}"), theme.style(role));
    vec![
        mark(glyphs.for_phase(PhaseKind::Running), "start", Role::Running),
        Span::raw("  "),
        mark(glyphs.for_phase(PhaseKind::Failed), "failed", Role::Failed),
        Span::raw("  "),
        mark(glyphs.for_condition(Condition::Stalled), "throttled", Role::Warning),
    ]
}

/// Returns where a moment lies within the time shown, from 0 to 1.
fn time_fraction((begin, end): Times, at: Timestamp) -> f64 {
    at.duration_since(begin).as_secs_f64() / end.duration_since(begin).as_secs_f64()
}

fn draw_panel(panel: &ChartPanel, theme: &Theme, area: Rect, times: Times, buffer: &mut Buffer) {
    let mut title = TextWriter::new(buffer, area, 0);
    title.put(&panel.title, theme.style(Role::Title)).skip(2);
    for (text, style) in &panel.values {
        if text_width(text) + 2 <= title.room() {
            title.put(text, *style).skip(2);
        }
    }
    let field =
        Rect { x: area.x + LABELS, width: area.width - LABELS, y: area.y + 1, height: area.height - 1 };
    let dim = theme.style(Role::Dim);
    let (top, bottom) = &panel.labels;
    TextWriter::new(buffer, Rect { y: field.y, ..area }, 0).put_right(top, LABELS - 1, dim);
    TextWriter::new(buffer, Rect { y: field.bottom() - 1, height: 1, ..area }, 0).put_right(
        bottom,
        LABELS - 1,
        dim,
    );
    let mut plot = DotGrid::new(field.width, field.height, theme.glyphs.braille);
    let is_inside = |at: &Timestamp| *at >= times.0 && *at <= times.1;
    if let Some((points, style)) = &panel.band {
        let inside = points.iter().filter(|(at, _)| is_inside(at));
        plot.draw_band(inside.map(|(at, edges)| (time_fraction(times, *at), *edges)), *style);
    }
    for (points, ink) in &panel.lines {
        let inside = points.iter().filter(|(at, _)| is_inside(at));
        plot.draw_line(inside.map(|(at, value)| (time_fraction(times, *at), *value)), |height| {
            ink.style_at(height, theme)
        });
    }
    plot.write(field, buffer);
}

/// The row of marks. Throttling may last for hours, so a start and a failure are drawn over it.
fn draw_marks(model: &Model, theme: &Theme, area: Rect, times: Times, buffer: &mut Buffer) {
    let glyphs = &theme.glyphs;
    let started = (glyphs.for_phase(PhaseKind::Running), theme.style(Role::Running));
    let throttled = (glyphs.for_condition(Condition::Stalled), theme.style(Role::Warning));
    let failed = (glyphs.for_phase(PhaseKind::Failed), theme.style(Role::Failed));
    let (starts, failures) = starts_and_failures(model);
    let mut put = |moments: Vec<Timestamp>, (glyph, style): (&str, Style)| {
        for at in moments.into_iter().filter(|at| *at >= times.0 && *at <= times.1) {
            let column = (time_fraction(times, at) * f64::from(area.width - 1)).round() as u16;
            let cell = Rect { x: area.x + column, width: 1, height: 1, ..area };
            TextWriter::new(buffer, cell, 0).put(glyph, style);
        }
    };
    put(throttled_moments(model), throttled);
    put(starts, started);
    put(failures, failed);
}

/// When attempts started, and when those ended that failed.
fn starts_and_failures(model: &Model) -> (Vec<Timestamp>, Vec<Timestamp>) {
    let (mut starts, mut failures) = (Vec::new(), Vec::new());
    for shard in &model.state.shards {
        let mut ended = |ended: &Ended, failed: bool| {
            starts.extend(ended.started);
            failures.extend(failed.then_some(ended.at));
        };
        // Whatever came before the present attempt was not good enough.
        shard.history.iter().for_each(|before| ended(before, true));
        let is_failed = matches!(shard.phase, Phase::Failed { .. });
        if let Some(present) = shard.phase.ended() {
            ended(present, is_failed);
        }
        starts.extend(shard.phase.live().map(|live| live.started));
    }
    (starts, failures)
}

fn throttled_moments(model: &Model) -> Vec<Timestamp> {
    let machines = model.machines();
    let courses = machines.iter().flat_map(|(_, machine)| machine.gpu_courses.values());
    let readings = courses.flat_map(|course| course.iter());
    let held_back =
        readings.filter(|(_, sample)| sample.throttled_percent.is_some_and(|part| part >= THROTTLED));
    held_back.map(|(at, _)| *at).collect()
}
