//! What a supervisor looks at of other machines: its nodes, or the run whose node it is.

use tokio::sync::mpsc::UnboundedSender;

use super::node_watch::NodeWatches;
use super::order_watch;
use crate::model::state::run_state::RunState;
use crate::model::sweep::plan::Plan;
use crate::rundir::layout::RunDir;
use crate::rundir::trust;
use crate::supervisor::error::SupervisorError;
use crate::supervisor::heard::SupervisorEvent;

/// Begins to look at the nodes of a run, or for the orders of the run whose node this is.
pub(in crate::supervisor) fn begin_watches(
    run: &RunDir,
    plan: &Plan,
    state: &RunState,
    hear: &UnboundedSender<SupervisorEvent>,
) -> Result<NodeWatches, SupervisorError> {
    if let (Some(node), Some(whole)) = (&state.own_node, run.of_node()) {
        // Who may write there may order.
        trust::verify_run(&whole)?;
        order_watch::watch_orders(whole, node.clone(), state.orders_done, hear.clone())
            .map_err(SupervisorError::system("look for orders"))?;
    }
    NodeWatches::begin(run, &plan.nodes, hear).map_err(SupervisorError::system("look at the nodes"))
}
