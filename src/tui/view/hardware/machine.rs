//! Every GPU in full, and the host with the processes of the shards.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::gpus::{Cards, absence_reason, draw_reason, gpus_note};
use super::{gpu_grid, host, node_lines, past};
use crate::model::units::or_unknown;
use crate::tui::format;
use crate::tui::model::screen::{Model, Pane};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::panes::pane;
use crate::tui::view::panes::text::{TextWriter, text_width};

/// The gauges of the host and their frame.
const HOST: u16 = 4;

/// Draws it with its frames.
pub fn draw_machine(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    if model.has_nodes() {
        return draw_node_cards(model, theme, area, buffer);
    }
    let cards = model.machine.cards();
    let views = Cards::of_run(model, theme);
    // Without cards there is one reason to read; what they leave is for the host.
    let wanted =
        if cards.is_empty() { 4 } else { gpu_grid::grid_height(&views, area.width.saturating_sub(4)) + 2 };
    let rest = area.height.saturating_sub(wanted);
    let host_height = if rest > HOST { rest } else { HOST.min(area.height / 3) };
    let host_height = if host_height < HOST { 0 } else { host_height };
    let (gpus, below) = (area.height - host_height, area.bottom() - host_height);
    let note = gpus_note(cards, model.machine.gpu_freshness(model.now), theme);
    let focused = model.focus == Pane::Shards;
    let frame = Rect { height: gpus, ..area };
    let until = past::until_note(model, theme).filter(|_| !cards.is_empty());
    let note = until.unwrap_or(note);
    let inner = pane::draw_pane("GPUs", note, focused, theme, frame, buffer);
    match absence_reason(model.machine.inventory.as_ref()) {
        Some(reason) => draw_reason(reason, theme, inner, buffer),
        None => gpu_grid::draw_grid(&views, model.views.cards, theme, frame, inner, buffer),
    }
    if host_height > 0 {
        let area = Rect { y: below, height: host_height, ..area };
        host::draw_host(model, theme, area, buffer);
        let inside = Rect {
            x: area.x + 2,
            y: area.y + 3,
            width: area.width.saturating_sub(4),
            height: host_height - 4,
        };
        if inside.height > 1 {
            draw_processes(model, theme, inside, buffer);
        }
    }
}

/// Draws the GPUs of all nodes; their hosts are in the view of nodes.
fn draw_node_cards(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let views = Cards::of_run(model, theme);
    let note = node_lines::gpus_note(model, theme);
    let inner = pane::draw_pane("GPUs", note, model.focus == Pane::Shards, theme, area, buffer);
    if views.views.is_empty() {
        draw_reason(node_lines::why_no_gpu(model), theme, inner, buffer);
    } else {
        gpu_grid::draw_grid(&views, model.views.cards, theme, area, inner, buffer);
    }
}

/// Draws how much of the host the shards use, with the selected one marked.
fn draw_processes(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let dim = theme.style(Role::Dim);
    let active = model.readings().enumerate().filter(|(_, reading)| reading.state.phase.kind().is_active());
    let names =
        model.state.shards.iter().map(|shard| text_width(shard.id.as_str())).max().unwrap_or(0).clamp(8, 32);
    TextWriter::new(buffer, area, 0)
        .skip(2)
        .put_field("shard", names, dim, theme.glyphs.ellipsis)
        .put_right("pid", 9, dim)
        .put_right("processes", 11, dim)
        .put_right("CPU", 7, dim)
        .put_right("RAM", 11, dim);
    for (line, (position, reading)) in active.take(usize::from(area.height - 1)).enumerate() {
        let text = theme.style(Role::Text);
        let sample = reading.fresh_sample();
        let pid = reading.state.phase.live().and_then(|live| live.pid);
        let mut writer = TextWriter::new(buffer, area, line as u16 + 1);
        writer.put(theme.glyphs.series, theme.series_style(position)).skip(1);
        writer.put_field(reading.state.id.as_str(), names, text, theme.glyphs.ellipsis);
        writer.put_right(&or_unknown(pid, |pid| pid.to_string()), 9, text);
        writer.put_right(&or_unknown(sample, |sample| sample.processes.to_string()), 11, text);
        writer.put_right(&or_unknown(reading.cpu(), format::format_percent), 7, text);
        let ram = sample.and_then(|sample| sample.rss_bytes);
        writer.put_right(&or_unknown(ram, |bytes| bytes.to_string()), 11, text);
    }
}
