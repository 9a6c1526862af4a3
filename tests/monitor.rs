//! The monitor: what it shows of several machines at several sizes, what its keys do, and no panic at any size.

#![expect(clippy::unwrap_used, reason = "tests say by panicking what is wrong")]

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use sweepdeck::model::ids::GpuIndex;
use sweepdeck::model::machine::gpu_health::{GpuFault, GpuFaultKind, GpuHealth};
use sweepdeck::model::machine::sample::{GpuCard, GpuInventory, GpuSample, HostSample};
use sweepdeck::model::machine::throttle::{Throttle, ThrottleReason};
use sweepdeck::model::units::Bytes;
use sweepdeck::tui::model::monitor::{GpuTenant, MachineLook, Monitor, MonitorView, Process, ShardOfRun};
use sweepdeck::tui::model::overlays::theme_chooser::{ThemeChooser, ThemeKind, ThemeLine, ThemeRequest};
use sweepdeck::tui::once;
use sweepdeck::tui::theme::color::Depth;
use sweepdeck::tui::theme::file::ThemeGround;
use sweepdeck::tui::theme::store;
use sweepdeck::tui::update::monitor::{MonitorRequest, apply_tick, handle_key, resize, update_machine};

const GIB: u64 = 1 << 30;

/// Readings are taken for so long.
const SECONDS: u32 = 60;

fn at(second: u32) -> Timestamp {
    Timestamp::from_second(1_795_000_000 + i64::from(second)).unwrap()
}

fn wave(second: u32, phase: u32) -> f64 {
    (f64::from(second + 7 * phase) / 6.0).sin().mul_add(0.5, 0.5)
}

fn sample(gpu: u32, second: u32) -> GpuSample {
    let busy = wave(second, gpu);
    GpuSample {
        vram_used_bytes: Some(Bytes((41 + u64::from(gpu)) * GIB)),
        vram_total_bytes: Some(Bytes(80 * GIB)),
        utilization_percent: Some((100.0 * busy).round()),
        power_w: Some(300.0 + 350.0 * busy),
        power_cap_w: Some(700.0),
        temperature_c: Some(50.0 + 30.0 * busy),
        clock_sm_mhz: Some(1755.0),
        clock_memory_mhz: Some(2619.0),
        throttle: Some(Throttle::default()),
        throttled_percent: Some(0.0),
        slowdown_margin_c: Some(37.0 - 30.0 * busy),
        ..GpuSample::unknown(GpuIndex(gpu), at(second))
    }
}

fn tenant(gpu: u32, pid: u32, gib: Option<u64>, process: Option<(u32, &str, Option<&str>)>) -> GpuTenant {
    let process = process.map(|(user, command, shard)| Process {
        user,
        command: command.to_owned(),
        shard: shard
            .map(|shard| ShardOfRun { run: "h100_eval_20261121".to_owned(), shard: shard.to_owned() }),
    });
    GpuTenant { gpu: GpuIndex(gpu), pid, held: gib.map(|gib| Bytes(gib * GIB)), process }
}

fn tenants() -> Vec<GpuTenant> {
    let shard = "python eval.py --headless --policy flat --env stairs --output_dir out";
    vec![
        tenant(0, 41_872, Some(2), Some((1000, shard, Some("stairs_flat")))),
        tenant(0, 41_873, Some(2), Some((1000, shard, Some("grass_flat")))),
        tenant(0, 3_201, Some(35), Some((1001, "/usr/bin/python3 -u train.py --config big.yaml", None))),
        tenant(0, 1_144, None, Some((0, "/usr/lib/xorg/Xorg :0", None))),
        tenant(1, 7, Some(40), None),
    ]
}

