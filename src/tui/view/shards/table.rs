//! The shard table: one row a shard, columns by importance.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use super::service;
use super::table_title::{sort_arrow, title_notes};
use crate::model::logs::stage::Stage;
use crate::model::outcome::Progress;
use crate::model::priority::Priority;
use crate::model::state::fact::Condition;
use crate::model::state::phase::{Phase, PhaseKind};
use crate::model::state::service_state::FIRST_SERVICE;
use crate::tui::format;
use crate::tui::keymap::action::Action;
use crate::tui::keymap::lookup;
use crate::tui::model::screen::{Model, Pane};
use crate::tui::model::shards::column::ShardColumn;
use crate::tui::model::shards::columns::{self, Placed};
use crate::tui::model::shards::shard_row::{MemoryUse, ShardRow};
use crate::tui::model::shards::table::Only;
use crate::tui::model::words;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::panes::text::{self, TextWriter};
use crate::tui::view::panes::{bar, pane};

/// Draws it with its frame.
pub fn draw_table(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let focused = model.focus == Pane::Shards;
    let page = usize::from(pane::inner_area(area).height.saturating_sub(1));
    let inner =
        pane::draw_pane(Pane::Shards.title(), title_notes(model, page, theme), focused, theme, area, buffer);
    draw_rows(model, theme, inner, buffer);
}

/// Headings and rows, without a frame.
pub fn draw_rows(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let columns = columns::place_columns(model, area.width);
    let gap = columns::column_gap(area.width);
    draw_headings(model, &columns, gap, theme, area, buffer);
    let body = Rect { y: area.y.saturating_add(1), height: area.height.saturating_sub(1), ..area };
    if model.table.rows.is_empty() {
        TextWriter::new(buffer, body, 0).put(&why_empty(model), theme.style(Role::Dim));
        return;
    }
    let window = model.table.rows.iter().enumerate().skip(model.table.offset);
    for (line, (row, position)) in window.take(usize::from(body.height)).enumerate() {
        let Some(reading) = model.reading(*position) else { continue };
        let mut writer = TextWriter::new(buffer, body, line as u16);
        TableRow { model, theme, reading, position: *position }.draw(&columns, gap, &mut writer);
        if row == model.table.cursor {
            draw_cursor(theme, Rect { y: body.y + line as u16, height: 1, ..body }, buffer);
        }
    }
}

fn why_empty(model: &Model) -> String {
    if model.state.shards.is_empty() {
        return "no shards yet".to_owned();
    }
    let key = |action| lookup::key_of(action, &model.keymap);
    match model.table.only {
        Only::Failed if model.table.filter.is_empty() => {
            format!("no shard has failed; {} shows all", key(Action::FailedOnly))
        }
        Only::Unfinished if model.table.filter.is_empty() => {
            format!("all shards have succeeded; {} shows them", key(Action::Unfinished))
        }
        Only::Everything | Only::Failed | Only::Unfinished => "no shard passes the filter".to_owned(),
    }
}

fn draw_headings(
    model: &Model,
    columns: &[Placed],
    gap: u16,
    theme: &Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let mut writer = TextWriter::new(buffer, area, 0);
    let dim = theme.style(Role::Dim);
    for placed in columns {
        let sort = model.table.sort.as_ref().filter(|sort| sort.column == placed.column);
        let (way, style) = match sort {
            Some(sort) => (sort_arrow(sort, theme), theme.style(Role::Key)),
            None => ("", dim),
        };
        let room = usize::from(placed.width).saturating_sub(text::text_width(way).into());
        let title = format!("{}{way}", text::cut_text(placed.column.title(), room, theme.glyphs.ellipsis));
        if placed.column.is_number() {
            writer.put_right(&title, placed.width, style);
        } else {
            // Ids come after the place of mark and series.
            let indent = if placed.column == ShardColumn::Shard { 2 } else { 0 };
            writer.skip(indent).put_field(&title, placed.width - indent, style, theme.glyphs.ellipsis);
        }
        writer.skip(gap);
    }
}

/// Lays the style of the cursor over a row. Reversed cells lose their colours, or each would have its own ground.
pub(in crate::tui::view) fn draw_cursor(theme: &Theme, row: Rect, buffer: &mut Buffer) {
    let style = theme.style(Role::Cursor);
    let row = row.intersection(buffer.area);
    if style.add_modifier.contains(Modifier::REVERSED) {
        buffer.set_style(row, Style::new().fg(Color::Reset).remove_modifier(Modifier::DIM));
    }
    buffer.set_style(row, style);
}

struct TableRow<'a> {
    model: &'a Model,
    theme: &'a Theme,
    reading: ShardRow<'a>,
    position: usize,
}

