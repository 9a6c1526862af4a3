//! Who speaks on a line, where one of several processes names itself: `[rank 0]`, `rank=0/8`, `[seed=7 rank=6]`.

use crate::progress::text::word::is_one_of;

/// A process that names itself at the start of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Speaker<'a> {
    /// Its number among the processes.
    pub number: u64,
    /// What it says.
    pub words: &'a [u8],
}

/// Processes that share work between them.
const PROCESSES: [&str; 7] = ["rank", "worker", "process", "proc", "shard", "actor", "gpu"];

/// Returns who speaks, if the line begins with a name.
pub fn speaker_on(line: &[u8]) -> Option<Speaker<'_>> {
    let mut rest = line.trim_ascii_start();
    let mut named = None;
    loop {
        if let Some(behind) = behind_tag(rest) {
            rest = said_behind(behind);
            continue;
        }
        let text = rest.strip_prefix(b"[").unwrap_or(rest);
        let letters = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let (word, behind) = text.split_at(letters);
        let is_process = is_one_of(word, &PROCESSES);
        // `seed 3/10` counts seeds.
        let is_seed = is_one_of(word, &["seed"]) && behind.starts_with(b"=");
        if !is_process && !is_seed {
            break;
        }
        let Some((number, behind)) = name_number(behind) else { break };
        if is_process {
            // A launcher names it too: `[rank0]: [INFO] rank=0/8`.
            named = Some(number);
        }
        rest = said_behind(behind);
    }
    Some(Speaker { number: named?, words: rest })
}

/// Reports whether both lines name who speaks in the same way, and name different processes.
pub fn are_of_two_processes(one: &[u8], other: &[u8]) -> bool {
    are_named_alike(one, other).is_some_and(|(one, other)| one.number != other.number)
}

/// Reports whether both lines name the same process, and the second one says something.
pub fn are_of_one_process(one: &[u8], other: &[u8]) -> bool {
    are_named_alike(one, other)
        .is_some_and(|(one, other)| one.number == other.number && !other.words.trim_ascii().is_empty())
}

/// `[worker 0] …` and `[worker 1] …`; `GPU 0: …` is no name of another worker.
fn are_named_alike<'a>(one: &'a [u8], other: &'a [u8]) -> Option<(Speaker<'a>, Speaker<'a>)> {
    let (first, second) = speaker_on(one).zip(speaker_on(other))?;
    let name = |line: &'a [u8], speaker: &Speaker<'a>| {
        line[..line.len() - speaker.words.len()].iter().filter(|byte| !byte.is_ascii_digit())
    };
    name(one, &first).eq(name(other, &second)).then_some((first, second))
}

/// What follows the signs that end a name.
fn said_behind(text: &[u8]) -> &[u8] {
    let text = text.strip_prefix(b"]").unwrap_or(text);
    text.strip_prefix(b":").unwrap_or(text).trim_ascii_start()
}

/// The text behind `[RESULT]`.
fn behind_tag(line: &[u8]) -> Option<&[u8]> {
    let inside = line.strip_prefix(b"[")?;
    let letters = inside.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    inside[letters..].strip_prefix(b"]").filter(|_| letters > 0)
}

/// `=0/8`, ` 0`, `0`: a number, and maybe of how many.
fn name_number(text: &[u8]) -> Option<(u64, &[u8])> {
    let text = if let [b'=' | b' ' | b'_' | b'#', behind @ ..] = text { behind } else { text };
    let (number, behind) = digits(text)?;
    let behind = behind.strip_prefix(b"/").and_then(digits).map_or(behind, |(_, behind)| behind);
    let ends = behind.first().is_none_or(|byte| b" ]:\t,|".contains(byte));
    ends.then_some((number, behind))
}

fn digits(text: &[u8]) -> Option<(u64, &[u8])> {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&text[..length]).ok()?.parse().ok()?;
    Some((number, &text[length..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(line: &str) -> Option<(u64, &str)> {
        let speaker = speaker_on(line.as_bytes())?;
        Some((speaker.number, std::str::from_utf8(speaker.words).expect("it is text")))
    }

    #[test]
    fn names_come_before_what_is_said() {
        for (line, number, words) in [
            ("[RESULT] rank=0 (3/9) success=1/1", 0, "(3/9) success=1/1"),
            ("[INFO] rank=2/8 tasks=4/30", 2, "tasks=4/30"),
            ("[seed=7 rank=6] [3/9] OK", 6, "[3/9] OK"),
            ("[rank 1] Episode 3/9", 1, "Episode 3/9"),
            ("Worker 3: episode 4 done", 3, "episode 4 done"),
            ("gpu0 seed=3 (1/2)", 0, "(1/2)"),
            ("[rank0]: [INFO] rank=0/4 (1/2)", 0, "(1/2)"),
        ] {
            assert_eq!(heard(line), Some((number, words)), "{line}");
        }
        for line in
            ["seed 3/10", "seed=3 (1/2)", "[RESULT] success=1/1", "ranked 3/10", "rank=0.5 (1/2)", "worker"]
        {
            assert_eq!(heard(line), None, "{line}");
        }
    }
}
