//! The nodes of a run in a line each, or all of them in two: in place of the GPUs and the host of the machine of the run,
//! on which no shard is.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;

use super::gpus::absence_reason;
use super::past;
use crate::model::units::{Bytes, or_unknown};
use crate::tui::format;
use crate::tui::model::hardware::gpu_sums::GpuSums;
use crate::tui::model::hardware::node_rows::{NodeRow, sum_gpus};
use crate::tui::model::node_words::standing_role;
use crate::tui::model::screen::{Model, Pane};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::panes::pane;
use crate::tui::view::panes::text::{TextWriter, text_width};
use crate::tui::view::small;

/// Widths of the columns of the pane: the name, GPUs, utilisation, memory, CPU.
const NAME: u16 = 12;
const GPUS: u16 = 4;
const UTIL: u16 = 8;
const VRAM: u16 = 10;
const CPU: u16 = 5;

/// Draws a line for each node, with its frame.
pub(in crate::tui::view) fn draw_pane(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let rows = model.node_rows();
    let note = past::until_note(model, theme).unwrap_or_else(|| gpus_note(model, theme));
    let inner = pane::draw_pane("Nodes", note, model.focus == Pane::Machine, theme, area, buffer);
    let dim = theme.style(Role::Dim);
    let name = inner.width.saturating_sub(GPUS + UTIL + VRAM + CPU).max(NAME);
    TextWriter::new(buffer, inner, 0)
        .put_field("node", name, dim, theme.glyphs.ellipsis)
        .put_right("GPUs", GPUS, dim)
        .put_right("util", UTIL, dim)
        .put_right("VRAM", VRAM, dim)
        .put_right("CPU", CPU, dim);
    let room = usize::from(inner.height.saturating_sub(1));
    // Without room for all, the last line counts the others.
    let shown = if rows.len() > room { room.saturating_sub(1) } else { rows.len() };
    for (line, row) in (1..).zip(rows.iter().take(shown)) {
        draw_line(row, name, theme, TextWriter::new(buffer, inner, line));
    }
    if shown < rows.len() {
        let more = format!("{} more", rows.len() - shown);
        TextWriter::new(buffer, inner, inner.height.saturating_sub(1)).put(&more, dim);
    }
}

fn draw_line(row: &NodeRow<'_>, name: u16, theme: &Theme, mut writer: TextWriter<'_>) {
    let (word, _) = row.status.standing.words();
    let style = theme.style(standing_role(&row.status.standing));
    let (text, ellipsis) = (theme.style(Role::Text), theme.glyphs.ellipsis);
    writer.put(theme.glyphs.series, style).skip(1);
    writer.put_field(row.status.id.as_str(), name - 3, text, ellipsis).skip(1);
    let Some(host) = row.host else {
        let room = writer.room();
        writer.put_right(word, room, style);
        return;
    };
    let sums = row.has_fresh_gpus.then(|| GpuSums::from_machines([row.machine]));
    let sums = sums.filter(|sums| sums.count > 0);
    let shown = |value: Option<String>| or_unknown(value, |value| value);
    let busy = sums.and_then(|sums| sums.utilization);
    let vram = sums.and_then(|sums| sums.vram_used.zip(sums.vram_total));
    writer
        .put_right(&shown(sums.map(|sums| sums.count.to_string())), GPUS, text)
        .put_right(&shown(busy.map(range_text)), UTIL, text)
        .put_right(&shown(vram.map(|(used, total)| share_text(used, total))), VRAM, text)
        .put_right(&or_unknown(host.cpu_percent, format::format_percent), CPU, text);
}

/// `12-91%`, or `91%` where all are the same.
fn range_text((least, most): (f64, f64)) -> String {
    let (least, most) = (format!("{least:.0}"), format!("{most:.0}"));
    if least == most { format!("{most}%") } else { format!("{least}-{most}%") }
}

/// `371/640G`, with a digit more where there is little.
pub(in crate::tui::view) fn share_text(used: Bytes, total: Bytes) -> String {
    let gib = |bytes: Bytes| bytes.0 as f64 / Bytes::GIB.0 as f64;
    let digits = usize::from(gib(total) < 10.0);
    format!("{:.digits$}/{:.digits$}G", gib(used), gib(total))
}

/// Draws all nodes in two lines: how many are up and their hosts, and their GPUs.
pub(in crate::tui::view) fn draw_strip(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let rows = model.node_rows();
    let (dim, text) = (theme.style(Role::Dim), theme.style(Role::Text));
    let cpu = rows.iter().filter_map(|row| row.host?.cpu_percent);
    let cpu = cpu.clone().reduce(f64::min).zip(cpu.reduce(f64::max)).map(range_text);
    TextWriter::new(buffer, area, 0)
        .skip(1)
        .put(&count_words(&rows), text)
        .put("   CPU ", dim)
        .put(&or_unknown(cpu, |cpu| cpu), text);
    let mut writer = TextWriter::new(buffer, area, 1);
    let Some((sums, words)) = sum_gpus(&rows) else {
        writer.skip(1).put("GPUs ", dim).put(theme.glyphs.unknown, dim);
        return;
    };
    let figures = small::gpu_summary(&sums, theme);
    let figures = if text_width(&words) + text_width(&figures) + 4 > writer.room() { "" } else { &figures };
    writer.skip(1).put(&words, text).skip(2).put(figures, text);
}

/// `3 nodes: 2 up, 1 unreachable`, the words in the order in which nodes have them.
pub(in crate::tui::view) fn count_words(rows: &[NodeRow<'_>]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for row in rows {
        let (word, _) = row.status.standing.words();
        match counts.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
    }
    let nodes = format::plural(rows.len(), "node");
    let words: Vec<String> = counts.iter().map(|(word, count)| format!("{count} {word}")).collect();
    format!("{nodes}: {}", words.join(", "))
}

/// `8 GPUs on 2 nodes`, of those whose readings are recent.
pub(in crate::tui::view) fn gpus_note<'a>(model: &Model, theme: &Theme) -> Vec<Span<'a>> {
    let sums = sum_gpus(&model.node_rows());
    sums.map(|(_, words)| Span::styled(words, theme.style(Role::Dim))).into_iter().collect()
}

/// Why there is no GPU of any node to show.
pub(in crate::tui::view) fn why_no_gpu(model: &Model) -> &str {
    let read = model.machines().into_iter().filter_map(|(_, machine)| machine.inventory.as_ref()).next();
    match read {
        Some(inventory) => absence_reason(Some(inventory)).unwrap_or_default(),
        None => "no node has reported its GPUs yet",
    }
}
