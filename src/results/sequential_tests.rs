//! A comparison that ends once it is decided, as its faces show it.

use super::faces::markdown::render_markdown;
use super::faces::summary::build_summary;
use super::findings::{Findings, Records};
use super::report::page::render_report;
use super::statistics::difference::Sample;
use super::statistics::headline::stratified_mean;
use super::statistics::sequential::{PairEnd, Sequential};
use super::statistics_tests::{Shard, sweep, word};
use super::status::document::RunWord;
use super::status::status_tests::second;
use crate::model::analysis::{Pairing, StopRule};
use crate::model::cancel_cause::CancelCause;
use crate::model::decided::DecidedComparison;
use crate::model::results::episode_list::{Episode, EpisodeList};
use crate::model::results::rate_evidence::SequentialInterval;
use crate::model::state::fact::{Event, Fact};
use crate::model::state::phase::Phase;
use crate::model::state::run_info::RunInfo;
use crate::model::state::run_state::RunState;
use crate::model::sweep::plan::Plan;
use crate::model::value::Value;

/// Policies with these successes of ten episodes, one number for each seed.
fn run(policies: &[(&'static str, &[u32])]) -> (RunInfo, Plan, RunState) {
    let shards = policies.iter().flat_map(|(policy, wins)| {
        wins.iter().zip(0..).map(move |(wins, seed)| {
            let values = vec![("policy", word(policy)), ("seed", Value::Integer(seed))];
            Shard::good(values, vec![("episodes", 10.0), ("successes", f64::from(*wins))])
        })
    });
    let (info, mut plan, state) = sweep(shards.collect());
    plan.progress.total = Some(10);
    plan.analysis.stop = Some(StopRule { compare: "policy".to_owned(), level: 0.05 });
    (info, plan, state)
}

#[test]
fn a_plan_that_is_done_is_judged_by_half_of_the_level() {
    // 60/100 differs from 45/100 at 5 %, and no longer when the earlier looks count.
    let near = run(&[("a", &[6; 10]), ("b", &[4, 5, 4, 5, 4, 5, 4, 5, 4, 5])]);
    let sequential = Sequential::from_state(&near.1, &near.2).unwrap();
    let [pair] = &sequential.pairs[..] else { panic!("{sequential:?}") };
    let PairEnd::AtTheEnd { p_holm, is_decided } = pair.end else { panic!("{pair:?}") };
    assert!((0.025..0.05).contains(&p_holm) && !is_decided, "{pair:?}");
    assert_eq!((pair.first.as_str(), pair.successes, pair.episodes), ("a", (60, 45), 100));
    let far = run(&[("a", &[2; 10]), ("b", &[9; 10])]);
    let sequential = Sequential::from_state(&far.1, &far.2).unwrap();
    let pair = &sequential.pairs[0];
    assert!(matches!(pair.end, PairEnd::AtTheEnd { is_decided: true, .. }), "{pair:?}");
    assert_eq!(pair.first, "b", "the better one comes first");
    assert!(pair.difference.unwrap().low > 0.0, "its interval says the same: {pair:?}");
}

#[test]
fn many_policies_share_the_level() {
    let three = run(&[("a", &[5; 10]), ("b", &[5; 10]), ("c", &[7; 10])]);
    let sequential = Sequential::from_state(&three.1, &three.2).unwrap();
    assert_eq!(sequential.pairs.len(), 3);
    assert!((sequential.limit - 120.0).abs() < 1e-9, "{sequential:?}");
    for pair in &sequential.pairs {
        let alike = pair.first == "a" && pair.second == "b" || pair.first == "b" && pair.second == "a";
        let PairEnd::AtTheEnd { p_holm, is_decided } = pair.end else { panic!("{pair:?}") };
        assert_eq!(is_decided, !alike && p_holm <= 0.025, "{pair:?}");
    }
}

#[test]
fn what_was_decided_early_is_told_with_what_it_saved() {
    let (info, plan, mut state) = run(&[("a", &[9, 9, 9]), ("b", &[2, 2, 2])]);
    let decided = DecidedComparison {
        axis: "policy".into(),
        better: "a".into(),
        worse: "b".into(),
        blocks: 2,
        episodes: 20,
        pairs: 0,
        better_successes: 18,
        worse_successes: 4,
        e_value: 779.7,
        limit: 40.0,
        difference: SequentialInterval { value: 0.7, low: 0.3, high: 0.9 },
    };
    // The last seed of both was still queued.
    for position in [2, 5] {
        let shard = &mut state.shards[position];
        shard.apply_event(
            second(200),
            &Event::ShardCancelled {
                shard: shard.id.clone(),
                by: None,
                cause: CancelCause::ComparisonDecided,
            },
        );
    }
    state.apply_fact(&Fact::new(second(200), Event::ComparisonDecided(Box::new(decided)))).unwrap();
    let findings = Findings::new(Records::new(&info, &plan, &state, RunWord::Finished, second(0)), |_| ());
    assert!(!findings.is_provisional(), "what is not needed is not missing");
    let document = build_summary(&findings);
    let sequential = &document["sequential"];
    assert_eq!(sequential["pairs"][0]["end"], "early");
    assert_eq!(sequential["saving"]["episodes"], 20, "{sequential}");
    assert_eq!(document["differences"].as_array().map(Vec::len), Some(0));
    let text = render_markdown(&findings);
    let said = "stopped early: the interval holds at any stop";
    let headline = findings.headline().unwrap();
    assert_eq!(document["headline"]["stopped_early"], "interval-at-any-stop");
    assert!(headline.text().ends_with(said) && headline.power_line().is_none(), "{}", headline.text());
    let samples = [18.0, 4.0].map(|successes| Sample { successes, episodes: 20.0 });
    let fixed = stratified_mean(&samples).unwrap().1;
    assert!(headline.interval.low < fixed.low && headline.interval.high > fixed.high, "{headline:?}");
    for face in
        [&text, &render_report(&findings, &[]), &super::faces::text::render_results_text(&plan, &state)]
    {
        assert!(face.contains(said), "{face}");
    }
    assert!(text.contains("2 of 6 shards not started, 20 of 60 episodes saved (33 %)"), "{text}");
    assert!(text.contains("| a − b | 18/20 − 4/20 | +70.0 (+30.0 to +90.0) | 780 | 2 |"), "{text}");
}

/// Two policies on ten seeds of ten episodes, of which `ends` gives how each episode of a block ended for
/// both.
fn paired_run(ends: [(&str, &str); 2]) -> (RunInfo, Plan, RunState) {
    let shards = ["a", "b"].into_iter().enumerate().flat_map(|(side, policy)| {
        (0..10).map(move |seed| {
            let told = ends[usize::from(seed % 2 == 1)];
            let signs = if side == 0 { told.0 } else { told.1 };
            let episodes = signs.bytes().zip(0..).map(|(sign, number)| Episode {
                task: "",
                number,
                seed: None,
                success: Some(sign == b'1'),
            });
            let wins = signs.bytes().filter(|sign| *sign == b'1').count() as f64;
            let values = vec![("policy", word(policy)), ("seed", Value::Integer(seed))];
            let good = Shard::good(values, vec![("episodes", signs.len() as f64), ("successes", wins)]);
            Shard { episodes: EpisodeList::from_episodes(episodes), ..good }
        })
    });
    let (info, mut plan, state) = sweep(shards.collect());
    plan.analysis.stop = Some(StopRule { compare: "policy".to_owned(), level: 0.05 });
    (info, plan, state)
}

#[test]
fn the_same_seeds_are_held_against_each_other_episode_by_episode() {
    // 8 of 10 against 6 of 10 in every block, and whatever the worse one can the better one can too.
    let mut run = paired_run([("1111111100", "1111110000"), ("0011111111", "0000111111")]);
    let sequential = Sequential::from_state(&run.1, &run.2).unwrap();
    let pair = &sequential.pairs[0];
    assert_eq!((pair.pairs, pair.episodes, pair.successes), (100, 100, (80, 60)), "{pair:?}");
    // 2^20 / 21, by Robbins' mixture over 20 pairs of which one side has all.
    assert!((pair.e_value / (1_048_576.0 / 21.0) - 1.0).abs() < 1e-2, "{pair:?}");
    let PairEnd::AtTheEnd { p_holm, .. } = pair.end else { panic!("{pair:?}") };
    assert!((p_holm - 0.5_f64.powi(20)).abs() < 1e-12, "McNemar's mid-p: {p_holm}");
    run.1.analysis.paired = Pairing::Never;
    let counted = Sequential::from_state(&run.1, &run.2).unwrap();
    let of_counts = &counted.pairs[0];
    assert_eq!((of_counts.pairs, of_counts.successes), (0, (80, 60)), "{of_counts:?}");
    assert!(of_counts.e_value < pair.e_value / 100.0, "counts say less: {of_counts:?}");
}

#[test]
fn a_list_that_contradicts_the_counts_makes_no_pairs() {
    let (_, plan, mut state) = paired_run([("1110", "1000"), ("0111", "0001")]);
    for shard in &mut state.shards {
        let Phase::Succeeded(ended) = &mut shard.phase else { panic!("{shard:?}") };
        ended.outcome.metrics.insert("successes".to_owned(), 2.0);
    }
    let sequential = Sequential::from_state(&plan, &state).unwrap();
    assert_eq!((sequential.pairs[0].pairs, sequential.pairs[0].episodes), (0, 40), "{sequential:?}");
}
