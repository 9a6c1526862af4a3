//! A number behind a word of counting: `Epoch 12 | loss 0.3`, `iter=0039 reward=-133.8`, `Reward: 7, Episode: 3`.

use crate::progress::counts::count_units;
use crate::progress::counts::count_units::CountUnit;
use crate::progress::counts::item_state::{is_done_word, last_word};
use crate::progress::text::find::find;
use crate::progress::text::number::{leading_grouped, leading_u64};
use crate::progress::text::word::{is_name_byte, is_one_of};

/// Highest number of values that may come before a count, and of words that name each.
const MOST_PAIRS: u32 = 4;
const MOST_WORDS: usize = 4;

/// So much may lie between a name and its number, and so much in a row of a table.
const WIDEST_GAP: usize = 20;
const WIDEST_COLUMN: usize = 60;

/// Counts come at the start of a line.
const SEARCHED: usize = 160;

/// Words that may come before such a word: they say which of the items are counted, what follows of each, or that one is
/// at work.
const BEFORE: [&str; 43] = [
    "time", "num", "rollout", "number", "no", "of", "total", "so", "current", "global", "env", "train",
    "training", "eval", "evaluation", "test", "validation", "metrics", "completed", "finished", "starting",
    "running", "at", "the", "reward", "rewards", "score", "return", "for", "policy", "ppo", "optimization",
    "optimisation", "average", "avg", "mean", "cumulative", "games", "learning", "n", "after", "in", "end",
];

/// What is done with each of them.
const DEEDS: [&str; 12] = [
    "simulating", "processing", "evaluating", "computing", "generating", "rendering", "solving",
    "collecting", "planning", "optimizing", "sampling", "executing",
];

/// Units that are counted here. Others, such as seeds and samples, come on lines that count something else.
const UNITS: [&str; 18] = [
    "episodes", "epochs", "iterations", "updates", "generations", "games", "tests", "batches", "steps",
    "rounds", "rollouts", "frames", "trajectories", "demos", "instances", "examples", "simulations",
    "cycles",
];

/// Words between such a word and its number: `batch i:12`, `Test No. 160`, `Episode Summary for 303`, `epoch is: 99`.
const LABELS: [&str; 12] =
    ["i", "n", "no", "nr", "num", "number", "index", "summary", "result", "results", "for", "is"];

/// Words between several items and their number: `Episodes completed: 12`.
const DONE: [&str; 6] = ["completed", "finished", "done", "played", "collected", "processed"];

/// What makes a name of the word: `episode_num: 12`.
const ENDS_OF_NAME: [&str; 7] = ["_num", "_number", "_idx", "_index", "_id", "_count", "_nr"];

/// Words before a number of items at the start of a line: `After 4000 steps`, `Completed 12 episodes`.
const BEFORE_NUMBER: [&str; 8] =
    ["after", "at", "completed", "finished", "collected", "played", "processed", "evaluated"];

/// Words that make another number of a joined name: `best_epoch: 12`.
const OTHER_NAMES: [&str; 9] = ["best", "max", "min", "last", "next", "target", "warmup", "save", "resume"];

/// A number behind a word.
pub struct NumberedWord<'a> {
    pub word: &'static CountUnit,
    pub number: u64,
    pub behind: &'a [u8],
    /// Values come before it, or it is one in a table, so that the line is no heading.
    pub has_values: bool,
    /// The line begins with the word, which names one: neither `episodes: 50` nor `num_eval_ep: 20`.
    pub leads_line: bool,
}

/// The first number of a line that counts items and knows no total.
pub fn numbered(line: &[u8]) -> Option<NumberedWord<'_>> {
    let line = line[..line.len().min(SEARCHED)].trim_ascii_start();
    number_before_word(line).or_else(|| number_behind_word(line))
}

