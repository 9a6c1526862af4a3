//! Reads scenario files: a setup, then one line for each decision.
//!
//! ```text
//! shards a b c                 the names, in the order of the sweep
//! parallel 2                   and the other settings of the schedule
//! begin
//! at 3s ended a code 1; ended b ok     inputs after a `;` belong to the same decision
//! at 5s kill c
//! at 6s machine 80/39 a=2 training@0=37        GPU 0 has 80 GiB, 39 in use: 2 by shard a, 37 by a stranger
//! ```

use std::time::Duration;

use jiff::Timestamp;
use sweepdeck::model::analysis::StopRule;
use sweepdeck::model::command::{Command, Selection};
use sweepdeck::model::history::{DurationHistory, FailureHistory, VramHistory};
use sweepdeck::model::ids::{AttemptKey, RunId, ShardId};
use sweepdeck::model::machine::allocation::Allocation;
use sweepdeck::model::needs::resources::{ComponentNeed, GpuNeed, Placement, VramNeed};
use sweepdeck::model::outcome::{ExitStatus, FailureReason, MemoryHolder, Outcome, Verdict};
use sweepdeck::model::priority::Priority;
use sweepdeck::model::sweep::edit::{Edit, VariableEdit};
use sweepdeck::model::sweep::plan::{
    OnOom, OnStall, Pack, PackSizing, Parallel, Plan, QueueOrder, ShardSpec,
};
use sweepdeck::model::units::{Bytes, parse_duration};
use sweepdeck::model::value::{Value, Variables};
use sweepdeck::scheduler::input::{LoadKind, SchedulerInput};

use crate::machine;
use crate::world::{USER, World, failed, key, moment, outcome, plan};

/// One line after `begin`.
pub enum Step {
    /// The supervisor dies and another one takes over.
    Crash,
    /// The results are written: the supervisor records the end if it is due.
    ResultsWritten,
    /// A decision.
    Decide(Vec<SchedulerInput>),
}

/// Reads the setup and returns the lines after it.
pub fn set_up(text: &str) -> (World, Vec<&str>) {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let mut plan = plan(&[]);
    let mut gpus = 0;
    for line in lines.by_ref().take_while(|line| *line != "begin") {
        let words: Vec<_> = line.split_whitespace().collect();
        if words[0] == "gpus" {
            gpus = words[1].parse().unwrap();
        } else {
            set(&mut plan, &words);
        }
    }
    (World::new(&plan, gpus), lines.collect())
}

fn set(target: &mut Plan, words: &[&str]) {
    let schedule = &mut target.schedule;
    match words {
        ["shards", names @ ..] => {
            let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
            target.shards = plan(&names).shards;
        }
        ["expected", name, time] => {
            spec(target, name).expected = Some(duration(time));
        }
        ["learned-time", name, time] => {
            let (took, run) = (duration(time), RunId("earlier".to_owned()));
            spec(target, name).learned.time =
                Some(DurationHistory { took, loading: None, closing: None, run });
        }
        ["learned-failure", name, time] => {
            let (after, run) = (duration(time), RunId("earlier".to_owned()));
            spec(target, name).learned.failure = Some(FailureHistory { after, run });
        }
        ["learned-vram", name, amount] => {
            let (peaks, run) = (vec![gib(amount)], RunId("earlier".to_owned()));
            spec(target, name).learned.vram = Some(VramHistory { peaks, run });
        }
        ["gpus-per-shard", count] => {
            target.resources.gpus = Some(GpuNeed::Count(count.parse().unwrap()));
        }
        ["vram", "auto"] => target.resources.vram = Some(VramNeed::Auto),
        ["vram", amount] => {
            target.resources.vram = Some(match amount.strip_suffix('%') {
                Some(percent) => VramNeed::Percent(percent.parse().unwrap()),
                None => VramNeed::Fixed(gib(amount)),
            });
        }
        ["component", name, count, vram, shared @ ..] => {
            let need = ComponentNeed {
                gpus: count.parse().unwrap(),
                vram: Some(VramNeed::Fixed(gib(vram))),
                shared: *shared == ["shared"],
            };
            match &mut target.resources.gpus {
                Some(GpuNeed::Components(components)) => {
                    components.insert((*name).to_owned(), need);
                }
                gpus => *gpus = Some(GpuNeed::Components([((*name).to_owned(), need)].into())),
            }
        }
        ["exclusive"] => target.resources.exclusive = true,
        ["cpus", count] => target.resources.cpus = Some(count.parse().unwrap()),
        ["ram", amount] => target.resources.ram = Some(gib(amount)),
        ["reserve", amount] => schedule.reserve_vram = gib(amount),
        ["placement", "pack"] => schedule.placement = Placement::Pack,
        ["combo", value, names @ ..] => {
            for shard in target.shards.iter_mut().filter(|shard| names.contains(&shard.id.as_str())) {
                shard.vars = Variables(vec![("combo".to_owned(), Value::String((*value).to_owned()))]);
            }
        }
        ["compare", axis, value, names @ ..] => compare(target, axis, value, names),
        ["values", name, count, "auto"] => {
            set(target, &["values", name, count]);
            let shard = target.shards.iter_mut().find(|shard| shard.id.as_str() == *name).unwrap();
            shard.pack.as_mut().unwrap().sizing = PackSizing::Auto;
        }
        ["values", name, count] => {
            let shard = target.shards.iter_mut().find(|shard| shard.id.as_str() == *name).unwrap();
            let values = (0..count.parse().unwrap()).map(Value::Integer);
            shard.pack = Some(Pack::of_axis(0, "value", values));
        }
        ["parallel", count] => schedule.parallel = Parallel::Fixed(count.parse().unwrap()),
        ["order", "as-listed"] => schedule.order = QueueOrder::AsListed,
        ["stagger", time] => schedule.stagger = duration(time),
        ["cooldown", time] => schedule.cooldown = duration(time),
        ["warmup"] => schedule.warmup = true,
        ["retries", count] => schedule.retries = count.parse().unwrap(),
        ["timeout", time] => schedule.timeout = Some(duration(time)),
        ["stall_after", time] => schedule.stall_after = duration(time),
        ["on_oom", "back-off"] => schedule.on_oom = OnOom::BackOff,
        ["on_stall", "fail"] => schedule.on_stall = OnStall::Fail,
        other => panic!("unknown setting {other:?}"),
    }
}

