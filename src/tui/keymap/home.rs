//! The keys of the home screen.

use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::search::{PaletteEntry, entry_title};
use crate::tui::model::home_screen::home::HomePage;
use crate::tui::model::keys::chosen::Keymap;
use crate::tui::model::keys::key::{Key, char, control, key};
use crate::tui::model::screen::ScreenAccess;

/// The effect of a key on the home screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HomeAction {
    /// So many lines down, up where negative.
    Step(i8),
    /// Move one page up.
    PageUp,
    /// Move one page down.
    PageDown,
    /// To the first line.
    First,
    /// To the last line.
    Last,
    /// Attach to the run, or open the plan of the sweep.
    Open,
    /// Narrow the lists by a text.
    Filter,
    /// Take a run that is gone from the list.
    Forget,
    /// To the other list: of runs and sweeps, of combos and values of axes.
    OtherList,
    /// The combo is run, or not; or all combos of a value.
    Tick,
    /// All combos are run, or none.
    TickAll,
    /// A further value of the axis.
    AddValue,
    /// Another value in the place of this one.
    EditValue,
    /// Run one more shard side by side.
    MoreParallel,
    /// Run one shard fewer side by side.
    FewerParallel,
    /// Start the sweep as it is planned.
    Start,
    /// Back to the lists.
    Back,
    /// All actions, to be found by name.
    Palette,
    /// Use the mouse, or leave it to the terminal.
    Mouse,
    /// Choose a theme from the list.
    Theme,
    /// Show the help of the home screen.
    Help,
    /// Leave the home screen and the program.
    Leave,
    /// Put the program to sleep.
    Suspend,
    /// Draw the whole screen from scratch.
    Redraw,
}

/// The pages on which a key works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum On {
    Everywhere,
    Lists,
    /// In the lists, for those who may change them.
    Listing,
    /// In the plan of a sweep.
    Plan,
    /// In the plan, for those who may start it.
    Starting,
    /// On the pages that cover the lists.
    Pages,
}

/// A row of the table of keys.
pub struct HomeBinding {
    /// Name of the action in the user's configuration.
    pub name: &'static str,
    /// Keys it has unless the user chose others.
    pub keys: &'static [Key],
    action: HomeAction,
    /// Its word in the footer.
    pub word: Option<&'static str>,
    /// The sentence of the help.
    pub help: &'static str,
    on: On,
}

const fn bind(
    on: On,
    name: &'static str,
    keys: &'static [Key],
    action: HomeAction,
    word: Option<&'static str>,
    help: &'static str,
) -> HomeBinding {
    HomeBinding { name, keys, action, word, help, on }
}

use HomeAction as A;
use On::{Everywhere, Listing, Lists, Pages, Plan, Starting};

/// The word of Enter in the lists, as long as there is something in them.
pub const OPEN_WORD: &str = "attach or plan";

/// The footer keeps this order.
const BINDINGS: &[HomeBinding] = &[
    bind(
        Lists,
        "open",
        &[key(KeyCode::Enter)],
        A::Open,
        Some(OPEN_WORD),
        "attach to the run, or open the plan of the sweep; where there is neither, start the demo",
    ),
    bind(
        Lists,
        "filter",
        &[char('/')],
        A::Filter,
        Some("filter"),
        "narrow both lists by name, folder or state; !word leaves out",
    ),
    bind(
        Starting,
        "start",
        &[char('s')],
        A::Start,
        Some("start"),
        "start what is ticked in a new folder below results/, and show it",
    ),
    bind(
        Starting,
        "tick",
        &[char(' ')],
        A::Tick,
        Some("tick"),
        "run the combo or not; among axes: all combos of the value",
    ),
    bind(Starting, "tick-all", &[char('M')], A::TickAll, Some("all, none"), "run all combos, or none"),
    bind(
        Plan,
        "next-pane",
        &[key(KeyCode::Tab), key(KeyCode::BackTab)],
        A::OtherList,
        Some("axes, combos"),
        "from the combos to the axes and back",
    ),
    bind(
        Lists,
        "next-pane",
        &[key(KeyCode::Tab), key(KeyCode::BackTab)],
        A::OtherList,
        Some("runs, sweeps"),
        "from the runs to the sweeps and back",
    ),
    bind(
        Starting,
        "add-value",
        &[char('i')],
        A::AddValue,
        Some("new value"),
        "a further value of the axis, in this run only",
    ),
    bind(
        Starting,
        "edit-value",
        &[char('E')],
        A::EditValue,
        Some("edit"),
        "another value in the place of this one, in this run only",
    ),
    bind(
        Starting,
        "more-parallel",
        &[char('+'), char('=')],
        A::MoreParallel,
        Some("more"),
        "one more shard side by side",
    ),
    bind(
        Starting,
        "fewer-parallel",
        &[char('-')],
        A::FewerParallel,
        Some("fewer"),
        "one shard fewer side by side",
    ),
    bind(
        Pages,
        "back",
        &[key(KeyCode::Esc), char('H')],
        A::Back,
        Some("back"),
        "back to the lists; what was changed of a plan is dropped",
    ),
    bind(Lists, "clear", &[key(KeyCode::Esc)], A::Back, None, "show everything again"),
    bind(
        Listing,
        "forget",
        &[key(KeyCode::Delete), key(KeyCode::Backspace)],
        A::Forget,
        None,
        "take a run from the list whose folder is gone; nothing else is removed",
    ),
    bind(Everywhere, "up", &[key(KeyCode::Up), char('k')], A::Step(-1), None, "up"),
    bind(Everywhere, "down", &[key(KeyCode::Down), char('j')], A::Step(1), None, "down"),
    bind(Everywhere, "page-up", &[key(KeyCode::PageUp), control('u')], A::PageUp, None, "a page up"),
    bind(Everywhere, "page-down", &[key(KeyCode::PageDown), control('d')], A::PageDown, None, "a page down"),
    bind(Everywhere, "first", &[key(KeyCode::Home), char('g')], A::First, None, "to the first line"),
    bind(Everywhere, "last", &[key(KeyCode::End), char('G')], A::Last, None, "to the last line"),
    bind(
        Everywhere,
        "theme",
        &[char('t')],
        A::Theme,
        Some("theme"),
        "choose a theme; the screen shows it at once",
    ),
    bind(
        Everywhere,
        "palette",
        &[char(':'), control('p')],
        A::Palette,
        Some("actions"),
        "find an action by a few letters; Enter does it",
    ),
    bind(
        Everywhere,
        "mouse",
        &[char('m')],
        A::Mouse,
        None,
        "use the mouse here, or leave it to the terminal",
    ),
    bind(Everywhere, "redraw", &[control('l')], A::Redraw, None, "draw everything anew"),
    bind(Everywhere, "suspend", &[control('z')], A::Suspend, None, "put this screen to sleep"),
    bind(Everywhere, "help", &[char('?')], A::Help, Some("help"), "this help"),
    bind(Everywhere, "detach", &[char('q'), control('c')], A::Leave, Some("leave"), "leave; runs go on"),
];

