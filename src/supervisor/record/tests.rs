//! What a loss of power leaves of a run, wherever it happens.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::*;
use crate::config::plan::{PlanOrigin, read_plan};
use crate::model::ids::RunId;
use crate::model::state::run_info::{RUN_VERSION, RunInfo};
use crate::rundir::create::create_run_dir;
use crate::rundir::durable::power_loss::{Disk, Remains};
use crate::rundir::journal::JournalReader;
use crate::rundir::machine_wide::discover;
use crate::rundir::{plans, residence};

const SWEEP: &str = "[matrix]\nn = [1, 2]\n[shard]\ncommand = 'true {{ n }}'\n";

fn create(path: &Path) -> RunDir {
    let origin =
        PlanOrigin { file: "/sweeps/eval.toml".into(), home: None, cores: 2, ..PlanOrigin::default() };
    let plan = read_plan(SWEEP, &origin).unwrap_or_else(|problems| panic!("{problems}"));
    let info = RunInfo {
        version: RUN_VERSION,
        id: RunId("eval-20261121-131200-4f2a".to_owned()),
        name: "eval".to_owned(),
        host: "h100".to_owned(),
        boot_id: String::new(),
        pid_namespace: None,
        place: None,
        cores: None,
        created: Timestamp::UNIX_EPOCH,
        sweepdeck: "0.1.0".to_owned(),
        git_commit: None,
        sweep: "sweep.toml".into(),
    };
    create_run_dir(path, &info, SWEEP, &plan, (1, Vec::new())).unwrap()
}

fn open(run: &RunDir) -> Record {
    Record::open(run).unwrap()
}

fn read_facts(run: &RunDir) -> Vec<Fact> {
    JournalReader::new(&run.journal_path()).read_new().unwrap()
}

/// A life of a run that a seed decides; gives its facts, and what losses of power on the way have left.
fn live(root: &Path, seed: u64, refuses: u64) -> (Vec<Fact>, Vec<Remains>) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    Disk::install(root, seed, refuses);
    // The folder of runs is new too.
    let run = create(&root.join("results/run"));
    let mut facts = read_facts(&run);
    let mut record = open(&run);
    for step in 0..12 {
        if Disk::happens(4) {
            // Another supervisor after this one was killed.
            drop(record);
            record = open(&run);
        }
        if Disk::happens(6) {
            residence::move_here(&run).unwrap();
        }
        let event = |part| Event::Remarked { about: None, text: format!("step {step}, fact {part}") };
        let events: Vec<Event> = (0..=u32::from(Disk::happens(2))).map(event).collect();
        let at = Timestamp::UNIX_EPOCH;
        facts.extend(events.iter().map(|event| Fact::new(at, event.clone())));
        runtime.block_on(record.append_events(events, at)).unwrap();
        // A start, a stop or a reply, which may come at any moment once the sync is done.
        if Disk::happens(3) {
            while record.sync_once().is_err() {}
            Disk::acknowledge(facts.len());
        }
    }
    (facts, Disk::remove())
}

/// The run can be opened and goes on, with every fact that was acknowledged.
fn expect_whole(remains: &Remains, facts: &[Fact]) {
    let run = RunDir::at(remains.folder.path().join("results/run"));
    discover::read_info(&run).unwrap();
    plans::read_first_plan(&run).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut record = open(&run);
    let later = Event::Remarked { about: None, text: "after the loss".to_owned() };
    runtime.block_on(record.append_events(vec![later], Timestamp::UNIX_EPOCH)).unwrap();
    record.sync_once().unwrap();
    let found = read_facts(&run);
    let (_, found) = found.split_last().unwrap();
    assert!(found.len() >= remains.acknowledged, "{} of {} are left", found.len(), remains.acknowledged);
    assert_eq!(found, &facts[..found.len()]);
}

fn expect_all_whole(seeds: std::ops::Range<u64>, refuses: u64) {
    let mut losses = 0;
    for seed in seeds {
        let root = tempfile::tempdir().unwrap();
        let (facts, remains) = live(root.path(), seed, refuses);
        for remains in remains.iter().filter(|remains| remains.acknowledged > 0) {
            let seen = catch_unwind(AssertUnwindSafe(|| expect_whole(remains, &facts)));
            assert!(seen.is_ok(), "seed {seed}, {} facts acknowledged", remains.acknowledged);
            losses += 1;
        }
    }
    assert!(losses > 0);
}

#[test]
fn what_was_acknowledged_survives_a_loss_of_power() {
    expect_all_whole(0..50, 0);
}

#[test]
fn what_was_acknowledged_survives_on_a_disk_that_refuses_to_sync() {
    expect_all_whole(0..20, 3);
}
