//! The processes that GPUs list: whose they are, what they hold, and to which shard of which run they belong.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;

use super::gpus::hidden_text;
use crate::model::units::or_unknown;
use crate::tui::model::monitor::{GpuTenant, Monitor, Process};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::panes::pane;
use crate::tui::view::panes::text::{TextWriter, text_width};

/// Draws them with their frame, from the first that is not hidden on.
pub(in crate::tui::view) fn draw_processes(
    monitor: &Monitor,
    theme: &Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let all = monitor.tenants.len();
    let is_shard = |tenant: &&GpuTenant| matches!(&tenant.process, Some(Process { shard: Some(_), .. }));
    let note = match monitor.tenants.iter().filter(is_shard).count() {
        0 => Vec::new(),
        shards => {
            let text = format!("{} {shards} of sweepdeck", theme.glyphs.dot);
            vec![Span::styled(text, theme.style(Role::Dim))]
        }
    };
    let inner = pane::draw_pane(&format!("Processes {all}"), note, false, theme, area, buffer);
    let dim = theme.style(Role::Dim);
    if all == 0 {
        let text = "the driver lists no process on any GPU";
        TextWriter::new(buffer, inner, 0).put(text, dim);
        return;
    }
    let users = monitor.tenants.iter().filter_map(|tenant| tenant.process.as_ref());
    let users =
        users.map(|process| text_width(&monitor.user_name(process.user))).max().unwrap_or(0).clamp(4, 12);
    let ellipsis = theme.glyphs.ellipsis;
    let heading = ["GPU", "pid", "user", "VRAM", "shard or program", "command"];
    let mut writer = TextWriter::new(buffer, inner, 0);
    writer
        .put(heading[0], dim)
        .put_right(heading[1], 9, dim)
        .skip(1)
        .put_field(heading[2], users, dim, ellipsis);
    writer.put_right(heading[3], 11, dim).skip(2).put_field(heading[4], NAMES, dim, ellipsis).skip(1);
    writer.put(heading[5], dim);
    let rows = usize::from(inner.height.saturating_sub(1));
    let from = monitor.hidden_count().min(all.saturating_sub(rows));
    for (line, tenant) in (1..).zip(monitor.tenants.iter().skip(from).take(rows)) {
        let mut writer = TextWriter::new(buffer, inner, line);
        draw_row(monitor, tenant, users, theme, &mut writer);
    }
    let below = all.saturating_sub(from + rows);
    if below > 0 || from > 0 {
        let text = format!(" {} {} ", theme.glyphs.up_down, hidden_text(from, below));
        let room = text_width(&text).min(area.width);
        let corner =
            Rect { x: area.right().saturating_sub(room + 2), y: area.bottom() - 1, width: room, height: 1 };
        TextWriter::new(buffer, corner, 0).put(&text, theme.style(Role::Key));
    }
}

/// Cells for the shard or the program.
const NAMES: u16 = 24;

fn draw_row(monitor: &Monitor, tenant: &GpuTenant, users: u16, theme: &Theme, writer: &mut TextWriter<'_>) {
    let (text, dim, ellipsis) = (theme.style(Role::Text), theme.style(Role::Dim), theme.glyphs.ellipsis);
    writer.put_right(&tenant.gpu.to_string(), 3, text).put_right(&tenant.pid.to_string(), 9, text).skip(1);
    let process = tenant.process.as_ref();
    let user = or_unknown(process, |process| monitor.user_name(process.user));
    writer.put_field(&user, users, text, ellipsis);
    writer.put_right(&or_unknown(tenant.held, |held| held.to_string()), 11, text).skip(2);
    let shard = process.and_then(|process| process.shard.as_ref());
    let style = if shard.is_some() { theme.style(Role::Name) } else { text };
    writer.put_field(&tenant.name(), NAMES, style, ellipsis).skip(1);
    let of = shard.map(|shard| format!("{}: ", shard.run)).unwrap_or_default();
    let command = process.map_or("not seen from here", |process| process.command.as_str());
    let room = writer.room();
    writer.put_field(&format!("{of}{command}"), room, dim, ellipsis);
}
