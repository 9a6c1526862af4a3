//! Handmade runs on disk, written with the same code as real ones: what snapshots, pictures and measurements show.

#![allow(dead_code, reason = "each test binary uses its part of the scenes")]
#![allow(clippy::unwrap_used, reason = "a scene that cannot be written is a failed test")]

pub mod nodes;

use std::fs;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use sweepdeck::model::attempt::ProcessIdentity;
use sweepdeck::model::claims::claim::Claim;
use sweepdeck::model::ids::{AttemptKey, AttemptNumber, GpuIndex, RunId, ShardId};
use sweepdeck::model::logs::mark::{Alert, Mark, MarkKind};
use sweepdeck::model::logs::stage::Stage;
use sweepdeck::model::machine::sample::{
    GpuCard, GpuInventory, GpuSample, HostSample, ShardSample, TelemetrySample,
};
use sweepdeck::model::needs::demand::Demand;
use sweepdeck::model::outcome::{
    ExitStatus, Failure, FailureReason, Metrics, Outcome, Peaks, Progress, Proof, Verdict,
};
use sweepdeck::model::state::fact::{Condition, Event, Fact};
use sweepdeck::model::state::phase::QueueCause;
use sweepdeck::model::state::run_info::{RUN_VERSION, RunInfo, SupervisorInfo};
use sweepdeck::model::sweep::node_spec::NodeSpec;
use sweepdeck::model::sweep::plan::Plan;
use sweepdeck::model::units::Bytes;
use sweepdeck::rundir::journal::Journal;
use sweepdeck::rundir::layout::RunDir;
use sweepdeck::rundir::marks::MarkWriter;
use sweepdeck::rundir::telemetry::{TelemetryWriter, write_inventory};
use sweepdeck::rundir::{create, life, records};

/// The moment all scenes are seen at: 2026-11-21 14:00 UTC.
pub fn now() -> Timestamp {
    "2026-11-21T14:00:00Z".parse().unwrap()
}

/// So many seconds before that moment.
fn ago(seconds: u64) -> Timestamp {
    now() - Duration::from_secs(seconds)
}

fn id(text: &str) -> ShardId {
    ShardId::new(text).unwrap()
}

/// A run that is being written.
pub struct Scene {
    pub run: RunDir,
    facts: Vec<Fact>,
}

impl Scene {
    /// A run of these shards, created so many seconds ago.
    pub fn new(folder: &Path, name: &str, shards: &[String], parallel: u32, age: u64) -> Self {
        Self::with_nodes(folder, name, shards, Vec::new(), parallel, age)
    }

    /// The same with nodes that take the shards.
    pub fn with_nodes(
        folder: &Path,
        name: &str,
        shards: &[String],
        nodes: Vec<NodeSpec>,
        parallel: u32,
        age: u64,
    ) -> Self {
        let info = RunInfo {
            version: RUN_VERSION,
            id: RunId(format!("{name}-20261121-131200-4f2a")),
            name: name.to_owned(),
            host: "h100-07".to_owned(),
            boot_id: String::new(),
            pid_namespace: None,
            place: None,
            cores: None,
            created: ago(age),
            sweepdeck: "0.1.0".to_owned(),
            git_commit: None,
            sweep: "sweep.toml".into(),
        };
        let plan = Plan { nodes, ..plan(name, shards) };
        let run = create::create_run_dir(folder, &info, "", &plan, (parallel, Vec::new())).unwrap();
        Self { run, facts: Vec::new() }
    }

    /// Adds any fact.
    pub fn tell(&mut self, seconds_ago: u64, event: Event) {
        self.facts.push(Fact::new(ago(seconds_ago), event));
    }

    /// Writes the facts in the order in which they happened.
    pub fn write(mut self) -> Self {
        self.facts.sort_by_key(|fact| fact.at);
        Journal::open(&self.run.journal_path()).unwrap().append_facts(&self.facts).unwrap();
        self
    }

