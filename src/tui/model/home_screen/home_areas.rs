//! Where the lists of home lie on the screen; both drawing and clicking go by it.

use ratatui::layout::{Position, Rect};

use super::home::{HomeModel, HomePage};
use crate::tui::model::shards::rows::visible_lines;

/// The parts of the lists, each with its frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HomeAreas {
    /// The runs; all lines where there is no room for frames.
    pub runs: Rect,
    /// The sweeps; empty without frames.
    pub sweeps: Rect,
    /// All about the chosen line, below the lists; empty where there is no room for it.
    pub about: Rect,
    /// The same next to the lists, where both have room.
    pub beside: Option<Rect>,
    /// Without frames both lists are one.
    pub framed: bool,
}

/// The places on a screen above its footer.
pub fn layout_home(home: &HomeModel, body: Rect) -> HomeAreas {
    // Frames would leave no room for what they are around.
    if body.height < 8 || body.width < 30 {
        return HomeAreas { runs: body, sweeps: Rect::ZERO, about: Rect::ZERO, beside: None, framed: false };
    }
    let (body, beside) = split_preview(home, body);
    let about = match body.height {
        _ if beside.is_some() => 0,
        22.. => 5,
        18..22 => 4,
        _ => 0,
    };
    let rest = body.height - about;
    // Sweeps get the room they need, at most half of it.
    let wanted = u16::try_from(home.shown_sweeps().count().max(1)).unwrap_or(u16::MAX).saturating_add(2);
    let below = wanted.min(rest / 2);
    let runs = Rect { height: rest - below, ..body };
    let sweeps = Rect { y: runs.bottom(), height: below, ..body };
    let about = Rect { y: sweeps.bottom(), height: about, ..body };
    HomeAreas { runs, sweeps, about, beside, framed: true }
}

/// The lists, and the preview of the chosen line where both have room.
fn split_preview(home: &HomeModel, body: Rect) -> (Rect, Option<Rect>) {
    if body.width < 150 || body.height < 16 || home.lines().is_empty() {
        return (body, None);
    }
    let width = (body.width * 2 / 5).min(90);
    let lists = Rect { width: body.width - width, ..body };
    (lists, Some(Rect { x: lists.right(), width, ..body }))
}

/// The rows of the runs inside their frame, below the headings where these have room.
pub fn run_rows(inner: Rect, runs: usize) -> Rect {
    // Headings may not take the place of a run that could be seen.
    let heads = u16::from(usize::from(inner.height) > runs && runs > 0);
    Rect { y: inner.y + heads, height: inner.height - heads, ..inner }
}

/// The line of the lists at a cell of the screen.
pub fn line_at(home: &HomeModel, at: Position) -> Option<usize> {
    if home.page != HomePage::Lists {
        return None;
    }
    let (columns, rows) = home.size;
    let areas = layout_home(home, Rect::new(0, 0, columns, rows.saturating_sub(1)));
    let all = home.lines().len();
    if !areas.framed {
        return line_in(areas.runs, home.cursor, all, at);
    }
    let runs = home.shown_runs().count();
    let list = run_rows(inner_area(areas.runs), runs);
    let of_sweep = || {
        let line = line_in(inner_area(areas.sweeps), home.cursor.saturating_sub(runs), all - runs, at)?;
        Some(runs + line)
    };
    line_in(list, home.cursor.min(runs), runs, at).or_else(of_sweep)
}

fn line_in(list: Rect, cursor: usize, lines: usize, at: Position) -> Option<usize> {
    let row = list.contains(at).then(|| at.y - list.y)?;
    visible_lines(cursor, lines, list.height).find(|(seen, _)| *seen == row).map(|(_, line)| line)
}

/// The room inside a frame.
fn inner_area(area: Rect) -> Rect {
    Rect {
        x: area.x + 1,
        y: area.y + 1,
        width: area.width.saturating_sub(2),
        height: area.height.saturating_sub(2),
    }
}
