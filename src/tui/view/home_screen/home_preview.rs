//! All that is known of the chosen line of the home screen: in a few lines below the lists, or next to them with its
//! shards.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::run_row;
use crate::model::state::phase::PhaseKind;
use crate::model::units::duration_between;
use crate::tui::format;
use crate::tui::model::home_screen::home::{HomeLine, HomeModel, SweepLine};
use crate::tui::model::home_screen::run_line::{Glance, PreviewRow, RunLine, RunLineState};
use crate::tui::model::results::overall::RunSuccess;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::overlays::overlay::Pieces;
use crate::tui::view::panes::text::{TextWriter, width, wrap};
use crate::tui::view::panes::{bar, pane};

/// Draws the lines below the lists.
pub(in crate::tui::view) fn about(home: &HomeModel, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let inner = pane::draw("About", Vec::new(), false, theme, area, buffer);
    let lines = match home.chosen() {
        None => Vec::new(),
        Some(HomeLine::Sweep(sweep)) => of_sweep(sweep, theme),
        Some(HomeLine::Run(run)) => match &run.standing {
            RunLineState::Read(glance) => {
                let mut second = times(home, run, glance, theme);
                second.extend(counts(glance, theme));
                let mut third = success(glance, theme);
                third.extend(glance.failed.iter().map(|why| (why.clone(), theme.style(Role::Failed))));
                vec![folder(run, theme), second, third]
            }
            RunLineState::Unread | RunLineState::Unreadable(_) | RunLineState::Gone(_) => {
                unread(run, inner.width, theme)
            }
        },
    };
    put(&lines, theme, inner, buffer);
}

/// Draws the pane next to the lists.
pub(in crate::tui::view) fn draw(home: &HomeModel, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let Some(HomeLine::Run(run)) = home.chosen() else {
        let inner = pane::draw("Preview", Vec::new(), false, theme, area, buffer);
        if let Some(HomeLine::Sweep(sweep)) = home.chosen() {
            put(&of_sweep(sweep, theme), theme, inner, buffer);
        }
        return;
    };
    let inner = pane::draw(&run.id.0, Vec::new(), false, theme, area, buffer);
    let RunLineState::Read(glance) = &run.standing else {
        put(&unread(run, inner.width, theme), theme, inner, buffer);
        return;
    };
    let mut lines = vec![folder(run, theme), times(home, run, glance, theme), counts(glance, theme)];
    lines.extend(Some(success(glance, theme)).filter(|line| !line.is_empty()));
    let why = glance.failed.iter().flat_map(|why| wrap(why, usize::from(inner.width))).take(2);
    lines.extend(why.map(|line| vec![(line, theme.style(Role::Failed))]));
    let drawn = put(&lines, theme, inner, buffer).saturating_add(1);
    let rows = Rect { y: inner.y + drawn, height: inner.height.saturating_sub(drawn), ..inner };
    if rows.height > 0 {
        shards(glance, theme, rows.intersection(inner), buffer);
    }
}

/// Draws the first shards, starting with those that need the user; the last line counts the ones left out.
fn shards(glance: &Glance, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let all = glance.counts.iter().map(|(_, count)| count).sum::<usize>();
    let room = usize::from(area.height);
    let shown = if all > room.min(glance.rows.len()) { room.saturating_sub(1) } else { room };
    let name = glance.rows.iter().take(shown).map(|row| width(row.id.as_str())).max().unwrap_or(0);
    let name = name.min(area.width * 2 / 5);
    let shown = shown.min(glance.rows.len());
    for (line, row) in (0..).zip(&glance.rows[..shown]) {
        shard(row, name, theme, &mut TextWriter::new(buffer, area, line));
    }
    if all > shown {
        let text = format!("and {} more", all - shown);
        TextWriter::new(buffer, area, shown as u16).put(&text, theme.style(Role::Dim));
    }
}