    pub fn start(&mut self, shard: &str, attempt: u32, seconds_ago: u64, gpu: Option<u32>) {
        let (shard, attempt) = (id(shard), AttemptNumber(attempt));
        let gpus = gpu.into_iter().map(GpuIndex).collect();
        self.tell(
            seconds_ago,
            Event::AttemptStarting {
                shard: shard.clone(),
                attempt,
                gpus,
                claim: Claim::default(),
                previous: None,
            },
        );
        let pid = 41_000 + seconds_ago as u32 % 997;
        self.tell(seconds_ago, Event::AttemptStarted { shard, attempt, pid, started: ago(seconds_ago) });
    }

    pub fn end(&mut self, shard: &str, attempt: u32, seconds_ago: u64, outcome: Outcome) {
        let (shard, attempt) = (id(shard), AttemptNumber(attempt));
        self.tell(seconds_ago, Event::AttemptEnded { shard, attempt, outcome: Box::new(outcome) });
    }

    /// Progress from the start until `until` seconds ago, at an even pace, and the log that goes with it.
    pub fn work(
        &self,
        shard: &str,
        attempt: u32,
        (from, until): (u64, u64),
        (done, total): (u64, u64),
        success: f64,
    ) {
        let key = AttemptKey { shard: id(shard), attempt: AttemptNumber(attempt) };
        let folder = self.run.attempt_dir(&key);
        fs::create_dir_all(folder.path()).unwrap();
        let mut marks = Vec::new();
        let mut log =
            format!("[INFO] Loading environment {shard}\r\n[INFO] 4096 envs on cuda:0, 50 Hz control\r\n");
        for episode in 1..=done {
            let wobble = (episode * 7919 % 13) as f64 / 26.0;
            let part = (episode as f64 - wobble) / done as f64;
            let at = ago(from - ((from - until) as f64 * part) as u64);
            let rate = (success * episode as f64).round() / episode as f64;
            let kind = MarkKind::Progress(Progress { done: episode, total: Some(total) });
            marks.push(Mark { at, offset: 0, kind });
            let kind = MarkKind::Metric { name: "success_rate".into(), value: Some(rate) };
            marks.push(Mark { at, offset: 0, kind });
            let reward = 180.0 + 60.0 * (episode as f64 * 0.7).sin();
            log += &format!(
                "Episode {episode}/{total} reward={reward:.1} length={} success={}\r\n",
                400 + episode * 37 % 180,
                u8::from(episode * 31 % 100 < (success * 100.0) as u64)
            );
        }
        MarkWriter::create(&folder.marks_path()).unwrap().append_marks(&marks).unwrap();
        fs::write(folder.output_log().full_path(), log).unwrap();
    }

    pub fn mark(&self, shard: &str, attempt: u32, kind: MarkKind) {
        let key = AttemptKey { shard: id(shard), attempt: AttemptNumber(attempt) };
        let folder = self.run.attempt_dir(&key);
        fs::create_dir_all(folder.path()).unwrap();
        MarkWriter::create(&folder.marks_path())
            .unwrap()
            .append_marks(&[Mark { at: ago(2), offset: 0, kind }])
            .unwrap();
    }

    /// A living supervisor: this very process.
    pub fn supervise(&self) {
        let stat = fs::read_to_string("/proc/self/stat").unwrap();
        let ticks = stat[stat.rfind(')').unwrap() + 2..].split(' ').nth(19).unwrap().parse().unwrap();
        let boot_id = life::boot_id().unwrap().to_owned();
        let process =
            ProcessIdentity { pid: std::process::id(), start_ticks: ticks, boot_id, pid_namespace: None };
        let info = SupervisorInfo { process, socket: Some("/nowhere".into()), place: None };
        records::write_atomic(&self.run.supervisor_json(), &info).unwrap();
    }
}

