//! Shares of successes that programs print in their own words: `Success rate: 60.0%`, `Success count: 12/20`,
//! `SR: 0.62`, `12 out of 20 episodes successful`.

use crate::progress::counts::count_units;
use crate::progress::counts::printed::success_share::{SuccessShare, share};
use crate::progress::search::text_set::TextSet;
use crate::progress::text::find::find;
use crate::progress::text::line_prefix::behind_prefix;
use crate::progress::text::number::{leading_f64, leading_fraction, leading_u64, length_of_number};
use crate::progress::text::word::{WordSet, is_one_of};

/// Texts of which every line with such a share contains one, except for lines that count and abbreviate it.
pub const NEEDLES: [&str; RATES + 12] = [
    "uccess rate", "uccess Rate", "UCCESS RATE", "UCCESS_RATE", "uccess_rate", "uccess_Rate", "success=",
    "成功率", "uccess: ", "uccesses: ", "uccess count", "uccess Count", "uccessful ", "uccessful:",
    " succeeded", "SR: ", "SR = ", "SR=", "uccess ", "olved",
];

const ABBREVIATION: &[u8] = b"SR";

/// So many of them name a rate.
const RATES: usize = 8;

/// Longer text before a share is a sentence, and what lies further behind it is about something else.
const LONGEST_BEFORE: usize = 240;
const LONGEST_BETWEEN: usize = 32;

/// The part of the work whose successes a share counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Everything, as a word before the share says.
    Overall,
    /// Nothing before the share says what it covers.
    Plain,
    /// A count comes before the share: it is the share so far.
    Counted,
}

/// Returns the share that the line states, if it is not that of a part of the work.
pub fn share_on(line: &[u8]) -> Option<(Scope, SuccessShare)> {
    // Most lines hold none, and are not searched for each of them.
    static NAMES: TextSet = TextSet::new(&["uccess", "UCCESS", "成功", "ucceeded", "olved"]);
    let words = || behind_prefix(line).unwrap_or(line);
    if !NAMES.is_on(line) {
        return find(line, ABBREVIATION).and_then(|_| abbreviated(words(), true));
    }
    let words = words();
    named_rate(words).or_else(|| named_count(words)).or_else(|| count_in_a_sentence(words))
}

/// `Success rate: 60.0%`, `success_rate=12/20`, `success=54.00%`.
fn named_rate(words: &[u8]) -> Option<(Scope, SuccessShare)> {
    NEEDLES[..RATES].iter().find_map(|name| {
        let at = find(words, name.as_bytes())?;
        let start = if name.starts_with(['u', 'U']) { at.checked_sub(1)? } else { at };
        let behind = &words[at + name.len()..];
        let share = if name.ends_with('=') { percentage(behind)? } else { value(behind)? };
        Some((scope(&words[..start])?, share))
    })
}

