//! A line at the end of a log that sums up as many as were listed before it: `[frontier] n=3 success 0.667` behind
//! `seed 7: success=1`, `seed 8: success=0` and `seed 9: success=1`.

use super::closing_words::raises_doubt;
use super::line_words::words_of;
use crate::progress::text::line_prefix::behind_prefix;
use crate::progress::text::log_tail::LastLine;
use crate::progress::text::number::leading_u64;
use crate::progress::text::word::is_one_of;

/// The table of a summary is not longer.
const MOST_BEHIND: usize = 8;

/// Two are soon listed by chance.
const FEWEST: u64 = 3;

/// What an evaluation goes through one by one.
const EVALUATED: &[&str] =
    &["episode", "ep", "seed", "trial", "rollout", "run", "game", "repeat", "evaluation", "fold"];

/// What a summary gives.
const RESULTS: &[&str] =
    &["success", "reward", "return", "score", "accuracy", "rate", "mean", "average", "avg", "find", "std"];

/// A mean that moves on with the work.
const OF_NEWEST: &[&str] =
    &["running", "moving", "rolling", "last", "past", "recent", "latest", "previous", "window"];

/// A line that sums up what was listed.
#[derive(Debug, PartialEq, Eq)]
pub struct Tally {
    /// Which of the last lines it is.
    pub place: usize,
    /// How many it sums up.
    pub number: u64,
}

/// Finds the last line that sums up all that were listed one by one before it, by consecutive numbers, unless something
/// else than figures comes behind it.
pub fn tally_of(lines: &[LastLine]) -> Option<Tally> {
    let tally = |place: &usize| number_summed_up(&lines[*place].text).is_some();
    let place = (lines.len().saturating_sub(MOST_BEHIND)..lines.len()).rfind(tally)?;
    let (before, behind) = (&lines[..place], &lines[place + 1..]);
    let earlier = before.iter().rposition(|line| number_summed_up(&line.text).is_some());
    let listed = &before[earlier.map_or(0, |earlier| earlier + 1)..];
    let number = number_summed_up(&lines[place].text)?;
    let name = name_listed(listed, number)?;
    let is_evaluated = words_of(&String::from_utf8_lossy(name)).iter().any(|word| is_one_of(word, EVALUATED));
    (is_evaluated && behind.iter().all(is_of_table)).then_some(Tally { place, number })
}

/// A row of a table that is set off from the text: it has columns with more than a blank between them.
fn is_of_table(line: &LastLine) -> bool {
    let is_set_off = line.text.starts_with("  ") || line.text.starts_with('|');
    let has_columns = line.text.trim().contains("  ") || line.text.trim().contains('|');
    is_set_off && has_columns && numbered(line.text.as_bytes()).is_none() && !line.text.contains(':')
}

/// `10` of `n=10  find 1.000`, of `mean reward over 10 episodes: 3.5` and of `0.67 +/- 0.01 (n=10)`.
fn number_summed_up(line: &str) -> Option<u64> {
    const LISTED: &[&str] =
        &["episodes", "seeds", "trials", "runs", "rollouts", "games", "repeats", "evaluations"];
    let words = words_of(line);
    let is_decimal = |near: &[u8]| matches!(near, [b'0'..=b'9', b'.', b'0'..=b'9']);
    let has_figure = line.as_bytes().windows(3).any(is_decimal);
    let number = words.windows(2).find_map(|two| {
        let is_named = two[0] == "n" || is_one_of(&two[1], LISTED);
        let number = if two[0] == "n" { &two[1] } else { &two[0] };
        number.parse().ok().filter(|_| is_named)
    })?;
    let holds = |of: &[&str]| words.iter().any(|word| is_one_of(word, of));
    let is_result = holds(RESULTS) && !holds(OF_NEWEST);
    (has_figure && is_result && number >= FEWEST && !raises_doubt(&words)).then_some(number)
}

/// The name of what the lines list last, where they list exactly so many of it, by consecutive numbers.
fn name_listed(lines: &[LastLine], number: u64) -> Option<&[u8]> {
    let listed: Vec<(&[u8], u64)> = lines.iter().filter_map(|line| numbered(line.text.as_bytes())).collect();
    let (name, newest) = *listed.last()?;
    let numbers = listed.iter().rev().filter(|(other, _)| *other == name).map(|(_, number)| *number);
    let expected = (0..number).map(|back| newest.wrapping_sub(back));
    numbers.eq(expected).then_some(name)
}

/// The name and the number of what the line lists: `seed` and `7` of `  seed 7: success=1`.
fn numbered(line: &[u8]) -> Option<(&[u8], u64)> {
    let line = behind_prefix(line).unwrap_or(line).trim_ascii();
    let digit = line.iter().position(u8::is_ascii_digit)?;
    let (number, behind) = leading_u64(&line[digit..])?;
    let name = &line[..digit];
    let is_named = name.iter().any(u8::is_ascii_alphabetic) && !name.contains(&b'=');
    let is_whole = !behind.is_empty() && !matches!(behind, [b'.', b'0'..=b'9', ..]);
    (is_named && is_whole).then_some((name, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tallies(log: &str) -> bool {
        let lines: Vec<LastLine> = log
            .lines()
            .zip(1..)
            .map(|(text, number)| LastLine { offset: 0, number, text: text.to_owned() })
            .collect();
        tally_of(&lines).is_some()
    }

    #[test]
    fn as_many_as_were_listed_are_summed_up() {
        let seeds = |numbers: std::ops::Range<u64>| -> String {
            numbers.map(|n| format!("  walk seed {n}: success=1 after 3.5 s\n")).collect()
        };
        let ten = seeds(40..50);
        for tally in
            ["[walk] n=10 success 0.9", "Mean reward over 10 seeds: 3.5", "reward 0.67 +/- 0.01 (n=10)"]
        {
            assert!(tallies(&format!("{ten}{tally}\n")), "{tally}");
            assert!(
                tallies(&format!("{ten}{tally}\n  filter  success\n  wide  0.900\n")),
                "{tally}, and a table"
            );
            assert!(tallies(&format!("{ten}{tally}\n### next ###\n{ten}{tally}\n")), "{tally}, twice");
            assert!(
                !tallies(&format!("{ten}{tally}\n### next ###\nLoading the policy\n")),
                "{tally}, and more"
            );
            assert!(!tallies(&format!("{}{tally}\n", seeds(40..49))), "{tally} of nine");
            assert!(!tallies(&format!("{}{tally}\n", seeds(39..50))), "{tally} of eleven");
            assert!(
                !tallies(&format!("{}{}{tally}\n", seeds(40..45), seeds(40..45))),
                "{tally} of five, twice"
            );
        }
        assert!(!tallies(&format!("{ten}running 10 seeds 3.5\n{}", seeds(50..51))), "it goes on");
        assert!(!tallies(&format!("{ten}2 failed of 10 runs, 0.8\n")));
    }
}
