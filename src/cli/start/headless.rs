//! Waiting for a run in the foreground without a dashboard: a line per ended shard, and the table at the end.

use jiff::tz::TimeZone;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::cli::addressing::control;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::cli::overview::watch::{JournalWatch, block_on, complain_of_missing_results, exit_of};
use crate::cli::verbs::wait::{Keeping, LOOK_AFTER};
use crate::model::cancel_cause::CancelCause;
use crate::model::command::Command;
use crate::model::ids::ShardId;
use crate::model::nodes::node_event::NodeEvent;
use crate::model::outcome::{Outcome, Verdict};
use crate::model::state::event_groups::events;
use crate::model::state::fact::{Event, Fact};
use crate::model::state::phase::QueueCause;
use crate::model::state::run_state::RunState;
use crate::model::sweep::edit::Edit;
use crate::model::sweep::plan::Plan;
use crate::model::sweep::split::{PackSplit, SplitCause};
use crate::model::units::format_duration;
use crate::process::slurm::own_job;
use crate::results::faces::text;
use crate::rundir::layout::RunDir;
use crate::supervisor::lifetime::start;
use crate::tui::model::words::describe_event;

/// Starts the supervisor and waits for the end of the run.
pub fn run_to_end(run: &RunDir, plan: &Plan) -> Result<CliExit, CliError> {
    let state = match block_on(until_ended(run, plan.only_watches()))? {
        WaitOutcome::Ended(state) => state,
        WaitOutcome::HungUp => return Ok(CliExit::Done),
        WaitOutcome::Left => {
            let path = run.path().display();
            output::print_message(&format!(
                "still watching; nothing was signalled. Look again with: sweepdeck attach {path}"
            ));
            return Ok(CliExit::Done);
        }
    };
    let mut plan = plan.clone();
    plan.catch_up(&state);
    output::print_text(&text::render_results_text(&plan, &state))?;
    output::print_message(&format!("results are in {}", run.results_folder().display()));
    complain_of_missing_results(run, &state);
    Ok(exit_of(&state))
}

enum WaitOutcome {
    Ended(Box<RunState>),
    /// The terminal is gone; the run goes on.
    HungUp,
    /// The user has left a run that only watches, which goes on.
    Left,
}

async fn until_ended(run: &RunDir, only_watches: bool) -> Result<WaitOutcome, CliError> {
    let mut interrupts = Interrupts { signal: listen_for(SignalKind::interrupt())?, heard: 0 };
    let mut hang_up = listen_for(SignalKind::hangup())?;
    // Slurm announces the end of a job by the one that `--signal` names, and by SIGTERM in any case. Elsewhere SIGTERM
    // ends this client alone, and the run goes on.
    let mut announced = listen_for(SignalKind::user_defined1())?;
    let mut terminate = own_job::find_own_job().map(|_| listen_for(SignalKind::terminate())).transpose()?;
    // After the signals are listened for: a shard may run before anything else happens here.
    start::launch_supervisor(run)?;
    let mut watch = JournalWatch::open(run);
    let mut keeping = Keeping::default();
    let mut look = tokio::time::interval_at(tokio::time::Instant::now() + LOOK_AFTER, LOOK_AFTER);
    loop {
        for fact in watch.catch_up()? {
            if let Some(line) = describe_fact(&fact, watch.state()) {
                output::print_message(&line);
            }
        }
        if watch.has_ended() {
            return Ok(WaitOutcome::Ended(Box::new(watch.state().clone())));
        }
        tokio::select! {
            () = watch.wait_for_growth() => {}
            _ = look.tick() => keeping.check_supervisor(run)?,
            _ = hang_up.recv() => return Ok(WaitOutcome::HungUp),
            _ = announced.recv() => drain_run(run),
            () = hear_signal(terminate.as_mut()) => drain_run(run),
            // A user who stops looking does not want processes stopped that something else started.
            _ = interrupts.signal.recv() => {
                if only_watches {
                    return Ok(WaitOutcome::Left);
                }
                interrupts.next(run);
            }
        }
    }
}

fn listen_for(kind: SignalKind) -> Result<Signal, CliError> {
    signal(kind).map_err(CliError::system("listen for signals"))
}

/// The machine will be taken away: what runs goes on as far as it comes, and nothing more is started.
fn drain_run(run: &RunDir) {
    output::print_message("the end was announced: starting nothing more");
    if let Err(error) = control::ask_supervisor(run, Command::Stop { now: false }) {
        output::report_error(&error);
    }
}

/// Waits for the signal; for ever where none is listened for.
async fn hear_signal(signal: Option<&mut Signal>) {
    match signal {
        Some(signal) => _ = signal.recv().await,
        None => std::future::pending().await,
    }
}

struct Interrupts {
    signal: Signal,
    heard: u32,
}

impl Interrupts {
    /// The first one drains, each further one stops.
    fn next(&mut self, run: &RunDir) {
        self.heard += 1;
        let now = self.heard > 1;
        output::print_message(if now {
            "stopping everything"
        } else {
            "starting nothing more; press Ctrl-C again to stop running shards too"
        });
        if let Err(error) = control::ask_supervisor(run, Command::Stop { now }) {
            output::report_error(&error);
        }
    }
}

