//! The supervisor process: takes the run over, then takes events, decides, records and acts until nothing is
//! left to do.

use std::mem;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep_until};
use tracing::{info, warn};

use super::{guard, start};
use crate::engine::event::Engine;
use crate::engine::local::LocalEngine;
use crate::engine::spawner::Hold;
use crate::model::attempt::ProcessIdentity;
use crate::model::ids::RunId;
use crate::model::machine::host_bounds::format_ranges;
use crate::model::state::run_info::SupervisorInfo;
use crate::model::sweep::hook::{Hook, HookSource};
use crate::model::units::duration_between;
use crate::process::affinity;
use crate::process::start::title;
use crate::rundir::error::RunDirError;
use crate::rundir::layout::RunDir;
use crate::rundir::machine_wide::discover;
use crate::rundir::{clock, lock, plans, residence, trust};
use crate::supervisor::attempts::holders;
use crate::supervisor::control::{self, WakeWatch};
use crate::supervisor::error::SupervisorError;
use crate::supervisor::event::SupervisorEvent;
use crate::supervisor::event_loop::Supervisor;
use crate::supervisor::hooks::calls::Hooks;
use crate::supervisor::measurements::allocation_watch::find_allocation;
use crate::supervisor::record::Record;

/// A supervisor of an ended run answers this long: a user who looks at the end may still requeue.
const AFTER_END: Duration = Duration::from_secs(3);

/// Enough for more running attempts than any machine has; a table for more would only cost memory.
const ENOUGH_DESCRIPTORS: u64 = 65_536;

/// How long after a sleep of the machine a time-out may be late.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

/// Supervises a run until it needs no supervisor any more, after a pause. Called right after a fork, before any thread
/// exists.
pub(in crate::supervisor) fn supervise_run(
    run: &RunDir,
    hold: Hold,
    (keeper, pause): (&ProcessIdentity, Duration),
    moves_here: bool,
    own_hook: Option<&Hook>,
) -> Result<(), SupervisorError> {
    title::set_name("sweepdeck-super");
    let result = fork_spawner(run, hold, (keeper, pause), moves_here)
        .and_then(|engine| take_over(run, engine, keeper, moves_here, own_hook));
    if let Err(error) = &result {
        warn!("{error}");
        // A keeper that died as well, for example together with the spawner, starts no other supervisor.
        if !error.is_lasting()
            && guard::has_died(keeper)
            && let Err(error) = start::launch_supervisor(run)
        {
            warn!("no other keeper can be started: {error}");
        }
    }
    result
}

/// Forks the spawner, and waits for the end of the pause: a run has all its guards meanwhile.
fn fork_spawner(
    run: &RunDir,
    hold: Hold,
    (keeper, pause): (&ProcessIdentity, Duration),
    moves_here: bool,
) -> Result<LocalEngine, SupervisorError> {
    let fork = || {
        // Before anything of it is believed.
        trust::verify_run(run)?;
        if !moves_here {
            keep_to_cores(run)?;
        }
        Ok(LocalEngine::fork(run.path(), hold, || guard::guard_run(run, keeper))?)
    };
    let engine = fork();
    if let Err(gone) = guard::pause_beside(keeper, pause) {
        // Its spawner is not dismissed: it guards the run until another supervisor lives.
        mem::forget(engine);
        return Err(gone);
    }
    // Only now, because a failure is no reason to hurry.
    engine
}

