//! One key: typed into a field, answered to a question, or looked up in the keymap.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::acting::{self, show_refusal};
use super::moving;
use super::{columns, form, log, own, palette, queueing, themes, typing, unbound, whole_run};
use crate::tui::keymap::action::{Action, Distance, List, LogAction, MarkAction, RunAction};
use crate::tui::keymap::lookup;
use crate::tui::keymap::search::PaletteChoice;
use crate::tui::layout::{ScreenShape, layout_areas};
use crate::tui::message::Request;
use crate::tui::model::overlays::overlay::{Confirmation, FilterTarget, Overlay};
use crate::tui::model::overlays::palette::Palette;
use crate::tui::model::overlays::theme_chooser::ThemeRequest;
use crate::tui::model::screen::{Model, Pane, ScreenAccess};
use crate::tui::model::shards::table::{CursorHold, Only};
use crate::tui::model::views::View;

/// Handles a key pressed on the dashboard.
pub fn handle_key(model: &mut Model, event: KeyEvent) -> Vec<Request> {
    model.clicked = None;
    // Ctrl-C leaves from everywhere; so does nothing else.
    let control = event.modifiers.contains(KeyModifiers::CONTROL);
    if control && event.code == KeyCode::Char('c') {
        return vec![Request::Leave];
    }
    match &model.overlay {
        Overlay::Filter { list, before } => {
            let (list, before) = (*list, before.clone());
            typing::type_filter(model, event, list, &before);
            Vec::new()
        }
        Overlay::Search { before } => {
            let before = before.clone();
            typing::type_search(model, event, before)
        }
        Overlay::Palette(_) => handle_palette_key(model, event),
        Overlay::Columns { chosen } => {
            let chosen = *chosen;
            columns::handle_key(model, event, chosen)
        }
        Overlay::Themes(chooser) if layout_areas(model).shape == ScreenShape::Line => {
            let shown = ThemeRequest::Show(chooser.before.clone());
            model.overlay = Overlay::None;
            vec![Request::Theme(shown)]
        }
        Overlay::Themes(chooser) => {
            let mut list = Some(chooser.clone());
            let request = themes::handle_key(&mut list, event);
            model.overlay = list.map_or(Overlay::None, Overlay::Themes);
            request.map(Request::Theme).into_iter().collect()
        }
        Overlay::Confirm(_) => answer_question(model, event),
        Overlay::OwnCommand(_) => own::answer_question(model, event),
        Overlay::Form(_) => form::handle_key(model, event),
        Overlay::None => match find_action(model, event, key_access(model)) {
            Some(action) => {
                if looks_at_row(action) {
                    model.table.hold = CursorHold::Chosen;
                }
                perform_action(model, action)
            }
            None => press_unbound(model, event),
        },
        Overlay::Details { .. } => match find_action(model, event, key_access(model)) {
            Some(action) => act_on_overlay(model, action),
            None => press_unbound(model, event),
        },
        // A user who types the name of an action into the help to find it must not trigger the actions of its letters.
        Overlay::Help { .. } => {
            let action = find_action(model, event, model.access.without_acting());
            action.map_or_else(Vec::new, |action| act_on_overlay(model, action))
        }
    }
}

/// Returns the action of a key, where the run has what it is about.
fn find_action(model: &Model, event: KeyEvent, access: ScreenAccess) -> Option<Action> {
    let action = lookup::find_action(event, access, &model.keymap)?;
    lookup::is_of_run(action, model.available_views()).then_some(action)
}

/// Keys that change what is around the rows do not concern the one under the cursor.
fn looks_at_row(action: Action) -> bool {
    !matches!(
        action,
        Action::Show(_)
            | Action::NextView
            | Action::PreviousView
            | Action::Help
            | Action::Open(List::Theme)
            | Action::Mouse
            | Action::Redraw
            | Action::Suspend
    )
}

/// Returns the access that keys have: where neither the cursor nor a question can be seen, no key may change the run.
fn key_access(model: &Model) -> ScreenAccess {
    if layout_areas(model).shape == ScreenShape::Line { model.access.without_acting() } else { model.access }
}

/// A key of no action may have a command of the user's own; what means nothing is answered.
fn press_unbound(model: &mut Model, event: KeyEvent) -> Vec<Request> {
    if let Some(number) = own::number_of(model, event) {
        return own::begin_command(model, number);
    }
    model.notice = unbound::unbound_notice(model, event).or_else(|| model.notice.take());
    Vec::new()
}

fn handle_palette_key(model: &mut Model, event: KeyEvent) -> Vec<Request> {
    match palette::handle_key(model, event, key_access(model)) {
        Some(PaletteChoice::Do(action)) => perform_action(model, action),
        Some(PaletteChoice::Sort(column)) => {
            columns::sort_by(model, column);
            Vec::new()
        }
        Some(PaletteChoice::Own(number)) => own::begin_command(model, number),
        None => Vec::new(),
    }
}

