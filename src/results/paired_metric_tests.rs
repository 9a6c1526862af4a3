//! Metrics of policies and runs that were evaluated on the same episodes, in every face; and what an early stop leaves
//! of them.

use serde_json::Value as Json;

use super::comparison::{compared::Compared, document, page, text};
use super::faces::markdown::render_markdown;
use super::faces::summary::build_summary;
use super::findings::{Findings, Records};
use super::paper::tables::build_tables;
use super::report;
use super::statistics_tests::{Shard, sweep, word};
use super::status::document::RunWord;
use super::status::status_tests::second;
use crate::model::analysis::Pairing;
use crate::model::cancel_cause::CancelCause;
use crate::model::results::episode_list::{Episode, EpisodeList};
use crate::model::state::fact::Event;
use crate::model::state::run_info::RunInfo;
use crate::model::state::run_state::RunState;
use crate::model::sweep::plan::Plan;

type Run = (RunInfo, Plan, RunState);

/// Forty episodes from `seed` on whose rewards are those of their seeds, from 0 to 195, and `more`.
fn shard(policy: &str, seed: i64, more: impl Fn(i64) -> f64) -> Shard {
    let episodes = (seed..seed + 40).map(|seed| {
        let episode = Episode { task: "", number: seed, seed: Some(seed), success: Some(seed % 2 == 0) };
        let reward = 5.0 * (seed * 7 % 40) as f64 + more(seed);
        (episode, vec![("sum_reward".to_owned(), reward)])
    });
    let values = vec![("policy", word(policy)), ("env", word("pusht"))];
    let metrics = vec![("episodes", 40.0), ("successes", 20.0), ("avg_sum_reward", 1.0)];
    Shard { episodes: EpisodeList::of_measured(episodes), ..Shard::good(values, metrics) }
}

/// The second policy has 3 more in the mean, 2 or 4 in each episode.
fn policies(seed: i64) -> Run {
    sweep(vec![shard("a", 0, |_| 0.0), shard("b", seed, |seed| 2.0 + 2.0 * (seed / 2 % 2) as f64)])
}

fn findings(run: &Run) -> Findings<'_> {
    Findings::new(Records::new(&run.0, &run.1, &run.2, RunWord::Finished, second(0)), |_| ())
}

fn numbers(told: &Json) -> [f64; 5] {
    let at = |pointer: &str| told.pointer(pointer).and_then(Json::as_f64).unwrap();
    ["/first_mean", "/second_mean", "/difference", "/interval_95/low", "/interval_95/high"].map(at)
}

#[test]
fn a_metric_of_the_same_episodes_is_compared_one_by_one_in_every_face_of_a_run() {
    let run = policies(0);
    let found = findings(&run);
    let summary = build_summary(&found);
    let told = &summary["paired_metrics"][0];
    assert_eq!(summary["paired_metrics"].as_array().map(Vec::len), Some(1), "{told}");
    assert_eq!((told["first"].as_str(), told["metric"].as_str()), (Some("b"), Some("sum_reward")));
    let [first, second, difference, low, high] = numbers(told);
    assert_eq!((first, second, difference), (100.5, 97.5, 3.0));
    // Half of 40 differ by 2 and half by 4, and rewards by 57: what is common to both is gone.
    assert!((2.6..2.8).contains(&low) && (3.2..3.4).contains(&high), "{told}");
    assert_eq!((told["pairs"].as_u64(), told["left_out"].as_u64()), (Some(40), Some(0)));
    let shown = format!("+3 [+{low:.2}, +{high:.2}]");
    let html = report::page::render_report(&found, &[]);
    assert!(html.contains("Metrics of the same episodes") && html.contains("+3 [+2."), "{shown} in {html}");
    let tables = build_tables(&found);
    let table = tables.iter().find(|table| table.name == "paired-metrics").unwrap();
    let csv = table.to_csv();
    assert!(csv.contains("policy,b,a,sum_reward,100.5,97.5,3"), "{csv}");
    let text = render_markdown(&found);
    assert!(text.contains("Metrics of the same episodes: differences episode by episode"), "{text}");
}

