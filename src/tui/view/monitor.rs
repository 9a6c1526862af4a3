//! The screen of the monitor: a machine without any run.

use jiff::{SignedDuration, Timestamp};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::charts::{self, LOWEST};
use super::footer::fitting_keys;
use super::hardware::gpus::{Cards, absence_reason, draw_cards, draw_reason, gpus_note};
use super::hardware::{cores, gpu_grid, gpu_processes, host};
use super::overlays::overlay::{self, Pieces};
use super::overlays::{palette, themes};
use super::panes::panel::ChartPanel;
use super::panes::text::{TextWriter, text_width};
use super::panes::{ascii, pane, tabs};
use super::{chart, panels};
use crate::model::machine::sample::{GpuCard, GpuInventory};
use crate::model::units::{Bytes, or_unknown};
use crate::tui::format;
use crate::tui::keymap::action::Distance;
use crate::tui::keymap::monitor::{BINDINGS, MonitorAction, MonitorBinding, palette_entries};
use crate::tui::model::hardware::machine::Freshness;
use crate::tui::model::monitor::{Monitor, MonitorView, is_one_line};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// The gauges of the host, its load, and their frame.
const HOST: u16 = 5;

/// A list of processes with its headings and its frame.
const PROCESSES: u16 = 5;

/// Length of time that charts show at first.
const SHORTEST: SignedDuration = SignedDuration::from_mins(2);

/// Draws the whole screen.
pub fn draw_monitor(monitor: &Monitor, theme: &Theme, buffer: &mut Buffer) {
    let screen = buffer.area;
    buffer.set_style(screen, theme.style(Role::Text));
    let line = |y: u16| Rect { y, height: 1, ..screen }.intersection(screen);
    if is_one_line((screen.width, screen.height)) {
        in_one_line(monitor, theme, line(0), buffer);
        ascii::replace_non_ascii(theme, buffer);
        return;
    }
    draw_header(monitor, theme, line(0), buffer);
    let names = MonitorView::ALL.map(|view| (view.title(), view == monitor.view));
    tabs::draw_tab_names(&names, theme, line(1), buffer);
    let body = Rect { y: 2, height: screen.height - 3, ..screen };
    match monitor.view {
        MonitorView::Overview => draw_overview(monitor, theme, body, buffer),
        MonitorView::Gpus => draw_gpus(monitor, theme, body, buffer),
        MonitorView::Host => whole_host(monitor, theme, body, buffer),
        MonitorView::Charts => over_time(monitor, theme, body, buffer),
    }
    draw_footer(monitor, theme, line(screen.bottom() - 1), buffer);
    if let Some(open) = &monitor.palette {
        palette::draw_palette(open, palette_entries(&monitor.keymap), theme, screen, buffer);
    }
    if let Some(chooser) = &monitor.themes {
        themes::draw_themes(chooser, theme, screen, buffer);
    }
    if let Some(scrolled) = monitor.help {
        draw_help(monitor, scrolled, theme, screen, buffer);
    }
    ascii::replace_non_ascii(theme, buffer);
}

fn gpu_cards(monitor: &Monitor) -> &[GpuCard] {
    monitor.machine.inventory.as_ref().map_or(&[][..], GpuInventory::cards)
}

fn draw_header(monitor: &Monitor, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let dim = theme.style(Role::Dim);
    let mut writer = TextWriter::new(buffer, area, 0);
    writer.skip(1).put(&monitor.host, theme.style(Role::Name));
    if let Some(GpuInventory::Present { driver, cards }) = &monitor.machine.inventory {
        let gpus = format::plural(cards.len(), "GPU");
        writer.put(&format!(" {} {gpus}, driver {driver}", theme.glyphs.dot), dim);
    }
    let Some(sample) = monitor.machine.host.back() else { return };
    let (numbers, style) = match monitor.machine.host_freshness(monitor.now) {
        Freshness::Never | Freshness::Fresh => {
            let cpu = or_unknown(sample.cpu_percent, format::format_percent);
            let ram = format::memory_of(sample.ram_used_bytes, sample.ram_total_bytes);
            (format!("CPU {cpu}  RAM {ram} "), dim)
        }
        Freshness::Stale(age) => {
            (format!("stale: {} old ", format::duration_text(age)), theme.style(Role::Warning))
        }
    };
    let room = writer.room();
    if text_width(&numbers) + 2 <= room {
        writer.put_right(&numbers, room, style);
    }
}