/// The shards are those of one value of the axis, each with other work.
fn compare(target: &mut Plan, axis: &str, value: &str, names: &[&str]) {
    target.analysis.stop = Some(StopRule { compare: axis.to_owned(), level: 0.05 });
    target.axes = vec![axis.to_owned(), "work".to_owned()];
    for (number, name) in (0..).zip(names) {
        let value = (axis.to_owned(), Value::String(value.to_owned()));
        let work = ("work".to_owned(), Value::Integer(number));
        spec(target, name).vars = Variables(vec![value, work]);
    }
}

fn spec<'p>(plan: &'p mut Plan, name: &str) -> &'p mut ShardSpec {
    plan.shards.iter_mut().find(|shard| shard.id.as_str() == name).unwrap()
}

/// Reads one line after `begin`, moving the clock where it says so.
pub fn step(world: &mut World, line: &str) -> Step {
    let mut rest = line.trim();
    if let Some(after) = rest.strip_prefix("at ") {
        let (time, after) = after.split_once(' ').unwrap();
        world.now = duration(time);
        rest = after;
    }
    match rest {
        "crash" => Step::Crash,
        "results written" => Step::ResultsWritten,
        inputs => Step::Decide(
            inputs
                .split(';')
                .map(|text| input(world, &text.split_whitespace().collect::<Vec<_>>()))
                .collect(),
        ),
    }
}

fn input(world: &World, words: &[&str]) -> SchedulerInput {
    let now = world.timestamp();
    match words {
        ["wake"] => SchedulerInput::Wake,
        ["job", number, "ends", "after", time] => SchedulerInput::Allocation(Some(Allocation {
            job: (*number).to_owned(),
            ends: Some(now + duration(time)),
        })),
        ["job", "left"] => SchedulerInput::Allocation(None),
        ["recover"] => SchedulerInput::Continue { by: None },
        ["started", name] => SchedulerInput::Started { key: attempt(world, name), pid: 100, started: now },
        ["ended", name, how @ ..] => {
            SchedulerInput::Ended { key: attempt(world, name), outcome: Box::new(end(how)) }
        }
        ["output", name] => active(attempt(world, name), now, None),
        ["output", name, "of", time] => active(attempt(world, name), moment(duration(time)), None),
        ["progress", name] => active(attempt(world, name), now, Some(now)),
        ["load", name, "processor"] => {
            SchedulerInput::Load { key: attempt(world, name), load: LoadKind::ProcessorOnly }
        }
        ["load", name, "other"] => SchedulerInput::Load { key: attempt(world, name), load: LoadKind::Other },
        ["machine", parts @ ..] => SchedulerInput::Machine(Box::new(machine::read(world, parts))),
        ["others", parts @ ..] => {
            SchedulerInput::Others(parts.iter().map(|part| machine::other(part)).collect())
        }
        ["asking", name] => SchedulerInput::Asking { key: attempt(world, name) },
        ["adopted", name] => SchedulerInput::Adopted { key: attempt(world, name) },
        words => SchedulerInput::Command { command: command(words), by: USER },
    }
}

