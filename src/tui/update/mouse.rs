//! The mouse on the dashboard: the wheel scrolls what is under it, a click selects rows, views, headings and panes.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use super::columns::sort_by;
use super::keys;
use super::moving;
use crate::tui::keymap::action::Distance;
use crate::tui::layout::{Areas, ScreenShape, layout_areas};
use crate::tui::message::Request;
use crate::tui::model::matrix::MatrixView;
use crate::tui::model::matrix_field::MatrixLayout;
use crate::tui::model::overlays::overlay::Overlay;
use crate::tui::model::screen::{Model, Pane};
use crate::tui::model::shards::columns;
use crate::tui::model::shards::table::CursorHold;
use crate::tui::model::tab_line;
use crate::tui::model::views::View;

/// Lines that a notch of the wheel scrolls.
const NOTCH: i8 = 3;

/// The effect of a button or the wheel, on any screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseAction {
    /// So many lines down, up where negative.
    Wheel(i8),
    /// The left button was pressed.
    Click,
}

/// The meaning of an event; none for other buttons, and for moves and releases.
pub fn mouse_action(event: MouseEvent) -> Option<MouseAction> {
    match event.kind {
        MouseEventKind::ScrollUp => Some(MouseAction::Wheel(-NOTCH)),
        MouseEventKind::ScrollDown => Some(MouseAction::Wheel(NOTCH)),
        MouseEventKind::Down(MouseButton::Left) => Some(MouseAction::Click),
        MouseEventKind::Down(_)
        | MouseEventKind::Up(_)
        | MouseEventKind::Drag(_)
        | MouseEventKind::Moved
        | MouseEventKind::ScrollLeft
        | MouseEventKind::ScrollRight => None,
    }
}

/// Handles a mouse event on the dashboard.
pub fn handle_mouse(model: &mut Model, event: MouseEvent) -> Vec<Request> {
    let at = Position::new(event.column, event.row);
    match (mouse_action(event), &model.overlay) {
        (Some(MouseAction::Wheel(lines)), Overlay::None) => handle_wheel(model, at, lines.into()),
        (Some(MouseAction::Wheel(lines)), overlay) if is_scrollable(overlay) => scroll_overlay(model, lines),
        (Some(MouseAction::Click), Overlay::None) => {
            if let Some(shard) = handle_click(model, at)
                && model.clicked.replace(shard) == Some(shard)
            {
                model.clicked = None;
                keys::open_details(model);
            }
            Vec::new()
        }
        // A question and a text that is typed are answered by keys alone.
        (Some(MouseAction::Wheel(_) | MouseAction::Click) | None, _) => Vec::new(),
    }
}

fn is_scrollable(overlay: &Overlay) -> bool {
    match overlay {
        Overlay::Palette(_)
        | Overlay::Columns { .. }
        | Overlay::Themes(_)
        | Overlay::Details { .. }
        | Overlay::Help { .. } => true,
        Overlay::None
        | Overlay::Filter { .. }
        | Overlay::Search { .. }
        | Overlay::Confirm(_)
        | Overlay::OwnCommand(_)
        | Overlay::Form(_) => false,
    }
}

fn scroll_overlay(model: &mut Model, lines: i8) -> Vec<Request> {
    let code = if lines < 0 { KeyCode::Up } else { KeyCode::Down };
    let event = KeyEvent::new(code, KeyModifiers::NONE);
    (0..lines.unsigned_abs()).flat_map(|_| keys::handle_key(model, event)).collect()
}

/// Scrolls what is under the mouse; the keys stay where they are.
fn handle_wheel(model: &mut Model, at: Position, lines: isize) -> Vec<Request> {
    let Some(pane) = pane_at(&layout_areas(model), at) else { return Vec::new() };
    let focus = std::mem::replace(&mut model.focus, pane);
    let requests = moving::move_in_pane(model, Distance::Lines(lines));
    model.focus = focus;
    requests
}

fn pane_at(areas: &Areas, at: Position) -> Option<Pane> {
    let panes = [
        (areas.table, Pane::Shards),
        (areas.main, Pane::Shards),
        (areas.log, Pane::Log),
        (areas.chart, Pane::Chart),
        (areas.gpus, Pane::Machine),
        (areas.host, Pane::Machine),
        (areas.events, Pane::Events),
        (areas.totals, Pane::Totals),
    ];
    panes.into_iter().find(|(area, _)| area.contains(at)).map(|(_, pane)| pane)
}

/// Selects what is there; the shard that was chosen, where it was one.
fn handle_click(model: &mut Model, at: Position) -> Option<usize> {
    let areas = layout_areas(model);
    if areas.views.contains(at) {
        let views = model.available_views();
        let places = tab_line::tab_ranges(views.iter().map(|view| view.title()));
        let shown = places.iter().position(|place| place.contains(&(at.x - areas.views.x)));
        if let Some(number) = shown {
            moving::show_view(model, views[number]);
        }
        return None;
    }
    let pane = pane_at(&areas, at)?;
    if areas.focusable_panes().contains(&pane) {
        model.focus = pane;
    }
    if areas.table.contains(at) {
        let inside = if areas.shape == ScreenShape::Small { areas.table } else { without_frame(areas.table) };
        return click_row(model, inside, at, true);
    }
    match model.views.shown {
        View::Results if areas.main.contains(at) => click_row(model, without_frame(areas.main), at, false),
        View::Matrix if areas.main.contains(at) => click_cell(model, without_frame(areas.main), at),
        View::Shards
        | View::Matrix
        | View::Charts
        | View::Gpus
        | View::Events
        | View::Results
        | View::Nodes => None,
    }
}

fn click_cell(model: &mut Model, inside: Rect, at: Position) -> Option<usize> {
    let matrix = MatrixView::from_model(model);
    let chosen = model.table.selected_position().and_then(|selected| matrix.locate_shard(selected));
    let place =
        MatrixLayout::for_matrix(&matrix, inside, chosen.unwrap_or((0, 0))).place_at(&matrix, at, inside)?;
    let shard = *matrix.cell(place.0, place.1).first()?;
    // The cursor stays with its shard where that is in the cell already.
    if chosen != Some(place) {
        model.table.select_shard(shard);
    }
    model.table.hold = CursorHold::Chosen;
    Some(shard)
}

/// The room inside a frame and its blank columns.
fn without_frame(area: Rect) -> Rect {
    Rect {
        x: area.x + 2,
        y: area.y + 1,
        width: area.width.saturating_sub(4),
        height: area.height.saturating_sub(2),
    }
}

/// The first row has the headings, which sort where there is something to sort by.
fn click_row(model: &mut Model, inside: Rect, at: Position, sorts: bool) -> Option<usize> {
    if !inside.contains(at) {
        return None;
    }
    let line = usize::from(at.y - inside.y);
    match line.checked_sub(1) {
        Some(row) if model.table.offset + row < model.table.rows.len() => {
            model.table.cursor = model.table.offset + row;
            model.table.hold = CursorHold::Chosen;
            model.table.selected_position()
        }
        None if sorts => {
            if let Some(column) = columns::column_at(model, inside.width, at.x - inside.x) {
                sort_by(model, column);
            }
            None
        }
        Some(_) | None => None,
    }
}
