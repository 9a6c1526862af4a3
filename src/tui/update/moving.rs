//! Keys that move within a pane and between panes.

use super::log;
use super::unbound::brief;
use crate::tui::keymap::action::Action;
use crate::tui::layout::areas;
use crate::tui::message::Request;
use crate::tui::model::hardware::gpu_order;
use crate::tui::model::matrix::MatrixView;
use crate::tui::model::results::totals;
use crate::tui::model::screen::{Model, Pane};
use crate::tui::model::shards::filter::Filter;
use crate::tui::model::views::View;

/// How far a move goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distance {
    /// So many lines, positive is down.
    Lines(isize),
    /// So many pages, positive is down.
    Pages(isize),
    /// To the first line.
    First,
    /// To the last line.
    Last,
}

/// Returns the distance by which an action moves, if it moves at all.
pub fn distance(action: Action) -> Option<Distance> {
    match action {
        Action::Up => Some(Distance::Lines(-1)),
        Action::Down => Some(Distance::Lines(1)),
        Action::PageUp => Some(Distance::Pages(-1)),
        Action::PageDown => Some(Distance::Pages(1)),
        Action::First => Some(Distance::First),
        Action::Last => Some(Distance::Last),
        Action::Left
        | Action::Right
        | Action::Show(_)
        | Action::NextView
        | Action::PreviousView
        | Action::Zoom
        | Action::Another
        | Action::AnotherColumn
        | Action::Shade
        | Action::NextPane
        | Action::PreviousPane
        | Action::Details
        | Action::Back
        | Action::Filter
        | Action::FailedOnly
        | Action::Unfinished
        | Action::Columns
        | Action::SortNext
        | Action::SortReverse
        | Action::SortUsual
        | Action::Mark
        | Action::MarkRange
        | Action::MarkShown
        | Action::InvertMarks
        | Action::ClearMarks
        | Action::Follow
        | Action::NextMatch
        | Action::PreviousMatch
        | Action::OnlyMatches
        | Action::Wrap
        | Action::Times
        | Action::Proof
        | Action::Copy
        | Action::Save
        | Action::Page
        | Action::Pause
        | Action::PauseAll
        | Action::Kill
        | Action::Requeue
        | Action::RequeueFailed
        | Action::Edit
        | Action::AddValues
        | Action::Undo
        | Action::Raise
        | Action::Lower
        | Action::Reserve
        | Action::Drain
        | Action::EndAll
        | Action::Continue
        | Action::Enter
        | Action::MoreParallel
        | Action::FewerParallel
        | Action::Play(_)
        | Action::Palette
        | Action::Home
        | Action::Theme
        | Action::Mouse
        | Action::Redraw
        | Action::Help
        | Action::Suspend
        | Action::Detach => None,
    }
}

impl Distance {
    /// In lines, where a page has so many.
    pub fn lines(self, page: usize) -> isize {
        let page = isize::try_from(page.max(1)).unwrap_or(isize::MAX);
        match self {
            Self::Lines(lines) => lines,
            Self::Pages(pages) => pages.saturating_mul(page),
            Self::First => isize::MIN / 2,
            Self::Last => isize::MAX / 2,
        }
    }
}

/// Moves within the pane that has the keys.
pub fn travel(model: &mut Model, distance: Distance) -> Vec<Request> {
    let areas = areas(model);
    match model.focus {
        Pane::Log => {
            let page = areas.log_page();
            let wanted = if distance == Distance::Last {
                model.log.follow()
            } else {
                model.log.scroll(-distance.lines(page), page)
            };
            return log::read(wanted);
        }
        Pane::Events => {
            let page = areas.events_page();
            model.events.scroll(-distance.lines(page), page);
        }
        Pane::Totals => {
            let page = areas.totals_page();
            let most = totals::count(model).saturating_sub(page);
            let hidden = model.views.totals_hidden.min(most).saturating_add_signed(distance.lines(page));
            model.views.totals_hidden = hidden.min(most);
        }
        Pane::Shards => travel_in_view(model, distance),
        // Charts and gauges have nothing to scroll: there the keys go on choosing a shard.
        Pane::Chart | Pane::Machine => model.table.step(distance.lines(areas.table_page())),
    }
    Vec::new()
}

