//! Policies and runs that were evaluated on the same episodes.

use serde_json::Value as Json;

use super::comparison::{compared::Compared, document, text};
use super::faces::markdown::render_markdown;
use super::faces::summary::build_summary;
use super::findings::{Findings, Records};
use super::report::page;
use super::statistics::contrast::{Contrast, compute_contrasts};
use super::statistics::design::{Design, Why};
use super::statistics_tests::{Shard, sweep, word};
use super::status::document::RunWord;
use super::status::status_tests::second;
use crate::model::analysis::Pairing;
use crate::model::results::episode_list::{Episode, EpisodeList};
use crate::model::state::run_info::RunInfo;
use crate::model::state::run_state::RunState;
use crate::model::sweep::command_template::CommandTemplate;
use crate::model::sweep::plan::{Plan, Slice, SliceUnit};

type Run = (RunInfo, Plan, RunState);

/// What each of the episodes of both policies came to: 336 and 305 of 500, of which 300 together.
fn five_hundred() -> (String, String) {
    let of =
        |signs: [&str; 2]| "1".repeat(300) + &signs[0].repeat(36) + &signs[1].repeat(5) + &"0".repeat(159);
    (of(["1", "0"]), of(["0", "1"]))
}

fn list(outcomes: &str, first: i64, seed: Option<i64>) -> EpisodeList {
    let episodes = outcomes.bytes().zip(0..).map(|(sign, place)| Episode {
        task: "",
        number: first + place,
        seed: seed.map(|seed| seed + place),
        success: Some(sign == b'1'),
    });
    EpisodeList::from_episodes(episodes).unwrap()
}

fn shard(policy: &str, outcomes: &str, seed: Option<i64>) -> Shard {
    let successes = outcomes.bytes().filter(|sign| *sign == b'1').count() as f64;
    let metrics = vec![("episodes", outcomes.len() as f64), ("successes", successes)];
    let values = vec![("policy", word(policy)), ("env", word("pusht"))];
    Shard { episodes: Some(list(outcomes, 0, seed)), ..Shard::good(values, metrics) }
}

fn only(run: &Run) -> Contrast {
    let outcomes = super::outcome::shard_outcomes(&run.1, &run.2);
    let told = compute_contrasts(&run.1, &outcomes);
    assert_eq!(told.len(), 1);
    told.into_iter().next().unwrap()
}

fn why(run: &Run) -> Option<Why> {
    match only(run).tested.design {
        Design::Paired { .. } | Design::Clustered { .. } => None,
        Design::Unpaired(why) => Some(why),
    }
}

fn findings(run: &Run) -> Findings<'_> {
    Findings::new(Records::new(&run.0, &run.1, &run.2, RunWord::Finished, second(0)), |_| ())
}

fn points(interval: &Json) -> [f64; 2] {
    ["low", "high"].map(|end| (1000.0 * interval[end].as_f64().unwrap()).round() / 10.0)
}

#[test]
fn five_hundred_episodes_of_two_policies_are_held_against_one_another_one_by_one() {
    let (first, second) = five_hundred();
    let run = sweep(vec![shard("b", &second, Some(1000)), shard("a", &first, Some(1000))]);
    let summary = build_summary(&findings(&run));
    let told = &summary["differences"][0];
    assert_eq!((told["first"].as_str(), told["second"].as_str()), (Some("a"), Some("b")));
    assert_eq!(points(&told["newcombe_95"]), [0.3, 12.1], "as if nobody knew which episodes are the same");
    assert_eq!(points(&told["interval_95"]), [3.9, 8.9]);
    assert_eq!(told["design"]["kind"], "paired");
    let counts = ["pairs", "both", "first_only", "second_only", "neither", "left_out"];
    assert_eq!(counts.map(|name| told["design"][name].as_u64().unwrap()), [500, 300, 36, 5, 159, 0]);
    let sentence = "paired by 500 episodes: a only 36, b only 5, both 300, neither 159";
    assert!(render_markdown(&findings(&run)).contains(sentence));
    assert!(page::render_report(&findings(&run), &[]).contains(sentence));
}

#[test]
fn what_keeps_episodes_from_being_paired_is_said() {
    let outcomes = "1101011011";
    let two = |first: Shard, second: Shard| sweep(vec![first, second]);
    let with = |policy: &str, seed| shard(policy, outcomes, seed);
    let none = |policy: &str| Shard { episodes: None, ..with(policy, None) };
    assert_eq!(why(&two(with("a", Some(0)), with("b", Some(0)))), None);
    assert_eq!(why(&two(with("a", Some(0)), none("b"))), Some(Why::NotTold));
    assert_eq!(why(&two(with("a", Some(0)), with("b", Some(100)))), Some(Why::SeedsDiffer));
    assert_eq!(why(&two(with("a", None), with("b", None))), Some(Why::SeedUnknown));
    let short = Shard { episodes: Some(list("110", 0, Some(0))), ..with("b", None) };
    assert_eq!(why(&two(with("a", Some(0)), short)), Some(Why::Contradiction));
    let mut unwanted = two(with("a", Some(0)), with("b", Some(0)));
    unwanted.1.analysis.paired = Pairing::Never;
    assert_eq!(why(&unwanted), Some(Why::Unwanted));
    let mut by_number = two(with("a", None), with("b", Some(100)));
    by_number.1.analysis.paired = Pairing::ByNumber;
    assert_eq!(why(&by_number), None, "their seeds do not matter");
    let text = only(&two(with("a", None), with("b", None))).design_text();
    assert!(text.starts_with("unpaired: nothing tells which seeds") && text.contains("by-number"), "{text}");
}

