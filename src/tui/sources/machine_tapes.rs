//! The telemetry of a machine, played as a live run would give it.

use std::time::Duration;

use jiff::Timestamp;

use super::tape::Tape;
use crate::model::machine::sample::{GpuSample, HostSample, ShardSample};
use crate::model::nodes::node_event::NodeEvent;
use crate::model::state::fact::{Event, Fact};
use crate::model::sweep::node_spec::{NodeId, NodeSpec};
use crate::model::units::duration_between;
use crate::rundir::layout::RunDir;
use crate::rundir::telemetry;
use crate::tui::message::{MachineNews, Message};

/// Length of the past that is given reading by reading, as long as the histories show.
const RECENT: Duration = Duration::from_secs(240);

/// The telemetry files of a machine.
#[derive(Debug)]
pub struct MachineTapes {
    /// The node that it is; none for the machine of the run.
    node: Option<NodeId>,
    run: RunDir,
    gpus: Tape<GpuSample>,
    host: Tape<HostSample>,
    shards: Tape<ShardSample>,
}

impl MachineTapes {
    /// The files of the machine of a run and of its nodes, those too that took the place of others.
    pub fn of_run(run: &RunDir, nodes: &[NodeSpec], facts: &[Fact]) -> Vec<Self> {
        let further = facts.iter().filter_map(|fact| {
            let Event::Node(event) = &fact.event else { return None };
            let NodeEvent::GivenUp { next, .. } = &**event else { return None };
            Some(next)
        });
        let nodes = nodes.iter().map(|node| &node.id).chain(further);
        let of_node = |node: &NodeId| Self::new(Some(node.clone()), run.node_dir(node));
        std::iter::once(Self::new(None, run.clone())).chain(nodes.map(of_node)).collect()
    }

    fn new(node: Option<NodeId>, run: RunDir) -> Self {
        Self {
            node,
            gpus: Tape::new(run.gpu_metrics(), |row| row.timestamp),
            host: Tape::new(run.host_metrics(), |row| row.timestamp),
            shards: Tape::new(run.shard_metrics(), |row| row.timestamp),
            run,
        }
    }

    /// The GPUs of the machine.
    pub fn read_inventory(&self) -> Option<Message> {
        let inventory = telemetry::read_inventory(&self.run).ok().flatten()?;
        Some(self.message(MachineNews::Inventory(inventory)))
    }

    /// What was measured between these moments; what is long before the second one in parts only.
    pub fn play_between(&mut self, known: Timestamp, to: Timestamp) -> Vec<Message> {
        let mut news = Vec::new();
        if duration_between(known, to) > RECENT {
            let recent = to.checked_sub(RECENT).unwrap_or(Timestamp::MIN);
            let (gpus, host) =
                (self.gpus.sample_between(known, recent), self.host.sample_between(known, recent));
            news.push(MachineNews::Past { gpus, host });
            self.gpus.turn_to(recent);
            self.host.turn_to(recent);
            self.shards.turn_to(recent);
        }
        news.push(MachineNews::Gpus(self.gpus.up_to(to)));
        news.push(MachineNews::Host(self.host.up_to(to)));
        news.push(MachineNews::Shards(self.shards.up_to(to)));
        news.into_iter().map(|news| self.message(news)).collect()
    }

    fn message(&self, news: MachineNews) -> Message {
        Message::Machine { node: self.node.clone(), news }
    }
}
