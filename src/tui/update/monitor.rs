//! Keys and readings of the monitor.

use jiff::Timestamp;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseEvent};

use super::mouse::{self, MouseAction};
use super::{palette, themes, unbound};
use crate::tui::keymap::monitor::{BINDINGS, MonitorAction, find_action, palette_entries};
use crate::tui::layout::clamp_size;
use crate::tui::model::hardware::gpu_order;
use crate::tui::model::keys::key::Key;
use crate::tui::model::monitor::{MachineLook, Monitor, MonitorView, is_one_line};
use crate::tui::model::overlays::palette::Palette;
use crate::tui::model::overlays::theme_chooser::ThemeRequest;
use crate::tui::model::tab_line;

/// The row of the names of views.
const VIEWS: u16 = 1;

/// A request that the monitor makes of its surroundings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MonitorRequest {
    /// Use another theme, or something else about themes.
    Theme(ThemeRequest),
    /// Use the mouse, or leave it to the terminal.
    Mouse,
    /// Draw the whole screen from scratch.
    Redraw,
    /// Stop this process as Ctrl-Z does.
    Suspend,
    /// Leave the monitor and the program.
    Leave,
}

/// Handles a key pressed on the monitor.
pub fn handle_key(monitor: &mut Monitor, event: KeyEvent) -> Option<MonitorRequest> {
    let is_line = is_one_line(monitor.size);
    if is_line {
        // What lies on top and takes keys must be seen.
        (monitor.help, monitor.palette) = (None, None);
        if !is_control(event)
            && let Some(chooser) = monitor.themes.take()
        {
            return Some(MonitorRequest::Theme(ThemeRequest::Show(chooser.before)));
        }
    }
    if monitor.themes.is_some() && !is_control(event) {
        return themes::handle_key(&mut monitor.themes, event).map(MonitorRequest::Theme);
    }
    let is_leaving = is_control(event) && event.code == KeyCode::Char('c');
    if monitor.palette.is_some() && !is_leaving {
        let action = palette::type_key(&mut monitor.palette, event, palette_entries(&monitor.keymap))?;
        return perform_action(monitor, action, true);
    }
    match find_action(event, &monitor.keymap) {
        Some(action) => perform_action(monitor, action, !is_control(event)),
        None => {
            let key = Key::from_event(event).filter(|_| monitor.help.is_none() && !is_line)?;
            monitor.notice = Some(unbound::meaningless_key(key, &monitor.keymap));
            None
        }
    }
}

/// Does it; `closes` where leaving first closes what lies on top.
fn perform_action(monitor: &mut Monitor, action: MonitorAction, closes: bool) -> Option<MonitorRequest> {
    let is_line = is_one_line(monitor.size);
    match action {
        MonitorAction::Show(view) => show_view(monitor, view),
        MonitorAction::Turn(steps) => show_view(monitor, monitor.view.cycle_by(steps.into())),
        MonitorAction::Move(distance) => {
            scroll_lines(monitor, distance.to_lines(usize::from(monitor.size.1 / 2)));
        }
        MonitorAction::Help | MonitorAction::Theme | MonitorAction::Palette if is_line => {}
        MonitorAction::Palette => (monitor.help, monitor.palette) = (None, Some(Palette::default())),
        MonitorAction::Mouse => return Some(MonitorRequest::Mouse),
        MonitorAction::Help if monitor.help.is_some() => monitor.help = None,
        MonitorAction::Help => monitor.help = Some(0),
        MonitorAction::Back if monitor.help.is_some() => monitor.help = None,
        MonitorAction::Back => monitor.view = MonitorView::Overview,
        MonitorAction::Theme => return Some(MonitorRequest::Theme(ThemeRequest::List)),
        MonitorAction::Redraw => return Some(MonitorRequest::Redraw),
        MonitorAction::Suspend => return Some(MonitorRequest::Suspend),
        // As in the dashboard, `q` closes what lies on top before it leaves.
        MonitorAction::Leave if monitor.help.is_some() && closes => monitor.help = None,
        MonitorAction::Leave => return Some(MonitorRequest::Leave),
    }
    None
}

/// Takes the mouse: the wheel scrolls, a click on its name shows a view.
pub fn use_mouse(monitor: &mut Monitor, event: MouseEvent) {
    if monitor.palette.is_some() || monitor.themes.is_some() || is_one_line(monitor.size) {
        return;
    }
    match mouse::mouse_action(event) {
        Some(MouseAction::Wheel(lines)) => scroll_lines(monitor, lines.into()),
        Some(MouseAction::Click) if event.row == VIEWS && monitor.help.is_none() => {
            let places = tab_line::tab_ranges(MonitorView::ALL.map(MonitorView::title));
            if let Some(number) = places.iter().position(|place| place.contains(&event.column)) {
                show_view(monitor, MonitorView::ALL[number]);
            }
        }
        Some(MouseAction::Click) | None => {}
    }
}

fn is_control(event: KeyEvent) -> bool {
    event.modifiers.contains(KeyModifiers::CONTROL)
}

fn show_view(monitor: &mut Monitor, view: MonitorView) {
    monitor.view = view;
    monitor.help = None;
}

fn scroll_lines(monitor: &mut Monitor, lines: isize) {
    let (view, length) = (monitor.view, line_count(monitor, monitor.view));
    let (hidden, length) = match &mut monitor.help {
        Some(scrolled) => (scrolled, BINDINGS.len()),
        None => (&mut monitor.hidden[view as usize], length),
    };
    *hidden = hidden.saturating_add_signed(lines).min(length.saturating_sub(1));
}

/// Returns the number of lines or GPUs of which some can be hidden on top.
fn line_count(monitor: &Monitor, view: MonitorView) -> usize {
    match view {
        MonitorView::Overview => monitor.tenants.len(),
        MonitorView::Gpus => gpu_order::of_monitor(monitor).shown.len(),
        MonitorView::Host | MonitorView::Charts => 0,
    }
}

/// Takes that a second has passed, in which so many bytes were sent to the terminal.
pub fn apply_tick(monitor: &mut Monitor, now: Timestamp, bytes: u64) {
    monitor.now = now;
    monitor.bytes_per_second = Some(bytes);
    monitor.bytes_sent = monitor.bytes_sent.saturating_add(bytes);
    if let Some(notice) = &mut monitor.notice {
        notice.ticks = notice.ticks.saturating_sub(1);
    }
    monitor.notice.take_if(|notice| notice.ticks == 0);
}

/// Takes new readings of the machine.
pub fn update_machine(monitor: &mut Monitor, look: MachineLook) {
    monitor.update_machine(look);
    for view in MonitorView::ALL {
        // A list that has become shorter may end above what was shown.
        let last = line_count(monitor, view).saturating_sub(1);
        let hidden = &mut monitor.hidden[view as usize];
        *hidden = (*hidden).min(last);
    }
}

/// Takes another size of the terminal.
pub fn resize(monitor: &mut Monitor, size: (u16, u16)) {
    monitor.size = clamp_size(size);
}
