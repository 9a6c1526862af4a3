//! The start of an attempt: terminal, log, program, socket, and the record that it runs.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::os::fd::AsFd;
use std::path::Path;
use std::time::Instant;

use rustix::process::{Pid, WaitOptions, waitpid};

use super::attach::Attach;
use super::error::SessionError;
use super::holder_loop::Conversation;
use super::isolation::Isolated;
use super::launch_error;
use super::lifecycle::Lifecycle;
use super::output::Output;
use super::output_log::OutputLog;
use super::processes::Processes;
use super::relief::Relief;
use super::supervisor_watch::SupervisorWatch;
use super::terminal::Terminal;
use crate::model::attempt::{HolderOrder, StartRecord};
use crate::model::state::run_info::RUN_VERSION;
use crate::process::containers::Containers;
use crate::process::start::launch::{self, Launched};
use crate::process::start::program::Program;
use crate::process::tag::AttemptTag;
use crate::process::{identity, shortage};
use crate::rundir::layout::{AttemptDir, RunDir};
use crate::rundir::{clock, records};

/// Starts what was ordered. An error means that nothing runs.
pub fn start_program(
    attempt: &AttemptDir,
    order: &HolderOrder,
    secluded: Isolated,
) -> Result<(Conversation, StartRecord), SessionError> {
    let (terminal, slave) = Terminal::open(order.size)?;
    let log_path = attempt.output_log();
    let log = OutputLog::open(&log_path)
        .map_err(|source| SessionError::Log { path: log_path.full_path().to_owned(), source })?;
    let runtime_folder = order.socket.parent().map_or_else(env::temp_dir, Path::to_owned);
    let relief = Relief::new(terminal.reader(), runtime_folder)?;
    let tag = AttemptTag::new(&order.run_dir, &order.key);
    let environment = build_environment(order, &tag);
    let program = Program {
        argv: &order.argv,
        env: &environment,
        cwd: &order.cwd,
        cores: &order.cores,
        nice: order.nice,
        oom_score_adj: secluded.oom_score_adj.as_deref(),
    }
    .prepare()?;
    let now = Instant::now();
    let started = clock::now();
    let launched = launch::launch_child(&program, slave.descriptor.as_fd())?;
    let main = launched.pid;
    // The socket is bound while the kernel loads the program.
    let attach = Attach::open(&order.socket, now);
    await_success(launched, order, environment.get(OsStr::new("PATH")))?;
    let started = StartRecord {
        version: RUN_VERSION,
        child: identity::identify_process(main)?,
        holder: identity::identify_self()?,
        tty: slave.name,
        socket: order.socket.clone(),
        started,
    };
    let mut conversation = Conversation {
        terminal,
        output: Output::new(log, relief),
        children: secluded.children,
        processes: Processes::new(main, tag, Containers::in_folder(attempt.containers_folder().full_path())),
        course: Lifecycle::new(order.linger, order.grace),
        attach,
        watch: SupervisorWatch::new(RunDir::at(&order.run_dir), secluded.oom_score_adj, now),
    };
    // After the fork, and before anything that may hang while the program runs.
    conversation.output.relief().begin();
    // Its absence is a nuisance for a user who looks. The program runs, and what it does is not given up for that.
    let _ = records::write_atomic(&attempt.started_json(), &started);
    Ok((conversation, started))
}

fn await_success(
    launched: Launched,
    order: &HolderOrder,
    path: Option<&OsString>,
) -> Result<(), SessionError> {
    let pid = launched.pid;
    launched.wait_for_exec().map_err(|failure| {
        // It is about to end, if it has not yet.
        let _ = waitpid(Pid::from_raw(pid as i32), WaitOptions::empty());
        SessionError::Launch {
            message: launch_error::explain_failure(order, path.map(OsString::as_os_str), &failure),
            lack: shortage::of_io(&failure.source),
        }
    })
}

/// The supervisor's environment, what was ordered on top, and the tag in any case.
fn build_environment(order: &HolderOrder, tag: &AttemptTag) -> BTreeMap<OsString, OsString> {
    let mut environment: BTreeMap<OsString, OsString> = env::vars_os().collect();
    // A supervisor that no terminal has started has no TERM, but its programs do have one.
    environment.entry("TERM".into()).or_insert("xterm-256color".into());
    environment.extend(order.env.iter().map(|(name, value)| (name.into(), value.into())));
    environment.extend(tag.variables().map(|(name, value)| (name.into(), value.into())));
    environment
}
