//! The keys of the home screen.

use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::action::Distance;
use super::binding::{Binding, find_binding, key_table};
use super::search::PaletteEntry;
use crate::tui::model::home_screen::home::HomePage;
use crate::tui::model::keys::chosen::Keymap;
use crate::tui::model::keys::key::{char, control, key};
use crate::tui::model::screen::ScreenAccess;

/// The effect of a key on the home screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HomeAction {
    /// Move the cursor.
    Move(Distance),
    /// Attach to the run, or open the plan of the sweep.
    Open,
    /// Narrow the lists by a text.
    Filter,
    /// Take a run that is gone from the list.
    Forget,
    /// To the other list, of runs or of sweeps.
    OtherList,
    /// Change the plan of a sweep, or start it.
    Plan(PlanAction),
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

/// The effect of a key on the plan of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanAction {
    /// To the other list, of combos or of values of axes.
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
}

/// The pages on which a key works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HomePart {
    /// On all pages.
    Everywhere,
    /// In the lists.
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

/// A row of the table of home.
pub type HomeBinding = Binding<HomeAction, HomePart>;

use Distance as D;
use HomeAction as A;
use HomePart::{Everywhere, Listing, Lists, Pages, Plan, Starting};
use PlanAction as P;

/// The word of Enter in the lists, as long as there is something in them.
pub const OPEN_WORD: &str = "attach or plan";

/// The footer keeps this order.
const BINDINGS: &[HomeBinding] = key_table! {
    Lists, "open", [key(KeyCode::Enter)], A::Open, Some(OPEN_WORD),
        "attach to the run, or open the plan of the sweep; where there is neither, start the demo";
    Lists, "filter", [char('/')], A::Filter, Some("filter"),
        "narrow both lists by name, folder or state; !word leaves out";
    Starting, "start", [char('s')], A::Plan(P::Start), Some("start"),
        "start what is ticked in a new folder below results/, and show it";
    Starting, "tick", [char(' ')], A::Plan(P::Tick), Some("tick"),
        "run the combo or not; among axes: all combos of the value";
    Starting, "tick-all", [char('M')], A::Plan(P::TickAll), Some("all, none"), "run all combos, or none";
    Plan, "next-pane", [key(KeyCode::Tab), key(KeyCode::BackTab)], A::Plan(P::OtherList), Some("axes, combos"),
        "from the combos to the axes and back";
    Lists, "next-pane", [key(KeyCode::Tab), key(KeyCode::BackTab)], A::OtherList, Some("runs, sweeps"),
        "from the runs to the sweeps and back";
    Starting, "add-value", [char('i')], A::Plan(P::AddValue), Some("new value"),
        "a further value of the axis, in this run only";
    Starting, "edit-value", [char('E')], A::Plan(P::EditValue), Some("edit"),
        "another value in the place of this one, in this run only";
    Starting, "more-parallel", [char('+'), char('=')], A::Plan(P::MoreParallel), Some("more"),
        "one more shard side by side";
    Starting, "fewer-parallel", [char('-')], A::Plan(P::FewerParallel), Some("fewer"),
        "one shard fewer side by side";
    Pages, "back", [key(KeyCode::Esc), char('H')], A::Back, Some("back"),
        "back to the lists; what was changed of a plan is dropped";
    Lists, "clear", [key(KeyCode::Esc)], A::Back, None, "show everything again";
    Listing, "forget", [key(KeyCode::Delete), key(KeyCode::Backspace)], A::Forget, None,
        "take a run from the list whose folder is gone; nothing else is removed";
    Everywhere, "up", [key(KeyCode::Up), char('k')], A::Move(D::Lines(-1)), None, "up";
    Everywhere, "down", [key(KeyCode::Down), char('j')], A::Move(D::Lines(1)), None, "down";
    Everywhere, "page-up", [key(KeyCode::PageUp), control('u')], A::Move(D::Pages(-1)), None, "a page up";
    Everywhere, "page-down", [key(KeyCode::PageDown), control('d')], A::Move(D::Pages(1)), None, "a page down";
    Everywhere, "first", [key(KeyCode::Home), char('g')], A::Move(D::First), None, "to the first line";
    Everywhere, "last", [key(KeyCode::End), char('G')], A::Move(D::Last), None, "to the last line";
    Everywhere, "theme", [char('t')], A::Theme, Some("theme"),
        "choose a theme; the screen shows it at once";
    Everywhere, "palette", [char(':'), control('p')], A::Palette, Some("actions"),
        "find an action by a few letters; Enter does it";
    Everywhere, "mouse", [char('m')], A::Mouse, None, "use the mouse here, or leave it to the terminal";
    Everywhere, "redraw", [control('l')], A::Redraw, None, "draw everything anew";
    Everywhere, "suspend", [control('z')], A::Suspend, None, "put this screen to sleep";
    Everywhere, "help", [char('?')], A::Help, Some("help"), "this help";
    Everywhere, "detach", [char('q'), control('c')], A::Leave, Some("leave"), "leave; runs go on";
};

/// The rows that exist together: those of the lists, and those of a plan.
pub fn binding_rows() -> [Vec<&'static HomeBinding>; 2] {
    let of =
        |shown: &dyn Fn(HomePart) -> bool| BINDINGS.iter().filter(|binding| shown(binding.group)).collect();
    [of(&|on| matches!(on, Everywhere | Lists | Listing)), of(&|on| !matches!(on, Lists | Listing))]
}

/// The bindings that exist on this page.
pub fn page_bindings(page: &HomePage, access: ScreenAccess) -> impl Iterator<Item = &'static HomeBinding> {
    let (lists, plan) = match page {
        HomePage::Lists => (true, false),
        HomePage::Plan(_) => (false, true),
        HomePage::Planning(_) | HomePage::Problems { .. } => (false, false),
    };
    BINDINGS.iter().filter(move |binding| match binding.group {
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
    find_binding(page_bindings(page, access), event, keymap).map(|binding| binding.action)
}

/// All that can be done on this page, for the palette.
pub fn palette_entries(
    page: &HomePage,
    access: ScreenAccess,
    keymap: &Keymap,
) -> Vec<PaletteEntry<HomeAction>> {
    let offered = page_bindings(page, access).filter(|binding| binding.action != A::Palette);
    offered.map(|binding| PaletteEntry::of_binding(binding, keymap, binding.action)).collect()
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
    page_bindings(page, access).filter_map(|binding| Some((binding.first_key(keymap)?, binding.short?)))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::PathBuf;

    use super::*;
    use crate::tui::model::keys::key::Key;
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
            .filter(|binding| !matches!(binding.group, Lists | Listing))
            .flat_map(|binding| binding.keys)
            .copied()
            .collect();
        assert_eq!(plan.len(), plan.iter().collect::<HashSet<_>>().len(), "a key of the plan is bound twice");
    }
}