fn travel_in_view(model: &mut Model, distance: Distance) {
    let areas = areas(model);
    match model.views.shown {
        View::Events => {
            let page = areas.events_page();
            model.events.scroll(-distance.lines(page), page);
        }
        View::Gpus => {
            let cards = gpu_order::of_run(model).shown.len();
            let further = model.views.cards.saturating_add_signed(distance.lines(2));
            model.views.cards = further.min(cards.saturating_sub(1));
        }
        View::Matrix => match distance {
            Distance::Lines(lines) => beside(model, lines, 0),
            Distance::Pages(pages) => (0..5).for_each(|_| beside(model, pages.signum(), 0)),
            Distance::First | Distance::Last => model.table.step(distance.lines(1)),
        },
        View::Shards | View::Charts | View::Results => model.table.step(distance.lines(areas.table_page())),
    }
}

/// Moves to the next cell of the matrix in a direction.
pub fn beside(model: &mut Model, down: isize, right: isize) {
    let matrix = MatrixView::of(model);
    let place = model.table.selected().and_then(|selected| matrix.place(selected));
    let next = place.and_then(|place| matrix.beside(place, down, right));
    if let Some(position) = next {
        model.table.select(position);
    }
}

/// From a cell of the matrix with several shards to the table of these; whether there was one. All about a single shard
/// is in its details.
pub fn enter_cell(model: &mut Model) -> bool {
    if model.views.shown != View::Matrix || model.focus != Pane::Shards {
        return false;
    }
    let matrix = MatrixView::of(model);
    let place = model.table.selected().and_then(|selected| matrix.place(selected));
    let Some(place) = place.filter(|(row, column)| matrix.cell(*row, *column).len() > 1) else {
        return false;
    };
    let words = matrix.filter(place);
    let before = model.table.filter.text().to_owned();
    let text = if before.is_empty() { words } else { format!("{before} {words}") };
    show(model, View::Shards);
    model.table.filter = Filter::new(&text);
    model.filter();
    model.views.before_cell = Some(before);
    true
}

/// From the shards of a cell back to the matrix, with the filter as it was before; whether a cell was entered.
pub fn leave_cell(model: &mut Model) -> bool {
    let Some(before) = model.views.before_cell.take() else { return false };
    model.table.filter = Filter::new(&before);
    model.filter();
    show(model, View::Matrix);
    true
}

/// Sideways in what has the keys: to another cell of the matrix, or to another part of long log lines.
pub fn sideways(model: &mut Model, right: isize) {
    match (model.focus, model.views.shown) {
        (Pane::Log, _) => {
            let shifted = i32::from(model.log.shifted) + right as i32 * 20;
            model.log.shifted = shifted.clamp(0, 2000) as u16;
        }
        (Pane::Shards, View::Matrix) => beside(model, 0, right),
        (Pane::Shards | Pane::Chart | Pane::Machine | Pane::Events | Pane::Totals, _) => {
            model.notice = Some(brief("left and right move in the matrix and in the log".to_owned()));
        }
    }
}

/// Shows another view, with the keys in its main pane.
pub fn show(model: &mut Model, view: View) {
    model.views.shown = view;
    model.views.before_cell = None;
    model.focus = Pane::Shards;
    model.zoomed = false;
}

/// Gives the keys to the next pane or to the one before; where there is one only, shows the next view.
pub fn turn(model: &mut Model, steps: isize) {
    model.zoomed = false;
    let panes = areas(model).panes();
    if panes.len() < 2 {
        show(model, model.views.shown.further(steps));
        return;
    }
    let count = panes.len() as isize;
    let present = panes.iter().position(|pane| *pane == model.focus).unwrap_or(0) as isize;
    model.focus = panes[(present + steps).rem_euclid(count) as usize];
}
