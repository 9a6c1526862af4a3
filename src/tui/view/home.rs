//! The home screen: runs, sweeps, and what lies over them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::rows::{line_of, window};
use super::sweep_plan;
use super::text::{Writer, width};
use super::{overlay, pane};
use crate::model::phase::PhaseKind;
use crate::results::status::{Counts, RunWord};
use crate::tui::format;
use crate::tui::keymap::home::footer;
use crate::tui::model::home::{Home, Page, RunLine};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// Draws the whole screen.
pub fn draw(home: &Home, theme: &Theme, buffer: &mut Buffer) {
    let screen = buffer.area;
    buffer.set_style(screen, theme.style(Role::Text));
    let foot = Rect { y: screen.bottom().saturating_sub(1), height: screen.height.min(1), ..screen };
    let body = Rect { height: screen.height.saturating_sub(1), ..screen };
    match &home.page {
        Page::Lists => lists(home, theme, body, buffer),
        Page::Plan(plan) => sweep_plan::draw(plan, theme, body, buffer),
        Page::Problems { title, lines } => {
            let inner = pane::draw(title, Vec::new(), true, theme, body, buffer);
            for (row, line) in (0..inner.height).zip(lines) {
                Writer::new(buffer, inner, row).put(line, theme.style(Role::Text));
            }
        }
    }
    draw_footer(home, theme, foot, buffer);
}

/// Sweeps get the room they need, at most half of it.
fn lists(home: &Home, theme: &Theme, body: Rect, buffer: &mut Buffer) {
    let wanted = u16::try_from(home.sweeps.len().max(1)).unwrap_or(u16::MAX).saturating_add(2);
    let below = wanted.min(body.height / 2);
    let above = Rect { height: body.height - below, ..body };
    let below = Rect { y: above.bottom(), height: below, ..body };
    let in_runs = home.cursor < home.runs.len();
    let live = home.runs.iter().filter(|run| run.goes_on()).count();
    let title = format!("Runs: {live} of {} going on", home.runs.len());
    let inner = pane::draw(&title, Vec::new(), in_runs, theme, above, buffer);
    if home.runs.is_empty() {
        Writer::new(buffer, inner, 0).put("no runs yet", theme.style(Role::Dim));
    }
    let names = home.runs.iter().map(|run| width(&run.id.0)).max().unwrap_or(0).min(inner.width * 2 / 5);
    for (row, position) in window(home.cursor, home.runs.len(), inner.height) {
        draw_run(home, position, names, theme, line_of(inner, row), buffer);
    }
    let inner = pane::draw("Sweeps here and in configs/", Vec::new(), !in_runs, theme, below, buffer);
    if home.sweeps.is_empty() {
        let text = "no sweep files here or in configs/; try: evaldeck demo";
        Writer::new(buffer, inner, 0).put(text, theme.style(Role::Dim));
    }
    let cursor = home.cursor.saturating_sub(home.runs.len());
    for (row, position) in window(cursor, home.sweeps.len(), inner.height) {
        draw_sweep(home, position, theme, line_of(inner, row), buffer);
    }
}

fn draw_run(home: &Home, position: usize, names: u16, theme: &Theme, line: Rect, buffer: &mut Buffer) {
    let Some(run) = home.runs.get(position) else { return };
    let role = run_role(run);
    let state = run.state.map_or("unreadable", RunWord::as_str);
    let mut writer = Writer::new(buffer, line, 0);
    writer.field(&run.id.0, names, theme.style(Role::Name), theme.glyphs.ellipsis).skip(2);
    writer.field(state, 12, theme.style(role), theme.glyphs.ellipsis).skip(1);
    let counts = format::or_unknown(run.counts.as_ref(), shards);
    writer.field(&counts, 16, theme.style(role), theme.glyphs.ellipsis).skip(1);
    let created = run.created.to_zoned(home.zone.clone()).strftime("%Y-%m-%d %H:%M").to_string();
    writer.put(&created, theme.style(Role::Dim)).skip(2);
    writer.put(&run.dir.display().to_string(), theme.style(Role::Dim));
    if position == home.cursor {
        buffer.set_style(line, theme.style(Role::Cursor));
    }
}

fn draw_sweep(home: &Home, position: usize, theme: &Theme, line: Rect, buffer: &mut Buffer) {
    let Some(sweep) = home.sweeps.get(position) else { return };
    let mut writer = Writer::new(buffer, line, 0);
    writer.put(&sweep.path.display().to_string(), theme.style(Role::Name)).skip(2);
    match sweep.shards {
        Some(shards) => writer.put(&format::plural(shards, "shard"), theme.style(Role::Dim)),
        None => writer.put("has mistakes; Enter lists them", theme.style(Role::Warning)),
    };
    if home.runs.len() + position == home.cursor {
        buffer.set_style(line, theme.style(Role::Cursor));
    }
}

fn run_role(run: &RunLine) -> Role {
    let failed = run.counts.as_ref().is_some_and(|counts| of(counts, PhaseKind::Failed) > 0);
    match (run.goes_on(), failed) {
        (_, true) => Role::Failed,
        (true, false) => Role::Running,
        (false, false) => Role::Dim,
    }
}

/// `7/8, 1 failed`
fn shards(counts: &Counts) -> String {
    let all: usize = counts.iter().map(|(_, count)| count).sum();
    let done = format!("{}/{all}", of(counts, PhaseKind::Succeeded));
    match of(counts, PhaseKind::Failed) {
        0 => done,
        failed => format!("{done}, {failed} failed"),
    }
}

fn of(counts: &Counts, wanted: PhaseKind) -> usize {
    counts.iter().find(|(kind, _)| *kind == wanted).map_or(0, |(_, count)| count)
}

fn draw_footer(home: &Home, theme: &Theme, line: Rect, buffer: &mut Buffer) {
    let mut writer = Writer::new(buffer, line, 0);
    writer.skip(1);
    if let Some(notice) = &home.notice {
        writer.put(&notice.text, theme.style(if notice.bad { Role::Warning } else { Role::Strong }));
        return;
    }
    for (key, word) in footer(&home.page, home.access, &home.keymap) {
        writer
            .put(&overlay::key_names(&key, theme), theme.style(Role::Key))
            .skip(1)
            .put(word, theme.style(Role::Dim))
            .skip(2);
    }
}