/// `4000 steps, reward 3`, `Completed 12 episodes`.
fn number_before_word(line: &[u8]) -> Option<NumberedWord<'_>> {
    let letters = letters_at(line, 0);
    let is_led = is_one_of(&line[..letters], &BEFORE_NUMBER) && line.get(letters) == Some(&b' ');
    let text = if is_led { &line[letters + 1..] } else { line };
    let (number, behind) = leading_grouped(text).or_else(|| leading_u64(text))?;
    let named = behind.strip_prefix(b" ")?;
    let letters = letters_at(named, 0);
    let (word, is_plural) = unit_of(&named[..letters])?;
    let behind = &named[letters..];
    let ends = behind.first().is_none_or(|byte| b" :,.|)".contains(byte));
    (is_plural && ends).then_some(NumberedWord { word, number, behind, has_values: true, leads_line: false })
}

/// `Epoch 12 | loss 0.3`, `Training steps: 12 Reward: 7`, `reward: 7, episode: 3`.
fn number_behind_word(line: &[u8]) -> Option<NumberedWord<'_>> {
    let row = ["|", "│"].into_iter().find(|border| line.starts_with(border.as_bytes()));
    let (mut at, mut pairs) = (0, 0);
    while let Some(found) = line[at..].iter().position(u8::is_ascii_alphabetic) {
        let start = at + found;
        at = start + letters_at(line, start);
        let word = &line[start..at];
        let known = unit_of(word);
        let name = known.and_then(|(_, is_plural)| {
            let name = NameOfCount { line, start, end: at, row, is_plural, pairs };
            name.may_count().then_some(name)
        });
        if let Some((name, (word, _))) = name.zip(known) {
            let Some((number, behind, gap)) = name.number() else { continue };
            let counts = name.counts(word, behind);
            let is_over = name.is_plural || is_done_word(last_word(&line[..start]));
            let has_values = pairs > 0 || row.is_some() || gap > WIDEST_GAP || is_over;
            let leads_line = !name.is_plural && name.leads_line();
            return counts.then_some(NumberedWord { word, number, behind, has_values, leads_line });
        }
        // `sac_episode:12`
        if start == 0 && line.get(at) == Some(&b'_') && !is_one_of(word, &OTHER_NAMES) {
            continue;
        }
        // A record names its keys in any order.
        // `Simulating batch 202`
        let is_deed = start == 0 && is_one_of(word, &DEEDS);
        if !line.starts_with(b"{") && !is_deed && !is_one_of(word, &BEFORE) && !is_bracketed(line, start, at)
        {
            at = behind_pair(line, start, pairs)?;
            pairs += 1;
        }
    }
    None
}

/// The unit that is counted here by this word, and whether it is in the plural.
fn unit_of(word: &[u8]) -> Option<(&'static CountUnit, bool)> {
    let is_of_time = word.eq_ignore_ascii_case(b"timesteps");
    let word = if is_of_time { &word[b"time".len()..] } else { word };
    count_units::find(word).filter(|(word, _)| UNITS.contains(&word.unit))
}

/// The number of letters from this place on.
fn letters_at(line: &[u8], start: usize) -> usize {
    line[start..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count()
}

/// A word of counting on a line, and what may lie between it and its number.
struct NameOfCount<'a> {
    line: &'a [u8],
    start: usize,
    end: usize,
    /// The border of the row that the line is.
    row: Option<&'static str>,
    is_plural: bool,
    /// Values before it.
    pairs: u32,
}

impl<'a> NameOfCount<'a> {
    /// `num of updates: 12`, `Time steps: 5000`, the first of several values and a row of iterations count; `updates: 12`
    /// may be a setting.
    fn may_count(&self) -> bool {
        let before = &self.line[..self.start];
        let is_column =
            self.row.is_some() && self.line[self.start..self.end].eq_ignore_ascii_case(b"iterations");
        let is_of_all = || before.ends_with(b"of ") || before.eq_ignore_ascii_case(b"time ");
        let is_first = || self.pairs == 0 && self.row.is_none() && is_first_of_values(&self.line[self.end..]);
        let is_done = || is_done_label(self.behind_name());
        !self.is_plural || is_column || is_of_all() || is_first() || is_done()
    }

