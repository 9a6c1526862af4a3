//! Time left over the durations of recorded sweeps: MuJoCo on two cores that others used too, and the demo.
//!
//! `tests/recorded/record.py` makes a table of two runs of a sweep; the second had learned from the first.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Deserialize;

use crate::model::claims::claim::Claim;
use crate::model::history::DurationHistory;
use crate::model::ids::{AttemptKey, AttemptNumber, RunId};
use crate::model::logs::mark::{Mark, MarkKind};
use crate::model::logs::steps::Steps;
use crate::model::machine::sample::TelemetrySample;
use crate::model::outcome::{Progress, Verdict};
use crate::model::state::fact::{Event, Fact, JOURNAL_VERSION};
use crate::model::state::run_state::RunState;
use crate::model::sweep::plan::{Plan, QueueOrder, Slice, SliceUnit};
use crate::model::units::duration_between;
use crate::model::value::{Value, Variables};
use crate::results::live::LiveReading;
use crate::results::status::document::{RunStatus, build_status};
use crate::results::status::sources::Sources;
use crate::results::status::status_tests::{plan, second};
use crate::results::tests::{ended, run};

const RECORDS: [(&str, &str); 14] = [
    ("control", include_str!("../../../tests/recorded/durations/control.json")),
    ("control_all_at_once", include_str!("../../../tests/recorded/durations/control_all_at_once.json")),
    ("control_in_slices", include_str!("../../../tests/recorded/durations/control_in_slices.json")),
    ("control_one_slot", include_str!("../../../tests/recorded/durations/control_one_slot.json")),
    ("control_seeds", include_str!("../../../tests/recorded/durations/control_seeds.json")),
    ("falls", include_str!("../../../tests/recorded/durations/falls.json")),
    ("five_slices", include_str!("../../../tests/recorded/durations/five_slices.json")),
    ("humanoids", include_str!("../../../tests/recorded/durations/humanoids.json")),
    ("locomotion", include_str!("../../../tests/recorded/durations/locomotion.json")),
    ("locomotion_slices", include_str!("../../../tests/recorded/durations/locomotion_slices.json")),
    ("manipulation", include_str!("../../../tests/recorded/durations/manipulation.json")),
    ("policies_of_one_robot", include_str!("../../../tests/recorded/durations/policies_of_one_robot.json")),
    ("seeds", include_str!("../../../tests/recorded/durations/seeds.json")),
    ("whole_episodes", include_str!("../../../tests/recorded/durations/whole_episodes.json")),
];

/// At a quarter only combos had run whose episodes are several times as long as those of the others.
const UNLIKE: [&str; 2] = ["humanoids", "locomotion_slices"];

/// Other programs came or went between the two runs: the same shards took up to a third less.
const OTHER_LOAD: [&str; 4] = ["five_slices", "humanoids", "locomotion_slices", "policies_of_one_robot"];

#[derive(Deserialize)]
struct Table {
    parallel: u32,
    axes: Vec<String>,
    shards: Vec<Spec>,
    runs: Vec<Vec<Shard>>,
}

#[derive(Deserialize)]
struct Spec {
    id: String,
    vars: BTreeMap<String, serde_json::Value>,
    episodes: Option<u64>,
}

#[derive(Deserialize)]
struct Shard {
    start: f64,
    end: f64,
    total: u64,
    steps: Vec<(f64, u64)>,
}

fn at(seconds: f64) -> Timestamp {
    second(0) + Duration::from_secs_f64(seconds)
}

impl Shard {
    fn marks(&self, until: f64) -> Vec<Mark> {
        let known = self.steps.iter().filter(|(when, _)| *when <= until);
        let mark = |(when, done): &(f64, u64)| Mark {
            at: at(*when),
            offset: *done,
            kind: MarkKind::Progress(Progress { done: *done, total: Some(self.total) }),
        };
        known.map(mark).collect()
    }

