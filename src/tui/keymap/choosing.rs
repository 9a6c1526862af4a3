//! From the keys that the user wrote to a keymap, and everything that is wrong with them.

use std::collections::BTreeMap;

use super::lookup::available_bindings;
use super::{home, monitor};
use crate::config::document::problem::{Problem, did_you_mean};
use crate::config::document::written::SpannedWord;
use crate::config::settings::KeyChoice;
use crate::tui::model::keys::chosen::Keymap;
use crate::tui::model::keys::key::{InvalidKey, Key, control};
use crate::tui::model::screen::ScreenAccess;

/// The key that always leaves, in addition to the keys chosen for it.
const LEAVE: (&str, Key) = ("detach", control('c'));

/// Keys that work at the same time, and where that is.
struct KeyScope {
    name: &'static str,
    rows: Vec<(&'static str, &'static [Key])>,
}

fn list_places() -> [KeyScope; 5] {
    let of = |access| available_bindings(access).map(|binding| (binding.name, binding.keys)).collect();
    let [lists, plan] = home::binding_rows()
        .map(|rows| rows.into_iter().map(|binding| (binding.name, binding.keys)).collect());
    let monitor = monitor::BINDINGS.iter().map(|binding| (binding.name, binding.keys)).collect();
    [
        KeyScope { name: "the dashboard", rows: of(ScreenAccess::Acting) },
        KeyScope { name: "a replay", rows: of(ScreenAccess::Replaying) },
        KeyScope { name: "the lists of home", rows: lists },
        KeyScope { name: "a plan", rows: plan },
        KeyScope { name: "the monitor", rows: monitor },
    ]
}

/// A choice with a known action, and those of its keys that parse.
struct ValidKeyChoice<'a> {
    action: &'a str,
    keys: Vec<(Key, &'a SpannedWord)>,
    /// All that was written was wrong, so that the usual keys stay.
    is_void: bool,
}

/// The keymap with all that is good of the choices. A key of another action is not taken; an action that is left
/// without any keeps its usual ones.
pub fn build_keymap(written: &[KeyChoice]) -> (Keymap, Vec<Problem>) {
    let mut problems = Vec::new();
    let mut choices: Vec<ValidKeyChoice<'_>> =
        written.iter().filter_map(|choice| parse_choice(choice, &mut problems)).collect();
    problems.extend(find_clashes(&choices).into_iter().map(|clash| clash.problem));
    choices.retain(|choice| !choice.is_void);
    // What goes back to its usual keys may meet another choice there.
    while let Some(Clash { blamed, problem }) = find_clashes(&choices).into_iter().next() {
        for choice in choices.iter_mut().filter(|choice| choice.action == blamed) {
            choice.keys.retain(|(_, word)| word.span != problem.span);
        }
        choices.retain(|choice| choice.action != blamed || !choice.keys.is_empty());
    }
    let chosen = choices.into_iter().map(|choice| {
        let mut keys: Vec<Key> = choice.keys.into_iter().map(|(key, _)| key).collect();
        if choice.action == LEAVE.0 {
            keys.push(LEAVE.1);
        }
        (choice.action.to_owned(), keys)
    });
    (Keymap::new(chosen.collect()), problems)
}

fn parse_choice<'a>(choice: &'a KeyChoice, problems: &mut Vec<Problem>) -> Option<ValidKeyChoice<'a>> {
    let action = choice.action.text.as_str();
    let names: Vec<&str> = action_names().collect();
    if !names.contains(&action) {
        let hint = match did_you_mean(action, names) {
            Some(name) => format!("did you mean `{name}`?"),
            None => "`sweepdeck keys` lists all actions".to_owned(),
        };
        let message = format!("there is no action `{action}`");
        problems.push(Problem::new(choice.action.span.clone(), message).with_hint(hint));
        return None;
    }
    let mut keys = Vec::new();
    for word in &choice.keys {
        match word.text.parse::<Key>() {
            Ok(key) => keys.push((key, word)),
            Err(InvalidKey { message, hint }) => {
                problems.push(Problem::new(word.span.clone(), message).with_hint(hint));
            }
        }
    }
    let is_void = keys.is_empty() && !choice.keys.is_empty();
    Some(ValidKeyChoice { action, keys, is_void })
}

