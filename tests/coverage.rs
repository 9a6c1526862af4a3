//! Simulated evaluations whose truth is known: how often an interval of 95 % holds it, and how often tables of equals show a
//! difference. The long simulations are `ignored`; the short ones allow for what chance does to few runs.

use sweepdeck::model::results::rate_evidence::{EpisodeBlock, RateEvidence};
use sweepdeck::results::interval::WilsonInterval;
use sweepdeck::results::statistics::clusters::{self, Clusters};
use sweepdeck::results::statistics::design::Why;
use sweepdeck::results::statistics::difference::{Difference, Sample};
use sweepdeck::results::statistics::distributions::bootstrap::SplitMix64;
use sweepdeck::results::statistics::paired::paired_rate::Pairs;
use sweepdeck::results::statistics::tested_difference::TestedDifference;
use sweepdeck::results::statistics::{any_time, headline, holm, mantel_haenszel};

/// The rates of a policy on several envs.
const ENVS: [f64; 6] = [0.35, 0.5, 0.6, 0.7, 0.8, 0.9];

const SHORT: usize = 2_000;
const LONG: usize = 40_000;

/// Within so much of 95 % lies what so many runs hold.
fn margin(runs: usize) -> f64 {
    if runs >= LONG { 0.01 } else { 0.017 }
}

fn holds(low: f64, truth: f64, high: f64) -> bool {
    low <= truth && truth <= high
}

fn successes(chance: &mut SplitMix64, rate: f64, episodes: u32) -> Sample {
    let successes = (0..episodes).filter(|_| chance.next_fraction() < rate).count();
    Sample { successes: successes as f64, episodes: f64::from(episodes) }
}

/// Episodes that are hard for one policy are hard for the other: half of them share their luck.
fn pairs(chance: &mut SplitMix64, (first, second): (f64, f64), episodes: u32) -> Pairs {
    let mut pairs = Pairs::default();
    for _ in 0..episodes {
        let luck = chance.next_fraction();
        let other = if chance.next_fraction() < 0.5 { luck } else { chance.next_fraction() };
        pairs.add_pair(luck < first, other < second);
    }
    pairs
}

/// The part of the runs in which something holds.
fn part(runs: usize, name: &str, mut is_so: impl FnMut(&mut SplitMix64) -> bool) -> f64 {
    let mut chance = SplitMix64::new(sweepdeck::results::statistics::distributions::bootstrap::seed_of(name));
    (0..runs).filter(|_| is_so(&mut chance)).count() as f64 / runs as f64
}

fn paired(runs: usize) -> f64 {
    part(runs, "paired: 200 pairs at 0.8 and 0.7", |chance| {
        let told = pairs(chance, (0.8, 0.7), 200).difference().expect("pairs");
        holds(told.low, 0.1, told.high)
    })
}

fn stratified_mean(runs: usize) -> f64 {
    part(runs, "stratified: the mean of 6 envs of 50 episodes", |chance| {
        let samples = ENVS.map(|rate| successes(chance, rate, 50));
        let (_, told) = headline::stratified_mean(&samples).expect("episodes");
        holds(told.low, ENVS.iter().sum::<f64>() / 6.0, told.high)
    })
}

fn stratified_difference(runs: usize) -> f64 {
    part(runs, "stratified: a difference over 6 envs of 50 episodes", |chance| {
        let strata = ENVS.map(|rate| (successes(chance, rate, 50), successes(chance, rate - 0.1, 50)));
        let told = Difference::stratified(&strata).expect("episodes");
        holds(told.low, 0.1, told.high)
    })
}

/// The rates of training seeds lie evenly around 0.7, with a standard deviation of 0.1: as far apart as the rates of 20
/// episodes. Seeds that are equal by nature get an interval that is wider than it must be (98 %), and few that differ still
/// more get one that is a little too short (93 to 94 % at 0.145).
fn trained(chance: &mut SplitMix64, seeds: usize) -> Vec<Sample> {
    let reach = 0.1 * 3_f64.sqrt();
    (0..seeds)
        .map(|_| {
            let rate = 0.7 + reach * (2.0 * chance.next_fraction() - 1.0);
            successes(chance, rate, 50)
        })
        .collect()
}

fn clustered(runs: usize) -> f64 {
    part(runs, "clustered: 5 training seeds of 50 episodes", |chance| {
        let WilsonInterval { low, high } =
            Clusters::from_samples(&trained(chance, 5)).expect("seeds").interval;
        holds(low, 0.7, high)
    })
}

fn clustered_difference(runs: usize) -> f64 {
    part(runs, "clustered: the difference of two methods of 5 training seeds", |chance| {
        let (first, second) = (trained(chance, 5), trained(chance, 5));
        let told = difference_of_clusters(&first, &second).0;
        holds(told.low, 0.0, told.high)
    })
}

fn difference_of_clusters(first: &[Sample], second: &[Sample]) -> (Difference, f64) {
    let all = |samples: &[Sample]| samples.iter().copied().reduce(Sample::combined_with).expect("seeds");
    let strata = [(all(first), all(second))];
    let independent = (Difference::stratified(&strata).expect("episodes"), mantel_haenszel::p_value(&strata));
    let rates = |samples: &[Sample]| samples.iter().map(|sample| sample.rate()).collect::<Vec<_>>();
    clusters::cluster_difference(&rates(first), &rates(second), independent).expect("seeds")
}

