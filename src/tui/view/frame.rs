//! One frame: every part in its place, and what lies on top.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::hardware::{gpus, host, machine, node_lines, nodes};
use super::overlays::{form, help, own_question, palette, question, themes};
use super::panes::{ascii, tabs};
use super::shards::{columns, details, table};
use super::{chart, charts, events, footer, header, log, matrix, results, small, totals};
use crate::tui::keymap::search::palette_entries;
use crate::tui::layout::{ScreenShape, layout_areas};
use crate::tui::model::overlays::overlay::Overlay;
use crate::tui::model::screen::Model;
use crate::tui::model::shards::columns::all_columns;
use crate::tui::model::views::View;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// How a pane is drawn.
type Draw = fn(&Model, &Theme, Rect, &mut Buffer);

/// Draws the whole screen; the buffer has the size that the model knows.
pub fn draw_frame(model: &Model, theme: &Theme, buffer: &mut Buffer) {
    draw_parts(model, theme, buffer);
    ascii::replace_non_ascii(theme, buffer);
}

fn draw_parts(model: &Model, theme: &Theme, buffer: &mut Buffer) {
    let areas = layout_areas(model);
    let screen = buffer.area;
    buffer.set_style(screen, theme.style(Role::Text));
    match areas.shape {
        ScreenShape::Line => {
            small::draw_line(model, theme, areas.header, buffer);
            return;
        }
        ScreenShape::Small => {
            small::draw_header(model, theme, areas.header, buffer);
            if areas.line.height > 0 {
                table::draw_rows(model, theme, areas.table, buffer);
                small::draw_selected(model, areas.table_page(), theme, areas.line, buffer);
            }
        }
        ScreenShape::Compact | ScreenShape::Full => header::draw_header(model, theme, areas.header, buffer),
    }
    tabs::draw_tabs(model, theme, areas.views, buffer);
    let main: Draw = match model.views.shown {
        View::Shards => table::draw_table,
        View::Matrix => matrix::draw_matrix,
        View::Charts => charts::draw_charts,
        View::Gpus => machine::draw_machine,
        View::Events => events::draw_events,
        View::Results => results::draw_results,
        View::Nodes => nodes::draw_nodes,
    };
    // No shard is on the machine of a run that has nodes.
    let (strip, gpus): (Draw, Draw) = match model.has_nodes() {
        true => (node_lines::draw_strip, node_lines::draw_pane),
        false => (small::draw_machine, gpus::draw_gpus),
    };
    let panes: [(Rect, Draw); 9] = [
        (areas.main, main),
        (if areas.line.height > 0 { Rect::ZERO } else { areas.table }, table::draw_table),
        (areas.strip, strip),
        (areas.chart, chart::draw_chart),
        (areas.log, log::draw_log),
        (areas.gpus, gpus),
        (areas.host, host::draw_host),
        (areas.events, events::draw_events),
        (areas.totals, totals::draw_totals),
    ];
    for (area, draw) in panes.into_iter().filter(|(area, _)| area.area() > 0) {
        draw(model, theme, area, buffer);
    }
    footer::draw_footer(model, theme, areas.footer, buffer);
    match &model.overlay {
        Overlay::None | Overlay::Filter { .. } | Overlay::Search { .. } => {}
        Overlay::Palette(open) => {
            let offered = (model.access, model.available_views());
            let entries = palette_entries(offered, &model.keymap, all_columns(model), &model.own.list);
            palette::draw_palette(open, entries, theme, screen, buffer);
        }
        Overlay::Columns { chosen } => columns::draw_columns(model, *chosen, theme, screen, buffer),
        Overlay::Themes(chooser) => themes::draw_themes(chooser, theme, screen, buffer),
        Overlay::Form(filled) => form::draw_form(filled, theme, screen, buffer),
        Overlay::Confirm(asked) => question::draw_question(asked, theme, screen, buffer),
        Overlay::OwnCommand(run) => own_question::draw_own_question(run, theme, screen, buffer),
        Overlay::Details { scrolled } => details::draw_details(model, *scrolled, theme, screen, buffer),
        Overlay::Help { scrolled } => help::draw_help(model, *scrolled, theme, screen, buffer),
    }
}