/// `Success: 43/50 (86.0%)`, `Successful trials: 3/10`, `Success 2/10`; a share alone is one only in percent, or where a
/// word says that it is a mean: `Average episode success: 0.82`. Single numbers are those of one episode, or count
/// nothing else.
fn named_count(words: &[u8]) -> Option<(Scope, SuccessShare)> {
    let named = |name: &&str| find(words, name.as_bytes()).map(|at| (at, at + name.len()));
    let (at, end) = ["uccess", "UCCESS", "olved"].iter().find_map(named)?;
    let before = &words[..at.checked_sub(1)?];
    // `unsolved: 3/10`
    if before.last().is_some_and(u8::is_ascii_alphabetic) {
        return None;
    }
    let scope = scope(before)?;
    let behind = &words[end..];
    const BETWEEN: [&str; 11] =
        ["es", "ful", "count", "counts", "episodes", "trials", "rollouts", "runs", "tasks", "sr", "attempts"];
    let near = &behind[..behind.len().min(LONGEST_BETWEEN)];
    let (between, value) = match near.iter().position(|byte| b":=".contains(byte)) {
        Some(sign) => (&behind[..sign], &behind[sign + 1..]),
        None => behind.split_at(near.iter().position(|byte| byte.is_ascii_digit() || *byte == b'(')?),
    };
    let mut names = between.split(|byte| !byte.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    if !names.all(|word| is_one_of(word, &BETWEEN)) {
        return None;
    }
    let share = share(value.trim_ascii_start())?;
    let is_mean = || {
        let mut before = words[..at - 1].split(|byte| !byte.is_ascii_alphabetic());
        before.any(|word| is_one_of(word, &["average", "avg", "mean", "overall"]))
            && between.iter().all(u8::is_ascii_whitespace)
    };
    let is_of_many = match share {
        SuccessShare::Counted { episodes, .. } => episodes > 1.0,
        SuccessShare::Rate(_) => is_mean() || percentage(value.trim_ascii_start()).is_some(),
    };
    is_of_many.then_some((scope, share))
}

/// `12/20 succeeded`, `15 out of 20 episodes successful (75%)`, `Succeeded in 12/20`.
fn count_in_a_sentence(words: &[u8]) -> Option<(Scope, SuccessShare)> {
    let start = words.iter().position(u8::is_ascii_digit)?;
    let (before, text) = words.split_at(start);
    // `Episode 3/5: success` is about the third.
    let noun = before.split(|byte| !byte.is_ascii_alphabetic()).rfind(|word| !word.is_empty());
    if noun.and_then(count_units::find).is_some_and(|(_, is_plural)| !is_plural) {
        return None;
    }
    let (successes, episodes, behind) = leading_fraction(text).or_else(|| leading_out_of(text))?;
    const BETWEEN: [&str; 10] =
        ["in", "on", "episodes", "trials", "rollouts", "runs", "tasks", "attempts", "were", "have"];
    const SUCCEEDED: [&str; 5] = ["succeeded", "successful", "success", "successes", "solved"];
    let words_of =
        |text| <[u8]>::split(text, |byte| !byte.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    let verb = |word: &&[u8]| !is_one_of(word, &BETWEEN);
    let said_behind = words_of(behind).find(verb).is_some_and(|word| is_one_of(word, &SUCCEEDED));
    let said_before = || words_of(before).rfind(verb).is_some_and(|word| is_one_of(word, &SUCCEEDED));
    let is_share = successes <= episodes && episodes > 1 && (said_behind || said_before());
    let share = SuccessShare::Counted { successes: successes as f64, episodes: episodes as f64 };
    Some((scope(before)?, share)).filter(|_| is_share)
}

/// `15 out of 20`, `15 of 20`.
fn leading_out_of(text: &[u8]) -> Option<(u64, u64, &[u8])> {
    let (successes, behind) = leading_u64(text)?;
    let behind = behind.strip_prefix(b" out").unwrap_or(behind).strip_prefix(b" of ")?;
    let (episodes, behind) = leading_u64(behind)?;
    Some((successes, episodes, behind))
}

/// `SR: 0.62`, `SR = 62.0%`; on lines that count also `SR 43.2%`, without a sign.
pub(super) fn abbreviated(words: &[u8], needs_sign: bool) -> Option<(Scope, SuccessShare)> {
    let at = find(words, ABBREVIATION)?;
    let stands_alone = |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_alphanumeric());
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    let behind = &words[at + 2..];
    let has_sign = behind.trim_ascii_start().first().is_some_and(|byte| b":=".contains(byte));
    (stands_alone(before) && stands_alone(behind.first()) && (has_sign || !needs_sign)).then_some(())?;
    Some((scope(&words[..at])?, value(behind)?))
}

/// Returns what the text before a share says about its scope: the first word of the line, and the words after the
/// previous value.
pub(super) fn scope(before: &[u8]) -> Option<Scope> {
    // Those of one task, object or seed, and those that are only wanted.
    const OF_PART: WordSet = WordSet::new(&[
        "task", "scene", "suite", "scenario", "benchmark", "seed", "fold", "per", "env", "object",
        "category", "level", "difficulty", "class", "subtask", "skill", "best", "max", "min", "highest",
        "oracle", "previous", "last", "old", "baseline", "subgoal", "download", "upload", "loading",
        "target", "threshold", "required", "expected", "goal", "if", "until",
    ]);
    const OF_ALL: WordSet = WordSet::new(&["overall", "total", "final"]);
    let before = &before[before.len().saturating_sub(LONGEST_BEFORE)..];
    let last = before.iter().rposition(|byte| b",|;".contains(byte)).map_or(0, |sign| sign + 1);
    let first = before.split(|byte| !byte.is_ascii_alphabetic()).find(|word| !word.is_empty());
    if OF_PART.is_in(&before[last..]) || first.is_some_and(|word| OF_PART.contains(word)) {
        return None;
    }
    Some(if OF_ALL.is_in(&before[last..]) {
        Scope::Overall
    } else if before.iter().any(u8::is_ascii_digit) && !names_all_tested(before) {
        Scope::Counted
    } else {
        Scope::Plain
    })
}

/// `Tested 25 episodes, `: the count is that of all.
fn names_all_tested(before: &[u8]) -> bool {
    const ITEMS: [&str; 4] = ["episodes", "trials", "rollouts", "games"];
    let text = behind_prefix(before).unwrap_or(before);
    let mut words = text.split(|byte| !byte.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let [deed, number, items] = [(); 3].map(|()| words.next().unwrap_or_default());
    is_one_of(deed, &["tested", "evaluated"])
        && number.iter().all(u8::is_ascii_digit)
        && is_one_of(items, &ITEMS)
        && words.all(|word| is_one_of(word, &["average", "mean", "with"]))
}

/// `: 60.0%`, ` = 12/20`, ` (%): 60.0`, ` over 50 episodes: 0.6`, ` 0.6`.
fn value(behind: &[u8]) -> Option<SuccessShare> {
    let near = &behind[..behind.len().min(LONGEST_BETWEEN)];
    let fullwidth = find(near, "：".as_bytes()).map(|at| (at, "：".len()));
    let sign = near.iter().position(|byte| b":=".contains(byte)).map(|at| (at, 1)).or(fullwidth);
    let (between, text) = match sign {
        Some((at, length)) => (&behind[..at], &behind[at + length..]),
        None if behind.first().is_some_and(u8::is_ascii_whitespace) => {
            behind.split_at(near.iter().position(u8::is_ascii_digit)?)
        }
        None => return None,
    };
    const BETWEEN: [&str; 12] =
        ["so", "far", "over", "in", "on", "of", "the", "all", "episodes", "trials", "rollouts", "is"];
    let mut words = between.split(|byte| !byte.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    if !words.all(|word| is_one_of(word, &BETWEEN)) {
        return None;
    }
    let text = text.trim_ascii_start();
    if between.contains(&b'%') {
        // `(%): 0.6` may be either.
        let percent = leading_f64(text).filter(|value| *value == 0.0 || (1.0..=100.0).contains(value));
        return percent.map(|percent| SuccessShare::Rate(percent / 100.0));
    }
    unchanging(text)
}

/// Reads `success=54.00%`, which is about many episodes; `success=1` is about one.
fn percentage(text: &[u8]) -> Option<SuccessShare> {
    let digits = length_of_number(text);
    text[digits..].starts_with(b"%").then(|| unchanging(text)).flatten()
}

/// The share at the start of the text, which is neither a change nor a range: `0.6 -> 0.8`, `0.6-0.8`.
fn unchanging(text: &[u8]) -> Option<SuccessShare> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit() || b".%".contains(byte)).count();
    let rest = text[digits..].trim_ascii_start();
    let changes = [&b"-"[..], b"~", "→".as_bytes()].iter().any(|sign| rest.starts_with(sign));
    if changes { None } else { share(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(line: &str) -> Option<(Scope, f64)> {
        share_on(line.as_bytes()).map(|(scope, share)| (scope, share.as_rate()))
    }

    #[test]
    fn rates_in_free_words_are_read() {
        for (line, scope, rate) in [
            ("Success rate: 60.0%", Scope::Plain, 0.6),
            ("  Success Rate (%): 60.0", Scope::Plain, 0.6),
            ("success rate over 50 episodes: 0.42", Scope::Plain, 0.42),
            ("Overall success rate = 12/20", Scope::Overall, 0.6),
            ("Tested 25 episodes, success rate: 32.00%", Scope::Plain, 0.32),
            ("Evaluated 25 episodes of 3 kinds, success rate: 32.00%", Scope::Counted, 0.32),
            ("  round 3 success rate: 12 / 48 = 25.0%", Scope::Counted, 0.25),
            ("Epoch 300: policy_loss=0.08, success_rate=1.5%, samples=319", Scope::Counted, 0.015),
            ("Epoch 20: loss=3.5, reward=2.7, success=54.00%", Scope::Counted, 0.54),
            ("Simulation finished: rollouts=50 success_rate=0.94 completed=True", Scope::Counted, 0.94),
            ("wandb:       success_rate 0.54", Scope::Plain, 0.54),
            ("Log saved: {'Total_Frames': 450, 'Success_Rate': 0.75, 'ADE_avg': 2.48}", Scope::Counted, 0.75),
            ("2026-11-21 10:00:00,123 - INFO - Success rate: 0.5", Scope::Plain, 0.5),
            ("Policy success rate: 60.0%", Scope::Plain, 0.6),
            ("#SUCCESS_RATE: 90.5%", Scope::Plain, 0.905),
            ("成功率: 60.0%", Scope::Plain, 0.6),
            ("总体成功率：12/20", Scope::Plain, 0.6),
            ("Success Rate (over 20 episodes): 50.0%", Scope::Plain, 0.5),
            ("Success: 43/50 (86.0%)", Scope::Plain, 0.86),
            ("Success count: 15/20", Scope::Plain, 0.75),
            ("[eval] Total successes: 15 / 20", Scope::Overall, 0.75),
            ("Successful trials: 3 out of 10", Scope::Plain, 0.3),
            ("2023-05-01 10:00:00,123 Average episode success: 0.8200", Scope::Plain, 0.82),
            ("12/20 succeeded", Scope::Plain, 0.6),
            ("  solved: 6/10", Scope::Plain, 0.6),
            ("Solved 12/20 tasks", Scope::Plain, 0.6),
            ("15 out of 20 episodes successful (75%)", Scope::Plain, 0.75),
            ("Succeeded in 12/20", Scope::Plain, 0.6),
            ("SR: 0.62 | SPL: 0.41", Scope::Plain, 0.62),
            ("SR=0.620", Scope::Plain, 0.62),
            ("Success: 20.0%", Scope::Plain, 0.2),
            ("Average success 0.20", Scope::Plain, 0.2),
            ("Success 2/10 = 20.0%", Scope::Plain, 0.2),
            ("Total success rate is 0.2", Scope::Overall, 0.2),
            ("Result: 2/10 success (20.0%)", Scope::Plain, 0.2),
        ] {
            assert_eq!(on(line), Some((scope, rate)), "{line}");
        }
        for line in [
            "Task 3 success rate: 0.5",
            "Current task success rate: 1.0",
            "Best success rate: 0.9",
            "Previous success rate: 0.3",
            "Subgoal success: 50%",
            "download success: 50%",
            "Target success rate: 95%",
            "Success rate improved: 0.2 -> 0.4",
            "Success rate: 0.2 -> 0.4",
            "Success rate (%): 0.6",
            "success=1",
            "Success rate: 60",
            "success_rate ▅▄▅",
            "success_rates: 0.3",
            "success: 0.8",
            "Episode success: True",
            "Success: 1/1",
            "Success: 50",
            "Success 0.5",
            "Success 1/1",
            "Average success time 0.20",
            "Total success rate is now up by 0.2",
            "3/4 tests ran, success of all",
            "SRC: 0.5",
            "USR: 0.5",
            "task pick 12/20 succeeded",
            "unsolved: 4/10",
            "Episode 3/5: successes: 0",
            "Trial 3 of 5 succeeded",
            "Unsuccessful: 4/10",
            "solved in 195 episodes",
        ] {
            assert_eq!(on(line), None, "{line}");
        }
    }
}