/// The names of all actions.
fn action_names() -> impl Iterator<Item = &'static str> {
    list_places().into_iter().flat_map(|place| place.rows).map(|(name, _)| name)
}

/// Two actions of one place on one key.
struct Clash<'a> {
    /// The action that was given the key; of two, the one written later.
    blamed: &'a str,
    problem: Problem,
}

fn find_clashes<'a>(choices: &[ValidKeyChoice<'a>]) -> Vec<Clash<'a>> {
    let mut found: Vec<Clash<'a>> = Vec::new();
    for place in list_places() {
        // The usual keys first, so that a chosen one meets them.
        let mut owners: BTreeMap<String, &str> = BTreeMap::new();
        let is_chosen = |name: &str| choices.iter().any(|choice| choice.action == name);
        for (name, keys) in place.rows.iter().filter(|(name, _)| !is_chosen(name)) {
            owners.extend(keys.iter().map(|key| (key.to_string(), *name)));
        }
        for choice in
            choices.iter().filter(|choice| place.rows.iter().any(|(name, _)| *name == choice.action))
        {
            for (key, word) in &choice.keys {
                let owner = *owners.entry(key.to_string()).or_insert(choice.action);
                let is_known = found.iter().any(|clash| clash.problem.span == word.span);
                if owner != choice.action && !is_known {
                    found.push(make_clash(choice.action, owner, *key, word, place.name));
                }
            }
        }
    }
    found
}

fn make_clash<'a>(action: &'a str, owner: &str, key: Key, word: &SpannedWord, place: &str) -> Clash<'a> {
    let message = format!("in {place} `{key}` is the key of `{owner}`, and cannot be that of `{action}` too");
    let hint = format!("take another, or give `{owner}` another; `{owner} = []` leaves it without a key");
    Clash { blamed: action, problem: Problem::new(word.span.clone(), message).with_hint(hint) }
}

#[cfg(test)]
mod tests {
    use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::*;
    use crate::config::settings::read_settings;
    use crate::tui::keymap::action::{Action, LogAction, RunAction};
    use crate::tui::keymap::lookup::find_action;
    use crate::tui::keymap::table::BINDINGS;

    /// Returns the keymap and the problems of a `[keys]` table.
    fn chosen(keys: &str) -> (Keymap, Vec<String>) {
        let source = format!("[keys]\n{keys}\n");
        let (settings, problems) = read_settings(&source);
        assert_eq!(problems, []);
        let (keymap, problems) = build_keymap(&settings.keys);
        let told = problems.into_iter().map(|problem| {
            let place = &source[problem.span];
            format!("{place}: {}; {}", problem.message, problem.hint.unwrap_or_default())
        });
        (keymap, told.collect())
    }

