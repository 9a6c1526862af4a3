//! The document of `status --json` for handmade runs.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::document::build_status;
use super::plain_text;
use super::sources::Sources;
use crate::model::claims::claim::Claim;
use crate::model::history::ShardHistory;
use crate::model::ids::{AttemptKey, AttemptNumber, GpuIndex, RunId, ShardId};
use crate::model::logs::stage::Stage;
use crate::model::logs::value_log::ValueLogSpec;
use crate::model::machine::gpu_health::{GpuFault, GpuFaultKind, GpuHealth};
use crate::model::machine::sample::{GpuCard, GpuInventory, HostSample, ShardSample, TelemetrySample};
use crate::model::needs::resources::{Placement, Resources};
use crate::model::outcome::{Energy, ExitStatus, Failure, FailureReason, Outcome, Peaks, Progress, Verdict};
use crate::model::results::results_spec::ResultsSpec;
use crate::model::state::fact::{Event, Fact, JOURNAL_VERSION};
use crate::model::state::run_info::{RUN_VERSION, RunInfo};
use crate::model::state::run_state::RunState;
use crate::model::sweep::command_template::CommandTemplate;
use crate::model::sweep::edit::Edit;
use crate::model::sweep::plan::{
    Grace, OnOom, OnStall, Parallel, Plan, ProgressSpec, QueueOrder, Schedule, ShardSpec,
};
use crate::model::sweep::shard_template::ShardTemplate;
use crate::model::units::Bytes;
use crate::model::value::{Value, Variables};
use crate::results::live::LiveReading;

pub(in crate::results) fn id(text: &str) -> ShardId {
    ShardId::new(text).unwrap()
}

pub(crate) fn second(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).unwrap()
}

pub(crate) fn plan(ids: &[&str]) -> Plan {
    let shard = |name: &&str| ShardSpec {
        id: id(name),
        vars: Variables(vec![
            ("policy".into(), Value::String((*name).into())),
            ("seed".into(), Value::Integer(3)),
        ]),
        slice: None,
        pack: None,
        command: "true".into(),
        cwd: PathBuf::from("/"),
        expected: None,
        needs: Default::default(),
        learned: ShardHistory::default(),
        edit: Edit::default(),
    };
    Plan {
        version: 1,
        name: "demo".into(),
        sweep_dir: PathBuf::from("/"),
        axes: vec!["policy".into(), "seed".into()],
        template: ShardTemplate {
            cwd: ".".into(),
            setup: vec![],
            command: CommandTemplate::Shell("true".into()),
            env: BTreeMap::new(),
            artifacts: vec![],
            secret: vec![],
            needs: Default::default(),
            resume: Default::default(),
        },
        shards: ids.iter().map(shard).collect(),
        services: Vec::new(),
        resources: Resources::default(),
        schedule: schedule(),
        progress: ProgressSpec::of_preset("auto"),
        metrics: vec![],
        rules: vec![],
        value_log: ValueLogSpec::default(),
        results: ResultsSpec::default(),
        analysis: Default::default(),
        hook: None,
        commands: Vec::new(),
        foreign: BTreeMap::new(),
        expansion: None,
        nodes: Vec::new(),
    }
}

fn schedule() -> Schedule {
    Schedule {
        parallel: Parallel::Fixed(1),
        order: QueueOrder::AsListed,
        placement: Placement::Spread,
        reserve_vram: Bytes(0),
        stagger: Duration::ZERO,
        warmup: false,
        cooldown: Duration::ZERO,
        retries: 0,
        resume_after: Vec::new(),
        ladder: Vec::new(),
        timeout: None,
        stall_after: Duration::from_secs(1800),
        on_stall: OnStall::Show,
        on_oom: OnOom::Fail,
        grace: Grace { interrupt: Duration::from_secs(1), terminate: Duration::from_secs(1) },
        linger: Duration::from_secs(5),
        hours: Default::default(),
        neighbours: Default::default(),
    }
}

