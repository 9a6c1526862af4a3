//! The dashboard of a run whose shards are on several machines.

#![allow(clippy::unwrap_used, reason = "tests say by panicking what is wrong")]

mod scene;

use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use scene::Scene;
use scene::nodes::{self, tell_of};
use sweepdeck::model::ids::{AttemptKey, AttemptNumber, GpuIndex, ShardId};
use sweepdeck::model::machine::allocation::Allocation;
use sweepdeck::model::machine::sample::{GpuCard, GpuInventory, ShardSample};
use sweepdeck::model::nodes::node_phase::NodePhase;
use sweepdeck::model::outcome::Verdict;
use sweepdeck::model::state::fact::Event;
use sweepdeck::model::sweep::node_spec::{NodeId, NodeReach, NodeSpec};
use sweepdeck::model::units::Bytes;
use sweepdeck::tui::message::{MachineNews, Message};
use sweepdeck::tui::model::screen::Model;
use sweepdeck::tui::model::views::View;
use sweepdeck::tui::once;
use sweepdeck::tui::theme::color::Depth;
use sweepdeck::tui::theme::store;
use sweepdeck::tui::update::message::update;

const SIZES: [(u16, u16); 3] = [(160, 50), (120, 40), (80, 24)];

/// Readings are taken for so long.
const SECONDS: u64 = 150;

const NODES: [&str; 4] = ["gpu1", "gpu2", "gpu3", "a100-rack7"];

fn ago(seconds: u64) -> Timestamp {
    scene::now() - Duration::from_secs(seconds)
}

fn names() -> Vec<String> {
    let policies = ["flat", "rough", "teacher"];
    policies.iter().flat_map(|policy| (0..4).map(move |env| format!("env{env}_{policy}"))).collect()
}

/// Twelve shards on four machines: two are at work, one is silent and one does not answer.
fn spread(folder: &Path) -> Scene {
    let names = names();
    let mut scene = Scene::with_nodes(folder, "h100_eval", &names, nodes::specs(NODES), 2, 2880);
    for (name, from) in [("gpu1", 2870), ("gpu2", 2860), ("gpu3", 2850)] {
        scene.stand(name, from, NodePhase::Up);
    }
    let reason = "ssh: connect to host a100-rack7 port 22: Connection timed out".to_owned();
    scene.stand("a100-rack7", 2800, NodePhase::Unreachable { reason });
    let of = |positions: &[usize]| positions.iter().map(|at| &names[*at]).collect::<Vec<_>>();
    scene.deal("gpu1", 2865, &of(&[0, 1, 2, 3]));
    scene.deal("gpu2", 2855, &of(&[4, 5, 6]));
    scene.deal("gpu3", 2845, &of(&[7]));
    for (at, gpu) in [(0, 0), (4, 1)] {
        scene.start(&names[at], 1, 2840, Some(gpu));
        scene.work(&names[at], 1, (2800, 1500), (100, 100), 0.9);
        scene.end(&names[at], 1, 1490, scene::outcome(Verdict::Succeeded, 1350, 100, 0.9));
    }
    for (at, gpu) in [(1, 0), (2, 1), (5, 0), (6, 1), (7, 0)] {
        scene.start(&names[at], 1, 1480, Some(gpu));
        scene.work(&names[at], 1, (1470, 3 + at as u64), (30 + 5 * at as u64, 100), 0.86);
    }
    scene.stand("gpu3", 190, NodePhase::Silent);
    scene.supervise();
    scene.write()
}

/// The dashboard of that run; the silent node was last read when it fell silent.
fn open(scene: &Scene, size: (u16, u16)) -> Model {
    let mut model = once::read_model(&scene.run, size, scene::now(), TimeZone::UTC).unwrap();
    for (machine, (name, until)) in (0..).zip([("gpu1", 0), ("gpu2", 0), ("gpu3", 190)]) {
        nodes::read_machine(&mut model, name, machine, 2, until..until + SECONDS);
    }
    for (at, name) in [(1, "gpu1"), (2, "gpu1"), (5, "gpu2"), (6, "gpu2")] {
        let key =
            AttemptKey { shard: ShardId::new(names()[at].as_str()).unwrap(), attempt: AttemptNumber(1) };
        let sample = ShardSample {
            cpu_percent: Some(104.0),
            rss_bytes: Some(Bytes(8_400 << 20)),
            vram_bytes: Some(Bytes(30 << 30)),
            processes: 5,
            ..ShardSample::unknown(&key, ago(1))
        };
        tell_of(&mut model, name, MachineNews::Shards(vec![sample]));
    }
    // The machine of the run has a card that no shard is on.
    let own = GpuInventory::Present {
        driver: "470.1".to_owned(),
        cards: vec![GpuCard { name: "login card".to_owned(), ..GpuCard::unknown(GpuIndex(0)) }],
    };
    update(&mut model, MachineNews::Inventory(own).of_own_machine());
    update(&mut model, MachineNews::Host(vec![nodes::host(0, 0)]).of_own_machine());
    model
}

