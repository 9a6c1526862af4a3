//! Rates of success that programs print in their own words, and which of several is that of the work.

use super::share::{Scope, abbreviated, share_on};
use crate::progress::counts::printed::success_share::SuccessShare;

/// Returns the rate on a line that counts, if it is not that of a part of the work; programs also abbreviate without a
/// sign there: `SR 43.2%`.
pub fn rate_on_counted(line: &[u8]) -> Option<f64> {
    share_on(line).or_else(|| abbreviated(line, false)).map(|(_, share)| share.as_rate())
}

/// The rates that a program printed, the newest of which is that of its work where that is clear.
#[derive(Debug, Default)]
pub struct PrintedRates {
    newest: Option<NewestRate>,
    printed: u64,
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
    /// So many episodes it is about, where it is given as a share of them.
    episodes: Option<u64>,
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
    /// Returns how many rates were printed.
    pub fn printed(&self) -> u64 {
        self.printed
    }

    /// Counts a rate that something else has taken.
    pub fn hear(&mut self) {
        self.printed += 1;
    }

    /// So many episodes the newest rate is about, where that is clear.
    pub fn episodes(&self) -> Option<u64> {
        self.newest.filter(|newest| !newest.is_unclear)?.episodes
    }

    /// Takes the next rate, with how much is done.
    pub fn take(&mut self, scope: Scope, share: SuccessShare, done: Option<u64>) -> RateWorth {
        self.printed += 1;
        let rate = share.as_rate();
        let episodes = match share {
            SuccessShare::Counted { episodes, .. } => Some(episodes as u64),
            SuccessShare::Rate(_) => None,
        };
        let same_round = self.newest.filter(|newest| newest.done == done);
        let is_unclear = match (scope, same_round) {
            (Scope::Overall | Scope::Counted, _) | (Scope::Plain, None) => false,
            (Scope::Plain, Some(NewestRate { scope: Scope::Overall, .. })) => return RateWorth::Nothing,
            // The same once more, such as in a summary.
            (Scope::Plain, Some(before)) => {
                before.is_unclear || before.scope == Scope::Plain && before.rate.to_bits() != rate.to_bits()
            }
        };
        let episodes = episodes.or(same_round
            .filter(|before| before.rate.to_bits() == rate.to_bits())
            .and_then(|before| before.episodes));
        self.newest = Some(NewestRate { scope, rate, done, is_unclear, episodes });
        if is_unclear { RateWorth::Unclear } else { RateWorth::Rate(rate) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_count_abbreviate() {
        assert_eq!(rate_on_counted(b"Iter 502: SR 43.5%, Q 150.8"), Some(0.435));
        assert_eq!(rate_on_counted(b"Iter 502: SRC 43.2%"), None);
    }

    #[test]
    fn of_several_rates_none_counts_unless_it_is_that_of_all() {
        let mut rates = PrintedRates::default();
        assert_eq!(rates.take(Scope::Plain, SuccessShare::Rate(0.5), None), RateWorth::Rate(0.5));
        assert_eq!(
            rates.take(Scope::Plain, SuccessShare::Rate(0.5), None),
            RateWorth::Rate(0.5),
            "the same again"
        );
        assert_eq!(rates.take(Scope::Plain, SuccessShare::Rate(0.7), None), RateWorth::Unclear);
        assert_eq!(rates.take(Scope::Plain, SuccessShare::Rate(0.5), None), RateWorth::Unclear);
        assert_eq!(rates.take(Scope::Overall, SuccessShare::Rate(0.6), None), RateWorth::Rate(0.6));
        assert_eq!(rates.take(Scope::Plain, SuccessShare::Rate(0.9), None), RateWorth::Nothing);
        assert_eq!(
            rates.take(Scope::Plain, SuccessShare::Rate(0.9), Some(3)),
            RateWorth::Rate(0.9),
            "of another round"
        );
    }

    #[test]
    fn a_share_says_of_how_many_episodes_it_is() {
        let counted = |successes, episodes| SuccessShare::Counted { successes, episodes };
        let mut rates = PrintedRates::default();
        rates.take(Scope::Plain, counted(6.0, 20.0), None);
        assert_eq!(rates.episodes(), Some(20));
        rates.take(Scope::Plain, SuccessShare::Rate(0.3), None);
        assert_eq!(rates.episodes(), Some(20), "the same as a rate");
        rates.take(Scope::Plain, counted(7.0, 20.0), None);
        assert_eq!(rates.episodes(), None, "one of several");
    }
}