fn look(gpus: u32, second: u32) -> MachineLook {
    let card = |index| GpuCard {
        name: "NVIDIA H100 80GB HBM3".to_owned(),
        vram_total: Some(Bytes(80 * GIB)),
        slowdown_c: Some(87),
        ..GpuCard::unknown(GpuIndex(index))
    };
    let inventory = if gpus > 0 {
        GpuInventory::Present { driver: "570.86.10".to_owned(), cards: (0..gpus).map(card).collect() }
    } else {
        let reason = "no NVIDIA driver: libnvidia-ml.so.1 is not there".to_owned();
        GpuInventory::Absent { reason }
    };
    MachineLook {
        inventory: Some(inventory),
        gpus: (0..gpus).map(|gpu| sample(gpu, second)).collect(),
        health: Vec::new(),
        tenants: tenants().into_iter().filter(|tenant| tenant.gpu.0 < gpus).collect(),
        host: HostSample {
            timestamp: at(second),
            cpu_percent: Some(100.0 * wave(second, 3)),
            cores: 16,
            ram_used_bytes: Some(Bytes(97 * GIB)),
            ram_total_bytes: Some(Bytes(128 * GIB)),
            load_1m: Some(7.5),
            ..HostSample::unknown(Timestamp::UNIX_EPOCH)
        },
        cores: (0..16).map(|core| (100.0 * wave(second, core)).round()).collect(),
        load: Some([7.5, 6.25, 3.0]),
    }
}

fn machine(gpus: u32, size: (u16, u16)) -> Monitor {
    let users =
        BTreeMap::from([(0, "root".to_owned()), (1000, "ada".to_owned()), (1001, "grace".to_owned())]);
    let mut monitor = Monitor::new("lab7".to_owned(), users, at(0), TimeZone::UTC);
    resize(&mut monitor, size);
    for second in 0..SECONDS {
        update_machine(&mut monitor, look(gpus, second));
        apply_tick(&mut monitor, at(second), 700);
    }
    monitor
}

fn keys(monitor: &mut Monitor, keys: &str) -> Option<MonitorRequest> {
    let mut last = None;
    for c in keys.chars() {
        let code = match c {
            '\n' => KeyCode::Enter,
            '\t' => KeyCode::Tab,
            '\x1b' => KeyCode::Esc,
            c => KeyCode::Char(c),
        };
        last = handle_key(monitor, KeyEvent::new(code, KeyModifiers::NONE));
    }
    last
}

fn text(monitor: &Monitor) -> String {
    let (theme, _) = store::load_or_default(None, Depth::None, false);
    once::buffer_to_text(&once::draw_monitor(monitor, &theme))
}

fn shown(gpus: u32, size: (u16, u16), pressed: &str) -> String {
    let mut monitor = machine(gpus, size);
    keys(&mut monitor, pressed);
    text(&monitor)
}

#[test]
fn one_gpu_120x40() {
    insta::assert_snapshot!(shown(1, (120, 40), ""));
}

#[test]
fn eight_gpus_120x40() {
    insta::assert_snapshot!(shown(8, (120, 40), ""));
}

#[test]
fn eight_gpus_80x24() {
    insta::assert_snapshot!(shown(8, (80, 24), ""));
}

#[test]
fn eight_gpus_200x60() {
    insta::assert_snapshot!(shown(8, (200, 60), ""));
}

#[test]
fn two_gpus_60x15() {
    insta::assert_snapshot!(shown(2, (60, 15), ""));
}

#[test]
fn cards_in_full_120x40() {
    insta::assert_snapshot!(shown(2, (120, 40), "4"));
}

#[test]
fn cards_in_full_80x24() {
    insta::assert_snapshot!(shown(2, (80, 24), "4"));
}

#[test]
fn every_core_120x40() {
    insta::assert_snapshot!(shown(1, (120, 40), "2"));
}

#[test]
fn charts_80x24() {
    insta::assert_snapshot!(shown(2, (80, 24), "3"));
}

#[test]
fn no_driver_80x24() {
    insta::assert_snapshot!(shown(0, (80, 24), ""));
}

#[test]
fn the_help_80x24() {
    insta::assert_snapshot!(shown(1, (80, 24), "?"));
}

