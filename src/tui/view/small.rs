//! What is left of the screen on small terminals: a line about the selected shard, or one line about everything.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::text::Writer;
use crate::model::phase::PhaseKind;
use crate::tui::format;
use crate::tui::model::screen::Model;
use crate::tui::model::words;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// The selected shard in one line: why it failed, else the last line of its log.
pub fn selected(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let Some(reading) = model.selected() else { return };
    let mut writer = Writer::new(buffer, area, 0);
    writer.skip(1);
    if let Some(failure) = reading.state.phase.failure() {
        writer.put(&words::why(failure), theme.style(Role::Failed));
    } else {
        writer.put(model.log.last_text(), theme.style(Role::Dim));
    }
}

/// Everything in one line.
pub fn line(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let mut writer = Writer::new(buffer, area, 0);
    // The alarm first: of a very narrow screen only the beginning is seen.
    if model.unsupervised() {
        writer.put("UNSUPERVISED", theme.style(Role::Alarm)).skip(1);
    }
    for kind in PhaseKind::ALL.into_iter().rev().filter(|kind| model.count(*kind) > 0) {
        let text = format!("{} {}", theme.glyphs.state(kind), model.count(kind));
        writer.put(&text, theme.style(Role::of_phase(kind))).skip(1);
    }
    if let Some(left) = model.left {
        writer.put(&format::duration(left), theme.style(Role::Strong)).put(" left ", theme.style(Role::Dim));
    }
    writer.put(&model.info.name, theme.style(Role::Dim));
}