fn plan(name: &str, shards: &[String]) -> Plan {
    let specs: Vec<serde_json::Value> = shards
        .iter()
        .map(|id| {
            let (env, policy) = id.split_once('_').unwrap_or((id, "flat"));
            let command = format!(
                "./isaaclab.sh -p eval.py --headless --policy {policy} --env {env} --episodes 100 --output_dir {{{{ out }}}}"
            );
            serde_json::json!({
                "id": id, "vars": {"policy": policy, "env": env}, "command": command,
                "cwd": "/home/ana/IsaacLab", "expected": null,
            })
        })
        .collect();
    serde_json::from_value(serde_json::json!({
        "version": 1, "name": name, "sweep_dir": "/home/ana", "axes": ["policy", "env"],
        "template": {
            "cwd": "~/IsaacLab", "setup": [], "artifacts": [], "secret": [], "env": {"OMNI_KIT_ACCEPT_EULA": "YES"},
            "command": "./isaaclab.sh -p eval.py --headless --policy {{ policy }} --env {{ env }} --episodes 100 --output_dir {{ out }}",
        },
        "shards": specs,
        "resources": {"gpus": null, "vram": null, "cpus": null, "ram": null},
        "schedule": {
            "parallel": {"fixed": 6}, "order": "longest-first", "reserve_vram": 0, "stagger": 0.0, "warmup": false,
            "cooldown": 0.0, "retries": 1, "stall_after": 1800.0, "on_stall": "show", "on_oom": "back-off",
            "grace": {"interrupt": 10.0, "terminate": 10.0}, "linger": 5.0,
        },
        "progress": {"preset": "auto", "done": null, "total": null, "finished": null},
        "metrics": [], "rules": [], "results": {"merge": "none", "reporter": null},
    }))
    .unwrap()
}

pub fn outcome(verdict: Verdict, seconds: u64, done: u64, success: f64) -> Outcome {
    Outcome {
        exit: Some(ExitStatus { raw: if done == 9 { 256 } else { 0 } }),
        elapsed: Some(Duration::from_secs(seconds)),
        paused: Duration::ZERO,
        loading: None,
        closing: None,
        unit: None,
        progress: Some(Progress { done, total: Some(100) }),
        metrics: Metrics::from([("success_rate".to_owned(), success)]),
        peaks: Peaks { vram: Some(Bytes(6_120 << 20)), rss: Some(Bytes(9 << 30)), ..Peaks::default() },
        proof: None,
        memory_holders: Vec::new(),
        warnings: Vec::new(),
        patterns: Vec::new(),
        episodes: None,
        verdict,
    }
}

fn failed(reason: FailureReason, message: &str) -> Verdict {
    Verdict::Failed(Failure { reason, message: message.to_owned() })
}

/// Twelve shards of a locomotion sweep, 48 minutes in, with everything that can happen to one.
pub fn busy(folder: &Path) -> Scene {
    let mut names = Vec::new();
    for policy in ["flat", "rough", "teacher"] {
        for env in ["friction", "grass", "boulder", "stairs"] {
            names.push(format!("{env}_{policy}"));
        }
    }
    let mut scene = Scene::new(folder, "h100_eval", &names, 6, 2880);
    scene.tell(2880, Event::SupervisorStarted { pid: 40_211, version: "0.1.0".to_owned(), clock: None });
    past(&mut scene);
    present(&mut scene);
    scene.supervise();
    telemetry(&scene);
    scene.write()
}