/// Whatever is not a clear yes is a no, except where a number is still being typed.
fn answer_question(model: &mut Model, event: KeyEvent) -> Vec<Request> {
    // Esc and `y` in one packet are Alt-y; and what cannot be read cannot be meant.
    let is_meant = !event.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    if !is_meant || layout_areas(model).shape == ScreenShape::Line {
        model.overlay = Overlay::None;
        return Vec::new();
    }
    let Overlay::Confirm(question) = &mut model.overlay else { return Vec::new() };
    let yes = match (&mut question.answer, event.code) {
        (Confirmation::Yes, code) => matches!(code, KeyCode::Char('y' | 'Y')),
        (Confirmation::Number { typed, .. }, KeyCode::Char(c)) if c.is_ascii_digit() && typed.len() < 9 => {
            typed.push(c);
            return Vec::new();
        }
        (Confirmation::Number { typed, .. }, KeyCode::Backspace) => {
            typed.pop();
            return Vec::new();
        }
        (Confirmation::Number { wanted, typed }, KeyCode::Enter) => *typed == wanted.to_string(),
        (Confirmation::Number { .. }, _) => false,
        (Confirmation::Name { typed, .. }, KeyCode::Char(c)) => {
            typed.push(c);
            return Vec::new();
        }
        (Confirmation::Name { typed, .. }, KeyCode::Backspace) => {
            typed.pop();
            return Vec::new();
        }
        (Confirmation::Name { wanted, typed }, KeyCode::Enter) => typed == wanted,
        (Confirmation::Name { .. }, _) => false,
    };
    let command = question.command.clone();
    model.overlay = Overlay::None;
    if yes {
        model.table.clear_marks();
        vec![Request::Send(command)]
    } else {
        Vec::new()
    }
}

/// Into a cell of the matrix that has several shards, else to the details of the chosen one.
pub(super) fn open_details(model: &mut Model) {
    if moving::enter_cell(model) {
        return;
    }
    if !model.views.shown.shows_cursor() {
        show_refusal(model, "no shard is chosen in this view; 1 shows the shards");
    } else if model.selected_shard().is_some() {
        model.overlay = Overlay::Details { scrolled: 0 };
    }
}

fn act_on_overlay(model: &mut Model, action: Action) -> Vec<Request> {
    let page = usize::from(model.size.1.saturating_sub(6));
    match action {
        Action::Move(distance) => {
            if let Overlay::Details { scrolled } | Overlay::Help { scrolled } = &mut model.overlay {
                // The view knows how long its text is and stops there; 500 is longer than any.
                *scrolled = scrolled.saturating_add_signed(distance.to_lines(page)).min(500);
            }
            Vec::new()
        }
        Action::Back | Action::Detach | Action::Details | Action::Help => {
            model.overlay = Overlay::None;
            Vec::new()
        }
        other => perform_action(model, other),
    }
}

fn perform_action(model: &mut Model, action: Action) -> Vec<Request> {
    match action {
        Action::Move(distance) => return moving::move_in_pane(model, distance),
        Action::Left => moving::move_sideways(model, -1),
        Action::Right => moving::move_sideways(model, 1),
        Action::Show(view) => moving::show_view(model, view),
        Action::NextView => moving::show_view(model, model.views.shown.cycle_by(1, model.available_views())),
        Action::PreviousView => {
            moving::show_view(model, model.views.shown.cycle_by(-1, model.available_views()))
        }
        Action::Zoom => model.zoomed = !model.zoomed && layout_areas(model).shape != ScreenShape::Line,
        Action::Another => show_another(model),
        Action::AnotherColumn => another_column(model),
        Action::Shade => model.views.shade = model.views.shade.other(),
        Action::NextPane => moving::cycle_pane(model, 1),
        Action::PreviousPane => moving::cycle_pane(model, -1),
        Action::Details => open_details(model),
        Action::Help => model.overlay = Overlay::Help { scrolled: 0 },
        Action::Back => return go_back(model),
        Action::Filter if model.focus == Pane::Log => log::begin_search(model),
        Action::Filter => {
            model.views.before_cell = None;
            typing::begin_filter(model);
        }
        Action::FailedOnly => columns::toggle_only(model, Only::Failed),
        Action::Unfinished => columns::toggle_only(model, Only::Unfinished),
        Action::SortNext => columns::sort_next(model),
        Action::SortReverse => columns::sort_reverse(model),
        Action::SortUsual => columns::sort_usual(model),
        Action::Mark(marks) => change_marks(model, marks),
        Action::Log(way) => return read_log(model, way),
        Action::Run(change) => return change_run(model, change),
        Action::Play(command) => {
            if let Some(playback) = &mut model.playback {
                playback.apply_control(command);
            }
        }
        Action::Open(list) => return open_list(model, list),
        Action::Mouse => return vec![Request::Mouse],
        Action::Redraw => return vec![Request::Redraw],
        Action::Suspend => return vec![Request::Suspend],
        Action::Home => return vec![Request::Home],
        Action::Detach => return vec![Request::Leave],
    }
    Vec::new()
}