/// Called after the fork of the spawner: holders are forked from it, and would keep the lock of a supervisor that died.
fn take_over(
    run: &RunDir,
    engine: LocalEngine,
    keeper: &ProcessIdentity,
    moves_here: bool,
    own_hook: Option<&Hook>,
) -> Result<(), SupervisorError> {
    raise_descriptors();
    let Some(_lock) = lock::acquire_lock(&run.supervisor_lock())? else {
        info!("another process supervises {}", run.path().display());
        // Another one supervises; that is what was wanted.
        return Ok(());
    };
    match residence::refuse_elsewhere(run) {
        Err(RunDirError::Elsewhere { .. }) if moves_here => {
            // The lock is held and the old supervisor gave no sign: from now on the run belongs here.
            residence::move_here(run)?;
            let _ = run.supervisor_json().remove();
        }
        refused => refused?,
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(SupervisorError::system("start the event loop"))?;
    let result = runtime.block_on(serve_run(run, Box::new(engine), keeper, own_hook));
    // A blocking task may still wait for a holder that never answers; nothing waits for it.
    runtime.shutdown_background();
    result
}

/// Restricts the process to the cores that the start of the run was given, no matter who starts its supervisor now:
/// before the spawner is forked, so that shards inherit them too.
fn keep_to_cores(run: &RunDir) -> Result<(), SupervisorError> {
    let Some(cores) = discover::read_info(run)?.cores else { return Ok(()) };
    if let Err(error) = affinity::restrict_cores(&cores) {
        warn!("the cores {} of its start cannot be used: {error}", format_ranges(&cores));
    }
    Ok(())
}

/// A supervisor holds two descriptors for each running attempt. The programs keep the limit that the user gave: their
/// holders come from the spawner, which was forked before.
fn raise_descriptors() {
    let limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.map_or(ENOUGH_DESCRIPTORS, |most| most.min(ENOUGH_DESCRIPTORS));
    if limit.current.is_some_and(|current| current < most) {
        // Where it is refused, logs are closed when descriptors run short.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(most), ..limit });
    }
}

async fn serve_run(
    run: &RunDir,
    engine: Box<dyn Engine>,
    keeper: &ProcessIdentity,
    own_hook: Option<&Hook>,
) -> Result<(), SupervisorError> {
    let (event_tx, mut heard) = unbounded_channel();
    let record = Record::open(run)?;
    let announced = control::announce_supervisor(run)?;
    let mut wake_watch = WakeWatch::begin(run, announced.process.clone());
    let info = discover::read_info(run)?;
    let plan = plans::read_first_plan(run)?;
    let sweep_hook = plan.hook.clone().map(|hook| (HookSource::Sweep, hook));
    let own_hook = own_hook.cloned().map(|hook| (HookSource::Settings, hook));
    let (called, named) = (sweep_hook.into_iter().chain(own_hook).collect(), info.clone());
    let mut supervisor = Supervisor::new(run.clone(), record, info, plan, engine, event_tx.clone(), keeper)?;
    tokio::spawn(listen_when_usable(
        run.clone(),
        supervisor.run_id().clone(),
        announced,
        event_tx.clone(),
        supervisor.executor.reading.when_compiled(),
    ));
    // Before the first decision: what is started from now on is not found, it is reported.
    if !supervisor.scheduler.policy.deals() {
        holders::look_at_all(&event_tx, run, supervisor.state());
    }
    let mut hooks = Hooks::new(run, &named, called, supervisor.state(), event_tx.clone());
    let lives_in = find_allocation(supervisor.state().allocation.as_ref(), event_tx.clone());
    supervisor.begin_supervising(lives_in).await?;
    info!("supervises {}", run.path().display());
    let mut leave_at = Instant::now() + AFTER_END;
    let mut keeper_gone = pin!(holders::wait_for_end(keeper));
    loop {
        hooks.observe_state(supervisor.state());
        let wake = supervisor.wake_at().map(instant_of);
        tokio::select! {
            first = heard.recv() => {
                wake_watch.refuse_replaced()?;
                let batch = collect_batch(first, &mut heard);
                hooks.release_ended(&batch);
                // Looks at the machine come every second, and would keep the supervisor of an ended run for ever.
                let is_news = !supervisor.is_done() || batch.iter().any(is_command);
                supervisor.handle_batch(batch).await?;
                if is_news {
                    leave_at = Instant::now() + AFTER_END;
                }
            }
            () = sleep_until(wake.unwrap_or(leave_at)), if wake.is_some() => {
                wake_watch.refuse_replaced()?;
                supervisor.handle_batch(Vec::new()).await?;
            }
            () = &mut keeper_gone, if !supervisor.is_done() => {
                // Its spawner is not dismissed: it guards the run until another supervisor lives.
                mem::forget(supervisor);
                return Err(SupervisorError::KeeperGone);
            }
            () = sleep_until(leave_at), if supervisor.is_done() => {
                if let Some(untold) = hooks.give_up() {
                    supervisor.handle_batch(vec![untold]).await?;
                }
                info!("the run needs no supervisor any more");
                return Ok(());
            }
        }
    }
}

/// Nothing is promised to a client by a supervisor that is about to give up; its first shards start meanwhile.
async fn listen_when_usable(
    run: RunDir,
    id: RunId,
    announced: SupervisorInfo,
    event_tx: UnboundedSender<SupervisorEvent>,
    usable: Arc<Notify>,
) {
    usable.notified().await;
    if let Err(error) = control::listen_for_commands(&run, &id, announced, &event_tx) {
        let _ = event_tx.send(SupervisorEvent::Fatal(error));
    }
}

/// All events that have arrived: one decision and one sync of the journal for all of them.
fn collect_batch(
    first: Option<SupervisorEvent>,
    heard: &mut UnboundedReceiver<SupervisorEvent>,
) -> Vec<SupervisorEvent> {
    let mut batch: Vec<SupervisorEvent> = first.into_iter().collect();
    while let Ok(more) = heard.try_recv() {
        batch.push(more);
    }
    batch.retain(|heard| !is_abandoned(heard));
    batch
}

/// The client of a command has given up: what it was told could not be done must not be done later.
fn is_abandoned(heard: &SupervisorEvent) -> bool {
    let SupervisorEvent::Command { command, by, reply } = heard else { return false };
    if reply.is_closed() {
        warn!("user {} gave up waiting, and this is not done: {command:?}", by.uid);
    }
    reply.is_closed()
}

fn is_command(heard: &SupervisorEvent) -> bool {
    matches!(heard, SupervisorEvent::Command { .. })
}

/// Returns when to look whether it is that time. Timers stop while the machine sleeps and the run's clock does not, so
/// that no timer is far away.
fn instant_of(at: Timestamp) -> Instant {
    Instant::now() + duration_between(clock::now(), at).min(LOOK_AGAIN)
}
