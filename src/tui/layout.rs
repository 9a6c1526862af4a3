//! Where each pane lies on a screen of a given size; both drawing and scrolling go by it.

use ratatui::layout::Rect;

use super::model::hardware::gpu_order;
use super::model::matrix;
use super::model::results::totals;
use super::model::screen::{Model, Pane};
use super::model::views::View;

/// No screen has more columns or rows; a terminal that reports more is wrong, and its cells would fill the
/// memory.
const WIDEST: u16 = 1000;

/// From so many rows on a small screen has a second line on top.
const TWO_LINES: u16 = 10;

/// The size of a terminal, as far as it is believed.
pub fn clamp_size((columns, rows): (u16, u16)) -> (u16, u16) {
    (columns.min(WIDEST), rows.min(WIDEST))
}

/// How much can be shown at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScreenShape {
    /// All panes of the view.
    Full,
    /// The table and one pane below it.
    Compact,
    /// The table and one line.
    Small,
    /// A single line of text.
    Line,
}

/// Places of everything on the screen; panes that are not shown are empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Areas {
    /// How much is shown.
    pub shape: ScreenShape,
    /// Title, counts and troubles.
    pub header: Rect,
    /// The names of the views.
    pub views: Rect,
    /// The shard table with its frame.
    pub table: Rect,
    /// The main pane of the other views, in the place of the table.
    pub main: Rect,
    /// The line about the selected shard on small screens.
    pub line: Rect,
    /// Host and GPUs in a line each, where there is no room for their panes.
    pub strip: Rect,
    /// The chart of progress over time.
    pub chart: Rect,
    /// The log of the selected shard.
    pub log: Rect,
    /// The GPUs with their figures.
    pub gpus: Rect,
    /// The host with its figures.
    pub host: Rect,
    /// The list of events.
    pub events: Rect,
    /// The sums of the results.
    pub totals: Rect,
    /// The line of keys at the bottom.
    pub footer: Rect,
}

/// The layout of the present screen.
pub fn layout_areas(model: &Model) -> Areas {
    let (width, height) = model.size;
    let screen = Rect::new(0, 0, width, height);
    let shape = if width >= 120 && height >= 30 {
        ScreenShape::Full
    } else if width >= 80 && height >= 24 {
        ScreenShape::Compact
    } else if width >= 36 && height >= 6 {
        ScreenShape::Small
    } else {
        return Areas { header: Rect { height: height.min(1), ..screen }, ..empty_areas(ScreenShape::Line) };
    };
    let (frame, body) = layout_frame(screen, shape);
    if model.zoomed {
        return layout_zoomed(model, frame, body);
    }
    let rows = model.table.rows.len().max(1);
    match model.views.shown {
        View::Shards => match shape {
            ScreenShape::Full => layout_full(model, frame, body, rows),
            ScreenShape::Compact => layout_compact(model, frame, body, rows),
            ScreenShape::Small | ScreenShape::Line => layout_small(frame, body),
        },
        View::Matrix if shape != ScreenShape::Small && body.height >= 18 => layout_matrix(model, frame, body),
        View::Results if body.height >= 16 && !model.plan.axes.is_empty() => {
            layout_results(model, frame, body)
        }
        View::Matrix | View::Charts | View::Gpus | View::Events | View::Results | View::Nodes => {
            Areas { main: body, ..frame }
        }
    }
}

impl Areas {
    /// Rows of the list of shards below its headings.
    pub fn table_page(&self) -> usize {
        let (list, around) = match self.shape {
            ScreenShape::Small if self.main.height == 0 => (self.table, 1),
            ScreenShape::Full | ScreenShape::Compact | ScreenShape::Small | ScreenShape::Line => {
                (if self.main.height > 0 { self.main } else { self.table }, 3)
            }
        };
        usize::from(list.height.saturating_sub(around))
    }

    /// Columns of the shard table inside its frame.
    pub fn table_width(&self) -> u16 {
        let framed = self.shape != ScreenShape::Small;
        self.table.width.saturating_sub(if framed { 4 } else { 0 })
    }

    /// The panes that the keys can be given to, in the order of the Tab key.
    pub fn focusable_panes(&self) -> Vec<Pane> {
        let shown = |pane: &Pane| match pane {
            Pane::Shards => true,
            Pane::Log => self.log.height > 0,
            Pane::Chart => self.chart.height > 0,
            Pane::Machine => self.gpus.height > 0,
            Pane::Events => self.events.height > 0,
            Pane::Totals => self.totals.height > 0,
        };
        Pane::ALL.into_iter().filter(shown).collect()
    }

    /// Lines of the log inside its frame.
    pub fn log_page(&self) -> usize {
        usize::from(self.log.height.saturating_sub(2))
    }

    /// Rows of the totals below their headings.
    pub fn totals_page(&self) -> usize {
        usize::from(self.totals.height.saturating_sub(3))
    }

    /// Lines of the events inside their frame.
    pub fn events_page(&self) -> usize {
        let list = if self.main.height > 0 { self.main } else { self.events };
        usize::from(list.height.saturating_sub(2))
    }
}

fn empty_areas(shape: ScreenShape) -> Areas {
    let none = Rect::ZERO;
    Areas {
        shape,
        header: none,
        views: none,
        table: none,
        main: none,
        line: none,
        strip: none,
        chart: none,
        log: none,
        gpus: none,
        host: none,
        events: none,
        totals: none,
        footer: none,
    }
}

