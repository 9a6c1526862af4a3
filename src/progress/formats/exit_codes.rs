//! The code with which a process ended, by a name: `EXIT=0`, `rc=143`.

use super::time_behind::before_time;
use crate::progress::text::word::{is_number, is_one_of};

/// Names of the code with which a process ended.
const EXITS: &[&str] = &["exit", "rc", "exit_code", "exitcode", "returncode", "return_code"];

/// `EXIT=0`, and nothing but a time behind it.
pub fn gives_exit_0(words: &[String]) -> bool {
    matches!(before_time(words), Some([name, code]) if is_one_of(name, EXITS) && code == "0")
}

/// `rc=143`, `EXIT=1`: a code other than 0, by its name; agents find exits in the midst of a line.
pub fn gives_exit_code(words: &[String]) -> bool {
    let is_code = |place: usize| {
        let is_named = is_one_of(&words[place], EXITS) && (place == 0 || words[place] != "exit");
        is_named && is_number(&words[place + 1]) && words[place + 1] != "0"
    };
    (1..words.len()).any(|place| is_code(place - 1)) && !words.iter().any(|word| word.starts_with("retry"))
}
