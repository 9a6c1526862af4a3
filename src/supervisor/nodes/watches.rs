//! What a supervisor looks at of other machines: its nodes, or the run whose node it is.

use std::sync::mpsc::{self, Sender};

use tokio::sync::mpsc::UnboundedSender;

use super::job_desk::JobDesk;
use super::lease::Lease;
use super::node_start::NodeProgram;
use super::node_task::{self, NodeTask};
use super::node_watch::{NodeWatch, WatchedRun};
use super::order_watch;
use crate::model::ids::RunId;
use crate::model::state::run_state::RunState;
use crate::model::sweep::node_spec::{DEFAULT_LEASE, NodeReach, NodeSpec};
use crate::rundir::layout::RunDir;
use crate::rundir::trust;
use crate::supervisor::error::SupervisorError;
use crate::supervisor::event::SupervisorEvent;

/// The watches of the places for nodes, in the order of the plan.
pub(in crate::supervisor) struct NodeWatches {
    places: Vec<NodeSpec>,
    watches: Vec<WatchedPlace>,
    /// That of this node, where the run is one.
    lease: Option<Lease>,
}

/// The watch of a place, and what was last asked of it.
struct WatchedPlace {
    asked: NodeTask,
    tasks: Sender<NodeTask>,
}

/// Begins to look at the nodes of a run, or for the orders of the run whose node this is.
pub(in crate::supervisor) fn begin_watches(
    (run, id): (&RunDir, &RunId),
    places: &[NodeSpec],
    state: &RunState,
    event_tx: &UnboundedSender<SupervisorEvent>,
) -> Result<NodeWatches, SupervisorError> {
    let mut own_lease = None;
    if let (Some(node), Some(whole)) = (&state.own_node, run.of_node()) {
        // Who may write there may order.
        trust::verify_run(&whole)?;
        let lease = Lease::begin(state.own_lease.unwrap_or(DEFAULT_LEASE));
        own_lease = Some(lease.clone());
        lease.clone().guard(run.clone()).map_err(SupervisorError::system("guard the lease"))?;
        order_watch::watch_orders(whole, node.clone(), state.orders_done, lease, event_tx.clone())
            .map_err(SupervisorError::system("look for orders"))?;
    }
    let begin = || look_at_places((run, id), places, event_tx);
    let watches = if places.is_empty() { Ok(Vec::new()) } else { begin() };
    let watches = watches.map_err(SupervisorError::system("look at the nodes"))?;
    Ok(NodeWatches { places: places.to_vec(), watches, lease: own_lease })
}

fn look_at_places(
    (run, id): (&RunDir, &RunId),
    places: &[NodeSpec],
    event_tx: &UnboundedSender<SupervisorEvent>,
) -> std::io::Result<Vec<WatchedPlace>> {
    let closed = event_tx.clone();
    let has_jobs = places.iter().any(|place| matches!(place.reach, NodeReach::Slurm { .. }));
    let shared = WatchedRun {
        run: run.clone(),
        program: NodeProgram::of_run(run),
        desk: if has_jobs { Some(JobDesk::open(id.clone(), move || closed.is_closed())?) } else { None },
        event_tx: event_tx.clone(),
    };
    let begin = |place: &NodeSpec| {
        let (tasks, asked) = mpsc::channel();
        NodeWatch::begin(shared.clone(), place.clone(), asked)?;
        Ok(WatchedPlace { asked: NodeTask::nothing(&place.id), tasks })
    };
    places.iter().map(begin).collect()
}

impl NodeWatches {
    /// Waits until this node, where the run is one, may start attempts.
    pub(in crate::supervisor) async fn wait_for_lease(&self) {
        if let Some(lease) = &self.lease {
            lease.wait_until_valid().await;
        }
    }

    /// Says which nodes are to be at work, and what else is asked of their watches.
    pub(in crate::supervisor) fn follow(&mut self, state: &RunState) {
        let tasks = node_task::assign_tasks(state, &self.places);
        for (watch, task) in self.watches.iter_mut().zip(tasks) {
            if watch.asked != task {
                watch.asked = task.clone();
                // A watch that has ended has seen that nobody listens.
                let _ = watch.tasks.send(task);
            }
        }
    }
}
