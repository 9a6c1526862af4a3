//! Keys on the home screen, and the plans that come back.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseEvent};
use ratatui::layout::Position;

use super::home_request::HomeRequest;
use super::mouse::{self, MouseAction};
use super::{palette, sweep_plan, themes, unbound};
use crate::tui::keymap::action::Distance;
use crate::tui::keymap::home::{HomeAction, find_action, is_forbidden, palette_entries};
use crate::tui::layout::clamp_size;
use crate::tui::model::home_screen::home::{HomeLine, HomeModel, HomePage};
use crate::tui::model::home_screen::home_areas;
use crate::tui::model::home_screen::run_line::RunLineState;
use crate::tui::model::keys::key::Key;
use crate::tui::model::overlays::overlay::Notice;
use crate::tui::model::overlays::palette::Palette;
use crate::tui::model::overlays::sweep_plan::{SweepPlan, SweepRequest};
use crate::tui::model::overlays::theme_chooser::ThemeRequest;
use crate::tui::model::screen::ScreenAccess;

/// The view knows how long its text is and stops there; no help is longer.
const LONGEST_HELP: usize = 100;

/// Handles a key pressed on the home screen.
pub fn handle_key(home: &mut HomeModel, event: KeyEvent) -> Option<HomeRequest> {
    home.clicked = None;
    // Ctrl-C leaves from everywhere; so does nothing else.
    if event.modifiers.contains(KeyModifiers::CONTROL) && event.code == KeyCode::Char('c') {
        return Some(HomeRequest::Leave);
    }
    if home.themes.is_some() {
        return themes::handle_key(&mut home.themes, event).map(HomeRequest::Theme);
    }
    if home.typing.is_some() {
        type_filter(home, event);
        return None;
    }
    if let HomePage::Plan(plan) = &mut home.page
        && plan.typing.is_some()
    {
        home.notice = None;
        return sweep_plan::type_value(plan, event, &mut home.notice).map(HomeRequest::Plan);
    }
    if home.palette.is_some() {
        let entries = palette_entries(&home.page, home.access, &home.keymap);
        let action = palette::type_key(&mut home.palette, event, entries)?;
        return perform_action(home, action);
    }
    let Some(action) = find_action(event, &home.page, home.access, &home.keymap) else {
        home.notice = unbound_notice(home, event).or_else(|| home.notice.take());
        return None;
    };
    home.notice = None;
    if let Some(scrolled) = home.help {
        return on_help(home, action, scrolled);
    }
    perform_action(home, action)
}

/// Takes the plan of a wish; one that was left or changed meanwhile is dropped.
pub fn take_plan(home: &mut HomeModel, wish: &SweepRequest, answer: Result<SweepPlan, Vec<String>>) {
    match (&mut home.page, answer) {
        (HomePage::Planning(wanted), Ok(plan)) if wanted == wish => {
            home.page = HomePage::Plan(Box::new(plan))
        }
        (HomePage::Planning(wanted), Err(lines)) if wanted == wish => {
            let title = format!("{} has no plan", wish.path.display());
            home.page = HomePage::Problems { title, lines, scrolled: 0 };
        }
        (HomePage::Plan(plan), answer) => plan.apply_answer(wish, answer),
        (HomePage::Planning(_) | HomePage::Lists | HomePage::Problems { .. }, _) => {}
    }
}

/// Takes another size of the terminal.
pub fn resize(home: &mut HomeModel, size: (u16, u16)) {
    home.size = clamp_size(size);
}

/// Returns the notice for a key that does nothing here.
fn unbound_notice(home: &HomeModel, event: KeyEvent) -> Option<Notice> {
    let key = Key::from_event(event).filter(|_| home.help.is_none())?;
    if is_forbidden(event, &home.page, home.access, &home.keymap) {
        return Some(unbound::brief_notice(format!("{key} does nothing: this screen is read-only")));
    }
    Some(unbound::meaningless_key(key, &home.keymap))
}

/// Takes the mouse: the wheel moves as the arrows do, a click chooses a line, and one more opens it.
pub fn use_mouse(home: &mut HomeModel, event: MouseEvent) -> Option<HomeRequest> {
    let is_covered = home.palette.is_some() || home.themes.is_some() || home.typing.is_some();
    match (mouse::mouse_action(event).filter(|_| !is_covered)?, &mut home.help) {
        (MouseAction::Wheel(lines), Some(scrolled)) => {
            *scrolled = scrolled.saturating_add_signed(lines.into()).min(LONGEST_HELP);
        }
        (MouseAction::Wheel(lines), None) => move_cursor(home, lines.into()),
        (MouseAction::Click, Some(_)) => {}
        (MouseAction::Click, None) => {
            let line = home_areas::line_at(home, Position::new(event.column, event.row))?;
            home.cursor = line;
            if home.clicked.replace(line) == Some(line) {
                home.clicked = None;
                return open_chosen(home);
            }
        }
    }
    None
}

