//! Counts of an attempt that continues earlier ones: what those had done is a part of its progress.
//!
//! Programs that continue count in two ways: on from where they stopped (41 of 100), or only what is left (1 of 60).
//! The total distinguishes them; without one the first count does.

use crate::model::outcome::{Metrics, Progress};

/// Progress of earlier attempts, and the way in which the present one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EarlierProgress {
    before: Progress,
    counting: ResumeCounting,
}

/// Way of counting of a program whose lines give no total.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ResumeCounting {
    Unknown,
    /// On from what was done before.
    On,
    /// Only the work that is left.
    Rest,
}

impl EarlierProgress {
    /// Earlier attempts had done so much of the whole; `None` where that was nothing.
    pub fn of(before: Progress) -> Option<Self> {
        (before.done > 0).then_some(Self { before, counting: ResumeCounting::Unknown })
    }

    /// Returns the progress that the earlier attempts had made.
    pub fn progress(&self) -> Progress {
        self.before
    }

    /// A count of the log as a count of the whole. A total that the sweep `declares` is no word of the program.
    pub fn add_to(&mut self, now: Progress, declared: Option<u64>) -> Progress {
        let Progress { done: before, total: whole } = self.before;
        let total = now.total.filter(|total| declared != Some(*total));
        match (total, whole) {
            (Some(total), Some(whole)) if total < whole && whole - total <= before => {
                // Episodes behind the newest checkpoint are done again, and count once.
                Progress { done: (whole - total).saturating_add(now.done), total: Some(whole) }
            }
            (Some(_), _) => now,
            (None, _) => self.add_untotalled(now, whole.or(now.total)),
        }
    }

    fn add_untotalled(&mut self, now: Progress, whole: Option<u64>) -> Progress {
        if self.counting == ResumeCounting::Unknown {
            self.counting =
                if now.done > self.before.done { ResumeCounting::On } else { ResumeCounting::Rest };
        }
        let sum = self.before.done.saturating_add(now.done);
        // More than everything cannot be what was left: the program started again.
        if self.counting == ResumeCounting::Rest && whole.is_none_or(|whole| sum <= whole) {
            return Progress { done: sum, total: whole };
        }
        self.counting = ResumeCounting::On;
        Progress { total: whole, ..now }
    }
}

/// Adds the episodes of earlier attempts to those of the log, unless they are counted there already: with them there
/// would be more than the whole.
pub fn add_episodes(now: &mut Metrics, before: &Metrics, whole: Option<u64>) {
    let figure = |metrics: &Metrics, name: &str| metrics.get(name).copied().filter(|value| value.is_finite());
    let (Some(whole), Some(episodes), Some(earlier)) =
        (whole, figure(now, "episodes"), figure(before, "episodes"))
    else {
        return;
    };
    let sum = episodes + earlier;
    if sum > whole as f64 {
        return;
    }
    let successes =
        figure(now, "successes").zip(figure(before, "successes")).map(|(now, before)| now + before);
    let rates = figure(now, "success_rate").zip(figure(before, "success_rate"));
    let weighed = rates.map(|(now, before)| (now * episodes + before * earlier) / sum);
    now.insert("episodes".to_owned(), sum);
    for (name, value) in
        [("successes", successes), ("success_rate", successes.map(|count| count / sum).or(weighed))]
    {
        // What is known of a part only is not known of the whole.
        match value.filter(|_| sum > 0.0) {
            Some(value) => drop(now.insert(name.to_owned(), value)),
            None => drop(now.remove(name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn progress(done: u64, total: impl Into<Option<u64>>) -> Progress {
        Progress { done, total: total.into() }
    }

    fn earlier(done: u64, total: impl Into<Option<u64>>) -> EarlierProgress {
        EarlierProgress::of(progress(done, total)).unwrap()
    }

    #[test]
    fn the_total_tells_whether_a_program_counts_on_or_only_what_is_left() {
        let mut of = earlier(40, 100);
        assert_eq!(of.add_to(progress(1, 60), None), progress(41, 100));
        assert_eq!(of.add_to(progress(41, 100), None), progress(41, 100));
        // Its checkpoint was five episodes old.
        assert_eq!(of.add_to(progress(1, 65), None), progress(36, 100));
        // It started again, or counts something else.
        assert_eq!(of.add_to(progress(1, 100), None), progress(1, 100));
        assert_eq!(of.add_to(progress(3, 20), None), progress(3, 20));
        assert_eq!(EarlierProgress::of(progress(0, 100)), None);
    }

    #[test]
    fn without_a_total_the_first_count_tells() {
        let counts = |first: u64, second: u64, declared: Option<u64>| {
            let mut of = earlier(40, declared);
            let one = of.add_to(progress(first, declared), declared).done;
            (one, of.add_to(progress(second, declared), declared).done)
        };
        assert_eq!(counts(1, 50, None), (41, 90));
        assert_eq!(counts(41, 50, None), (41, 50));
        assert_eq!(counts(1, 60, Some(100)), (41, 100));
        // It started again, which shows when it counts more than was left.
        assert_eq!(counts(1, 61, Some(100)), (41, 61));
    }

    #[test]
    fn episodes_add_up_unless_they_are_counted_already() {
        let metrics = |episodes: f64, successes: f64| {
            let rate = successes / episodes;
            let known =
                [("episodes", episodes), ("successes", successes), ("success_rate", rate), ("loss", 0.5)];
            known.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Metrics>()
        };
        let mut now = metrics(60.0, 30.0);
        add_episodes(&mut now, &metrics(40.0, 10.0), Some(100));
        assert_eq!((now["episodes"], now["successes"], now["success_rate"]), (100.0, 40.0, 0.4));
        let mut all = metrics(100.0, 40.0);
        add_episodes(&mut all, &metrics(40.0, 10.0), Some(100));
        assert_eq!(all, metrics(100.0, 40.0));
        let mut unknown = metrics(60.0, 30.0);
        unknown.remove("successes");
        add_episodes(&mut unknown, &metrics(40.0, 10.0), Some(100));
        assert_eq!((unknown.get("successes"), unknown["success_rate"]), (None, 0.4));
    }

    proptest! {
        #[test]
        fn what_is_left_of_a_whole_ends_at_the_whole(whole in 1..1000_u64, done in 1..1000_u64) {
            prop_assume!(done < whole);
            let rest = whole - done;
            let mut of = earlier(done, whole);
            for count in 0..=rest {
                prop_assert_eq!(of.add_to(progress(count, rest), None), progress(done + count, whole));
            }
        }
    }
}
