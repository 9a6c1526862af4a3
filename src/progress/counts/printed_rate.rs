//! Rates that programs print in their own words, whatever counts their work: `Success rate: 60.0%`,
//! `Iter 502: SR 43.2%`.

use memchr::memmem;

use super::spoken_result::SuccessShare;
use super::spoken_result::is_one_of;
use super::spoken_result::share;
use crate::progress::text::find::find;
use crate::progress::text::line_prefix::behind_prefix;
use crate::progress::text::number::leading_f64;

/// Texts of which every line with such a rate contains one, except for lines that abbreviate it.
pub const NEEDLES: [&str; 6] =
    ["uccess rate", "uccess Rate", "UCCESS RATE", "uccess_rate", "success=", "成功率"];

/// Longer text before a rate is a sentence, and what lies further behind it is about something else.
const LONGEST_BEFORE: usize = 240;
const LONGEST_BETWEEN: usize = 32;

/// The part of the work whose successes a rate counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Everything, as a word before the rate says.
    Overall,
    /// Nothing before the rate says what it covers.
    Plain,
    /// A count comes before the rate: it is the rate so far.
    Counted,
}

/// Returns the rate that the line states, if it is not that of a part of the work.
pub fn rate_on(line: &[u8]) -> Option<(Scope, f64)> {
    // Most lines hold none, and are not searched for each of them.
    ["uccess", "UCCESS", "成功"].iter().find(|part| find(line, part.as_bytes()).is_some())?;
    let words = behind_prefix(line).unwrap_or(line);
    NEEDLES.iter().find_map(|name| {
        let at = find(words, name.as_bytes())?;
        let start = if name.starts_with('u') || name.starts_with('U') { at.checked_sub(1)? } else { at };
        let behind = &words[at + name.len()..];
        let rate = if name.ends_with('=') { percentage(behind)? } else { value(behind)? };
        Some((scope(&words[..start])?, rate))
    })
}

/// The same for a line that counts, where programs also abbreviate: `SR 43.2%`.
pub fn rate_on_counted(line: &[u8]) -> Option<f64> {
    let found = rate_on(line).map(|(_, rate)| rate);
    found.or_else(|| {
        let at = find(line, b"SR")?;
        let stands_alone = |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_alphanumeric());
        let before = at.checked_sub(1).and_then(|before| line.get(before));
        (stands_alone(before) && stands_alone(line.get(at + 2))).then_some(())?;
        scope(&line[..at])?;
        value(&line[at + 2..])
    })
}

/// Returns what the text before a rate says about its scope: the first word of the line, and the words after the
/// previous value.
pub(super) fn scope(before: &[u8]) -> Option<Scope> {
    // Those of one task, object or seed, and those that are only wanted.
    const OF_PART: [&str; 27] = [
        "task",
        "scene",
        "suite",
        "scenario",
        "benchmark",
        "seed",
        "fold",
        "per",
        "env",
        "object",
        "category",
        "level",
        "difficulty",
        "class",
        "subtask",
        "skill",
        "best",
        "max",
        "min",
        "highest",
        "target",
        "threshold",
        "required",
        "expected",
        "goal",
        "if",
        "until",
    ];
    let before = &before[before.len().saturating_sub(LONGEST_BEFORE)..];
    let last = before.iter().rposition(|byte| b",|;".contains(byte)).map_or(0, |sign| sign + 1);
    let of_words = |text: &[u8], known: &[&str]| {
        text.split(|byte| !byte.is_ascii_alphabetic()).any(|word| is_one_of(word, known))
    };
    let first = before.split(|byte| !byte.is_ascii_alphabetic()).find(|word| !word.is_empty());
    if of_words(&before[last..], &OF_PART) || first.is_some_and(|word| is_one_of(word, &OF_PART)) {
        return None;
    }
    Some(if of_words(&before[last..], &["overall", "total", "final"]) {
        Scope::Overall
    } else if before.iter().any(u8::is_ascii_digit) {
        Scope::Counted
    } else {
        Scope::Plain
    })
}

/// `: 60.0%`, ` = 12/20`, ` (%): 60.0`, ` over 50 episodes: 0.6`, ` 0.6`.
fn value(behind: &[u8]) -> Option<f64> {
    let near = &behind[..behind.len().min(LONGEST_BETWEEN)];
    let fullwidth = memmem::find(near, "：".as_bytes()).map(|at| (at, "：".len()));
    let sign = near.iter().position(|byte| b":=".contains(byte)).map(|at| (at, 1)).or(fullwidth);
    let (between, text) = match sign {
        Some((at, length)) => (&behind[..at], &behind[at + length..]),
        None => {
            let blanks = behind.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            if blanks == 0 {
                return None;
            }
            behind.split_at(blanks)
        }
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
        return percent.map(|percent| percent / 100.0);
    }
    rate(text)
}

/// Reads `success=54.00%`, which is about many episodes; `success=1` is about one.
fn percentage(text: &[u8]) -> Option<f64> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    text[digits..].starts_with(b"%").then(|| rate(text)).flatten()
}

