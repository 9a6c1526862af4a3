//! Orders of a node as numbered files, written by the run and read by the node; each file has one writer.

use std::io;

use crate::model::nodes::order::{ORDER_VERSION, Order, OrderNumber};
use crate::model::sweep::node_spec::NodeId;
use crate::rundir::error::RunDirError;
use crate::rundir::layout::RunDir;
use crate::rundir::records;

/// Writes an order; one that is there already stays.
pub fn write_order(run: &RunDir, node: &NodeId, order: &Order) -> Result<(), RunDirError> {
    let file = run.order_file(node, order.number);
    if file.exists() {
        return Ok(());
    }
    file.create_folder().map_err(RunDirError::io("create", &file))?;
    records::write_durable(&file, order)
}

/// Reads the orders after that number, in their order. They come one after another: a gap has yet to be seen here.
pub fn read_orders(run: &RunDir, node: &NodeId, after: OrderNumber) -> Result<Vec<Order>, RunDirError> {
    let mut orders = Vec::new();
    // The folder is listed: a file server remembers for a while that a single file was not there.
    let folder = run.orders_folder(node);
    let names = match folder.read_dir() {
        Ok(names) => names,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(orders),
        Err(error) => return Err(RunDirError::io("list", &folder)(error)),
    };
    let mut next = after.next();
    while names.iter().any(|name| *name == *RunDir::order_name(next)) {
        orders.push(records::read_versioned(&run.order_file(node, next), ORDER_VERSION)?);
        next = next.next();
    }
    Ok(orders)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::nodes::order::OrderTask;

    #[test]
    fn orders_are_read_once_in_their_order_and_never_past_a_gap() {
        let folder = tempfile::tempdir().unwrap();
        let (run, node) = (RunDir::at(folder.path()), NodeId::new("gpu1").unwrap());
        let order = |number| Order {
            version: ORDER_VERSION,
            number: OrderNumber(number),
            task: OrderTask::Deal { shards: Vec::new(), grown: Vec::new(), splits: Vec::new() },
        };
        let numbers = |after| -> Vec<u64> {
            let orders = read_orders(&run, &node, OrderNumber(after)).unwrap();
            orders.iter().map(|order| order.number.0).collect()
        };
        assert!(numbers(0).is_empty(), "nothing was ordered");
        for number in [1, 2, 4] {
            write_order(&run, &node, &order(number)).unwrap();
        }
        assert_eq!(numbers(0), [1, 2]);
        assert!(numbers(2).is_empty(), "the third has yet to come");
        write_order(&run, &node, &order(3)).unwrap();
        assert_eq!(numbers(2), [3, 4]);
    }
}
