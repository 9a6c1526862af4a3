//! The line at the bottom: the keys that work now, or what was just done.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::overlays::overlay;
use super::panes::bar;
use super::panes::text::{TextWriter, text_width};
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_state::RunStage;
use crate::model::units::duration_between;
use crate::tui::format;
use crate::tui::keymap::action::{Action, LogAction, MarkAction, RunAction};
use crate::tui::keymap::binding::HelpGroup;
use crate::tui::keymap::lookup;
use crate::tui::keymap::table::RunBinding;
use crate::tui::model::overlays::overlay::{Confirmation, Overlay};
use crate::tui::model::playback::{Playback, PlaybackCommand};
use crate::tui::model::screen::{Model, Pane};
use crate::tui::model::views::View;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// Less room than this after a notice is not worth a key.
const LEAST: u16 = 10;

/// Draws the footer: a trouble if there is one, else the keys that work now.
pub fn draw_footer(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let mut writer = TextWriter::new(buffer, area, 0);
    writer.skip(1);
    if let Some(trouble) = &model.trouble {
        writer.put(trouble, theme.style(Role::Alarm));
        return;
    }
    // What lies on top has keys of its own, and they must be seen.
    if let Some(notice) = model.notice.as_ref().filter(|_| matches!(model.overlay, Overlay::None)) {
        let style = theme.style(if notice.bad { Role::Warning } else { Role::Strong });
        writer.put(&notice.text, style).skip(3);
        if writer.room() < LEAST {
            return;
        }
    }
    if let Some(playback) = &model.playback {
        draw_position(playback, theme, &mut writer);
    }
    for (key, word) in fitting_keys(footer_keys(model, theme), writer.room()) {
        writer.put(&key, theme.style(Role::Key)).skip(1).put(word, theme.style(Role::Dim)).skip(2);
    }
}

/// Width from which a footer has room for the bar of a replay next to its keys.
const ROOM_OF_BAR: u16 = 100;

/// The same for the word of what it does, and for the length of the run.
const ROOM_OF_WORD: u16 = 70;

/// Draws the position of a replay within the run.
fn draw_position(playback: &Playback, theme: &Theme, writer: &mut TextWriter<'_>) {
    let word = if playback.playing { "playing" } else { "paused" };
    let (at, whole) =
        (duration_between(playback.from, playback.at), duration_between(playback.from, playback.to));
    // The keys come before the bar, and before the word for what they do.
    let bar = if writer.room() >= ROOM_OF_BAR { 16 } else { 0 };
    let is_wide = writer.room() >= ROOM_OF_WORD;
    if is_wide {
        writer.put(word, theme.style(Role::Strong)).skip(1);
    }
    writer.put(&format!("x{} ", playback.speed()), theme.style(Role::Text));
    bar::draw_segments(writer, bar, &[(playback.played_fraction(), theme.style(Role::Gauge))], theme);
    if bar > 0 {
        writer.skip(1);
    }
    let whole = if is_wide { format!(" of {}", format::duration_text(whole)) } else { String::new() };
    let times = format!("{}{whole}", format::duration_text(at));
    writer.put(&times, theme.style(Role::Text)).skip(2);
}