    /// What it took before its first step and after its last, as a supervisor notes it.
    fn around(&self) -> (Option<Duration>, Option<Duration>) {
        let mut steps = Steps::default();
        for mark in self.marks(self.end) {
            let MarkKind::Progress(progress) = mark.kind else { continue };
            let since = steps.newest_at().map_or(Duration::ZERO, |newest| duration_between(newest, mark.at));
            steps.add_count(mark.at, progress, since);
        }
        let loading =
            steps.first_at().and_then(|first| steps.loading_time(duration_between(at(self.start), first)));
        (loading, steps.newest_at().map(|newest| duration_between(newest, at(self.end))))
    }

    fn took(&self) -> Duration {
        Duration::from_secs_f64(self.end - self.start)
    }
}

impl Table {
    fn plan(&self, learned: Option<&[Shard]>) -> Plan {
        let names: Vec<&str> = self.shards.iter().map(|spec| spec.id.as_str()).collect();
        let mut plan = plan(&names);
        plan.axes.clone_from(&self.axes);
        plan.schedule.order = QueueOrder::LongestFirst;
        for (spec, known) in plan.shards.iter_mut().zip(&self.shards) {
            let value = |(name, value): (&String, &serde_json::Value)| {
                (name.clone(), Value::String(value.to_string()))
            };
            spec.vars = Variables(known.vars.iter().map(value).collect());
            spec.slice = known.episodes.map(|episodes| Slice {
                index: 0,
                count: 2,
                episodes,
                first: 0,
                seed: 0,
                ids: Vec::new(),
                unit: SliceUnit::default(),
            });
        }
        for position in 0..plan.shards.len() {
            plan.shards[position].learned.time = learned.map(|before| self.learned(position, before));
        }
        plan
    }

    /// The mean of the shards that did the same work.
    fn learned(&self, position: usize, before: &[Shard]) -> DurationHistory {
        let own = &self.shards[position];
        let is_same = |spec: &Spec| spec.vars == own.vars && spec.episodes == own.episodes;
        let alike: Vec<&Shard> = self
            .shards
            .iter()
            .zip(before)
            .filter(|(spec, _)| is_same(spec))
            .map(|(_, shard)| shard)
            .collect();
        let mean = |all: Vec<Duration>| all.iter().sum::<Duration>() / all.len() as u32;
        let around: Vec<_> = alike.iter().map(|shard| shard.around()).collect();
        let loading: Option<Vec<Duration>> = around.iter().map(|(loading, _)| *loading).collect();
        let closing: Option<Vec<Duration>> = around.iter().map(|(_, closing)| *closing).collect();
        DurationHistory {
            took: mean(alike.iter().map(|shard| shard.took()).collect()),
            loading: loading.map(mean),
            closing: closing.map(mean),
            run: RunId("before".to_owned()),
        }
    }

    /// How far off the time left is at a quarter of a run, as a part of it.
    fn error(&self, shards: &[Shard], plan: &Plan) -> f64 {
        let (run, left) = self.look(shards, plan, 0.25);
        run.eta_s.map_or(f64::INFINITY, |eta| eta / left - 1.0)
    }

