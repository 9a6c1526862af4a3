//! Keys that move within a pane and between panes.

use crate::tui::keymap::Action;
use crate::tui::layout::{Shape, areas};
use crate::tui::message::Request;
use crate::tui::model::screen::{Model, Pane};

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

/// The move a key stands for.
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
        | Action::NextPane
        | Action::PreviousPane
        | Action::Details
        | Action::Back
        | Action::Filter
        | Action::FailedOnly
        | Action::Mark
        | Action::InvertMarks
        | Action::Follow
        | Action::Pause
        | Action::Kill
        | Action::Requeue
        | Action::RequeueFailed
        | Action::Enter
        | Action::MoreParallel
        | Action::FewerParallel
        | Action::Theme
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
            if distance == Distance::Last {
                model.log.follow();
            } else if model.log.scroll(-distance.lines(page), page) {
                return vec![Request::ReadEarlier];
            }
        }
        Pane::Events => {
            let page = areas.events_page();
            model.events.scroll(-distance.lines(page), page);
        }
        // Charts and gauges have nothing to scroll: there the keys go on choosing a shard.
        Pane::Shards | Pane::Chart | Pane::Machine => {
            model.table.step(distance.lines(areas.table_page()));
        }
    }
    Vec::new()
}

/// Gives the keys to the next pane or to the one before.
pub fn turn(model: &mut Model, steps: isize) {
    if areas(model).shape == Shape::Small || areas(model).shape == Shape::Line {
        model.focus = Pane::Shards;
        return;
    }
    let count = Pane::ALL.len() as isize;
    let present = Pane::ALL.iter().position(|pane| *pane == model.focus).unwrap_or(0) as isize;
    let next = (present + steps).rem_euclid(count) as usize;
    model.focus = Pane::ALL[next];
    if model.focus != Pane::Shards {
        model.below = model.focus;
    }
}
