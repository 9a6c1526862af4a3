//! What runs of a sweep leave for its next run: `$XDG_STATE_HOME/sweepdeck/learned/NAME.json`.
//!
//! Nothing depends on these files but the order of the next run, the length it foresees, and the first claims of memory
//! that is measured: if one is gone or damaged, one run has to learn again.

use std::collections::BTreeSet;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;

use serde::Deserialize;

use super::discover;
use crate::model::history::{ComboHistory, HISTORY_VERSION};
use crate::rundir::beneath::PathBeneath;
use crate::rundir::error::RunDirError;
use crate::rundir::{lock, records};

/// Most kinds of work in a file; the newest are kept.
const MOST: usize = 20_000;

/// File names are at most 255 bytes long.
const LONGEST_NAME: usize = 100;

#[derive(Deserialize)]
struct File {
    version: u32,
    /// Entries; one that does not read as an [`ComboHistory`] is passed over.
    learned: Vec<serde_json::Value>,
}

/// Reads what earlier runs of the sweep of that name left.
pub fn read_history(sweep: &str) -> Result<Vec<ComboHistory>, RunDirError> {
    read_at(&history_path(sweep)?)
}

fn read_at(path: &PathBeneath) -> Result<Vec<ComboHistory>, RunDirError> {
    let Some(file) = records::read_if_there::<File>(path)? else { return Ok(Vec::new()) };
    if file.version > HISTORY_VERSION {
        return Err(RunDirError::NewerExperience { path: path.full_path().to_owned(), found: file.version });
    }
    Ok(file.learned.into_iter().filter_map(|one| serde_json::from_value(one).ok()).collect())
}

/// Leaves what a run learned; it replaces what was known of the same work.
pub fn write(sweep: &str, learned: &[ComboHistory]) -> Result<(), RunDirError> {
    if learned.is_empty() {
        return Ok(());
    }
    write_at(&history_path(sweep)?, learned)
}

fn write_at(path: &PathBeneath, learned: &[ComboHistory]) -> Result<(), RunDirError> {
    let folder = path.parent().unwrap_or(path);
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(RunDirError::io("create", folder))?;
    // Two runs of a sweep that end at once: without the lock one would lose what it learned.
    let _lock = lock::acquire_lock(&PathBeneath::of_file(folder.join("lock")))?;
    let known = match read_at(path) {
        Ok(known) => known,
        // Damaged, and worth no more than what is known now.
        Err(RunDirError::Malformed { .. }) => Vec::new(),
        Err(error) => return Err(error),
    };
    let replaced: BTreeSet<_> = learned.iter().map(ComboHistory::kind).collect();
    let mut all: Vec<ComboHistory> =
        known.into_iter().filter(|older| !replaced.contains(&older.kind())).collect();
    all.extend(learned.iter().cloned());
    all.sort_by_key(|one| one.at);
    all.drain(..all.len().saturating_sub(MOST));
    let file = serde_json::json!({ "version": HISTORY_VERSION, "learned": all });
    records::write_atomic(path, &file)
}

/// Returns the path of the file. Two sweeps may share a file: their entries are distinguished by their work.
fn history_path(sweep: &str) -> Result<PathBeneath, RunDirError> {
    let safe = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '-' };
    let name: String = sweep.chars().map(safe).take(LONGEST_NAME).collect();
    let folder = discover::pointers_folder()?.with_file_name("learned");
    Ok(PathBeneath::of_file(folder.join(format!("{name}.json"))))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::*;
    use crate::model::ids::RunId;
    use crate::model::units::Bytes;

    fn one(work: &str, seconds: u64, at: i64) -> ComboHistory {
        ComboHistory {
            work: work.to_owned(),
            machine: "NVIDIA H100".to_owned(),
            combo: "{}".to_owned(),
            episodes: Some(25),
            took: Some(Duration::from_secs(seconds)),
            loading: None,
            closing: None,
            vram: vec![Bytes(7)],
            failed_after: None,
            pack: crate::model::history::PackSizes::default(),
            run: RunId("r".to_owned()),
            at: jiff::Timestamp::from_second(at).unwrap(),
        }
    }

    #[test]
    fn the_newest_of_each_work_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = PathBeneath::of_file(folder.path().join("learned/sweep.json"));
        assert_eq!(read_at(&path).unwrap(), []);
        write_at(&path, &[one("a", 1, 1), one("b", 2, 1)]).unwrap();
        write_at(&path, &[one("a", 3, 2)]).unwrap();
        assert_eq!(read_at(&path).unwrap(), [one("b", 2, 1), one("a", 3, 2)]);
        let failed = ComboHistory { took: None, failed_after: Some(Duration::ZERO), ..one("a", 3, 3) };
        write_at(&path, std::slice::from_ref(&failed)).unwrap();
        assert_eq!(read_at(&path).unwrap(), [one("b", 2, 1), one("a", 3, 2), failed], "both are known of a");
    }

    #[test]
    fn damage_costs_what_is_damaged_and_a_newer_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = PathBeneath::of_file(folder.path().join("sweep.json"));
        write_at(&path, &[one("a", 1, 1)]).unwrap();
        let text = fs::read_to_string(path.full_path()).unwrap();
        fs::write(path.full_path(), text.replace("\"learned\": [", "\"learned\": [17, {\"work\": 1}, "))
            .unwrap();
        assert_eq!(read_at(&path).unwrap(), [one("a", 1, 1)]);

        fs::write(path.full_path(), &text[..text.len() / 2]).unwrap();
        assert!(matches!(read_at(&path), Err(RunDirError::Malformed { .. })));
        write_at(&path, &[one("b", 2, 2)]).unwrap();
        assert_eq!(read_at(&path).unwrap(), [one("b", 2, 2)]);

        let newer = "{\"version\": 9, \"learned\": []}";
        fs::write(path.full_path(), newer).unwrap();
        assert!(write_at(&path, &[one("a", 1, 1)]).is_err());
        assert_eq!(fs::read_to_string(path.full_path()).unwrap(), newer);
    }
}
