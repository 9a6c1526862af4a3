//! The part of the machine that does an attempt's work, derived from measurements of its processes and GPUs in the last
//! seconds.

use std::collections::VecDeque;

use crate::scheduler::input::LoadKind;

/// As many rounds are looked at; a compiler that waits for the disk now and then is still one.
const ROUNDS: usize = 10;

/// Least number of rounds to report on.
const FEWEST: usize = 3;

/// Percent of a core from which processes are busy. On a machine whose cores are all taken no process gets a whole one.
const BUSY_PERCENT: f64 = 80.0;
const BUSY_PERCENT_OF_FULL_MACHINE: f64 = 15.0;

/// From here on all cores count as taken.
const FULL_PERCENT: f64 = 95.0;

/// Up to here a GPU is idle.
const IDLE_PERCENT: f64 = 5.0;

/// A report is taken back only where the measurement is off by so much, or it would be repeated again and again.
const SLACK: f64 = 0.6;

/// The last measurements of one attempt.
#[derive(Debug, Default)]
pub(in crate::supervisor) struct LoadMeter {
    rounds: VecDeque<Shares>,
    told: Option<LoadKind>,
}

/// The measurements of one round, in percent.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::supervisor) struct Shares {
    /// Its processes, of one core.
    pub(in crate::supervisor) cpu: Option<f64>,
    /// Use of its busiest GPU, in percent.
    pub(in crate::supervisor) gpu: Option<f64>,
    /// All cores of the machine together, by whomever.
    pub(in crate::supervisor) host: Option<f64>,
}

impl LoadMeter {
    /// Takes one round in, and gives the load when it is known for the first time or has changed.
    pub(in crate::supervisor) fn add_round(&mut self, measured: Shares) -> Option<LoadKind> {
        if self.rounds.len() == ROUNDS {
            self.rounds.pop_front();
        }
        self.rounds.push_back(measured);
        let of = |part: fn(&Shares) -> Option<f64>| compute_mean(self.rounds.iter().filter_map(part));
        let cpu = of(|round| round.cpu)?;
        // A GPU that was not measured contradicts nothing.
        let gpu = of(|round| round.gpu).unwrap_or(0.0);
        let is_full = of(|round| round.host).is_some_and(|host| host >= FULL_PERCENT);
        let busy = if is_full { BUSY_PERCENT_OF_FULL_MACHINE } else { BUSY_PERCENT };
        let slack = if self.told == Some(LoadKind::ProcessorOnly) { SLACK } else { 1.0 };
        let works_there_only = cpu >= busy * slack && gpu <= IDLE_PERCENT / slack;
        let load = if works_there_only { LoadKind::ProcessorOnly } else { LoadKind::Other };
        (self.told.replace(load) != Some(load)).then_some(load)
    }
}

/// The mean of enough values.
fn compute_mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0);
    for value in values {
        sum += value;
        count += 1;
    }
    (count >= FEWEST).then(|| sum / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUSY: Shares = Shares { cpu: Some(100.0), gpu: None, host: Some(40.0) };
    const IDLE: Shares = Shares { cpu: Some(10.0), ..BUSY };

    /// Returns what is reported after each of so many rounds.
    fn told<const N: usize>(meter: &mut LoadMeter, round: Shares) -> [Option<LoadKind>; N] {
        [(); N].map(|()| meter.add_round(round))
    }

    fn told_first(round: Shares) -> Option<LoadKind> {
        let told = told::<5>(&mut LoadMeter::default(), round);
        assert_eq!((&told[..2], &told[3..]), (&[None; 2][..], &[None; 2][..]), "it is told once");
        told[2]
    }

    #[test]
    fn a_busy_core_beside_idle_gpus_is_told() {
        assert_eq!(told_first(BUSY), Some(LoadKind::ProcessorOnly), "without GPUs too");
        assert_eq!(told_first(Shares { gpu: Some(1.0), ..BUSY }), Some(LoadKind::ProcessorOnly));
        assert_eq!(told_first(Shares { gpu: Some(60.0), ..BUSY }), Some(LoadKind::Other));
        assert_eq!(told_first(IDLE), Some(LoadKind::Other));
    }

    #[test]
    fn where_all_cores_are_taken_a_part_of_one_is_much() {
        let part = Shares { cpu: Some(40.0), ..BUSY };
        assert_eq!(told_first(part), Some(LoadKind::Other));
        assert_eq!(told_first(Shares { host: Some(99.0), ..part }), Some(LoadKind::ProcessorOnly));
    }

    #[test]
    fn a_short_rest_changes_nothing_and_a_long_one_does() {
        let mut meter = LoadMeter::default();
        told::<ROUNDS>(&mut meter, BUSY);
        let rest = told::<ROUNDS>(&mut meter, IDLE);
        assert_eq!(rest[..4], [None; 4]);
        assert_eq!(rest.iter().flatten().collect::<Vec<_>>(), [&LoadKind::Other]);
    }

    #[test]
    fn rounds_that_measured_nothing_do_not_count() {
        assert_eq!(told::<20>(&mut LoadMeter::default(), Shares::default()), [None; 20]);
    }
}
