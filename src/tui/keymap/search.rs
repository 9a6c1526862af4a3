//! Finding actions by a few letters of what they do.

use super::action::Action;
use super::binding::Binding;
use super::chosen::Keymap;
use super::key::Key;
use super::lookup::bindings;
use crate::tui::model::screen::Access;

/// Letters of a word may be left out, but what stands between them must not get longer than this.
const WIDEST_GAP: usize = 8;

/// The actions that exist for somebody with this access and fit what was typed, best first; all of them where nothing
/// was typed. Every typed word must fit.
pub fn found(typed: &str, access: Access, keymap: &Keymap) -> Vec<&'static Binding> {
    let words: Vec<String> = typed.split_whitespace().map(str::to_lowercase).collect();
    let offered = bindings(access).filter(|binding| binding.action != Action::Palette);
    let mut ranked: Vec<(usize, &Binding)> = offered
        .filter_map(|binding| Some((distance(binding, keymap, typed.trim(), &words)?, binding)))
        .collect();
    // The order of the keymap decides among equals.
    ranked.sort_by_key(|(distance, _)| *distance);
    ranked.into_iter().map(|(_, binding)| binding).collect()
}

/// How far the typed words are from a binding; none where one of them does not fit.
fn distance(binding: &Binding, keymap: &Keymap, typed: &str, words: &[String]) -> Option<usize> {
    let is_typed = |key: &Key| key.to_string() == typed;
    if keymap.keys(binding.name, binding.keys).iter().any(is_typed) {
        return Some(0);
    }
    let text = format!("{} {}", binding.short.unwrap_or_default(), binding.help).to_lowercase();
    words.iter().map(|word| of_word(word, &text)).sum()
}

/// 1 for the begin of the text, 2 for that of a word, 3 for a place inside one, more the more letters stand between.
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
    let tightest = (0..letters.len()).filter_map(|from| gaps(word, &letters[from..])).min()?;
    (tightest <= WIDEST_GAP).then_some(3 + tightest)
}

/// How many letters stand between those of the word, where its first one is the first of the text.
fn gaps(word: &str, text: &[char]) -> Option<usize> {
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

    use super::*;
    use crate::tui::keymap::binding::Group;

    fn first(typed: &str) -> Option<Action> {
        found(typed, Access::Acting, &Keymap::default()).first().map(|binding| binding.action)
    }

    #[test]
    fn a_few_letters_find_the_action() {
        assert_eq!(first("kill"), Some(Action::Kill));
        assert_eq!(first("requeue failed"), Some(Action::RequeueFailed));
        assert_eq!(first("theme"), Some(Action::Theme));
        assert_eq!(first("dtch"), Some(Action::Detach));
        assert_eq!(first("R"), Some(Action::RequeueFailed), "a key finds what it does");
        assert_eq!(first("zzzz"), None);
    }

    #[test]
    fn nothing_typed_is_everything_in_the_order_of_the_keymap() {
        let all: Vec<Action> =
            found("", Access::Acting, &Keymap::default()).iter().map(|binding| binding.action).collect();
        let keymap = bindings(Access::Acting).map(|binding| binding.action);
        assert_eq!(all, keymap.filter(|action| *action != Action::Palette).collect::<Vec<_>>());
    }

    proptest! {
        #[test]
        fn readers_find_nothing_that_acts(typed in ".{0,12}") {
            let acting = found(&typed, Access::ReadOnly, &Keymap::default()).iter().any(|binding| binding.group == Group::Act);
            prop_assert!(!acting);
        }
    }
}
