//! The place of the run directory: may it be written to, and is there room?

use std::path::Path;

use rustix::fs::{Access, access, statvfs};

use super::finding::{Finding, FindingSeverity};
use crate::model::units::Bytes;

/// Logs and results of a night fit easily into this.
const COMFORTABLE: Bytes = Bytes(5 << 30);

/// Below this a run would fail while it starts: its plan, the first facts, an order and a terminal's first output.
const LEAST: Bytes = Bytes(1 << 20);

/// Looks at the nearest folder above that exists already.
pub(super) fn inspect(output: &Path) -> Vec<Finding> {
    let Some(folder) = output.ancestors().find(|folder| folder.exists()) else { return Vec::new() };
    let refuse = |what: &str| {
        let message = format!("{} {what}, so the run has no place", folder.display());
        vec![
            Finding::new(FindingSeverity::Refuse, "output", message)
                .with_hint("choose another place with `--out`"),
        ]
    };
    if !folder.is_dir() {
        return refuse("is not a folder");
    }
    if access(folder, Access::WRITE_OK | Access::EXEC_OK).is_err() {
        return refuse("cannot be written to");
    }
    let free = statvfs(folder).ok().map(|space| Bytes(space.f_bavail.saturating_mul(space.f_frsize)));
    free.and_then(|free| check_free_space(folder, free)).into_iter().collect()
}

fn check_free_space(folder: &Path, free: Bytes) -> Option<Finding> {
    let severity = if free < LEAST {
        FindingSeverity::Refuse
    } else if free < COMFORTABLE {
        FindingSeverity::Warning
    } else {
        return None;
    };
    let message = format!("only {free} are free at {}", folder.display());
    Some(Finding::new(severity, "disk", message).with_hint("make room, or choose another place with `--out`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_room_is_a_warning_and_none_is_a_refusal() {
        let severity = |free| check_free_space(Path::new("/x"), Bytes(free)).map(|finding| finding.severity);
        assert_eq!(severity((1 << 20) - 1), Some(FindingSeverity::Refuse));
        assert_eq!(severity(1 << 20), Some(FindingSeverity::Warning));
        assert_eq!(severity(5 << 30), None);
    }
}