#[test]
fn the_command_and_the_axes_may_know_the_seeds() {
    let two = || sweep(vec![shard("a", "1101", None), shard("b", "0101", None)]);
    let mut said = two();
    said.1.shards.iter_mut().for_each(|shard| shard.command = "eval.py --seed 7".to_owned());
    assert_eq!(why(&said), None);
    said.1.shards[0].command = "eval.py --seed 8".to_owned();
    assert_eq!(why(&said), Some(Why::SeedsDiffer));
    let seeded = |policy: &str, seed: i64, outcomes| {
        let mut shard = shard(policy, outcomes, None);
        shard.values.push(("seed", crate::model::value::Value::Integer(seed)));
        shard
    };
    let axis = sweep(vec![
        seeded("a", 1, "1101"),
        seeded("a", 2, "1001"),
        seeded("b", 1, "0101"),
        seeded("b", 2, "1000"),
    ]);
    let Design::Paired { pairs, left_out } = only(&axis).tested.design else { panic!("{:?}", only(&axis)) };
    assert_eq!((pairs.count(), pairs.first_only, pairs.second_only, left_out), (8, 0, 2, 0), "b less a");
}

#[test]
fn episodes_of_another_task_are_not_the_same() {
    let with = |env: &str, outcomes| {
        let mut shard = shard("a", outcomes, Some(0));
        shard.values[1].1 = word(env);
        shard
    };
    let run = sweep(vec![with("lift", "1101"), with("push", "0101")]);
    assert_eq!(why(&run), Some(Why::OtherTasks), "though their seeds are");
}

/// The same three trainings on two tasks are three pairs, and of two methods they are none.
#[test]
fn trainings_pair_on_tasks_and_not_between_methods() {
    let trained = |axis: &'static str| {
        let mut shards = Vec::new();
        for value in ["x", "y"] {
            for (seed, rate) in [(1, 2), (2, 5), (3, 8)] {
                let successes = f64::from(10 * rate + i32::from(value == "y") * (8 + seed));
                let values = vec![
                    (axis, word(value)),
                    ("train_seed", crate::model::value::Value::Integer(seed.into())),
                ];
                shards.push(Shard::good(values, vec![("episodes", 100.0), ("successes", successes)]));
            }
        }
        only(&sweep(shards)).tested
    };
    let (tasks, methods) = (trained("task"), trained("policy"));
    let clusters = |one_by_one| Design::Clustered { first: 3, second: 3, one_by_one };
    assert_eq!((tasks.design, methods.design), (clusters(true), clusters(false)));
    assert!(tasks.difference.low > 0.0 && methods.difference.low < 0.0, "{tasks:?} {methods:?}");
    assert!((tasks.difference.value - 0.1).abs() < 1e-12 && methods.p_value > 0.5);
}

#[test]
fn episodes_without_a_partner_are_left_out_and_counted() {
    let run = sweep(vec![shard("a", "110101", Some(0)), shard("b", "0101", Some(2))]);
    let Design::Paired { pairs, left_out } = only(&run).tested.design else { panic!() };
    assert_eq!((pairs.count(), left_out), (4, 2));
    assert!(only(&run).design_text().ends_with("; 2 episodes have no partner and are left out"));
}

/// Six episodes in three slices, in any of which the program counts from 0 and prints no seeds.
#[test]
fn slices_are_held_against_the_same_slices_of_a_run_in_other_slices() {
    let sliced = |slices: &[(&str, u64)]| {
        let mut run = sweep(slices.iter().map(|(outcomes, _)| shard("a", outcomes, None)).collect());
        run.1.template.command = CommandTemplate::Shell("eval --seed {{ shard.seed }}".to_owned());
        for (spec, (outcomes, first)) in run.1.shards.iter_mut().zip(slices) {
            let episodes = outcomes.len() as u64;
            spec.slice = Some(Slice {
                index: 0,
                count: slices.len() as u32,
                episodes,
                first: *first,
                seed: 1000 + *first as i64,
                ids: (*first..first + episodes).collect(),
                unit: SliceUnit::Episodes,
            });
        }
        run
    };
    let runs = [sliced(&[("11", 0), ("01", 2), ("00", 4)]), sliced(&[("111", 0), ("100", 3)])];
    let both: Vec<Findings<'_>> = runs.iter().map(findings).collect();
    let compared = Compared::new(&both);
    let document = document::build_document(&compared);
    let told = &document["combos"][0]["changes"][0]["design"];
    let counts = ["pairs", "both", "first_only", "second_only", "neither"];
    assert_eq!(counts.map(|name| told[name].as_u64().unwrap()), [6, 3, 1, 0, 2], "{told}");
    assert_eq!(document["differences"][0]["design"]["pairs"], 6);
    let text = text::render_comparison(&compared);
    assert!(text.contains("1 : 0 of 6") && text.contains("McNemar"), "{text}");
}

#[test]
fn runs_whose_seeds_differ_are_compared_by_their_counts_and_say_so() {
    let runs = [0, 50].map(|seed| sweep(vec![shard("a", "110100", Some(seed))]));
    let both: Vec<Findings<'_>> = runs.iter().map(findings).collect();
    let compared = Compared::new(&both);
    let text = text::render_comparison(&compared);
    assert!(text.contains("unpaired, because the episodes had other seeds: a pusht"), "{text}");
    let document = document::build_document(&compared);
    assert_eq!(document["differences"][0]["design"]["why"], "seeds-differ");
    assert_eq!(document["differences"][0]["interval_95"], document["differences"][0]["newcombe_95"]);
}