/// Describes a fact in a line for people, where it is news to a user who only waits.
fn describe_fact(fact: &Fact, state: &RunState) -> Option<String> {
    Some(match &fact.event {
        Event::AttemptEnded { shard, outcome, .. } if state.service(shard).is_some() => {
            format!("service {shard} {}", service_end(outcome))
        }
        Event::AttemptEnded { shard, outcome, .. } => {
            let ended = state.shards.iter().filter(|shard| shard.phase.kind().is_final()).count();
            format!("[{ended}/{}] {shard} {}", state.shards.len(), outcome_words(outcome))
        }
        Event::ShardCancelled { shard, cause: CancelCause::Asked, .. } => {
            format!("{shard} taken out of the queue")
        }
        // The decision before it is printed for all.
        Event::ShardCancelled { cause: CancelCause::ComparisonDecided | CancelCause::NotHere, .. } => {
            return None;
        }
        Event::ComparisonDecided(decided) => {
            format!("{}; what is queued for it is not started", decided.to_text())
        }
        Event::ShardQueued { shard, step: Some(step), .. } => {
            format!("{shard} is tried again by {}: {}", step.on.key(), step.words)
        }
        Event::ShardQueued { shard, cause, edit, .. } => describe_queued(shard, *cause, edit.as_deref())?,
        Event::RequeueUndone { shard, .. } => format!("{shard} is taken back out of the queue"),
        Event::PackSplit(PackSplit { shard, other, cause: SplitCause::AutoSize, keeps, .. }) => {
            format!("{shard} begins with {keeps} of its values; the others become {other}")
        }
        Event::PackSplit(PackSplit { shard, other, keeps, .. }) => {
            let why = "is too large for the memory";
            format!("{shard} {why}: it keeps {keeps} of its values, the others become {other}")
        }
        Event::ShardsHeld { shards, reason } => {
            let names: Vec<&str> = shards.iter().take(3).map(|shard| shard.as_str()).collect();
            let more = if shards.len() > 3 { ", …" } else { "" };
            format!("held: {}{more}: {reason}", names.join(", "))
        }
        Event::ServiceReady { shard, port, .. } => {
            let port = port.map_or_else(String::new, |port| format!(" on port {port}"));
            format!("{shard} is ready{port}")
        }
        Event::Remarked { text, .. } => text.clone(),
        Event::ValuesAdded(_)
        | Event::StopRequested { job: Some(_), .. }
        | Event::WatchEnded { .. }
        | Event::RunHeld { .. }
        | Event::HoldsReleased { .. }
        | Event::GpuAvoided { .. }
        | Event::RunWarned { .. }
        | Event::EpisodesRepeated { .. } => describe_event(fact, &TimeZone::system()).1,
        Event::StartsClosed { opens, because, .. } => because.to_text(*opens, fact.at, &TimeZone::system()),
        Event::StartsOpened { .. } => "shards may start".to_owned(),
        // The warnings of the preflight were printed when the run was made; how the reporter ended is printed at the
        // end, with what to do.
        Event::Node(event) => match &**event {
            NodeEvent::StandingChanged { .. }
            | NodeEvent::GivenUp { .. }
            | NodeEvent::ShardTakenBack { .. } => describe_event(fact, &TimeZone::system()).1,
            NodeEvent::OrderDone { notes, .. } if !notes.is_empty() => notes.join("; "),
            NodeEvent::Begun { .. }
            | NodeEvent::OrderGiven { .. }
            | NodeEvent::OrderDone { .. }
            | NodeEvent::ShardReceived(_)
            | NodeEvent::ShardReturned { .. } => return None,
        },
        events!(attempts | beginnings | stages)
        | Event::PreflightWarned { .. }
        | Event::ServiceAdded { .. }
        | Event::ParallelChanged { .. }
        | Event::PriorityChanged { .. }
        | Event::ReserveChanged { .. }
        | Event::GpusChosen { .. }
        | Event::ReporterEnded { .. } => return None,
    })
}

fn describe_queued(shard: &ShardId, cause: QueueCause, edit: Option<&Edit>) -> Option<String> {
    let again = match cause {
        QueueCause::Retry | QueueCause::Lost | QueueCause::Step => "is tried again".to_owned(),
        QueueCause::Resumed => "continues where it stopped".to_owned(),
        QueueCause::GpuOom => "is tried again with more GPU memory".to_owned(),
        QueueCause::ForeignOom => "waits for the GPU memory that others took".to_owned(),
        QueueCause::HostOom => "is tried again beside fewer others".to_owned(),
        QueueCause::GpuLost => "is tried again on another GPU".to_owned(),
        QueueCause::User => match edit {
            Some(edit) => format!("is queued again, edited: {edit}"),
            None => "is queued again".to_owned(),
        },
        QueueCause::ServiceLost => "is tried again: its service ended".to_owned(),
        QueueCause::NodeGone => "is run elsewhere: its node is gone".to_owned(),
        QueueCause::Split
        | QueueCause::New
        | QueueCause::Needed
        | QueueCause::Recovered
        | QueueCause::PutBack => return None,
    };
    Some(format!("{shard} {again}"))
}

/// Words the end of a service: a service succeeds at nothing, it ends when it is asked to.
fn service_end(outcome: &Outcome) -> String {
    match &outcome.verdict {
        Verdict::Succeeded | Verdict::Cancelled => "ended".to_owned(),
        Verdict::Failed(_) => outcome_words(outcome),
    }
}

fn outcome_words(outcome: &Outcome) -> String {
    let length = outcome.elapsed.map_or_else(String::new, |length| format!(" ({})", format_duration(length)));
    match &outcome.verdict {
        Verdict::Succeeded => format!("succeeded{length}"),
        Verdict::Failed(failure) => format!("failed, {}{length}", failure.to_sentence()),
        Verdict::Cancelled => format!("cancelled{length}"),
    }
}
