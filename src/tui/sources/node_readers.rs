//! Reads the telemetry of the nodes of a run, each on a thread of its own, so that a file server that hangs holds up
//! neither the screen nor the other nodes.

use std::io;

use super::periodic_reader::PeriodicReader;
use super::telemetry_reader::TelemetryReader;
use crate::model::sweep::node_spec::NodeId;
use crate::rundir::layout::RunDir;
use crate::tui::message::{MachineNews, Message};

/// The readers of all nodes.
#[derive(Debug, Default)]
pub struct NodeReaders(Vec<(NodeId, PeriodicReader<Vec<MachineNews>>)>);

impl NodeReaders {
    /// Begins to read nodes that are new, and reads those no longer that are not among these.
    pub fn follow<'a>(&mut self, run: &RunDir, nodes: impl Iterator<Item = &'a NodeId>) -> io::Result<()> {
        let nodes: Vec<&NodeId> = nodes.collect();
        self.0.retain(|(node, _)| nodes.contains(&node));
        for node in nodes {
            if self.0.iter().any(|(known, _)| known == node) {
                continue;
            }
            let mut reader = TelemetryReader::new(&run.node_dir(node));
            // The screen looks once a second by itself.
            let reader = PeriodicReader::start(format!("node {node}"), move || reader.read_news(), || {})?;
            self.0.push((node.clone(), reader));
        }
        Ok(())
    }

    /// Returns what has been read since the last call.
    pub fn take_news(&self) -> Vec<Message> {
        let of_node = |(node, reader): &(NodeId, PeriodicReader<Vec<MachineNews>>)| {
            let news: Vec<MachineNews> = reader.take_all().flatten().collect();
            to_messages(node, news)
        };
        self.0.iter().flat_map(of_node).collect()
    }
}

/// Reads these nodes once, and waits for each.
pub fn read_nodes<'a>(run: &RunDir, nodes: impl Iterator<Item = &'a NodeId>) -> Vec<Message> {
    nodes.flat_map(|node| to_messages(node, TelemetryReader::new(&run.node_dir(node)).read_news())).collect()
}

fn to_messages(node: &NodeId, news: Vec<MachineNews>) -> Vec<Message> {
    news.into_iter().map(|news| Message::Machine { node: Some(node.clone()), news }).collect()
}
