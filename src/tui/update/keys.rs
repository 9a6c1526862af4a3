//! One key: typed into a field, answered to a question, or looked up in the keymap.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::acting;
use super::form;
use super::log;
use super::moving::{self, Distance};
use super::queueing;
use super::whole_run;
use super::{palette, themes};
use crate::tui::keymap::action::Action;
use crate::tui::keymap::lookup;
use crate::tui::layout::{Shape, areas};
use crate::tui::message::Request;
use crate::tui::model::filter::Filter;
use crate::tui::model::overlay::{Answer, Overlay};
use crate::tui::model::screen::{Access, Model, Pane};
use crate::tui::model::search::Search;
use crate::tui::model::theme_chooser::ThemeRequest;
use crate::tui::model::views::View;

/// Takes a key.
pub fn press(model: &mut Model, event: KeyEvent) -> Vec<Request> {
    // Ctrl-C leaves from everywhere; so does nothing else.
    let control = event.modifiers.contains(KeyModifiers::CONTROL);
    if control && event.code == KeyCode::Char('c') {
        return vec![Request::Leave];
    }
    match &model.overlay {
        Overlay::Filter { before } => {
            let before = before.clone();
            type_filter(model, event, &before);
            Vec::new()
        }
        Overlay::Search { before } => {
            let before = before.clone();
            type_search(model, event, before)
        }
        Overlay::Palette { .. } => {
            let access = access(model);
            palette::press(model, event, access).map_or_else(Vec::new, |action| act(model, action))
        }
        Overlay::Themes(chooser) if areas(model).shape == Shape::Line => {
            let shown = ThemeRequest::Show(chooser.before.clone());
            model.overlay = Overlay::None;
            vec![Request::Theme(shown)]
        }
        Overlay::Themes(chooser) => {
            let mut list = Some(chooser.clone());
            let request = themes::press(&mut list, event);
            model.overlay = list.map_or(Overlay::None, Overlay::Themes);
            request.map(Request::Theme).into_iter().collect()
        }
        Overlay::Confirm(_) => answer(model, event),
        Overlay::Form(_) => form::press(model, event),
        Overlay::None => {
            let action = lookup::action(event, access(model), &model.keymap);
            action.map_or_else(Vec::new, |action| act(model, action))
        }
        Overlay::Details { .. } => {
            let action = lookup::action(event, access(model), &model.keymap);
            action.map_or_else(Vec::new, |action| act_on_overlay(model, action))
        }
        // Who types the name of an action into the help to find it must not do what its letters stand for.
        Overlay::Help { .. } => {
            let action = lookup::action(event, model.access.without_acting(), &model.keymap);
            action.map_or_else(Vec::new, |action| act_on_overlay(model, action))
        }
    }
}

/// Where neither the cursor nor a question can be seen, no key may change the run.
fn access(model: &Model) -> Access {
    if areas(model).shape == Shape::Line { model.access.without_acting() } else { model.access }
}

/// Takes text from the clipboard: only a filter, a search or the palette can use it, anywhere else it might act.
pub fn paste(model: &mut Model, text: &str) -> Vec<Request> {
    if let Overlay::Filter { .. } = model.overlay {
        let clean: String = text.chars().filter(|c| !c.is_control()).collect();
        let typed = format!("{}{clean}", model.table.filter.text());
        set_filter(model, &typed);
    } else if let Overlay::Search { .. } = model.overlay {
        let clean: String = text.chars().filter(|c| !c.is_control()).collect();
        model.log.wishes.search = Search::new(&format!("{}{clean}", model.log.wishes.search.text()));
    } else if let Overlay::Form(form) = &mut model.overlay {
        form.fields[form.at].insert(text);
        form::look(model);
    } else if let Overlay::Palette { typed, chosen } = &mut model.overlay {
        typed.extend(text.chars().filter(|c| !c.is_control()));
        *chosen = 0;
    }
    Vec::new()
}

fn type_filter(model: &mut Model, event: KeyEvent, before: &str) {
    let mut text = model.table.filter.text().to_owned();
    match event.code {
        KeyCode::Enter => model.overlay = Overlay::None,
        KeyCode::Esc => {
            set_filter(model, before);
            model.overlay = Overlay::None;
        }
        KeyCode::Backspace if text.is_empty() => model.overlay = Overlay::None,
        KeyCode::Backspace => {
            text.pop();
            set_filter(model, &text);
        }
        KeyCode::Char('u') if event.modifiers.contains(KeyModifiers::CONTROL) => set_filter(model, ""),
        KeyCode::Char(c) if !event.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {
            text.push(c);
            set_filter(model, &text);
        }
        KeyCode::Up => model.table.step(-1),
        KeyCode::Down => model.table.step(1),
        _ => {}
    }
}

