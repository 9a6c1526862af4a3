//! Names of rows for logs: as short as they can be while each is different.

use std::collections::HashSet;
use std::path::Path;

use crate::model::ids::ShardId;

/// Returns one name for each log, in their order: the file's name without its ending, with as many folders before it as
/// distinguish it from the others.
pub(in crate::cli) fn name_logs(logs: &[&Path]) -> Vec<ShardId> {
    let deepest = logs.iter().map(|log| log.components().count()).max().unwrap_or(1);
    let names = (1..=deepest).map(|parts| names_of(logs, parts)).find(|names| are_different(names));
    let names = names.unwrap_or_else(|| number_names(names_of(logs, 1)));
    let ids = names.into_iter().enumerate();
    ids.map(|(number, name)| ShardId::new(name).unwrap_or_else(|_| numbered_id(number))).collect()
}

fn names_of(logs: &[&Path], parts: usize) -> Vec<String> {
    logs.iter().map(|log| name_of(log, parts)).collect()
}

/// The last parts of a path as one name; what cannot be in a name of a folder is left out.
fn name_of(log: &Path, parts: usize) -> String {
    let stem = log.with_extension("");
    let names: Vec<String> = stem
        .components()
        .rev()
        .take(parts)
        .map(|part| part.as_os_str().to_string_lossy().replace(|c: char| c == '/' || c.is_control(), ""))
        .collect();
    let name: Vec<&str> = names.iter().rev().map(String::as_str).filter(|part| !part.is_empty()).collect();
    name.join("_").trim_start_matches(['.', '-']).to_owned()
}

fn are_different(names: &[String]) -> bool {
    let different: HashSet<&String> = names.iter().collect();
    different.len() == names.len()
}

fn number_names(names: Vec<String>) -> Vec<String> {
    names.into_iter().enumerate().map(|(number, name)| format!("{name}_{}", number + 1)).collect()
}

fn numbered_id(number: usize) -> ShardId {
    ShardId::new(format!("log_{}", number + 1)).expect("letters and digits make a name")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(logs: &[&str]) -> Vec<String> {
        let logs: Vec<&Path> = logs.iter().map(Path::new).collect();
        name_logs(&logs).into_iter().map(String::from).collect()
    }

    #[test]
    fn a_name_is_as_short_as_it_can_be() {
        assert_eq!(names(&["/l/grass_flat.log", "/l/stairs.v2.txt"]), ["grass_flat", "stairs.v2"]);
        assert_eq!(names(&["/l/grass/eval.log", "/l/stairs/eval.log"]), ["grass_eval", "stairs_eval"]);
        assert_eq!(names(&["/a/x/eval.log", "/b/x/eval.log"]), ["a_x_eval", "b_x_eval"]);
        assert_eq!(names(&["/l/.hidden", "/l/-x.log"]), ["hidden", "x"]);
        assert_eq!(names(&["/l/a.log", "/l/a.txt"]), ["a_1", "a_2"]);
        assert_eq!(names(&["/"]), ["log_1"]);
    }
}