/// Looks at a rate after every block of ten of 400 episodes and stops at the first at which its interval is wrong, as nobody
/// could on purpose.
fn a_rate_at_the_worst_stop(runs: usize, rate: f64) -> f64 {
    part(runs, &format!("at any stop: a rate of {rate}"), |chance| {
        let mut all = Sample::default();
        (0..40).all(|_| {
            all = all.combined_with(successes(chance, rate, 10));
            let told = any_time::any_time_interval(all).expect("episodes");
            holds(told.low, rate, told.high)
        })
    })
}

/// The same of the mean of six envs, each with another block at each look.
fn a_mean_at_the_worst_stop(runs: usize) -> f64 {
    part(runs, "at any stop: the mean of 6 envs", |chance| {
        let mut all = [Sample::default(); 6];
        (0..40).all(|_| {
            all.iter_mut()
                .zip(ENVS)
                .for_each(|(all, rate)| *all = all.combined_with(successes(chance, rate, 10)));
            let (_, told) = headline::stratified_at_any_time(&all).expect("episodes");
            holds(told.low, ENVS.iter().sum::<f64>() / 6.0, told.high)
        })
    })
}

/// Both rates of a comparison that ends once e is 40, with the intervals that are shown then, and with those that were.
fn rates_of_a_decided_comparison(runs: usize, rates: (f64, f64)) -> [f64; 2] {
    let intervals: [fn(Sample) -> Option<WilsonInterval>; 2] =
        [any_time::any_time_interval, |all| WilsonInterval::wilson(all.successes, all.episodes)];
    intervals.map(|interval| {
        part(runs, &format!("when it is decided: {rates:?}"), |chance| {
            let (mut first, mut second, mut evidence) =
                (Sample::default(), Sample::default(), RateEvidence::default());
            for _ in 0..40 {
                let (one, other) = (successes(chance, rates.0, 10), successes(chance, rates.1, 10));
                (first, second) = (first.combined_with(one), second.combined_with(other));
                evidence.add_block(EpisodeBlock {
                    episodes: 10,
                    first: one.successes as u64,
                    second: other.successes as u64,
                });
                if evidence.e_value() >= 40.0 {
                    break;
                }
            }
            let told = [(first, rates.0), (second, rates.1)];
            told.iter().all(|(all, rate)| {
                let told = interval(*all).expect("episodes");
                holds(told.low, *rate, told.high)
            })
        })
    })
}

fn check_stops(runs: usize) {
    let stopped = [0.5, 0.8, 0.95].map(|rate| a_rate_at_the_worst_stop(runs, rate));
    let mean = a_mean_at_the_worst_stop(runs);
    assert!(stopped.iter().chain([&mean]).all(|part| *part >= 0.95), "{stopped:?} {mean}");
    let [shown, fixed] = rates_of_a_decided_comparison(runs / 10, (0.6, 0.5));
    // Of two intervals at 95 % both hold in 90 % at least.
    assert!(shown >= 0.95 && shown > fixed, "{shown} of both, and {fixed} by an interval for a fixed number");
}

fn check_coverage(runs: usize) {
    let parts = [
        paired(runs),
        stratified_mean(runs),
        stratified_difference(runs),
        clustered(runs),
        clustered_difference(runs),
    ];
    assert!(parts.iter().all(|part| (part - 0.95).abs() <= margin(runs)), "{parts:?}");
}

/// Tables of 10 comparisons of equals in which one is called different: by pairs, by counts, and by clusters.
fn check_equals(tables: usize) {
    let shows_one = |p_values: Vec<f64>| holm::adjust_p_values(&p_values).iter().any(|p| *p <= 0.05);
    let by_pairs = part(tables, "equals by pairs", |chance| {
        shows_one((0..10).map(|_| pairs(chance, (0.8, 0.8), 100).mid_p()).collect())
    });
    let by_counts = part(tables, "equals by counts", |chance| {
        let mut p_value = || {
            let strata = [(successes(chance, 0.8, 50), successes(chance, 0.8, 50))];
            TestedDifference::stratified(&strata, Why::SeedsDiffer).expect("episodes").p_value
        };
        shows_one((0..10).map(|_| p_value()).collect())
    });
    let by_clusters = part(tables, "equals by clusters", |chance| {
        let mut p_value = || difference_of_clusters(&trained(chance, 3), &trained(chance, 3)).1;
        shows_one((0..10).map(|_| p_value()).collect())
    });
    let most = 0.05 + if tables >= LONG { 0.003 } else { 0.012 };
    let parts = [by_pairs, by_counts, by_clusters];
    assert!(parts.iter().all(|part| *part <= most), "{parts:?}");
}

#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    check_coverage(SHORT);
}

#[test]
fn intervals_hold_the_truth_at_any_stop() {
    check_stops(SHORT / 2);
}

#[test]
#[ignore = "a long simulation"]
fn intervals_hold_the_truth_at_any_stop_in_many_runs() {
    // Each run looks at its interval after every episode.
    check_stops(LONG / 8);
}

#[test]
fn tables_of_equals_show_no_difference() {
    check_equals(SHORT);
}

#[test]
#[ignore = "a long simulation"]
fn intervals_hold_the_truth_as_often_as_they_say_in_many_runs() {
    check_coverage(LONG);
}

#[test]
#[ignore = "a long simulation"]
fn tables_of_equals_show_no_difference_in_many_runs() {
    check_equals(LONG);
}
