//! `begin-node`, hidden: makes this machine a node of a run, or goes on as that node, and returns when it takes orders.

use super::internal_args::BeginNodeArgs;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::model::nodes::node_spec::NodeId;
use crate::model::state::run_info::RunInfo;
use crate::process::affinity;
use crate::rundir::layout::RunDir;
use crate::rundir::machine_wide::discover;
use crate::rundir::nodes::node_dir;
use crate::rundir::{environment, life, plans, residence};
use crate::supervisor::lifetime::start;
use crate::telemetry::host::count_cores;

/// Begins the node of that name.
pub fn run(args: &BeginNodeArgs) -> Result<CliExit, CliError> {
    let run = RunDir::at(&args.folder);
    let node = NodeId::new(args.node.as_str())
        .map_err(|problem| CliError::new(CliExit::Usage, format!("the name of the node {problem}")))?;
    let here = |info: RunInfo| RunInfo {
        host: residence::host_name(),
        boot_id: life::boot_id().unwrap_or_default().to_owned(),
        pid_namespace: life::pid_namespace(),
        cores: affinity::own_cores(),
        ..info
    };
    let is_new = !run.node_dir(&node).run_json().exists();
    let dir = node_dir::create_node_dir(&run, &node, here, count_cores())?;
    if is_new {
        let (info, plan) = (discover::read_info(&dir)?, plans::read_first_plan(&dir)?);
        environment::save_environment(&info.id, &plan.template.secret)?;
    }
    start::ensure_supervisor(&dir)?;
    Ok(CliExit::Done)
}