/// What is over.
fn past(scene: &mut Scene) {
    for (shard, from, until, success, gpu) in [
        ("friction_flat", 2875, 1400, 0.93, 0),
        ("grass_flat", 2874, 1180, 0.88, 0),
        ("boulder_flat", 2873, 770, 0.61, 1),
    ] {
        scene.start(shard, 1, from, Some(gpu));
        scene.work(shard, 1, (from - 60, until), (100, 100), success);
        scene.end(shard, 1, until, outcome(Verdict::Succeeded, from - until, 100, success));
    }
    scene.start("stairs_flat", 1, 2872, Some(1));
    scene.work("stairs_flat", 1, (2800, 980), (87, 100), 0.34);
    let verdict = failed(FailureReason::Incomplete, "87 of 100 episodes, exit code 0");
    scene.end("stairs_flat", 1, 960, outcome(verdict, 1912, 87, 0.34));
    scene.start("friction_rough", 1, 2871, Some(0));
    let oom = failed(FailureReason::GpuOom, "CUDA out of memory: tried to allocate 2.40 GiB on GPU 0");
    scene.end("friction_rough", 1, 2500, outcome(oom, 371, 9, 0.55));
    let queued = Event::ShardQueued {
        shard: id("friction_rough"),
        cause: QueueCause::Retry,
        by: None,
        not_before: None,
        demand: Demand::default(),
        edit: None,
        step: None,
    };
    scene.tell(2500, queued);
}

/// What runs now, in the order of the sweep.
fn present(scene: &mut Scene) {
    scene.start("friction_rough", 2, 1390, Some(0));
    scene.work("friction_rough", 2, (1330, 4), (63, 100), 0.86);
    scene.start("grass_rough", 1, 1175, Some(1));
    scene.work("grass_rough", 1, (1120, 9), (48, 100), 0.79);
    scene.start("boulder_rough", 1, 955, Some(0));
    scene.work("boulder_rough", 1, (900, 310), (22, 100), 0.5);
    let (shard, attempt) = (id("boulder_rough"), AttemptNumber::FIRST);
    scene.tell(
        30,
        Event::ConditionChanged {
            shard,
            attempt,
            condition: Some(Condition::Stalled),
            since: Some(ago(310)),
        },
    );
    scene.start("stairs_rough", 1, 765, Some(1));
    scene.work("stairs_rough", 1, (700, 120), (31, 100), 0.42);
    scene.tell(
        118,
        Event::AttemptPaused { shard: id("stairs_rough"), attempt: AttemptNumber::FIRST, by: None },
    );
    scene.start("friction_teacher", 1, 700, Some(0));
    scene.work("friction_teacher", 1, (640, 3), (39, 100), 0.97);
    let alert = Alert {
        kind: "physx-overflow".to_owned(),
        count: 3,
        first_line: 41,
        last_line: 44,
        text: "collisionStackSize buffer overflow".to_owned(),
        parts: [("collisionStackSize".to_owned(), 3)].into(),
    };
    scene.mark("grass_teacher", 1, MarkKind::Alert(Box::new(alert)));
    scene.start("grass_teacher", 1, 25, Some(1));
    scene.mark("grass_teacher", 1, MarkKind::Stage(Stage::Compiling("Warp kernels".into())));
    let (shard, attempt) = (id("grass_teacher"), AttemptNumber::FIRST);
    scene.tell(
        15,
        Event::ConditionChanged {
            shard,
            attempt,
            condition: Some(Condition::Compiling),
            since: Some(ago(75)),
        },
    );
}

const RUNNING: [(&str, u32, u64, f64); 6] = [
    ("friction_rough", 2, 14_300, 104.0),
    ("grass_rough", 1, 21_800, 98.0),
    ("boulder_rough", 1, 12_600, 3.0),
    ("stairs_rough", 1, 9_400, 0.0),
    ("friction_teacher", 1, 16_900, 112.0),
    ("grass_teacher", 1, 2_100, 187.0),
];

