//! Calls the user's hook. Each call is a process of its own that the run never waits for: a hook may hang.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

use tokio::sync::mpsc::UnboundedSender;

use super::hook_queue::HookQueue;
use crate::model::state::run_info::RunInfo;
use crate::model::state::run_state::RunState;
use crate::model::sweep::hook::{Hook, HookMoment};
use crate::process::start::detach::OWN_PROGRAM;
use crate::results::faces::hook_calls::{Call, HookHistory};
use crate::rundir::clock;
use crate::rundir::layout::RunDir;
use crate::supervisor::heard::SupervisorEvent;
use crate::supervisor::log::log_line;

/// The hook of a run.
pub(in crate::supervisor) struct Hooks {
    run: RunDir,
    info: RunInfo,
    hook: Option<Hook>,
    told: HookHistory,
    queue: HookQueue,
    hear: UnboundedSender<SupervisorEvent>,
}

impl Hooks {
    /// Creates the hooks of a run; nothing that is in the journal already is reported to them.
    pub(in crate::supervisor) fn new(
        run: &RunDir,
        info: &RunInfo,
        hook: Option<Hook>,
        state: &RunState,
        hear: UnboundedSender<SupervisorEvent>,
    ) -> Self {
        let queue = HookQueue::default();
        Self { run: run.clone(), info: info.clone(), hook, told: HookHistory::from_state(state), queue, hear }
    }

    /// Calls that have ended make room for others.
    pub(in crate::supervisor) fn release_ended(&mut self, batch: &[SupervisorEvent]) {
        let ended = batch.iter().filter(|heard| matches!(heard, SupervisorEvent::HookEnded)).count();
        (0..ended).for_each(|_| self.queue.note_ended());
    }

    /// Calls the hook where something has happened that it is to be given.
    pub(in crate::supervisor) fn observe_state(&mut self, state: &RunState) {
        let Some(hook) = &self.hook else { return };
        let calls = self.told.due_calls(hook, &self.info, self.run.path(), state, clock::now());
        for call in calls {
            match call.event {
                // This process ends soon, and would take a call that waits with it.
                HookMoment::RunEnded => {
                    self.begin_waiting();
                    self.queue.note_begun();
                    self.begin_call(&call);
                }
                HookMoment::FirstFailure | HookMoment::Failure => self.queue.put(call),
            }
        }
        self.begin_waiting();
        if let Some(remark) = report_dropped(self.queue.take_dropped()) {
            // The receiver is gone while the supervisor ends.
            let _ = self.hear.send(remark);
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

    fn begin_call(&mut self, call: &Call) {
        if let Err(error) = self.spawn_caller(call) {
            self.queue.note_ended();
            let text = format!("the hook cannot be called: {error}");
            // Nothing receives it while the supervisor ends.
            let _ = self.hear.send(SupervisorEvent::HookFailed { text });
        }
    }

    fn spawn_caller(&self, call: &Call) -> std::io::Result<()> {
        let document = serde_json::to_string(call)?;
        let mut caller = Command::new(OWN_PROGRAM)
            .arg("call-hook")
            .arg(self.run.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        // A document is shorter than what a pipe holds, so this does not wait.
        if let Some(Err(error)) = caller.stdin.take().map(|mut stdin| stdin.write_all(document.as_bytes())) {
            log_line(&format!("the hook cannot be told what happened: {error}"));
        }
        let hear = self.hear.clone();
        std::thread::Builder::new().name("hook".to_owned()).spawn(move || wait_for_caller(caller, &hear))?;
        Ok(())
    }
}

fn report_dropped(failures: usize) -> Option<SupervisorEvent> {
    let text = match failures {
        0 => return None,
        1 => "1 failure was not told to the hook: its earlier calls took too long".to_owned(),
        _ => format!("{failures} failures were not told to the hook: its earlier calls took too long"),
    };
    Some(SupervisorEvent::HookFailed { text })
}

/// Reports what the caller prints, and its end.
fn wait_for_caller(mut caller: Child, hear: &UnboundedSender<SupervisorEvent>) {
    let mut text = String::new();
    if let Some(mut out) = caller.stdout.take() {
        let _ = out.read_to_string(&mut text);
    }
    let _ = caller.wait();
    let trouble = text.lines().map(|line| SupervisorEvent::HookFailed { text: line.to_owned() });
    for heard in trouble.chain([SupervisorEvent::HookEnded]) {
        // The receiver is gone while the supervisor ends.
        let _ = hear.send(heard);
    }
}
