//! The last lines of a file of any size, read from its end.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use memchr::memrchr;

/// So much is read at once, going backwards.
const BLOCK: u64 = 64 * 1024;

/// The end of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileTail {
    /// Position in the file at which `bytes` begins.
    pub offset: u64,
    /// From there to the end of the file.
    pub bytes: Vec<u8>,
}

/// Reads the last `count` lines, but at most `limit` bytes: a progress bar is one line of any length. A newline at the
/// very end begins no further line.
pub fn last_lines(file: &File, count: usize, limit: u64) -> io::Result<FileTail> {
    let length = file.metadata()?.len();
    if count == 0 {
        return Ok(FileTail { offset: length, bytes: Vec::new() });
    }
    let floor = length.saturating_sub(limit);
    let mut blocks: Vec<Vec<u8>> = Vec::new();
    let mut offset = length;
    let mut missing = count;
    while offset > floor {
        let start = offset.saturating_sub(BLOCK).max(floor);
        let mut block = vec![0; (offset - start) as usize];
        file.read_exact_at(&mut block, start)?;
        let counted = if offset == length { block.len().saturating_sub(1) } else { block.len() };
        offset = start;
        if let Some(begin) = nth_newline_from_end(&block[..counted], &mut missing) {
            offset += begin as u64 + 1;
            block.drain(..=begin);
            blocks.push(block);
            break;
        }
        blocks.push(block);
    }
    blocks.reverse();
    Ok(FileTail { offset, bytes: blocks.concat() })
}

/// The position of the newline before the last `missing` lines; otherwise `missing` shrinks by those found.
fn nth_newline_from_end(block: &[u8], missing: &mut usize) -> Option<usize> {
    let mut end = block.len();
    while let Some(at) = memrchr(b'\n', &block[..end]) {
        *missing -= 1;
        if *missing == 0 {
            return Some(at);
        }
        end = at;
    }
    None
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn end_of(bytes: &[u8], count: usize, limit: u64) -> (u64, String) {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let end = last_lines(&file, count, limit).unwrap();
        (end.offset, String::from_utf8(end.bytes).unwrap())
    }

    #[test]
    fn the_last_lines_end_with_the_file() {
        let text = b"one\ntwo\nthree\n";
        assert_eq!(end_of(text, 2, 1000), (4, "two\nthree\n".into()));
        assert_eq!(end_of(b"one\ntwo\nthr", 2, 1000), (4, "two\nthr".into()));
        assert_eq!(end_of(text, 9, 1000), (0, "one\ntwo\nthree\n".into()));
        assert_eq!(end_of(text, 0, 1000), (14, String::new()));
        assert_eq!(end_of(b"", 3, 1000), (0, String::new()));
        assert_eq!(end_of(b"\n\n\n", 2, 1000), (1, "\n\n".into()));
    }

    #[test]
    fn lines_may_lie_across_blocks() {
        let line = [b"x".repeat(50_000), b"\n".to_vec()].concat();
        let (offset, text) = end_of(&line.repeat(10), 3, 1 << 20);
        assert_eq!((offset, text.len()), (7 * 50_001, 3 * 50_001));
    }

    #[test]
    fn a_line_without_end_is_cut_at_the_limit() {
        assert_eq!(end_of(&b"x".repeat(500_000), 3, 1000), (499_000, "x".repeat(1000)));
    }

    #[test]
    fn a_huge_file_is_not_read_whole() {
        let mut file = tempfile::tempfile().unwrap();
        // A sparse file: reading its two gigabytes would give as many zeros.
        file.set_len(2 << 30).unwrap();
        io::Seek::seek(&mut file, io::SeekFrom::End(0)).unwrap();
        file.write_all(b"\nlast\n").unwrap();
        let end = last_lines(&file, 1, 1 << 20).unwrap();
        assert_eq!((end.offset, end.bytes), ((2 << 30) + 1, b"last\n".to_vec()));
    }
}
