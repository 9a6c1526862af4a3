//! Text typed into the filter of a list or into the search of the log, and text from the clipboard.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::acting::show_refusal;
use super::{form, log};
use crate::tui::layout::layout_areas;
use crate::tui::message::Request;
use crate::tui::model::overlays::overlay::{FilterTarget, Overlay};
use crate::tui::model::screen::{Model, Pane};
use crate::tui::model::search::LogSearch;
use crate::tui::model::shards::filter::Filter;
use crate::tui::model::views::View;

/// Takes text from the clipboard: only a filter, a search or the palette can use it, anywhere else it might act.
pub fn paste_text(model: &mut Model, text: &str) -> Vec<Request> {
    let clean = || text.chars().filter(|c| !c.is_control());
    match &mut model.overlay {
        Overlay::Filter { list, .. } => {
            let list = *list;
            let typed: String = list_filter(model, list).text().chars().chain(clean()).collect();
            set_filter(model, list, &typed);
        }
        Overlay::Search { .. } => {
            let typed: String = model.log.wishes.search.text().chars().chain(clean()).collect();
            model.log.wishes.search = LogSearch::new(&typed);
        }
        Overlay::Form(form) => {
            form.fields[form.at].insert(text);
            form::update_outlook(model);
        }
        Overlay::Palette(palette) => {
            palette.typed.extend(clean());
            palette.chosen = 0;
        }
        Overlay::None
        | Overlay::Columns { .. }
        | Overlay::Themes(_)
        | Overlay::Confirm(_)
        | Overlay::OwnCommand(_)
        | Overlay::Details { .. }
        | Overlay::Help { .. } => {}
    }
    Vec::new()
}

/// Begins to type the filter of the list in view.
pub fn begin_filter(model: &mut Model) {
    let list = match model.focus {
        Pane::Events => FilterTarget::Events,
        Pane::Machine => return show_refusal(model, "GPUs and host have no filter; Tab leads to the lists"),
        Pane::Shards | Pane::Log | Pane::Chart | Pane::Totals => match model.views.shown {
            View::Events => FilterTarget::Events,
            View::Nodes => return show_refusal(model, "nodes have no filter; 1 shows the shards"),
            View::Gpus => return show_refusal(model, "GPUs have no filter; 1 shows the shards"),
            View::Shards | View::Matrix | View::Charts | View::Results => FilterTarget::Shards,
        },
    };
    if list == FilterTarget::Shards {
        model.focus = Pane::Shards;
    }
    let before = list_filter(model, list).text().to_owned();
    model.overlay = Overlay::Filter { list, before };
}

fn list_filter(model: &Model, list: FilterTarget) -> &Filter {
    match list {
        FilterTarget::Shards => &model.table.filter,
        FilterTarget::Events => &model.events.filter,
    }
}

/// Narrows a list to the rows that match a text.
pub fn set_filter(model: &mut Model, list: FilterTarget, text: &str) {
    match list {
        FilterTarget::Shards => {
            model.table.filter = Filter::new(text);
            model.refresh_table();
        }
        FilterTarget::Events => model.events.set_filter(text),
    }
}

/// Takes a key while a filter is typed.
pub fn type_filter(model: &mut Model, event: KeyEvent, list: FilterTarget, before: &str) {
    let mut text = list_filter(model, list).text().to_owned();
    match event.code {
        KeyCode::Enter => model.overlay = Overlay::None,
        KeyCode::Esc => {
            set_filter(model, list, before);
            model.overlay = Overlay::None;
        }
        KeyCode::Backspace if text.is_empty() => model.overlay = Overlay::None,
        KeyCode::Backspace => {
            text.pop();
            set_filter(model, list, &text);
        }
        KeyCode::Char('u') if event.modifiers.contains(KeyModifiers::CONTROL) => set_filter(model, list, ""),
        KeyCode::Char(c) if !event.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {
            text.push(c);
            set_filter(model, list, &text);
        }
        KeyCode::Up => step_list(model, list, -1),
        KeyCode::Down => step_list(model, list, 1),
        _ => {}
    }
}

fn step_list(model: &mut Model, list: FilterTarget, lines: isize) {
    match list {
        FilterTarget::Shards => model.table.move_cursor(lines),
        FilterTarget::Events => {
            let page = layout_areas(model).events_page();
            model.events.scroll(-lines, page);
        }
    }
}

/// Takes a key while what is looked for in the log is typed.
pub fn type_search(model: &mut Model, event: KeyEvent, before: String) -> Vec<Request> {
    let mut text = model.log.wishes.search.text().to_owned();
    match event.code {
        KeyCode::Enter => {
            model.overlay = Overlay::None;
            if text.is_empty() {
                model.log.wishes.only = false;
                return Vec::new();
            }
            return log::finish_search(model);
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
    model.log.wishes.search = LogSearch::new(&text);
    Vec::new()
}
