//! What is foretold of a run comes true where durations are known, and says how much is unknown where they are not.

use std::sync::Arc;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use sweepdeck::model::needs::resources::GpuNeed;
use sweepdeck::model::state::shard_state::ShardState;
use sweepdeck::model::sweep::plan::{Parallel, Plan, QueueOrder};
use sweepdeck::results::time_left::eta::{self, Remaining};
use sweepdeck::results::time_left::fellows::{Fellows, Kinship};
use sweepdeck::results::time_left::forecast::Forecast;
use sweepdeck::results::time_left::pace::Pace;
use sweepdeck::results::time_left::shard_left::AtWork;

use crate::simulation::{Behaviour, Simulation};
use crate::world::plan;

/// A sweep whose shards take so many seconds, and what they do.
fn sweep(seconds: &[u64], slots: u32) -> (Plan, Vec<Behaviour>) {
    let names: Vec<String> = (0..seconds.len()).map(|number| format!("s{number}")).collect();
    let mut plan = plan(&names);
    plan.resources.gpus = Some(GpuNeed::Count(0));
    plan.schedule.parallel = Parallel::Fixed(slots);
    let takes = seconds.iter().map(|seconds| Duration::from_secs(*seconds));
    let behaviours = takes.clone().map(|takes| Behaviour { takes, uses: 0, footprint: 0 }).collect();
    for (shard, takes) in plan.shards.iter_mut().zip(takes) {
        shard.expected = Some(takes);
    }
    (plan, behaviours)
}

/// What is foretold at the present moment of a simulation, with the time left that agrees with it.
fn foretold(plan: &Plan, run: &Simulation) -> (Forecast, Option<Duration>) {
    let (state, now) = (&run.world.state, run.world.timestamp());
    let kinship = Arc::new(Kinship::of(plan));
    let before = Fellows::of(plan, &kinship, state, (&[], now));
    let left = |(position, shard): (usize, &ShardState)| {
        let spec = &plan.shards[position];
        let expected = before.expected(position, spec).filter(|_| spec.expected_duration().is_some());
        let unread = Pace::default();
        let work = AtWork::of(shard, &unread, (None, None), expected, (Duration::ZERO, now));
        Remaining { left: work.and_then(|work| work.left()), ..Remaining::default() }
    };
    let left: Vec<Remaining> = state.shards.iter().enumerate().map(left).collect();
    let fellows = Fellows::of(plan, &kinship, state, (&left, now));
    let eta = eta::run(plan, state, &left, (&fellows, now));
    (Forecast::of_run(plan, state, &left, &fellows, (run.world.now, now)), eta.map(|left| left.time))
}

proptest! {
    #[test]
    fn known_durations_foretell_the_end_at_every_moment(
        seconds in vec(1..500_u64, 1..30), slots in 1..9_u32, as_listed in any::<bool>()
    ) {
        let (mut plan, behaviours) = sweep(&seconds, slots);
        plan.schedule.order = if as_listed { QueueOrder::AsListed } else { QueueOrder::LongestFirst };
        let before = Forecast::of_plan(&plan, slots);
        let mut moments = Vec::new();
        let took = Simulation::new(&plan, Vec::new(), behaviours)
            .run(|_, _| {}, |run| moments.push((foretold(&plan, run), run.world.now)));
        prop_assert_eq!(before.makespan, Some(took));
        prop_assert!(before.lower_bound.unwrap() <= took);
        for ((forecast, eta), now) in moments {
            prop_assert_eq!(forecast.makespan, Some(took));
            prop_assert_eq!(eta.map(|eta| now + eta), Some(took));
            prop_assert_eq!(forecast.lower_bound, before.lower_bound);
            prop_assert_eq!(forecast.unsure(), None);
        }
    }
}

#[test]
fn what_is_unknown_is_counted_and_never_invented() {
    let (mut plan, behaviours) = sweep(&[100, 40, 60], 2);
    plan.shards[1].expected = None;
    let forecast = Forecast::of_plan(&plan, 2);
    assert_eq!(
        forecast.words(),
        "makespan unknown, lower bound 1m 40s on 2 slots; the duration of 1 shard is unknown"
    );
    plan.shards.iter_mut().for_each(|shard| shard.expected = None);
    let nothing = Forecast::of_plan(&plan, 2);
    assert_eq!((nothing.makespan, nothing.lower_bound, nothing.unknown_durations), (None, None, 3));

    let mut words = Vec::new();
    Simulation::new(&plan, Vec::new(), behaviours)
        .run(|_, _| {}, |run| words.push(foretold(&plan, run).0.words()));
    words.dedup();
    let midway = "makespan unknown, lower bound 40s on 2 slots; the duration of 2 shards is unknown";
    assert!(words.iter().any(|words| words == midway), "{words:#?}");
    assert_eq!(words.last().map(String::as_str), Some("makespan 1m 40s, lower bound 1m 40s on 2 slots"));
}
