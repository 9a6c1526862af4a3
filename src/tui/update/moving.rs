//! Keys that move within a pane and between panes.

use super::log;
use super::unbound::brief_notice;
use crate::tui::keymap::action::Distance;
use crate::tui::layout::layout_areas;
use crate::tui::message::Request;
use crate::tui::model::hardware::gpu_order;
use crate::tui::model::matrix::MatrixView;
use crate::tui::model::results::totals;
use crate::tui::model::screen::{Model, Pane};
use crate::tui::model::shards::filter::Filter;
use crate::tui::model::views::View;

impl Distance {
    /// In lines, where a page has so many.
    pub fn to_lines(self, page: usize) -> isize {
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
pub fn move_in_pane(model: &mut Model, distance: Distance) -> Vec<Request> {
    let areas = layout_areas(model);
    match model.focus {
        Pane::Log => {
            let page = areas.log_page();
            let wanted = if distance == Distance::Last {
                model.log.follow_end()
            } else {
                model.log.scroll(-distance.to_lines(page), page)
            };
            return log::request_piece(wanted);
        }
        Pane::Events => {
            let page = areas.events_page();
            model.events.scroll(-distance.to_lines(page), page);
        }
        Pane::Totals => {
            let page = areas.totals_page();
            let most = totals::count_totals(model).saturating_sub(page);
            let hidden = model.views.totals_hidden.min(most).saturating_add_signed(distance.to_lines(page));
            model.views.totals_hidden = hidden.min(most);
        }
        Pane::Shards => travel_in_view(model, distance),
        // Charts and gauges have nothing to scroll: there the keys go on choosing a shard.
        Pane::Chart | Pane::Machine => model.table.move_cursor(distance.to_lines(areas.table_page())),
    }
    Vec::new()
}

fn travel_in_view(model: &mut Model, distance: Distance) {
    let areas = layout_areas(model);
    match model.views.shown {
        View::Events => {
            let page = areas.events_page();
            model.events.scroll(-distance.to_lines(page), page);
        }
        View::Gpus => {
            let cards = shown_cards(model);
            let further = model.views.cards.saturating_add_signed(distance.to_lines(2));
            model.views.cards = further.min(cards.saturating_sub(1));
        }
        View::Nodes => {
            let further = model.views.nodes.saturating_add_signed(distance.to_lines(2));
            model.views.nodes = further.min(model.plan.nodes.len().saturating_sub(1));
        }
        View::Matrix => match distance {
            Distance::Lines(lines) => move_in_matrix(model, lines, 0),
            Distance::Pages(pages) => (0..5).for_each(|_| move_in_matrix(model, pages.signum(), 0)),
            Distance::First | Distance::Last => model.table.move_cursor(distance.to_lines(1)),
        },
        View::Shards | View::Charts | View::Results => {
            model.table.move_cursor(distance.to_lines(areas.table_page()))
        }
    }
}

/// Cards that the view of GPUs shows one by one.
fn shown_cards(model: &Model) -> usize {
    match model.machines().as_slice() {
        [machine] => gpu_order::of_machine(model, *machine).shown.len(),
        _several => model.all_cards().count(),
    }
}

/// Moves to the next cell of the matrix in a direction.
pub fn move_in_matrix(model: &mut Model, down: isize, right: isize) {
    let matrix = MatrixView::from_model(model);
    let place = model.table.selected_position().and_then(|selected| matrix.locate_shard(selected));
    let next = place.and_then(|place| matrix.nearest_shard(place, down, right));
    if let Some(position) = next {
        model.table.select_shard(position);
    }
}

/// From a cell of the matrix with several shards to the table of these; whether there was one. All about a single shard
/// is in its details.
pub fn enter_cell(model: &mut Model) -> bool {
    if model.views.shown != View::Matrix || model.focus != Pane::Shards {
        return false;
    }
    let matrix = MatrixView::from_model(model);
    let place = model.table.selected_position().and_then(|selected| matrix.locate_shard(selected));
    let Some(place) = place.filter(|(row, column)| matrix.cell(*row, *column).len() > 1) else {
        return false;
    };
    let words = matrix.cell_filter(place);
    let before = model.table.filter.text().to_owned();
    let text = if before.is_empty() { words } else { format!("{before} {words}") };
    show_view(model, View::Shards);
    model.table.filter = Filter::new(&text);
    model.refresh_table();
    model.views.before_cell = Some(before);
    true
}

/// From the shards of a cell back to the matrix, with the filter as it was before; whether a cell was entered.
pub fn leave_cell(model: &mut Model) -> bool {
    let Some(before) = model.views.before_cell.take() else { return false };
    model.table.filter = Filter::new(&before);
    model.refresh_table();
    show_view(model, View::Matrix);
    true
}

/// Sideways in what has the keys: to another cell of the matrix, or to another part of long log lines.
pub fn move_sideways(model: &mut Model, right: isize) {
    match (model.focus, model.views.shown) {
        (Pane::Log, _) => {
            let shifted = i32::from(model.log.shifted) + right as i32 * 20;
            model.log.shifted = shifted.clamp(0, 2000) as u16;
        }
        (Pane::Shards, View::Matrix) => move_in_matrix(model, 0, right),
        (Pane::Shards | Pane::Chart | Pane::Machine | Pane::Events | Pane::Totals, _) => {
            model.notice = Some(brief_notice("left and right move in the matrix and in the log".to_owned()));
        }
    }
}

/// Shows another view, with the keys in its main pane.
pub fn show_view(model: &mut Model, view: View) {
    model.views.shown = view;
    model.views.before_cell = None;
    model.focus = Pane::Shards;
    model.zoomed = false;
}

/// Gives the keys to the next pane or to the one before; where there is one only, shows the next view.
pub fn cycle_pane(model: &mut Model, steps: isize) {
    model.zoomed = false;
    let panes = layout_areas(model).focusable_panes();
    if panes.len() < 2 {
        show_view(model, model.views.shown.cycle_by(steps, model.available_views()));
        return;
    }
    let count = panes.len() as isize;
    let present = panes.iter().position(|pane| *pane == model.focus).unwrap_or(0) as isize;
    model.focus = panes[(present + steps).rem_euclid(count) as usize];
}
