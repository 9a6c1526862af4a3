//! The shard table: one row a shard, columns by importance.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Span;

use super::bar;
use super::pane;
use super::service;
use super::text::{self, Writer};
use crate::model::fact::Condition;
use crate::model::outcome::Progress;
use crate::model::phase::{Phase, PhaseKind};
use crate::model::priority::Priority;
use crate::model::service_state::{FIRST_SERVICE, counted};
use crate::model::stage::Stage;
use crate::tui::format;
use crate::tui::keymap::action::Action;
use crate::tui::keymap::lookup;
use crate::tui::model::column::Column;
use crate::tui::model::columns::{self, Placed};
use crate::tui::model::filter::Filter;
use crate::tui::model::overlay::{Listed, Overlay};
use crate::tui::model::readings::{Memory, Reading};
use crate::tui::model::screen::{Model, Pane};
use crate::tui::model::table::{Only, Sort, Table};
use crate::tui::model::words;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// Draws it with its frame.
pub fn draw(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let focused = model.focus == Pane::Shards;
    let page = usize::from(pane::inside(area).height.saturating_sub(1));
    let inner = pane::draw(Pane::Shards.title(), notes(model, page, theme), focused, theme, area, buffer);
    rows(model, theme, inner, buffer);
}

/// Headings and rows, without a frame.
pub fn rows(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let columns = columns::place(model, area.width);
    let gap = columns::gap(area.width);
    headings(model, &columns, gap, theme, area, buffer);
    let body = Rect { y: area.y.saturating_add(1), height: area.height.saturating_sub(1), ..area };
    if model.table.rows.is_empty() {
        Writer::new(buffer, body, 0).put(&why_empty(model), theme.style(Role::Dim));
        return;
    }
    let window = model.table.rows.iter().enumerate().skip(model.table.offset);
    for (line, (row, position)) in window.take(usize::from(body.height)).enumerate() {
        let Some(reading) = model.reading(*position) else { continue };
        let mut writer = Writer::new(buffer, body, line as u16);
        Row { model, theme, reading, position: *position }.draw(&columns, gap, &mut writer);
        if row == model.table.cursor {
            cursor(theme, Rect { y: body.y + line as u16, height: 1, ..body }, buffer);
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

/// Which rows are seen, and what narrows and sorts them, beside the title.
fn notes(model: &Model, page: usize, theme: &Theme) -> Vec<Span<'static>> {
    let table = &model.table;
    let mut notes = Vec::new();
    let (shown, all) = (table.visible.len(), model.state.shards.len());
    let is_narrowed = table.only != Only::Everything || !table.filter.is_empty();
    let of_all = if is_narrowed { format!("{shown} of {all}") } else { all.to_string() };
    let role = if is_narrowed { Role::Strong } else { Role::Dim };
    match seen_rows(table, page) {
        Some(seen) if is_narrowed => {
            notes.push(Span::styled(format!("{seen}, {all} in all"), theme.style(Role::Strong)));
        }
        Some(seen) => notes.push(Span::styled(seen, theme.style(Role::Strong))),
        None if all > 0 => notes.push(Span::styled(of_all, theme.style(role))),
        None => {}
    }
    if let Some(services) = counted(&model.state.services) {
        notes.push(Span::styled(format!(" services: {services}"), theme.style(service::role_of_all(model))));
    }
    match table.only {
        Only::Everything => {}
        Only::Failed => notes.push(Span::styled(" failed only", theme.style(Role::Warning))),
        Only::Unfinished => notes.push(Span::styled(" unfinished only", theme.style(Role::Warning))),
    }
    let is_typed = matches!(model.overlay, Overlay::Filter { list: Listed::Shards, .. });
    notes.extend(filter_note(&table.filter, is_typed, theme));
    if let Some(sort) = &table.sort {
        let way = direction(sort, theme);
        notes.push(Span::styled(format!(" by {} {way}", sort.column.title()), theme.style(Role::Key)));
    }
    if !table.marked.is_empty() {
        notes.push(Span::styled(format!(" {} marked", table.marked.len()), theme.style(Role::Marked)));
    }
    notes
}

/// `13-24 of 300`, where not all rows are seen.
pub(super) fn seen_rows(table: &Table, page: usize) -> Option<String> {
    let shown = table.rows.len();
    let last = (table.offset + page).min(shown);
    (shown > page && page > 0).then(|| format!("{}-{last} of {shown}", table.offset + 1))
}

/// The text of a filter beside the title of its list, while it is typed and afterwards.
pub(super) fn filter_note(filter: &Filter, is_typed: bool, theme: &Theme) -> Vec<Span<'static>> {
    let text = format!(" /{}", filter.text());
    if is_typed {
        let cursor = Span::styled(" ", Style::new().add_modifier(Modifier::REVERSED));
        vec![Span::styled(text, theme.style(Role::Key)), cursor]
    } else if filter.is_empty() {
        Vec::new()
    } else {
        vec![Span::styled(text, theme.style(Role::Warning))]
    }
}

/// Which way round rows are sorted: down from the largest, or up from the smallest.
pub(super) fn direction(sort: &Sort, theme: &Theme) -> &'static str {
    match (theme.glyphs.braille, sort.column.begins_with_largest() != sort.reversed) {
        (true, true) => "↓",
        (true, false) => "↑",
        (false, true) => "v",
        (false, false) => "^",
    }
}

