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
use crate::tui::model::home_screen::run_line::{PreviewRow, RunLine, RunLineState, RunSummary};
use crate::tui::model::results::overall::RunSuccess;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::overlays::overlay::Pieces;
use crate::tui::view::panes::text::{TextWriter, text_width, wrap_text};
use crate::tui::view::panes::{bar, pane};

/// Draws the lines below the lists.
pub(in crate::tui::view) fn draw_about(home: &HomeModel, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let inner = pane::draw_pane("About", Vec::new(), false, theme, area, buffer);
    let lines = match home.chosen_line() {
        None => Vec::new(),
        Some(HomeLine::Sweep(sweep)) => of_sweep(sweep, theme),
        Some(HomeLine::Run(run)) => match &run.standing {
            RunLineState::Read(glance) => {
                let mut second = time_pieces(home, run, glance, theme);
                second.extend(count_pieces(glance, theme));
                let mut third = success_pieces(glance, theme);
                third.extend(glance.failed.iter().map(|why| (why.clone(), theme.style(Role::Failed))));
                vec![folder_pieces(run, theme), second, third]
            }
            RunLineState::Unread | RunLineState::Unreadable(_) | RunLineState::Gone(_) => {
                unread_lines(run, inner.width, theme)
            }
        },
    };
    draw_lines(&lines, theme, inner, buffer);
}

/// Draws the pane next to the lists.
pub(in crate::tui::view) fn draw_preview(home: &HomeModel, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let Some(HomeLine::Run(run)) = home.chosen_line() else {
        let inner = pane::draw_pane("Preview", Vec::new(), false, theme, area, buffer);
        if let Some(HomeLine::Sweep(sweep)) = home.chosen_line() {
            draw_lines(&of_sweep(sweep, theme), theme, inner, buffer);
        }
        return;
    };
    let inner = pane::draw_pane(&run.id.0, Vec::new(), false, theme, area, buffer);
    let RunLineState::Read(glance) = &run.standing else {
        draw_lines(&unread_lines(run, inner.width, theme), theme, inner, buffer);
        return;
    };
    let mut lines =
        vec![folder_pieces(run, theme), time_pieces(home, run, glance, theme), count_pieces(glance, theme)];
    lines.extend(Some(success_pieces(glance, theme)).filter(|line| !line.is_empty()));
    let why = glance.failed.iter().flat_map(|why| wrap_text(why, usize::from(inner.width))).take(2);
    lines.extend(why.map(|line| vec![(line, theme.style(Role::Failed))]));
    let drawn = draw_lines(&lines, theme, inner, buffer).saturating_add(1);
    let rows = Rect { y: inner.y + drawn, height: inner.height.saturating_sub(drawn), ..inner };
    if rows.height > 0 {
        draw_shards(glance, theme, rows.intersection(inner), buffer);
    }
}

/// Draws the first shards, starting with those that need the user; the last line counts the ones left out.
fn draw_shards(glance: &RunSummary, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let all = glance.counts.iter().map(|(_, count)| count).sum::<usize>();
    let room = usize::from(area.height);
    let shown = if all > room.min(glance.rows.len()) { room.saturating_sub(1) } else { room };
    let name = glance.rows.iter().take(shown).map(|row| text_width(row.id.as_str())).max().unwrap_or(0);
    let name = name.min(area.width * 2 / 5);
    let shown = shown.min(glance.rows.len());
    for (line, row) in (0..).zip(&glance.rows[..shown]) {
        draw_shard(row, name, theme, &mut TextWriter::new(buffer, area, line));
    }
    if all > shown {
        let text = format!("and {} more", all - shown);
        TextWriter::new(buffer, area, shown as u16).put(&text, theme.style(Role::Dim));
    }
}

