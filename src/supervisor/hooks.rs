//! Calls the user's hook. Each call is a process of its own that nobody waits for: a hook may hang, and the run goes on.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

use jiff::Timestamp;
use tokio::sync::mpsc::UnboundedSender;

use super::heard::Heard;
use super::log::log;
use crate::model::hook::{Hook, HookMoment};
use crate::model::run_info::RunInfo;
use crate::model::run_state::RunState;
use crate::process::detach::OWN_PROGRAM;
use crate::results::hook_calls::{Call, Told};
use crate::rundir::layout::RunDir;

/// The hook of a run.
pub(super) struct Hooks {
    run: RunDir,
    info: RunInfo,
    hook: Option<Hook>,
    told: Told,
    hear: UnboundedSender<Heard>,
}

impl Hooks {
    /// Nothing of what is in the journal already is told.
    pub(super) fn new(
        run: &RunDir,
        info: &RunInfo,
        hook: Option<Hook>,
        state: &RunState,
        hear: UnboundedSender<Heard>,
    ) -> Self {
        Self { run: run.clone(), info: info.clone(), hook, told: Told::of(state), hear }
    }

    /// Calls the hook where something has happened that it is to be told.
    pub(super) fn see(&mut self, state: &RunState) {
        let Some(hook) = &self.hook else { return };
        for call in self.told.calls(hook, &self.info, self.run.path(), state, Timestamp::now()) {
            if let Err(error) = self.call(&call) {
                log(&format!("the hook cannot be called: {error}"));
            }
        }
    }

    fn call(&self, call: &Call) -> std::io::Result<()> {
        let document = serde_json::to_string(call)?;
        // This process does not outlive the run for long; then the caller of the hook tells `supervisor.log` itself.
        let ends = call.event == HookMoment::RunEnded;
        let out = if ends { rustix::io::dup(rustix::stdio::stderr())?.into() } else { Stdio::piped() };
        let mut caller = Command::new(OWN_PROGRAM)
            .arg("call-hook")
            .arg(self.run.path())
            .stdin(Stdio::piped())
            .stdout(out)
            .spawn()?;
        // A document is shorter than what a pipe holds, so this waits for nobody.
        let fed = caller.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(document.as_bytes()));
        let hear = self.hear.clone();
        std::thread::Builder::new().name("hook".to_owned()).spawn(move || listen(caller, &hear))?;
        fed
    }
}

/// Hears how it went.
fn listen(mut caller: Child, hear: &UnboundedSender<Heard>) {
    let mut text = String::new();
    if let Some(mut out) = caller.stdout.take() {
        let _ = out.read_to_string(&mut text);
    }
    let _ = caller.wait();
    for line in text.lines() {
        // Nobody hears it while the supervisor ends.
        let _ = hear.send(Heard::Trouble { about: None, text: line.to_owned() });
    }
}