    /// The status at a share of a run, and the seconds that it still took.
    fn look(&self, shards: &[Shard], plan: &Plan, share: f64) -> (RunStatus, f64) {
        let end = shards.iter().map(|shard| shard.end).fold(0.0, f64::max);
        let now = end * share;
        let mut facts = vec![Fact::new(
            second(0),
            Event::RunCreated {
                version: JOURNAL_VERSION,
                run: RunId("recorded".to_owned()),
                shards: plan.shards.iter().map(|spec| spec.id.clone()).collect(),
                parallel: self.parallel,
            },
        )];
        for (spec, shard) in plan.shards.iter().zip(shards).filter(|(_, shard)| shard.start <= now) {
            let (id, attempt, started) = (spec.id.clone(), AttemptNumber::FIRST, at(shard.start));
            let (gpus, claim) = (Vec::new(), Claim::default());
            let starting = Event::AttemptStarting { shard: id.clone(), attempt, gpus, claim, previous: None };
            facts.push(Fact::new(started, starting));
            let event = Event::AttemptStarted { shard: id.clone(), attempt, pid: 7, started };
            facts.push(Fact::new(started, event));
            if shard.end <= now {
                let progress = Progress { done: shard.total, total: Some(shard.total) };
                let mut outcome = ended(Verdict::Succeeded, Some(progress), &[]);
                outcome.elapsed = Some(shard.took());
                (outcome.loading, outcome.closing) = shard.around();
                let event = Event::AttemptEnded { shard: id, attempt, outcome: Box::new(outcome) };
                facts.push(Fact::new(at(shard.end), event));
            }
        }
        let state = RunState::fold_facts(&facts).unwrap();
        let reading = |(spec, shard): (&crate::model::sweep::plan::ShardSpec, &Shard)| {
            let phase = &state.shard(&spec.id)?.phase;
            let key = AttemptKey { shard: spec.id.clone(), attempt: phase.live()?.attempt };
            Some((key.shard, LiveReading::from_marks(phase, &shard.marks(now))))
        };
        let readings: HashMap<_, _> = plan.shards.iter().zip(shards).filter_map(reading).collect();
        let status = build_status(&Sources {
            dir: Path::new("/recorded"),
            info: &run().0,
            plan,
            state: &state,
            supervised: true,
            place: None,
            readings: &readings,
            health: &[],
            inventory: None,
            waiting: None,
            node_gpus: &[],
            unwritten: &[],
            telemetry: &TelemetrySample::default(),
            now: at(now),
            zone: &TimeZone::UTC,
        });
        (status.run, end - now)
    }
}

#[test]
fn eight_of_ten_ranges_hold_what_came() {
    let (mut looks, mut right, mut widths, mut text) = (0.0, 0.0, 0.0, String::new());
    for (name, record) in RECORDS {
        let table: Table = serde_json::from_str(record).unwrap();
        let [first, second] = &table.runs[..] else { panic!("{name} has two runs") };
        for (shards, plan) in [(first, table.plan(None)), (second, table.plan(Some(first)))] {
            for share in [0.1, 0.25, 0.5, 0.75, 0.9] {
                let (run, left) = table.look(shards, &plan, share);
                let Some([low, high]) = run.eta_range_s else { continue };
                let is_right = (low..=high).contains(&left);
                looks += 1.0;
                right += f64::from(is_right);
                widths += (high / low).ln() / 2.0;
                text.push_str(&format!("{name} at {share}: {left:.1} in {low:.1}..{high:.1}: {is_right}\n"));
            }
        }
    }
    let width = f64::exp(widths / looks);
    println!("{text}{right} of {looks}, typically by a factor of {width:.2}");
    assert!(right / looks >= 0.8, "{text}");
    // Everything would lie between nothing and for ever.
    assert!(width < 1.6, "{width}");
}

#[test]
fn the_time_left_at_a_quarter_of_recorded_sweeps_comes_true() {
    let (mut told, mut wrong) = (String::new(), Vec::new());
    for (name, text) in RECORDS {
        let table: Table = serde_json::from_str(text).unwrap();
        let [first, second] = &table.runs[..] else { panic!("{name} has two runs") };
        let unlearned = table.error(first, &table.plan(None));
        let learned = table.error(second, &table.plan(Some(first)));
        told.push_str(&format!("{name}: {:+.0} %, learned {:+.0} %\n", 100.0 * unlearned, 100.0 * learned));
        let is_known = |names: &[&str]| names.contains(&name);
        wrong.extend((unlearned.abs() > 0.2 && !is_known(&UNLIKE)).then_some((name, unlearned)));
        wrong.extend((learned.abs() > 0.1 && !is_known(&OTHER_LOAD)).then_some((name, learned)));
        // Also of these it must know more than nothing.
        wrong.extend((learned.abs() > 0.3).then_some((name, learned)));
    }
    println!("{told}");
    assert!(wrong.is_empty(), "{wrong:?}\n{told}");
}
