//! The keys of the home screen.

use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::chosen::Keymap;
use super::key::{Key, char, control, key};
use crate::tui::model::home::Page;
use crate::tui::model::screen::Access;

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HomeAction {
    /// So many lines down, up where negative.
    Step(i8),
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// To the first line.
    First,
    /// To the last line.
    Last,
    /// Attach to the run, or open the plan of the sweep.
    Open,
    /// The combo is run, or not.
    Tick,
    /// All combos are run, or none.
    TickAll,
    /// One more side by side.
    MoreParallel,
    /// One fewer side by side.
    FewerParallel,
    /// Start the sweep.
    Start,
    /// Back to the lists.
    Back,
    /// Leave.
    Leave,
    /// Put the program to sleep.
    Suspend,
    /// Draw everything anew.
    Redraw,
}

/// Where a key works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum On {
    Everywhere,
    Lists,
    /// In the plan, for those who may start it.
    Starting,
    /// Over the lists.
    Pages,
}

/// An action, what the user's configuration calls it, its usual keys, its word in the footer.
struct HomeBinding {
    name: &'static str,
    keys: &'static [Key],
    action: HomeAction,
    word: Option<&'static str>,
    on: On,
}

const fn bind(
    on: On,
    name: &'static str,
    keys: &'static [Key],
    action: HomeAction,
    word: Option<&'static str>,
) -> HomeBinding {
    HomeBinding { name, keys, action, word, on }
}

use HomeAction as A;

/// The footer keeps this order.
const BINDINGS: &[HomeBinding] = &[
    bind(On::Lists, "open", &[key(KeyCode::Enter)], A::Open, Some("attach to the run, or plan the sweep")),
    bind(On::Starting, "start", &[char('s')], A::Start, Some("start")),
    bind(On::Starting, "tick", &[char(' ')], A::Tick, Some("run it or not")),
    bind(On::Starting, "tick-all", &[char('a')], A::TickAll, Some("all or none")),
    bind(On::Starting, "more-parallel", &[char('+'), char('=')], A::MoreParallel, Some("more")),
    bind(On::Starting, "fewer-parallel", &[char('-')], A::FewerParallel, Some("fewer side by side")),
    bind(On::Pages, "back", &[key(KeyCode::Esc), char('H')], A::Back, Some("back")),
    bind(On::Everywhere, "detach", &[char('q'), control('c')], A::Leave, Some("leave; runs go on")),
    bind(On::Everywhere, "up", &[key(KeyCode::Up), char('k')], A::Step(-1), None),
    bind(On::Everywhere, "down", &[key(KeyCode::Down), char('j')], A::Step(1), None),
    bind(On::Everywhere, "page-up", &[key(KeyCode::PageUp), control('u')], A::PageUp, None),
    bind(On::Everywhere, "page-down", &[key(KeyCode::PageDown), control('d')], A::PageDown, None),
    bind(On::Everywhere, "first", &[key(KeyCode::Home), char('g')], A::First, None),
    bind(On::Everywhere, "last", &[key(KeyCode::End), char('G')], A::Last, None),
    bind(On::Everywhere, "suspend", &[control('z')], A::Suspend, None),
    bind(On::Everywhere, "redraw", &[control('l')], A::Redraw, None),
];

/// The bindings that exist on this page.
fn bindings(page: &Page, access: Access) -> impl Iterator<Item = &'static HomeBinding> {
    let (lists, plan) = match page {
        Page::Lists => (true, false),
        Page::Plan(_) => (false, true),
        Page::Problems { .. } => (false, false),
    };
    BINDINGS.iter().filter(move |binding| match binding.on {
        On::Everywhere => true,
        On::Lists => lists,
        On::Starting => plan && access == Access::Acting,
        On::Pages => !lists,
    })
}

/// What a key does on this page.
pub fn action(event: KeyEvent, page: &Page, access: Access, keymap: &Keymap) -> Option<HomeAction> {
    let pressed = Key::pressed(event)?;
    let mut bindings = bindings(page, access);
    let bound = bindings.find(|binding| keymap.keys(binding.name, binding.keys).contains(&pressed))?;
    Some(bound.action)
}

/// The keys of the footer with their words.
pub fn footer(page: &Page, access: Access, keymap: &Keymap) -> impl Iterator<Item = (String, &'static str)> {
    bindings(page, access).filter_map(|binding| {
        Some((keymap.keys(binding.name, binding.keys).first()?.to_string(), binding.word?))
    })
}
