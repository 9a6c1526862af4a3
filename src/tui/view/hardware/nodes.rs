//! The machines that take the shards: state, host and shards of each in a line, and its GPUs below.

use std::time::Duration;

use jiff::Timestamp;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;

use super::gpu_card::Paint;
use super::gpu_row::GpuColumns;
use super::gpus::{Cards, absence_reason, draw_hidden, folded_text};
use super::node_lines;
use crate::model::machine::allocation::Allocation;
use crate::model::machine::sample::HostSample;
use crate::model::nodes::node_phase::NodePhase;
use crate::model::units::{duration_between, or_unknown};
use crate::results::status::nodes::NodeStatus;
use crate::tui::format;
use crate::tui::model::hardware::machine::{Freshness, MachineHistory};
use crate::tui::model::hardware::node_rows::{NodeRow, sum_gpus};
use crate::tui::model::node_words::standing_role;
use crate::tui::model::screen::{Model, Pane};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::panes::pane;
use crate::tui::view::panes::text::{TextWriter, text_width, wrap_text};

/// Lines of a reason; the events have all of it.
const REASON_LINES: usize = 2;

/// Cells before what is below the line of a node.
const INDENT: u16 = 4;

/// Widths of the columns.
#[derive(Debug, Clone, Copy)]
struct NodeColumns {
    name: u16,
    kind: u16,
    state: u16,
    gap: u16,
}

/// Columns after the state: for how long, shards that run, wait and are done, CPU and memory of the host.
const FIGURES: [(&str, u16); 6] =
    [("for", 7), ("run", 4), ("wait", 4), ("done", 4), ("CPU", 10), ("RAM", 10)];

impl NodeColumns {
    fn of_rows(rows: &[NodeRow<'_>], room: u16) -> Self {
        let widest = |width: fn(&NodeRow<'_>) -> u16, least: u16, most: u16| {
            rows.iter().map(width).max().unwrap_or(0).clamp(least, most)
        };
        let gap = if room >= 100 { 2 } else { 1 };
        Self {
            name: widest(|row| text_width(row.status.id.as_str()), 4, if gap == 2 { 24 } else { 10 }),
            kind: widest(|row| text_width(row.status.kind), 4, 6),
            state: widest(|row| text_width(row.status.standing.words().0), 5, 11) + 2,
            gap,
        }
    }
}

/// Draws it with its frame.
pub fn draw_nodes(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let rows = model.node_rows();
    let gpus = sum_gpus(&rows).map(|(_, words)| format!("{} {words}", theme.glyphs.dot));
    let note = format!("{} {}", node_lines::count_words(&rows), gpus.unwrap_or_default());
    let note = vec![Span::styled(note.trim_end().to_owned(), theme.style(Role::Dim))];
    let inner = pane::draw_pane("Nodes", note, model.focus == Pane::Shards, theme, area, buffer);
    let columns = NodeColumns::of_rows(&rows, inner.width);
    draw_headings(&columns, theme, TextWriter::new(buffer, inner, 0));
    let body = Rect { y: inner.y.saturating_add(1), height: inner.height.saturating_sub(1), ..inner };
    let blocks: Vec<NodeBlock<'_>> =
        rows.iter().map(|row| NodeBlock::new(model, row, theme, body.width)).collect();
    // Nothing is scrolled away while all have room.
    let all: usize = blocks.iter().map(NodeBlock::line_count).sum();
    let fits = all <= usize::from(body.height) + 1;
    let from = if fits { 0 } else { model.views.nodes.min(blocks.len().saturating_sub(1)) };
    let (mut line, mut seen) = (0_usize, from);
    for block in &blocks[from..] {
        if line >= usize::from(body.height) {
            break;
        }
        let top = Rect { y: body.y + line as u16, height: body.height - line as u16, ..body };
        block.draw(model, &columns, top, buffer);
        line += block.line_count();
        // The last line of a block is blank.
        seen += usize::from(line <= usize::from(body.height) + 1);
    }
    draw_hidden(from, blocks.len() - seen, theme, area, buffer);
}

fn draw_headings(columns: &NodeColumns, theme: &Theme, mut writer: TextWriter<'_>) {
    let (dim, ellipsis) = (theme.style(Role::Dim), theme.glyphs.ellipsis);
    for (title, width) in [("node", columns.name), ("kind", columns.kind), ("state", columns.state)] {
        writer.put_field(title, width, dim, ellipsis).skip(columns.gap);
    }
    for (title, width) in FIGURES {
        writer.put_right(title, width, dim).skip(columns.gap);
    }
}

/// A node with what is below its line.
struct NodeBlock<'a> {
    row: &'a NodeRow<'a>,
    theme: &'a Theme,
    /// Lines about the node, such as why it cannot be reached.
    remarks: Vec<(String, Role)>,
    /// Its GPUs, where their readings hold.
    cards: Option<Cards<'a>>,
}

