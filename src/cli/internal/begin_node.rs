//! `begin-node`, hidden: makes this machine a node of a run, or goes on as that node, and returns when it takes orders.

use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};

use super::internal_args::BeginNodeArgs;
use crate::cli::addressing::control;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::cli::overview::watch::block_on;
use crate::model::command::Command;
use crate::model::state::run_info::RunInfo;
use crate::model::sweep::node_spec::NodeId;
use crate::process::affinity;
use crate::rundir::layout::RunDir;
use crate::rundir::machine_wide::discover;
use crate::rundir::nodes::node_dir;
use crate::rundir::{environment, life, plans, proven_state, residence};
use crate::supervisor::lifetime::start;
use crate::telemetry::host::count_cores;

/// Begins the node of that name.
pub fn run(args: &BeginNodeArgs) -> Result<CliExit, CliError> {
    let run = RunDir::at(&args.folder);
    let node = NodeId::new(args.node.as_str())
        .map_err(|problem| CliError::new(CliExit::Usage, format!("the name of the node {problem}")))?;
    let place = args.place.as_ref().map(|place| NodeId::new(place.as_str()));
    let place = place.and_then(Result::ok).unwrap_or_else(|| node.clone());
    let here = |info: RunInfo| RunInfo {
        host: residence::host_name(),
        boot_id: life::boot_id().unwrap_or_default().to_owned(),
        pid_namespace: life::pid_namespace(),
        cores: affinity::own_cores(),
        ..info
    };
    let is_new = !run.node_dir(&node).run_json().exists();
    let dir = node_dir::create_node_dir(&run, (&node, &place), here, count_cores())?;
    if is_new {
        let (info, plan) = (discover::read_info(&dir)?, plans::read_first_plan(&dir)?);
        environment::save_environment(&info.id, &plan.template.secret)?;
    }
    start::ensure_supervisor(&dir)?;
    match args.stay {
        true => stay_until_ended(&dir),
        false => Ok(CliExit::Done),
    }
}

/// How often the program of a job looks whether its node has ended.
const LOOK: Duration = Duration::from_secs(1);

/// Stays as long as the node has a supervisor, and starts another one where all were killed. Slurm announces the end of
/// the job by a signal: then nothing more is started.
fn stay_until_ended(dir: &RunDir) -> Result<CliExit, CliError> {
    let stay = async {
        let listen = |kind| signal(kind).map_err(CliError::system("listen for signals"));
        let mut announced = listen(SignalKind::user_defined1())?;
        let mut terminated = listen(SignalKind::terminate())?;
        let mut look = tokio::time::interval(LOOK);
        loop {
            tokio::select! {
                _ = announced.recv() => drain_node(dir),
                _ = terminated.recv() => drain_node(dir),
                _ = look.tick() => {
                    if life::living_supervisor(dir).is_some() {
                        continue;
                    }
                    if !life::wants_supervisor(dir) || is_over(dir) {
                        return Ok(CliExit::Done);
                    }
                    if let Err(error) = start::ensure_supervisor(dir) {
                        output::report_error(&error.into());
                    }
                }
            }
        }
    };
    block_on(stay)
}

/// A supervisor that found the end recorded has written after it, so that the last line alone does not show it.
fn is_over(dir: &RunDir) -> bool {
    proven_state::read_state(dir).is_ok_and(|state| state.stage.is_over())
}

fn drain_node(dir: &RunDir) {
    output::print_message("the end of the job was announced: starting nothing more");
    if let Err(error) = control::ask_supervisor(dir, Command::Stop { now: false }) {
        output::report_error(&error);
    }
}
