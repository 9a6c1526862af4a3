//! Keys in the list of themes: they move in it, and the screen follows.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::tui::model::overlays::theme_chooser::{ThemeChooser, ThemeRequest};

/// More than there are themes.
const FAR: isize = isize::MAX / 2;

/// Takes a key; closes the list with a choice, and with Esc, which goes back to the theme before.
pub fn handle_key(list: &mut Option<ThemeChooser>, event: KeyEvent) -> Option<ThemeRequest> {
    let chooser = list.as_mut()?;
    if event.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
        return None;
    }
    let before = chooser.chosen;
    match event.code {
        KeyCode::Up | KeyCode::Char('k') => chooser.move_cursor(-1),
        KeyCode::Down | KeyCode::Char('j') => chooser.move_cursor(1),
        KeyCode::Home | KeyCode::Char('g') | KeyCode::PageUp => chooser.move_cursor(-FAR),
        KeyCode::End | KeyCode::Char('G') | KeyCode::PageDown => chooser.move_cursor(FAR),
        KeyCode::Char('t') => chooser.cycle_line(),
        KeyCode::Tab | KeyCode::Char('p') => chooser.switch_ground(),
        KeyCode::Enter => {
            // One that cannot be drawn with cannot be kept; its line shows why.
            let kept = chooser.chosen_line().filter(|line| line.kind.is_ok())?.name.clone();
            *list = None;
            return Some(ThemeRequest::Keep(kept));
        }
        KeyCode::Esc | KeyCode::Char('q') => {
            let shown = chooser.before.clone();
            *list = None;
            return Some(ThemeRequest::Show(shown));
        }
        _ => {}
    }
    let line = chooser.chosen_line().filter(|_| chooser.chosen != before)?;
    // What cannot be drawn with leaves the screen as it was.
    line.kind.is_ok().then(|| ThemeRequest::Show(line.name.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::model::overlays::theme_chooser::ThemeKind;
    use crate::tui::model::overlays::theme_chooser::ThemeLine;
    use crate::tui::theme::file::ThemeGround;

    fn list() -> Option<ThemeChooser> {
        let line = |name: &str, ground, pair: &str| ThemeLine {
            name: name.to_owned(),
            is_own: false,
            kind: Ok(ThemeKind { ground, pair: Some(pair.to_owned()) }),
        };
        let bad = ThemeLine { name: "mine".to_owned(), is_own: true, kind: Err("no role `txt`".to_owned()) };
        let lines = vec![
            line("dark", ThemeGround::Dark, "light"),
            line("night", ThemeGround::Dark, "day"),
            line("light", ThemeGround::Light, "dark"),
            bad,
        ];
        Some(ThemeChooser::new(lines, "dark"))
    }

    fn type_keys(list: &mut Option<ThemeChooser>, codes: &[KeyCode]) -> Vec<ThemeRequest> {
        codes.iter().filter_map(|code| handle_key(list, KeyEvent::new(*code, KeyModifiers::NONE))).collect()
    }

    fn show(name: &str) -> ThemeRequest {
        ThemeRequest::Show(name.to_owned())
    }

    #[test]
    fn the_screen_follows_the_cursor_and_enter_keeps_what_it_shows() {
        let mut list = list();
        let keys = [KeyCode::Up, KeyCode::Down, KeyCode::Char('t'), KeyCode::Enter];
        let kept = ThemeRequest::Keep("light".to_owned());
        assert_eq!(type_keys(&mut list, &keys), [show("night"), show("light"), kept]);
        assert_eq!(list, None);
    }

    #[test]
    fn esc_goes_back_to_what_was() {
        let mut list = list();
        assert_eq!(type_keys(&mut list, &[KeyCode::Down, KeyCode::Esc]), [show("night"), show("dark")]);
        assert_eq!(list, None);
    }

    #[test]
    fn tab_turns_to_the_other_ground_and_back() {
        let mut list = list();
        assert_eq!(type_keys(&mut list, &[KeyCode::Tab, KeyCode::Tab]), [show("light"), show("dark")]);
        // The pair of `night` is not there.
        assert_eq!(type_keys(&mut list, &[KeyCode::Down, KeyCode::Tab]), [show("night")]);
    }

    #[test]
    fn a_theme_with_a_mistake_is_neither_shown_nor_kept() {
        let mut list = list();
        assert_eq!(type_keys(&mut list, &[KeyCode::End, KeyCode::Enter]), []);
        assert_eq!(
            list.as_ref().and_then(|list| list.chosen_line()).map(|line| line.name.as_str()),
            Some("mine")
        );
    }
}
