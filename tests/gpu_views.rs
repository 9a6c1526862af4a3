//! The dashboard and the monitor of machines with one to eight GPUs: at work, idle, at their power cap, too hot.

#![allow(clippy::unwrap_used, reason = "tests say by panicking what is wrong")]

mod scene;

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use scene::Scene;
use sweepdeck::model::ids::{AttemptNumber, GpuIndex, ShardId};
use sweepdeck::model::machine::sample::{GpuCard, GpuInventory, GpuSample, HostSample, ShardSample};
use sweepdeck::model::machine::throttle::{Throttle, ThrottleReason};
use sweepdeck::model::outcome::{ExitStatus, Failure, FailureReason, Outcome, Progress, Verdict};
use sweepdeck::model::units::Bytes;
use sweepdeck::tui::message::{MachineNews, Message};
use sweepdeck::tui::model::monitor::{MachineLook, Monitor};
use sweepdeck::tui::model::screen::Model;
use sweepdeck::tui::theme::color::Depth;
use sweepdeck::tui::theme::store;
use sweepdeck::tui::update::message::update;
use sweepdeck::tui::update::monitor::{apply_tick, handle_key, resize, update_machine};
use sweepdeck::tui::{once, svg};

const SIZES: [(u16, u16); 3] = [(200, 60), (120, 40), (80, 24)];

/// Readings are taken for so long.
const SECONDS: u64 = 150;

/// How a GPU fares.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Load {
    Idle,
    Busy,
    PowerCap,
    Hot,
    Silent,
}

/// One GPU at one moment; the readings are made up.
fn sample(gpu: u32, load: Load, seconds_ago: u64) -> GpuSample {
    let wave = ((seconds_ago as f64 + 9.0 * f64::from(gpu)) * 0.21).sin();
    let (busy, memory, watts, degrees, reason, throttled) = match load {
        Load::Idle => (0.0, 0.6, 71.0, 32.0, None, 0.0),
        Load::Busy => (72.0 + 14.0 * wave, 31.0 + f64::from(gpu) * 4.0, 430.0, 58.0, None, 0.0),
        Load::PowerCap => (98.0, 62.0 + f64::from(gpu), 697.0, 69.0, Some(ThrottleReason::PowerCap), 97.0),
        Load::Hot => (91.0, 70.0, 520.0, 86.0, Some(ThrottleReason::ThermalSlowdown), 61.0),
        Load::Silent => return GpuSample::unknown(GpuIndex(gpu), ago(seconds_ago)),
    };
    let noise = if load == Load::Idle { 0.0 } else { 3.0 * wave };
    GpuSample {
        vram_used_bytes: Some(Bytes((memory * 1024.0) as u64 * (1 << 20))),
        vram_total_bytes: Some(Bytes(81_559 << 20)),
        utilization_percent: Some((busy + noise).clamp(0.0, 100.0)),
        power_w: Some(watts + noise),
        power_cap_w: Some(700.0),
        temperature_c: Some(degrees + noise / 3.0),
        clock_sm_mhz: Some(1755.0),
        clock_memory_mhz: Some(2619.0),
        throttle: Some(reason.into_iter().collect::<Throttle>()),
        throttled_percent: Some(throttled),
        ..GpuSample::unknown(GpuIndex(gpu), ago(seconds_ago))
    }
}

fn host(seconds_ago: u64) -> HostSample {
    HostSample {
        timestamp: ago(seconds_ago),
        cpu_percent: Some(46.0 + 8.0 * (seconds_ago as f64 * 0.3).sin()),
        cores: 64,
        ram_used_bytes: Some(Bytes(188 << 30)),
        ram_total_bytes: Some(Bytes(503 << 30)),
        load_1m: Some(21.4),
        ..HostSample::unknown(Timestamp::UNIX_EPOCH)
    }
}

fn ago(seconds: u64) -> Timestamp {
    scene::now() - Duration::from_secs(seconds)
}

fn inventory(count: usize) -> GpuInventory {
    let cards = (0..count as u32).map(|index| GpuCard {
        name: "NVIDIA H100 80GB HBM3".to_owned(),
        vram_total: Some(Bytes(81_559 << 20)),
        slowdown_c: Some(87),
        ..GpuCard::unknown(GpuIndex(index))
    });
    GpuInventory::Present { driver: "570.86".to_owned(), cards: cards.collect() }
}