fn shard(row: &PreviewRow, name: u16, theme: &Theme, writer: &mut TextWriter<'_>) {
    let role = if row.condition.is_some() { Role::Warning } else { Role::of_phase(row.kind) };
    let style = theme.style(role);
    let glyph = row.condition.map_or(theme.glyphs.state(row.kind), |what| theme.glyphs.condition(what));
    writer.put(glyph, style).skip(1);
    writer.field(row.id.as_str(), name, theme.style(Role::Text), theme.glyphs.ellipsis).skip(2);
    if writer.room() >= 40 {
        match row.progress.and_then(|progress| progress.fraction()) {
            Some(done) => bar::segments(writer, 10, &[(done, style)], theme),
            None => _ = writer.skip(10),
        }
        let count = row.progress.map(format::count).unwrap_or_default();
        writer.skip(1).right(&count, 9, theme.style(Role::Text)).skip(2);
    }
    let word = row.condition.map_or(row.kind.as_str(), |what| what.as_str());
    let (text, style) = match (&row.message, row.left) {
        (Some(message), _) => (message.clone(), style),
        (None, Some(left)) => (format!("{} left", format::duration(left)), theme.style(Role::Text)),
        (None, None) if row.kind == PhaseKind::Succeeded => (String::new(), style),
        (None, None) => (word.to_owned(), theme.style(Role::Dim)),
    };
    let room = writer.room();
    writer.field(&text, room, style, theme.glyphs.ellipsis);
}

fn of_sweep(sweep: &SweepLine, theme: &Theme) -> Vec<Pieces> {
    let hint = "Enter shows its plan: combos to untick, the limit, and what the machine says to it";
    let path = sweep.path.display().to_string();
    vec![vec![(hint.to_owned(), theme.style(Role::Dim))], vec![(path, theme.style(Role::Text))]]
}

fn folder(run: &RunLine, theme: &Theme) -> Pieces {
    vec![(run.dir.display().to_string(), theme.style(Role::Text))]
}

/// Why nothing is known of a run.
fn unread(run: &RunLine, room: u16, theme: &Theme) -> Vec<Pieces> {
    let why = match &run.standing {
        RunLineState::Unread => vec![label("being read", theme)],
        RunLineState::Gone(why) | RunLineState::Unreadable(why) => {
            vec![(wrap(why, usize::from(room)).swap_remove(0), theme.style(Role::Warning))]
        }
        RunLineState::Read(_) => Vec::new(),
    };
    vec![folder(run, theme), why]
}

fn times(home: &HomeModel, run: &RunLine, glance: &Glance, theme: &Theme) -> Pieces {
    let text = theme.style(Role::Text);
    let until = glance.ended.unwrap_or(home.now);
    let took = if glance.ended.is_some() { ", took " } else { ", for " };
    vec![
        label("since ", theme),
        (format::moment(run.created, home.now, &home.zone), text),
        label(took, theme),
        (format!("{}  ", format::duration(duration_between(run.created, until))), text),
    ]
}

/// Nothing where no episode was counted.
fn success(glance: &Glance, theme: &Theme) -> Pieces {
    let words = |told: RunSuccess| {
        let text = format!("{}  ", told.text());
        vec![label(&format!("{} ", told.label()), theme), (text, theme.style(Role::Strong))]
    };
    glance.success.map(words).unwrap_or_default()
}

fn counts(glance: &Glance, theme: &Theme) -> Pieces {
    let pieces = run_row::pieces(&glance.counts, true, theme).into_iter();
    pieces.map(|(role, piece)| (format!("{piece}  "), theme.style(role))).collect()
}

fn label(text: &str, theme: &Theme) -> (String, Style) {
    (text.to_owned(), theme.style(Role::Dim))
}

/// Draws lines from the top and gives their number.
fn put(lines: &[Pieces], theme: &Theme, area: Rect, buffer: &mut Buffer) -> u16 {
    let mut drawn = 0;
    for line in lines.iter().take(usize::from(area.height)) {
        let mut writer = TextWriter::new(buffer, area, drawn);
        for (text, style) in line {
            let room = writer.room();
            if width(text.trim_end()) > room {
                writer.field(text, room, *style, theme.glyphs.ellipsis);
            } else {
                writer.put(text, *style);
            }
        }
        drawn += 1;
    }
    drawn
}