fn text(model: &Model) -> String {
    once::buffer_to_text(&once::draw_model(model, &store::load_or_default(None, Depth::None, false).0))
}

fn key(model: &mut Model, c: char) {
    update(model, Message::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)));
}

#[test]
fn each_view_shows_the_machines_of_the_nodes() {
    let folder = tempfile::tempdir().unwrap();
    let scene = spread(folder.path());
    for (columns, rows) in SIZES {
        for (view, name) in [('1', "shards"), ('3', "charts"), ('4', "gpus"), ('7', "nodes")] {
            let mut model = open(&scene, (columns, rows));
            key(&mut model, view);
            let text = text(&model);
            assert!(!text.contains("login card"), "{text}");
            insta::assert_snapshot!(format!("{name}_{columns}x{rows}"), text);
        }
    }
}

#[test]
fn nodes_without_room_are_counted_and_reached() {
    let folder = tempfile::tempdir().unwrap();
    let scene = spread(folder.path());
    let mut model = open(&scene, (80, 16));
    key(&mut model, '7');
    assert!(text(&model).contains("below") && text(&model).contains("gpu1"), "{}", text(&model));
    (0..9).for_each(|_| key(&mut model, 'j'));
    let last = text(&model);
    assert!(last.contains("a100-rack7") && last.contains("3 above"), "{last}");
}

#[test]
fn the_table_sorts_by_node_and_the_details_name_it() {
    let folder = tempfile::tempdir().unwrap();
    let scene = spread(folder.path());
    let mut model = open(&scene, (160, 50));
    let column = sweepdeck::tui::model::shards::column::ShardColumn::Node;
    model.table.sort = Some(sweepdeck::tui::model::shards::table::Sort { column, reversed: true });
    model.refresh_table();
    let order: Vec<&str> = model
        .table
        .rows
        .iter()
        .filter_map(|row| model.state.shards[*row].node.as_ref())
        .map(NodeId::as_str)
        .collect();
    assert_eq!(order, ["gpu3", "gpu2", "gpu2", "gpu2", "gpu1", "gpu1", "gpu1", "gpu1"]);
    update(&mut model, Message::Key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE)));
    assert!(text(&model).contains("node        gpu1"), "{}", text(&model));
}

#[test]
fn one_node_needs_no_column() {
    let folder = tempfile::tempdir().unwrap();
    let scene = Scene::with_nodes(folder.path(), "one", &names(), nodes::specs(["gpu1"]), 2, 2880).write();
    let model = once::read_model(&scene.run, (160, 50), scene::now(), TimeZone::UTC).unwrap();
    let text = text(&model);
    let headings = text.lines().find(|line| line.contains("shard ") && line.contains("progress")).unwrap();
    assert!(!headings.contains("node"), "{headings}");
    assert!(text.contains("no node is up yet"), "{text}");
}

#[test]
fn a_node_of_slurm_says_how_long_its_job_has_left_while_it_is_at_work() {
    let shown = |standing: NodePhase, size: (u16, u16)| {
        let folder = tempfile::tempdir().unwrap();
        let place =
            NodeSpec { reach: NodeReach::Slurm { sbatch: Vec::new() }, ..nodes::specs(["slurm1"]).remove(0) };
        let mut scene = Scene::with_nodes(folder.path(), "lent", &names(), vec![place], 2, 2880);
        scene.stand("slurm1", 2880, NodePhase::Waiting { reason: "Priority".to_owned() });
        scene.stand("slurm1", 2160, NodePhase::Up);
        let ends = Some(scene::now() + Duration::from_secs(12_000));
        let allocation = Some(Allocation { job: "17".to_owned(), ends });
        scene.forward("slurm1", 2150, Event::AllocationChanged { allocation });
        scene.stand("slurm1", 5, standing);
        let scene = scene.write();
        let mut model = once::read_model(&scene.run, size, scene::now(), TimeZone::UTC).unwrap();
        assert_eq!(model.state.allocation, None, "the run itself is in no job");
        key(&mut model, '7');
        text(&model)
    };
    for size in SIZES {
        let text = shown(NodePhase::Draining, size);
        assert!(text.contains("job 17 ends in 3h 20m, and waited 12m in the queue"), "{text}");
    }
    let text = shown(NodePhase::Gone { reason: "TIMEOUT".to_owned() }, SIZES[1]);
    assert!(text.contains("its job waited 12m in the queue") && !text.contains("job 17"), "{text}");
}

#[test]
fn a_run_without_nodes_has_no_view_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let scene = scene::busy(folder.path());
    let mut model = once::read_model(&scene.run, (120, 40), scene::now(), TimeZone::UTC).unwrap();
    key(&mut model, '7');
    assert_eq!(model.views.shown, View::Shards);
    assert!(
        text(&model).contains("7 does nothing here") && !text(&model).contains("Nodes"),
        "{}",
        text(&model)
    );
    key(&mut model, '[');
    assert_eq!(model.views.shown, View::Results, "the view before the first is the last");
    key(&mut model, '?');
    assert!(!text(&model).contains("the machines that take the shards"), "{}", text(&model));
}