fn change_marks(model: &mut Model, marks: MarkAction) {
    match marks {
        MarkAction::One => model.table.toggle_mark(),
        MarkAction::Range => model.table.mark_range(),
        MarkAction::Shown => model.table.mark_shown(),
        MarkAction::Invert => model.table.invert_marks(),
        MarkAction::Clear => model.table.clear_marks(),
    }
}

/// Opens a list, unless the screen is one line: an overlay that takes keys must be seen.
fn open_list(model: &mut Model, list: List) -> Vec<Request> {
    if layout_areas(model).shape == ScreenShape::Line {
        return Vec::new();
    }
    match list {
        List::Theme => return vec![Request::Theme(ThemeRequest::List)],
        List::Columns => model.overlay = columns::open_columns(model),
        List::Palette => model.overlay = Overlay::Palette(Palette::default()),
    }
    Vec::new()
}

/// The keys that change the run.
fn change_run(model: &mut Model, change: RunAction) -> Vec<Request> {
    match change {
        RunAction::Pause => return acting::toggle_pause(model),
        RunAction::PauseAll => return acting::pause_all(model),
        RunAction::Kill => acting::ask_kill(model),
        RunAction::Requeue => queueing::ask_requeue(model),
        RunAction::RequeueFailed => queueing::ask_requeue_failed(model),
        RunAction::Edit => form::open_edit(model),
        RunAction::AddValues => form::open_addition(model),
        RunAction::Reserve => form::open_reserve(model),
        RunAction::Undo => return queueing::undo_requeue(model),
        RunAction::Raise => return queueing::change_priority(model, 1),
        RunAction::Lower => return queueing::change_priority(model, -1),
        RunAction::Drain => whole_run::ask_drain(model),
        RunAction::EndAll => whole_run::ask_end(model),
        RunAction::Continue => return whole_run::go_on(model),
        RunAction::MoreParallel => return acting::change_parallel(model, 1),
        RunAction::FewerParallel => return acting::change_parallel(model, -1),
        RunAction::Enter => return acting::enter_shard(model),
    }
    Vec::new()
}

/// The keys of the log.
fn read_log(model: &mut Model, way: LogAction) -> Vec<Request> {
    let wishes = &mut model.log.wishes;
    match way {
        LogAction::Follow => return log::request_piece(model.log.follow_end()),
        LogAction::NextMatch => return log::step_match(model, false),
        LogAction::PreviousMatch => return log::step_match(model, true),
        LogAction::OnlyMatches if wishes.search.is_empty() => return log::step_match(model, true),
        LogAction::OnlyMatches => wishes.only = !wishes.only,
        LogAction::Wrap => wishes.wraps = !wishes.wraps,
        LogAction::Times => wishes.times = !wishes.times,
        LogAction::Proof => return log::jump_to_proof(model),
        LogAction::Copy => return log::copy_lines(model),
        LogAction::Save => form::save_log(model),
        LogAction::Page => return if model.log.key.is_some() { vec![Request::Page] } else { Vec::new() },
    }
    Vec::new()
}

/// Another choice of what the view shows.
fn show_another(model: &mut Model) {
    match model.views.shown {
        View::Matrix => model.views.rows = model.views.rows.wrapping_add(1),
        View::Charts => model.views.metric = model.views.metric.wrapping_add(1),
        View::Results => model.views.totals = model.views.totals.wrapping_add(1),
        View::Shards | View::Gpus | View::Events | View::Nodes => show_refusal(
            model,
            "the matrix, the charts and the results have another axis or metric; this view has one",
        ),
    }
}

fn another_column(model: &mut Model) {
    if model.views.shown == View::Matrix {
        model.views.columns = model.views.columns.wrapping_add(1);
    } else {
        show_refusal(model, "only the matrix has an axis as columns");
    }
}

/// Goes one level back; on the lowest there is nothing to leave, least of all the program.
fn go_back(model: &mut Model) -> Vec<Request> {
    let shows_events = model.focus == Pane::Events || model.views.shown == View::Events;
    if model.zoomed {
        model.zoomed = false;
    } else if model.focus == Pane::Log && !model.log.is_following() {
        return log::request_piece(model.log.follow_end());
    } else if model.focus == Pane::Log && model.log.wishes.only {
        model.log.wishes.only = false;
    } else if shows_events && model.events.scrolled > 0 {
        model.events.scroll(moving_to_end(), layout_areas(model).events_page());
    } else if shows_events && !model.events.filter.is_empty() {
        model.events.set_filter("");
    } else if model.focus != Pane::Shards {
        model.focus = Pane::Shards;
    } else if !model.table.marked.is_empty() {
        model.table.clear_marks();
    } else if moving::leave_cell(model) {
    } else if !model.table.filter.is_empty() {
        typing::set_filter(model, FilterTarget::Shards, "");
    } else if model.table.only != Only::Everything {
        columns::toggle_only(model, Only::Everything);
    } else {
        moving::show_view(model, View::Shards);
    }
    Vec::new()
}

fn moving_to_end() -> isize {
    -Distance::Last.to_lines(1)
}