fn headings(model: &Model, columns: &[Placed], gap: u16, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let mut writer = Writer::new(buffer, area, 0);
    let dim = theme.style(Role::Dim);
    for placed in columns {
        let sort = model.table.sort.as_ref().filter(|sort| sort.column == placed.column);
        let (way, style) = match sort {
            Some(sort) => (direction(sort, theme), theme.style(Role::Key)),
            None => ("", dim),
        };
        let room = usize::from(placed.width).saturating_sub(text::width(way).into());
        let title = format!("{}{way}", text::cut(placed.column.title(), room, theme.glyphs.ellipsis));
        if placed.column.is_number() {
            writer.right(&title, placed.width, style);
        } else {
            // Ids stand behind the place of mark and series.
            let indent = if placed.column == Column::Shard { 2 } else { 0 };
            writer.skip(indent).field(&title, placed.width - indent, style, theme.glyphs.ellipsis);
        }
        writer.skip(gap);
    }
}

/// Lays the style of the cursor over a row. Reversed cells lose their colours, or each would have its own ground.
pub(super) fn cursor(theme: &Theme, row: Rect, buffer: &mut Buffer) {
    let style = theme.style(Role::Cursor);
    let row = row.intersection(buffer.area);
    if style.add_modifier.contains(Modifier::REVERSED) {
        buffer.set_style(row, Style::new().fg(Color::Reset).remove_modifier(Modifier::DIM));
    }
    buffer.set_style(row, style);
}

struct Row<'a> {
    model: &'a Model,
    theme: &'a Theme,
    reading: Reading<'a>,
    position: usize,
}

