//! The sums of the results by each value of each axis, with the success and its interval.

use std::collections::BTreeSet;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;

use super::panes::pane;
use super::panes::text::{TextWriter, text_width};
use crate::model::state::phase::PhaseKind;
use crate::tui::format;
use crate::tui::model::results::totals::{ValueTotal, compute_totals};
use crate::tui::model::screen::{Model, Pane};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// Width of `100 % 96-100` in cells.
const SUCCESS: u16 = 13;

/// Draws it with its frame.
pub fn draw_totals(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let totals = compute_totals(model);
    let rows = usize::from(area.height.saturating_sub(3));
    let from = model.views.totals_hidden.min(totals.len().saturating_sub(rows));
    let focused = model.focus == Pane::Totals;
    let note = title_note(model, &totals, from, rows, theme);
    let inner = pane::draw_pane(Pane::Totals.title(), note, focused, theme, area, buffer);
    let longest = |text: fn(&ValueTotal) -> &str, title: &str| {
        let texts = totals.iter().map(text).chain([title]);
        texts.map(text_width).max().unwrap_or(0).min(inner.width / 3)
    };
    let columns = TotalsColumns {
        axis: longest(|total| &total.axis, "axis"),
        value: longest(|total| &total.value, "value"),
        states: totals.iter().map(|total| counts_width(total, theme)).max().unwrap_or(0).max(6),
    };
    let (dim, ellipsis) = (theme.style(Role::Dim), theme.glyphs.ellipsis);
    let mut heading = TextWriter::new(buffer, inner, 0);
    heading
        .put_field("axis", columns.axis, dim, ellipsis)
        .skip(2)
        .put_field("value", columns.value, dim, ellipsis);
    heading.skip(2).put_right("episodes", 8, dim).skip(2).put_field("success [CI]", SUCCESS, dim, ellipsis);
    heading.skip(1).put("shards", dim);
    let mut last = None;
    for (row, total) in (1..inner.height).zip(&totals[from..]) {
        let is_first = last != Some(&total.axis);
        last = Some(&total.axis);
        columns.draw_row(total, is_first, theme, &mut TextWriter::new(buffer, inner, row));
    }
}

/// Returns which rows are seen, and what their success leaves out.
fn title_note(
    model: &Model,
    totals: &[ValueTotal],
    from: usize,
    rows: usize,
    theme: &Theme,
) -> Vec<Span<'static>> {
    let count = totals.len();
    let mut words = Vec::new();
    if count > rows && rows > 0 {
        let last = (from + rows).min(count);
        words.push(format!("{}-{last} of {count}; a: another axis first", from + 1));
    }
    let without: String =
        model.standing.overall.left_out.iter().map(|kind| theme.glyphs.for_phase(*kind)).collect();
    if !without.is_empty() {
        words.push(format!("success without {without}"));
    }
    let early: BTreeSet<&str> =
        totals.iter().filter_map(|total| total.success?.early_stop.remark_text()).collect();
    words.extend(early.into_iter().map(str::to_owned));
    let words = (!words.is_empty()).then(|| words.join(&format!(" {} ", theme.glyphs.dot)));
    words.into_iter().map(|words| Span::styled(words, theme.style(Role::Dim))).collect()
}

/// How wide the columns are that differ from run to run.
struct TotalsColumns {
    axis: u16,
    value: u16,
    states: u16,
}

impl TotalsColumns {
    fn draw_row(&self, total: &ValueTotal, names_axis: bool, theme: &Theme, writer: &mut TextWriter<'_>) {
        let ellipsis = theme.glyphs.ellipsis;
        let axis = if names_axis { total.axis.as_str() } else { "" };
        writer.put_field(axis, self.axis, theme.style(Role::Name), ellipsis).skip(2);
        writer.put_field(&total.value, self.value, theme.style(Role::Strong), ellipsis).skip(2);
        let (episodes, success) = match &total.success {
            Some(success) => (format!("{:.0}", success.episodes), format::format_success(success)),
            None => (String::new(), theme.glyphs.unknown.to_owned()),
        };
        let role = if total.success.is_some() { Role::Text } else { Role::Dim };
        writer.put_right(&episodes, 8, theme.style(Role::Text)).skip(2);
        writer.put_field(&success, SUCCESS, theme.style(role), ellipsis).skip(1);
        if writer.room() < self.states.min(6) {
            return;
        }
        for (kind, text) in phase_counts(total, theme) {
            writer.put(&text, theme.style(Role::of_phase(kind))).skip(1);
        }
    }
}

/// Returns each phase that occurs with its count, such as `✓3`.
fn phase_counts<'a>(
    total: &'a ValueTotal,
    theme: &'a Theme,
) -> impl Iterator<Item = (PhaseKind, String)> + 'a {
    let shown = PhaseKind::ALL.into_iter().filter(|kind| total.counts[*kind as usize] > 0);
    shown.map(|kind| (kind, format!("{}{}", theme.glyphs.for_phase(kind), total.counts[kind as usize])))
}

fn counts_width(total: &ValueTotal, theme: &Theme) -> u16 {
    phase_counts(total, theme).map(|(_, text)| text_width(&text) + 1).sum()
}
