//! Completion in bash, which takes `axis=value` for three words and replaces the last of them only.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::Command;
use clap_complete::engine;
use clap_complete::env::EnvCompleter;

use super::word_index::{self, INDEX_VARIABLE};

/// Adapter for bash. That of `clap_complete` offers nothing behind a `=`.
#[derive(Debug)]
pub struct Bash;

/// `mapfile` keeps blanks in candidates; `nosort` is missing in old versions.
const SCRIPT: &str = r#"_NAME_complete() {
    mapfile -t COMPREPLY < <(INDEX="$COMP_CWORD" VARIABLE=bash "COMPLETER" -- "${COMP_WORDS[@]}" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} =~ [=/,]$ ]]; then
        compopt -o nospace
    fi
}
complete -o bashdefault -o nosort -F _NAME_complete BIN 2>/dev/null || complete -o bashdefault -F _NAME_complete BIN
"#;

impl EnvCompleter for Bash {
    fn name(&self) -> &'static str {
        "bash"
    }

    fn is(&self, name: &str) -> bool {
        name == "bash"
    }

    fn write_registration(
        &self,
        variable: &str,
        name: &str,
        program: &str,
        completer: &str,
        script: &mut dyn Write,
    ) -> io::Result<()> {
        let text = SCRIPT
            .replace("NAME", &name.replace('-', "_"))
            .replace("BIN", program)
            .replace("INDEX", INDEX_VARIABLE)
            .replace("VARIABLE", variable)
            .replace("COMPLETER", completer);
        script.write_all(text.as_bytes())
    }

    fn write_complete(
        &self,
        command: &mut Command,
        words: Vec<OsString>,
        folder: Option<&Path>,
        candidates: &mut dyn Write,
    ) -> io::Result<()> {
        let line = join_words(&words, word_index::read_index().unwrap_or(0));
        for candidate in engine::complete(command, line.words, line.index, folder)? {
            let value = candidate.get_value().to_string_lossy();
            // What bash keeps must not be repeated.
            if let Some(rest) = value.strip_prefix(&line.kept) {
                writeln!(candidates, "{}", quote(rest))?;
            }
        }
        Ok(())
    }
}

/// A candidate as bash inserts it: a blank or an asterisk in it must reach the program.
fn quote(value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./=,+%@^~".contains(c) || !c.is_ascii();
    if value.chars().all(is_plain) { value.to_owned() } else { shell_words::quote(value).into_owned() }
}

/// A command line in the words that the program gets.
#[derive(Debug, PartialEq, Eq)]
pub struct JoinedLine {
    /// All words, from the name of the program on.
    pub words: Vec<OsString>,
    /// Position of the word that is completed.
    pub index: usize,
    /// The part of that word that bash does not replace.
    pub kept: String,
}

/// Joins the words that bash took apart at `=`, `:` and `@`.
pub fn join_words(pieces: &[OsString], index: usize) -> JoinedLine {
    let mut line = JoinedLine { words: Vec::new(), index: 0, kept: String::new() };
    let mut previous_splits = false;
    for (place, piece) in pieces.iter().enumerate() {
        let text = piece.to_string_lossy();
        let splits = !text.is_empty() && text.chars().all(|c| "=:@".contains(c));
        let belongs = place > 1 && !text.is_empty() && (splits || previous_splits);
        let before = if belongs { line.words.pop() } else { None }.unwrap_or_default();
        if place == index {
            line.index = line.words.len();
            line.kept = before.to_string_lossy().into_owned();
            if splits {
                line.kept.push_str(&text);
            }
        }
        let mut word = before;
        word.push(unquoted(&text));
        line.words.push(word);
        previous_splits = splits;
    }
    if index >= pieces.len() {
        line.index = line.words.len();
        line.words.push(OsString::new());
    }
    line
}

/// A word without its quotes; one whose quote is still open stays as it is.
fn unquoted(text: &str) -> String {
    match shell_words::split(text) {
        Ok(mut words) if words.len() == 1 => words.pop().unwrap_or_default(),
        Ok(_) | Err(_) => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(pieces: &[&str], index: usize) -> (Vec<String>, usize, String) {
        let pieces: Vec<OsString> = pieces.iter().map(OsString::from).collect();
        let line = join_words(&pieces, index);
        let words = line.words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        (words, line.index, line.kept)
    }

    #[test]
    fn a_value_behind_an_equals_sign_is_one_word() {
        let (words, index, kept) = joined(&["sweepdeck", "run", "--only", "policy", "=", "fl"], 5);
        assert_eq!(words, ["sweepdeck", "run", "--only", "policy=fl"]);
        assert_eq!((index, kept.as_str()), (3, "policy="));
        let (words, index, kept) = joined(&["sweepdeck", "run", "--only", "policy", "="], 4);
        assert_eq!(words, ["sweepdeck", "run", "--only", "policy="]);
        assert_eq!((index, kept.as_str()), (3, "policy="));
        let (words, _, kept) = joined(&["sweepdeck", "run", "--only", "a", "=", "1,b", "=", "2"], 7);
        assert_eq!(words, ["sweepdeck", "run", "--only", "a=1,b=2"]);
        assert_eq!(kept, "a=1,b=");
    }

    #[test]
    fn an_empty_word_begins_another_one() {
        let (words, index, kept) = joined(&["sweepdeck", "kill", "a", ""], 3);
        assert_eq!(words, ["sweepdeck", "kill", "a", ""]);
        assert_eq!((index, kept.as_str()), (3, ""));
        let (words, index, _) = joined(&["sweepdeck", "kill"], 2);
        assert_eq!((words.len(), index), (3, 2));
    }

    #[test]
    fn candidates_with_blanks_are_quoted() {
        assert_eq!(quote("policy="), "policy=");
        assert_eq!(quote("a b"), "'a b'");
    }
}
