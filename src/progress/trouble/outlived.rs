//! Exceptions that the program has outlived before: one that comes again and again is a habit, and seldom its end.

use std::hash::{DefaultHasher, Hash, Hasher};

/// A log must not be able to invent any number of them.
const MOST_KINDS: usize = 32;

/// Named so often, and outlived at least once, it is a habit.
const FEWEST_OF_HABIT: u32 = 3;

/// The exceptions of one run, distinguished by their words without numbers.
#[derive(Debug, Default)]
pub struct Outlived {
    kinds: Vec<ExceptionKind>,
    /// Index in `kinds` of the newest exception.
    newest: Option<usize>,
}

#[derive(Debug)]
struct ExceptionKind {
    words: u64,
    seen: u32,
    is_outlived: bool,
}

impl Outlived {
    /// Takes the line that names an exception; true where the program is used to it.
    pub fn take(&mut self, line: &[u8]) -> bool {
        let words = words_of(line);
        let known = self.kinds.iter().position(|kind| kind.words == words);
        self.newest = known.or_else(|| {
            (self.kinds.len() < MOST_KINDS).then(|| {
                self.kinds.push(ExceptionKind { words, seen: 0, is_outlived: false });
                self.kinds.len() - 1
            })
        });
        let Some(kind) = self.newest.and_then(|newest| self.kinds.get_mut(newest)) else { return false };
        kind.seen += 1;
        kind.is_outlived && kind.seen >= FEWEST_OF_HABIT
    }

    /// The program went on behind the newest one.
    pub fn outlive(&mut self) {
        if let Some(kind) = self.newest.take().and_then(|newest| self.kinds.get_mut(newest)) {
            kind.is_outlived = true;
        }
    }

    /// Another run has habits of its own.
    pub fn forget(&mut self) {
        *self = Self::default();
    }
}

/// The same exception of another process, episode or address, and of other data: what a second colon in its message
/// introduces is quoted.
fn words_of(line: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    let quoted = memchr::memmem::find_iter(line, b": ").nth(1);
    let words = &line[..quoted.unwrap_or(line.len())];
    words.iter().filter(|byte| !byte.is_ascii_digit()).for_each(|byte| byte.hash(&mut hasher));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_is_a_habit_once_it_was_outlived_and_comes_again() {
        let mut outlived = Outlived::default();
        assert!(!outlived.take(b"(Worker pid=12) KeyError: 'x'"));
        assert!(!outlived.take(b"(Worker pid=13) KeyError: 'x'"));
        assert!(!outlived.take(b"(Worker pid=13) KeyError: 'x'"), "nothing shows that the program went on");
        outlived.outlive();
        assert!(outlived.take(b"(Worker pid=14) KeyError: 'x'"));
        assert!(!outlived.take(b"(Worker pid=14) KeyError: 'y'"));
        for quoted in ["'a'", "'b'", "'c'"] {
            let line = format!("ValueError: step 0 - no action in: {quoted}");
            assert_eq!(outlived.take(line.as_bytes()), quoted == "'c'", "{quoted}");
            outlived.outlive();
        }
        outlived.forget();
        assert!(!outlived.take(b"(Worker pid=14) KeyError: 'x'"), "of another run");
    }
}
