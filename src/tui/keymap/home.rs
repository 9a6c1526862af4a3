//! The keys of the home screen.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{Key, char, control, key};
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

/// A key, its name, its word in the footer.
struct HomeBinding {
    keys: &'static [Key],
    shown: &'static str,
    action: HomeAction,
    word: Option<&'static str>,
    on: On,
}

const fn bind(
    on: On,
    shown: &'static str,
    keys: &'static [Key],
    action: HomeAction,
    word: Option<&'static str>,
) -> HomeBinding {
    HomeBinding { keys, shown, action, word, on }
}

use HomeAction as A;

/// The footer keeps this order.
const BINDINGS: &[HomeBinding] = &[
    bind(On::Lists, "Enter", &[key(KeyCode::Enter)], A::Open, Some("attach to the run, or plan the sweep")),
    bind(On::Starting, "s", &[char('s')], A::Start, Some("start")),
    bind(On::Starting, "Space", &[char(' ')], A::Tick, Some("run it or not")),
    bind(On::Starting, "a", &[char('a')], A::TickAll, Some("all or none")),
    bind(On::Starting, "+", &[char('+'), char('=')], A::MoreParallel, Some("more")),
    bind(On::Starting, "-", &[char('-')], A::FewerParallel, Some("fewer side by side")),
    bind(On::Pages, "Esc", &[key(KeyCode::Esc), char('H')], A::Back, Some("back")),
    bind(On::Everywhere, "q", &[char('q'), control('c')], A::Leave, Some("leave; runs go on")),
    bind(On::Everywhere, "↑", &[key(KeyCode::Up), char('k')], A::Step(-1), None),
    bind(On::Everywhere, "↓", &[key(KeyCode::Down), char('j')], A::Step(1), None),
    bind(On::Everywhere, "PgUp", &[key(KeyCode::PageUp), control('u')], A::PageUp, None),
    bind(On::Everywhere, "PgDn", &[key(KeyCode::PageDown), control('d')], A::PageDown, None),
    bind(On::Everywhere, "Home", &[key(KeyCode::Home), char('g')], A::First, None),
    bind(On::Everywhere, "End", &[key(KeyCode::End), char('G')], A::Last, None),
    bind(On::Everywhere, "Ctrl-Z", &[control('z')], A::Suspend, None),
    bind(On::Everywhere, "Ctrl-L", &[control('l')], A::Redraw, None),
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
pub fn action(event: KeyEvent, page: &Page, access: Access) -> Option<HomeAction> {
    let pressed = Key { code: event.code, control: event.modifiers.contains(KeyModifiers::CONTROL) };
    if event.modifiers.contains(KeyModifiers::ALT) {
        return None;
    }
    bindings(page, access).find(|binding| binding.keys.contains(&pressed)).map(|binding| binding.action)
}

/// The keys of the footer with their words.
pub fn footer(page: &Page, access: Access) -> impl Iterator<Item = (&'static str, &'static str)> {
    bindings(page, access).filter_map(|binding| Some((binding.shown, binding.word?)))
}
