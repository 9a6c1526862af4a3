//! Policies side by side: letters for those that cannot be distinguished, and what keeps them off the page.

use super::findings::{Findings, Records};
use super::report::by_value;
use super::statistics::contrast::compute_contrasts;
use super::statistics::design::Why;
use super::statistics::difference::Sample;
use super::statistics::tested_difference::{TestedDifference, adjust_differences};
use super::statistics_tests::{Shard, sweep, word};
use super::status::document::RunWord;
use super::status::status_tests::second;
use crate::model::outcome::{Failure, FailureReason, Verdict};

fn policy(name: &str, successes: f64, episodes: f64) -> Shard {
    let metrics = vec![("episodes", episodes), ("successes", successes)];
    Shard::good(vec![("policy", word(name))], metrics)
}

fn section(shards: Vec<Shard>, word: RunWord) -> String {
    let (info, mut plan, state) = sweep(shards);
    plan.progress.total = Some(100);
    let findings = Findings::new(Records::new(&info, &plan, &state, word, second(0)), |_| ());
    by_value::render_section(&findings).unwrap().body
}

/// The published example: of 100 episodes each, from the worst to the best.
fn five() -> Vec<Shard> {
    let five = [("e", 58.0), ("d", 71.0), ("c", 80.0), ("b", 85.0), ("a", 93.0)];
    five.map(|(name, successes)| policy(name, successes, 100.0)).into()
}

fn letters_in(html: &str) -> Vec<&str> {
    let parts = html.split("<span class=\"letters\">").skip(1);
    parts.map(|part| part.split('<').next().unwrap_or_default()).collect()
}

#[test]
fn policies_that_cannot_be_told_apart_share_a_letter() {
    let html = section(five(), RunWord::Finished);
    assert_eq!(letters_in(&html), ["c", "bc", "b", "ab", "a"], "{html}");
    assert!(html.contains("<b>93/100 93 % [86, 97]</b>"), "{html}");
}

#[test]
fn what_may_still_change_has_no_letters() {
    assert_eq!(letters_in(&section(five(), RunWord::Running)), [""; 0]);
    let mut shards = five();
    let failure = Failure { reason: FailureReason::GpuOom, message: String::new() };
    let values = vec![("policy", word("f"))];
    shards.push(Shard { verdict: Verdict::Failed(failure), ..Shard::good(values, vec![]) });
    assert_eq!(letters_in(&section(shards, RunWord::Finished)), [""; 0]);
}

#[test]
fn a_rate_without_some_of_its_episodes_says_how_far_it_may_go() {
    let html = section(vec![policy("a", 41.0, 50.0), policy("b", 90.0, 100.0)], RunWord::Finished);
    assert!(html.contains("<b>41/50 82 % [69, 90]</b>"), "{html}");
    assert!(html.contains("50 of 100 missing: 41–91 %"), "{html}");
    assert_eq!(html.matches("missing").count(), 1, "{html}");
}

#[test]
fn more_values_than_can_be_held_against_each_other_are_held_against_the_first() {
    let many = (0..12).map(|number| policy(&format!("p{number}"), 50.0 + f64::from(number), 100.0)).collect();
    let (_, plan, state) = sweep(many);
    let outcomes = super::outcome::shard_outcomes(&plan, &state);
    let contrasts = compute_contrasts(&plan, &outcomes);
    assert_eq!(contrasts.len(), 11);
    assert!(contrasts.iter().all(|contrast| contrast.second == "p0" && contrast.tested.family == 11));
}

/// A generator of fixed numbers (Steele and others' SplitMix64), so that a simulation is the same each time.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn successes(&mut self, rate: f64, episodes: u32) -> f64 {
        let limit = (rate * 2.0_f64.powi(64)) as u64;
        (0..episodes).filter(|_| self.next() < limit).count() as f64
    }
}

/// Tables of 40 equal pairs: in how many of them something is called different, by each p-value alone and adjusted.
#[test]
fn a_table_of_equals_keeps_its_stars_to_itself() {
    const TABLES: usize = 400;
    let mut chance = SplitMix(7);
    let (mut alone, mut adjusted) = (0, 0);
    for _ in 0..TABLES {
        let mut sample = || Sample { successes: chance.successes(0.8, 50), episodes: 50.0 };
        let mut table: Vec<TestedDifference> = (0..40)
            .filter_map(|_| TestedDifference::stratified(&[(sample(), sample())], Why::NotTold))
            .collect();
        alone += usize::from(table.iter().any(TestedDifference::is_told_apart));
        adjust_differences(table.iter_mut());
        adjusted += usize::from(table.iter().any(TestedDifference::is_told_apart));
    }
    assert!(alone > TABLES * 7 / 10, "so it is without: {alone} of {TABLES}");
    assert!(adjusted <= TABLES * 5 / 100, "{adjusted} of {TABLES}");
}
