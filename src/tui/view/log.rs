//! The log of the selected shard: its colours, what is looked for, and when lines came.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::Span;

use super::panes::pane;
use super::panes::text::{TextWriter, cut_left, text_width, wrap_text};
use super::shards::table::draw_cursor;
use crate::model::logs::mark::Alert;
use crate::tui::format;
use crate::tui::model::logs::log::LogPane;
use crate::tui::model::logs::log_line::LogLine;
use crate::tui::model::overlays::overlay::Overlay;
use crate::tui::model::screen::{Model, Pane};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// Cells for the time of a line and a blank.
const TIMES: u16 = 9;

/// A row of the pane: a line and the bytes of it that the row shows.
struct LogRow<'a> {
    line: &'a LogLine,
    bytes: Range<usize>,
}

/// Draws it with its frame.
pub fn draw_log(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let focused = model.focus == Pane::Log;
    let inner = pane::draw_pane(Pane::Log.title(), title_note(model, theme), focused, theme, area, buffer);
    let log = &model.log;
    if log.line_count() == 0 {
        let why = match (&log.trouble, &log.key) {
            (Some(trouble), _) => trouble.as_str(),
            (None, Some(_)) => "nothing was printed yet",
            (None, None) if model.selected_shard().is_none() => "no shard is chosen",
            (None, None) => "this shard has not started yet",
        };
        TextWriter::new(buffer, inner, 0).put(why, theme.style(Role::Dim));
        return;
    }
    let times = if log.wishes.times { TIMES.min(inner.width) } else { 0 };
    let field = Rect { x: inner.x + times, width: inner.width - times, ..inner };
    let rows = visible_rows(model, field);
    if rows.is_empty() {
        let why = format!("no line held here matches {}", log.wishes.search.text());
        TextWriter::new(buffer, inner, 0).put(&why, theme.style(Role::Dim));
    }
    for (number, row) in rows.iter().enumerate() {
        let y = number as u16;
        if times > 0 && row.bytes.start == 0 {
            let at = time_of(model, row.line).unwrap_or_default();
            TextWriter::new(buffer, inner, y).put(&at, theme.style(Role::Dim));
        }
        draw_row(model, theme, row, Rect { y: field.y + y, height: 1, ..field }, buffer);
        if log.target == Some(row.line.offset) {
            draw_cursor(theme, Rect { y: inner.y + y, height: 1, ..inner }, buffer);
        }
    }
}

/// The rows that are seen: upwards from the last line, and where the log has fewer, downwards from the first.
fn visible_rows(model: &Model, field: Rect) -> Vec<LogRow<'_>> {
    let log = &model.log;
    let page = usize::from(field.height);
    let Some(bottom) = log.last_shown_line() else { return Vec::new() };
    let mut rows: Vec<LogRow<'_>> = Vec::new();
    for number in log.numbers_upwards(bottom) {
        let Some(line) = log.line(number) else { continue };
        rows.extend(rows_of(model, line, field.width).into_iter().rev());
        if rows.len() >= page {
            break;
        }
    }
    rows.truncate(page);
    rows.reverse();
    for number in log.numbers_downwards(bottom + 1) {
        if rows.len() >= page {
            break;
        }
        rows.extend(log.line(number).into_iter().flat_map(|line| rows_of(model, line, field.width)));
    }
    rows.truncate(page);
    rows
}

/// Returns the rows of a line: one, or as many as it takes when wrapped.
fn rows_of<'a>(model: &Model, line: &'a LogLine, room: u16) -> Vec<LogRow<'a>> {
    if !model.log.wishes.wraps {
        let hidden = line.text.len() - cut_left(&line.text, usize::from(model.log.shifted)).len();
        return vec![LogRow { line, bytes: hidden..line.text.len() }];
    }
    let mut from = 0;
    let row = |part: String| {
        let bytes = from..(from + part.len()).min(line.text.len());
        from = bytes.end;
        LogRow { line, bytes }
    };
    wrap_text(&line.text, usize::from(room)).into_iter().map(row).collect()
}