fn draw_shard(row: &PreviewRow, name: u16, theme: &Theme, writer: &mut TextWriter<'_>) {
    let role = if row.condition.is_some() { Role::Warning } else { Role::of_phase(row.kind) };
    let style = theme.style(role);
    let glyph =
        row.condition.map_or(theme.glyphs.for_phase(row.kind), |what| theme.glyphs.for_condition(what));
    writer.put(glyph, style).skip(1);
    writer.put_field(row.id.as_str(), name, theme.style(Role::Text), theme.glyphs.ellipsis).skip(2);
    if writer.room() >= 40 {
        match row.progress.and_then(|progress| progress.fraction()) {
            Some(done) => bar::draw_segments(writer, 10, &[(done, style)], theme),
            None => _ = writer.skip(10),
        }
        let count = row.progress.map(format::format_progress).unwrap_or_default();
        writer.skip(1).put_right(&count, 9, theme.style(Role::Text)).skip(2);
    }
    let word = row.condition.map_or(row.kind.as_str(), |what| what.as_str());
    let (text, style) = match (&row.message, row.left) {
        (Some(message), _) => (message.clone(), style),
        (None, Some(left)) => (format!("{} left", format::duration_text(left)), theme.style(Role::Text)),
        (None, None) if row.kind == PhaseKind::Succeeded => (String::new(), style),
        (None, None) => (word.to_owned(), theme.style(Role::Dim)),
    };
    let room = writer.room();
    writer.put_field(&text, room, style, theme.glyphs.ellipsis);
}

fn of_sweep(sweep: &SweepLine, theme: &Theme) -> Vec<Pieces> {
    let hint = "Enter shows its plan: combos to untick, the limit, and what the machine says to it";
    let path = sweep.path.display().to_string();
    vec![vec![(hint.to_owned(), theme.style(Role::Dim))], vec![(path, theme.style(Role::Text))]]
}

fn folder_pieces(run: &RunLine, theme: &Theme) -> Pieces {
    vec![(run.dir.display().to_string(), theme.style(Role::Text))]
}

/// Why nothing is known of a run.
fn unread_lines(run: &RunLine, room: u16, theme: &Theme) -> Vec<Pieces> {
    let why = match &run.standing {
        RunLineState::Unread => vec![label_piece("being read", theme)],
        RunLineState::Gone(why) | RunLineState::Unreadable(why) => {
            vec![(wrap_text(why, usize::from(room)).swap_remove(0), theme.style(Role::Warning))]
        }
        RunLineState::Read(_) => Vec::new(),
    };
    vec![folder_pieces(run, theme), why]
}

fn time_pieces(home: &HomeModel, run: &RunLine, glance: &RunSummary, theme: &Theme) -> Pieces {
    let text = theme.style(Role::Text);
    let until = glance.ended.unwrap_or(home.now);
    let took = if glance.ended.is_some() { ", took " } else { ", for " };
    vec![
        label_piece("since ", theme),
        (format::moment_text(run.created, home.now, &home.zone), text),
        label_piece(took, theme),
        (format!("{}  ", format::duration_text(duration_between(run.created, until))), text),
    ]
}

/// Nothing where no episode was counted.
fn success_pieces(glance: &RunSummary, theme: &Theme) -> Pieces {
    let words = |told: RunSuccess| {
        let text = format!("{}  ", told.text());
        vec![label_piece(&format!("{} ", told.label()), theme), (text, theme.style(Role::Strong))]
    };
    glance.success.map(words).unwrap_or_default()
}

fn count_pieces(glance: &RunSummary, theme: &Theme) -> Pieces {
    let pieces = run_row::count_pieces(&glance.counts, true, theme).into_iter();
    pieces.map(|(role, piece)| (format!("{piece}  "), theme.style(role))).collect()
}

fn label_piece(text: &str, theme: &Theme) -> (String, Style) {
    (text.to_owned(), theme.style(Role::Dim))
}

/// Draws lines from the top and gives their number.
fn draw_lines(lines: &[Pieces], theme: &Theme, area: Rect, buffer: &mut Buffer) -> u16 {
    let mut drawn = 0;
    for line in lines.iter().take(usize::from(area.height)) {
        let mut writer = TextWriter::new(buffer, area, drawn);
        for (text, style) in line {
            let room = writer.room();
            if text_width(text.trim_end()) > room {
                writer.put_field(text, room, *style, theme.glyphs.ellipsis);
            } else {
                writer.put(text, *style);
            }
        }
        drawn += 1;
    }
    drawn
}
