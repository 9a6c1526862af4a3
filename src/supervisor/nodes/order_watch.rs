//! At a node: reads orders as they come.

use std::thread;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tracing::warn;

use super::lease::Lease;
use crate::model::nodes::order::OrderNumber;
use crate::model::sweep::node_spec::NodeId;
use crate::rundir::layout::RunDir;
use crate::rundir::nodes::order_files;
use crate::scheduler::input::SchedulerInput;
use crate::supervisor::event::SupervisorEvent;

/// The pause between two looks: one listing of a folder, on a server that others use too.
const PAUSE: Duration = Duration::from_secs(1);

/// Reports orders after that number to `event_tx`, until nothing listens.
pub(in crate::supervisor) fn watch_orders(
    run: RunDir,
    node: NodeId,
    mut after: OrderNumber,
    lease: Lease,
    event_tx: UnboundedSender<SupervisorEvent>,
) -> std::io::Result<()> {
    let mut last_error = String::new();
    let look = move || {
        while !event_tx.is_closed() {
            match order_files::read_orders(&run, &node, after) {
                Ok(orders) => {
                    last_error.clear();
                    lease.renew();
                    for order in orders {
                        after = order.number;
                        let input = SchedulerInput::Order(Box::new(order));
                        if event_tx.send(SupervisorEvent::Input(input)).is_err() {
                            return;
                        }
                    }
                }
                Err(error) => {
                    let text = error.to_string();
                    if text != last_error {
                        warn!("orders cannot be read: {text}; trying again");
                        last_error = text;
                    }
                }
            }
            thread::sleep(PAUSE);
        }
    };
    thread::Builder::new().name("orders".to_owned()).spawn(look).map(drop)
}
