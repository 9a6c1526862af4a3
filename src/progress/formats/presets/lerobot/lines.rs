//! Results of LeRobot that spread over several lines, as `pprint` and indented JSON lay them out.

use memchr::memmem;

use super::results::Averages;
use crate::progress::text::number::leading_f64;
use crate::progress::text::python_literal::read;

/// Names of which at least one is on every line that holds a result or a part of one.
pub const NAMES: [&str; 5] = ["pc_success", "n_episodes", "avg_sum_reward", "avg_max_reward", "eval_s"];
const PERCENT: usize = 0;
const EPISODES: usize = 1;
const SUM_REWARD: usize = 2;
const MAX_REWARD: usize = 3;
const SECONDS: usize = 4;

/// The values of one result that were read so far.
#[derive(Debug, Default)]
pub struct PartialResult {
    values: [Option<f64>; NAMES.len()],
}

/// How much of a result a line gives.
#[derive(Debug)]
pub enum ResultPart {
    /// No part of any result.
    None,
    /// Some of its values.
    Some,
    /// The last that was missing, or one more.
    Whole(Averages),
}

impl PartialResult {
    /// Takes the values on the line. The result is whole as soon as it is known to be that of all tasks: those of
    /// groups of tasks have no time.
    pub fn take(&mut self, line: &[u8]) -> ResultPart {
        let holds_names = memchr::memchr2(b'\'', b'"', line).is_some();
        let told = NAMES.map(|name| if holds_names { value_of(name, line) } else { None });
        if told.iter().zip(&self.values).any(|(new, known)| new.is_some() && known.is_some()) {
            // A name that comes again begins the next result.
            self.values = Default::default();
        }
        let mut is_of_result = self.values.iter().any(Option::is_some);
        for (index, value) in told.into_iter().enumerate() {
            // The configuration asks for a number of episodes too, on a line of its own.
            is_of_result |= value.is_some() && index != EPISODES;
            self.values[index] = value.or(self.values[index]);
        }
        if !is_of_result {
            self.values = Default::default();
        }
        match self.averages() {
            _ if !is_of_result || told.iter().all(Option::is_none) => ResultPart::None,
            Some(averages) => ResultPart::Whole(averages),
            None => ResultPart::Some,
        }
    }

    fn averages(&self) -> Option<Averages> {
        Some(Averages {
            percent: self.values[PERCENT]?,
            episodes: self.values[EPISODES].filter(|episodes| *episodes > 0.0),
            mean_sum_reward: self.values[SUM_REWARD],
            mean_max_reward: self.values[MAX_REWARD],
            eval_s: Some(self.values[SECONDS]?),
        })
    }

    /// Reports whether all of these names were read: no other program prints them all.
    pub fn is_typical(&self) -> bool {
        [PERCENT, SUM_REWARD, MAX_REWARD, SECONDS].iter().all(|index| self.values[*index].is_some())
    }
}

/// The number behind `'name':` or `"name":`.
fn value_of(name: &str, line: &[u8]) -> Option<f64> {
    memmem::find_iter(line, name.as_bytes()).find_map(|at| {
        let quote = *line[..at].last().filter(|quote| matches!(quote, b'\'' | b'"'))?;
        let text = line[at + name.len()..].strip_prefix(&[quote, b':'])?.trim_ascii_start();
        // At the end of its line a number is whole, but not within a call: `np.float64(12.`.
        read(text).map_or_else(|| leading_f64(text), |value| value.literal.number())
    })
}
