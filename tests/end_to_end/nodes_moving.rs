//! A run whose own machine is lost, or another one, while its nodes are at work.

use rustix::process::Signal;

use crate::elsewhere::put_elsewhere;
use crate::harness::place::{Ended, Place, Run};
use crate::harness::processes;
use crate::harness::wait::until;
use crate::nodes::{start, starts, with_hosts};

/// Ends what the machine of the run does for it; its nodes go on.
fn end_machine_of_run(run: &Run<'_>) {
    until("nobody serves the run", || {
        // The nodes have folders of their own, and what runs for them knows it by its environment alone.
        let mut left = processes::of(&run.dir);
        let of_nodes = processes::of(&run.dir.join("nodes"));
        left.retain(|pid| !of_nodes.contains(pid) && processes::state(*pid).is_some());
        left.iter().for_each(|pid| processes::signal(*pid, Signal::KILL));
        left.is_empty()
    });
}

#[test]
fn nodes_go_on_without_the_machine_of_the_run() {
    let place = Place::new();
    let run = start(&place);
    until("both nodes are at work", || run.count("running") == 4);
    end_machine_of_run(&run);
    place.write("go", "");
    let ended = |node: &str| {
        let journal = place.read(&format!("r/nodes/{node}/journal.jsonl")).unwrap_or_default();
        journal.matches("\"fact\":\"attempt-ended\"").count() == 4
    };
    until("the nodes have done what they had", || ended("gpu1") && ended("gpu2"));
    assert_eq!(run.wait(), Some(1), "{}", run.status());
    assert_eq!((run.count("succeeded"), run.count("failed")), (7, 1));
    assert_eq!(starts(&place), ["1 "; 8], "nothing ran twice");
}

#[test]
fn another_machine_takes_over_a_run_whose_nodes_are_at_work() {
    let place = Place::new();
    let run = start(&place);
    until("both nodes are at work", || run.count("running") == 4);
    end_machine_of_run(&run);
    put_elsewhere(&run);
    let refused = run.sweepdeck("recover", &[]);
    assert!(refused.code == Some(5) && refused.stderr.contains("--take-over"), "{refused:?}");
    let taken = Ended::of(&mut with_hosts(&place, &["recover", "--take-over", "r"]));
    assert_eq!(taken.code, Some(0), "{taken:?}");
    let kill = run.does("kill", &["n8"]);
    assert_eq!(kill.code, Some(0), "{kill:?}");
    place.write("go", "");
    assert_eq!(run.wait(), Some(1), "{}", run.status());
    assert_eq!(run.count("running") + run.count("queued"), 0, "{}", run.status());
    assert_eq!(starts(&place)[..7], ["1 "; 7], "nothing ran twice");
}
