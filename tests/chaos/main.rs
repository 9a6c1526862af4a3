//! Chaos: rounds of short sweeps with known ends, under faults that a seed decides.
//!
//! `cargo test --test chaos` plays twenty rounds. More, and others:
//! `SWEEPDECK_CHAOS_ROUNDS=500 SWEEPDECK_CHAOS_SEED=1000 cargo test --test chaos -- --nocapture`.
//! `SWEEPDECK_CHAOS_FAULT=stop` has one fault in all rounds.
//!
//! `cargo test --test chaos nodes -- --ignored` plays rounds on several machines: run directories on this one, and, as root,
//! machines that are apart, which `SWEEPDECK_CHAOS_SHARE=late` gives a share with local locks and late listings.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod chance;
#[path = "../cluster/mod.rs"]
mod cluster;
#[path = "../fake_nvml/mod.rs"]
mod fake_nvml;
mod faults;
mod judge;
mod nodes;
mod processes;
mod round;
mod signs;

use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Rounds at a time: most of a round is waiting.
const SIDE_BY_SIDE: usize = 4;

/// What was counted over rounds.
#[derive(Debug, Default, Clone)]
pub struct Count {
    /// Sweeps that were played.
    pub rounds: u64,
    /// Processes that were killed.
    pub kills: u64,
    /// Shards of all sweeps.
    pub shards: u64,
    /// Shards without an end.
    pub lost: u64,
    /// Attempts that ran twice, or beside another of their shard.
    pub twice: u64,
    /// Ends with another exit code than the program's.
    pub wrong: u64,
    /// Runs that did not end by themselves.
    pub stuck: u64,
    /// Everything above that should be 0, in words.
    pub notes: Vec<String>,
}

impl Count {
    fn add(&mut self, other: Self) {
        self.rounds += other.rounds;
        self.kills += other.kills;
        self.shards += other.shards;
        self.lost += other.lost;
        self.twice += other.twice;
        self.wrong += other.wrong;
        self.stuck += other.stuck;
        self.notes.extend(other.notes);
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "rounds {}, kills {}, shards {}, lost {}, twice {}, wrong code {}, stuck {}",
            self.rounds, self.kills, self.shards, self.lost, self.twice, self.wrong, self.stuck
        )
    }
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| text.parse().unwrap())
}

#[test]
fn whatever_fails_nothing_is_lost_or_run_twice() {
    let (first, rounds) = (number("SWEEPDECK_CHAOS_SEED", 1), number("SWEEPDECK_CHAOS_ROUNDS", 20));
    let (next, sum) = (AtomicU64::new(first), Mutex::new(Count::default()));
    std::thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + rounds {
                        return;
                    }
                    let count = round::play(seed);
                    println!(
                        "seed {seed}: {count}{}",
                        count.notes.iter().map(|note| format!("\n  {note}")).collect::<String>()
                    );
                    sum.lock().unwrap().add(count);
                }
            });
        }
    });
    let sum = sum.into_inner().unwrap();
    println!("{sum}");
    assert_eq!(sum.lost + sum.twice + sum.wrong + sum.stuck, 0, "{sum}: {:#?}", sum.notes);
}
