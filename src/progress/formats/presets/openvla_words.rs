//! What a line of a LIBERO evaluation says: the words before one of its colons.

use memchr::memchr_iter;

/// The statement that a line makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Saying {
    /// A suite of tasks begins.
    Suite,
    /// How an episode ended.
    Outcome,
    /// So many episodes are over.
    Episodes,
    /// So many of them succeeded.
    Successes,
    /// A task is over; this is its share of successes.
    TaskRate,
    /// The share of successes so far.
    RunningRate,
    /// All episodes there were.
    FinalEpisodes,
    /// All successes there were.
    FinalSuccesses,
    /// The share of successes at the end.
    FinalRate,
    /// Successes and episodes at the end: `47/50`.
    FinalCounts,
    /// An exception ended an episode.
    Exception,
}

/// Returns the first known words on the line, and the text behind their colon. Prefixes of loggers have colons too, so
/// each colon is tried; bars come before the words as well as behind the value.
pub fn saying_of(line: &[u8]) -> Option<(Saying, &[u8])> {
    memchr_iter(b':', line).find_map(|colon| Some((saying(&line[..colon])?, &line[colon + 1..])))
}

fn saying(words: &[u8]) -> Option<Saying> {
    // Most colons belong to times and prefixes: the last letters show that at once.
    let (ending, saying): (&[u8], Saying) = match words.last_chunk()? {
        b" far" => (b"# episodes completed so far", Saying::Episodes),
        b"cess" => (b"Success", Saying::Outcome),
        b"uite" => (b"Task suite", Saying::Suite),
        b"tion" => (b"Caught exception", Saying::Exception),
        b"rror" => (b"Episode error", Saying::Exception),
        b"ated" => (b"Total episodes evaluated", Saying::FinalEpisodes),
        b"odes" => (b"Total episodes", Saying::FinalEpisodes),
        b"ults" => (b"Final results", Saying::FinalCounts),
        b"sses" if words.ends_with(b"# successes") => (b"# successes", Saying::Successes),
        b"sses" => (b"Total successes", Saying::FinalSuccesses),
        b"rate" if words.ends_with(b"task success rate") => (b"Current task success rate", Saying::TaskRate),
        b"rate" if words.ends_with(b"total success rate") => {
            (b"Current total success rate", Saying::RunningRate)
        }
        b"rate" if words.ends_with(b"Total success rate") => (b"Total success rate", Saying::FinalRate),
        b"rate" => (b"Overall success rate", Saying::FinalRate),
        _ => return None,
    };
    words.ends_with(ending).then_some(saying)
}

/// Reads `True` or `False`, also with a small initial.
pub fn truth(value: &[u8]) -> Option<bool> {
    match value {
        [b'T' | b't', b'r', b'u', b'e', ..] => Some(true),
        [b'F' | b'f', b'a', b'l', b's', b'e', ..] => Some(false),
        _ => None,
    }
}

/// Reports whether the value is on the next line: a logger has wrapped this one, and the text here names the source,
/// such as `run_libero_eval.py:143`.
pub fn is_on_next_line(value: &[u8]) -> bool {
    let digits = value.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && value[..value.len() - digits].ends_with(b".py:") && !value.contains(&b' ')
}
