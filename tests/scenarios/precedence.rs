//! Whom a priority may put before others: only those that wait.

use sweepdeck::model::command::{Command, Selection};
use sweepdeck::model::ids::ShardId;
use sweepdeck::model::outcome::{FailureReason, Verdict};
use sweepdeck::model::priority::Priority;
use sweepdeck::scheduler::input::SchedulerInput;

use crate::world::{USER, World, failed, key, outcome, plan};

fn ended(attempt: u32, verdict: Verdict) -> SchedulerInput {
    SchedulerInput::Ended { key: key("a", attempt), outcome: Box::new(outcome(verdict, None)) }
}

#[test]
fn a_priority_counts_while_its_shard_is_queued_and_again_when_it_is_tried_again() {
    let mut plan = plan(&["a", "b"].map(str::to_owned));
    plan.schedule.retries = 1;
    let mut world = World::new(&plan, 1);
    let moved = |world: &World| world.state.tally().has_moved();
    let shards = Selection::These(vec![ShardId::new("a").unwrap()]);
    let command = Command::SetPriority { shards: shards.clone(), priority: Priority(1) };
    world.decide(&[SchedulerInput::Command { command: Command::Stop { now: false }, by: USER }]);
    world.decide(&[SchedulerInput::Command { command, by: USER }]);
    assert!(moved(&world));
    let go_on = SchedulerInput::Command { command: Command::Continue, by: USER };
    world.decide(std::slice::from_ref(&go_on));
    assert!(!moved(&world), "it has started");
    world.decide(&[SchedulerInput::Command { command: Command::Stop { now: false }, by: USER }]);
    world.decide(&[ended(1, failed(FailureReason::ExitCode))]);
    assert!(moved(&world), "it is to be tried again, with the priority that it was given");
    world.decide(&[go_on]);
    world.decide(&[ended(2, failed(FailureReason::ExitCode))]);
    assert!(!moved(&world), "it has ended");
    world.decide(&[SchedulerInput::Command { command: Command::Requeue { shards }, by: USER }]);
    assert!(moved(&world), "it waits again");
}