fn layout_full(model: &Model, frame: Areas, body: Rect, rows: usize) -> Areas {
    let table_height = clamp_length(rows + 3, 6, body.height * 9 / 20);
    let (table, rest) = split_top(body, table_height);
    let (left, right) = split_left(rest, rest.width * 3 / 5);
    let (chart, log) = split_top(left, left.height * 9 / 20);
    let (gpus, rest) = split_top(right, gpu_height(model, right.height));
    // Hosts of nodes are in the lines of their nodes.
    let (host, events) = split_top(rest, if model.has_nodes() { 0 } else { 4 });
    Areas { table, chart, log, gpus, host, events, ..frame }
}

fn layout_compact(model: &Model, frame: Areas, body: Rect, rows: usize) -> Areas {
    let (table, rest) = split_top(body, clamp_length(rows + 3, 6, body.height * 11 / 20));
    // Of a run that is over there is no machine of now.
    let is_over = model.state.stage.is_over();
    let has_gpu = model.all_cards().next().is_some();
    let lines = if is_over { 0 } else { 1 + u16::from(has_gpu) };
    let (strip, log) = split_top(rest, lines);
    Areas { table, strip, log, ..frame }
}

fn layout_small(frame: Areas, body: Rect) -> Areas {
    let (table, line) = split_top(body, body.height - 1);
    Areas { table, line, ..frame }
}

/// Lays out the matrix as large as it needs to be, and the log of the selected shard next to it or below.
fn layout_matrix(model: &Model, frame: Areas, body: Rect) -> Areas {
    let (rows, columns) = matrix::size_with_margins(model);
    if body.width >= 160 {
        let wanted = 24 + columns.saturating_mul(30);
        let (main, log) = split_left(body, clamp_length(wanted, 60, body.width * 2 / 3));
        return Areas { main, log, ..frame };
    }
    let (main, log) = split_top(body, clamp_length(rows * 3 + 2, 6, body.height * 3 / 5));
    Areas { main, log, ..frame }
}

/// Lays out the table of results, and the sums over its values next to it or below.
fn layout_results(model: &Model, frame: Areas, body: Rect) -> Areas {
    if body.width >= 180 {
        let (main, totals) = split_left(body, body.width - 66);
        return Areas { main, totals, ..frame };
    }
    let below = clamp_length(totals::count_totals(model) + 3, 5, body.height * 2 / 5);
    let (main, totals) = split_top(body, body.height - below);
    Areas { main, totals, ..frame }
}

/// Gives all the room to one pane.
fn layout_zoomed(model: &Model, frame: Areas, body: Rect) -> Areas {
    match (model.focus, model.views.shown) {
        (Pane::Shards, View::Shards) => Areas { table: body, ..frame },
        (Pane::Shards, _) => Areas { main: body, ..frame },
        (Pane::Log, _) => Areas { log: body, ..frame },
        (Pane::Chart, _) => Areas { chart: body, ..frame },
        (Pane::Events, _) => Areas { events: body, ..frame },
        (Pane::Totals, _) => Areas { totals: body, ..frame },
        (Pane::Machine, _) => {
            let host = if model.has_nodes() { 0 } else { 4 };
            let (gpus, host) = split_top(body, body.height.saturating_sub(host));
            Areas { gpus, host, ..frame }
        }
    }
}

/// Lays out the lines above and below the panes, and returns the room that is left for the panes.
fn layout_frame(screen: Rect, shape: ScreenShape) -> (Areas, Rect) {
    let lines = match shape {
        ScreenShape::Full | ScreenShape::Compact => 3,
        ScreenShape::Small if screen.height >= TWO_LINES => 2,
        ScreenShape::Small | ScreenShape::Line => 1,
    };
    let (header, rest) = split_top(screen, lines);
    let (views, rest) = split_top(rest, u16::from(shape != ScreenShape::Small));
    let (body, footer) = split_top(rest, rest.height.saturating_sub(1));
    (Areas { header, views, footer, ..empty_areas(shape) }, body)
}

/// As much of each card as there is room for in all; two lines for the reason why there is none.
fn gpu_height(model: &Model, room: u16) -> u16 {
    if model.has_nodes() {
        // Headings, a line for each node, and the frame.
        return clamp_length(model.plan.nodes.len() + 3, 4, (room * 3 / 5).max(4));
    }
    let order = gpu_order::of_machine(model, (None, &model.machine));
    if order.shown.is_empty() {
        return 4;
    }
    let most = (room * 3 / 5).max(3);
    let lines = order.line_count(order.size_in(most - 2));
    clamp_length(usize::from(lines) + 2, 3, most)
}

fn clamp_length(wanted: usize, least: u16, most: u16) -> u16 {
    u16::try_from(wanted).unwrap_or(u16::MAX).clamp(least, most.max(least))
}

fn split_top(area: Rect, height: u16) -> (Rect, Rect) {
    let height = height.min(area.height);
    let below = Rect { y: area.y + height, height: area.height - height, ..area };
    (Rect { height, ..area }, below)
}

fn split_left(area: Rect, width: u16) -> (Rect, Rect) {
    let width = width.min(area.width);
    let right = Rect { x: area.x + width, width: area.width - width, ..area };
    (Rect { width, ..area }, right)
}