/// A shard that has made progress compiles no more.
fn active(key: AttemptKey, last_output: Timestamp, last_progress: Option<Timestamp>) -> SchedulerInput {
    SchedulerInput::Activity { key, last_output, last_progress, may_compile: last_progress.is_none() }
}

fn command(words: &[&str]) -> Command {
    match words {
        ["pause", names @ ..] => Command::Pause { shards: selection(names) },
        ["resume", names @ ..] => Command::Resume { shards: selection(names) },
        ["kill", names @ ..] => Command::Kill { shards: selection(names) },
        ["requeue", names @ ..] => Command::Requeue { shards: selection(names) },
        ["edit", name, new] => {
            let edit =
                VariableEdit { name: "v".into(), old: Value::Integer(0), new: Value::String((*new).into()) };
            let edit = Edit { variables: vec![edit], ..Edit::default() };
            Command::RequeueEdited { shard: ShardId::new(*name).unwrap(), edit }
        }
        ["undo", names @ ..] => Command::Undo { shards: selection(names) },
        ["priority", number, names @ ..] => {
            Command::SetPriority { shards: selection(names), priority: Priority(number.parse().unwrap()) }
        }
        ["reserve", amount] => Command::SetReserve { vram: gib(amount) },
        ["stop"] => Command::Stop { now: false },
        ["stop", "now"] => Command::Stop { now: true },
        ["continue"] => Command::Continue,
        ["parallel", count] => Command::SetParallel { parallel: count.parse().unwrap() },
        ["ping"] => Command::Ping,
        other => panic!("unknown input {other:?}"),
    }
}

fn selection(names: &[&str]) -> Selection {
    match names {
        ["all"] => Selection::All,
        ["failed"] => Selection::Failed,
        names => Selection::These(names.iter().map(|name| ShardId::new(*name).unwrap()).collect()),
    }
}

/// `a` is the newest attempt of shard a, `a#1` its first.
fn attempt(world: &World, text: &str) -> AttemptKey {
    match text.split_once('#') {
        Some((name, number)) => key(name, number.parse().unwrap()),
        None => {
            let shard = world.state.shard(&ShardId::new(text).unwrap()).unwrap();
            AttemptKey { shard: shard.id.clone(), attempt: shard.attempt.unwrap() }
        }
    }
}

fn end(how: &[&str]) -> Outcome {
    match how {
        ["ok"] => outcome(Verdict::Succeeded, Some(ExitStatus { raw: 0 })),
        ["code", code] => {
            let raw = code.parse::<i32>().unwrap() << 8;
            outcome(failed(FailureReason::ExitCode), Some(ExitStatus { raw }))
        }
        ["signal", number] => {
            let raw = number.parse().unwrap();
            outcome(failed(FailureReason::Signal), Some(ExitStatus { raw }))
        }
        // Announced by a supervisor that died before its holder ran anything.
        ["unstarted"] => Outcome { elapsed: None, ..outcome(failed(FailureReason::Lost), None) },
        // Successes of so many episodes.
        ["won", counts] => {
            let (successes, episodes) = counts.split_once('/').unwrap();
            let metrics = [("successes", successes), ("episodes", episodes)];
            let metrics = metrics.map(|(name, count)| (name.to_owned(), count.parse().unwrap()));
            Outcome { metrics: metrics.into(), ..end(&["ok"]) }
        }
        ["cancelled"] => outcome(Verdict::Cancelled, Some(ExitStatus { raw: 2 })),
        [how @ .., "took", time] => Outcome { elapsed: Some(duration(time)), ..end(how) },
        [how @ .., "beside", amount] => {
            let mut outcome = end(how);
            outcome.memory_holders.push(MemoryHolder { pid: 4711, held: gib(amount), stranger: true });
            outcome
        }
        [how @ .., "peak", amount] => {
            let mut outcome = end(how);
            outcome.peaks.vram = Some(gib(amount));
            outcome
        }
        [word] => {
            let reason = FailureReason::ALL.into_iter().find(|reason| reason.as_str() == *word).unwrap();
            outcome(failed(reason), None)
        }
        other => panic!("unknown end {other:?}"),
    }
}

/// An amount of memory in GiB.
pub fn gib(text: &str) -> Bytes {
    Bytes((text.parse::<f64>().unwrap() * f64::from(1 << 30)) as u64)
}

fn duration(text: &str) -> Duration {
    parse_duration(text).unwrap()
}