fn telemetry(scene: &Scene) {
    let card = |index| GpuCard {
        index: GpuIndex(index),
        uuid: format!("GPU-{index}"),
        name: "NVIDIA H100 80GB HBM3".to_owned(),
        vram_total: Some(Bytes(81_559 << 20)),
        slowdown_c: Some(87),
        mig: Some(false),
        withheld: None,
    };
    let inventory = GpuInventory::Present { driver: "570.86".to_owned(), cards: vec![card(0), card(1)] };
    write_inventory(&scene.run, &inventory).unwrap();
    let mut writer = TelemetryWriter::open(&scene.run, |text| panic!("{text}"));
    for second in (1..120).rev() {
        let wave = |speed: f64| (second as f64 * speed).sin();
        let gpu = |index: u32, vram: u64, busy: f64| GpuSample {
            vram_used_bytes: Some(Bytes(vram << 20)),
            vram_total_bytes: Some(Bytes(81_559 << 20)),
            utilization_percent: Some((busy + 9.0 * wave(0.31)).clamp(0.0, 100.0)),
            power_w: Some(busy * 5.2 + 40.0 + 25.0 * wave(0.17)),
            power_cap_w: Some(700.0),
            temperature_c: Some(54.0 + f64::from(index) * 7.0 + 2.0 * wave(0.05)),
            clock_sm_mhz: Some(1980.0),
            clock_memory_mhz: Some(2619.0),
            ..GpuSample::unknown(GpuIndex(index), ago(second))
        };
        let host = HostSample {
            timestamp: ago(second),
            cpu_percent: Some(38.0 + 12.0 * wave(0.23)),
            cores: 64,
            ram_used_bytes: Some(Bytes((142 << 30) + ((120 - second) << 26))),
            ram_total_bytes: Some(Bytes(503 << 30)),
            load_1m: Some(21.4),
            ..HostSample::unknown(Timestamp::UNIX_EPOCH)
        };
        let shard = |(shard, attempt, vram, cpu): (&str, u32, u64, f64)| ShardSample {
            cpu_percent: Some((cpu + 4.0 * wave(0.4)).max(0.0)),
            rss_bytes: Some(Bytes(8_400 << 20)),
            vram_bytes: Some(Bytes(vram << 20)),
            processes: 5,
            energy_j: Some(f64::from(attempt) * 250_000.0),
            energy_shared: Some(true),
            gpu_read_s: Some(1000.0),
            gpu_throttled_s: Some(40.0),
            ..ShardSample::unknown(
                &AttemptKey { shard: id(shard), attempt: AttemptNumber(attempt) },
                ago(second),
            )
        };
        let gpus = vec![gpu(0, 47_900, 88.0), gpu(1, 36_100, 61.0)];
        let shards = if second <= 3 { RUNNING.map(shard).to_vec() } else { Vec::new() };
        writer.append_round(&TelemetrySample { gpus, host: Some(host), shards }).unwrap();
    }
}

/// Eight shards that all succeeded, an hour ago, on a machine without a GPU.
pub fn finished(folder: &Path) -> Scene {
    let names: Vec<String> = (0..8).map(|number| format!("pendulum_p{number}")).collect();
    let mut scene = Scene::new(folder, "nightly", &names, 4, 7200);
    write_inventory(
        &scene.run,
        &GpuInventory::Absent { reason: "no NVIDIA driver: libnvidia-ml.so.1 was not found".to_owned() },
    )
    .unwrap();
    for (number, name) in names.iter().enumerate() {
        let from = 7190 - number as u64 * 150;
        scene.start(name, 1, from, None);
        scene.work(name, 1, (from, from - 600), (100, 100), 0.9);
        scene.end(name, 1, from - 600, outcome(Verdict::Succeeded, 600, 100, 0.9));
    }
    scene.tell(5500, Event::RunEnded { finished: true });
    scene.write()
}

/// Three hundred shards of which two hundred are done, one failed and six run.
pub fn three_hundred(folder: &Path) -> Scene {
    let names: Vec<String> = (0..300).map(|number| format!("env{number:03}_flat")).collect();
    let mut scene = Scene::new(folder, "wide", &names, 6, 7200);
    for (number, name) in names.iter().take(200).enumerate() {
        let from = 7100 - number as u64 * 30;
        scene.start(name, 1, from, Some(0));
        let (verdict, done) = match number {
            37 => (failed(FailureReason::GpuOom, "CUDA out of memory on GPU 0"), 40),
            _succeeded => (Verdict::Succeeded, 100),
        };
        scene.end(name, 1, from - 180, outcome(verdict, 180, done, 0.9));
    }
    for (number, name) in names.iter().enumerate().skip(200).take(6) {
        let from = 900 - (number as u64 - 200) * 130;
        scene.start(name, 1, from, Some(1));
        scene.work(name, 1, (from, 3), (10 + number as u64 % 7 * 9, 100), 0.8);
    }
    scene.supervise();
    telemetry(&scene);
    scene.write()
}

