//! Keys on the home screen.

use std::path::PathBuf;

use ratatui::crossterm::event::KeyEvent;

use crate::tui::keymap::home::{HomeAction, action};
use crate::tui::model::home::{Home, Page, Start};
use crate::tui::model::overlay::Notice;

/// What is asked of the surroundings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HomeRequest {
    /// Show the dashboard of the run in this folder.
    Attach(PathBuf),
    /// Read a sweep and look at the machine for it.
    Plan(PathBuf),
    /// Start a sweep.
    Start(Start),
    /// Leave.
    Leave,
    /// Stop this process as Ctrl-Z does.
    Suspend,
    /// Draw everything anew.
    Redraw,
}

/// Takes a key.
pub fn press(home: &mut Home, event: KeyEvent) -> Option<HomeRequest> {
    let action = action(event, &home.page, home.access, &home.keymap)?;
    home.notice = None;
    let page = isize::try_from(home.size.1 / 2).unwrap_or(1).max(1);
    match action {
        HomeAction::Step(lines) => travel(home, lines.into()),
        HomeAction::PageUp => travel(home, -page),
        HomeAction::PageDown => travel(home, page),
        HomeAction::First => travel(home, isize::MIN),
        HomeAction::Last => travel(home, isize::MAX),
        HomeAction::Open => return open(home),
        HomeAction::Back => home.page = Page::Lists,
        HomeAction::Leave => return Some(HomeRequest::Leave),
        HomeAction::Suspend => return Some(HomeRequest::Suspend),
        HomeAction::Redraw => return Some(HomeRequest::Redraw),
        HomeAction::Tick
        | HomeAction::TickAll
        | HomeAction::MoreParallel
        | HomeAction::FewerParallel
        | HomeAction::Start => return change(home, action),
    }
    None
}

fn travel(home: &mut Home, lines: isize) {
    let all = home.lines();
    let (cursor, count) = match &mut home.page {
        Page::Lists => (&mut home.cursor, all),
        Page::Plan(plan) => (&mut plan.cursor, plan.combos.len()),
        Page::Problems { .. } => return,
    };
    *cursor = cursor.saturating_add_signed(lines).min(count.saturating_sub(1));
}

fn open(home: &Home) -> Option<HomeRequest> {
    if let Some(run) = home.runs.get(home.cursor) {
        return Some(HomeRequest::Attach(run.dir.clone()));
    }
    let sweep = home.sweeps.get(home.cursor.checked_sub(home.runs.len())?)?;
    Some(HomeRequest::Plan(sweep.path.clone()))
}

/// Keys of the plan.
fn change(home: &mut Home, action: HomeAction) -> Option<HomeRequest> {
    let Page::Plan(plan) = &mut home.page else { return None };
    match action {
        HomeAction::Tick => {
            let combo = plan.combos.get_mut(plan.cursor)?;
            combo.ticked = !combo.ticked;
            plan.cursor = (plan.cursor + 1).min(plan.combos.len() - 1);
        }
        HomeAction::TickAll => {
            let some_are_not = plan.combos.iter().any(|combo| !combo.ticked);
            plan.combos.iter_mut().for_each(|combo| combo.ticked = some_are_not);
        }
        HomeAction::MoreParallel => {
            plan.parallel = plan.parallel.saturating_add(1);
            plan.because = None;
        }
        HomeAction::FewerParallel => {
            plan.parallel = plan.parallel.saturating_sub(1).max(1);
            plan.because = None;
        }
        HomeAction::Start => {
            let start = plan.start();
            if !start.shards.is_empty() {
                return Some(HomeRequest::Start(start));
            }
            home.notice = Some(Notice::bad("no combo is ticked; Space ticks one, a all of them"));
        }
        HomeAction::Step(_)
        | HomeAction::PageUp
        | HomeAction::PageDown
        | HomeAction::First
        | HomeAction::Last
        | HomeAction::Open
        | HomeAction::Back
        | HomeAction::Leave
        | HomeAction::Suspend
        | HomeAction::Redraw => {}
    }
    None
}
