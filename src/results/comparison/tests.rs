//! Comparisons of handmade runs: what is reported, what is refused, and that text stays text.

use std::time::Duration;

use super::compared::Compared;
use super::document::build_document;
use super::page::render_comparison_page;
use super::sameness::compare_plans;
use super::text::render_comparison;
use crate::model::outcome::{Failure, FailureReason, Verdict};
use crate::model::state::phase::Phase;
use crate::model::state::run_info::RunInfo;
use crate::model::state::run_state::RunState;
use crate::model::sweep::command_template::CommandTemplate;
use crate::model::sweep::plan::{Plan, Slice, SliceUnit};
use crate::results::findings::{Findings, Records};
use crate::results::report::page::SCRIPT;
use crate::results::statistics_tests::{Shard, sweep, word};
use crate::results::status::document::RunWord;
use crate::results::status::status_tests::second;

type Run = (RunInfo, Plan, RunState);

/// One combo: successes of 100 episodes in so many seconds, or why it failed.
fn shard(env: &str, came_to: Result<(f64, i64), &str>) -> Shard {
    let values = vec![("policy", word("flat")), ("env", word(env))];
    match came_to {
        Ok((successes, seconds)) => {
            let metrics = vec![("episodes", 100.0), ("successes", successes)];
            Shard { time: (0, seconds), ..Shard::good(values, metrics) }
        }
        Err(message) => {
            let failure = Failure { reason: FailureReason::GpuOom, message: message.to_owned() };
            Shard { verdict: Verdict::Failed(failure), ..Shard::good(values, vec![]) }
        }
    }
}