#[test]
fn a_gpu_that_is_lost_or_silent_is_told_and_keeps_no_figures_of_before() {
    let mut monitor = machine(2, (120, 40));
    let fault = |gpu, kind, since| GpuHealth {
        gpu: GpuIndex(gpu),
        faults: vec![GpuFault { kind, since: at(since), last: at(since), count: 1 }],
    };
    for second in SECONDS..SECONDS + 20 {
        let mut now = look(2, second);
        now.gpus = vec![GpuSample::unknown(GpuIndex(0), at(second)), sample(1, SECONDS - 1)];
        now.health = vec![fault(0, GpuFaultKind::Lost, SECONDS), fault(1, GpuFaultKind::Silent, SECONDS - 1)];
        update_machine(&mut monitor, now);
    }
    let overview = text(&monitor);
    assert!(overview.contains("LOST"), "{overview}");
    assert!(overview.contains("SILENT 20s"), "{overview}");
    keys(&mut monitor, "4");
    let cards = text(&monitor);
    assert!(cards.contains("lost: off the bus") && cards.contains("no answer for 20s"), "{cards}");
    assert!(cards.contains("—/80.0 GiB"), "nothing is known of the lost one: {cards}");
}

#[test]
fn readings_that_no_longer_come_are_told_with_their_age_in_every_view() {
    let mut monitor = machine(1, (120, 40));
    assert!(!text(&monitor).contains("stale"));
    apply_tick(&mut monitor, at(SECONDS - 1 + 42), 0);
    for view in ["1", "2", "3", "4"] {
        keys(&mut monitor, view);
        let shown = text(&monitor);
        assert!(shown.contains("stale: 42s old"), "{shown}");
    }
    // One that was late is as old as it is.
    update_machine(&mut monitor, look(1, SECONDS + 1));
    assert!(text(&monitor).contains("stale: 40s old"), "{}", text(&monitor));
    update_machine(&mut monitor, look(1, SECONDS + 42));
    assert!(!text(&monitor).contains("stale"));
}

#[test]
fn a_gpu_that_is_held_back_says_why() {
    let mut monitor = machine(1, (120, 40));
    let mut now = look(1, SECONDS);
    now.gpus[0].throttle = Some([ThrottleReason::PowerCap].into_iter().collect());
    now.gpus[0].throttled_percent = Some(60.0);
    update_machine(&mut monitor, now);
    keys(&mut monitor, "4");
    let cards = text(&monitor);
    assert!(cards.contains("throttled: power cap"), "{cards}");
    assert!(cards.contains("PWR 1%"), "{cards}");
}

#[test]
fn more_processes_than_lines_share_the_last_and_all_of_them_can_be_scrolled_to() {
    let mut monitor = machine(1, (120, 40));
    let mut now = look(1, SECONDS);
    let process = |pid: u32| {
        Some((1000, format!("python worker{pid}.py"))).map(move |(user, command)| Process {
            user,
            command,
            shard: None,
        })
    };
    now.tenants = (1..=60)
        .map(|pid| GpuTenant {
            gpu: GpuIndex(0),
            pid,
            held: Some(Bytes(u64::from(pid) << 20)),
            process: process(pid),
        })
        .collect();
    update_machine(&mut monitor, now);
    let overview = text(&monitor);
    assert!(overview.contains("Processes 60") && overview.contains("worker60.py"), "{overview}");
    assert!(!overview.contains("worker1.py"), "{overview}");
    keys(&mut monitor, "G");
    assert!(text(&monitor).contains("worker1.py"), "{}", text(&monitor));
    keys(&mut monitor, "4");
    let cards = text(&monitor);
    assert!(cards.contains("worker60.py") && cards.contains(" more "), "{cards}");
    assert!(cards.contains("not listed"), "{cards}");
}

