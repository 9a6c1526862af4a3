//! The readers of records, frames, sweeps and templates: whatever comes, they answer or refuse, and what they accept
//! holds.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;
use sweepdeck::config::plan::{PlanOrigin, read_plan};
use sweepdeck::config::templates::render::{StartValues, render_attempt};
use sweepdeck::model::attempt::{ExitRecord, HolderOrder, StartRecord};
use sweepdeck::model::command::{AttachHello, ControlReply, ControlRequest, HolderReply, HolderRequest};
use sweepdeck::model::ids::AttemptNumber;
use sweepdeck::model::state::run_info::{RunInfo, SupervisorInfo};
use sweepdeck::model::state::run_state::RunState;
use sweepdeck::model::sweep::plan::Plan;
use sweepdeck::rundir::beneath::PathBeneath;
use sweepdeck::rundir::journal::{Journal, JournalReader};
use sweepdeck::rundir::marks::MarkReader;
use sweepdeck::rundir::records::read_if_there;
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

/// Records and messages read, or do not; what reads can be written, and reads again the same.
pub fn read_records(bytes: &[u8]) {
    let (_folder, path) = file_of(bytes);
    reads_again::<RunInfo>(&path);
    reads_again::<SupervisorInfo>(&path);
    reads_again::<HolderOrder>(&path);
    reads_again::<StartRecord>(&path);
    reads_again::<ExitRecord>(&path);
    reads_again::<Plan>(&path);
    reads_again::<ControlRequest>(&path);
    reads_again::<ControlReply>(&path);
    reads_again::<HolderRequest>(&path);
    reads_again::<HolderReply>(&path);
    reads_again::<AttachHello>(&path);
}

fn reads_again<T: Serialize + DeserializeOwned + PartialEq + Debug>(path: &PathBeneath) {
    let Ok(Some(record)) = read_if_there::<T>(path) else { return };
    let written = serde_json::to_string(&record).expect("what reads can be written");
    let again: T = serde_json::from_str(&written).expect("what was written reads");
    assert_eq!(again, record, "{written}");
}

/// A command of any text is rendered, or refused with a reason; it takes no time or memory without bounds.
pub fn read_template(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let command = toml::Value::String(text.to_owned());
    let sweep = format!(
        "name = \"n\"\n[matrix]\na = [1, 2]\n[shard]\ncommand = {command}\nenv = {{ V = {command} }}\n"
    );
    let Ok(plan) = read_plan(&sweep, &origin()) else { return };
    let start = StartValues {
        run_dir: "/r".into(),
        attempt_dir: "/r/shards/a/attempt-01".into(),
        out: "/r/shards/a/attempt-01/out".into(),
        attempt: AttemptNumber(1),
        gpus: Vec::new(),
        gpu_uuids: Vec::new(),
        port: Some(1),
        previous: None,
        home: None,
        services: BTreeMap::default(),
    };
    for shard in &plan.shards {
        match render_attempt(&plan, shard, &start) {
            Ok(rendered) => assert!(!rendered.argv.is_empty() && rendered.cwd.is_absolute()),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// A sweep is a plan, or a list of problems that can be shown.
pub fn read_sweep(bytes: &[u8]) {
    let Ok(source) = str::from_utf8(bytes) else { return };
    match read_plan(source, &origin()) {
        Ok(plan) => drop(serde_json::to_string(&plan).expect("a plan can be written")),
        Err(problems) => assert!(!problems.to_string().is_empty()),
    }
}

fn origin() -> PlanOrigin {
    PlanOrigin { file: PathBuf::from("/sweeps/sweep.toml"), home: None, cores: 2, ..PlanOrigin::default() }
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
