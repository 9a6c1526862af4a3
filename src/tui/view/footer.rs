//! The line at the bottom: the keys that work now, or what was just done.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::bar;
use super::overlay;
use super::text::{Writer, width};
use crate::model::units::between;
use crate::tui::format;
use crate::tui::keymap::action::Action;
use crate::tui::keymap::binding::{Binding, Group};
use crate::tui::keymap::lookup;
use crate::tui::model::overlay::{Answer, Overlay};
use crate::tui::model::playback::Playback;
use crate::tui::model::screen::{Model, Pane};
use crate::tui::model::views::View;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// Draws it.
pub fn draw(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let mut writer = Writer::new(buffer, area, 0);
    writer.skip(1);
    if let Some(trouble) = &model.trouble {
        writer.put(trouble, theme.style(Role::Alarm));
        return;
    }
    // What lies on top has keys of its own, and they must be seen.
    if let Some(notice) = model.notice.as_ref().filter(|_| matches!(model.overlay, Overlay::None)) {
        writer.put(&notice.text, theme.style(if notice.bad { Role::Warning } else { Role::Strong }));
        return;
    }
    if let Some(playback) = &model.playback {
        position(playback, theme, &mut writer);
    }
    for (key, word) in fitting(keys(model, theme), writer.room()) {
        writer.put(&key, theme.style(Role::Key)).skip(1).put(word, theme.style(Role::Dim)).skip(2);
    }
}

/// Where a replay stands in the run.
fn position(playback: &Playback, theme: &Theme, writer: &mut Writer<'_>) {
    let word = if playback.playing { "playing" } else { "stopped" };
    let (at, whole) = (between(playback.from, playback.at), between(playback.from, playback.to));
    writer
        .put(word, theme.style(Role::Strong))
        .put(&format!(" x{} ", playback.speed()), theme.style(Role::Text));
    bar::segments(writer, 16, &[(playback.part(), theme.style(Role::Gauge))], theme);
    let times = format!(" {} of {}", format::duration(at), format::duration(whole));
    writer.put(&times, theme.style(Role::Text)).skip(2);
}

/// As many keys as fit; the last two, help and the way out, before all others.
fn fitting(mut keys: Vec<(String, &'static str)>, room: u16) -> Vec<(String, &'static str)> {
    let cells = |(key, word): &(String, &str)| width(key) + width(word) + 3;
    // The blanks behind the last key need no room.
    while keys.len() > 1 && keys.iter().map(cells).sum::<u16>() > room + 2 {
        let least = keys.len().saturating_sub(3).min(keys.len() - 1);
        keys.remove(least);
    }
    keys
}

/// The keys that work now with a word each, most useful ones first.
fn keys(model: &Model, theme: &Theme) -> Vec<(String, &'static str)> {
    let fixed = |pairs: &[(&str, &'static str)]| {
        pairs.iter().map(|(key, word)| ((*key).to_owned(), *word)).collect::<Vec<_>>()
    };
    match &model.overlay {
        Overlay::Filter { .. } => fixed(&[("Enter", "keep"), ("Esc", "as before"), ("Ctrl-U", "clear")]),
        Overlay::Search { .. } => {
            fixed(&[("Enter", "search upwards"), ("Esc", "as before"), ("Ctrl-U", "clear")])
        }
        Overlay::Palette { .. } => {
            fixed(&[("Enter", "do it"), (theme.glyphs.up_down, "choose"), ("Esc", "close")])
        }
        Overlay::Confirm(question) => match question.answer {
            Answer::Yes => fixed(&[("y", "yes"), ("any other key", "no")]),
            Answer::Number { .. } => fixed(&[("number, Enter", "yes"), ("Esc", "no")]),
        },
        Overlay::Details { .. } | Overlay::Help { .. } => {
            fixed(&[(theme.glyphs.up_down, "scroll"), ("Esc", "close")])
        }
        // Who reads a log wants to know its keys first.
        Overlay::None if model.focus == Pane::Log => {
            let (log, others): (Vec<_>, Vec<_>) = lookup::bindings(model.access)
                .filter(|binding| works(model, binding))
                .partition(|binding| binding.group == Group::Log);
            let all = log.into_iter().chain(others);
            let word = |binding: &Binding| {
                if binding.action == Action::Filter { Some("search") } else { binding.short }
            };
            all.filter_map(|binding| Some((first_key(model, binding, theme)?, word(binding)?))).collect()
        }
        Overlay::None => lookup::bindings(model.access)
            .filter(|binding| works(model, binding))
            .filter_map(|binding| Some((first_key(model, binding, theme)?, binding.short?)))
            .collect(),
    }
}

/// A key that could only say why it does nothing is not offered.
fn works(model: &Model, binding: &Binding) -> bool {
    let phase = model.selected().map(|reading| reading.state.phase.kind());
    let marked = !model.table.marked.is_empty();
    match binding.action {
        Action::Pause | Action::Enter => marked || phase.is_some_and(|kind| kind.is_active()),
        Action::Kill => marked || phase.is_some_and(|kind| !kind.is_final()),
        Action::Requeue => marked || phase.is_some_and(|kind| kind.is_final()),
        Action::Follow => model.focus == Pane::Log && !model.log.follows(),
        Action::Older | Action::Newer => model.focus == Pane::Log && !model.log.wishes.search.is_empty(),
        Action::Copy | Action::Save | Action::Page => model.focus == Pane::Log,
        Action::Proof => model.focus == Pane::Log && phase.is_some_and(|kind| kind.is_final()),
        Action::Another => matches!(model.views.shown, View::Matrix | View::Charts),
        Action::FailedOnly | Action::Mark => !matches!(model.views.shown, View::Events | View::Gpus),
        Action::Up
        | Action::Down
        | Action::PageUp
        | Action::PageDown
        | Action::First
        | Action::Last
        | Action::Left
        | Action::Right
        | Action::Show(_)
        | Action::NextView
        | Action::PreviousView
        | Action::Zoom
        | Action::AnotherColumn
        | Action::NextPane
        | Action::PreviousPane
        | Action::Details
        | Action::Back
        | Action::Filter
        | Action::MarkRange
        | Action::MarkShown
        | Action::InvertMarks
        | Action::ClearMarks
        | Action::RequeueFailed
        | Action::OnlyMatches
        | Action::Wrap
        | Action::Times
        | Action::MoreParallel
        | Action::FewerParallel
        | Action::Play(_)
        | Action::Palette
        | Action::Home
        | Action::Theme
        | Action::Redraw
        | Action::Help
        | Action::Suspend
        | Action::Detach => true,
    }
}

/// None where the user took all keys from it.
fn first_key(model: &Model, binding: &Binding, theme: &Theme) -> Option<String> {
    let first = model.keymap.keys(binding.name, binding.keys).first()?;
    Some(overlay::key_names(&first.to_string(), theme))
}
