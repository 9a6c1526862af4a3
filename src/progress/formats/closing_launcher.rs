//! The end of a log in which a launcher names the commands that it runs one after the other, and the code of each:
//! `[12:58:15] seed1 start`, `[13:00:00] seed1 rc=0` and at last `[13:33:42] DONE`.

use super::closing_tally::Tally;
use super::closing_words::raises_doubt;
use super::exit_codes::code_on;
use super::line_words::is_end;
use crate::progress::text::word::{is_number, is_one_of};

/// A single command says its end itself.
const FEWEST: usize = 2;

/// A launcher says in few words that no command is left.
const MOST_WORDS: usize = 4;

/// What a launcher has come to.
#[derive(Debug, PartialEq, Eq)]
pub enum Queue {
    /// All of them ended well: the last word, and how many there were.
    Over(Tally),
    /// It is over, and which line gives a code other than 0 for a command that did not end well later.
    Failed(usize),
    /// What the commands say of their end is no end of the whole.
    AtWork,
}

/// A command that has ended.
struct Ended<'a> {
    place: usize,
    name: &'a [String],
    code: &'a str,
}

/// Reads the words of the last lines of a log. Nothing where no launcher names what it starts and what ended, or where it
/// names one command only.
pub fn queue_in(words: &[Vec<String>]) -> Option<Queue> {
    let begun: Vec<(usize, &[String])> =
        words.iter().enumerate().filter_map(|(place, words)| Some((place, begun_on(words)?))).collect();
    let ended: Vec<Ended<'_>> = words
        .iter()
        .enumerate()
        .filter_map(|(place, words)| ended_on(place, words))
        .filter(|ended| begun.iter().any(|(at, begun)| *at < ended.place && begun.starts_with(ended.name)))
        .collect();
    let last = ended.last()?;
    let is_one = begun.iter().all(|(_, begun)| begun.starts_with(last.name));
    let place = words.iter().rposition(|words| !words.is_empty())?;
    if is_one {
        return None;
    }
    let is_at_work = begun.last().is_some_and(|(at, _)| *at > last.place);
    if is_at_work || ended.len() < FEWEST || !says_empty(&words[place]) {
        return Some(Queue::AtWork);
    }
    let ended_later = |failed: &Ended<'_>| {
        ended.iter().any(|ended| ended.place > failed.place && ended.name == failed.name && ended.code == "0")
    };
    if let Some(failed) = ended.iter().find(|ended| ended.code != "0" && !ended_later(ended)) {
        return Some(Queue::Failed(failed.place));
    }
    let number = ended.iter().filter(|ended| ended.code == "0").count();
    Some(Queue::Over(Tally { place, number: u64::try_from(number).ok()? }))
}

/// `DONE`, `ALL DONE`, `chain22 complete`, `=== B10B_DONE ===`: of all, and not of a part.
fn says_empty(words: &[String]) -> bool {
    const PARTS: &[&str] =
        &["phase", "stage", "step", "part", "wave", "batch", "round", "epoch", "episode", "seed", "warmup"];
    let Some(last) = words.last() else { return false };
    let is_of_part = words.iter().any(|word| is_number(word) || is_one_of(word, PARTS));
    let said = last.rsplit('_').next().unwrap_or(last);
    let is_negated = words.iter().any(|word| word == "not");
    words.len() <= MOST_WORDS && is_end(said) && !is_of_part && !is_negated && !raises_doubt(words)
}

/// `walk` of `END walk rc=0 moved=3`, of `DONE walk (exit 0)` and of `walk exit code: 0`, with its code.
fn ended_on(place: usize, words: &[String]) -> Option<Ended<'_>> {
    let (at, code) = code_on(words)?;
    // `exit code: 0` has two words before the number.
    let named = words[..at - 1].strip_suffix(&["exit".to_owned()][..]).unwrap_or(&words[..at - 1]);
    let ends = |word: &String| is_end(word) || is_one_of(word, &["end", "ended"]);
    let name = match named {
        [first, name @ ..] if ends(first) => name,
        [name @ .., last] if ends(last) => name,
        name => name,
    };
    (!name.is_empty()).then_some(Ended { place, name, code })
}

/// `walk` of `START walk`, of `[12:58:15] walk start`, and what else such a line says.
fn begun_on(words: &[String]) -> Option<&[String]> {
    match words {
        [name @ .., last] if is_one_of(last, &["start", "begin"]) && !name.is_empty() => Some(name),
        [first, name @ ..] if is_one_of(first, &["start", "begin", "run", "launch"]) && !name.is_empty() => {
            Some(name)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::formats::line_words::words_of;

    fn queue(log: &str) -> Option<Queue> {
        let words: Vec<_> = log.lines().map(words_of).collect();
        queue_in(&words)
    }

    const TWO: &str =
        "[09:00:00] walk start\n[09:10:00] walk rc=0\n[09:10:00] run start\n[09:20:00] run rc=0\n";

    #[test]
    fn a_queue_of_which_all_ended_well_is_over_with_its_last_word() {
        for last in ["[09:20:01] DONE", "[09:20:01] queue22 complete", "09-15 09:20:01 === Q10B_DONE ==="] {
            let over = |place| Some(Queue::Over(Tally { place, number: 2 }));
            assert_eq!(queue(&format!("{TWO}{last}\n")), over(4), "{last}");
            assert_eq!(
                queue(&format!("{TWO}wrote summary.json\n{last}\n")),
                over(5),
                "{last}, and a summary"
            );
            let more = format!("{TWO}[09:21:00] fly start\n");
            assert_eq!(queue(&format!("{more}{last}\n")), Some(Queue::AtWork), "{last}, with one at work");
            assert_eq!(
                queue(&format!("{more}fly rc=1\n{last}\n")),
                Some(Queue::Failed(5)),
                "{last}, one failed"
            );
            let again = format!("{more}fly rc=1\nfly start\nfly rc=0\n{last}\n");
            assert!(matches!(queue(&again), Some(Queue::Over(Tally { number: 3, .. }))), "{last}, at last");
        }
        let named =
            "START walk a n=1\nDONE  walk a (exit 0)\nSTART walk b\nDONE walk b exit=0 seconds=7\nALL DONE\n";
        assert_eq!(queue(named), Some(Queue::Over(Tally { place: 4, number: 2 })));
    }

    #[test]
    fn an_end_of_a_command_is_none_of_the_queue() {
        for last in ["phase 1 done", "seed 3 done", "not done", "saved a figure", "fly start"] {
            assert_eq!(queue(&format!("{TWO}{last}\n")), Some(Queue::AtWork), "{last}");
        }
        assert_eq!(queue(TWO), Some(Queue::AtWork));
    }

    #[test]
    fn what_names_no_commands_is_no_queue() {
        for log in [
            "START walk\nEND walk exit=0\n",
            "START walk\nEND walk exit=1\nSTART walk\nEND walk exit=0\nDONE\n",
            "Start training\nEpoch 3\nDone with code 0\nDONE\n",
            "walk rc=0\nrun rc=0\nDONE\n",
        ] {
            assert_eq!(queue(log), None, "{log}");
        }
    }
}
