//! Shards start in their windows alone, whatever the clocks do, and what is paused for a window goes on with the next.

use std::time::Duration;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use sweepdeck::model::command::{Command, ControlReply, Selection};
use sweepdeck::model::hours::opening_hours::{Hours, OpeningHours};
use sweepdeck::model::hours::start_hours::{OnClose, StartHours};
use sweepdeck::model::outcome::Verdict;
use sweepdeck::model::state::fact::Event;
use sweepdeck::model::state::phase::PhaseKind::{self, Paused, Queued, Running, Starting};
use sweepdeck::model::sweep::plan::Parallel;
use sweepdeck::scheduler::effect::{Decision, Effect};
use sweepdeck::scheduler::input::SchedulerInput;
use sweepdeck::scheduler::wall_clock::WallClock;

use crate::world::{USER, World, key, outcome, plan};

const HOUR: u64 = 3600;

fn hours() -> OpeningHours {
    OpeningHours(vec!["20:00-08:00".parse().unwrap()])
}

/// The run begins at midnight of its own clock, and at that hour by the wall clock.
struct Night {
    world: World,
    ahead: SignedDuration,
}

impl Night {
    fn new(shards: usize, on_close: OnClose, begins_at: i64) -> Self {
        let names: Vec<String> = (1..=shards).map(|number| format!("n{number}")).collect();
        let mut plan = plan(&names);
        plan.schedule.parallel = Parallel::Fixed(2);
        plan.schedule.hours = StartHours { window: Some(hours()), on_close };
        Self { world: World::new(&plan, 0), ahead: SignedDuration::from_hours(begins_at) }
    }

    fn wall(&self) -> Timestamp {
        self.world.timestamp() + self.ahead
    }

    fn decide(&mut self, inputs: &[SchedulerInput]) -> Decision {
        let wall = SchedulerInput::WallClock(WallClock { ahead: self.ahead, zone: TimeZone::UTC });
        let inputs: Vec<SchedulerInput> = std::iter::once(wall).chain(inputs.iter().cloned()).collect();
        self.world.decide(&inputs)
    }

    /// So many hours pass.
    fn pass(&mut self, hours: u64) -> Decision {
        self.world.now += Duration::from_secs(hours * HOUR);
        self.decide(&[SchedulerInput::Wake])
    }

    fn command(&mut self, command: Command) -> ControlReply {
        let decision = self.decide(&[SchedulerInput::Command { command, by: USER }]);
        decision.replies.into_iter().next().unwrap()
    }

    fn started(&mut self, shard: &str) {
        let started = self.world.timestamp();
        self.decide(&[SchedulerInput::Started { key: key(shard, 1), pid: 7, started }]);
    }

    fn phases(&self) -> Vec<PhaseKind> {
        self.world.state.shards.iter().map(|shard| shard.phase.kind()).collect()
    }
}

#[test]
fn nothing_starts_outside_of_a_window_and_what_runs_goes_on() {
    let mut night = Night::new(3, OnClose::Finish, 18);
    let first = night.decide(&[SchedulerInput::Wake]);
    assert_eq!(night.phases(), [Queued; 3]);
    assert!(first.effects.contains(&Effect::WakeAt(night.world.timestamp() + SignedDuration::from_hours(2))));
    night.world.crash();
    night.pass(2);
    assert_eq!(night.phases(), [Starting, Starting, Queued]);
    night.started("n1");
    night.started("n2");
    night.pass(12);
    assert!(night.world.state.opening.opens_at().is_some());
    let ended =
        SchedulerInput::Ended { key: key("n1", 1), outcome: Box::new(outcome(Verdict::Succeeded, None)) };
    night.decide(&[ended]);
    assert_eq!(night.phases(), [PhaseKind::Succeeded, Running, Queued]);
    night.pass(12);
    assert_eq!(night.phases(), [PhaseKind::Succeeded, Running, Starting]);
}

