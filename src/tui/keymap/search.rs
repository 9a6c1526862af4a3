//! Finding actions by a few letters of what they do.

use super::action::{Action, List};
use super::binding::Binding;
use super::lookup::{available_bindings, is_of_run};
use super::table::RunBinding;
use crate::tui::model::keys::chosen::Keymap;
use crate::tui::model::keys::keyed::KeyedCommand;
use crate::tui::model::screen::ScreenAccess;
use crate::tui::model::shards::column::ShardColumn;
use crate::tui::model::views::View;

/// Letters of a word may be left out, but the gap between the matching ones must not be longer than this.
const WIDEST_GAP: usize = 8;

/// A line of the palette.
#[derive(Debug, Clone, PartialEq)]
pub struct PaletteEntry<A> {
    /// Its keys as the help shows them.
    pub keys: String,
    /// Description that is shown and searched.
    pub text: String,
    /// Action or choice that the line triggers.
    pub action: A,
}

/// A choice that the palette of the dashboard offers.
#[derive(Debug, Clone, PartialEq)]
pub enum PaletteChoice {
    /// Do what a key does.
    Do(Action),
    /// Sort by a column.
    Sort(ShardColumn),
    /// Run the command of this number of the user's own.
    Own(usize),
}

/// Lists everything that a user with this access can do in a run with these views, the orders of the table, and the
/// commands of the user's own.
pub fn palette_entries(
    (access, views): (ScreenAccess, &[View]),
    keymap: &Keymap,
    columns: Vec<ShardColumn>,
    own: &[KeyedCommand],
) -> Vec<PaletteEntry<PaletteChoice>> {
    let offered = available_bindings(access)
        .filter(|binding| binding.action != Action::Open(List::Palette) && is_of_run(binding.action, views));
    let entry =
        |binding: &RunBinding| PaletteEntry::of_binding(binding, keymap, PaletteChoice::Do(binding.action));
    let sort = |column: ShardColumn| PaletteEntry {
        keys: String::new(),
        text: format!("sort by {}; once more: the other way round", column.title()),
        action: PaletteChoice::Sort(column),
    };
    let command = |(number, own): (usize, &KeyedCommand)| PaletteEntry {
        keys: own.key.map(|key| key.to_string()).unwrap_or_default(),
        text: format!("{}: {}", own.command.name, own.command.command.to_line()),
        action: PaletteChoice::Own(number),
    };
    let own = own.iter().enumerate().map(command);
    offered.map(entry).chain(columns.into_iter().map(sort)).chain(own).collect()
}

impl<A> PaletteEntry<A> {
    /// Returns the line of a key: the word of the footer before the sentence of the help.
    pub fn of_binding<B: Copy, G>(binding: &Binding<B, G>, keymap: &Keymap, action: A) -> Self {
        let help = binding.help;
        let text = binding.short.map_or_else(|| help.to_owned(), |word| format!("{word}: {help}"));
        Self { keys: binding.key_text(keymap), text, action }
    }
}

/// The entries that fit what was typed, best first; all of them where nothing was typed. Every typed word must fit.
pub fn filter_entries<A>(typed: &str, entries: Vec<PaletteEntry<A>>) -> Vec<PaletteEntry<A>> {
    let words: Vec<String> = typed.split_whitespace().map(str::to_lowercase).collect();
    let mut ranked: Vec<(usize, PaletteEntry<A>)> = entries
        .into_iter()
        .filter_map(|entry| Some((match_distance(&entry.keys, &entry.text, typed.trim(), &words)?, entry)))
        .collect();
    // The order of the keymap decides among equals.
    ranked.sort_by_key(|(distance, _)| *distance);
    ranked.into_iter().map(|(_, entry)| entry).collect()
}

/// How far the typed words are from an entry; `None` if one of them does not fit.
fn match_distance(keys: &str, text: &str, typed: &str, words: &[String]) -> Option<usize> {
    if keys.split(' ').any(|key| key == typed && !key.is_empty()) {
        return Some(0);
    }
    let text = text.to_lowercase();
    words.iter().map(|word| of_word(word, &text)).sum()
}

/// Returns 1 for the beginning of the text, 2 for that of a word, 3 for a place inside one, and more the more letters
/// lie between.
fn of_word(word: &str, text: &str) -> Option<usize> {
    if text.starts_with(word) {
        return Some(1);
    }
    if text.contains(&format!(" {word}")) {
        return Some(2);
    }
    if text.contains(word) {
        return Some(3);
    }
    let letters: Vec<char> = text.chars().collect();
    let tightest = (0..letters.len()).filter_map(|from| count_gaps(word, &letters[from..])).min()?;
    (tightest <= WIDEST_GAP).then_some(3 + tightest)
}

/// Counts the letters between those of the word, if the word's first letter is the first of the text.
fn count_gaps(word: &str, text: &[char]) -> Option<usize> {
    let mut wanted = word.chars();
    if wanted.next() != text.first().copied() {
        return None;
    }
    let mut at = 1;
    for letter in wanted {
        at += text[at..].iter().position(|c| *c == letter)? + 1;
    }
    Some(at - word.chars().count())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::action::RunAction;
    use super::*;

    fn all(access: ScreenAccess) -> Vec<PaletteEntry<PaletteChoice>> {
        palette_entries((access, &View::ALL), &Keymap::default(), vec![ShardColumn::Vram], &[])
    }

    fn first(typed: &str) -> Option<PaletteChoice> {
        filter_entries(typed, all(ScreenAccess::Acting)).into_iter().next().map(|entry| entry.action)
    }

    #[test]
    fn a_few_letters_find_the_action() {
        assert_eq!(first("kill"), Some(PaletteChoice::Do(Action::Run(RunAction::Kill))));
        assert_eq!(first("requeue failed"), Some(PaletteChoice::Do(Action::Run(RunAction::RequeueFailed))));
        assert_eq!(first("theme"), Some(PaletteChoice::Do(Action::Open(List::Theme))));
        assert_eq!(first("dtch"), Some(PaletteChoice::Do(Action::Detach)));
        assert_eq!(
            first("R"),
            Some(PaletteChoice::Do(Action::Run(RunAction::RequeueFailed))),
            "a key finds what it does"
        );
        assert_eq!(first("sort vram"), Some(PaletteChoice::Sort(ShardColumn::Vram)));
        assert_eq!(first("zzzz"), None);
    }

    #[test]
    fn nothing_typed_is_everything_in_the_order_of_the_keymap() {
        let shown: Vec<PaletteChoice> =
            filter_entries("", all(ScreenAccess::Acting)).into_iter().map(|entry| entry.action).collect();
        let keymap = available_bindings(ScreenAccess::Acting).map(|binding| binding.action);
        let mut expected: Vec<PaletteChoice> =
            keymap.filter(|action| *action != Action::Open(List::Palette)).map(PaletteChoice::Do).collect();
        expected.push(PaletteChoice::Sort(ShardColumn::Vram));
        assert_eq!(shown, expected);
    }

    proptest! {
        #[test]
        fn readers_find_nothing_that_acts(typed in ".{0,12}") {
            let acts = |choice: &PaletteChoice| {
                let mut of_readers = available_bindings(ScreenAccess::ReadOnly);
                let of_readers = of_readers.any(|binding| PaletteChoice::Do(binding.action) == *choice);
                !of_readers && !matches!(choice, PaletteChoice::Sort(_))
            };
            let acting = filter_entries(&typed, all(ScreenAccess::ReadOnly)).iter().any(|entry| acts(&entry.action));
            prop_assert!(!acting);
        }
    }
}
