//! Results of a handmade run: two policies, one shard succeeded, one failed, one never ran.

use std::path::PathBuf;
use std::time::Duration;

use super::faces::summary::build_summary;
use super::faces::table::build_table;
use super::faces::text::render_results_text;
use super::findings::{Findings, Records};
use super::status::document::RunWord;
use super::status::status_tests::{plan, second};
use crate::model::claims::claim::Claim;
use crate::model::ids::{AttemptNumber, RunId, ShardId};
use crate::model::machine::throttle::Throttle;
use crate::model::outcome::{
    Energy, ExitStatus, Failure, FailureReason, Metrics, Outcome, Peaks, Progress, Throttled, Verdict,
};
use crate::model::state::fact::{Event, Fact, JOURNAL_VERSION};
use crate::model::state::run_info::{RUN_VERSION, RunInfo};
use crate::model::state::run_state::RunState;
use crate::model::sweep::plan::Plan;
use crate::model::units::Bytes;
use crate::model::value::{Value, Variables};

pub(super) fn ended(verdict: Verdict, progress: Option<Progress>, metrics: &[(&str, f64)]) -> Outcome {
    let energy = Some(Energy { joules: 1500.5, shared: true });
    let throttled = Some(Throttled { percent: 25.0, reasons: Throttle::default() });
    Outcome {
        verdict,
        exit: Some(ExitStatus { raw: 0 }),
        elapsed: Some(Duration::from_millis(83_250)),
        paused: Duration::ZERO,
        loading: None,
        closing: None,
        unit: None,
        progress,
        metrics: metrics.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect::<Metrics>(),
        peaks: Peaks { vram: Some(Bytes::GIB), power_w: Some(71.5), energy, throttled, ..Peaks::default() },
        proof: None,
        memory_holders: Vec::new(),
        warnings: vec![],
        patterns: vec![],
        episodes: None,
    }
}

pub(super) fn facts(shard: &ShardId, outcome: Outcome) -> [Event; 3] {
    let attempt = AttemptNumber::FIRST;
    [
        Event::AttemptStarting {
            shard: shard.clone(),
            attempt,
            gpus: vec![],
            claim: Claim::default(),
            previous: None,
        },
        Event::AttemptStarted { shard: shard.clone(), attempt, pid: 7, started: second(1) },
        Event::AttemptEnded { shard: shard.clone(), attempt, outcome: Box::new(outcome) },
    ]
}

pub(super) fn run() -> (RunInfo, Plan, RunState) {
    let plan = plan(&["good", "bad, really", "waiting"]);
    let run = RunId("demo-1".into());
    let shards: Vec<ShardId> = plan.shards.iter().map(|shard| shard.id.clone()).collect();
    let failure =
        Failure { reason: FailureReason::Incomplete, message: "7 of 10 episodes, exit code 0".into() };
    let good = ended(
        Verdict::Succeeded,
        None,
        &[("episodes", 10.0), ("successes", 8.0), ("mean_reward", -3.5), ("seconds", 2.0)],
    );
    let bad = ended(Verdict::Failed(failure), Some(Progress { done: 7, total: Some(10) }), &[]);
    let mut events = vec![Event::RunCreated {
        version: JOURNAL_VERSION,
        run: run.clone(),
        shards: shards.clone(),
        parallel: 2,
    }];
    events.extend(facts(&shards[0], good));
    events.extend(facts(&shards[1], bad));
    let facts: Vec<Fact> = events.into_iter().map(|event| Fact::new(second(2), event)).collect();
    let info = RunInfo {
        version: RUN_VERSION,
        id: run,
        name: "demo".into(),
        host: "here".into(),
        boot_id: "b".into(),
        pid_namespace: None,
        place: None,
        cores: None,
        created: second(0),
        sweepdeck: "0.1.0".into(),
        git_commit: None,
        sweep: PathBuf::from("/s.toml"),
    };
    (info, plan, RunState::fold_facts(&facts).unwrap())
}

/// What is known of a run that has ended, without telemetry.
pub(super) fn findings<'a>((info, plan, state): &'a (RunInfo, Plan, RunState)) -> Findings<'a> {
    Findings::new(Records::new(info, plan, state, RunWord::Unsupervised, second(0)), |_| ())
}