fn type_search(model: &mut Model, event: KeyEvent, before: String) -> Vec<Request> {
    let mut text = model.log.wishes.search.text().to_owned();
    match event.code {
        KeyCode::Enter => {
            model.overlay = Overlay::None;
            if text.is_empty() {
                model.log.wishes.only = false;
                return Vec::new();
            }
            return log::search(model);
        }
        KeyCode::Esc => {
            text = before;
            model.overlay = Overlay::None;
        }
        KeyCode::Backspace if text.is_empty() => model.overlay = Overlay::None,
        KeyCode::Backspace => _ = text.pop(),
        KeyCode::Char('u') if event.modifiers.contains(KeyModifiers::CONTROL) => text.clear(),
        KeyCode::Char(c) if !event.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {
            text.push(c);
        }
        _ => {}
    }
    model.log.wishes.search = Search::new(&text);
    Vec::new()
}

fn set_filter(model: &mut Model, text: &str) {
    model.table.filter = Filter::new(text);
    model.filter();
}

/// Whatever is not a clear yes is a no, except where a number is still being typed.
fn answer(model: &mut Model, event: KeyEvent) -> Vec<Request> {
    // Esc and `y` in one packet are Alt-y; and what cannot be read cannot be meant.
    let is_meant = !event.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    if !is_meant || areas(model).shape == Shape::Line {
        model.overlay = Overlay::None;
        return Vec::new();
    }
    let Overlay::Confirm(question) = &mut model.overlay else { return Vec::new() };
    let yes = match (&mut question.answer, event.code) {
        (Answer::Yes, code) => matches!(code, KeyCode::Char('y' | 'Y')),
        (Answer::Number { typed, .. }, KeyCode::Char(c)) if c.is_ascii_digit() && typed.len() < 9 => {
            typed.push(c);
            return Vec::new();
        }
        (Answer::Number { typed, .. }, KeyCode::Backspace) => {
            typed.pop();
            return Vec::new();
        }
        (Answer::Number { wanted, typed }, KeyCode::Enter) => *typed == wanted.to_string(),
        (Answer::Number { .. }, _) => false,
        (Answer::Name { typed, .. }, KeyCode::Char(c)) => {
            typed.push(c);
            return Vec::new();
        }
        (Answer::Name { typed, .. }, KeyCode::Backspace) => {
            typed.pop();
            return Vec::new();
        }
        (Answer::Name { wanted, typed }, KeyCode::Enter) => typed == wanted,
        (Answer::Name { .. }, _) => false,
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

fn act_on_overlay(model: &mut Model, action: Action) -> Vec<Request> {
    let page = usize::from(model.size.1.saturating_sub(6));
    if let Some(distance) = moving::distance(action) {
        if let Overlay::Details { scrolled } | Overlay::Help { scrolled } = &mut model.overlay {
            // The view knows how long its text is and stops there; 500 is longer than any.
            *scrolled = scrolled.saturating_add_signed(distance.lines(page)).min(500);
        }
        return Vec::new();
    }
    match action {
        Action::Back | Action::Detach | Action::Details | Action::Help => {
            model.overlay = Overlay::None;
            Vec::new()
        }
        other => act(model, other),
    }
}

fn act(model: &mut Model, action: Action) -> Vec<Request> {
    if let Some(distance) = moving::distance(action) {
        return moving::travel(model, distance);
    }
    match action {
        Action::Up | Action::Down | Action::PageUp | Action::PageDown | Action::First | Action::Last => {}
        Action::Left => moving::sideways(model, -1),
        Action::Right => moving::sideways(model, 1),
        Action::Show(view) => moving::show(model, view),
        Action::NextView => moving::show(model, model.views.shown.further(1)),
        Action::PreviousView => moving::show(model, model.views.shown.further(-1)),
        Action::Zoom => model.zoomed = !model.zoomed && areas(model).shape != Shape::Line,
        Action::Another => another(model),
        Action::AnotherColumn => another_column(model),
        Action::NextPane => moving::turn(model, 1),
        Action::PreviousPane => moving::turn(model, -1),
        Action::Details => {
            if model.selected().is_some() {
                model.overlay = Overlay::Details { scrolled: 0 };
            }
        }
        Action::Help => model.overlay = Overlay::Help { scrolled: 0 },
        Action::Back => return back(model),
        Action::Filter if model.focus == Pane::Log => log::begin_search(model),
        Action::Filter => {
            let before = model.table.filter.text().to_owned();
            model.overlay = Overlay::Filter { before };
            model.focus = Pane::Shards;
        }
        Action::FailedOnly => {
            model.table.failed_only = !model.table.failed_only;
            model.filter();
        }
        Action::Mark => model.table.toggle_mark(),
        Action::MarkRange => model.table.mark_range(),
        Action::MarkShown => model.table.mark_shown(),
        Action::InvertMarks => model.table.invert_marks(),
        Action::ClearMarks => model.table.clear_marks(),
        Action::Follow
        | Action::Older
        | Action::Newer
        | Action::OnlyMatches
        | Action::Wrap
        | Action::Times
        | Action::Proof
        | Action::Copy
        | Action::Save
        | Action::Page => return read_log(model, action),
        Action::Pause
        | Action::PauseAll
        | Action::Kill
        | Action::Requeue
        | Action::RequeueFailed
        | Action::Edit
        | Action::Reserve
        | Action::Undo
        | Action::Raise
        | Action::Lower
        | Action::Drain
        | Action::EndAll
        | Action::Continue
        | Action::MoreParallel
        | Action::FewerParallel
        | Action::Enter => return change_run(model, action),
        Action::Play(turn) => {
            if let Some(playback) = &mut model.playback {
                playback.turn(turn);
            }
        }
        Action::Palette | Action::Theme => return open_list(model, action),
        Action::Redraw => return vec![Request::Redraw],
        Action::Suspend => return vec![Request::Suspend],
        Action::Home => return vec![Request::Home],
        Action::Detach => return vec![Request::Leave],
    }
    Vec::new()
}

/// What lies on top and takes keys must be seen.
fn open_list(model: &mut Model, action: Action) -> Vec<Request> {
    if areas(model).shape == Shape::Line {
        return Vec::new();
    }
    if action == Action::Theme {
        return vec![Request::Theme(ThemeRequest::List)];
    }
    model.overlay = Overlay::Palette { typed: String::new(), chosen: 0 };
    Vec::new()
}

/// The keys that change the run.
fn change_run(model: &mut Model, action: Action) -> Vec<Request> {
    match action {
        Action::Pause => return acting::pause(model),
        Action::PauseAll => return acting::pause_all(model),
        Action::Kill => acting::ask_kill(model),
        Action::Requeue => queueing::ask_requeue(model),
        Action::RequeueFailed => queueing::ask_requeue_failed(model),
        Action::Edit => form::edit(model),
        Action::Reserve => form::reserve(model),
        Action::Undo => return queueing::undo(model),
        Action::Raise => return queueing::prioritise(model, 1),
        Action::Lower => return queueing::prioritise(model, -1),
        Action::Drain => whole_run::ask_drain(model),
        Action::EndAll => whole_run::ask_end(model),
        Action::Continue => return whole_run::go_on(model),
        Action::MoreParallel => return acting::parallel(model, 1),
        Action::FewerParallel => return acting::parallel(model, -1),
        Action::Enter => return acting::enter(model),
        other => return act(model, other),
    }
    Vec::new()
}

/// The keys of the log.
fn read_log(model: &mut Model, action: Action) -> Vec<Request> {
    let wishes = &mut model.log.wishes;
    match action {
        Action::Follow => return log::read(model.log.follow()),
        Action::Older => return log::step(model, true),
        Action::Newer => return log::step(model, false),
        Action::OnlyMatches if wishes.search.is_empty() => return log::step(model, true),
        Action::OnlyMatches => wishes.only = !wishes.only,
        Action::Wrap => wishes.wraps = !wishes.wraps,
        Action::Times => wishes.times = !wishes.times,
        Action::Proof => return log::proof(model),
        Action::Copy => return log::copy(model),
        Action::Save => return log::save(model),
        Action::Page => return if model.log.key.is_some() { vec![Request::Page] } else { Vec::new() },
        other => return act(model, other),
    }
    Vec::new()
}

/// Another choice of what the view shows.
fn another(model: &mut Model) {
    match model.views.shown {
        View::Matrix => model.views.rows = model.views.rows.wrapping_add(1),
        View::Charts => model.views.metric = model.views.metric.wrapping_add(1),
        View::Results => model.views.totals = model.views.totals.wrapping_add(1),
        View::Shards | View::Gpus | View::Events => {}
    }
}

fn another_column(model: &mut Model) {
    if model.views.shown == View::Matrix {
        model.views.columns = model.views.columns.wrapping_add(1);
    }
}

/// One level back; on the lowest there is nothing to leave, least of all the program.
fn back(model: &mut Model) -> Vec<Request> {
    let shows_events = model.focus == Pane::Events || model.views.shown == View::Events;
    if model.zoomed {
        model.zoomed = false;
    } else if model.focus == Pane::Log && !model.log.follows() {
        return log::read(model.log.follow());
    } else if model.focus == Pane::Log && model.log.wishes.only {
        model.log.wishes.only = false;
    } else if shows_events && model.events.scrolled > 0 {
        model.events.scroll(moving_to_end(), areas(model).events_page());
    } else if model.focus != Pane::Shards {
        model.focus = Pane::Shards;
    } else if !model.table.marked.is_empty() {
        model.table.clear_marks();
    } else if !model.table.filter.is_empty() {
        set_filter(model, "");
    } else if model.table.failed_only {
        model.table.failed_only = false;
        model.filter();
    } else {
        moving::show(model, View::Shards);
    }
    Vec::new()
}

fn moving_to_end() -> isize {
    -Distance::Last.lines(1)
}
