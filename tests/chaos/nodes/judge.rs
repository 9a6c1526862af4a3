//! What the journals of nodes say in addition to that of the run.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::machines::node_folders;
use crate::Count;
use crate::judge;

type Key = (String, u64);

/// Every attempt is that of one node, and its end is known to the run as it was there.
pub fn judge_nodes(run: &Path, count: &mut Count) {
    let known: BTreeMap<Key, Value> = ends(&judge::facts(run)).into_iter().collect();
    let mut begun: BTreeMap<Key, String> = BTreeMap::new();
    for node in node_folders(run) {
        let facts = judge::facts(&node);
        let host = node.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for fact in facts.iter().filter(|fact| fact["fact"] == "attempt-starting") {
            if let Some(key) = key(fact)
                && let Some(other) = begun.insert(key.clone(), host.clone())
            {
                count.twice += 1;
                count.notes.push(format!("{}: attempt {} is of {other} and of {host}", key.0, key.1));
            }
        }
        for (key, outcome) in ends(&facts) {
            let known = known.get(&key);
            if known != Some(&outcome) && !known.is_some_and(|known| was_given_up(known, &host)) {
                count.wrong += 1;
                count
                    .notes
                    .push(format!("{}: attempt {}: {outcome} at {host}, {known:?} in the run", key.0, key.1));
            }
        }
    }
}

/// What a node that was given up says later is not taken, and its shard runs again.
fn was_given_up(outcome: &Value, node: &str) -> bool {
    let given_up = format!("node {node} was given up");
    outcome["reason"] == "lost" && outcome["message"].as_str().is_some_and(|why| why.starts_with(&given_up))
}

fn ends(facts: &[Value]) -> Vec<(Key, Value)> {
    let ended = facts.iter().filter(|fact| fact["fact"] == "attempt-ended");
    ended.filter_map(|fact| Some((key(fact)?, fact["outcome"].clone()))).collect()
}

fn key(fact: &Value) -> Option<Key> {
    Some((fact["shard"].as_str()?.to_owned(), fact["attempt"].as_u64()?))
}
