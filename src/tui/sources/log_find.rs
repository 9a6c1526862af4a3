//! Looks for a text in a log of any size, from a place upwards or downwards, a piece of the file at a time.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use memchr::memmem;

use crate::tui::message::LogFound;

/// So much is held in memory.
const BLOCK: u64 = 4 << 20;

/// So much is searched at once; it takes about a quarter of a second, and the screen waits.
pub const AT_ONCE: u64 = 256 << 20;

/// The result of a search in a log file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogSearchResult {
    /// The text begins at this offset.
    At(u64),
    /// Not up to here, where the search goes on.
    NotUpTo(u64),
    /// Nowhere in that direction.
    Nowhere,
}

/// Returns the result of a search in the words of the screen; or why the file cannot be searched.
pub fn search_result(found: io::Result<LogSearchResult>, up: bool, path: &Path) -> Result<LogFound, String> {
    match found {
        Ok(LogSearchResult::At(offset)) => Ok(LogFound::At(offset)),
        Ok(LogSearchResult::NotUpTo(offset)) => Ok(LogFound::NotUpTo { offset, up }),
        Ok(LogSearchResult::Nowhere) => Ok(LogFound::Nowhere),
        Err(error) => Err(format!("cannot search {}: {error}", path.display())),
    }
}

/// Looks for the bytes above or below a place. With `small`, ASCII capitals of the log count as lowercase
/// letters.
pub fn find_bytes(
    file: &File,
    from: u64,
    up: bool,
    (needle, small): (&[u8], bool),
) -> io::Result<LogSearchResult> {
    let length = file.metadata()?.len();
    let overlap = needle.len().saturating_sub(1) as u64;
    let mut at = from.min(length);
    let mut searched = 0;
    loop {
        let (start, end) = if up { (at.saturating_sub(BLOCK), at) } else { (at, (at + BLOCK).min(length)) };
        if start >= end {
            return Ok(LogSearchResult::Nowhere);
        }
        // What lies across the edge of two pieces belongs to the upper one.
        let mut bytes = vec![0; ((end + overlap).min(length) - start) as usize];
        file.read_exact_at(&mut bytes, start)?;
        if small {
            bytes.make_ascii_lowercase();
        }
        let hit = if up {
            memmem::rfind_iter(&bytes, needle).find(|hit| start + (*hit as u64) < end)
        } else {
            memmem::find(&bytes, needle)
        };
        if let Some(hit) = hit {
            return Ok(LogSearchResult::At(start + hit as u64));
        }
        at = if up { start } else { end };
        searched += end - start;
        if searched >= AT_ONCE {
            return Ok(LogSearchResult::NotUpTo(at));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn file(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    #[test]
    fn the_nearest_is_found_in_both_directions() {
        let file = file(b"one Two\none two\nthree\n");
        let two: (&[u8], bool) = (b"two", true);
        assert_eq!(find_bytes(&file, 22, true, two).unwrap(), LogSearchResult::At(12));
        assert_eq!(find_bytes(&file, 12, true, two).unwrap(), LogSearchResult::At(4));
        assert_eq!(find_bytes(&file, 4, true, two).unwrap(), LogSearchResult::Nowhere);
        assert_eq!(find_bytes(&file, 0, false, (b"two", false)).unwrap(), LogSearchResult::At(12));
        assert_eq!(find_bytes(&file, 13, false, two).unwrap(), LogSearchResult::Nowhere);
        assert_eq!(
            find_bytes(&file, 900, false, two).unwrap(),
            LogSearchResult::Nowhere,
            "the file has become shorter"
        );
    }

    #[test]
    fn it_is_found_across_the_edge_of_two_pieces() {
        let mut bytes = vec![b'x'; 3 * BLOCK as usize];
        let edge = bytes.len() - BLOCK as usize;
        bytes[edge - 2..edge + 2].copy_from_slice(b"here");
        let file = file(&bytes);
        for (from, up) in [(bytes.len() as u64, true), (0, false)] {
            assert_eq!(
                find_bytes(&file, from, up, (b"here", false)).unwrap(),
                LogSearchResult::At(edge as u64 - 2)
            );
        }
    }

    #[test]
    fn a_huge_log_is_searched_in_several_turns() {
        let file = file(b"needle\n");
        file.set_len(2 << 30).unwrap();
        let mut at = 2 << 30;
        let mut turns = 0;
        while let LogSearchResult::NotUpTo(next) = find_bytes(&file, at, true, (b"needle", false)).unwrap() {
            assert!(next < at);
            (at, turns) = (next, turns + 1);
            if turns == 2 {
                break;
            }
        }
        assert_eq!((turns, at), (2, (2 << 30) - 2 * AT_ONCE));
    }
}