fn succeeded(seconds: u64) -> Outcome {
    Outcome {
        exit: Some(ExitStatus { raw: 0 }),
        elapsed: Some(Duration::from_secs(seconds)),
        progress: Some(Progress { done: 100, total: Some(100) }),
        metrics: BTreeMap::from([("success_rate".to_owned(), 0.9)]),
        ..Outcome::of_verdict(Verdict::Succeeded)
    }
}

fn out_of_memory() -> Outcome {
    let message = "CUDA out of memory: tried to allocate 2.40 GiB on GPU 0".to_owned();
    let progress = Some(Progress { done: 37, total: Some(100) });
    let verdict = Verdict::Failed(Failure { reason: FailureReason::GpuOom, message });
    Outcome { exit: Some(ExitStatus { raw: 256 }), progress, verdict, ..succeeded(500) }
}

/// A sweep of 36 shards, a third of it done, on GPUs that fare like this; each that is not idle has a shard.
fn sweep(loads: &[Load], size: (u16, u16)) -> Model {
    let folder = tempfile::tempdir().unwrap();
    let policies = ["flat", "rough", "teacher", "student"];
    let names: Vec<String> =
        policies.iter().flat_map(|policy| (0..9).map(move |env| format!("env{env}_{policy}"))).collect();
    let mut scene = Scene::new(folder.path(), "h100_eval", &names, loads.len() as u32, 2880);
    for name in &names[..12] {
        scene.start(name, 1, 2800, Some(0));
        scene.work(name, 1, (2790, 1500), (100, 100), 0.9);
        scene.end(name, 1, 1490, succeeded(1310));
    }
    let running: Vec<(usize, &String)> = loads
        .iter()
        .enumerate()
        .filter(|(_, load)| **load != Load::Idle)
        .map(|(gpu, _)| gpu)
        .zip(&names[12..])
        .collect();
    for (gpu, name) in &running {
        scene.start(name, 1, 1480, Some(*gpu as u32));
        scene.work(name, 1, (1470, 3 + *gpu as u64), (40 + 5 * *gpu as u64, 100), 0.86);
    }
    let failed = &names[35];
    scene.start(failed, 1, 1200, Some(0));
    scene.work(failed, 1, (1190, 710), (37, 100), 0.86);
    scene.end(failed, 1, 700, out_of_memory());
    scene.supervise();
    let scene = scene.write();
    let mut model = once::read_model(&scene.run, size, scene::now(), TimeZone::UTC).unwrap();
    update(&mut model, MachineNews::Inventory(inventory(loads.len())).of_own_machine());
    let earlier = (SECONDS..1480).filter(|seconds| seconds % 10 == 0);
    for seconds in (0..SECONDS).chain(earlier).rev() {
        let samples = loads.iter().enumerate().map(|(gpu, load)| sample(gpu as u32, *load, seconds));
        update(&mut model, MachineNews::Gpus(samples.collect()).of_own_machine());
        update(&mut model, MachineNews::Host(vec![host(seconds)]).of_own_machine());
    }
    let shard = |(gpu, name): &(usize, &String)| {
        let memory = sample(*gpu as u32, loads[*gpu], 1).vram_used_bytes;
        let attempt = sweepdeck::model::ids::AttemptKey {
            shard: ShardId::new(name.as_str()).unwrap(),
            attempt: AttemptNumber(1),
        };
        ShardSample {
            cpu_percent: Some(104.0),
            rss_bytes: Some(Bytes(8_400 << 20)),
            vram_bytes: memory.map(|memory| Bytes(memory.0 - (600 << 20))),
            processes: 5,
            ..ShardSample::unknown(&attempt, ago(1))
        }
    };
    update(&mut model, MachineNews::Shards(running.iter().map(shard).collect()).of_own_machine());
    model
}

/// The same machine without the run.
fn machine(loads: &[Load], size: (u16, u16)) -> Monitor {
    let mut monitor = Monitor::new("h100-07".to_owned(), BTreeMap::new(), ago(SECONDS), TimeZone::UTC);
    resize(&mut monitor, size);
    for seconds in (0..SECONDS).rev() {
        let samples = loads.iter().enumerate().map(|(gpu, load)| sample(gpu as u32, *load, seconds));
        let look = MachineLook {
            inventory: Some(inventory(loads.len())),
            gpus: samples.collect(),
            health: Vec::new(),
            tenants: Vec::new(),
            host: host(seconds),
            cores: vec![40.0; 64],
            load: Some([21.4, 20.0, 18.5]),
        };
        update_machine(&mut monitor, look);
        apply_tick(&mut monitor, ago(seconds), 700);
    }
    monitor
}

fn screen(model: &Model) -> Buffer {
    once::draw_model(model, &store::load_or_default(None, Depth::None, false).0)
}

