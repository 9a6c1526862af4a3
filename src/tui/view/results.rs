//! The table of results so far, and what the values of each axis come to.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use super::panes::pane;
use super::panes::text::{TextWriter, text_width};
use super::shards::table::draw_cursor;
use super::shards::table_title::seen_rows;
use crate::model::state::fact::Condition;
use crate::model::state::phase::PhaseKind;
use crate::results::counted_unit::{EPISODES, count_heading, unit_of};
use crate::results::interval::WilsonInterval;
use crate::results::outcome::ShardOutcome;
use crate::results::statistics::any_time::EarlyStop;
use crate::tui::format;
use crate::tui::model::results::success::Success;
use crate::tui::model::screen::{Model, Pane};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// Draws it with its frame.
pub fn draw_results(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let ended = model.state.shards.iter().filter(|shard| shard.phase.kind().is_final()).count();
    let over = format!("{ended} of {} shards are over", model.state.shards.len());
    let focused = model.focus == Pane::Shards;
    let page = usize::from(pane::inner_area(area).height.saturating_sub(1));
    let seen = seen_rows(&model.table, page)
        .map(|seen| Span::styled(format!("{seen}, "), theme.style(Role::Strong)));
    let note = seen.into_iter().chain([Span::styled(over, theme.style(Role::Dim))]).collect();
    let inner = pane::draw_pane("Results so far", note, focused, theme, area, buffer);
    let columns = fitting_columns(model, inner.width);
    let mut heading = TextWriter::new(buffer, inner, 0);
    for column in &columns {
        column.put_text(&column.title, theme.style(Role::Dim), theme, &mut heading);
    }
    let body = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
    let window = model.table.rows.iter().enumerate().skip(model.table.offset);
    for (line, (row, position)) in window.take(usize::from(body.height)).enumerate() {
        let Some(spec) = model.spec(*position) else { continue };
        let outcome = ShardOutcome::from_state(spec, model.state.shards.get(*position));
        let mut writer = TextWriter::new(buffer, body, line as u16);
        for column in &columns {
            let (text, style) = match column.so_far(model, *position, theme) {
                Some(so_far) => so_far,
                None => column.cell_text(&outcome, model, theme),
            };
            column.put_text(&text, style, theme, &mut writer);
        }
        if row == model.table.cursor {
            draw_cursor(theme, Rect { y: body.y + line as u16, height: 1, ..body }, buffer);
        }
    }
}

/// The content of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ColumnContent {
    Shard,
    Axis(String),
    Verdict,
    Episodes,
    Success,
    Seconds,
    Attempts,
    Vram,
    Metric(String),
    Remark,
}

struct ResultsColumn {
    content: ColumnContent,
    title: String,
    width: u16,
}

/// The columns that fit, in their order; the most important ones take their place first.
fn fitting_columns(model: &Model, width: u16) -> Vec<ResultsColumn> {
    let ids = model.state.shards.iter().map(|shard| text_width(shard.id.as_str())).max().unwrap_or(0);
    let column = |content: ColumnContent, title: &str, width: u16| ResultsColumn {
        content,
        title: title.to_owned(),
        width,
    };
    let counted = counted_word(model);
    let mut wanted = vec![
        (1, column(ColumnContent::Shard, "shard", ids.clamp(8, 28))),
        (0, column(ColumnContent::Verdict, "verdict", 14)),
        (2, column(ColumnContent::Episodes, counted, 8.max(text_width(counted)))),
        (3, column(ColumnContent::Success, "success [CI]", 12)),
        (8, column(ColumnContent::Seconds, "time", 8)),
        (9, column(ColumnContent::Attempts, "tries", 5)),
        (10, column(ColumnContent::Vram, "peak VRAM", 9)),
    ];
    let shown = ["episodes", "successes", "success_rate"];
    let metrics = model.metric_names.iter().filter(|name| !shown.contains(&name.as_str()));
    for name in metrics.take(8) {
        wanted.push((6, column(ColumnContent::Metric(name.clone()), name, text_width(name).clamp(7, 16))));
    }
    wanted.push((11, column(ColumnContent::Remark, "remark", 24)));
    for axis in &model.plan.axes {
        let longest = model.plan.shards.iter().take(500).map(|spec| text_width(&spec.value_of(axis))).max();
        let cells = longest.unwrap_or(0).max(text_width(axis)).clamp(4, 16);
        wanted.push((4, column(ColumnContent::Axis(axis.clone()), axis, cells)));
    }
    let mut room = width;
    let mut chosen = Vec::new();
    for (rank, column) in wanted {
        if column.width + 2 <= room + 2 && room >= column.width {
            room = room.saturating_sub(column.width + 2);
            chosen.push((rank, column));
        }
    }
    chosen.sort_by_key(|(rank, _)| *rank);
    if let Some((_, last)) = chosen.last_mut().filter(|(_, last)| last.content == ColumnContent::Remark) {
        last.width += room;
    }
    chosen.into_iter().map(|(_, column)| column).collect()
}