#[test]
fn keys_turn_views_scroll_and_leave() {
    let mut monitor = machine(8, (80, 24));
    assert_eq!(keys(&mut monitor, "\t"), None);
    assert_eq!(monitor.view, MonitorView::Host);
    assert_eq!(keys(&mut monitor, ":each card\n"), None);
    assert_eq!(monitor.view, MonitorView::Gpus);
    keys(&mut monitor, "Q");
    assert!(text(&monitor).contains("Q does nothing here; ? lists the keys"), "{}", text(&monitor));
    keys(&mut monitor, "jjjk");
    assert!(text(&monitor).contains(" 2 above, 4 below ─╯"), "{}", text(&monitor));
    assert_eq!(monitor.hidden_count(), 2);
    keys(&mut monitor, "G");
    assert_eq!(monitor.hidden_count(), 7, "the last card stays to be seen");
    keys(&mut monitor, "\x1b");
    assert_eq!(
        (monitor.view, monitor.hidden_count()),
        (MonitorView::Overview, 0),
        "each view scrolls on its own"
    );
    assert_eq!(keys(&mut monitor, "?q"), None, "q closes the help first");
    assert_eq!(keys(&mut monitor, "t"), Some(MonitorRequest::Theme(ThemeRequest::List)));
    assert_eq!(keys(&mut monitor, "q"), Some(MonitorRequest::Leave));
    let control = handle_key(&mut monitor, KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
    assert_eq!(control, Some(MonitorRequest::Leave));
}

#[test]
fn what_lies_on_top_and_cannot_be_seen_takes_no_keys() {
    let kind = Ok(ThemeKind { ground: ThemeGround::Dark, pair: None });
    let line = |name: &str| ThemeLine { name: name.to_owned(), is_own: false, kind: kind.clone() };
    let mut monitor = machine(2, (80, 24));
    monitor.themes = Some(ThemeChooser::new(vec![line("dark"), line("night")], "dark"));
    keys(&mut monitor, "j");
    resize(&mut monitor, (30, 5));
    let shown = MonitorRequest::Theme(ThemeRequest::Show("dark".to_owned()));
    let enter = handle_key(&mut monitor, KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE));
    assert_eq!((enter, &monitor.themes), (Some(shown), &None), "it is not kept");
    assert_eq!(keys(&mut monitor, "t?"), None);
    assert_eq!(monitor.help, None);
    monitor.help = Some(3);
    assert_eq!(keys(&mut monitor, "q"), Some(MonitorRequest::Leave));
}

#[test]
fn a_list_that_became_shorter_is_not_scrolled_beyond_its_end() {
    let mut monitor = machine(2, (80, 24));
    keys(&mut monitor, "G");
    let mut now = look(2, SECONDS);
    now.tenants.truncate(1);
    update_machine(&mut monitor, now);
    assert!(text(&monitor).contains("stairs_flat"), "{}", text(&monitor));
}

#[test]
fn ascii_is_all_ascii_and_the_first_frame_knows_nothing() {
    let (theme, _) = store::load_or_default(None, Depth::None, true);
    for pressed in ["1", "2", "3", "4", "?"] {
        let mut monitor = machine(2, (120, 40));
        keys(&mut monitor, pressed);
        let drawn = once::buffer_to_text(&once::draw_monitor(&monitor, &theme));
        assert!(drawn.is_ascii(), "{drawn}");
    }
    let mut monitor = Monitor::new("lab7".to_owned(), BTreeMap::new(), at(0), TimeZone::UTC);
    resize(&mut monitor, (120, 40));
    for pressed in ["1", "2", "3", "4"] {
        keys(&mut monitor, pressed);
        let drawn = text(&monitor);
        assert!(!drawn.contains("0%") && !drawn.contains("0.0"), "nothing is known yet: {drawn}");
    }
}

#[test]
fn no_size_makes_it_panic() {
    for gpus in [0, 1, 8] {
        let mut monitor = machine(gpus, (80, 24));
        monitor.cores = vec![50.0; 192];
        for columns in [1, 2, 5, 12, 36, 40, 60, 80, 160, 300] {
            for rows in [1, 2, 3, 5, 7, 8, 11, 15, 24, 100] {
                resize(&mut monitor, (columns, rows));
                for pressed in ["1", "2", "G", "3", "4", "?", "?"] {
                    keys(&mut monitor, pressed);
                    text(&monitor);
                }
            }
        }
    }
}
