//! From the words of the command line to the verb, and from its result to the exit code.

use std::process::ExitCode;

use clap::Parser;

use super::adoption::{adopt, watch_log};
use super::args::{Cli, Verb};
use super::assistants::mcp;
use super::browsing::{attach, home, replay};
use super::completion::{answer, print_script};
use super::demonstration::{demo, demo_worker};
use super::diagnosis::doctor;
use super::error::CliError;
use super::exit_code::CliExit;
use super::feeds::{export, metrics, serve};
use super::guidance::{explain, help, init};
use super::internal::{begin_node, call_hook, container_client, end_node, hold, probe_node, supervise};
use super::manual::man_pages;
use super::overview::{logs, ls, status};
use super::results::{compare, report};
use super::scanning::scan;
use super::screens::{keys, monitor, screenshot};
use super::service::unit_actions;
use super::start::check;
use super::terminals::enter;
use super::tuning::autotune;
use super::verbs::{act, add, recover, wait};
use super::{output, run};
use crate::model::command::Command;
use crate::process::panics;
use crate::rundir::machine_wide::discover;

/// Parses the command line, runs the verb and gives the exit code of the contract.
pub fn main() -> ExitCode {
    if let Some(engine) = container_client::called_engine() {
        return container_client::run(engine);
    }
    if let Ok(folder) = discover::state_folder() {
        panics::report::leave_reports_in(folder.join("panics"));
    }
    if let Some(exit) = answer::answer_shell() {
        return exit;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help goes to stdout with code 0, a mistake to stderr with code 2; a closed pipe changes neither.
            let _ = error.print();
            return if error.use_stderr() { CliExit::Usage.into() } else { CliExit::Done.into() };
        }
    };
    carry_out(cli.verb).unwrap_or_else(|error| {
        output::report_error(&error);
        error.exit.into()
    })
}

fn carry_out(verb: Option<Verb>) -> Result<ExitCode, CliError> {
    let exit = match verb {
        // Both verbs report their own end, and must not be slowed by anything that the others need.
        Some(Verb::Supervise(args)) => return supervise::run(&args),
        Some(Verb::Hold(args)) => return Ok(hold::run(&args.folder)),
        Some(Verb::DemoWorker(args)) => return Ok(demo_worker::run(&args)),
        Some(Verb::WatchLog) => watch_log::run(),
        None => home::run(),
        Some(Verb::Demo(args)) => demo::run(&args),
        Some(Verb::Check(args)) => check::run(&args),
        Some(Verb::Run(args)) => run::run(&args),
        Some(Verb::Autotune(args)) => autotune::run(&args),
        Some(Verb::Attach(args)) => attach::run(&args),
        Some(Verb::Ls(args)) => ls::run(&args),
        Some(Verb::Status(args)) => status::run(&args),
        Some(Verb::Wait(args)) => wait::run(&args),
        Some(Verb::Logs(args)) => logs::run(&args),
        Some(Verb::Enter(args)) => enter::run(&args),
        Some(Verb::Pause(args)) => act::on_shards(&args, |shards| Command::Pause { shards }, "paused"),
        Some(Verb::Resume(args)) => act::on_shards(&args, |shards| Command::Resume { shards }, "resumed"),
        Some(Verb::Kill(args)) => act::on_shards(&args, |shards| Command::Kill { shards }, "being ended"),
        Some(Verb::Requeue(args)) => act::requeue(&args),
        Some(Verb::Restart(args)) => act::restart(&args),
        Some(Verb::Undo(args)) => act::on_shards(&args, |shards| Command::Undo { shards }, "as before"),
        Some(Verb::Priority(args)) => act::set_priority(&args),
        Some(Verb::Set(args)) => act::set(&args),
        Some(Verb::Start(args)) => act::start_now(&args),
        Some(Verb::Add(args)) => add::run(&args),
        Some(Verb::Unwatch(args)) => add::unwatch(&args),
        Some(Verb::Stop(args)) => act::stop(&args),
        Some(Verb::Recover(args)) => recover::run(&args),
        Some(Verb::Scan(args)) => scan::run(&args),
        Some(Verb::Adopt(args)) => adopt::run(&args),
        Some(Verb::Report(args)) => report::run(&args),
        Some(Verb::Compare(args)) => compare::run(&args),
        Some(Verb::Replay(args)) => replay::run(&args),
        Some(Verb::Export(args)) => export::run(&args),
        Some(Verb::Metrics(args)) => metrics::run(&args),
        Some(Verb::Serve(args)) => serve::run(&args),
        Some(Verb::Mcp(args)) => mcp::run(&args),
        Some(Verb::Monitor(args)) => monitor::run(&args),
        Some(Verb::Service(args)) => unit_actions::run(&args),
        Some(Verb::Keys) => keys::run(),
        Some(Verb::Explain(args)) => explain::run(&args),
        Some(Verb::Help(args)) => help::run(&args),
        Some(Verb::Init(args)) => init::run(&args),
        Some(Verb::Completions(args)) => print_script::run(&args),
        Some(Verb::Doctor(args)) => doctor::run(&args),
        Some(Verb::Man(args)) => man_pages::run(&args),
        Some(Verb::BeginNode(args)) => begin_node::run(&args),
        Some(Verb::EndNode(args)) => end_node::run(&args),
        Some(Verb::ProbeNode(args)) => probe_node::run(&args),
        Some(Verb::CallHook(args)) => call_hook::run(&args),
        Some(Verb::Screenshot(args)) => screenshot::run(&args),
    };
    exit.map(ExitCode::from)
}