/// Everything in one line.
fn in_one_line(monitor: &Monitor, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let mut writer = TextWriter::new(buffer, area, 0);
    for card in gpu_cards(monitor) {
        let sample = monitor.machine.gpus.get(&card.index).and_then(|samples| samples.back());
        let busy = or_unknown(sample.and_then(|sample| sample.utilization_percent), format::format_percent);
        let used = or_unknown(sample.and_then(|sample| sample.vram_used_bytes), format::format_memory);
        writer.put(&card.index.to_string(), theme.style(Role::Strong));
        writer.put(&format!(" {busy} {used}  "), theme.style(Role::Text));
    }
    let cpu = monitor.machine.host.back().and_then(|sample| sample.cpu_percent);
    writer.put(&format!("CPU {}", or_unknown(cpu, format::format_percent)), theme.style(Role::Text));
}

/// GPUs in short, their processes, and the host.
fn draw_overview(monitor: &Monitor, theme: &Theme, body: Rect, buffer: &mut Buffer) {
    if gpu_cards(monitor).is_empty() {
        let (above, below) = split_top(body, body.height.min(4));
        frame_of_gpus(monitor, theme, above, buffer);
        whole_host(monitor, theme, below, buffer);
        return;
    }
    let shown = Cards::of_monitor(monitor, usize::MAX, theme);
    let host = if body.height >= HOST + PROCESSES + 4 { HOST } else { 0 };
    let least = if body.height >= PROCESSES + 5 { PROCESSES } else { 0 };
    let most = body.height - host - least;
    let size = shown.order.size_in(most.saturating_sub(2));
    let (above, rest) = split_top(body, shown.order.line_count(size).saturating_add(2).min(most));
    let (middle, below) = split_top(rest, rest.height - host);
    let inner = frame_of_gpus(monitor, theme, above, buffer);
    draw_cards(&shown, theme, inner, buffer);
    if middle.height > 2 {
        gpu_processes::draw_processes(monitor, theme, middle, buffer);
    }
    if below.height > 2 {
        short_host(monitor, theme, below, buffer);
    }
}

/// The frame, and the reason where there is nothing to put into it.
fn frame_of_gpus(monitor: &Monitor, theme: &Theme, area: Rect, buffer: &mut Buffer) -> Rect {
    let note = gpus_note(gpu_cards(monitor), monitor.machine.gpu_freshness(monitor.now), theme);
    let inner = pane::draw_pane("GPUs", note, false, theme, area, buffer);
    if let Some(reason) = absence_reason(monitor.machine.inventory.as_ref()) {
        draw_reason(reason, theme, inner, buffer);
    }
    inner
}

/// Each GPU in full, with as many processes each as lets all of them be seen, and some at least.
fn draw_gpus(monitor: &Monitor, theme: &Theme, body: Rect, buffer: &mut Buffer) {
    let inner = frame_of_gpus(monitor, theme, body, buffer);
    let bare = Cards::of_monitor(monitor, 0, theme);
    let most = gpu_grid::spare_lines(&bare, inner).max(3);
    let shown = Cards::of_monitor(monitor, most, theme);
    if !shown.views.is_empty() {
        gpu_grid::draw_grid(&shown, monitor.hidden_count(), theme, body, inner, buffer);
    }
}

/// Draws the gauges and the load averages of the host.
fn short_host(monitor: &Monitor, theme: &Theme, area: Rect, buffer: &mut Buffer) -> Rect {
    let note = host::host_note(&monitor.machine, monitor.now, theme);
    let inner = pane::draw_pane("Host", note, false, theme, area, buffer);
    host::draw_gauges(&monitor.machine, theme, inner, buffer);
    let load = or_unknown(monitor.load, |[one, five, fifteen]| {
        format!("{one:.2} {five:.2} {fifteen:.2} over 1, 5 and 15 minutes")
    });
    TextWriter::new(buffer, inner, 2)
        .put("load  ", theme.style(Role::Dim))
        .put(&load, theme.style(Role::Text));
    inner
}

/// The same, every core, and where there is room the course of both gauges.
fn whole_host(monitor: &Monitor, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let inner = short_host(monitor, theme, area, buffer);
    let rest = split_top(inner, inner.height.min(4)).1;
    if rest.height == 0 {
        return;
    }
    let taken = cores::draw_cores(&monitor.cores, theme, rest, buffer);
    let below = split_top(rest, (taken + 1).min(rest.height)).1;
    if below.height > 2 * LOWEST {
        draw_charts(monitor, &panels::of_host(&monitor.machine, theme), theme, below, buffer);
    }
}

/// Everything since the screen was opened.
fn over_time(monitor: &Monitor, theme: &Theme, body: Rect, buffer: &mut Buffer) {
    let inner =
        pane::draw_pane("Charts since this screen was opened", Vec::new(), false, theme, body, buffer);
    draw_charts(monitor, &panels::of_machine(&monitor.machine, theme), theme, inner, buffer);
}