    fn does(keymap: &Keymap, c: char) -> Option<Action> {
        find_action(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE), ScreenAccess::Acting, keymap)
    }

    #[test]
    fn chosen_keys_take_the_place_of_the_usual_ones() {
        let (keymap, told) = chosen("requeue = \"Q\"\nzoom = [\"space\", \"f5\"]\nmark = []\nplay = \"p\"");
        assert_eq!(told, [""; 0]);
        assert_eq!(does(&keymap, 'Q'), Some(Action::Run(RunAction::Requeue)));
        assert_eq!(does(&keymap, 'r'), None);
        assert_eq!(does(&keymap, ' '), Some(Action::Zoom));
        assert_eq!(does(&keymap, 'x'), Some(Action::Run(RunAction::Kill)));
        let zoom = BINDINGS.iter().find(|binding| binding.name == "zoom").unwrap();
        assert_eq!(zoom.key_text(&keymap), "Space F5");
    }

    #[test]
    fn two_actions_may_swap_their_keys() {
        let (keymap, told) = chosen("requeue = \"R\"\nrequeue-failed = \"r\"");
        assert_eq!(told, [""; 0]);
        assert_eq!(does(&keymap, 'r'), Some(Action::Run(RunAction::RequeueFailed)));
        assert_eq!(does(&keymap, 'R'), Some(Action::Run(RunAction::Requeue)));
    }

    #[test]
    fn a_key_of_another_action_is_told_and_not_taken() {
        let (keymap, told) = chosen("requeue = \"x\"");
        assert_eq!(
            told,
            [
                "\"x\": in the dashboard `x` is the key of `kill`, and cannot be that of `requeue` too; take another, or \
              give `kill` another; `kill = []` leaves it without a key"
            ]
        );
        assert_eq!(does(&keymap, 'x'), Some(Action::Run(RunAction::Kill)));
        assert_eq!(does(&keymap, 'r'), Some(Action::Run(RunAction::Requeue)));
        let (keymap, told) = chosen("requeue = [\"x\", \"Q\"]");
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!((does(&keymap, 'Q'), does(&keymap, 'r')), (Some(Action::Run(RunAction::Requeue)), None));
        let (keymap, told) = chosen("wrap = \"Z\"\nzoom = \"Z\"");
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains("`Z` is the key of `wrap`, and cannot be that of `zoom` too"), "{told:?}");
        assert_eq!(does(&keymap, 'z'), Some(Action::Zoom));
    }

    #[test]
    fn keys_of_different_places_do_not_meet() {
        let (_, told) = chosen("tick = \"x\"\nstart = \"r\"\nplay = \"x\"");
        assert_eq!(told, [""; 0]);
        let (_, told) = chosen("start = \"space\"");
        assert!(told[0].contains("in a plan `Space` is the key of `tick`"), "{told:?}");
    }

    #[test]
    fn a_choice_that_is_taken_back_gives_its_usual_key_back_to_nobody_else() {
        // `kill` keeps `x` because its own choice is bad, so that `wrap` cannot have it.
        let (keymap, told) = chosen("kill = \"ctrl-c\"\nwrap = \"x\"");
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!(does(&keymap, 'x'), Some(Action::Run(RunAction::Kill)));
        assert_eq!(does(&keymap, 'w'), Some(Action::Log(LogAction::Wrap)));
    }

    #[test]
    fn unknown_actions_and_keys_are_told_with_what_was_meant() {
        let (_, told) = chosen(
            "reqeue = \"r\"\nkill = \"shift-x\"\nzoom = \"ctrl-i\"\nwrap = \"alt-w\"\nback = \"spce\"\nup = \"hyper\"",
        );
        let expected = [
            "reqeue: there is no action `reqeue`; did you mean `requeue`?",
            "\"shift-x\": there is no key `shift-x`; write `X`",
            "\"ctrl-i\": `ctrl-i` cannot be chosen; terminals send it as Tab: write `tab`",
        ];
        assert_eq!(told[..3], expected);
        assert!(told[3].contains("cannot be told from Esc"), "{told:?}");
        assert!(told[4].contains("did you mean `space`?"), "{told:?}");
        assert!(told[5].contains("`ctrl-` and a letter"), "{told:?}");
    }

    #[test]
    fn ctrl_c_always_leaves() {
        let (keymap, told) = chosen("detach = \"Q\"");
        assert_eq!(told, [""; 0]);
        let event = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(find_action(event, ScreenAccess::Acting, &keymap), Some(Action::Detach));
    }

    #[test]
    fn every_key_that_is_shown_can_be_written() {
        let usual = BINDINGS.iter().flat_map(|binding| binding.keys).map(Key::to_string);
        for shown in usual.filter(|shown| shown != "Ctrl-C") {
            assert_eq!(shown.parse::<Key>().map(|key| key.to_string()), Ok(shown));
        }
    }
}