fn text(model: &Model) -> String {
    once::buffer_to_text(&screen(model))
}

fn key(model: &mut Model, c: char) {
    update(model, Message::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)));
}

/// The machines of the pictures.
fn machines() -> [(&'static str, Vec<Load>); 7] {
    use Load::{Busy, Hot, Idle, PowerCap, Silent};
    [
        ("one", vec![Busy]),
        ("two_hot", vec![Busy, Hot]),
        ("four_mixed", vec![Busy, Idle, PowerCap, Idle]),
        ("eight", vec![Busy; 8]),
        ("eight_mixed", vec![Idle, Busy, PowerCap, Idle, Hot, Busy, Busy, Silent]),
        ("eight_idle", vec![Idle; 8]),
        ("eight_at_power_cap", vec![PowerCap; 8]),
    ]
}

#[test]
fn the_first_frame_at_each_size() {
    for (name, loads) in machines() {
        for (columns, rows) in SIZES {
            let model = sweep(&loads, (columns, rows));
            insta::assert_snapshot!(format!("first_{name}_{columns}x{rows}"), text(&model));
        }
    }
}

#[test]
fn every_card_in_full_and_what_scrolling_hides() {
    for (columns, rows) in SIZES {
        let mut model = sweep(&machines()[4].1, (columns, rows));
        key(&mut model, '4');
        insta::assert_snapshot!(format!("cards_eight_mixed_{columns}x{rows}"), text(&model));
    }
}

#[test]
fn eight_gpus_are_bands_in_the_charts() {
    for (columns, rows) in SIZES {
        let mut model = sweep(&machines()[4].1, (columns, rows));
        key(&mut model, '3');
        insta::assert_snapshot!(format!("charts_eight_mixed_{columns}x{rows}"), text(&model));
    }
}

#[test]
fn throttling_that_lasts_hides_no_start_and_no_failure() {
    let mut model = sweep(&[Load::PowerCap; 8], (120, 40));
    key(&mut model, '3');
    let text = text(&model);
    let marks = text.lines().find(|line| line.contains("!!!")).unwrap();
    assert!(marks.contains("!►!") && marks.contains("!✗!"), "{marks}");
}

#[test]
fn what_scrolling_hides_is_counted_in_the_frame_and_covers_no_value() {
    let mut model = sweep(&[Load::Busy; 8], (120, 16));
    key(&mut model, '4');
    for rows in 16..60 {
        update(&mut model, Message::Resized(120, rows));
        let text = text(&model);
        for line in text.lines().filter(|line| line.contains(" below ")) {
            assert!(line.starts_with('╰'), "{text}");
        }
    }
}

#[test]
fn figures_of_a_card_are_never_replaced_by_what_is_wrong_with_it() {
    let mut monitor = machine(&[Load::Hot, Load::PowerCap, Load::Busy], (60, 24));
    let theme = store::load_or_default(None, Depth::None, false).0;
    for columns in 60..200 {
        resize(&mut monitor, (columns, 24));
        let text = once::buffer_to_text(&once::draw_monitor(&monitor, &theme));
        for (figure, tag) in [("70.0", "HOT"), ("63.0", "PWR")] {
            let row = text.lines().find(|line| line.contains(figure)).unwrap();
            let has_all = row.contains('%') && row.contains('W') && row.contains("°C") && row.contains(tag);
            assert!(has_all, "{columns}: {row}");
        }
    }
}

#[test]
fn the_monitor_of_eight_gpus() {
    for (columns, rows) in SIZES {
        for view in ['1', '4'] {
            let mut monitor = machine(&machines()[4].1, (columns, rows));
            handle_key(&mut monitor, KeyEvent::new(KeyCode::Char(view), KeyModifiers::NONE));
            let theme = store::load_or_default(None, Depth::None, false).0;
            let text = once::buffer_to_text(&once::draw_monitor(&monitor, &theme));
            insta::assert_snapshot!(format!("monitor_{view}_{columns}x{rows}"), text);
        }
    }
}

#[test]
#[ignore = "writes pictures to look at into target/"]
fn pictures() {
    let theme = store::load_or_default(None, Depth::True, false).0;
    for (name, loads) in machines() {
        for view in ['1', '3', '4'] {
            let mut model = sweep(&loads, (120, 40));
            key(&mut model, view);
            let picture = svg::buffer_to_svg(&once::draw_model(&model, &theme), theme.ground);
            std::fs::write(format!("target/gpus-{name}-{view}.svg"), picture).unwrap();
        }
    }
}