    /// The text behind the whole name: `_num` and a quotation mark belong to it.
    fn behind_name(&self) -> &'a [u8] {
        let text = &self.line[self.end..];
        let end = ENDS_OF_NAME.iter().find_map(|end| text.strip_prefix(end.as_bytes()));
        let text = end.filter(|rest| !rest.first().is_some_and(u8::is_ascii_alphanumeric)).unwrap_or(text);
        text.strip_prefix(b"\"").or_else(|| text.strip_prefix(b"'")).unwrap_or(text)
    }

    /// The text behind the name and its labels.
    fn key(&self) -> &'a [u8] {
        behind_labels(self.behind_name(), if self.is_plural { &DONE } else { &LABELS })
    }

    /// The length of what lies between the key and the number: `: `, ` [`, ` => `; `_`, `-` or nothing between a name at
    /// the start of the line and its number.
    fn gap(&self, key: &[u8]) -> Option<usize> {
        let border = self.row.unwrap_or("|").as_bytes();
        let is_sign = |byte: &&u8| b" \t#:=[(|".contains(byte) || border.contains(byte);
        let arrow = |text: &[u8]| text.starts_with(b"->") || text.starts_with(b"=>");
        let dot = usize::from(key.starts_with(b". "));
        let mut signs = dot + key[dot..].iter().take_while(is_sign).count();
        if arrow(&key[signs..]) || signs > 0 && arrow(&key[signs - 1..]) {
            signs += key[signs..].iter().take_while(|byte| b"->= ".contains(byte)).count();
        }
        if signs > 0 {
            return Some(signs);
        }
        let is_glued = self.starts_line() && key.len() == self.line.len() - self.end;
        is_glued.then_some(usize::from(key.first().is_some_and(|byte| b"_-".contains(byte))))
    }

    fn starts_line(&self) -> bool {
        self.line[..self.start].iter().all(|byte| b" [".contains(byte))
    }

    /// No other words come before it, but for those in brackets, and it is in none.
    fn leads_line(&self) -> bool {
        let before = &self.line[..self.start];
        let own = memchr::memrchr(b']', before).map_or(before, |end| &before[end + 1..]);
        !own.iter().any(|byte| byte.is_ascii_alphabetic() || b"_[".contains(byte))
    }

    /// The number, the text behind it, and how far it is from its key: in another column, or next to it.
    fn number(&self) -> Option<(u64, &'a [u8], usize)> {
        let key = self.key();
        let gap = self.gap(key)?;
        let (number, behind) = leading_grouped(&key[gap..]).or_else(|| leading_u64(&key[gap..]))?;
        // `epoch                       49` is a row of a table without borders.
        let is_row = self.row.is_some() || self.start == 0 && behind.trim_ascii().is_empty();
        let widest = if is_row { WIDEST_COLUMN } else { WIDEST_GAP };
        if gap > widest {
            return None;
        }
        // `7.0` of a record is whole, `1.5` is not.
        let behind = behind.strip_prefix(b".0").unwrap_or(behind);
        let opens = key[..gap].iter().rfind(|byte| b"[(".contains(byte));
        let closed = opens.and_then(|open| behind.strip_prefix(if *open == b'[' { b"]" } else { b")" }));
        Some((number, closed.unwrap_or(behind), gap))
    }

    /// Nothing behind the number makes it another one: a share, a name, or a remark on what is said in an episode.
    fn counts(&self, word: &CountUnit, behind: &[u8]) -> bool {
        let is_announced = [&b"..."[..], "…".as_bytes()].iter().any(|dots| behind.starts_with(dots));
        let ends = is_announced || behind.first().is_none_or(|byte| b" :,|)]-\t}*=;".contains(byte));
        // `[ep 12] reset`: the episode in which something is said, as a logger names it.
        let is_said_in_it =
            word.name == "ep" && self.line[..self.start].ends_with(b"[") && behind.starts_with(b"]");
        // `frame #4: c10d::Watchdog()` of a stack.
        let is_of_stack = word.unit == "frames" && self.key().trim_ascii_start().starts_with(b"#");
        let rest = behind.trim_ascii_start();
        // `12 / STATE explore` is a row, and `12 / 100` a share.
        let is_share = |rest: &[u8]| rest.trim_ascii_start().first().is_some_and(u8::is_ascii_digit);
        let has_total = rest.strip_prefix(b"/").is_some_and(is_share) || rest.starts_with(b"of ");
        ends && !has_total && !is_said_in_it && !is_of_stack
    }
}