fn on_help(home: &mut HomeModel, action: HomeAction, scrolled: usize) -> Option<HomeRequest> {
    if let HomeAction::Move(distance) = action {
        home.help = Some(scrolled.saturating_add_signed(home_lines(home, distance)).min(LONGEST_HELP));
        return None;
    }
    home.help = None;
    // A user who types the name of an action into the help to find it must not trigger the actions of its letters.
    match action {
        HomeAction::Theme
        | HomeAction::Palette
        | HomeAction::Mouse
        | HomeAction::Redraw
        | HomeAction::Suspend => perform_action(home, action),
        HomeAction::Move(_)
        | HomeAction::Open
        | HomeAction::Filter
        | HomeAction::Forget
        | HomeAction::OtherList
        | HomeAction::Plan(_)
        | HomeAction::Back
        | HomeAction::Help
        | HomeAction::Leave => None,
    }
}

fn perform_action(home: &mut HomeModel, action: HomeAction) -> Option<HomeRequest> {
    match action {
        HomeAction::Move(distance) => move_cursor(home, home_lines(home, distance)),
        HomeAction::Open => return open_chosen(home),
        HomeAction::Filter => home.typing = Some(home.filter.text().to_owned()),
        HomeAction::Forget => return forget_chosen(home),
        HomeAction::Help => home.help = Some(0),
        HomeAction::Back => go_back(home),
        HomeAction::Palette => home.palette = Some(Palette::default()),
        HomeAction::Mouse => return Some(HomeRequest::Mouse),
        HomeAction::Theme => return Some(HomeRequest::Theme(ThemeRequest::List)),
        HomeAction::Leave => return Some(HomeRequest::Leave),
        HomeAction::Suspend => return Some(HomeRequest::Suspend),
        HomeAction::Redraw => return Some(HomeRequest::Redraw),
        HomeAction::OtherList => {
            if !home.switch_list() {
                home.notice = Some(Notice::bad("there is no other list to go to"));
            }
        }
        HomeAction::Plan(action) => {
            if let HomePage::Plan(plan) = &mut home.page {
                return sweep_plan::apply_action(plan, action, &mut home.notice);
            }
        }
    }
    None
}

fn home_lines(home: &HomeModel, distance: Distance) -> isize {
    distance.to_lines(usize::from(home.size.1 / 2))
}

fn move_cursor(home: &mut HomeModel, lines: isize) {
    let all = home.lines().len();
    let (cursor, count) = match &mut home.page {
        HomePage::Lists => (&mut home.cursor, all),
        HomePage::Plan(plan) => return sweep_plan::move_cursor(plan, lines),
        HomePage::Problems { scrolled, lines, .. } => (scrolled, lines.len()),
        HomePage::Planning(_) => return,
    };
    *cursor = cursor.saturating_add_signed(lines).min(count.saturating_sub(1));
}

/// A run that cannot be shown shows the reason instead.
fn open_chosen(home: &mut HomeModel) -> Option<HomeRequest> {
    if home.is_empty() {
        return (home.access == ScreenAccess::Acting).then_some(HomeRequest::Demo);
    }
    let request = match home.chosen_line()? {
        HomeLine::Run(run) => match &run.standing {
            RunLineState::Gone(why) | RunLineState::Unreadable(why) => Err(why.clone()),
            RunLineState::Unread | RunLineState::Read(_) => Ok(HomeRequest::Attach(run.dir.clone())),
        },
        HomeLine::Sweep(sweep) => Ok(HomeRequest::Plan(SweepRequest::for_path(sweep.path.clone()))),
    };
    match request {
        Ok(HomeRequest::Plan(wish)) => {
            home.page = HomePage::Planning(wish.clone());
            Some(HomeRequest::Plan(wish))
        }
        Ok(request) => Some(request),
        Err(why) => {
            home.notice = Some(Notice::bad(why));
            None
        }
    }
}

/// Only what is gone anyway can be taken from the list.
fn forget_chosen(home: &mut HomeModel) -> Option<HomeRequest> {
    if let Some(HomeLine::Run(run)) = home.chosen_line()
        && let RunLineState::Gone(_) = run.standing
    {
        return Some(HomeRequest::Forget(run.id.clone()));
    }
    home.notice = Some(Notice::bad("only a run whose folder is gone can be taken from the list"));
    None
}

/// Goes one level back; on the lowest there is nothing to leave, least of all the program.
fn go_back(home: &mut HomeModel) {
    if home.page == HomePage::Lists {
        home.set_filter("");
    } else {
        home.page = HomePage::Lists;
    }
}

fn type_filter(home: &mut HomeModel, event: KeyEvent) {
    let mut text = home.filter.text().to_owned();
    match event.code {
        KeyCode::Enter => home.typing = None,
        KeyCode::Esc => {
            let before = home.typing.take().unwrap_or_default();
            home.set_filter(&before);
        }
        KeyCode::Backspace if text.is_empty() => home.typing = None,
        KeyCode::Up => move_cursor(home, -1),
        KeyCode::Down => move_cursor(home, 1),
        _ => {
            if sweep_plan::type_into(&mut text, event) {
                home.set_filter(&text);
            }
        }
    }
}