/// Returns the unit that the shards count.
fn counted_word(model: &Model) -> &str {
    let units = model.readings().zip(&model.plan.shards).map(|(reading, spec)| {
        let is_told = reading.metric("episodes").is_some();
        let unit = unit_of(spec, reading.progress(), reading.told_unit());
        let kind = if reading.progress().is_some() { reading.state.phase.kind() } else { PhaseKind::Queued };
        (kind, if is_told { EPISODES } else { unit })
    });
    count_heading(units)
}

impl ResultsColumn {
    fn put_text(&self, text: &str, style: Style, theme: &Theme, writer: &mut TextWriter<'_>) {
        let is_text = match self.content {
            ColumnContent::Shard
            | ColumnContent::Axis(_)
            | ColumnContent::Verdict
            | ColumnContent::Remark => true,
            ColumnContent::Episodes
            | ColumnContent::Success
            | ColumnContent::Seconds
            | ColumnContent::Attempts
            | ColumnContent::Vram
            | ColumnContent::Metric(_) => false,
        };
        if is_text || text_width(text) > self.width {
            writer.put_field(text, self.width, style, theme.glyphs.ellipsis);
        } else {
            writer.put_right(text, self.width, style);
        }
        writer.skip(2);
    }

    /// Returns the result so far of a shard that is active.
    fn so_far(&self, model: &Model, position: usize, theme: &Theme) -> Option<(String, Style)> {
        let reading = model.reading(position).filter(|reading| reading.state.phase.kind().is_active())?;
        let text = match &self.content {
            ColumnContent::Episodes => reading.progress().map(|progress| progress.done.to_string()),
            ColumnContent::Success => Success::from_readings(std::iter::once(reading))
                .map(|success| format::format_success(&success)),
            ColumnContent::Seconds => reading.elapsed().map(format::duration_text),
            ColumnContent::Metric(name) => {
                reading.metric(name).map(|value| format::format_metric(name, value, model.metric_unit(name)))
            }
            ColumnContent::Shard
            | ColumnContent::Axis(_)
            | ColumnContent::Verdict
            | ColumnContent::Attempts
            | ColumnContent::Vram
            | ColumnContent::Remark => return None,
        };
        Some((text.unwrap_or_default(), theme.style(Role::Dim)))
    }

    fn cell_text(&self, outcome: &ShardOutcome<'_>, model: &Model, theme: &Theme) -> (String, Style) {
        let text = theme.style(Role::Text);
        let number = |value: Option<f64>, show: &dyn Fn(f64) -> String| value.map(show).unwrap_or_default();
        match &self.content {
            ColumnContent::Shard => (outcome.id().to_string(), text),
            ColumnContent::Axis(axis) => (outcome.value_of(axis), text),
            ColumnContent::Verdict => {
                let position = model.state.position(outcome.id());
                let stuck = position.and_then(|position| model.reading(position)?.stuck_for());
                if let Some(stuck) = stuck {
                    let glyph = theme.glyphs.for_condition(Condition::Stalled);
                    return (
                        format!("{glyph} silent {}", format::rough_duration(stuck)),
                        theme.style(Role::Warning),
                    );
                }
                let glyph = theme.glyphs.for_phase(outcome.phase);
                (format!("{glyph} {}", outcome.verdict()), theme.style(Role::of_phase(outcome.phase)))
            }
            ColumnContent::Episodes => (number(outcome.done_count(), &|value| format!("{value:.0}")), text),
            ColumnContent::Success => (success_text(outcome), text),
            ColumnContent::Seconds => {
                let shown = |seconds| {
                    format::duration_text(std::time::Duration::from_secs_f64(f64::max(seconds, 0.0)))
                };
                (number(outcome.seconds, &shown), text)
            }
            ColumnContent::Attempts => (outcome.attempts.to_string(), text),
            ColumnContent::Vram => (outcome.peaks.vram.map(format::format_memory).unwrap_or_default(), text),
            ColumnContent::Metric(name) => {
                let show = |value| format::format_metric(name, value, model.metric_unit(name));
                (number(outcome.metrics.get(name).copied(), &show), text)
            }
            ColumnContent::Remark => {
                let is_failed = outcome.phase == PhaseKind::Failed;
                let role = if is_failed { Role::Failed } else { Role::Warning };
                (outcome.remark().unwrap_or_default(), theme.style(role))
            }
        }
    }
}

/// The rate of an ended shard, with its interval where its episodes are known.
fn success_text(outcome: &ShardOutcome<'_>) -> String {
    let Some(rate) = outcome.success_rate else { return String::new() };
    let counted = outcome.episodes.and_then(|episodes| {
        let successes = outcome.successes.unwrap_or(rate * episodes);
        let interval = WilsonInterval::wilson(successes, episodes)?;
        // A shard ends with its plan, whatever is decided meanwhile.
        Some(Success { episodes, rate: successes / episodes, interval, early_stop: EarlyStop::None })
    });
    match counted {
        Some(counted) => format::format_success(&counted),
        None => format::format_metric("success_rate", rate, None),
    }
}
