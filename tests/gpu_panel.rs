//! The GPU pane of machines in trouble: silent, lost, held back, used from elsewhere.

#![expect(clippy::unwrap_used, reason = "a scene that cannot be shown is a failed test")]

mod scene;

use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use sweepdeck::model::ids::GpuIndex;
use sweepdeck::model::machine::gpu_health::{GpuFault, GpuFaultKind, GpuHealth};
use sweepdeck::model::machine::sample::{GpuCard, GpuInventory, GpuSample};
use sweepdeck::model::machine::throttle::ThrottleReason;
use sweepdeck::tui::message::{MachineNews, Message};
use sweepdeck::tui::model::screen::Model;
use sweepdeck::tui::once;
use sweepdeck::tui::theme::color::Depth;
use sweepdeck::tui::theme::store;
use sweepdeck::tui::update::message::update;

fn ago(seconds: u64) -> Timestamp {
    scene::now() - Duration::from_secs(seconds)
}

fn open(size: (u16, u16)) -> Model {
    let folder = tempfile::tempdir().unwrap();
    once::read_model(&scene::busy(folder.path()).run, size, scene::now(), TimeZone::UTC).unwrap()
}

/// The pane alone, cut out of the screen.
fn pane(model: &Model) -> String {
    let (theme, _) = store::load_or_default(None, Depth::None, false);
    let screen = once::buffer_to_text(&once::draw_model(model, &theme));
    let lines: Vec<Vec<char>> = screen.lines().map(|line| line.chars().collect()).collect();
    let title: Vec<char> = "╭ GPU".chars().collect();
    let corner = |line: &Vec<char>| line.windows(title.len()).position(|part| part == title);
    let top = lines.iter().position(|line| corner(line).is_some()).unwrap();
    let left = corner(&lines[top]).unwrap();
    let rows = lines[top..].iter().map(|line| line[left..].iter().collect::<String>());
    let mut pane = Vec::new();
    for row in rows {
        let is_last = row.starts_with('╰');
        pane.push(row);
        if is_last {
            break;
        }
    }
    pane.join("\n")
}

fn fault(kind: GpuFaultKind, since: u64, count: u64) -> GpuFault {
    GpuFault { kind, since: ago(since), last: ago(since), count }
}

fn health(model: &mut Model, faults: Vec<(u32, GpuFault)>) {
    let health = |(gpu, fault)| GpuHealth { gpu: GpuIndex(gpu), faults: vec![fault] };
    update(model, MachineNews::Health(faults.into_iter().map(health).collect()).of_own_machine());
}

/// The newest readings, changed.
fn sample(model: &mut Model, gpu: u32, change: impl Fn(&mut GpuSample)) {
    model.machine.gpus.get_mut(&GpuIndex(gpu)).unwrap().iter_mut().for_each(change);
}

#[test]
fn a_gpu_that_stopped_answering_is_stale_with_its_age_beside_one_that_goes_on() {
    let mut model = open((120, 40));
    model.machine.gpus.get_mut(&GpuIndex(0)).unwrap().retain(|sample| sample.timestamp < ago(40));
    health(&mut model, vec![(0, fault(GpuFaultKind::Silent, 40, 1))]);
    insta::assert_snapshot!(pane(&model));
}

#[test]
fn a_lost_gpu_and_one_with_an_xid_say_so() {
    let mut model = open((120, 40));
    sample(&mut model, 0, |sample| *sample = GpuSample::unknown(sample.gpu, sample.timestamp));
    let xid = fault(GpuFaultKind::Xid { code: 31 }, 130, 3);
    health(&mut model, vec![(0, fault(GpuFaultKind::Lost, 20, 1)), (1, xid)]);
    insta::assert_snapshot!(pane(&model));
}

#[test]
fn a_gpu_that_is_held_back_says_how_much_and_why() {
    let mut model = open((120, 40));
    sample(&mut model, 0, |sample| {
        sample.throttle = Some([ThrottleReason::PowerCap].into_iter().collect());
        sample.throttled_percent = Some(34.0);
        sample.outside_processes = Some(2);
    });
    sample(&mut model, 1, |sample| {
        sample.throttle = Some([ThrottleReason::ThermalSlowdown].into_iter().collect());
        sample.throttled_percent = Some(0.4);
    });
    insta::assert_snapshot!(pane(&model));
}

/// A machine of so many GPUs, one lost and one held back.
fn many(size: (u16, u16), count: u32) -> Model {
    let mut model = open(size);
    let cards = (0..count).map(|index| GpuCard {
        name: "NVIDIA H100 80GB HBM3".to_owned(),
        slowdown_c: Some(87),
        ..GpuCard::unknown(GpuIndex(index))
    });
    let inventory = GpuInventory::Present { driver: "570.86".to_owned(), cards: cards.collect() };
    update(&mut model, MachineNews::Inventory(inventory).of_own_machine());
    let first = model.machine.gpus[&GpuIndex(0)].back().unwrap().clone();
    let samples = (0..count).map(|index| GpuSample { gpu: GpuIndex(index), ..first.clone() });
    update(&mut model, MachineNews::Gpus(samples.collect()).of_own_machine());
    health(&mut model, vec![(1, fault(GpuFaultKind::Lost, 20, 1))]);
    sample(&mut model, 2, |sample| {
        sample.throttle = Some([ThrottleReason::PowerBrake].into_iter().collect());
        sample.throttled_percent = Some(100.0);
    });
    model
}

#[test]
fn four_gpus_have_two_lines_each() {
    insta::assert_snapshot!(pane(&many((120, 40), 4)));
}

#[test]
fn eight_gpus_have_one_line_each() {
    insta::assert_snapshot!(pane(&many((120, 40), 8)));
}

#[test]
fn the_details_of_a_shard_say_in_full_what_is_wrong_with_its_gpu() {
    let mut model = open((120, 40));
    health(&mut model, vec![(0, fault(GpuFaultKind::Lost, 20, 1)), (1, fault(GpuFaultKind::Mig, 20, 1))]);
    model.table.select_shard(4);
    update(&mut model, Message::Key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE)));
    let (theme, _) = store::load_or_default(None, Depth::None, false);
    let screen = once::buffer_to_text(&once::draw_model(&model, &theme));
    assert!(screen.contains("13:59:40 GPU 0 is lost: it fell off the bus; only a restart"), "{screen}");
    assert!(!screen.contains("GPU 1 is in MIG mode"), "the other GPU is not its own: {screen}");
}
