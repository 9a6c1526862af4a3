//! `[[nodes]]`: the machines that take the shards.

use std::collections::BTreeSet;

use toml::Spanned;
use toml::de::DeValue;

use super::resources;
use crate::config::document::problem::Problem;
use crate::config::document::table::Table;
use crate::model::nodes::node_spec::{NodeId, NodeReach, NodeSpec};

/// Keys whose shards a node cannot take yet, with what they would need.
const NOT_YET: [(&str, &str); 2] =
    [("pack", "packs are split by the machine that runs them"), ("service", "services run on one machine")];

/// Reads the nodes; none where the sweep runs on this machine.
pub(in crate::config) fn read_nodes(root: &Table<'_>) -> Vec<NodeSpec> {
    let mut nodes = Vec::new();
    let mut names = BTreeSet::new();
    for table in root.get_tables("nodes") {
        table.get_choice("kind", &[("ssh", ())]);
        if table.get("kind").is_none() {
            table.report_missing("kind", "`kind = \"ssh\"`");
        }
        let hosts = table.get_strings("hosts");
        if hosts.is_empty() {
            table.report_missing("hosts", "names that `ssh` knows, such as `hosts = [\"gpu1\", \"gpu2\"]`");
        }
        let devices = resources::read_devices(&table);
        for host in hosts {
            nodes.extend(read_host(&table, &host, &devices, &mut names));
        }
        table.report_unknown_keys();
    }
    if !nodes.is_empty() {
        refuse_what_nodes_cannot(root);
    }
    nodes
}

fn read_host(
    table: &Table<'_>,
    host: &Spanned<String>,
    devices: &[String],
    names: &mut BTreeSet<NodeId>,
) -> Option<NodeSpec> {
    let refuse = |message: String, hint: &str| {
        table.sink().add(Problem::new(host.span(), message).with_hint(hint));
    };
    let text = host.get_ref();
    let id = match NodeId::new(text.as_str()) {
        Ok(id) => id,
        Err(problem) => {
            refuse(format!("the host `{text}` {problem}"), "give it a name in `~/.ssh/config`");
            return None;
        }
    };
    if !names.insert(id.clone()) {
        refuse(format!("the host `{text}` is named twice"), "a machine is one node");
        return None;
    }
    Some(NodeSpec { id, reach: NodeReach::Ssh { host: text.clone() }, devices: devices.to_vec() })
}

fn refuse_what_nodes_cannot(root: &Table<'_>) {
    for (key, why) in NOT_YET {
        if let Some(value) = root.get(key).map(Spanned::<DeValue<'_>>::span) {
            let message = format!("`{key}` cannot be used with `[[nodes]]` yet");
            root.sink().add(Problem::new(value, message).with_hint(why));
        }
    }
}