/// As many keys as fit; the last three, all actions, help and the way out, before all others.
pub(super) fn fitting_keys(mut keys: Vec<(String, &'static str)>, room: u16) -> Vec<(String, &'static str)> {
    let cells = |(key, word): &(String, &str)| text_width(key) + text_width(word) + 3;
    // The blanks after the last key need no room.
    while keys.len() > 1 && keys.iter().map(cells).sum::<u16>() > room + 2 {
        let least = keys.len().saturating_sub(4).min(keys.len() - 1);
        keys.remove(least);
    }
    keys
}

/// The keys that work now with a word each, most useful ones first.
fn footer_keys(model: &Model, theme: &Theme) -> Vec<(String, &'static str)> {
    let fixed = |pairs: &[(&str, &'static str)]| {
        pairs.iter().map(|(key, word)| ((*key).to_owned(), *word)).collect::<Vec<_>>()
    };
    match &model.overlay {
        Overlay::Filter { .. } => fixed(&[("Enter", "keep"), ("Esc", "as before"), ("Ctrl-U", "clear")]),
        Overlay::Search { .. } => {
            fixed(&[("Enter", "search upwards"), ("Esc", "as before"), ("Ctrl-U", "clear")])
        }
        Overlay::Palette(_) => {
            fixed(&[("Enter", "do it"), (theme.glyphs.up_down, "choose"), ("Esc", "close")])
        }
        Overlay::Columns { .. } => fixed(&[
            ("Space", "show, hide"),
            ("Enter", "sort by it"),
            ("I", "other way round"),
            ("Backspace", "usual order"),
            ("Esc", "close"),
        ]),
        Overlay::Themes(_) => fixed(&[
            ("Enter", "keep"),
            (theme.glyphs.up_down, "choose"),
            ("Tab", "dark, light"),
            ("Esc", "as before"),
        ]),
        Overlay::Confirm(question) => match question.answer {
            Confirmation::Yes => fixed(&[("y", "yes"), ("any other key", "no")]),
            Confirmation::Number { .. } => fixed(&[("number, Enter", "yes"), ("Esc", "no")]),
            Confirmation::Name { .. } => fixed(&[("name, Enter", "yes"), ("Esc", "no")]),
        },
        Overlay::OwnCommand(_) => fixed(&[("y", "yes"), ("any other key", "no")]),
        Overlay::Form(_) => {
            let lines = (theme.glyphs.up_down, "line");
            fixed(&[("Enter", "go on"), lines, ("Ctrl-U", "clear"), ("Esc", "close")])
        }
        Overlay::Help { .. } => fixed(&[(theme.glyphs.up_down, "scroll"), ("Esc", "close")]),
        Overlay::Details { .. } => {
            let acting = offered_keys(model, theme, |binding| binding.group == HelpGroup::Act);
            let scroll = (theme.glyphs.up_down.to_owned(), "scroll");
            let close = ("Esc".to_owned(), "close");
            std::iter::once(scroll).chain(acting).chain([close]).collect()
        }
        // Who reads a log wants to know its keys first.
        Overlay::None if model.focus == Pane::Log => {
            let plays = |binding: &RunBinding| binding.action == Action::Play(PlaybackCommand::Toggle);
            let is_log = |binding: &RunBinding| binding.group == HelpGroup::Log || plays(binding);
            let mut all = offered_keys(model, theme, is_log);
            all.extend(offered_keys(model, theme, |binding| !is_log(binding)));
            all
        }
        Overlay::None => offered_keys(model, theme, |_| true),
    }
}

/// Returns those of the chosen keys that work now and have a word, in the order of the table.
fn offered_keys(
    model: &Model,
    theme: &Theme,
    which: impl Fn(&RunBinding) -> bool,
) -> Vec<(String, &'static str)> {
    lookup::available_bindings(model.access)
        .filter(|binding| which(binding) && has_effect(model, binding))
        .filter_map(|binding| Some((first_key(model, binding, theme)?, binding_word(model, binding)?)))
        .collect()
}

/// The word of a key; some do another thing where something else is looked at.
fn binding_word(model: &Model, binding: &RunBinding) -> Option<&'static str> {
    let is_paused = model.table.marked.is_empty() && selected_phase(model) == Some(PhaseKind::Paused);
    let plays = model.playback.is_some_and(|playback| playback.playing);
    let nothing_runs = model.count_in_phase(PhaseKind::Running) == 0;
    let others = [
        (Action::Filter, model.focus == Pane::Log, "search"),
        (Action::Run(RunAction::Pause), is_paused, "go on"),
        (Action::Run(RunAction::PauseAll), nothing_runs, "all go on"),
        // A cell may hold one shard or many.
        (Action::Details, model.views.shown == View::Matrix, "open"),
        (Action::Play(PlaybackCommand::Toggle), plays, "pause"),
    ];
    let other = others.into_iter().find(|(action, holds, _)| *action == binding.action && *holds);
    other.map(|(_, _, word)| word).or(binding.short)
}

/// The phase of the shard that keys act on without marks.
fn selected_phase(model: &Model) -> Option<PhaseKind> {
    let reading = model.selected_shard().filter(|_| model.views.shown.shows_cursor());
    reading.map(|reading| reading.state.phase.kind())
}

/// A key that could only report why it does nothing is not offered.
fn has_effect(model: &Model, binding: &RunBinding) -> bool {
    let phase = selected_phase(model);
    let kind_of = |position: &usize| model.state.shards.get(*position).map(|shard| shard.phase.kind());
    let kinds: Vec<PhaseKind> = if model.table.marked.is_empty() {
        phase.into_iter().collect()
    } else {
        model.table.target_shards().iter().filter_map(kind_of).collect()
    };
    let any = |fits: fn(PhaseKind) -> bool| kinds.iter().any(|kind| fits(*kind));
    match binding.action {
        Action::Run(change) => may_change_run(model, change, any),
        Action::Log(way) => may_read_log(model, way, phase),
        Action::Zoom => model.focus == Pane::Log,
        Action::Another => matches!(model.views.shown, View::Matrix | View::Charts | View::Results),
        Action::Details => model.views.shown.shows_cursor() && model.selected_shard().is_some(),
        Action::Filter => model.focus == Pane::Log || !matches!(model.views.shown, View::Gpus | View::Nodes),
        Action::FailedOnly | Action::Unfinished | Action::Mark(MarkAction::One) => {
            model.views.shown.shows_cursor()
        }
        Action::Move(_)
        | Action::Left
        | Action::Right
        | Action::Show(_)
        | Action::NextView
        | Action::PreviousView
        | Action::AnotherColumn
        | Action::Shade
        | Action::NextPane
        | Action::PreviousPane
        | Action::Back
        | Action::Mark(_)
        | Action::Play(_)
        | Action::Open(_)
        | Action::Home
        | Action::SortNext
        | Action::SortReverse
        | Action::SortUsual
        | Action::Mouse
        | Action::Redraw
        | Action::Help
        | Action::Suspend
        | Action::Detach => true,
    }
}

/// A change of the run is offered where a shard, or the run, is in a phase that it fits.
fn may_change_run(model: &Model, change: RunAction, any: impl Fn(fn(PhaseKind) -> bool) -> bool) -> bool {
    match change {
        RunAction::Pause | RunAction::Enter => any(PhaseKind::is_active),
        RunAction::Kill => any(|kind| !kind.is_final()),
        RunAction::Requeue => any(PhaseKind::is_final),
        RunAction::PauseAll => {
            model.count_in_phase(PhaseKind::Running) + model.count_in_phase(PhaseKind::Paused) > 0
        }
        RunAction::Undo => model.state.shards.iter().any(|shard| shard.former.is_some()),
        RunAction::Continue => match model.state.stage {
            RunStage::Active => model.state.run_holds.holds_any(),
            RunStage::Draining | RunStage::Stopping => true,
            RunStage::Ended { finished, .. } => !finished,
        },
        RunAction::RequeueFailed
        | RunAction::Edit
        | RunAction::AddValues
        | RunAction::Reserve
        | RunAction::Raise
        | RunAction::Lower
        | RunAction::Drain
        | RunAction::EndAll
        | RunAction::MoreParallel
        | RunAction::FewerParallel => true,
    }
}

/// A key of the log is offered while the log has the keys.
fn may_read_log(model: &Model, way: LogAction, phase: Option<PhaseKind>) -> bool {
    let has_keys = model.focus == Pane::Log;
    match way {
        LogAction::Follow => has_keys && !model.log.is_following(),
        LogAction::NextMatch | LogAction::PreviousMatch => has_keys && !model.log.wishes.search.is_empty(),
        LogAction::Copy | LogAction::Save | LogAction::Page => has_keys,
        LogAction::Proof => has_keys && phase.is_some_and(|kind| kind.is_final()),
        LogAction::OnlyMatches | LogAction::Wrap | LogAction::Times => true,
    }
}

/// None where the user took all keys from it.
fn first_key(model: &Model, binding: &RunBinding, theme: &Theme) -> Option<String> {
    binding.first_key(&model.keymap).map(|first| overlay::key_names(&first, theme))
}
