//! A long run on disk, written with the same code as real ones: many shards in slots of two GPUs, telemetry each second.

#![allow(dead_code, reason = "each binary uses its part")]
#![allow(clippy::unwrap_used, reason = "a run that cannot be written is a failed test")]

use std::path::Path;
use std::time::Duration;

use sweepdeck::model::ids::{AttemptKey, AttemptNumber, GpuIndex, ShardId};
use sweepdeck::model::machine::sample::{
    GpuCard, GpuInventory, GpuSample, HostSample, ShardSample, TelemetrySample,
};
use sweepdeck::model::outcome::{Failure, FailureReason, Metrics, Outcome, Peaks, Progress, Proof, Verdict};
use sweepdeck::model::units::Bytes;
use sweepdeck::rundir::layout::RunDir;
use sweepdeck::rundir::telemetry::{TelemetryWriter, write_inventory};

use super::scene::{Scene, now};

/// How large a run is.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    pub shards: usize,
    pub slots: usize,
    pub seconds: u64,
}

/// Writes the run. Every 17th shard fails, with a message that tries to become markup.
pub fn write(folder: &Path, size: Size) -> RunDir {
    let names: Vec<String> =
        (0..size.shards).map(|number| format!("<b>{:03}_p{}", number / 4, number % 4)).collect();
    let mut scene = Scene::new(folder, "long", &names, size.slots as u32, size.seconds);
    let length = size.seconds * size.slots as u64 / size.shards as u64;
    for (number, name) in names.iter().enumerate() {
        let started = size.seconds - (number / size.slots) as u64 * length;
        let gpu = Some((number % size.slots % 2) as u32);
        let ended = started.saturating_sub(length - 1);
        scene.start(name, 1, started, gpu);
        scene.end(name, 1, ended, outcome(number, length - 1));
        scene.work(name, 1, (started, ended), (50, 50), 0.8);
    }
    let cards = [0, 1].map(|index| GpuCard {
        vram_total: Some(Bytes(80 << 30)),
        slowdown_c: Some(87),
        ..GpuCard::unknown(GpuIndex(index))
    });
    write_inventory(&scene.run, &GpuInventory::Present { driver: "550".to_owned(), cards: cards.to_vec() })
        .unwrap();
    telemetry(&scene.run, &names, size, length);
    scene.write().run
}

fn outcome(number: usize, seconds: u64) -> Outcome {
    let failed = number % 17 == 3;
    let hostile = "</title></svg><script>alert(\"x\")</script>\x1b[2J\u{202e}";
    let successes = (10 + number % 4 * 12) as f64;
    Outcome {
        verdict: if failed {
            Verdict::Failed(Failure { reason: FailureReason::Exception, message: hostile.to_owned() })
        } else {
            Verdict::Succeeded
        },
        exit: None,
        elapsed: Some(Duration::from_secs(seconds)),
        paused: Duration::ZERO,
        loading: None,
        closing: None,
        unit: None,
        progress: Some(Progress { done: 50, total: Some(50) }),
        metrics: Metrics::from([("episodes".to_owned(), 50.0), ("successes".to_owned(), successes)]),
        peaks: Peaks { vram: Some(Bytes(9 << 30)), power_w: Some(410.0), ..Peaks::default() },
        proof: Some(Proof { line: 50, offset: 0, text: format!("Episode 50/50 {hostile}") }),
        memory_holders: Vec::new(),
        patterns: Vec::new(),
        episodes: None,
        warnings: if number.is_multiple_of(9) { vec![hostile.to_owned()] } else { Vec::new() },
    }
}

fn telemetry(run: &RunDir, names: &[String], size: Size, length: u64) {
    let mut writer = TelemetryWriter::open(run, |text| panic!("{text}"));
    let keys: Vec<AttemptKey> = names
        .iter()
        .map(|name| AttemptKey { shard: ShardId::new(name.as_str()).unwrap(), attempt: AttemptNumber::FIRST })
        .collect();
    for second in 0..size.seconds {
        let at = now() - Duration::from_secs(size.seconds - second);
        let wave = (second as f64 / 300.0).sin();
        let gpu = |index: u32| GpuSample {
            vram_used_bytes: Some(Bytes((41 << 30) + ((wave * 2e9) as i64).unsigned_abs())),
            vram_total_bytes: Some(Bytes(80 << 30)),
            utilization_percent: Some(70.0 + 25.0 * wave),
            power_w: Some(420.0 + 200.0 * wave + f64::from(index) * 30.0 + (second % 7) as f64),
            power_cap_w: Some(700.0),
            temperature_c: Some((62.0 + 12.0 * wave).round()),
            throttled_percent: Some(if second % 600 < 20 { 40.0 } else { 0.0 }),
            energy_j: Some(second as f64 * 420.0),
            ..GpuSample::unknown(GpuIndex(index), at)
        };
        let round = (second / length) as usize * size.slots;
        let running = keys.iter().skip(round).take(size.slots).enumerate();
        let shards = running.map(|(slot, key)| {
            let filled = (second % length) as f64 / length as f64;
            ShardSample {
                cpu_percent: Some(180.0),
                rss_bytes: Some(Bytes(6 << 30)),
                vram_bytes: Some(Bytes((4 << 30) + (slot as u64 + 1) * ((filled.min(0.3) * 4e9) as u64))),
                processes: 5,
                ..ShardSample::unknown(key, at)
            }
        });
        let host = HostSample {
            timestamp: at,
            cpu_percent: Some(55.0 + 20.0 * wave),
            cores: 64,
            ram_used_bytes: Some(Bytes((120 << 30) + second * 100_000)),
            ram_total_bytes: Some(Bytes(512 << 30)),
            load_1m: Some(30.0),
            ..HostSample::unknown(jiff::Timestamp::UNIX_EPOCH)
        };
        let round =
            TelemetrySample { shards: shards.collect(), gpus: vec![gpu(0), gpu(1)], host: Some(host) };
        writer.append_round(&round).unwrap();
    }
}
