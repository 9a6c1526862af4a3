//! Words for a shell: which characters need no quotes, and how to quote the rest.

/// Reports whether every character means itself in any shell.
pub(in crate::config) fn is_plain(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c))
}

/// The text as one word of a shell.
pub fn shell_quote(text: &str) -> String {
    if is_plain(text) && !text.is_empty() {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// Marks of a path in shell text that still has to be quoted: no text uses these code points.
const OPEN: char = '\u{FDD0}';
const CLOSE: char = '\u{FDD1}';

/// A path whose quotes depend on the text around it, which is not known yet: see [`place_paths`].
pub(in crate::config) fn open_path(path: &str) -> String {
    format!("{OPEN}{path}{CLOSE}")
}

/// Kind of shell text that a character is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    /// Between words, also inside `$( )`.
    Code,
    Single,
    Double,
    Comment,
}

/// Quotes the open paths as their places need it: `"{{ out }}/x"` is as good as `{{ out }}/x`.
pub(in crate::config) fn place_paths(text: &str) -> String {
    if !text.contains(OPEN) {
        return text.to_owned();
    }
    let mut placed = String::with_capacity(text.len());
    // The innermost place is last; a `$(` in double quotes is code again.
    let mut places = vec![Within::Code];
    let mut chars = text.chars();
    let mut before = '\n';
    while let Some(c) = chars.next() {
        let place = places.last().copied().unwrap_or(Within::Code);
        if c == OPEN {
            let path: String = chars.by_ref().take_while(|c| *c != CLOSE).collect();
            placed.push_str(&quoted_within(&path, place));
            before = CLOSE;
            continue;
        }
        placed.push(c);
        if c == '\\' && matches!(place, Within::Code | Within::Double) {
            placed.extend(chars.next());
            before = '\\';
            continue;
        }
        update_quoting(&mut places, place, before, c);
        before = c;
    }
    placed
}

/// Follows one character of shell text in or out of quotes, comments and `( )`.
fn update_quoting(places: &mut Vec<Within>, place: Within, before: char, c: char) {
    match (place, c) {
        (Within::Code, '\'') => places.push(Within::Single),
        (Within::Code, '"') => places.push(Within::Double),
        (Within::Code, '#') if before.is_whitespace() => places.push(Within::Comment),
        (Within::Code, '(') => places.push(Within::Code),
        (Within::Double, '(') if before == '$' => places.push(Within::Code),
        // The `)` of a `case` arm closes nothing.
        (Within::Code, ')') if places.len() > 1 => _ = places.pop(),
        (Within::Single, '\'') | (Within::Double, '"') | (Within::Comment, '\n') => _ = places.pop(),
        (Within::Code | Within::Single | Within::Double | Within::Comment, _) => {}
    }
}

fn quoted_within(path: &str, place: Within) -> String {
    match place {
        Within::Code => shell_quote(path),
        Within::Single => path.replace('\'', r"'\''"),
        Within::Double => {
            path.replace('\\', r"\\").replace('"', "\\\"").replace('$', "\\$").replace('`', "\\`")
        }
        Within::Comment => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_as_their_place_needs_it() {
        let path = open_path("/a b/$x'");
        let placed = |text: &str| place_paths(&text.replace('P', &path));
        assert_eq!(placed("x P/y"), r"x '/a b/$x'\'''/y");
        assert_eq!(placed("x \"P/y\" P"), r#"x "/a b/\$x'/y" '/a b/$x'\'''"#);
        assert_eq!(placed("x 'P/y'"), r"x '/a b/$x'\''/y'");
        assert_eq!(placed(r#"x \"P"#), r#"x \"'/a b/$x'\'''"#);
        assert_eq!(placed("x \"$(cat \"P\")\" "), r#"x "$(cat "/a b/\$x'")" "#);
        assert_eq!(placed("# don't\n\"P\""), "# don't\n\"/a b/\\$x'\"");
        assert_eq!(place_paths(&open_path("/plain/path")), "/plain/path");
    }
}
