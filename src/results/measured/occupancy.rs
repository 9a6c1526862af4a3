//! Who was at work at which moment: on one GPU, or on the whole machine.

use jiff::Timestamp;

/// From when on who was at work, in the order of time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Occupancy {
    changes: Vec<(Timestamp, Vec<usize>)>,
}

/// A time in which the same ones were at work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BusyPeriod<'a> {
    /// Time at which it begins.
    pub from: Timestamp,
    /// Time at which it ends.
    pub to: Timestamp,
    /// Positions of those that were at work.
    pub who: &'a [usize],
}

impl BusyPeriod<'_> {
    /// Returns its length in seconds.
    pub fn seconds(&self) -> f64 {
        self.to.duration_since(self.from).as_secs_f64()
    }
}

impl Occupancy {
    /// Builds the occupancy from everyone's times at work.
    pub fn from_spans(spans: impl IntoIterator<Item = (usize, Timestamp, Timestamp)>) -> Self {
        let mut edges: Vec<(Timestamp, bool, usize)> = Vec::new();
        for (who, from, to) in spans {
            if from < to {
                edges.extend([(from, true, who), (to, false, who)]);
            }
        }
        edges.sort_unstable();
        let mut changes: Vec<(Timestamp, Vec<usize>)> = Vec::new();
        let mut present: Vec<usize> = Vec::new();
        for (at, comes, who) in edges {
            if comes {
                present.push(who);
            } else {
                present.retain(|other| *other != who);
            }
            match changes.last_mut() {
                Some((last, here)) if *last == at => here.clone_from(&present),
                Some(_) | None => changes.push((at, present.clone())),
            }
        }
        Self { changes }
    }

    /// Returns who was at work at that moment.
    pub fn active_at(&self, moment: Timestamp) -> &[usize] {
        let after = self.changes.partition_point(|(at, _)| *at <= moment);
        after.checked_sub(1).map_or(&[], |position| self.changes[position].1.as_slice())
    }

    /// Returns the times in which at least one was at work.
    pub fn busy_stretches(&self) -> impl Iterator<Item = BusyPeriod<'_>> {
        self.changes
            .windows(2)
            .filter_map(|pair| {
                let [(from, who), (to, _)] = pair else { return None };
                Some(BusyPeriod { from: *from, to: *to, who })
            })
            .filter(|stretch| !stretch.who.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;

    fn second(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn it_changes_when_somebody_comes_or_goes() {
        let occupancy = Occupancy::from_spans([
            (0, second(0), second(10)),
            (1, second(5), second(20)),
            (2, second(30), second(30)),
        ]);
        assert_eq!(occupancy.active_at(second(-1)), [] as [usize; 0]);
        assert_eq!(occupancy.active_at(second(0)), [0]);
        assert_eq!(occupancy.active_at(second(7)), [0, 1]);
        assert_eq!(occupancy.active_at(second(10)), [1]);
        assert_eq!(occupancy.active_at(second(20)), [] as [usize; 0]);
        let lengths: Vec<f64> = occupancy.busy_stretches().map(|stretch| stretch.seconds()).collect();
        assert_eq!(lengths, [5.0, 5.0, 10.0]);
    }

    proptest! {
        #[test]
        fn it_is_what_asking_everyone_gives(spans in vec((0_i64..50, 0_i64..20), 0..20), moment in -5_i64..80) {
            let timed = |(who, (from, length)): (usize, &(i64, i64))| (who, second(*from), second(from + length));
            let occupancy = Occupancy::from_spans(spans.iter().enumerate().map(timed));
            let mut found = occupancy.active_at(second(moment)).to_vec();
            found.sort_unstable();
            let asked: Vec<usize> = (0..spans.len())
                .filter(|who| spans[*who].0 <= moment && moment < spans[*who].0 + spans[*who].1)
                .collect();
            prop_assert_eq!(found, asked);
        }
    }
}