fn draw_row(model: &Model, theme: &Theme, row: &LogRow<'_>, area: Rect, buffer: &mut Buffer) {
    let text = &row.line.text;
    let base = theme.style(if is_alert(model, text) { Role::Failed } else { Role::Text });
    let matches = model.log.wishes.search.match_ranges(text);
    let is_long = text_width(text.get(row.bytes.clone()).unwrap_or_default().trim_end()) > area.width;
    let room = Rect { width: area.width - u16::from(is_long && area.width > 0), ..area };
    let mut writer = TextWriter::new(buffer, room, 0);
    for piece in split_row(row, &matches) {
        let Some(part) = text.get(piece.clone()) else { continue };
        let style = base.patch(theme.adapt_foreign(row.line.colour_at(piece.start)));
        let is_match = matches.iter().any(|found| found.contains(&piece.start));
        let style = if is_match { style.add_modifier(Modifier::REVERSED) } else { style };
        writer.put_clipped(part, style);
    }
    if is_long {
        let last = Rect { x: room.right(), width: 1, ..area };
        TextWriter::new(buffer, last, 0).put(theme.glyphs.ellipsis, Style::new());
    }
}

/// The row cut wherever its look may change.
fn split_row(row: &LogRow<'_>, matches: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut cuts = vec![row.bytes.start, row.bytes.end];
    cuts.extend(row.line.colours.iter().map(|(from, _)| *from));
    cuts.extend(matches.iter().flat_map(|found| [found.start, found.end]));
    cuts.retain(|cut| row.bytes.contains(cut) || *cut == row.bytes.end);
    cuts.sort_unstable();
    cuts.dedup();
    cuts.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

/// When the line came: while it was followed, or by the mark that was read from it.
fn time_of(model: &Model, line: &LogLine) -> Option<String> {
    let of_mark = || {
        let reading = model.selected_shard()?;
        let points = &reading.track.points;
        let number = points.partition_point(|point| point.offset < line.offset);
        points.get(number).filter(|point| point.offset < line.end).map(|point| point.at)
    };
    line.at.or_else(of_mark).map(|at| format::format_time(at, &model.zone))
}

fn title_note<'a>(model: &Model, theme: &Theme) -> Vec<Span<'a>> {
    let log = &model.log;
    let Some(key) = &log.key else {
        let id = model.selected_shard().map(|reading| reading.state.id.to_string());
        return id.into_iter().map(|id| Span::styled(id, theme.style(Role::Title))).collect();
    };
    let dot = format!(" {} ", theme.glyphs.dot);
    let mut note = vec![Span::styled(key.shard.to_string(), theme.style(Role::Title))];
    if key.attempt.0 > 1 {
        note.push(Span::styled(format!("{dot}attempt {}", key.attempt), theme.style(Role::Dim)));
    }
    let search = &log.wishes.search;
    if let Overlay::Search { .. } = model.overlay {
        note.push(Span::styled(format!("{dot}/{}", search.text()), theme.style(Role::Key)));
        note.push(Span::styled(" ", Style::new().add_modifier(Modifier::REVERSED)));
        if !search.is_empty() {
            note.push(Span::styled(format!(" {}", match_counter(log)), theme.style(Role::Dim)));
        }
    } else if !search.is_empty() {
        let only = if log.wishes.only { "only " } else { "" };
        let text = format!("{dot}{only}/{} {}", search.text(), match_counter(log));
        note.push(Span::styled(text, theme.style(Role::Warning)));
    }
    if !log.is_following() {
        let text = if log.unseen > 0 {
            format!("{dot}{} {} new, F follows", theme.glyphs.more_below, log.unseen)
        } else {
            format!("{dot}scrolled, F follows")
        };
        note.push(Span::styled(text, theme.style(Role::Warning)));
    }
    note
}

/// Numbers the match that is shown, such as `3/34`; `34+` where the file has more lines than are held.
fn match_counter(log: &LogPane) -> String {
    let count = log.hits.count();
    if log.more_before || log.more_after {
        return format!("{count}+");
    }
    match log.target.and_then(|target| log.hits.match_number(target)) {
        Some(number) => format!("{number}/{count}"),
        None => count.to_string(),
    }
}

/// The first line of a class of failures is marked with the line itself.
fn is_alert(model: &Model, line: &str) -> bool {
    let Some(reading) = model.selected_shard() else { return false };
    let shows = |alert: &Alert| !alert.text.is_empty() && line.contains(alert.text.as_str());
    reading.track.alerts.iter().any(shows)
}
