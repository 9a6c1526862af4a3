//! Statistics of handmade runs: groups, contrasts, costs, scaling and what telemetry adds.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value as Json;

use super::faces::junit::render_junit;
use super::faces::summary::build_summary;
use super::findings::{Findings, Records};
use super::measured::fold::Fold;
use super::outcome::shard_outcomes;
use super::statistics::cost::energy_of_all;
use super::statistics::totals::Totals;
use super::status::document::RunWord;
use super::status::status_tests::{plan, second};
use super::tests::{ended, findings, run};
use crate::model::claims::claim::Claim;
use crate::model::ids::{AttemptNumber, GpuIndex, RunId, ShardId};
use crate::model::machine::sample::{GpuSample, HostSample, ShardSample};
use crate::model::outcome::{Energy, Failure, FailureReason, Verdict};
use crate::model::results::episode_list::EpisodeList;
use crate::model::state::fact::{Event, Fact, JOURNAL_VERSION};
use crate::model::state::phase::QueueCause;
use crate::model::state::run_info::RunInfo;
use crate::model::state::run_state::RunState;
use crate::model::state::shard_state::ShardState;
use crate::model::sweep::plan::Plan;
use crate::model::units::Bytes;
use crate::model::value::{Value, Variables};

/// One shard of a handmade sweep, with one attempt.
pub(super) struct Shard {
    pub(super) values: Vec<(&'static str, Value)>,
    pub(super) verdict: Verdict,
    pub(super) metrics: Vec<(&'static str, f64)>,
    /// Seconds from the beginning of the run to the start and the end.
    pub(super) time: (i64, i64),
    pub(super) gpus: Vec<u32>,
    pub(super) episodes: Option<EpisodeList>,
}

impl Shard {
    pub(super) fn good(values: Vec<(&'static str, Value)>, metrics: Vec<(&'static str, f64)>) -> Self {
        Self {
            values,
            verdict: Verdict::Succeeded,
            metrics,
            time: (0, 100),
            gpus: Vec::new(),
            episodes: None,
        }
    }
}

pub(super) fn word(text: &str) -> Value {
    Value::String(text.to_owned())
}

pub(super) fn sweep(shards: Vec<Shard>) -> (RunInfo, Plan, RunState) {
    let names: Vec<String> = (0..shards.len()).map(|number| format!("s{number}")).collect();
    let mut plan = plan(&names.iter().map(String::as_str).collect::<Vec<_>>());
    plan.axes = shards[0].values.iter().map(|(axis, _)| (*axis).to_owned()).collect();
    let ids: Vec<ShardId> = plan.shards.iter().map(|shard| shard.id.clone()).collect();
    let mut facts = vec![Fact::new(
        second(0),
        Event::RunCreated { version: JOURNAL_VERSION, run: RunId("r".into()), shards: ids, parallel: 2 },
    )];
    for (spec, shard) in plan.shards.iter_mut().zip(shards) {
        spec.vars =
            Variables(shard.values.into_iter().map(|(axis, value)| (axis.to_owned(), value)).collect());
        let (id, attempt, started) = (spec.id.clone(), AttemptNumber::FIRST, second(shard.time.0));
        let mut outcome = ended(shard.verdict, None, &shard.metrics);
        outcome.episodes = shard.episodes;
        outcome.elapsed = Some(Duration::from_secs((shard.time.1 - shard.time.0) as u64));
        let gpus = shard.gpus.into_iter().map(GpuIndex).collect();
        let events = [
            (
                0,
                Event::AttemptStarting {
                    shard: id.clone(),
                    attempt,
                    gpus,
                    claim: Claim::default(),
                    previous: None,
                },
            ),
            (0, Event::AttemptStarted { shard: id.clone(), attempt, pid: 7, started }),
            (shard.time.1, Event::AttemptEnded { shard: id, attempt, outcome: Box::new(outcome) }),
        ];
        facts.extend(events.map(|(at, event)| Fact::new(second(at), event)));
    }
    let (info, _, _) = run();
    (info, plan, RunState::fold_facts(&facts).unwrap())
}

fn told(sweep: &(RunInfo, Plan, RunState), read: impl FnOnce(&mut Fold)) -> Json {
    let (info, plan, state) = sweep;
    build_summary(&Findings::new(Records::new(info, plan, state, RunWord::Finished, second(0)), read))
}

fn close(number: &Json, expected: f64) {
    let number = number.as_f64().unwrap_or(f64::NAN);
    assert!((number - expected).abs() < 1e-9 * expected.abs().max(1.0), "{number} is not {expected}");
}

#[test]
fn policies_are_compared_on_the_envs_that_both_ran_on() {
    let shard = |policy: &str, env: &str, successes: f64, episodes: f64| {
        let values = vec![("policy", word(policy)), ("env", word(env))];
        Shard::good(values, vec![("episodes", episodes), ("successes", successes)])
    };
    let run = sweep(vec![
        shard("flat", "grass", 48.0, 80.0),
        shard("rough", "grass", 56.0, 70.0),
        shard("flat", "stairs", 1.0, 200.0),
    ]);
    let summary = told(&run, |_| ());
    let differences = summary["differences"].as_array().unwrap();
    assert_eq!(differences.len(), 2, "one for the policies, one for the envs: {differences:?}");
    assert_eq!((&differences[0]["first"], &differences[0]["cells"]), (&"rough".into(), &1.into()));
    close(&differences[0]["success_rate_difference"], 0.2);
    let low = differences[0]["newcombe_95"]["low"].as_f64().unwrap();
    assert!((low - 0.0524).abs() < 5e-5, "stairs, which only one ran on, has no part in it: {low}");
    assert_eq!(
        (&differences[1]["first"], &differences[1]["second_episodes"]),
        (&"stairs".into(), &80.0.into())
    );
}

#[test]
fn slices_and_seeds_of_a_combo_add_up_by_episodes() {
    let shard = |seed: i64, episodes: f64, reward: f64| {
        let values = vec![("policy", word("flat")), ("seed", Value::Integer(seed))];
        let metrics = vec![
            ("episodes", episodes),
            ("successes", 1.0),
            ("mean_reward", reward),
            ("outcome_FELL", episodes - 1.0),
        ];
        Shard::good(values, metrics)
    };
    let summary = told(&sweep(vec![shard(1, 90.0, 1.0), shard(2, 10.0, 2.0)]), |_| ());
    let flat = &summary["axes"]["policy"][0];
    assert_eq!((&flat["episodes"], &flat["successes"]), (&100.0.into(), &2.0.into()));
    close(&flat["metrics"]["mean_reward"]["mean"], 1.1);
    assert_eq!(flat["outcomes"]["FELL"], 98.0);
    assert_eq!(flat["verdicts"]["succeeded"], 2);
    assert_eq!(summary["combos"].as_array().map(Vec::len), Some(2));
    assert_eq!(summary["combos"][1]["values"]["seed"], "2");
}

/// Rows of one GPU, the machine and each shard, one a second.
fn telemetry(fold: &mut Fold, seconds: i64, gpu: impl Fn(i64, &mut GpuSample)) {
    for at in 0..=seconds {
        let timestamp = second(at);
        let mut row = GpuSample::unknown(GpuIndex(0), timestamp);
        gpu(at, &mut row);
        fold.add_gpu_sample(&row);
        fold.add_host_sample(&HostSample {
            timestamp,
            cpu_percent: Some(at as f64),
            cores: 4,
            ram_used_bytes: Some(Bytes(7 << 30)),
            ram_total_bytes: Some(Bytes(8 << 30)),
            load_1m: None,
            ..HostSample::unknown(Timestamp::UNIX_EPOCH)
        });
    }
}

fn row(shard: &str, at: Timestamp, vram: u64) -> ShardSample {
    ShardSample {
        timestamp: at,
        shard: ShardId::new(shard).unwrap(),
        attempt: AttemptNumber::FIRST,
        cpu_percent: Some(250.0),
        rss_bytes: None,
        vram_bytes: Some(Bytes(vram)),
        processes: 1,
        energy_j: None,
        energy_shared: None,
        gpu_read_s: None,
        gpu_throttled_s: None,
        vram_parts: None,
    }
}

#[test]
fn shards_that_share_a_gpu_share_its_hours() {
    let shard = |name: &str, time| Shard {
        time,
        gpus: vec![0],
        ..Shard::good(vec![("policy", word(name))], vec![("episodes", 1.0)])
    };
    let run = sweep(vec![shard("a", (0, 3600)), shard("b", (1800, 3600))]);
    let summary = told(&run, |fold| {
        telemetry(fold, 3600, |at, row| {
            row.energy_j = Some(500.0 + 100.0 * at as f64);
            row.power_w = Some(if at < 1800 { 50.0 } else { 150.0 });
        });
        fold.add_shard_sample(&row("s0", second(10), 5));
        fold.add_shard_sample(&row("s0", second(20), 9));
        fold.add_shard_sample(&row("nobody", second(20), 99));
    });
    close(&summary["totals"]["gpu_hours"], 1.0);
    close(&summary["shards"][0]["cost"]["gpu_hours"], 0.75);
    close(&summary["telemetry"]["energy_j"], 360_000.0);
    let energy = |shard: usize| summary["shards"][shard]["cost"]["energy_j"].as_f64().unwrap();
    assert_eq!((energy(0), energy(1)), (1500.5, 1500.5), "what was measured while they ran");
    let telemetry = &summary["shards"][0]["telemetry"];
    assert_eq!(
        (&telemetry["vram_bytes"]["peak"], &telemetry["vram_bytes"]["mean"]),
        (&9.0.into(), &7.0.into())
    );
    assert_eq!(telemetry["rss_bytes"]["peak"], Json::Null);
    close(&telemetry["power_w"]["mean"], 100.0);
    close(&summary["shards"][1]["telemetry"]["power_w"]["mean"], 150.0);
    assert_eq!(summary["telemetry"]["host"]["ram_used_bytes"]["peak"].as_f64(), Some((7_u64 << 30) as f64));
}

#[test]
fn what_was_not_measured_is_unknown_and_not_nothing() {
    let summary = build_summary(&findings(&run()));
    for unknown in [
        &summary["totals"]["gpu_hours"],
        &summary["telemetry"]["energy_j"],
        &summary["telemetry"]["host"]["cpu_percent"]["peak"],
        &summary["shards"][0]["telemetry"]["power_w"]["mean"],
    ] {
        assert_eq!(*unknown, Json::Null);
    }
    assert_eq!(summary["telemetry"]["gpus"].as_array().map(Vec::len), Some(0));
}

#[test]
fn a_number_on_an_axis_has_a_knee_and_a_last_valid_value() {
    // What an H100 measured by parallel environments; the largest one lost contacts.
    let measured = [
        (1024, 8965.0),
        (2048, 15662.0),
        (4096, 24496.0),
        (8192, 36447.0),
        (16384, 37865.0),
        (65536, 69090.0),
    ];
    let shards = measured.iter().enumerate().map(|(position, (envs, speed))| {
        let failure = Failure { reason: FailureReason::Invalid, message: "contacts dropped".to_owned() };
        let verdict = if *envs > 16384 { Verdict::Failed(failure) } else { Verdict::Succeeded };
        let time = (100 * position as i64, 100 * position as i64 + 100);
        let values = vec![("num_envs", Value::Integer(*envs))];
        Shard { verdict, time, gpus: vec![0], ..Shard::good(values, vec![("steps_per_s", *speed)]) }
    });
    let run = sweep(shards.collect());
    let summary = told(&run, |fold| telemetry(fold, 600, |_, row| row.power_w = Some(200.0)));
    let scaling = &summary["scaling"][0];
    assert_eq!((&scaling["knee"], &scaling["last_valid"]), (&8192.0.into(), &16384.0.into()));
    close(&scaling["points"][3]["speed_up"], 36447.0 / 8965.0);
    close(&scaling["points"][3]["steps_per_s_per_w"], 36447.0 / 200.0);
    assert_eq!(scaling["points"][5]["invalid"], "invalid: contacts dropped");
}

#[test]
fn what_is_no_part_of_the_episodes_is_no_rate_of_success() {
    let rates = |metrics: &[(&'static str, f64)]| {
        let (_, plan, state) = sweep(vec![Shard::good(vec![("n", Value::Integer(1))], metrics.to_vec())]);
        let all = shard_outcomes(&plan, &state);
        (all[0].success_rate, Totals::from_shards(all.iter()).success_rate())
    };
    assert_eq!(rates(&[("success_rate", 85.0)]), (None, None), "a percentage, perhaps");
    let counted = [("success_rate", 85.0), ("episodes", 20.0), ("successes", 17.0)];
    assert_eq!(rates(&counted), (Some(0.85), Some(0.85)));
    assert_eq!(rates(&[("episodes", 12.0), ("successes", 60.0)]), (None, None), "of other episodes");
    assert_eq!(rates(&[("success_rate", 0.0)]).0, Some(0.0));
}

#[test]
fn steps_of_an_optimiser_are_not_compared_over_batch_sizes() {
    let trained = |(batch, speed): (i64, f64)| {
        Shard::good(vec![("batch_size", Value::Integer(batch))], vec![("steps_per_s", speed)])
    };
    let mut run = sweep([(8, 10.0), (64, 5.0)].map(trained).into());
    run.1.progress.preset = "lerobot-train".to_owned();
    assert_eq!(
        told(&run, |_| {})["scaling"],
        Json::Array(Vec::new()),
        "64 samples five times a second are more"
    );
    run.1.progress.preset = "rsl-rl".to_owned();
    assert_eq!(told(&run, |_| {})["scaling"][0]["axis"], "batch_size");
}

#[test]
fn evaluations_scale_in_episodes_along_what_their_resources_depend_on() {
    let evaluated = |(gpus, episodes): (i64, f64)| {
        let metrics = vec![("episodes", episodes), ("successes", 1.0)];
        Shard { time: (0, 100), ..Shard::good(vec![("n_gpus", Value::Integer(gpus))], metrics) }
    };
    let mut run = sweep([(1, 10.0), (2, 19.0)].map(evaluated).into());
    assert_eq!(told(&run, |_| {})["scaling"], Json::Array(Vec::new()), "the axis may be anything");
    run.1.template.needs.insert("env.gpus".to_owned(), "{{ n_gpus }}".to_owned());
    let scaling = &told(&run, |_| {})["scaling"][0];
    close(&scaling["points"][1]["episodes_per_h"], 19.0 * 36.0);
    close(&scaling["points"][1]["speed_up"], 1.9);
}

#[test]
fn continuous_integration_reads_every_shard_as_a_case() {
    let xml = render_junit(&findings(&run()));
    assert!(xml.contains("tests=\"3\" failures=\"1\" errors=\"0\" time=\"2.000\" skipped=\"1\""), "{xml}");
    let failure = "<failure type=\"incomplete\" message=\"7 of 10 episodes, exit code 0\"></failure>";
    assert!(xml.contains(failure), "{xml}");
    assert!(xml.contains(
        "<testcase classname=\"demo\" name=\"waiting\" time=\"0.000\"><skipped message=\"queued\"/>"
    ));
}

#[test]
fn energy_is_that_of_all_attempts_and_unknown_where_one_was_not_counted() {
    let at = |second| Timestamp::from_second(second).unwrap();
    let id = ShardId::new("a").unwrap();
    let mut shard = ShardState::new(id.clone(), at(0));
    let mut run = |number, joules: Option<f64>| {
        let attempt = AttemptNumber(number);
        let (gpus, claim) = (Vec::new(), Default::default());
        let shard_id = id.clone();
        let starting = Event::AttemptStarting { shard: shard_id, attempt, gpus, claim, previous: None };
        let started = Event::AttemptStarted { shard: id.clone(), attempt, pid: 7, started: at(1) };
        let failure = Failure { reason: FailureReason::ExitCode, message: "exit code 1".to_owned() };
        let mut outcome = ended(Verdict::Failed(failure), None, &[]);
        outcome.peaks.energy = joules.map(|joules| Energy { joules, shared: false });
        let ended = Event::AttemptEnded { shard: id.clone(), attempt, outcome: Box::new(outcome) };
        for event in [starting, started, ended] {
            shard.apply_event(at(2), &event);
        }
        let all = energy_of_all(&shard, None);
        shard.apply_event(at(3), &queued(&id));
        all
    };
    assert_eq!(run(1, Some(24_469.0)).map(|energy| energy.joules), Some(24_469.0));
    assert_eq!(run(2, Some(9_850.0)).map(|energy| energy.joules), Some(34_319.0));
    assert_eq!(run(3, None), None);
}

fn queued(id: &ShardId) -> Event {
    let (shard, cause, demand) = (id.clone(), QueueCause::Retry, Default::default());
    Event::ShardQueued { shard, cause, by: None, not_before: None, demand, edit: None, step: None }
}