/// `: 12, reward: 0.3`, `=12 reward=3`.
fn is_first_of_values(behind: &[u8]) -> bool {
    let text = behind.strip_prefix(b":").or_else(|| behind.strip_prefix(b"=")).unwrap_or(behind);
    let number = text.strip_prefix(b" ").unwrap_or(text);
    let rest = leading_grouped(number).or_else(|| leading_u64(number)).map(|(_, rest)| rest);
    number.len() < behind.len()
        && rest.is_some_and(|rest| {
            rest.first().is_some_and(|byte| b", |;\t".contains(byte))
                && rest.iter().any(u8::is_ascii_alphabetic)
                && rest.iter().any(u8::is_ascii_digit)
        })
}

/// ` completed: 12`
fn is_done_label(behind: &[u8]) -> bool {
    let text = behind.trim_ascii_start();
    is_one_of(&text[..letters_at(text, 0)], &DONE)
}

/// Returns the text behind such words, of which there may be two.
fn behind_labels<'a>(key: &'a [u8], labels: &[&str]) -> &'a [u8] {
    let mut rest = key;
    for _ in 0..2 {
        let text = rest.trim_ascii_start();
        let letters = letters_at(text, 0);
        if text.len() == rest.len() || letters == 0 || !is_one_of(&text[..letters], labels) {
            break;
        }
        rest = text[letters..].strip_prefix(b".").unwrap_or(&text[letters..]);
    }
    rest
}

/// Returns the place behind `loss: 0.3, `, `algo=PPO ` and the like: values may come before a count.
fn behind_pair(line: &[u8], start: usize, pairs: u32) -> Option<usize> {
    let end = start + end_of_pair(&line[start..])?;
    let pair = &line[start..end];
    let is_number =
        |value: &[u8]| value.first().is_some_and(|byte| byte.is_ascii_digit() || b"+-.".contains(byte));
    let is_word = |value: &[u8]| !value.is_empty() && !value.iter().any(u8::is_ascii_whitespace);
    let sign = pair.iter().position(|byte| b":=".contains(byte));
    let name = &pair[..sign.unwrap_or_else(|| letters_at(pair, 0))];
    let value = pair[name.len()..].trim_ascii();
    let is_value = match sign {
        Some(_) => is_number(value[1..].trim_ascii_start()) || is_word(value[1..].trim_ascii_start()),
        // `Seed 1 | `
        None => !value.is_empty() && value.iter().all(u8::is_ascii_digit),
    };
    // More words before the sign are a sentence.
    let words = name.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty()).count();
    (is_value && pairs < MOST_PAIRS && words <= MOST_WORDS).then_some(end + 1)
}

/// A comma or a bar ends a pair, and so does a gap: `eta: 8:43:03  iter: 59  total_loss: 9.7`, `loss=0.3 step=300`.
fn end_of_pair(text: &[u8]) -> Option<usize> {
    let gap = find(text, b"  ");
    let bar = find(text, b" | ").map(|at| at + 1);
    let name = text.iter().take_while(|byte| is_name_byte(**byte)).count();
    let is_joined = text.get(name) == Some(&b'=') && text.get(name + 1).is_some_and(|byte| *byte != b' ');
    let blank = memchr::memchr(b' ', text).filter(|_| is_joined);
    memchr::memchr(b',', text).into_iter().chain(gap).chain(bar).chain(blank).min()
}

