//! Steps of the wall clock, crashes and reboots: limits hold by the time that passed, and no moment is before an earlier one.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use sweepdeck::model::run_clock::RunClock;
use sweepdeck::model::state::fact::Event;
use sweepdeck::model::state::phase::PhaseKind;
use sweepdeck::model::units::duration_between;
use sweepdeck::scheduler::input::SchedulerInput;

use crate::world::{World, key, moment, plan};

const LIMIT: Duration = Duration::from_secs(60);

#[derive(Debug, Clone)]
enum Act {
    /// So many seconds pass.
    Pass(u64),
    /// The wall clock is set by so many seconds.
    Set(i64),
    /// The supervisor dies and another one takes over.
    Crash,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![(0..40_u64).prop_map(Act::Pass), (-100_000..100_000_i64).prop_map(Act::Set), Just(Act::Crash),]
}

/// A machine and the supervisor on it.
struct Host {
    world: World,
    up: Duration,
    wall: Timestamp,
    boot: u32,
    clock: RunClock,
}

impl Host {
    fn new() -> Self {
        let mut plan = plan(&["a".to_owned()]);
        plan.schedule.timeout = Some(LIMIT);
        let (up, wall) = (Duration::from_secs(1000), moment(Duration::ZERO));
        let clock = RunClock::that_shows(wall, "0", up);
        let mut host = Self { world: World::new(&plan, 0), up, wall, boot: 0, clock };
        host.take_over();
        host
    }

    fn pass(&mut self, seconds: u64) {
        self.up += Duration::from_secs(seconds);
        self.wall += Duration::from_secs(seconds);
    }

    fn take_over(&mut self) {
        self.world.crash();
        let (state, boot) = (&self.world.state, self.boot.to_string());
        self.clock = RunClock::resume(state.clock.as_ref(), state.last_fact, (&boot, self.up), self.wall);
        self.tell_time();
        let clock = Some(self.clock.clone());
        self.world.record(Event::SupervisorStarted { pid: 1, version: String::new(), clock });
    }

    fn tell_time(&mut self) {
        let now = self.clock.time_at(self.up);
        assert!(Some(now) >= self.world.state.last_fact, "time went back");
        self.world.now = duration_between(moment(Duration::ZERO), now);
    }

    fn decide(&mut self, inputs: &[SchedulerInput]) {
        self.tell_time();
        self.world.decide(inputs);
    }

    fn phase(&self) -> PhaseKind {
        self.world.state.shards[0].phase.kind()
    }
}

proptest! {
    #[test]
    fn a_time_out_comes_when_the_time_has_passed_whatever_the_wall_clock_says(acts in prop::collection::vec(act(), 1..40)) {
        let mut host = Host::new();
        host.decide(&[SchedulerInput::Wake]);
        let started = host.clock.time_at(host.up);
        host.decide(&[SchedulerInput::Started { key: key("a", 1), pid: 1, started }]);
        let begun = host.up;
        for act in acts {
            match act {
                Act::Pass(seconds) => host.pass(seconds),
                Act::Set(seconds) => host.wall += SignedDuration::from_secs(seconds),
                Act::Crash => {
                    host.take_over();
                    host.decide(&[SchedulerInput::Adopted { key: key("a", 1) }]);
                }
            }
            host.decide(&[SchedulerInput::Wake]);
            let is_due = host.up - begun >= LIMIT;
            prop_assert_eq!(host.phase() == PhaseKind::Stopping, is_due, "{:?} after the start", host.up - begun);
        }
    }

    #[test]
    fn after_a_reboot_time_goes_on_from_wall_time_or_from_the_newest_fact(
        acts in prop::collection::vec(act(), 0..10), wall in -100_000..100_000_i64, up in 1..100_u64,
    ) {
        let mut host = Host::new();
        for act in acts {
            match act {
                Act::Pass(seconds) => host.pass(seconds),
                Act::Set(seconds) => host.wall += SignedDuration::from_secs(seconds),
                Act::Crash => host.take_over(),
            }
        }
        host.boot += 1;
        host.up = Duration::from_secs(up);
        host.wall += SignedDuration::from_secs(wall);
        let newest = host.world.state.last_fact;
        host.take_over();
        prop_assert_eq!(Some(host.clock.time_at(host.up)), newest.max(Some(host.wall)));
    }
}
