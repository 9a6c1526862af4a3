//! Keeper, supervisor and spawner that die close together, while nothing runs whose holder could heal the run.

use std::fs;

use rustix::process::Signal;

use crate::harness::place::{Place, Run};
use crate::harness::processes::{self, signal};
use crate::harness::wait::{until, until_some};
use crate::keepers::{Deafness, keeper, supervisors};

/// A run that waits for tomorrow.
fn waiting(place: &Place) -> Run<'_> {
    place.write("sweep.toml", "name = \"later\"\n[shard]\nid = \"only\"\ncommand = \"true\"\n");
    place.start_with(&["run", "sweep.toml", "--detach", "--out", "r", "--at", "2099-01-01 00:00"])
}

/// Keeper, supervisor and spawner.
fn guards(run: &Run<'_>) -> [u32; 3] {
    let keeper = keeper(run);
    let supervisor = run.supervisor().expect("a supervisor");
    [keeper, supervisor, until_some("a spawner", || processes::spawner(supervisor))]
}

fn expect_another(run: &Run<'_>, than: u32) {
    until("another supervisor lives", || run.supervisor().is_some_and(|pid| pid != than));
    run.does("stop", &["--now"]);
    until("nothing of the run is left", || supervisors(run).is_empty());
}

#[test]
fn whichever_of_the_three_is_left_starts_the_others() {
    for left in 0..3 {
        let place = Place::new();
        let run = waiting(&place);
        let guards = guards(&run);
        // Stopped, none of them sees another one die first.
        guards.iter().for_each(|pid| signal(*pid, Signal::STOP));
        guards.iter().filter(|pid| **pid != guards[left]).for_each(|pid| signal(*pid, Signal::KILL));
        signal(guards[left], Signal::CONT);
        expect_another(&run, guards[1]);
    }
}

/// Makes the supervisors of a run fail at their start, and waits until one waits longer before it begins.
fn pause(place: &Place, run: &Run<'_>, keeper: u32) -> (Deafness, u32) {
    let deafness = Deafness::begin(run);
    until("the pause is long", || deafness.failures(place) >= 3);
    let failing = processes::children(keeper);
    let is_next = |pid: &u32| !failing.contains(pid) && processes::state(*pid).is_some();
    let next = || processes::children(keeper).into_iter().find(is_next);
    (deafness, until_some("the next one waits beside the keeper", next))
}

#[test]
fn a_keeper_that_dies_in_its_pause_is_replaced() {
    let place = Place::new();
    let run = waiting(&place);
    let guards = guards(&run);
    let (deafness, _) = pause(&place, &run, guards[0]);
    signal(guards[0], Signal::KILL);
    deafness.end();
    expect_another(&run, guards[1]);
}

#[test]
fn a_spawner_that_is_left_in_a_pause_starts_the_others() {
    let place = Place::new();
    let run = waiting(&place);
    let guards = guards(&run);
    let (deafness, next) = pause(&place, &run, guards[0]);
    until_some("it has its spawner", || processes::spawner(next));
    let both = [guards[0], next];
    both.iter().for_each(|pid| signal(*pid, Signal::STOP));
    both.iter().for_each(|pid| signal(*pid, Signal::KILL));
    deafness.end();
    expect_another(&run, guards[1]);
}

#[test]
fn a_keeper_waits_for_another_one_that_is_giving_up() {
    let place = Place::new();
    let run = waiting(&place);
    let [keeper, supervisor, spawner] = guards(&run);
    // As one does that found a supervisor at work and is about to end.
    let lock = fs::File::create(run.dir.join("keeper.lock")).expect("a file");
    lock.lock().expect("no other holds it");
    [supervisor, spawner].iter().for_each(|pid| signal(*pid, Signal::STOP));
    [supervisor, spawner].iter().for_each(|pid| signal(*pid, Signal::KILL));
    let mut looks = 0;
    until("the keeper has given up, or waits", || {
        looks += usize::from(!fs::exists(format!("/proc/{supervisor}")).expect("it can be asked for"));
        looks == 20 || processes::state(keeper).is_none()
    });
    drop(lock);
    expect_another(&run, supervisor);
}