#[test]
fn the_table_has_one_row_a_shard_and_leaves_the_unknown_empty() {
    let expected = "\
shard,policy,seed,phase,reason,attempts,seconds,episodes,successes,success_rate,\
peak_vram_bytes,peak_power_w,peak_temperature_c,peak_rss_bytes,mean_reward,metric_seconds,\
mean_vram_bytes,mean_power_w,peak_utilization_percent,mean_utilization_percent,peak_cpu_percent,\
mean_cpu_percent,peak_host_ram_bytes,peak_host_cpu_percent,attempt_seconds,gpu_hours,\
done,unit,vram_by_rise,energy_j,energy_shared,throttled_percent
good,good,3,succeeded,,1,83.250,10,8,0.8,1073741824,71.5,,,-3.5,2.0,,,,,,,,,83.25,,,,false,1500.5,true,25.0
\"bad, really\",\"bad, really\",3,failed,incomplete,1,83.250,7,,,1073741824,71.5,,,,,,,,,,,,,83.25,,7,episodes,false,1500.5,true,25.0
waiting,waiting,3,queued,,0,,,,,,,,,,,,,,,,,,,,,,,,,,
";
    assert_eq!(build_table(&findings(&run())).to_csv(), expected);
}

#[test]
fn the_summary_counts_only_what_succeeded() {
    let summary = build_summary(&findings(&run()));
    assert_eq!(summary["counts"]["failed"], 1);
    assert_eq!(summary["totals"]["episodes"], 10.0);
    assert_eq!(summary["totals"]["success_rate"], 0.8);
    let low = summary["totals"]["wilson_95"]["low"].as_f64().unwrap();
    assert!((0.490..0.491).contains(&low), "{low}");
    let policies = summary["axes"]["policy"].as_array().unwrap();
    assert_eq!(
        policies.iter().map(|entry| entry["value"].as_str().unwrap()).collect::<Vec<_>>(),
        ["good", "bad, really", "waiting"]
    );
    assert_eq!(policies[1]["episodes"], serde_json::Value::Null);
    assert_eq!(summary["axes"]["seed"][0]["shards"], 3);
    assert_eq!(summary["shards"][1]["reason"], "incomplete");
    assert_eq!(summary["run"]["ended"], serde_json::Value::Null);
}

#[test]
fn the_text_is_aligned_and_ends_with_the_totals() {
    let (_, plan, state) = run();
    let expected = "\
SHARD        VERDICT     ATTEMPTS  TIME    EPISODES  SUCCESS
good         succeeded   1         1m 23s  10        80.0 %
bad, really  incomplete  1         1m 23s  7         —        7 of 10 episodes, exit code 0
waiting      queued      0         —       —         —

1 of 3 shards succeeded, episodes: 8/10 80 % [49, 94], 1 of 3 combos, the 95 % interval in brackets; n = 81 to 371 more for ±5 points
";
    assert_eq!(render_results_text(&plan, &state), expected);
}

/// Two combos under three seeds each, with the given numbers of successes of 20 and mean rewards.
fn seeded(numbers: [[(f64, f64); 3]; 2]) -> String {
    let names: Vec<String> = (0..6).map(|number| format!("s{number}")).collect();
    let mut plan = plan(&names.iter().map(String::as_str).collect::<Vec<_>>());
    plan.axes = vec!["env".into(), "seed".into()];
    let mut events = vec![Event::RunCreated {
        version: JOURNAL_VERSION,
        run: RunId("r".into()),
        shards: plan.shards.iter().map(|shard| shard.id.clone()).collect(),
        parallel: 2,
    }];
    for (number, (successes, reward)) in numbers.iter().flatten().enumerate() {
        let shard = &mut plan.shards[number];
        let value = |number: usize| Value::Integer(number as i64);
        shard.vars = Variables(vec![("env".into(), value(number / 3)), ("seed".into(), value(number % 3))]);
        let metrics = [("episodes", 20.0), ("successes", *successes), ("mean_reward", *reward)];
        events.extend(facts(&shard.id, ended(Verdict::Succeeded, None, &metrics)));
    }
    let facts: Vec<Fact> = events.into_iter().map(|event| Fact::new(second(2), event)).collect();
    render_results_text(&plan, &RunState::fold_facts(&facts).unwrap())
}

#[test]
fn a_seed_without_effect_is_remarked() {
    let warning = "the outcome is the same for every `seed` in 2 of 2 combos";
    assert!(seeded([[(9.0, 1.5); 3], [(7.0, 2.25); 3]]).contains(warning));
    let varied = [[(9.0, 1.5), (11.0, 1.25), (8.0, 1.75)], [(7.0, 2.5), (6.0, 2.25), (9.0, 2.75)]];
    assert!(!seeded(varied).contains("warning"));
    let easy = [[(20.0, 1.0); 3], [(20.0, 1.0); 3]];
    assert!(!seeded(easy).contains("warning"), "all succeed under any seed");
    let chance = [[(9.0, 1.0); 3], [(11.0, 1.0), (10.0, 1.0), (9.0, 1.0)]];
    assert!(!seeded(chance).contains("warning"), "equal counts come by chance");
}
