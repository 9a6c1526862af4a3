//! The working directories of the shards.

use std::collections::BTreeSet;
use std::path::Path;

use super::finding::{Finding, FindingSeverity};
use crate::model::sweep::plan::Plan;

/// Each distinct working directory must be a folder.
pub(super) fn inspect(plan: &Plan) -> Vec<Finding> {
    let folders: BTreeSet<&Path> = plan.shards.iter().map(|shard| shard.cwd.as_path()).collect();
    folders.into_iter().filter(|folder| is_known(folder)).filter_map(inspect_folder).collect()
}

/// A folder inside the run is made when the attempt starts.
pub(super) fn is_known(folder: &Path) -> bool {
    !folder.to_string_lossy().contains("{{")
}

fn inspect_folder(folder: &Path) -> Option<Finding> {
    let refuse = |what: &str| {
        let message = format!("the working directory {} {what}", folder.display());
        Some(
            Finding::new(FindingSeverity::Refuse, "cwd", message)
                .with_hint("set `cwd` in `[shard]` to an existing folder"),
        )
    };
    match std::fs::metadata(folder) {
        Ok(found) if !found.is_dir() => refuse("is not a folder"),
        Ok(_) if rustix::fs::access(folder, rustix::fs::Access::EXEC_OK).is_err() => {
            refuse("may not be entered")
        }
        Ok(_) => None,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => refuse("does not exist"),
        Err(error) => refuse(&format!("cannot be used: {error}")),
    }
}
