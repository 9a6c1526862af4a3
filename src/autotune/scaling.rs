//! What to try next: twice as many side by side, until throughput stops growing or memory ends.

use super::measured::{TrialEnd, TrialResult};
use super::room::Limit;

/// Twice as many shards must do at least this much more, or they only wait for one another.
const WORTH: f64 = 0.1;

/// Decision that follows from the trials so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// So many side by side.
    Try(u32),
    /// Nothing more, for this reason.
    Stop(String),
}

/// Decides after the trials so far, fewest side by side first. `ceiling` is the tightest of what is known before.
pub fn next(done: &[TrialResult], ceiling: &Limit) -> Next {
    let Some(last) = done.last() else { return Next::Try(1) };
    if let Some(reason) = ended_badly(last) {
        return Next::Stop(reason);
    }
    let Some(now) = last.throughput() else {
        return Next::Stop("the log tells no progress, so there is nothing to compare".to_owned());
    };
    if let [.., earlier, _] = done
        && let Some(before) = earlier.throughput()
    {
        let more = f64::from(last.count) / f64::from(earlier.count) - 1.0;
        if now < before * (1.0 + WORTH * more) {
            let (unit, many, few) = (last.throughput_unit(), last.count, earlier.count);
            return Next::Stop(format!(
                "throughput has stopped growing: {many} side by side do {} {unit}/s, {few} did {}",
                format_figure(now),
                format_figure(before)
            ));
        }
    }
    let count = last.count.saturating_mul(2).min(ceiling.count);
    if count > last.count { Next::Try(count) } else { Next::Stop(ceiling.text.clone()) }
}

fn ended_badly(trial: &TrialResult) -> Option<String> {
    match &trial.end {
        TrialEnd::Failed { shard, message } => {
            Some(format!("{} side by side do not work: {shard} failed ({message})", trial.count))
        }
        TrialEnd::NotStarted { waiting } => {
            Some(format!("{} side by side could not all be started: {waiting}", trial.count))
        }
        TrialEnd::Settled | TrialEnd::Done | TrialEnd::TimeUp => None,
    }
}

/// Three digits that count, whatever the size.
pub fn format_figure(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value if value >= 1.0 => format!("{value:.2}"),
        value if value >= 0.001 => format!("{value:.4}"),
        value => format!("{value:.1e}"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::autotune::room::LimitedBy;

    /// A trial that went well.
    pub fn trial(count: u32, throughput: Option<f64>) -> TrialResult {
        TrialResult {
            count,
            shards: Vec::new(),
            done_per_s: throughput,
            counted: None,
            steps_per_s: None,
            rates: Vec::new(),
            is_steady: true,
            startup_s: None,
            vram: None,
            rss: None,
            cpu_percent: None,
            gpu_percent: None,
            host_cpu_percent: None,
            end: TrialEnd::Settled,
        }
    }

    fn ceiling(count: u32) -> Limit {
        Limit { count, by: LimitedBy::Vram, text: format!("{count} fit") }
    }

    /// The counts that are tried where `throughput` is what so many do, and the reason for the end.
    fn tried(throughput: impl Fn(u32) -> f64, most: u32) -> (Vec<u32>, String) {
        let mut done = Vec::new();
        loop {
            match next(&done, &ceiling(most)) {
                Next::Try(count) => done.push(trial(count, Some(throughput(count)))),
                Next::Stop(reason) => return (done.iter().map(|trial| trial.count).collect(), reason),
            }
        }
    }

    proptest! {
        #[test]
        fn it_always_ends_and_never_tries_more_than_fit(
            most in 1_u32..5_000,
            speeds in proptest::collection::vec(0.001_f64..1000.0, 16),
        ) {
            let (counts, _) = tried(|count| speeds[count.ilog2() as usize % 16], most);
            prop_assert!(counts.windows(2).all(|pair| pair[0] < pair[1]), "{counts:?}");
            prop_assert!(counts.iter().all(|count| *count <= most), "{counts:?}");
            prop_assert_eq!(counts[0], 1);
        }
    }

    #[test]
    fn more_are_tried_as_long_as_they_do_more() {
        assert_eq!(tried(f64::from, 6), (vec![1, 2, 4, 6], "6 fit".to_owned()));
        let (counts, reason) = tried(|count| f64::from(count.min(3)), 64);
        assert_eq!(counts, [1, 2, 4, 8]);
        assert_eq!(reason, "throughput has stopped growing: 8 side by side do 3.00 done/s, 4 did 3.00");
    }

    #[test]
    fn what_fails_or_tells_nothing_ends_it() {
        assert!(
            matches!(next(&[trial(1, None)], &ceiling(8)), Next::Stop(reason) if reason.contains("no progress"))
        );
        let failed =
            TrialResult { end: TrialEnd::NotStarted { waiting: "needs 2 GiB".to_owned() }, ..trial(4, None) };
        let Next::Stop(reason) = next(&[trial(2, Some(1.0)), failed], &ceiling(8)) else {
            panic!("it went on")
        };
        assert_eq!(reason, "4 side by side could not all be started: needs 2 GiB");
    }
}