/// Charts over one time, from the first reading on.
fn draw_charts(monitor: &Monitor, all: &[ChartPanel], theme: &Theme, area: Rect, buffer: &mut Buffer) {
    if area.width <= chart::LABELS + 8 || area.height < LOWEST + 1 {
        return;
    }
    let first = monitor.machine.host_course.iter().next().map(|(at, _)| *at);
    let Some(begin) = first.filter(|begin| *begin < monitor.now) else { return };
    let times = (begin, chart_end(begin, monitor.now));
    let (room, foot) = split_top(area, area.height - 1);
    charts::draw_grid(all, theme, room, times, buffer);
    let (columns, width) = charts::split_columns(area.width);
    for column in 0..columns {
        let x = area.x + column * (width + 2) + chart::LABELS;
        let foot = Rect { x, width: until_now(width - chart::LABELS, times, monitor.now), ..foot };
        chart::time_axis(&monitor.zone, theme, foot, (begin, monitor.now), buffer);
    }
}

/// Start, length and end of a time: `11:06:40  1m 10s 11:07:50`
const AXIS: u16 = 26;

/// Returns how many of so many cells are past, or at least what the words of the axis need: there is nothing to read in
/// what lies ahead.
fn until_now(cells: u16, (begin, end): (Timestamp, Timestamp), now: Timestamp) -> u16 {
    let part = now.duration_since(begin).as_secs_f64() / end.duration_since(begin).as_secs_f64();
    let past = (f64::from(cells) * part.clamp(0.0, 1.0)).ceil() as u16;
    past.max(AXIS).min(cells)
}

/// Returns the right edge of the charts. It doubles the time shown instead of following now: an axis that
/// moves redraws the whole chart.
fn chart_end(begin: Timestamp, now: Timestamp) -> Timestamp {
    let mut length = SHORTEST;
    while length < now.duration_since(begin) {
        length *= 2;
    }
    begin.checked_add(length).unwrap_or(now)
}

fn draw_footer(monitor: &Monitor, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let mut writer = TextWriter::new(buffer, area, 0);
    writer.skip(1);
    let is_covered = monitor.help.is_some() || monitor.palette.is_some();
    if let Some(notice) = monitor.notice.as_ref().filter(|_| !is_covered) {
        writer.put(&notice.text, theme.style(if notice.bad { Role::Warning } else { Role::Strong }));
        return;
    }
    for (key, word) in fitting_keys(footer_keys(monitor, theme), writer.room()) {
        writer.put(&key, theme.style(Role::Key)).skip(1).put(word, theme.style(Role::Dim)).skip(2);
    }
}

/// The keys that work now, of what lies on top where something does.
fn footer_keys(monitor: &Monitor, theme: &Theme) -> Vec<(String, &'static str)> {
    let fixed = |keys: &[(&str, &'static str)]| {
        keys.iter().map(|(key, word)| ((*key).to_owned(), *word)).collect::<Vec<_>>()
    };
    if monitor.palette.is_some() {
        return fixed(&[("Enter", "do it"), (theme.glyphs.up_down, "choose"), ("Esc", "close")]);
    }
    if monitor.help.is_some() {
        return fixed(&[(theme.glyphs.up_down, "scroll"), ("Esc", "close")]);
    }
    let scrolls =
        matches!(monitor.view, MonitorView::Overview | MonitorView::Gpus) && monitor.gpu_count() > 0;
    let works =
        |binding: &&MonitorBinding| scrolls || binding.action != MonitorAction::Move(Distance::Lines(1));
    let named = |binding: &MonitorBinding| {
        Some((overlay::key_names(&binding.first_key(&monitor.keymap)?, theme), binding.short?))
    };
    BINDINGS.iter().filter(works).filter_map(named).collect()
}

/// Cells of the keys on the left.
const KEYS: usize = 14;

fn draw_help(monitor: &Monitor, scrolled: usize, theme: &Theme, screen: Rect, buffer: &mut Buffer) {
    let (key, text, dim) = (theme.style(Role::Key), theme.style(Role::Text), theme.style(Role::Dim));
    let mut lines: Vec<Pieces> = Vec::new();
    for binding in BINDINGS {
        let keys = format!("  {}", overlay::key_names(&binding.key_text(&monitor.keymap), theme));
        lines.extend(overlay::binding_lines(&keys, KEYS, binding.help, screen, (key, text)));
    }
    lines.push(Vec::new());
    let sent = or_unknown(monitor.bytes_per_second, |bytes| format!("{bytes} bytes"));
    let all = Bytes(monitor.bytes_sent);
    let cost =
        format!("Sent to this terminal in the last second: {sent}, in all {all}. Theme: {}.", theme.name);
    for text in ["Memory that no listed process accounts for is the driver's own.", &cost] {
        lines.extend(overlay::wrap_paragraph(text, dim, screen));
    }
    overlay::draw_overlay("Keys", &lines, scrolled, theme, screen, buffer);
}

fn split_top(area: Rect, height: u16) -> (Rect, Rect) {
    let below = Rect { y: area.y + height, height: area.height - height, ..area };
    (Rect { height, ..area }, below)
}
