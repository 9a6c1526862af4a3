//! Files and folders that match a pattern, in the order of people.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

/// A pattern of paths, with the way in which what it finds is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePattern {
    /// Pattern as it was written.
    pattern: String,
    /// The same from the root, with the characters of its folder taken as they are.
    text: String,
    /// Folder that the names of files found below it start from.
    base: Option<PathBuf>,
}

impl FilePattern {
    /// A pattern as it is written in a file of `folder`; `whole` is the same as an absolute path. With `is_short` what
    /// is found is named from the folder, where the pattern is relative.
    pub fn new(pattern: &str, whole: &Path, folder: &Path, is_short: bool) -> Self {
        let is_relative = !pattern.starts_with(['/', '~']);
        // The folder is no pattern, also where its name has a bracket.
        let escaped = glob::Pattern::escape(&folder.to_string_lossy());
        let text =
            if is_relative { format!("{escaped}/{pattern}") } else { whole.to_string_lossy().into_owned() };
        let base = (is_relative && is_short).then(|| folder.to_owned());
        Self { pattern: pattern.to_owned(), text, base }
    }

    /// All that match now: how each is named, and where it is.
    pub fn find_matches(&self) -> Result<Vec<(String, PathBuf)>, String> {
        let pattern = &self.pattern;
        let paths = glob::glob(&self.text).map_err(|error| format!("`{pattern}` is no pattern: {error}"))?;
        let mut found = Vec::new();
        for path in paths {
            let path: PathBuf = path.map_err(|error| format!("`{pattern}`: {error}"))?;
            let shown = self.base.as_ref().and_then(|base| path.strip_prefix(base).ok()).unwrap_or(&path);
            let name =
                shown.to_str().ok_or_else(|| format!("the name of {} is not UTF-8", path.display()))?;
            found.push((name.to_owned(), path));
        }
        found.sort_by(|(a, _), (b, _)| natural_order(a, b));
        Ok(found)
    }
}

/// Runs of digits are compared as numbers: `ckpt_9` before `ckpt_10`.
fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    while !left.is_empty() && !right.is_empty() {
        let (l, r) = (count_digits(left), count_digits(right));
        let order = if l > 0 && r > 0 {
            let (x, y) = (left[..l].trim_start_matches('0'), right[..r].trim_start_matches('0'));
            let order = x.len().cmp(&y.len()).then_with(|| x.cmp(y));
            (left, right) = (&left[l..], &right[r..]);
            order
        } else {
            let (x, y) = (left.chars().next(), right.chars().next());
            left = &left[x.map_or(0, char::len_utf8)..];
            right = &right[y.map_or(0, char::len_utf8)..];
            x.cmp(&y)
        };
        if order.is_ne() {
            return order;
        }
    }
    left.len().cmp(&right.len()).then_with(|| a.cmp(b))
}

fn count_digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_as_people_count() {
        let mut names = ["c_10.pt", "c_9.pt", "c_9b.pt", "b", "c_009.pt"];
        names.sort_by(|a, b| natural_order(a, b));
        assert_eq!(names, ["b", "c_009.pt", "c_9.pt", "c_9b.pt", "c_10.pt"]);
    }
}
