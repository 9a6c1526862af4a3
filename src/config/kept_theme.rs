//! The user's settings with another theme in them, and everything else as it was: comments, order, blanks.

use toml::de::{DeTable, DeValue};

/// The side of a pair of themes that a terminal uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThemeSide {
    /// The theme for dark backgrounds.
    Dark,
    /// The theme for light backgrounds.
    Light,
}

/// Why only the user can decide where the theme belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoPlace {
    /// The file is no TOML.
    #[error("it has mistakes")]
    Malformed,
    /// No place outside tables and values was found.
    #[error("add the line `theme = \"NAME\"` above its tables")]
    Unclear,
    /// There is a table of themes, without an entry for this side.
    #[error("its `theme` has no entry for this terminal's ground")]
    NoSide,
}

/// The text of the settings with this theme.
pub fn with_theme(source: &str, name: &str, side: ThemeSide) -> Result<String, NoPlace> {
    let (document, errors) = DeTable::parse_recoverable(source);
    if !errors.is_empty() {
        return Err(NoPlace::Malformed);
    }
    let value = toml::Value::from(name).to_string();
    let entries = document.get_ref();
    let Some((_, present)) = entries.iter().find(|(key, _)| key.get_ref() == "theme") else {
        let text = with_line(source, &format!("theme = {value}\n"));
        // Lines are no TOML: one inside a value over many lines may look like the start of a table.
        let (document, errors) = DeTable::parse_recoverable(&text);
        let is_there = document.get_ref().iter().any(|(key, _)| key.get_ref() == "theme");
        return if is_there && errors.is_empty() { Ok(text) } else { Err(NoPlace::Unclear) };
    };
    let span = match present.get_ref() {
        DeValue::Table(sides) => {
            let key = match side {
                ThemeSide::Dark => "dark",
                ThemeSide::Light => "light",
            };
            sides.iter().find(|(name, _)| name.get_ref() == key).ok_or(NoPlace::NoSide)?.1.span()
        }
        _ => present.span(),
    };
    Ok(format!("{}{value}{}", &source[..span.start], &source[span.end..]))
}

/// The text with a line that belongs to no table: after the last of its kind, else before the first table and
/// the comment right above it, else at the end.
fn with_line(source: &str, line: &str) -> String {
    let (mut at, mut behind, mut comment) = (0, None, None);
    let mut place = source.len();
    for text in source.split_inclusive('\n') {
        let trimmed = text.trim();
        if trimmed.starts_with('[') {
            place = behind.or(comment).unwrap_or(at);
            break;
        }
        at += text.len();
        comment = if trimmed.starts_with('#') { comment.or(Some(at - text.len())) } else { None };
        if !trimmed.is_empty() && comment.is_none() {
            behind = Some(at);
        }
    }
    let (before, after) = source.split_at(place);
    let end = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    format!("{before}{end}{line}{after}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::config::settings::{ThemeChoice, read_settings};

    fn kept(source: &str, side: ThemeSide) -> Result<String, NoPlace> {
        with_theme(source, "night", side)
    }

    #[test]
    fn the_theme_is_replaced_where_it_stands_and_everything_else_stays() {
        let source = "# mine\ntheme  = 'day' # soft\n\nslow = true\n[keys]\n# often\nkill = \"K\"\n";
        let expected = "# mine\ntheme  = \"night\" # soft\n\nslow = true\n[keys]\n# often\nkill = \"K\"\n";
        assert_eq!(kept(source, ThemeSide::Dark).as_deref(), Ok(expected));
        let pair = "theme = { dark = \"contrast\", light = \"day\" }\n";
        assert_eq!(
            kept(pair, ThemeSide::Dark).as_deref(),
            Ok("theme = { dark = \"night\", light = \"day\" }\n")
        );
        assert_eq!(
            kept("[theme]\nlight = \"day\" # at noon\n", ThemeSide::Light).as_deref(),
            Ok("[theme]\nlight = \"night\" # at noon\n")
        );
    }

    #[test]
    fn a_file_without_a_theme_gets_one_before_its_tables() {
        assert_eq!(kept("", ThemeSide::Dark).as_deref(), Ok("theme = \"night\"\n"));
        assert_eq!(kept("slow = true", ThemeSide::Dark).as_deref(), Ok("slow = true\ntheme = \"night\"\n"));
        assert_eq!(
            kept("slow = true\n\n# my keys\n[keys]\nkill = \"K\"\n", ThemeSide::Dark).as_deref(),
            Ok("slow = true\ntheme = \"night\"\n\n# my keys\n[keys]\nkill = \"K\"\n")
        );
        assert_eq!(
            kept("# all of it\n\n# my keys\n[keys]\n", ThemeSide::Dark).as_deref(),
            Ok("# all of it\n\ntheme = \"night\"\n# my keys\n[keys]\n")
        );
    }

    #[test]
    fn where_it_belongs_is_not_guessed() {
        assert_eq!(kept("theme = \n", ThemeSide::Dark), Err(NoPlace::Malformed));
        assert_eq!(kept("theme = { dark = \"x\" }\n", ThemeSide::Light), Err(NoPlace::NoSide));
        assert_eq!(kept("list = [\n  [1],\n]\n", ThemeSide::Dark), Err(NoPlace::Unclear));
    }

    proptest! {
        #[test]
        fn what_was_kept_is_read_again_and_nothing_else_has_changed(
            theme in proptest::option::of("[a-z]{1,8}"), slow: bool, keys: bool, blank: bool, end: bool,
        ) {
            let mut lines = vec!["# first".to_owned(), format!("slow = {slow}")];
            lines.extend(theme.map(|name| format!("theme = \"{name}\" # why")));
            lines.extend(blank.then(String::new));
            lines.extend(keys.then(|| "# keys\n[keys]\nkill = [\n  \"K\",\n]".to_owned()));
            let source = format!("{}{}", lines.join("\n"), if end { "\n" } else { "" });
            let (before, problems) = read_settings(&source);
            prop_assert!(problems.is_empty());
            let text = kept(&source, ThemeSide::Dark).unwrap();
            let (after, problems) = read_settings(&text);
            prop_assert!(problems.is_empty(), "{text}");
            prop_assert!(matches!(&after.theme, Some(ThemeChoice::Always(name)) if name.text == "night"));
            prop_assert_eq!((after.slow, after.ascii), (before.slow, before.ascii));
            prop_assert_eq!(after.keys.len(), before.keys.len());
            for line in source.lines().filter(|line| !line.starts_with("theme")) {
                prop_assert!(text.lines().any(|kept| kept == line), "{line} is gone from {text}");
            }
        }
    }
}
