//! Ending a shard ends everything it started.

use crate::harness::place::Place;
use crate::harness::processes::with_command;
use crate::harness::wait::until;

#[test]
fn nothing_is_left_of_a_tree_that_ignores_signals_and_flees_into_other_sessions() {
    let place = Place::new();
    // The numbers of the sleeps tell them apart from every other process on the machine.
    let (own, fled) = (format!("{}.25", std::process::id()), format!("{}.75", std::process::id()));
    let run = place.start(&format!(
        "name = \"tree\"\n[shard]\nid = \"only\"\ncommand = \"\"\"\n\
         trap '' TERM INT\n\
         setsid sh -c 'trap \"\" TERM INT; sleep 9{fled} & wait' &\n\
         (sleep 9{own} &)\n\
         while :; do sleep 1; done\n\"\"\"\n\
         [schedule]\ngrace = {{ interrupt = \"200ms\", terminate = \"200ms\" }}\n"
    ));
    let alive = || [&own, &fled].map(|number| with_command(&format!("sleep 9{number}")).len());
    until("the tree is up", || alive().iter().all(|count| *count > 0));
    run.does("kill", &["only"]);
    assert_eq!(run.wait(), Some(1));
    assert_eq!(run.shard("only")["reason"], "killed");
    until("nothing is left", || alive() == [0, 0]);
}

#[test]
fn what_outlives_the_main_process_is_ended_after_its_time() {
    let place = Place::new();
    let number = format!("8{}.5", std::process::id());
    let (ended, run) = place.run_headless(&format!(
        "name = \"linger\"\n[shard]\nid = \"only\"\ncommand = \"\"\"\n\
         setsid -f sh -c 'touch up; exec sleep {number}'\n\
         until [ -e up ]; do sleep 0.02; done\n\"\"\"\n\
         [schedule]\nlinger = \"100ms\"\ngrace = {{ interrupt = \"100ms\", terminate = \"100ms\" }}\n"
    ));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(with_command(&format!("sleep {number}")), Vec::<u32>::new());
    let exit = std::fs::read_to_string(run.dir.join("shards/only/attempt-01/exit.json")).expect("a record");
    let exit: serde_json::Value = serde_json::from_str(&exit).expect("a record");
    assert_eq!(exit["leftovers"].as_array().map(Vec::len), Some(1), "the record names what was left: {exit}");
}
