//! Text out of the screen: into the clipboard of the terminal, or into a file.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Terminals drop longer sequences whole; of a longer text the end is copied.
const MOST: usize = 72 << 10;

/// The sequence that asks a terminal to copy a text (OSC 52). tmux is asked twice, because it depends on its settings
/// which of both it listens to: itself (`set-clipboard on`) or the terminal around it (`allow-passthrough on`).
pub fn copy_sequence(text: &str, inside_tmux: bool) -> Vec<u8> {
    let mut begin = text.len().saturating_sub(MOST);
    while !text.is_char_boundary(begin) {
        begin += 1;
    }
    let plain = format!("\x1b]52;c;{}\x07", encode_base64(&text.as_bytes()[begin..]));
    if inside_tmux {
        format!("{plain}\x1bPtmux;{}\x1b\\", plain.replace('\x1b', "\x1b\x1b")).into_bytes()
    } else {
        plain.into_bytes()
    }
}

fn encode_base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits =
            group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for letter in 0..4 {
            let place = (bits >> (18 - 6 * letter)) & 63;
            text.push(if letter > group.len() { '=' } else { char::from(LETTERS[place as usize]) });
        }
    }
    text
}

/// Writes a text to a new file, and returns where, or why not. A file that is there already is left as it is.
pub fn save_text(typed: &str, text: &str) -> (String, bool) {
    let home = std::env::var_os("HOME").filter(|_| typed.starts_with("~/"));
    let path = home.map_or_else(|| PathBuf::from(typed), |home| Path::new(&home).join(&typed[2..]));
    let path = std::path::absolute(&path).unwrap_or(path);
    let written = OpenOptions::new().write(true).create_new(true).open(&path);
    match written.and_then(|mut file| file.write_all(text.as_bytes())) {
        Ok(()) => (format!("{} lines written to {}", text.lines().count(), path.display()), false),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            (format!("{} is there already: nothing was written", path.display()), true)
        }
        Err(error) => (format!("cannot write {}: {error}", path.display()), true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_encoded_as_the_terminal_wants_it() {
        assert_eq!(
            ["", "f", "fo", "foo", "foob"].map(|text| encode_base64(text.as_bytes())),
            ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]
        );
        assert_eq!(copy_sequence("hi", false), b"\x1b]52;c;aGk=\x07");
        assert_eq!(copy_sequence("hi", true), b"\x1b]52;c;aGk=\x07\x1bPtmux;\x1b\x1b]52;c;aGk=\x07\x1b\\");
    }

    #[test]
    fn a_file_that_is_there_is_never_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.log").display().to_string();
        assert_eq!(save_text(&path, "one\ntwo\n"), (format!("2 lines written to {path}"), false));
        assert!(save_text(&path, "three\n").1);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\ntwo\n");
    }

    #[test]
    fn of_a_long_text_the_end_is_copied_whole_characters() {
        let copied = copy_sequence(&"é".repeat(MOST), false);
        assert!(copied.len() < 100_000);
    }
}