/// A finished run of so many shards with so many attempts each, for measurements.
pub fn large(folder: &Path, shards: usize, attempts: u32) -> Scene {
    let names: Vec<String> = (0..shards).map(|number| format!("env{number:05}_flat")).collect();
    let mut scene = Scene::new(folder, "large", &names, 64, 86_000);
    for (number, name) in names.iter().enumerate() {
        for attempt in 1..=attempts {
            let seconds = 80_000 - number as u64 - u64::from(attempt) * 7_000;
            let (shard, attempt) = (id(name), AttemptNumber(attempt));
            let starting = Event::AttemptStarting {
                shard: shard.clone(),
                attempt,
                gpus: vec![GpuIndex(0)],
                claim: Claim::default(),
                previous: None,
            };
            let started =
                Event::AttemptStarted { shard: shard.clone(), attempt, pid: 4000, started: ago(seconds) };
            let verdict = if attempt.0 < attempts {
                failed(FailureReason::ExitCode, "exit code 1")
            } else {
                Verdict::Succeeded
            };
            let outcome = outcome(verdict, 600, 100, 0.9);
            let ended = Event::AttemptEnded { shard: shard.clone(), attempt, outcome: Box::new(outcome) };
            scene.facts.extend([starting, started, ended].map(|event| Fact::new(ago(seconds), event)));
            if attempt.0 < attempts {
                let event = Event::ShardQueued {
                    shard,
                    cause: QueueCause::Retry,
                    by: None,
                    not_before: None,
                    demand: Demand::default(),
                    edit: None,
                    step: None,
                };
                scene.facts.push(Fact::new(ago(seconds), event));
            }
        }
    }
    scene.write()
}

/// Four shards an hour in, of which one has said nothing for eight minutes after an episode each half second.
pub fn silent(folder: &Path) -> Scene {
    let names = ["act_goal_0", "act_goal_1", "act_goal_2", "act_goal_3"].map(str::to_owned);
    let mut scene = Scene::new(folder, "act_eval", &names, 3, 620);
    for (number, name) in names.iter().take(3).enumerate() {
        let until = if number == 2 { 480 } else { 1 };
        let done = if number == 2 { 240 } else { 500 + number as u64 };
        scene.start(name, 1, 602, None);
        scene.work(name, 1, (600, until), (done, 1200), 0.86);
    }
    scene.supervise();
    scene.write()
}

/// Three shards of which one ran out of the memory of its GPU, with the sentence of the allocator.
pub fn out_of_memory(folder: &Path) -> Scene {
    let names = ["act_goal_0", "act_goal_1", "act_goal_2"].map(str::to_owned);
    let mut scene = Scene::new(folder, "act_eval", &names, 2, 620);
    scene.start("act_goal_0", 1, 602, Some(0));
    scene.work("act_goal_0", 1, (600, 1), (120, 200), 0.86);
    scene.start("act_goal_2", 1, 602, Some(3));
    scene.work("act_goal_2", 1, (600, 300), (40, 200), 0.5);
    let line = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of \
                79.15 GiB of which 414.00 MiB is free.";
    let oom = failed(FailureReason::GpuOom, &format!("{line}, exit code 1"));
    let proof = Proof { line: 77, offset: 4000, text: line.to_owned() };
    let progress = Some(Progress { done: 40, total: Some(200) });
    let ended = Outcome { proof: Some(proof), progress, ..outcome(oom, 302, 9, 0.5) };
    scene.end("act_goal_2", 1, 299, ended);
    scene.supervise();
    scene.write()
}
