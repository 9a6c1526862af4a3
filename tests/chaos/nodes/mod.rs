//! Chaos on several machines: rounds of short sweeps whose shards are dealt to nodes, under faults of the machine of the
//! run, of nodes and of the connections between them.

mod faults;
mod judge;
pub mod machines;
mod packing;
mod round;
mod taken_over;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use machines::Machines;

use crate::cluster::{Cluster, Share};
use crate::{Count, number};

/// Machines that take shards.
const HOSTS: usize = 3;

#[test]
#[ignore = "lasts minutes"]
fn whatever_fails_on_several_machines_nothing_is_lost_or_run_twice() {
    play_rounds(number("SWEEPDECK_CHAOS_ROUNDS", 8), 4, Machines::stand_in);
}

#[test]
#[ignore = "needs root"]
fn whatever_fails_on_machines_that_are_apart_nothing_is_lost_or_run_twice() {
    play_rounds(number("SWEEPDECK_CHAOS_ROUNDS", 4), 2, || {
        Machines::apart(Cluster::new(HOSTS, asked_share(), None))
    });
}

#[test]
#[ignore = "needs root"]
fn whatever_fails_on_machines_that_slurm_lends_nothing_is_lost_or_run_twice() {
    let groups = number("SWEEPDECK_CHAOS_GROUPS", 2) as usize;
    play_rounds(number("SWEEPDECK_CHAOS_ROUNDS", 2), groups, || {
        Machines::lent(Cluster::new(HOSTS, asked_share(), None))
    });
}

fn asked_share() -> Share {
    match std::env::var("SWEEPDECK_CHAOS_SHARE").as_deref() {
        Ok("late") => Share::Late,
        _ => Share::Common,
    }
}

/// Plays rounds on so many groups of machines at a time.
#[expect(clippy::print_stdout, reason = "what a round came to")]
fn play_rounds(rounds: u64, at_a_time: usize, machines: impl Fn() -> Machines + Sync) {
    let first = number("SWEEPDECK_CHAOS_SEED", 1);
    let (next, sum) = (AtomicU64::new(first), Mutex::new(Count::default()));
    std::thread::scope(|scope| {
        for _ in 0..at_a_time.min(rounds as usize) {
            scope.spawn(|| {
                let machines = machines();
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + rounds {
                        return;
                    }
                    let count = round::play(seed, &machines);
                    let notes: String = count.notes.iter().map(|note| format!("\n  {note}")).collect();
                    println!("seed {seed}: {count}{notes}");
                    sum.lock().unwrap().add(count);
                }
            });
        }
    });
    let sum = sum.into_inner().unwrap();
    println!("{sum}");
    assert_eq!(sum.rounds, rounds);
    assert_eq!(sum.lost + sum.twice + sum.wrong + sum.stuck, 0, "{sum}: {:#?}", sum.notes);
}