/// Reports whether the word is in brackets at the start of the line, as the names of speakers are.
fn is_bracketed(line: &[u8], start: usize, end: usize) -> bool {
    let opens = memchr::memrchr(b'[', &line[..start]);
    let closes = memchr::memrchr(b']', &line[..start]);
    opens.is_some_and(|opens| closes.is_none_or(|closes| closes < opens))
        && memchr::memchr(b']', &line[end..]).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(line: &str) -> Option<(&'static str, u64)> {
        numbered(line.as_bytes()).map(|found| (found.word.unit, found.number))
    }

    #[test]
    fn numbers_behind_and_before_words_count() {
        for (line, unit, number) in [
            ("Training steps: 50001 Episode Num: 250 Reward: -259.6", "steps", 50_001),
            ("steps: 1,200 reward: 3.5", "steps", 1200),
            ("timesteps: 12, mean_reward: 3", "steps", 12),
            ("num_episodes=12 reward=3", "episodes", 12),
            ("episode_num: 12 reward: 3", "episodes", 12),
            ("Ep. 12 reward 3", "episodes", 12),
            ("Ep#12 reward 3", "episodes", 12),
            ("Ep0012 R 3", "episodes", 12),
            ("Epi: 12 Score: 3", "episodes", 12),
            ("ep_003 success", "episodes", 3),
            ("episode-12: 3.5", "episodes", 12),
            ("Episode->12 Reward->3", "episodes", 12),
            ("Episode => 12, Reward => 3", "episodes", 12),
            ("Ep | 12 | R | 3", "episodes", 12),
            ("Epoch [12] loss 0.3", "epochs", 12),
            ("epoch12 loss 0.3", "epochs", 12),
            ("{'epoch': 12, 'train_loss': 0.3}", "epochs", 12),
            ("Total reward for episode 12: 3.5", "episodes", 12),
            ("PPO iteration 12: reward 3", "iterations", 12),
            ("Gen 12: best=3 avg=2", "generations", 12),
            ("12000 steps, reward 3", "steps", 12_000),
            ("After 4000 steps: reward 3", "steps", 4000),
            ("Completed 12 episodes", "episodes", 12),
            ("Episodes completed: 12", "episodes", 12),
            ("Games played: 12", "games", 12),
            ("After epoch 12: loss 0.3", "epochs", 12),
            ("End of episode 12: reward 3", "episodes", 12),
            ("Total reward in episode 12 = 3", "episodes", 12),
            ("loss=0.3 step=12", "steps", 12),
            ("task=Ant algo=PPO episode 12 R 3", "episodes", 12),
            ("Algo: PPO, Episode 12, R 3", "episodes", 12),
            ("Seed 1 | Episode 12 | R 3", "episodes", 12),
        ] {
            assert_eq!(count(line), Some((unit, number)), "{line}");
        }
    }

    #[test]
    fn settings_shares_and_names_count_nothing() {
        for line in [
            "updates: 12",
            "episodes: 50",
            "Episode 3/100",
            "Episode 3 of 100",
            "Saving every step 100",
            "lr at epoch 1.5",
            "best_epoch: 12",
            "saved to runs/epoch_12.pt",
            "seed 3",
            "Reward after 100 steps: 3.4",
            "{'loss': 0.3, 'epoch': 0.12}",
            "frame #4: <unknown function> + 0x145c0",
            "12 episodesque",
            "The best reward of all in episode 3",
            "Agent dies | Episode 12",
            "12.5 steps",
        ] {
            assert_eq!(count(line), None, "{line}");
        }
    }
}
