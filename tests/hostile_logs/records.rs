//! The readers of records, frames and sweeps: whatever comes, they answer or refuse, and what they accept holds.

use std::path::PathBuf;

use sweepdeck::config::plan::{PlanOrigin, read_plan};
use sweepdeck::model::state::run_state::RunState;
use sweepdeck::rundir::beneath::PathBeneath;
use sweepdeck::rundir::journal::{Journal, JournalReader};
use sweepdeck::rundir::marks::MarkReader;
use sweepdeck::socket::frame::FrameReader;

/// A journal that reads can be continued, and reads again with what was appended.
pub fn read_journal(bytes: &[u8]) {
    let (_folder, path) = file_of(bytes);
    let Ok(facts) = JournalReader::new(&path).read_new() else { return };
    let _ = RunState::fold_facts(&facts);
    let Some(first) = facts.first() else { return };
    let Ok(mut journal) = Journal::open(&path) else { return };
    if journal.append_facts(std::slice::from_ref(first)).is_ok() {
        let again = JournalReader::new(&path).read_new().expect("what was read before reads again");
        assert_eq!(again.len(), facts.len() + 1);
    }
}

/// Marks read, or do not.
pub fn read_marks(bytes: &[u8]) {
    let (_folder, path) = file_of(bytes);
    let _ = MarkReader::new(&path).read_new();
}

/// A sweep is a plan, or a list of problems that can be shown.
pub fn read_sweep(bytes: &[u8]) {
    let Ok(source) = str::from_utf8(bytes) else { return };
    let origin = PlanOrigin {
        file: PathBuf::from("/sweeps/sweep.toml"),
        home: None,
        cores: 2,
        ..PlanOrigin::default()
    };
    match read_plan(source, &origin) {
        Ok(plan) => drop(serde_json::to_string(&plan).expect("a plan can be written")),
        Err(problems) => assert!(!problems.to_string().is_empty()),
    }
}

/// Frames of both directions: the same in one piece and byte by byte, and never without end.
pub fn read_frames(bytes: &[u8]) {
    let whole = frames(&[bytes]);
    let pieces: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(whole, frames(&pieces), "cuts change what is read");
}

fn frames(pieces: &[&[u8]]) -> Vec<String> {
    let mut found = Vec::new();
    for of_holder in [false, true] {
        let mut reader = FrameReader::default();
        for piece in pieces {
            reader.push(piece);
        }
        loop {
            let (text, is_over) = if of_holder {
                let frame = reader.holder_frame();
                (format!("{frame:?}"), !matches!(frame, Ok(Some(_))))
            } else {
                let frame = reader.client_frame();
                (format!("{frame:?}"), !matches!(frame, Ok(Some(_))))
            };
            found.push(text);
            if is_over {
                break;
            }
        }
    }
    found
}

fn file_of(bytes: &[u8]) -> (tempfile::TempDir, PathBeneath) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("file");
    std::fs::write(&path, bytes).expect("a file");
    (folder, PathBeneath::of_file(path))
}