#[test]
fn what_is_paused_for_a_window_goes_on_with_the_next_and_what_users_say_holds() {
    let mut night = Night::new(3, OnClose::Pause, 21);
    night.decide(&[SchedulerInput::Wake]);
    night.started("n1");
    let closed = night.pass(11);
    assert_eq!(night.phases(), [Paused, Starting, Queued]);
    assert!(closed.effects.contains(&Effect::Pause { key: key("n1", 1) }));
    // It was being started when the window closed.
    night.started("n2");
    assert_eq!(night.phases(), [Paused, Paused, Queued]);
    night.world.crash();
    night.decide(&[SchedulerInput::Wake]);
    night.command(Command::Resume { shards: Selection::These(vec![key("n2", 1).shard]) });
    night.pass(1);
    assert_eq!(night.phases(), [Paused, Running, Queued], "what a user lets go on goes on");
    night.command(Command::Pause { shards: Selection::All });
    let opened = night.pass(11);
    assert_eq!(night.phases(), [Running, Paused, Queued], "what a user paused stays paused");
    assert!(opened.effects.contains(&Effect::Resume { key: key("n1", 1) }));
    night.pass(12);
    assert_eq!(night.phases(), [Paused, Paused, Queued], "the next end pauses again");
}

#[test]
fn a_run_can_be_started_before_its_time_and_made_to_wait() {
    let mut night = Night::new(3, OnClose::Pause, 12);
    night.decide(&[SchedulerInput::Wake]);
    assert_eq!(night.phases(), [Queued; 3]);
    assert_eq!(night.command(Command::StartNow), ControlReply::Done { shards: 0, notes: Vec::new() });
    assert_eq!(night.phases(), [Starting, Starting, Queued]);
    night.started("n1");
    night.pass(1);
    assert_eq!(night.phases()[0], Running, "until the window would have opened by itself nothing closes it");
    night.pass(20);
    assert_eq!(night.phases()[0], Paused, "and then the window holds again");
    let mut later = Night::new(1, OnClose::Finish, 21);
    let at = later.wall() + SignedDuration::from_hours(2);
    later.command(Command::StartAt { at });
    later.pass(1);
    assert_eq!(later.phases(), [Queued]);
    later.pass(1);
    assert_eq!(later.phases(), [Starting]);
    later.command(Command::Stop { now: true });
    assert!(matches!(later.command(Command::StartNow), ControlReply::Refused { .. }));
}

#[derive(Debug, Clone)]
enum Act {
    Pass(u64),
    Set(i64),
    Crash,
    Early,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        (0..20 * HOUR).prop_map(Act::Pass),
        (-30 * 3600..30 * 3600_i64).prop_map(Act::Set),
        Just(Act::Crash),
        Just(Act::Early),
    ]
}

proptest! {
    #[test]
    fn starts_come_in_windows_alone_unless_a_user_says_otherwise(acts in prop::collection::vec(act(), 1..40)) {
        let mut night = Night::new(60, OnClose::Pause, 0);
        let mut early = false;
        for act in acts {
            match act {
                Act::Pass(seconds) => night.world.now += Duration::from_secs(seconds),
                Act::Set(seconds) => night.ahead += SignedDuration::from_secs(seconds),
                Act::Crash => night.world.crash(),
                Act::Early => {
                    early |= night.world.state.opening.opens_at().is_some();
                    night.command(Command::StartNow);
                }
            }
            let decision = night.decide(&[SchedulerInput::Wake]);
            let is_open = matches!(hours().state_at(night.wall(), &TimeZone::UTC), Hours::Open { .. });
            let starts = decision.facts.iter().any(|fact| matches!(fact, Event::AttemptStarting { .. }));
            prop_assert!(!starts || is_open || early);
            if !early {
                prop_assert_eq!(night.world.state.opening.opens_at().is_none(), is_open);
            }
            let mut copy = night.world.clone();
            copy.crash();
            prop_assert_eq!(copy.state.opening, night.world.state.opening, "the journal tells it");
        }
    }
}
