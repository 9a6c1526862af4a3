//! The next part of the work, which begins as the first one began: `Training ReachDrop` behind `Training Drop`.

use crate::progress::text::word::is_one_of;

/// What is done to a part.
const DEEDS: [&str; 6] = ["training", "evaluating", "testing", "running", "benchmarking", "simulating"];

/// Such words, next to that or at the end of the line, say that it is over, or how long it took.
const OVER: [&str; 9] =
    ["complete", "completed", "done", "finished", "ended", "stopped", "took", "time", "is"];

/// More words are a sentence.
const MOST_WORDS: usize = 6;

/// Reports whether the line begins another part than those that are named in the first lines. A result begins none.
pub fn begins_another<'a>(line: &[u8], first_lines: impl Iterator<Item = &'a [u8]> + Clone) -> bool {
    let parts: Vec<&[u8]> = words(line).collect();
    let ([deed, next, ..], Some(last)) = (parts.as_slice(), line.last()) else { return false };
    let is_over = [*next, parts[parts.len() - 1]].iter().any(|part| is_one_of(part, &OVER));
    let gives_value = line.iter().any(|byte| b":=".contains(byte)) && last.is_ascii_digit() || *last == b'%';
    let is_heading = parts.len() <= MOST_WORDS && !gives_value;
    let begins = |text: &[u8]| words(text).next().is_some_and(|first| is_one_of(first, &DEEDS));
    is_one_of(deed, &DEEDS)
        && is_heading
        && !is_over
        && first_lines.clone().any(begins)
        && first_lines.clone().all(|text| text != line)
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| !byte.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begins(line: &str) -> bool {
        let first = ["Training all parts", "Training the drop", "Using cuda device"];
        begins_another(line.as_bytes(), first.iter().map(|text| text.as_bytes()))
    }

    #[test]
    fn another_part_is_named_as_the_first_one_was() {
        for line in ["Training the reach", "=== Training: reach ===", "Training seed 2", "Evaluating on push"]
        {
            assert!(begins(line), "{line}");
        }
        for line in [
            "Training the drop",
            "Training complete",
            "Training of the drop is done",
            "Training time: 3 h",
            "Training accuracy: 91%",
            "Training loss: 0.3",
            "Using cpu device",
            "Training",
        ] {
            assert!(!begins(line), "{line}");
        }
    }
}
