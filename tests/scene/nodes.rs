//! Runs whose shards are on several machines, and what is read of these machines.

use std::path::Path;

use sweepdeck::model::ids::{GpuIndex, ShardId};
use sweepdeck::model::machine::sample::{GpuCard, GpuInventory, GpuSample, HostSample};
use sweepdeck::model::machine::throttle::Throttle;
use sweepdeck::model::nodes::node_event::NodeEvent;
use sweepdeck::model::nodes::node_phase::{FactOrigin, NodePhase};
use sweepdeck::model::nodes::order::{DealtShard, ORDER_VERSION, Order, OrderNumber, OrderTask};
use sweepdeck::model::outcome::Verdict;
use sweepdeck::model::priority::Priority;
use sweepdeck::model::state::fact::{Event, Fact};
use sweepdeck::model::sweep::node_spec::{DEFAULT_LEASE, NodeId, NodeReach, NodeSpec};
use sweepdeck::model::units::Bytes;
use sweepdeck::tui::message::{MachineNews, Message};
use sweepdeck::tui::model::screen::Model;
use sweepdeck::tui::update::message::update;

use super::{Scene, ago, outcome};

pub fn node(name: &str) -> NodeId {
    NodeId::new(name).unwrap()
}

/// Machines of these names, reached by `ssh`.
pub fn specs<'names>(names: impl IntoIterator<Item = &'names str>) -> Vec<NodeSpec> {
    let spec = |name: &str| NodeSpec {
        id: node(name),
        reach: NodeReach::Ssh { host: name.to_owned() },
        devices: Vec::new(),
        lease: DEFAULT_LEASE,
    };
    names.into_iter().map(spec).collect()
}

impl Scene {
    /// A node is in this state from then on.
    pub fn stand(&mut self, name: &str, seconds_ago: u64, standing: NodePhase) {
        let event = NodeEvent::StandingChanged { node: node(name), standing };
        self.tell(seconds_ago, Event::Node(Box::new(event)));
    }

    /// An event of a node that the run has from its journal.
    pub fn forward(&mut self, name: &str, seconds_ago: u64, event: Event) {
        let origin = Some(FactOrigin { node: node(name), line: 1 });
        self.facts.push(Fact { origin, ..Fact::new(ago(seconds_ago), event) });
    }

    /// A node gets these shards.
    pub fn deal(&mut self, name: &str, seconds_ago: u64, shards: &[&String]) {
        let dealt = |shard: &&String| DealtShard {
            shard: ShardId::new(shard.as_str()).unwrap(),
            attempt: None,
            edit: Default::default(),
            priority: Priority::USUAL,
        };
        let shards = shards.iter().map(dealt).collect();
        let task = OrderTask::Deal { shards, grown: Vec::new(), splits: Vec::new() };
        let order = Order { version: ORDER_VERSION, number: OrderNumber(1), task };
        self.tell(seconds_ago, Event::Node(Box::new(NodeEvent::OrderGiven { node: node(name), order })));
    }
}

/// Shards that are dealt evenly to as many nodes, four at a time each: half of them are done.
pub fn many(folder: &Path, shards: usize, nodes: usize) -> Scene {
    let names: Vec<String> = (0..shards).map(|number| format!("env{number:05}_flat")).collect();
    let hosts: Vec<String> = (1..=nodes).map(|number| format!("gpu{number}")).collect();
    let places = specs(hosts.iter().map(String::as_str));
    let mut scene = Scene::with_nodes(folder, "many", &names, places, 4, 9_000);
    for (host, hand) in hosts.iter().zip(names.chunks(shards.div_ceil(nodes))) {
        scene.stand(host, 8_990, NodePhase::Up);
        scene.deal(host, 8_980, &hand.iter().collect::<Vec<_>>());
        for (number, shard) in (0_u64..).zip(&hand[..hand.len() / 2 + 4]) {
            let begun = 8_900 - 100 * (number / 4);
            scene.start(shard, 1, begun, Some(number as u32 % 4));
            if number < hand.len() as u64 / 2 {
                scene.end(shard, 1, begun - 95, outcome(Verdict::Succeeded, 95, 100, 0.9));
            }
        }
    }
    scene.supervise();
    scene.write()
}

/// A GPU of one of these machines at one moment; the readings are made up.
pub fn sample(machine: u64, gpu: u32, seconds_ago: u64) -> GpuSample {
    let wave = ((seconds_ago as f64 + 9.0 * f64::from(gpu) + 30.0 * machine as f64) * 0.21).sin();
    GpuSample {
        vram_used_bytes: Some(Bytes((31 + 8 * (machine % 4) + 4 * u64::from(gpu)) << 30)),
        vram_total_bytes: Some(Bytes(81_559 << 20)),
        utilization_percent: Some(72.0 + 14.0 * wave),
        power_w: Some(430.0 + 30.0 * wave),
        power_cap_w: Some(700.0),
        temperature_c: Some(58.0 + wave),
        throttle: Some(Throttle::default()),
        throttled_percent: Some(0.0),
        ..GpuSample::unknown(GpuIndex(gpu), ago(seconds_ago))
    }
}

pub fn host(machine: u64, seconds_ago: u64) -> HostSample {
    HostSample {
        timestamp: ago(seconds_ago),
        cpu_percent: Some(46.0 + 20.0 * (machine % 3) as f64 + 8.0 * (seconds_ago as f64 * 0.3).sin()),
        cores: 64,
        ram_used_bytes: Some(Bytes((188 + 20 * (machine % 3)) << 30)),
        ram_total_bytes: Some(Bytes(503 << 30)),
        ..HostSample::unknown(jiff::Timestamp::UNIX_EPOCH)
    }
}

fn inventory(gpus: u32) -> GpuInventory {
    let cards = (0..gpus).map(|index| GpuCard {
        name: "NVIDIA H100 80GB HBM3".to_owned(),
        vram_total: Some(Bytes(81_559 << 20)),
        slowdown_c: Some(87),
        ..GpuCard::unknown(GpuIndex(index))
    });
    GpuInventory::Present { driver: "570.86".to_owned(), cards: cards.collect() }
}

pub fn tell_of(model: &mut Model, name: &str, news: MachineNews) {
    update(model, Message::Machine { node: Some(node(name)), news });
}

/// The dashboard reads a machine with so many GPUs once a second, over these seconds before now.
pub fn read_machine(model: &mut Model, name: &str, machine: u64, gpus: u32, seconds: std::ops::Range<u64>) {
    tell_of(model, name, MachineNews::Inventory(inventory(gpus)));
    for seconds in seconds.rev() {
        let samples = (0..gpus).map(|gpu| sample(machine, gpu, seconds)).collect();
        tell_of(model, name, MachineNews::Gpus(samples));
        tell_of(model, name, MachineNews::Host(vec![host(machine, seconds)]));
    }
}
