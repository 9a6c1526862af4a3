//! The results that LeRobot prints at its end, as Python prints lists and dictionaries, often cut off.

use memchr::memchr2_iter;

use crate::progress::format::Notes;
use crate::progress::text::python_literal::ParsedLiteral;
use crate::progress::text::python_literal::PythonLiteral;
use crate::progress::text::python_literal::read;

/// Highest number of brackets that are tried, because a logger's prefix may hold some.
const MOST_PREFIXES: usize = 8;

/// A result that was printed on one line.
#[derive(Debug)]
pub enum PrintedResult {
    /// `[{'task_group': …, 'task_id': 0, 'metrics': {'successes': [True, …], …}}, …]`.
    Episodes(EpisodeTotals),
    /// `{'avg_sum_reward': …, 'pc_success': 70.0, 'n_episodes': 50, 'eval_s': …}`.
    Averages(Averages),
}

/// All episodes of all tasks.
#[derive(Debug)]
pub struct EpisodeTotals {
    /// How many there are.
    pub count: u64,
    successes: u64,
    mean_sum_reward: Option<f64>,
    mean_max_reward: Option<f64>,
}

/// Averages that LeRobot computed itself.
#[derive(Debug)]
pub struct Averages {
    /// The share of episodes that succeeded, in percent.
    pub percent: f64,
    /// Number of episodes; older versions do not print it.
    pub episodes: Option<f64>,
    /// The sums of the rewards of episodes.
    pub mean_sum_reward: Option<f64>,
    /// The largest rewards of episodes.
    pub mean_max_reward: Option<f64>,
    /// How long all episodes took; groups of tasks have none.
    pub eval_s: Option<f64>,
}

/// Returns the result on this line. Of the list of tasks nothing may be missing, because every number is a sum over it;
/// of several groups none is that of all.
pub fn printed_on(line: &[u8]) -> Option<PrintedResult> {
    for at in memchr2_iter(b'{', b'[', line).take(MOST_PREFIXES) {
        let Some(ParsedLiteral { literal, whole, .. }) = read(&line[at..]) else { continue };
        if let Some(tasks) = literal.list() {
            match EpisodeTotals::of(tasks).filter(|_| whole) {
                Some(episodes) => return Some(PrintedResult::Episodes(episodes)),
                None => continue,
            }
        }
        if let Some(averages) = Averages::of(&literal) {
            return Some(PrintedResult::Averages(averages));
        }
        if let Some(groups) = groups(&literal) {
            let only = groups.first().filter(|_| groups.len() == 1 && whole);
            return Averages::of(only?).map(PrintedResult::Averages);
        }
    }
    None
}

/// `{'libero_10': {'pc_success': …}, …}`.
fn groups(literal: &PythonLiteral) -> Option<Vec<&PythonLiteral>> {
    let PythonLiteral::Map(pairs) = literal else { return None };
    let is_result = |(_, group): &(PythonLiteral, PythonLiteral)| group.get("pc_success").is_some();
    pairs.first().filter(|first| is_result(first))?;
    Some(pairs.iter().map(|(_, group)| group).collect())
}

impl EpisodeTotals {
    fn of(tasks: &[PythonLiteral]) -> Option<Self> {
        let metrics: Vec<&PythonLiteral> =
            tasks.iter().map(|task| task.get("metrics")).collect::<Option<_>>()?;
        let successes: Vec<f64> =
            all(&metrics, "successes").map(PythonLiteral::number).collect::<Option<_>>()?;
        if successes.is_empty() {
            return None;
        }
        Some(Self {
            count: successes.len() as u64,
            successes: successes.iter().filter(|success| **success != 0.0).count() as u64,
            mean_sum_reward: mean(all(&metrics, "sum_rewards").filter_map(PythonLiteral::number)),
            mean_max_reward: mean(all(&metrics, "max_rewards").filter_map(PythonLiteral::number)),
        })
    }

    /// Notes them as metrics.
    pub fn note(&self, notes: &mut Notes) {
        notes.metric("episodes", self.count as f64);
        notes.metric("successes", self.successes as f64);
        notes.metric("success_rate", self.successes as f64 / self.count as f64);
        note_rewards(self.mean_sum_reward, self.mean_max_reward, notes);
    }
}

impl Averages {
    fn of(result: &PythonLiteral) -> Option<Self> {
        let number = |name| result.get(name).and_then(PythonLiteral::number);
        Some(Self {
            percent: number("pc_success")?,
            episodes: number("n_episodes").filter(|episodes| *episodes > 0.0),
            mean_sum_reward: number("avg_sum_reward"),
            mean_max_reward: number("avg_max_reward"),
            eval_s: number("eval_s"),
        })
    }

    /// Notes all but the time as metrics.
    pub fn note(&self, notes: &mut Notes) {
        let rate = self.percent / 100.0;
        if let Some(episodes) = self.episodes {
            notes.metric("episodes", episodes);
            // The rate is a mean of yes and no: times their number it is a whole number again.
            let successes = (rate * episodes).round();
            if (successes - rate * episodes).abs() < 1e-6 * episodes {
                notes.metric("successes", successes);
            }
        }
        notes.metric("success_rate", rate);
        note_rewards(self.mean_sum_reward, self.mean_max_reward, notes);
    }
}

/// The values of all episodes of all tasks.
fn all<'a>(metrics: &'a [&'a PythonLiteral], name: &'a str) -> impl Iterator<Item = &'a PythonLiteral> {
    metrics.iter().filter_map(move |metrics| metrics.get(name)?.list()).flatten()
}

fn note_rewards(sum: Option<f64>, max: Option<f64>, notes: &mut Notes) {
    for (name, value) in [("mean_sum_reward", sum), ("mean_max_reward", max)] {
        if let Some(value) = value {
            notes.metric(name, value);
        }
    }
}

/// The mean as LeRobot forms it: values that are no numbers are left out, unless all are.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count, mut any) = (0.0, 0_u64, false);
    for value in values {
        any = true;
        if !value.is_nan() {
            sum += value;
            count += 1;
        }
    }
    any.then(|| sum / count as f64)
}