impl<'a> NodeBlock<'a> {
    fn new(model: &'a Model, row: &'a NodeRow<'a>, theme: &'a Theme, width: u16) -> Self {
        let (_, reason) = row.status.standing.words();
        let room = usize::from(width.saturating_sub(INDENT));
        let reason = reason.into_iter().flat_map(|reason| wrap_text(reason, room)).take(REASON_LINES);
        let role = standing_role(&row.status.standing);
        let mut remarks: Vec<(String, Role)> = reason.map(|line| (line, role)).collect();
        remarks.extend(job_words(&row.status, model.now).map(|text| (text, Role::Dim)));
        let machine = (Some(&row.status.id), row.machine);
        let cards = row.has_fresh_gpus.then(|| Cards::of_machine(model, machine, theme));
        if cards.is_none() {
            remarks.extend(describe_gpus(model, row).map(|text| (text, Role::Dim)));
        }
        Self { row, theme, remarks, cards }
    }

    /// Its line, what is below, and a blank line.
    fn line_count(&self) -> usize {
        let cards = self.cards.as_ref();
        let cards = cards.map_or(0, |cards| cards.views.len() + usize::from(!cards.order.idle.is_empty()));
        2 + self.remarks.len() + cards
    }

    fn draw(&self, model: &Model, columns: &NodeColumns, area: Rect, buffer: &mut Buffer) {
        self.draw_line(model, columns, TextWriter::new(buffer, area, 0));
        let below = Rect { x: area.x + INDENT, width: area.width.saturating_sub(INDENT), ..area };
        let mut line = 1;
        for (text, role) in &self.remarks {
            TextWriter::new(buffer, below, line).put(text, self.theme.style(*role));
            line += 1;
        }
        let Some(cards) = &self.cards else { return };
        let widths = GpuColumns::for_width(&cards.views, below.width);
        for card in &cards.views {
            card.draw_row(&widths, Paint::Tenants, TextWriter::new(buffer, below, line));
            line += 1;
        }
        let idle = folded_text(&[], &cards.order.idle, self.theme);
        TextWriter::new(buffer, below, line).put(&idle, self.theme.style(Role::Dim));
    }

    fn draw_line(&self, model: &Model, columns: &NodeColumns, mut writer: TextWriter<'_>) {
        let (status, theme, ellipsis) = (&self.row.status, self.theme, self.theme.glyphs.ellipsis);
        let (word, _) = status.standing.words();
        let (text, state) = (theme.style(Role::Text), theme.style(standing_role(&status.standing)));
        let since = status.since.map(|since| format::rough_duration(duration_between(since, model.now)));
        writer.put_field(status.id.as_str(), columns.name, theme.style(Role::Strong), ellipsis);
        writer.skip(columns.gap).put_field(status.kind, columns.kind, theme.style(Role::Dim), ellipsis);
        writer.skip(columns.gap).put(theme.glyphs.series, state).skip(1);
        writer.put_field(word, columns.state - 2, state, ellipsis).skip(columns.gap);
        let figures = [
            or_unknown(since, |since| since),
            status.running.to_string(),
            status.waiting.to_string(),
            status.ended.to_string(),
            or_unknown(self.row.host.and_then(cpu_text), |cpu| cpu),
            or_unknown(self.row.host.and_then(ram_text), |ram| ram),
        ];
        for (figure, (_, width)) in figures.iter().zip(FIGURES) {
            writer.put_right(figure, width, text).skip(columns.gap);
        }
    }
}

/// `job 17 ends in 3h 20m, and waited 12m in the queue`, as far as it is known and over.
fn job_words(status: &NodeStatus, now: Timestamp) -> Option<String> {
    let job = status
        .allocation
        .as_ref()
        .map(|Allocation { job, ends }| format::job_text(job, ends.map(|ends| duration_between(now, ends))));
    let waits = matches!(status.standing, NodePhase::Waiting { .. });
    let waited = status.queue_wait_s.filter(|waited| *waited > 0 && !waits);
    let waited = waited
        .map(|waited| format!("waited {} in the queue", format::rough_duration(Duration::from_secs(waited))));
    match (job, waited) {
        (Some(job), Some(waited)) => Some(format!("{job}, and {waited}")),
        (Some(job), None) => Some(job),
        (None, waited) => waited.map(|waited| format!("its job {waited}")),
    }
}

/// `46% of 64`: of so many cores.
fn cpu_text(host: &HostSample) -> Option<String> {
    Some(format!("{} of {}", format::format_percent(host.cpu_percent?), host.cores))
}

/// `188/503G`
fn ram_text(host: &HostSample) -> Option<String> {
    Some(node_lines::share_text(host.ram_used_bytes?, host.ram_total_bytes?))
}

/// What is known of the GPUs of a node that does not report them now: which they are, or why there is none.
fn describe_gpus(model: &Model, row: &NodeRow<'_>) -> Option<String> {
    let inventory = row.machine.inventory.as_ref()?;
    if let Some(reason) = absence_reason(Some(inventory)) {
        return Some(reason.to_owned());
    }
    let cards = list_models(row.machine);
    Some(match row.machine.gpu_freshness(model.now) {
        Freshness::Stale(age) => format!("{cards}, last read {} ago", format::duration_text(age)),
        Freshness::Fresh | Freshness::Never => cards,
    })
}

/// `8 × H100 80GB HBM3`, or `8 GPUs` where they are not all of one model.
fn list_models(machine: &MachineHistory) -> String {
    let cards = machine.cards();
    match cards {
        [first, ..] if cards.iter().all(|card| card.name == first.name) => {
            format!("{} × {}", cards.len(), first.name.strip_prefix("NVIDIA ").unwrap_or(&first.name))
        }
        _mixed => format::plural(cards.len(), "GPU"),
    }
}
