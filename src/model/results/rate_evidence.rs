//! Evidence that two success rates differ, which may be looked at after every block of episodes.
//!
//! A bet on the difference starts with a capital of 1 and wins where the difference is another one than `D`. Whatever
//! one looks at and whenever one stops, a capital of 1 / level is reached with at most the chance `level` where the
//! difference is `D` (Ville). Capital is spread over 256 stakes (Waudby-Smith and Ramdas, JRSS B 86, 1-27, 2024); for
//! D = 0 that is Robbins' uniform mixture over the discordant pairs. Where only counts are known, every way to pair
//! the episodes of a block is equally likely, and the capital is the mean over all of them.

use std::collections::BTreeMap;

/// Stakes that share the capital.
const STAKES: usize = 256;

/// So many halvings find an end to 1e-12.
const HALVINGS: u32 = 40;

/// Episodes of both sides that were run under the same conditions, as many of the one as of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EpisodeBlock {
    /// Episodes of each side.
    pub episodes: u64,
    /// Number of episodes of the first side that succeeded.
    pub first: u64,
    /// Number of episodes of the second side that succeeded.
    pub second: u64,
}

/// Blocks that were looked at, equal ones together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RateEvidence {
    blocks: BTreeMap<EpisodeBlock, usize>,
    episodes: u64,
    first: u64,
    second: u64,
}

/// A difference of two rates with an interval that holds at every look.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SequentialInterval {
    /// Rate of the first less that of the second.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl SequentialInterval {
    /// The same with the sides exchanged.
    pub fn swap_sides(self) -> Self {
        Self { value: -self.value, low: -self.high, high: -self.low }
    }
}

impl RateEvidence {
    /// Takes one more block into account; one with more successes than episodes is ignored.
    pub fn add_block(&mut self, block: EpisodeBlock) {
        if block.first.max(block.second) <= block.episodes && block.episodes > 0 {
            *self.blocks.entry(block).or_insert(0) += 1;
            self.episodes += block.episodes;
            self.first += block.first;
            self.second += block.second;
        }
    }

    /// Episodes of each side.
    pub fn episodes(&self) -> u64 {
        self.episodes
    }

    /// Successes of the first and of the second.
    pub fn successes(&self) -> (u64, u64) {
        (self.first, self.second)
    }

    /// The blocks and how often each came.
    pub fn blocks(&self) -> impl Iterator<Item = (EpisodeBlock, usize)> {
        self.blocks.iter().map(|(block, times)| (*block, *times))
    }

    /// How many times as much a bet against equal rates has come to: 20 is strong, 1 is nothing.
    pub fn e_value(&self) -> f64 {
        self.ln_capital(0.0).exp().min(f64::MAX)
    }

    /// All differences against which no bet has reached `limit`; none without episodes.
    pub fn confidence_interval(&self, limit: f64) -> Option<SequentialInterval> {
        if self.episodes == 0 {
            return None;
        }
        let value = (self.first as f64 - self.second as f64) / self.episodes as f64;
        Some(SequentialInterval {
            value,
            low: self.find_bound(value, -1.0, limit.ln()),
            high: self.find_bound(value, 1.0, limit.ln()),
        })
    }

    /// The end of the interval on the side of `edge`, found by halving.
    fn find_bound(&self, value: f64, edge: f64, limit: f64) -> f64 {
        // A bet against the edge itself would stake without bound.
        let (mut inside, mut out) = (value, edge * (1.0 - 1e-9));
        if (value - edge).abs() < 1e-9 || self.ln_capital(out) < limit {
            return edge;
        }
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(inside, out);
            if self.ln_capital(middle) >= limit { out = middle } else { inside = middle }
        }
        f64::midpoint(inside, out)
    }

    /// The logarithm of the capital of the bet against a difference of `difference`.
    fn ln_capital(&self, difference: f64) -> f64 {
        let mut capital = [0.0; STAKES];
        for (block, times) in &self.blocks {
            let pairings = Pairings::from_block(*block);
            for (number, capital) in capital.iter_mut().enumerate() {
                *capital += *times as f64 * pairings.ln_factor(stake_at(number, difference), difference);
            }
        }
        ln_mean_exp(&capital)
    }
}

/// The stakes lie between the two that could lose everything.
fn stake_at(number: usize, difference: f64) -> f64 {
    let (low, high) = (-1.0 / (1.0 - difference), 1.0 / (1.0 + difference));
    low + (high - low) * (number as f64 + 0.5) / STAKES as f64
}

fn ln_mean_exp(logarithms: &[f64]) -> f64 {
    let most = logarithms.iter().copied().fold(f64::MIN, f64::max);
    let sum: f64 = logarithms.iter().map(|ln| (ln - most).exp()).sum();
    most + (sum / logarithms.len() as f64).ln()
}

/// All ways to pair the episodes of a block: how likely each number of pairs is in which both succeed.
struct Pairings {
    block: EpisodeBlock,
    /// The least number of such pairs.
    least: f64,
    /// Logarithms of the probabilities of that number and of each larger one.
    ln_chances: Vec<f64>,
}

impl Pairings {
    /// Both succeed in as many pairs as the hypergeometric distribution gives.
    fn from_block(block: EpisodeBlock) -> Self {
        let EpisodeBlock { episodes, first, second } = block;
        let (least, most) = ((first + second).saturating_sub(episodes), first.min(second));
        let whole = ln_choose(episodes, second);
        let ln_chances = (least..=most)
            .map(|both| ln_choose(first, both) + ln_choose(episodes - first, second - both) - whole)
            .collect();
        Self { block, least: least as f64, ln_chances }
    }

    /// By how much a stake multiplies its capital, in the mean over all pairings.
    fn ln_factor(&self, stake: f64, difference: f64) -> f64 {
        let won = (stake * (1.0 - difference)).ln_1p();
        let lost = (-stake * (1.0 + difference)).ln_1p();
        let drawn = (-stake * difference).ln_1p();
        let EpisodeBlock { episodes, first, second } = self.block;
        let alone = first as f64 * won
            + second as f64 * lost
            + (episodes as f64 - first as f64 - second as f64) * drawn;
        // Each pair in which both succeed takes one win and one loss away and makes two draws of them.
        let step = 2.0 * drawn - won - lost;
        if let [only] = self.ln_chances[..] {
            return alone + only + step * self.least;
        }
        let terms =
            || self.ln_chances.iter().enumerate().map(|(more, ln)| ln + step * (self.least + more as f64));
        let most = terms().fold(f64::MIN, f64::max);
        alone + most + terms().map(|ln| (ln - most).exp()).sum::<f64>().ln()
    }
}

fn ln_choose(of: u64, taken: u64) -> f64 {
    let ln_factorial = |number: u64| libm::lgamma(number as f64 + 1.0);
    ln_factorial(of) - ln_factorial(taken) - ln_factorial(of - taken)
}

#[cfg(test)]
mod tests;