/// The rows that exist together: those of the lists, and those of a plan.
pub fn binding_rows() -> [Vec<&'static HomeBinding>; 2] {
    let of = |shown: &dyn Fn(On) -> bool| BINDINGS.iter().filter(|binding| shown(binding.on)).collect();
    [of(&|on| matches!(on, Everywhere | Lists | Listing)), of(&|on| !matches!(on, Lists | Listing))]
}

/// The bindings that exist on this page.
pub fn page_bindings(page: &HomePage, access: ScreenAccess) -> impl Iterator<Item = &'static HomeBinding> {
    let (lists, plan) = match page {
        HomePage::Lists => (true, false),
        HomePage::Plan(_) => (false, true),
        HomePage::Planning(_) | HomePage::Problems { .. } => (false, false),
    };
    BINDINGS.iter().filter(move |binding| match binding.on {
        Everywhere => true,
        Lists => lists,
        Listing => lists && access == ScreenAccess::Acting,
        Plan => plan,
        Starting => plan && access == ScreenAccess::Acting,
        Pages => !lists,
    })
}

/// Returns the action of a key on this page.
pub fn find_action(
    event: KeyEvent,
    page: &HomePage,
    access: ScreenAccess,
    keymap: &Keymap,
) -> Option<HomeAction> {
    let pressed = Key::from_event(event)?;
    let mut bindings = page_bindings(page, access);
    let bound = bindings.find(|binding| keymap.keys_for(binding.name, binding.keys).contains(&pressed))?;
    Some(bound.action)
}

/// All that can be done on this page, for the palette.
pub fn palette_entries(
    page: &HomePage,
    access: ScreenAccess,
    keymap: &Keymap,
) -> Vec<PaletteEntry<HomeAction>> {
    let offered = page_bindings(page, access).filter(|binding| binding.action != A::Palette);
    let entry = |binding: &HomeBinding| PaletteEntry {
        keys: binding.key_text(keymap),
        text: entry_title(binding.word, binding.help),
        action: binding.action,
    };
    offered.map(entry).collect()
}

/// Whether a key changes something for those who may.
pub fn is_forbidden(event: KeyEvent, page: &HomePage, access: ScreenAccess, keymap: &Keymap) -> bool {
    access != ScreenAccess::Acting && find_action(event, page, ScreenAccess::Acting, keymap).is_some()
}

/// The keys of the footer with their words.
pub fn footer_keys(
    page: &HomePage,
    access: ScreenAccess,
    keymap: &Keymap,
) -> impl Iterator<Item = (String, &'static str)> {
    page_bindings(page, access).filter_map(|binding| {
        Some((keymap.keys_for(binding.name, binding.keys).first()?.to_string(), binding.word?))
    })
}

impl HomeBinding {
    /// Its keys as the help shows them.
    pub fn key_text(&self, keymap: &Keymap) -> String {
        let keys = keymap.keys_for(self.name, self.keys).iter();
        keys.map(Key::to_string).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::PathBuf;

    use super::*;
    use crate::tui::model::overlays::sweep_plan::SweepRequest;

    #[test]
    fn no_key_has_two_meanings_on_a_page() {
        for page in [HomePage::Lists, HomePage::Planning(SweepRequest::for_path(PathBuf::from("a.toml")))] {
            let keys: Vec<Key> = page_bindings(&page, ScreenAccess::Acting)
                .flat_map(|binding| binding.keys)
                .copied()
                .collect();
            let once: HashSet<Key> = keys.iter().copied().collect();
            assert_eq!(keys.len(), once.len(), "a key is bound twice on {page:?}");
        }
        let plan: Vec<Key> = BINDINGS
            .iter()
            .filter(|binding| !matches!(binding.on, Lists | Listing))
            .flat_map(|binding| binding.keys)
            .copied()
            .collect();
        assert_eq!(plan.len(), plan.iter().collect::<HashSet<_>>().len(), "a key of the plan is bound twice");
    }
}