impl Row<'_> {
    fn draw(&self, columns: &[Placed], gap: u16, writer: &mut Writer<'_>) {
        for placed in columns {
            // What waits has no progress to show.
            let is_queued = self.reading.state.phase.kind() == PhaseKind::Queued;
            if service::cell(self.model, self.position, placed, self.theme, writer) {
                writer.skip(gap);
                continue;
            }
            let begins = placed.column.is_number() || (is_queued && placed.column == Column::Progress);
            let explained = begins.then(|| self.explanation()).flatten();
            if let Some((text, style)) = explained {
                // A sentence says more about such a shard than numbers that have stopped.
                let room = writer.room();
                writer.field(&text, room, style, self.theme.glyphs.ellipsis);
                return;
            }
            self.cell(placed, writer);
            writer.skip(gap);
        }
    }

    fn cell(&self, placed: &Placed, writer: &mut Writer<'_>) {
        let (reading, width) = (&self.reading, placed.width);
        let text = self.theme.style(Role::Text);
        match &placed.column {
            Column::State => self.state(width, writer),
            Column::Shard => self.shard(width, writer),
            Column::Axis(axis) => {
                let value = self.model.spec(self.position).map(|spec| spec.value_of(axis));
                writer.field(&value.unwrap_or_default(), width, text, self.theme.glyphs.ellipsis);
            }
            Column::Progress => self.progress(width, writer),
            Column::Rate => self.number(reading.rate().map(format::rate), width, text, writer),
            Column::Elapsed => self.number(reading.elapsed().map(format::duration), width, text, writer),
            Column::Left => self.number(reading.left().map(format::duration), width, text, writer),
            Column::Metric(name) => {
                let show = |value| format::metric(name, value, self.model.unit(name));
                self.number(reading.metric(name).map(show), width, text, writer);
            }
            Column::Vram => self.memory(reading.vram(), width, writer),
            Column::Ram => self.memory(reading.rss(), width, writer),
            Column::Cpu => self.number(reading.cpu().map(format::percent), width, text, writer),
            Column::Gpus => {
                let gpus: Vec<String> = reading.state.phase.gpus().iter().map(ToString::to_string).collect();
                self.number((!gpus.is_empty()).then(|| gpus.join(",")), width, text, writer);
            }
            Column::Energy => {
                let energy = reading.energy().map(|energy| format::energy(energy.joules));
                self.number(energy, width, text, writer);
            }
            Column::Attempt => {
                let attempt = reading.state.attempt;
                let again = attempt.is_some_and(|attempt| attempt.0 > 1);
                let style = if again { self.theme.style(Role::Warning) } else { text };
                self.number(attempt.map(|attempt| attempt.to_string()), width, style, writer);
            }
            Column::Started => {
                let show = |at| format::moment(at, self.model.now, &self.model.zone);
                self.number(self.reading.started().map(show), width, text, writer);
            }
            Column::Remark => {
                let remark = self.reading.remark().unwrap_or_default();
                writer.field(&remark, width, self.theme.style(Role::Warning), self.theme.glyphs.ellipsis);
            }
        }
    }

    fn state(&self, width: u16, writer: &mut Writer<'_>) {
        let kind = self.reading.state.phase.kind();
        let (glyph, word, role) = match (self.reading.state.condition(), self.reading.stuck_for()) {
            (condition, Some(stuck)) => {
                let what = condition.unwrap_or(Condition::Stalled);
                let word = condition.map_or("silent", Condition::as_str);
                (self.theme.glyphs.condition(what), format!("{word} {}", format::rough(stuck)), of(what))
            }
            (Some(what), None) if kind.is_active() => {
                (self.theme.glyphs.condition(what), what.as_str().to_owned(), of(what))
            }
            (Some(_) | None, None) => {
                (self.theme.glyphs.state(kind), kind.as_str().to_owned(), Role::of_phase(kind))
            }
        };
        // A success or a run with remarks is one to look at; which remarks they are, the details say.
        let caveat = if self.reading.has_warnings() { "!" } else { "" };
        let role = if caveat.is_empty() { role } else { Role::Warning };
        let priority = match self.reading.state.priority {
            priority if kind == PhaseKind::Queued && priority != Priority::USUAL => format!(" {priority}"),
            _unseen => String::new(),
        };
        let text = format!("{glyph} {word}{caveat}{priority}");
        writer.field(&text, width, self.theme.style(role), self.theme.glyphs.ellipsis);
    }

    fn shard(&self, width: u16, writer: &mut Writer<'_>) {
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
            writer.put(series, self.theme.series(self.position % FIRST_SERVICE));
        }
        writer.skip(1).field(self.reading.state.id.as_str(), width - 2, style, self.theme.glyphs.ellipsis);
    }

    fn progress(&self, width: u16, writer: &mut Writer<'_>) {
        let theme = self.theme;
        let kind = self.reading.state.phase.kind();
        let nothing_done = self.reading.fraction().is_none_or(|fraction| fraction == 0.0);
        if let Some(stage) = self.reading.stage().filter(|stage| nothing_done && **stage != Stage::Running) {
            return self.stage(stage, width, writer);
        }
        let Some(progress) = self.reading.progress() else {
            let word = if kind.is_active() { theme.glyphs.unknown } else { "" };
            writer.field(word, width, theme.style(Role::Dim), theme.glyphs.ellipsis);
            return;
        };
        let count = format::count(progress);
        // All counts of a sweep are about as long; bars that begin together are easier to compare.
        let room = self.count_width(progress);
        let bar_width = width.saturating_sub(room + 1);
        if let Some(fraction) = self.reading.fraction().filter(|_| bar_width >= 3) {
            bar::segments(writer, bar_width, &[(fraction, theme.style(Role::of_phase(kind)))], theme);
            writer.skip(1).right(&count, room, theme.style(Role::Text));
        } else {
            writer.right(&count, width, theme.style(Role::Text));
        }
    }

    /// In the place of the bar; where both do not fit, the word alone, or the detail where the
    /// condition says the word.
    fn stage(&self, stage: &Stage, width: u16, writer: &mut Writer<'_>) {
        let whole = stage.to_string();
        let said = self.reading.state.condition() == Some(Condition::Compiling);
        let detail = stage.detail().filter(|_| said && matches!(stage, Stage::Compiling(_)));
        let text = if text::width(&whole) <= width { &whole } else { detail.unwrap_or(stage.word()) };
        writer.field(text, width, self.theme.style(Role::of_stage(stage)), self.theme.glyphs.ellipsis);
    }

    fn count_width(&self, progress: Progress) -> u16 {
        let digits = |number: u64| number.checked_ilog10().unwrap_or(0) as u16 + 1;
        let total = progress.total.unwrap_or(progress.done);
        (digits(total.max(progress.done)) * 2 + 1).max(7)
    }

    /// A number, a dash where it should be known, a dot where there is none to know.
    fn number(&self, value: Option<String>, width: u16, style: Style, writer: &mut Writer<'_>) {
        let unknown = if self.reading.state.phase.kind().is_active() {
            self.theme.glyphs.unknown
        } else {
            self.theme.glyphs.dot
        };
        match value {
            Some(value) => writer.right(&value, width, style),
            None => writer.right(unknown, width, self.theme.style(Role::Dim)),
        };
    }

    fn memory(&self, memory: Option<Memory>, width: u16, writer: &mut Writer<'_>) {
        match memory {
            Some(Memory::Now(bytes)) => {
                self.number(Some(format::memory(bytes)), width, self.theme.style(Role::Text), writer);
            }
            Some(Memory::Peak(bytes)) => {
                self.number(Some(format::memory(bytes)), width, self.theme.style(Role::Dim), writer);
            }
            None => self.number(None, width, self.theme.style(Role::Dim), writer),
        }
    }

    /// A sentence in place of the numbers, where there is one to say.
    fn explanation(&self) -> Option<(String, Style)> {
        let dim = self.theme.style(Role::Dim);
        match &self.reading.state.phase {
            Phase::Failed { failure, .. } => {
                let text = failure.brief();
                Some((text, self.theme.style(Role::Failed).remove_modifier(Modifier::BOLD)))
            }
            Phase::Stopping { cause, .. } => Some((words::stop(*cause).to_owned(), dim)),
            Phase::Queued { .. } if self.position >= FIRST_SERVICE => {
                service::why_waiting(self.model.service_at(self.position)?, self.theme)
            }
            Phase::Queued { .. } => {
                let reason = self.model.waiting(self.position)?;
                let last = self.reading.state.history.last();
                let failure =
                    last.and_then(|last| Some((last.attempt, words::outcome_failure(&last.outcome)?)));
                Some(match failure {
                    Some((attempt, failure)) => {
                        (format!("attempt {attempt} ended: {}; {reason}", failure.brief()), dim)
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

fn of(condition: Condition) -> Role {
    match condition {
        Condition::Stalled | Condition::NeedsInput => Role::Warning,
        Condition::Compiling => Role::Starting,
    }
}