impl TableRow<'_> {
    fn draw(&self, columns: &[Placed], gap: u16, writer: &mut TextWriter<'_>) {
        for placed in columns {
            // What waits has no progress to show.
            let is_queued = self.reading.state.phase.kind() == PhaseKind::Queued;
            if service::draw_cell(self.model, self.position, placed, self.theme, writer) {
                writer.skip(gap);
                continue;
            }
            let begins = placed.column.is_number() || (is_queued && placed.column == ShardColumn::Progress);
            let explained = begins.then(|| self.explanation_text()).flatten();
            if let Some((text, style)) = explained {
                // A sentence is more useful for such a shard than numbers that have stopped.
                let room = writer.room();
                writer.put_field(&text, room, style, self.theme.glyphs.ellipsis);
                return;
            }
            self.draw_cell(placed, writer);
            writer.skip(gap);
        }
    }

    fn draw_cell(&self, placed: &Placed, writer: &mut TextWriter<'_>) {
        let (reading, width, theme) = (&self.reading, placed.width, self.theme);
        let text = theme.style(Role::Text);
        let value = match &placed.column {
            ShardColumn::State => return self.draw_state(width, writer),
            ShardColumn::Shard => return self.draw_shard(width, writer),
            ShardColumn::Axis(axis) => {
                let value = self.model.spec(self.position).map(|spec| spec.value_of(axis));
                writer.put_field(&value.unwrap_or_default(), width, text, theme.glyphs.ellipsis);
                return;
            }
            ShardColumn::Node => {
                let node = reading.state.node.as_ref().map_or("", |node| node.as_str());
                writer.put_field(node, width, text, theme.glyphs.ellipsis);
                return;
            }
            ShardColumn::Progress => return self.draw_progress(width, writer),
            ShardColumn::Vram => return self.draw_memory(reading.vram(), width, writer),
            ShardColumn::Ram => return self.draw_memory(reading.rss(), width, writer),
            ShardColumn::Attempt => {
                let attempt = reading.state.attempt;
                let again = attempt.is_some_and(|attempt| attempt.0 > 1);
                let style = theme.style(if again { Role::Warning } else { Role::Text });
                return self.draw_number(attempt.map(|attempt| attempt.to_string()), width, style, writer);
            }
            ShardColumn::Remark => {
                let remark = reading.remark_text().unwrap_or_default();
                writer.put_field(&remark, width, theme.style(Role::Warning), theme.glyphs.ellipsis);
                return;
            }
            ShardColumn::Rate => reading.rate().map(format::format_rate),
            ShardColumn::Elapsed => reading.elapsed().map(format::duration_text),
            ShardColumn::Left => reading.time_left().map(format::duration_text),
            ShardColumn::Metric(name) => {
                let unit = self.model.metric_unit(name);
                reading.metric(name).map(|value| format::format_metric(name, value, unit))
            }
            ShardColumn::Cpu => reading.cpu().map(format::format_percent),
            ShardColumn::Gpus => {
                let gpus: Vec<String> = reading.state.phase.gpus().iter().map(ToString::to_string).collect();
                (!gpus.is_empty()).then(|| gpus.join(","))
            }
            ShardColumn::Energy => reading.energy().map(|energy| format::format_energy(energy.joules)),
            ShardColumn::Started => {
                let show = |at| format::moment_text(at, self.model.now, &self.model.zone);
                reading.started_at().map(show)
            }
        };
        self.draw_number(value, width, text, writer);
    }

    fn draw_state(&self, width: u16, writer: &mut TextWriter<'_>) {
        let kind = self.reading.state.phase.kind();
        let (glyph, word, role) = match (self.reading.state.condition(), self.reading.stuck_for()) {
            (condition, Some(stuck)) => {
                let what = condition.unwrap_or(Condition::Stalled);
                let word = condition.map_or("silent", Condition::as_str);
                (
                    self.theme.glyphs.for_condition(what),
                    format!("{word} {}", format::rough_duration(stuck)),
                    condition_role(what),
                )
            }
            (Some(what), None) if kind.is_active() => {
                (self.theme.glyphs.for_condition(what), what.as_str().to_owned(), condition_role(what))
            }
            (Some(_) | None, None) => {
                (self.theme.glyphs.for_phase(kind), kind.as_str().to_owned(), Role::of_phase(kind))
            }
        };
        // A success or a run with remarks is one to look at; the details show which remarks.
        let caveat = if self.reading.has_warnings() { "!" } else { "" };
        let role = if caveat.is_empty() { role } else { Role::Warning };
        let priority = match self.reading.state.priority {
            priority if kind == PhaseKind::Queued && priority != Priority::USUAL => format!(" {priority}"),
            _unseen => String::new(),
        };
        let text = format!("{glyph} {word}{caveat}{priority}");
        writer.put_field(&text, width, self.theme.style(role), self.theme.glyphs.ellipsis);
    }

    fn draw_shard(&self, width: u16, writer: &mut TextWriter<'_>) {
        let active = self.reading.state.phase.kind().is_active();
        let series = if active { self.theme.glyphs.series } else { " " };
        let marked = self.model.table.marked.contains(&self.position);
        let mark = if marked { self.theme.glyphs.mark } else { " " };
        let style = self.theme.style(if marked {
            Role::Marked
        } else if self.reading.state.phase.kind() == PhaseKind::Queued {
            Role::Dim
        } else {
            Role::Text
        });
        if marked {
            writer.put(mark, style);
        } else {
            writer.put(series, self.theme.series_style(self.position % FIRST_SERVICE));
        }
        writer.skip(1).put_field(
            self.reading.state.id.as_str(),
            width - 2,
            style,
            self.theme.glyphs.ellipsis,
        );
    }

    fn draw_progress(&self, width: u16, writer: &mut TextWriter<'_>) {
        let theme = self.theme;
        let kind = self.reading.state.phase.kind();
        let nothing_done = self.reading.done_fraction().is_none_or(|fraction| fraction == 0.0);
        if let Some(stage) = self.reading.stage().filter(|stage| nothing_done && **stage != Stage::Running) {
            return self.draw_stage(stage, width, writer);
        }
        let Some(progress) = self.reading.progress() else {
            let word = if kind.is_active() { theme.glyphs.unknown } else { "" };
            writer.put_field(word, width, theme.style(Role::Dim), theme.glyphs.ellipsis);
            return;
        };
        let count = format::format_progress(progress);
        // All counts of a sweep are about as long; bars that begin together are easier to compare.
        let room = self.count_width(progress);
        let bar_width = width.saturating_sub(room + 1);
        if let Some(fraction) = self.reading.done_fraction().filter(|_| bar_width >= 3) {
            bar::draw_segments(writer, bar_width, &[(fraction, theme.style(Role::of_phase(kind)))], theme);
            writer.skip(1).put_right(&count, room, theme.style(Role::Text));
        } else {
            writer.put_right(&count, width, theme.style(Role::Text));
        }
    }

    /// In the place of the bar; where both do not fit, the word alone, or the detail where the
    /// condition gives the word.
    fn draw_stage(&self, stage: &Stage, width: u16, writer: &mut TextWriter<'_>) {
        let whole = stage.to_string();
        let said = self.reading.state.condition() == Some(Condition::Compiling);
        let detail = stage.detail().filter(|_| said && matches!(stage, Stage::Compiling(_)));
        let text = if text::text_width(&whole) <= width { &whole } else { detail.unwrap_or(stage.as_text()) };
        writer.put_field(text, width, self.theme.style(Role::of_stage(stage)), self.theme.glyphs.ellipsis);
    }

    fn count_width(&self, progress: Progress) -> u16 {
        let digits = |number: u64| number.checked_ilog10().unwrap_or(0) as u16 + 1;
        let total = progress.total.unwrap_or(progress.done);
        (digits(total.max(progress.done)) * 2 + 1).max(7)
    }

    /// A number, a dash where it should be known, a dot where there is none to know.
    fn draw_number(&self, value: Option<String>, width: u16, style: Style, writer: &mut TextWriter<'_>) {
        let unknown = if self.reading.state.phase.kind().is_active() {
            self.theme.glyphs.unknown
        } else {
            self.theme.glyphs.dot
        };
        match value {
            Some(value) => writer.put_right(&value, width, style),
            None => writer.put_right(unknown, width, self.theme.style(Role::Dim)),
        };
    }

    fn draw_memory(&self, memory: Option<MemoryUse>, width: u16, writer: &mut TextWriter<'_>) {
        let (bytes, role) = match memory {
            Some(MemoryUse::Now(bytes)) => (Some(bytes), Role::Text),
            Some(MemoryUse::Peak(bytes)) => (Some(bytes), Role::Dim),
            None => (None, Role::Dim),
        };
        self.draw_number(bytes.map(format::format_memory), width, self.theme.style(role), writer);
    }

    /// A sentence in place of the numbers, if there is one.
    fn explanation_text(&self) -> Option<(String, Style)> {
        let dim = self.theme.style(Role::Dim);
        match &self.reading.state.phase {
            Phase::Failed { failure, .. } => {
                let text = failure.brief_text();
                Some((text, self.theme.style(Role::Failed).remove_modifier(Modifier::BOLD)))
            }
            Phase::Stopping { cause, .. } => Some((words::stop_reason(*cause).to_owned(), dim)),
            Phase::Queued { .. } if self.position >= FIRST_SERVICE => {
                service::why_waiting(self.model.service_at(self.position)?, self.theme)
            }
            Phase::Queued { .. } => {
                let reason = self.model.waiting_reason(self.position)?;
                let last = self.reading.state.history.last();
                let failure =
                    last.and_then(|last| Some((last.attempt, words::outcome_failure(&last.outcome)?)));
                Some(match failure {
                    Some((attempt, failure)) => {
                        (format!("attempt {attempt} ended: {}; {reason}", failure.brief_text()), dim)
                    }
                    None => (reason, dim),
                })
            }
            Phase::Starting { .. }
            | Phase::Running(_)
            | Phase::Paused { .. }
            | Phase::Succeeded(_)
            | Phase::Cancelled { .. } => None,
        }
    }
}

fn condition_role(condition: Condition) -> Role {
    match condition {
        Condition::Stalled | Condition::NeedsInput => Role::Warning,
        Condition::Compiling => Role::Starting,
    }
}