#[test]
fn runs_are_compared_so_too() {
    let runs = [sweep(vec![shard("a", 0, |_| 0.0)]), sweep(vec![shard("a", 2, |_| -1.5)])];
    let both: Vec<Findings<'_>> = runs.iter().map(findings).collect();
    let compared = Compared::new(&both);
    let document = document::build_document(&compared);
    let told = &document["differences"][0]["paired_metrics"][0];
    let [.., difference, low, high] = numbers(told);
    assert_eq!((difference, low, high), (-1.5, -1.5, -1.5));
    assert_eq!((told["pairs"].as_u64(), told["left_out"].as_u64()), (Some(38), Some(4)));
    for face in [text::render_comparison(&compared), page::render_comparison_page(&compared)] {
        assert!(face.contains("−1.50 [−1.50, −1.50]") && face.contains("38, 4 without a partner"), "{face}");
        assert!(face.contains("paired bootstrap"), "{face}");
    }
}

#[test]
fn episodes_that_are_not_the_same_have_no_paired_metrics() {
    let none = |run: &Run| build_summary(&findings(run))["paired_metrics"] == Json::Array(Vec::new());
    assert!(!none(&policies(0)));
    assert!(none(&policies(1000)), "other seeds");
    let mut unwanted = policies(0);
    unwanted.1.analysis.paired = Pairing::Never;
    assert!(none(&unwanted));
    let mut clusters = policies(0);
    clusters.1.analysis.clusters = Some(vec!["env".to_owned()]);
    assert!(none(&clusters), "pairs of one training say nothing of others");
    let short = Shard {
        episodes: shard("b", 0, |_| 1.0).episodes,
        ..Shard::good(shard("b", 0, |_| 0.0).values, vec![("episodes", 60.0), ("successes", 20.0)])
    };
    assert!(none(&sweep(vec![shard("a", 0, |_| 0.0), short])), "its list is not whole");
}

/// Metrics and differences along other axes have intervals for a plan that is run to its end.
#[test]
fn what_is_not_adjusted_for_an_early_stop_says_so_in_every_face() {
    const SAID: &str = "stopped early: the interval is not adjusted for that";
    let mut shards = vec![shard("a", 0, |_| 0.0), shard("b", 0, |_| 1.0), shard("b", 40, |_| 1.0)];
    shards.push(shard("a", 40, |_| 0.5));
    let mut run = sweep(shards);
    let before = build_summary(&findings(&run));
    let stopped = &mut run.2.shards[2];
    let cause = CancelCause::ComparisonDecided;
    *stopped = crate::model::state::shard_state::ShardState::new(stopped.id.clone(), second(0));
    stopped.apply_event(second(500), &Event::ShardCancelled { shard: stopped.id.clone(), by: None, cause });
    let found = findings(&run);
    let after = build_summary(&found);
    for pointer in [
        "/axes/policy/1/metrics_stopped_early",
        "/differences/0/stopped_early",
        "/paired_metrics/0/stopped_early",
        "/improvements/0/stopped_early",
        "/combos/1/metrics_stopped_early",
        "/totals/metrics_stopped_early",
    ] {
        assert_eq!(before.pointer(pointer), Some(&Json::Null), "{pointer}");
        assert_eq!(after.pointer(pointer), Some(&Json::from("interval-not-adjusted")), "{pointer}");
    }
    let html = report::page::render_report(&found, &[]);
    for section in ["Differences", "Metrics of the same episodes", "Metrics compared"] {
        let begin = html.find(&format!("<h2>{section}</h2>")).unwrap();
        let section_html = &html[begin..begin + html[begin..].find("</section>").unwrap()];
        assert!(section_html.contains(SAID), "{section}: {section_html}");
    }
    for table in build_tables(&found) {
        let says = table.to_csv().contains(SAID);
        let is_fixed =
            ["differences", "metrics", "paired-metrics", "improvements"].contains(&table.name.as_str());
        assert!(says || !is_fixed, "{}: {}", table.name, table.to_csv());
    }
    let whole = sweep(vec![shard("a", 0, |_| 0.0), shard("b", 0, |_| 1.0)]);
    let both = [findings(&whole), found];
    let compared = Compared::new(&both);
    let document = document::build_document(&compared);
    for pointer in [
        "/differences/0/stopped_early",
        "/differences/0/paired_metrics/0/stopped_early",
        "/metrics/0/stopped_early/1",
    ] {
        assert_eq!(document.pointer(pointer), Some(&Json::from("interval-not-adjusted")), "{pointer}");
    }
    assert_eq!(document.pointer("/metrics/0/stopped_early/0"), Some(&Json::Null));
    for face in [text::render_comparison(&compared), page::render_comparison_page(&compared)] {
        assert!(face.contains(SAID) && face.contains("differences of runs are not adjusted"), "{face}");
    }
}