fn rate(text: &[u8]) -> Option<f64> {
    // `0.6 -> 0.8` is a change, and `0.6-0.8` a range.
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit() || b".%".contains(byte)).count();
    let rest = text[digits..].trim_ascii_start();
    if [&b"-"[..], b"~", "→".as_bytes(), "±".as_bytes()].iter().any(|sign| rest.starts_with(sign))
        && !rest.starts_with("±".as_bytes())
    {
        return None;
    }
    match share(text)? {
        SuccessShare::Rate(rate) => Some(rate),
        SuccessShare::Counted { successes, episodes } => Some(successes / episodes),
    }
}

/// The rates that a program printed, the newest of which is that of its work where that is clear.
#[derive(Debug, Default)]
pub struct PrintedRates {
    newest: Option<NewestRate>,
}

/// All that a program printed in its own words.
#[derive(Debug, Default)]
pub struct PrintedScores {
    /// Its rates of success.
    pub successes: PrintedRates,
    /// Accuracies in the program's own words.
    pub accuracies: PrintedRates,
}

#[derive(Debug, Clone, Copy)]
struct NewestRate {
    scope: Scope,
    rate: f64,
    /// So much was done when it was printed.
    done: Option<u64>,
    /// Whether another rate was printed alongside it, and neither says that it is that of all.
    is_unclear: bool,
}

/// How much a printed rate says about the work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RateWorth {
    /// The rate is that of the work.
    Rate(f64),
    /// The rate is one of several, and the log does not say what each of them covers.
    Unclear,
    /// The one before says more.
    Nothing,
}

impl PrintedRates {
    /// Takes the next rate, with how much is done.
    pub fn take(&mut self, scope: Scope, rate: f64, done: Option<u64>) -> RateWorth {
        let same_round = self.newest.filter(|newest| newest.done == done);
        let is_unclear = match (scope, same_round) {
            (Scope::Overall | Scope::Counted, _) | (Scope::Plain, None) => false,
            (Scope::Plain, Some(NewestRate { scope: Scope::Overall, .. })) => return RateWorth::Nothing,
            // The same once more, such as in a summary.
            (Scope::Plain, Some(before)) => {
                before.is_unclear || before.scope == Scope::Plain && before.rate.to_bits() != rate.to_bits()
            }
        };
        self.newest = Some(NewestRate { scope, rate, done, is_unclear });
        if is_unclear { RateWorth::Unclear } else { RateWorth::Rate(rate) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(line: &str) -> Option<(Scope, f64)> {
        rate_on(line.as_bytes())
    }

    #[test]
    fn rates_in_free_words_are_read() {
        for (line, scope, rate) in [
            ("Success rate: 60.0%", Scope::Plain, 0.6),
            ("  Success Rate (%): 60.0", Scope::Plain, 0.6),
            ("success rate over 50 episodes: 0.42", Scope::Plain, 0.42),
            ("Overall success rate = 12/20", Scope::Overall, 0.6),
            ("  round 3 success rate: 12 / 48 = 25.0%", Scope::Counted, 0.25),
            ("Epoch 300: policy_loss=0.08, success_rate=1.5%, samples=319", Scope::Counted, 0.015),
            ("Epoch 20: loss=3.5, reward=2.7, success=54.00%", Scope::Counted, 0.54),
            ("Simulation finished: rollouts=50 success_rate=0.94 completed=True", Scope::Counted, 0.94),
            ("wandb:       success_rate 0.54", Scope::Plain, 0.54),
            ("2026-11-21 10:00:00,123 - INFO - Success rate: 0.5", Scope::Plain, 0.5),
            ("Policy success rate: 60.0%", Scope::Plain, 0.6),
            ("成功率: 60.0%", Scope::Plain, 0.6),
            ("总体成功率：12/20", Scope::Plain, 0.6),
        ] {
            assert_eq!(on(line), Some((scope, rate)), "{line}");
        }
        for line in [
            "Task 3 success rate: 0.5",
            "Current task success rate: 1.0",
            "Best success rate: 0.9",
            "Target success rate: 95%",
            "Success rate improved: 0.2 -> 0.4",
            "Success rate: 0.2 -> 0.4",
            "Success rate (%): 0.6",
            "success=1",
            "Success rate: 60",
            "success_rate ▅▄▅",
            "success_rates: 0.3",
        ] {
            assert_eq!(on(line), None, "{line}");
        }
        assert_eq!(rate_on_counted(b"Iter 502: SR 43.5%, Q 150.8"), Some(0.435));
        assert_eq!(rate_on_counted(b"Iter 502: SRC 43.2%"), None);
    }

    #[test]
    fn of_several_rates_none_counts_unless_it_is_that_of_all() {
        let mut rates = PrintedRates::default();
        assert_eq!(rates.take(Scope::Plain, 0.5, None), RateWorth::Rate(0.5));
        assert_eq!(rates.take(Scope::Plain, 0.5, None), RateWorth::Rate(0.5), "the same again");
        assert_eq!(rates.take(Scope::Plain, 0.7, None), RateWorth::Unclear);
        assert_eq!(rates.take(Scope::Plain, 0.5, None), RateWorth::Unclear);
        assert_eq!(rates.take(Scope::Overall, 0.6, None), RateWorth::Rate(0.6));
        assert_eq!(rates.take(Scope::Plain, 0.9, None), RateWorth::Nothing);
        assert_eq!(rates.take(Scope::Plain, 0.9, Some(3)), RateWorth::Rate(0.9), "of another round");
    }
}
