//! Many reward functions in one process.

use std::collections::BTreeSet;

use super::{among_stand_ins, put_sweep, run_sweep};
use crate::harness::place::{Ended, Place};

/// The rewards that ended well, and how many rows there are.
fn rewards(place: &Place) -> (BTreeSet<String>, usize) {
    let table = place.read("r/results/pack_values.csv").expect("a table");
    let rows: Vec<&str> = table.lines().skip(1).collect();
    let good = rows.iter().filter(|row| row.contains(",succeeded,"));
    (good.map(|row| row.split(',').take(2).collect::<Vec<_>>().join(",")).collect(), rows.len())
}

#[test]
fn every_reward_of_a_pack_ends_once_with_its_own_return() {
    let place = Place::with_gpus("gpu 0\n total 24 GiB\ngpu 1\n total 24 GiB\n");
    put_sweep(&place, "envcoderbench.toml", &[]);
    let (ended, run) = run_sweep(&place, "envcoderbench.toml", &[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(run.count("succeeded"), 4);
    let (good, rows) = rewards(&place);
    assert_eq!((good.len(), rows), (500, 500));
    let table = place.read("r/results/pack_values.csv").expect("a table");
    assert!(table.contains("\nheightmap,249,heightmap_pack1,succeeded,,5,5,"), "{table}");
}

#[test]
fn a_pack_that_does_not_fit_a_smaller_card_is_halved_and_no_reward_is_lost() {
    let place = Place::with_gpus("gpu 0\n total 12 GiB\n");
    put_sweep(&place, "envcoderbench.toml", &[("vram = \"13 GiB\"", "vram = \"8 GiB\"")]);
    let words = ["run", "envcoderbench.toml", "--headless", "--out", "r", "--only", "obs=heightmap"];
    let mut command = among_stand_ins(&place, &words);
    command.env("STAND_IN_CARD_GIB", "12");
    let ended = Ended::of(&mut command);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let (good, rows) = rewards(&place);
    assert_eq!((good.len(), rows), (250, 250));
    let journal = place.read("r/journal.jsonl").expect("a journal");
    assert!(journal.contains("\"pack-split\""), "{journal}");
}