/// `a` failed after 20 s, `b` runs for 10 s, `c` waits; the only slot is `b`'s.
fn state() -> RunState {
    let first = AttemptNumber::FIRST;
    let failure = Failure { reason: FailureReason::Incomplete, message: "87 of 100 episodes".into() };
    let outcome = Outcome {
        verdict: Verdict::Failed(failure),
        exit: Some(ExitStatus { raw: 0 }),
        elapsed: Some(Duration::from_secs(20)),
        paused: Duration::ZERO,
        loading: None,
        closing: None,
        unit: None,
        progress: Some(Progress { done: 87, total: Some(100) }),
        metrics: BTreeMap::new(),
        peaks: Peaks {
            vram: Some(Bytes(7)),
            energy: Some(Energy { joules: 3.0, shared: true }),
            ..Peaks::default()
        },
        proof: None,
        memory_holders: Vec::new(),
        warnings: vec![],
        patterns: vec![],
        episodes: None,
    };
    let events = [
        (
            0,
            Event::RunCreated {
                version: JOURNAL_VERSION,
                run: RunId("demo-1".into()),
                shards: vec![id("a"), id("b"), id("c")],
                parallel: 1,
            },
        ),
        (
            0,
            Event::AttemptStarting {
                shard: id("a"),
                attempt: first,
                gpus: vec![GpuIndex(0)],
                claim: Claim::default(),
                previous: None,
            },
        ),
        (0, Event::AttemptStarted { shard: id("a"), attempt: first, pid: 40, started: second(0) }),
        (20, Event::AttemptEnded { shard: id("a"), attempt: first, outcome: Box::new(outcome) }),
        (
            20,
            Event::AttemptStarting {
                shard: id("b"),
                attempt: first,
                gpus: vec![GpuIndex(0)],
                claim: Claim::default(),
                previous: None,
            },
        ),
        (20, Event::AttemptStarted { shard: id("b"), attempt: first, pid: 41, started: second(20) }),
    ];
    let facts: Vec<Fact> = events.into_iter().map(|(at, event)| Fact::new(second(at), event)).collect();
    RunState::fold_facts(&facts).unwrap()
}

fn telemetry(at: Timestamp) -> TelemetrySample {
    TelemetrySample {
        gpus: vec![],
        host: Some(HostSample {
            timestamp: at,
            cpu_percent: Some(50.0),
            cores: 2,
            ram_used_bytes: Some(Bytes(1)),
            ram_total_bytes: Some(Bytes(2)),
            load_1m: None,
            ..HostSample::unknown(Timestamp::UNIX_EPOCH)
        }),
        shards: vec![ShardSample {
            cpu_percent: Some(99.0),
            rss_bytes: Some(Bytes(3)),
            processes: 1,
            energy_j: Some(12.5),
            ..ShardSample::unknown(&AttemptKey { shard: id("b"), attempt: AttemptNumber::FIRST }, at)
        }],
    }
}

fn document(supervised: bool, telemetry: &TelemetrySample) -> Json {
    document_of(&state(), supervised, telemetry)
}

fn document_of(state: &RunState, supervised: bool, telemetry: &TelemetrySample) -> Json {
    let info = RunInfo {
        version: RUN_VERSION,
        id: RunId("demo-1".into()),
        name: "demo".into(),
        host: "h".into(),
        boot_id: "b".into(),
        pid_namespace: None,
        place: None,
        cores: None,
        created: second(0),
        sweepdeck: "0".into(),
        git_commit: None,
        sweep: PathBuf::from("/s.toml"),
    };
    let reading = LiveReading {
        progress: Some(Progress { done: 1, total: Some(4) }),
        stage: Some(Stage::Compiling("Warp kernels".into())),
        ..Default::default()
    };
    let card = GpuCard {
        uuid: "GPU-1".into(),
        name: "H100".into(),
        vram_total: Some(Bytes(80)),
        ..GpuCard::unknown(GpuIndex(0))
    };
    let at = second(0);
    let lost = GpuFault { kind: GpuFaultKind::Lost, since: at, last: at, count: 1 };
    let health = GpuHealth { gpu: GpuIndex(0), faults: vec![lost] };
    let inventory = GpuInventory::Present { driver: "570".into(), cards: vec![card] };
    let document = build_status(&Sources {
        dir: Path::new("/runs/demo-1"),
        info: &info,
        plan: &plan(&["a", "b", "c"]),
        state,
        place: None,
        supervised,
        readings: &HashMap::from([(id("b"), reading)]),
        health: &[health],
        inventory: Some(&inventory),
        waiting: None,
        node_gpus: &[],
        unwritten: &[],
        telemetry,
        now: second(30),
        zone: &jiff::tz::TimeZone::UTC,
    });
    let text = plain_text::render_status_text(&document);
    assert!(text.contains("87 of 100 episodes") && text.contains("compiling: Warp kernels"), "{text}");
    serde_json::to_value(document).unwrap()
}

