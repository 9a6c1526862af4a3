//! The little of shell text that is certain without a shell: its first word, and plain words.

/// The program a command line begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FirstWord {
    pub(super) word: String,
    /// Nothing else runs: if this program is missing, the command has failed.
    pub(super) alone: bool,
}

/// Words that bash answers itself.
const BASH_WORDS: [&str; 66] = [
    "!", ".", ":", "[", "[[", "{", "}", "alias", "bg", "bind", "break", "builtin", "caller", "case", "cd",
    "command", "compgen", "complete", "continue", "coproc", "declare", "dirs", "disown", "do", "done",
    "echo", "elif", "else", "enable", "esac", "eval", "exec", "exit", "export", "false", "fi", "for",
    "function", "getopts", "hash", "if", "jobs", "kill", "let", "local", "mapfile", "popd", "printf",
    "pushd", "pwd", "read", "readonly", "return", "select", "set", "shift", "shopt", "source", "test",
    "then", "time", "trap", "type", "ulimit", "until", "while",
];

/// Builtins that are no programs anywhere, for which a search would find nothing.
const MORE_BASH_WORDS: [&str; 13] = [
    "typeset", "true", "umask", "unalias", "unset", "wait", "fg", "fc", "help", "history", "logout",
    "readarray", "suspend",
];

/// The first word, where it is plainly a program: no builtin, keyword, assignment, function or expansion.
pub(super) fn first_word(text: &str) -> Option<FirstWord> {
    let text = text.replace("\\\n", " ");
    let start =
        text.lines().map(str::trim_start).position(|line| !line.is_empty() && !line.starts_with('#'))?;
    let code: String = text.lines().skip(start).collect::<Vec<_>>().join("\n");
    let code = code.trim();
    let end = code.find(|c: char| !is_plain(c)).unwrap_or(code.len());
    let (word, rest) = code.split_at(end);
    // A `=` makes an assignment; anything but a blank or an operator goes on with the word in a way only a shell knows.
    let ends = rest.chars().next().is_none_or(|c| c.is_whitespace() || ";&|<>".contains(c));
    let is_function = rest.trim_start().starts_with('(');
    if word.is_empty() || word.contains('=') || !ends || is_function || is_bash_word(word) {
        return None;
    }
    Some(FirstWord {
        word: word.to_owned(),
        alone: !rest.contains([';', '&', '|', '\n', '`']) && !rest.contains("$("),
    })
}

/// The plain words of shell text; those with quotes or expansions are left out.
pub(super) fn plain_words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c.is_whitespace() || ";&|<>()".contains(c));
    words.filter(|word| !word.is_empty() && word.chars().all(|c| is_plain(c) || c == '~'))
}

fn is_bash_word(word: &str) -> bool {
    BASH_WORDS.contains(&word) || MORE_BASH_WORDS.contains(&word)
}

fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || "_@%+=:,./-".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str) -> Option<(String, bool)> {
        first_word(text).map(|first| (first.word, first.alone))
    }

    #[test]
    fn programs_are_found_and_nothing_else_is_taken_for_one() {
        assert_eq!(word("./isaaclab.sh -p x \\\n  --headless\n"), Some(("./isaaclab.sh".into(), true)));
        assert_eq!(word("\n# note\npython eval.py"), Some(("python".into(), true)));
        assert_eq!(word("nvidia-smi || true"), Some(("nvidia-smi".into(), false)));
        assert_eq!(word("a\nb"), Some(("a".into(), false)));
        for text in [
            "", "A=1 python x", "if true; then x; fi", "cd x && y", "f() { x; }; f", "f () { x; }",
            "$PYTHON x", "~/bin/x", "\"a b\" c", "[ -f x ] && y", "(x)", "{ x; }", "! x", "a[1]=2", "py*n x",
            "{{ out }}/x", "pyth'on' x", "echo hello", "source x", "# only a comment",
        ] {
            assert_eq!(word(text), None, "{text}");
        }
    }
}
