//! One frame: every part in its place, and what lies on top.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::hardware::{gpus, host, machine};
use super::overlays::{form, help, own_question, palette, question, themes};
use super::panes::{ascii, tabs};
use super::shards::{columns, details, table};
use super::{chart, charts, events, footer, header, log, matrix, results, small, totals};
use crate::tui::keymap::search::entries;
use crate::tui::layout::{ScreenShape, areas};
use crate::tui::model::overlays::overlay::Overlay;
use crate::tui::model::screen::Model;
use crate::tui::model::shards::columns::all;
use crate::tui::model::views::View;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// How a pane is drawn.
type Draw = fn(&Model, &Theme, Rect, &mut Buffer);

/// Draws the whole screen; the buffer has the size that the model knows.
pub fn draw(model: &Model, theme: &Theme, buffer: &mut Buffer) {
    parts(model, theme, buffer);
    ascii::only(theme, buffer);
}

fn parts(model: &Model, theme: &Theme, buffer: &mut Buffer) {
    let areas = areas(model);
    let screen = buffer.area;
    buffer.set_style(screen, theme.style(Role::Text));
    match areas.shape {
        ScreenShape::Line => {
            small::line(model, theme, areas.header, buffer);
            return;
        }
        ScreenShape::Small => {
            small::header(model, theme, areas.header, buffer);
            if areas.line.height > 0 {
                table::rows(model, theme, areas.table, buffer);
                small::selected(model, areas.table_page(), theme, areas.line, buffer);
            }
        }
        ScreenShape::Compact | ScreenShape::Full => header::draw(model, theme, areas.header, buffer),
    }
    tabs::draw(model, theme, areas.views, buffer);
    let main: Draw = match model.views.shown {
        View::Shards => table::draw,
        View::Matrix => matrix::draw,
        View::Charts => charts::draw,
        View::Gpus => machine::draw,
        View::Events => events::draw,
        View::Results => results::draw,
    };
    let panes: [(Rect, Draw); 9] = [
        (areas.main, main),
        (if areas.line.height > 0 { Rect::ZERO } else { areas.table }, table::draw),
        (areas.strip, small::machine),
        (areas.chart, chart::draw),
        (areas.log, log::draw),
        (areas.gpus, gpus::draw),
        (areas.host, host::draw),
        (areas.events, events::draw),
        (areas.totals, totals::draw),
    ];
    for (area, draw) in panes.into_iter().filter(|(area, _)| area.area() > 0) {
        draw(model, theme, area, buffer);
    }
    footer::draw(model, theme, areas.footer, buffer);
    match &model.overlay {
        Overlay::None | Overlay::Filter { .. } | Overlay::Search { .. } => {}
        Overlay::Palette(open) => {
            let entries = entries(model.access, &model.keymap, all(model), &model.own.list);
            palette::draw(open, entries, theme, screen, buffer);
        }
        Overlay::Columns { chosen } => columns::draw(model, *chosen, theme, screen, buffer),
        Overlay::Themes(chooser) => themes::draw(chooser, theme, screen, buffer),
        Overlay::Form(filled) => form::draw(filled, theme, screen, buffer),
        Overlay::Confirm(asked) => question::draw(asked, theme, screen, buffer),
        Overlay::OwnCommand(run) => own_question::draw(run, theme, screen, buffer),
        Overlay::Details { scrolled } => details::draw(model, *scrolled, theme, screen, buffer),
        Overlay::Help { scrolled } => help::draw(model, *scrolled, theme, screen, buffer),
    }
}
