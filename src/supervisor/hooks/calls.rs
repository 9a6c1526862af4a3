//! Calls the user's hook. Each call is a process of its own that the run never waits for: a hook may hang.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

use tokio::sync::mpsc::UnboundedSender;
use tracing::warn;

use super::hook_queue::HookQueue;
use crate::model::state::run_info::RunInfo;
use crate::model::state::run_state::RunState;
use crate::model::sweep::hook::{Hook, HookMoment, HookSource};
use crate::process::start::detach::OWN_PROGRAM;
use crate::results::faces::hook_calls::{Call, HookHistory};
use crate::rundir::clock;
use crate::rundir::layout::RunDir;
use crate::supervisor::event::SupervisorEvent;

/// The hooks of a run: of its sweep, and of the user's settings.
pub(in crate::supervisor) struct Hooks {
    run: RunDir,
    info: RunInfo,
    hooks: Vec<(HookSource, Hook)>,
    told: HookHistory,
    queue: HookQueue,
    event_tx: UnboundedSender<SupervisorEvent>,
}

impl Hooks {
    /// Creates the hooks of a run; nothing that is in the journal already is reported to them.
    pub(in crate::supervisor) fn new(
        run: &RunDir,
        info: &RunInfo,
        hooks: Vec<(HookSource, Hook)>,
        state: &RunState,
        event_tx: UnboundedSender<SupervisorEvent>,
    ) -> Self {
        let queue = HookQueue::default();
        Self {
            run: run.clone(),
            info: info.clone(),
            hooks,
            told: HookHistory::from_state(state),
            queue,
            event_tx,
        }
    }

    /// Calls that have ended make room for others.
    pub(in crate::supervisor) fn release_ended(&mut self, batch: &[SupervisorEvent]) {
        let ended = batch.iter().filter(|heard| matches!(heard, SupervisorEvent::HookEnded)).count();
        (0..ended).for_each(|_| self.queue.note_ended());
    }

    /// Calls each hook where something has happened that it is to be given.
    pub(in crate::supervisor) fn observe_state(&mut self, state: &RunState) {
        if self.hooks.is_empty() {
            return;
        }
        let calls = self.told.due_calls(&self.hooks, &self.info, self.run.path(), state, clock::now());
        for call in calls {
            match call.1.event {
                // This process ends soon, and would take a call that waits with it.
                HookMoment::RunEnded => {
                    self.begin_waiting();
                    self.queue.note_begun();
                    self.begin_call(&call);
                }
                HookMoment::FirstFailure
                | HookMoment::Failure
                | HookMoment::NeedsInput
                | HookMoment::Stuck => self.queue.put(call),
            }
        }
        self.begin_waiting();
        if let Some(remark) = report_dropped(self.queue.take_dropped()) {
            // The receiver is gone while the supervisor ends.
            let _ = self.event_tx.send(remark);
        }
    }

    /// The supervisor ends and waits for no call; returns the remark on those that will not be made.
    pub(in crate::supervisor) fn give_up(&mut self) -> Option<SupervisorEvent> {
        report_dropped(self.queue.give_up())
    }

    fn begin_waiting(&mut self) {
        while let Some(call) = self.queue.next() {
            self.begin_call(&call);
        }
    }

    fn begin_call(&mut self, call: &(HookSource, Call)) {
        if let Err(error) = self.spawn_caller(call) {
            self.queue.note_ended();
            let text = format!("the hook cannot be called: {error}");
            // Nothing receives it while the supervisor ends.
            let _ = self.event_tx.send(SupervisorEvent::HookFailed { text });
        }
    }

    fn spawn_caller(&self, (source, call): &(HookSource, Call)) -> std::io::Result<()> {
        let document = serde_json::to_string(call)?;
        let of_settings: &[&str] = match source {
            HookSource::Sweep => &[],
            HookSource::Settings => &["--settings"],
        };
        let mut caller = Command::new(OWN_PROGRAM)
            .arg("call-hook")
            .args(of_settings)
            .arg(self.run.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        // A document is shorter than what a pipe holds, so this does not wait.
        if let Some(Err(error)) = caller.stdin.take().map(|mut stdin| stdin.write_all(document.as_bytes())) {
            warn!("the hook cannot be told what happened: {error}");
        }
        let event_tx = self.event_tx.clone();
        std::thread::Builder::new()
            .name("hook".to_owned())
            .spawn(move || wait_for_caller(caller, &event_tx))?;
        Ok(())
    }
}

fn report_dropped(calls: usize) -> Option<SupervisorEvent> {
    let text = match calls {
        0 => return None,
        1 => "1 call of the hook was left out: the earlier ones took too long".to_owned(),
        _ => format!("{calls} calls of the hook were left out: the earlier ones took too long"),
    };
    Some(SupervisorEvent::HookFailed { text })
}

/// Reports what the caller prints, and its end.
fn wait_for_caller(mut caller: Child, event_tx: &UnboundedSender<SupervisorEvent>) {
    let mut text = String::new();
    if let Some(mut out) = caller.stdout.take() {
        let _ = out.read_to_string(&mut text);
    }
    let _ = caller.wait();
    let trouble = text.lines().map(|line| SupervisorEvent::HookFailed { text: line.to_owned() });
    for heard in trouble.chain([SupervisorEvent::HookEnded]) {
        // The receiver is gone while the supervisor ends.
        let _ = event_tx.send(heard);
    }
}
