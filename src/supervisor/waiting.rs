//! The file `waiting.json`: what queued shards are short of, for readers outside the supervisor.

use std::collections::BTreeMap;

use tracing::warn;

use crate::model::shortage::{ShortageReport, WAITING_VERSION, WaitingGroup};
use crate::model::sweep::node_spec::NodeId;
use crate::rundir::beneath::PathBeneath;
use crate::rundir::clock;
use crate::rundir::layout::RunDir;
use crate::rundir::records;

/// The file, written only when its content changes: it is no fact, and every second is often enough.
pub(super) struct WaitingFile {
    path: PathBeneath,
    own: Vec<WaitingGroup>,
    of_nodes: BTreeMap<NodeId, Vec<WaitingGroup>>,
    written: Option<Vec<WaitingGroup>>,
}

impl WaitingFile {
    /// The file of a run; what an earlier supervisor left in it is replaced at the first decision.
    pub(super) fn for_run(run: &RunDir) -> Self {
        let path = run.waiting_json();
        // A run that never waits for the machine has no such file.
        let written = if path.exists() { None } else { Some(Vec::new()) };
        Self { path, own: Vec::new(), of_nodes: BTreeMap::new(), written }
    }

    /// Writes what the shards of this machine are short of now.
    pub(super) fn write(&mut self, shortages: Vec<WaitingGroup>) {
        self.own = shortages;
        self.write_news();
    }

    /// Writes what the shards at a node are short of now.
    pub(super) fn write_of_node(&mut self, node: NodeId, shortages: Vec<WaitingGroup>) {
        self.of_nodes.insert(node, shortages);
        self.write_news();
    }

    fn write_news(&mut self) {
        let shortages: Vec<WaitingGroup> =
            self.own.iter().chain(self.of_nodes.values().flatten()).cloned().collect();
        if self.written.as_ref() == Some(&shortages) {
            return;
        }
        let waiting = ShortageReport { version: WAITING_VERSION, at: clock::now(), shortages };
        match records::write_atomic(&self.path, &waiting) {
            Ok(()) => self.written = Some(waiting.shortages),
            // A full disk: the reason is shown late, and nothing else depends on it.
            Err(error) => warn!("{error}"),
        }
    }
}