fn compared<T>(runs: &[Run], look: impl FnOnce(&Compared<'_>) -> T) -> T {
    let findings: Vec<Findings<'_>> = runs
        .iter()
        .map(|(info, plan, state)| {
            Findings::new(Records::new(info, plan, state, RunWord::Finished, second(0)), |_| ())
        })
        .collect();
    look(&Compared::new(&findings))
}

fn two() -> [Run; 2] {
    let before = sweep(vec![
        shard("grass", Ok((48.0, 100))),
        shard("stairs", Err("CUDA out of memory")),
        shard("boulder", Ok((90.0, 50))),
        shard("gravel", Err("broken twice")),
    ]);
    let now = sweep(vec![
        shard("boulder", Err("<script>alert(1)</script>\x1b[2J")),
        shard("grass", Ok((80.0, 130))),
        shard("stairs", Ok((10.0, 40))),
        shard("gravel", Err("broken twice")),
    ]);
    [before, now]
}

#[test]
fn each_combo_is_held_against_itself_and_what_turned_is_told() {
    let text = compared(&two(), render_comparison);
    let expected = "\
POLICY                ENV      SUCCESS A              SUCCESS B              B − A                    TIME B  PAIRS B
flat                  grass    48/100 48 % [38, 58]   80/100 80 % [71, 87]   +32.0 (+18.9 to +43.6) *  1.30×  unpaired
";
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(squeezed(&text).contains(&squeezed(expected)), "{text}");
    for told in [
        "failed in B, not in A:\n  flat boulder: s0, gpu-oom, <script>alert(1)</script>[2J\n",
        "failed in A, fixed in B:\n  flat stairs: s1, gpu-oom, CUDA out of memory\n",
        "failed in A and in B:\n  flat gravel: s3, gpu-oom, broken twice\n",
        "slower in B by 10 % or more:\n  flat grass: 1.3s instead of 1.0s an episode\n",
    ] {
        assert!(text.contains(told), "{told:?} is missing in\n{text}");
    }
    assert!(squeezed(&text).contains("flat stairs —, 1 of 1 shards missing 10/100 10 % [6, 17]"), "{text}");
}

#[test]
fn machines_are_shown_side_by_side() {
    let text = compared(&two(), render_comparison);
    let squeezed = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(squeezed.contains("MACHINE GPUS TIME THROUGHPUT VRAM PEAK POWER ENERGY EACH A "), "{text}");
    assert!(squeezed.contains("episodes/h (1.00×) — — —"), "what was not measured is unknown: {text}");
    let document = compared(&two(), build_document);
    assert_eq!(document["runs"][1]["machine"]["per_hour_of"], "episodes");
    let page = compared(&two(), render_comparison_page);
    assert!(page.contains("<h2>Machines</h2>"), "{page}");
}

#[test]
fn programs_get_the_same() {
    let document = compared(&two(), build_document);
    let change = &document["combos"][0]["changes"][0];
    let difference = change["success_rate_difference"].as_f64().unwrap();
    assert!((difference - 0.32).abs() < 1e-12, "{change}");
    assert!(change["newcombe_95"]["low"].as_f64().unwrap() > 0.18);
    assert_eq!(change["seconds"]["of"], "episode");
    let turns: Vec<&str> = document["combos"]
        .as_array()
        .unwrap()
        .iter()
        .map(|combo| combo["changes"][0]["turn"].as_str().unwrap_or("-"))
        .collect();
    assert_eq!(turns, ["-", "fixed", "broken", "still-failing"]);
    assert_eq!(document["differences"][0]["success_rate_difference"], change["success_rate_difference"]);
}

#[test]
fn the_page_holds_text_as_text_and_loads_nothing() {
    let page = compared(&two(), render_comparison_page).replace(&format!("<script>{SCRIPT}</script>"), "");
    assert!(
        page.contains("&lt;script&gt;alert(1)") && !page.contains("<script") && !page.contains('\x1b'),
        "{page}"
    );
    assert!(!page.contains("http:") && !page.contains("https:") && !page.contains(" src="));
    assert!(page.contains("success in B less success in A, percentage points"), "the axis has a unit");
}

#[test]
fn what_makes_it_another_sweep_is_named() {
    let [mut before, mut now] = two();
    assert!(
        compare_plans(("A", &before.1), ("B", &now.1)).breaks.is_empty(),
        "another order is no other sweep"
    );
    now.1.template.command = CommandTemplate::Arguments(vec!["python".into(), "other.py".into()]);
    now.1.shards.pop();
    let slice = |episodes| Slice {
        index: 0,
        count: 1,
        episodes,
        first: 0,
        seed: 7,
        ids: vec![],
        unit: SliceUnit::default(),
    };
    before.1.shards[0].slice = Some(slice(100));
    now.1.shards[1].slice = Some(slice(50));
    let told = compare_plans(("A", &before.1), ("B", &now.1)).breaks;
    assert_eq!(
        told,
        [
            "only A has flat gravel",
            "the command differs: `true` in A, `python other.py` in B",
            "the episodes of grass flat differ: 100 in A, 50 in B",
        ]
    );
    now.1.axes.pop();
    let told = compare_plans(("A", &before.1), ("B", &now.1)).breaks;
    assert_eq!(told[0], "the axes differ: policy, env in A, policy in B");
}

#[test]
fn a_combo_that_only_one_has_is_left_out_and_counted() {
    let [before, _] = two();
    let now = sweep(vec![shard("grass", Ok((80.0, 100))), shard("sand", Ok((1.0, 1)))]);
    compared(&[before, now], |compared| {
        let names: Vec<String> = compared.combos.iter().map(|combo| combo.name()).collect();
        assert_eq!((names.as_slice(), compared.alone), (&["flat grass".to_owned()][..], 4));
        assert!(
            render_comparison(compared)
                .contains("left out, because there is nothing to hold them against: 4 combos")
        );
    });
}

/// One slice of a combo: so many episodes in so many seconds, of which the program loads a part.
fn slice(episodes: f64, seconds: i64) -> Shard {
    let values = vec![("policy", word("flat")), ("env", word("grass"))];
    let metrics = vec![("episodes", episodes), ("successes", episodes / 2.0)];
    Shard { time: (0, seconds), ..Shard::good(values, metrics) }
}

#[test]
fn the_same_sweep_in_more_slices_is_not_slower() {
    let whole = sweep(vec![slice(100.0, 130)]);
    let sliced = sweep((0..5).map(|_| slice(20.0, 50)).collect());
    compared(&[whole, sliced], |compared| {
        let change = compared.combo_change(&compared.combos[0], 1).unwrap();
        assert_eq!(change.pace, None, "it is cut otherwise, and what it loads is not known");
        assert!(!render_comparison(compared).contains("slower"), "{}", render_comparison(compared));
    });
}

#[test]
fn what_the_clock_cannot_tell_is_no_difference() {
    let quick = |episodes: f64| {
        let (info, plan, mut state) = sweep(vec![slice(episodes, 1)]);
        let Phase::Succeeded(ended) = &mut state.shards[0].phase else { panic!("it succeeded") };
        let took = if episodes > 9.0 { 25 } else { 20 };
        ended.outcome.elapsed = Some(Duration::from_millis(took));
        (info, plan, state)
    };
    compared(&[quick(9.5), quick(9.0)], |compared| {
        let change = compared.combo_change(&compared.combos[0], 1).unwrap();
        assert!(!change.pace.unwrap().is_slower(), "{change:?}");
    });
    compared(&[quick(9.0), quick(9.5)], |compared| {
        let pace = compared.combo_change(&compared.combos[0], 1).unwrap().pace.unwrap();
        assert!(pace.time_ratio() > 1.1 && !pace.is_slower(), "5 ms are no difference: {pace:?}");
    });
}

#[test]
fn what_attempts_differ_by_themselves_is_no_difference() {
    let noisy = |seconds: [i64; 3]| sweep(seconds.map(|seconds| slice(20.0, seconds)).into_iter().collect());
    let is_slower = |before, now| {
        compared(&[noisy(before), noisy(now)], |compared| {
            compared.combo_change(&compared.combos[0], 1).unwrap().pace.unwrap().is_slower()
        })
    };
    assert!(!is_slower([60, 100, 140], [75, 120, 160]), "18 % more, of shards that differ by 40 %");
    assert!(is_slower([99, 100, 101], [117, 118, 119]), "18 % more, of shards that differ by 1 %");
}