#[test]
fn every_key_of_the_contract_is_there_whatever_is_unknown() {
    let document = document(true, &TelemetrySample::default());
    let keys = |value: &Json| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        keys(&document),
        ["counts", "gpus", "headline", "host", "run", "services", "shards", "version"]
    );
    let run = [
        "allocation", "comparison", "dir", "elapsed_s", "eta_range_s", "eta_s", "forecast", "id", "name",
        "opens", "place", "started", "state", "troubles", "warnings", "watching",
    ];
    assert_eq!(keys(&document["run"]), run);
    let forecast = ["guessed_durations", "lower_bound_s", "makespan_s", "slots", "unknown_durations"];
    assert_eq!(keys(&document["run"]["forecast"]), forecast);
    assert_eq!(keys(&document["host"]), ["cores", "cpu_percent", "ram_total_bytes", "ram_used_bytes"]);
    for shard in document["shards"].as_array().unwrap() {
        for key in "id vars phase reason message attempt stage progress metrics exit pid gpus vram_bytes \
                    peak_vram_bytes cpu_percent rss_bytes elapsed_s eta_s"
            .split_whitespace()
        {
            assert!(shard.get(key).is_some(), "{key} is missing");
        }
    }
    assert_eq!(document["counts"]["queued"], 1);
    assert_eq!(document["counts"]["cancelled"], 0);
    assert_eq!(document["gpus"][0]["vram_used_bytes"], Json::Null);
    assert_eq!(document["gpus"][0]["vram_total_bytes"], 80);
    assert!(document["gpus"][0]["faults"][0].as_str().unwrap().starts_with("GPU 0 is lost"));
}

#[test]
fn ended_running_and_waiting_shards_say_what_is_known() {
    let document = document(true, &telemetry(second(29)));
    let [ended, running, waiting] = &document["shards"].as_array().unwrap()[..] else { panic!("3 shards") };
    assert_eq!(ended["vars"], json!({"policy": "a", "seed": 3}));
    assert_eq!(ended["reason"], "incomplete");
    assert_eq!(ended["exit"], json!({"code": 0, "signal": null}));
    assert_eq!(ended["peak_vram_bytes"], 7);
    assert_eq!(running["pid"], 41);
    assert_eq!(running["progress"], json!({"done": 1, "total": 4}));
    assert_eq!(running["stage"], json!({"name": "compiling", "detail": "Warp kernels"}));
    assert_eq!(ended["stage"], Json::Null);
    assert_eq!(running["cpu_percent"], 99.0);
    assert_eq!((&running["energy_j"], &ended["energy_j"]), (&json!(12.5), &json!(3.0)));
    assert_eq!(running["eta_s"], 30.0, "a quarter took 10 s");
    assert_eq!(waiting["waiting"], "the only slot is taken");
    assert_eq!(waiting["exit"], Json::Null);
    assert_eq!(document["run"]["state"], "running");
    assert_eq!(document["run"]["eta_s"], 70.0, "the rest of b, and c as long as b");
}

#[test]
fn old_telemetry_and_a_dead_supervisor_are_not_taken_for_the_present() {
    let document = document(false, &telemetry(second(24)));
    assert_eq!(document["host"]["cpu_percent"], Json::Null);
    assert_eq!(document["shards"][1]["rss_bytes"], Json::Null);
    assert_eq!(document["run"]["state"], "unsupervised");
    assert_eq!(document["gpus"][0]["faults"], json!([]), "nobody knows how it stands now");
    assert_eq!(document["shards"][2]["waiting"], "the run has no supervisor");
}

#[test]
fn paused_time_is_no_elapsed_time() {
    let mut state = state();
    let attempt = AttemptNumber::FIRST;
    let ended = state.shard(&id("a")).and_then(|shard| shard.phase.ended()).unwrap();
    let outcome = Outcome { paused: Duration::from_secs(5), ..ended.outcome.clone() };
    let starting = Event::AttemptStarting {
        shard: id("c"),
        attempt,
        gpus: vec![],
        claim: Claim::default(),
        previous: None,
    };
    let events = [
        (21, Event::AttemptPaused { shard: id("b"), attempt, by: None }),
        (22, starting),
        (22, Event::AttemptStarted { shard: id("c"), attempt, pid: 42, started: second(22) }),
        (25, Event::AttemptResumed { shard: id("b"), attempt, by: None }),
        (26, Event::AttemptEnded { shard: id("c"), attempt, outcome: Box::new(outcome) }),
        (28, Event::AttemptPaused { shard: id("b"), attempt, by: None }),
    ];
    for (at, event) in events {
        state.apply_fact(&Fact::new(second(at), event)).unwrap();
    }
    let document = document_of(&state, true, &TelemetrySample::default());
    let elapsed = |shard: usize| document["shards"][shard]["elapsed_s"].as_f64();
    assert_eq!(elapsed(1), Some(4.0), "10 s since its start, without two pauses of 4 s and of 2 s");
    assert_eq!(elapsed(2), Some(15.0), "20 s from its start to its end, without 5 s of pauses");
}
