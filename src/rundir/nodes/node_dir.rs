//! The folder of a node: an ordinary run with the plan of the whole run, of which it has the shards that are dealt to it.

use std::{fs, io};

use jiff::Timestamp;

use crate::model::analysis::AnalysisSpec;
use crate::model::ids::RunId;
use crate::model::nodes::node_event::NodeEvent;
use crate::model::state::fact::Event;
use crate::model::state::run_info::RunInfo;
use crate::model::sweep::node_spec::{NodeId, NodeSpec};
use crate::model::sweep::plan::Plan;
use crate::rundir::error::RunDirError;
use crate::rundir::layout::RunDir;
use crate::rundir::machine_wide::discover;
use crate::rundir::{create, lock, plans, records, trust};

/// Makes the folder of a node on the machine that is that node; what is there already is left as it is. `place` is
/// the node's name in the plan; `here` is this machine and process, `cores` what it has.
pub fn create_node_dir(
    run: &RunDir,
    (node, place): (&NodeId, &NodeId),
    here: impl FnOnce(RunInfo) -> RunInfo,
    cores: u32,
) -> Result<RunDir, RunDirError> {
    trust::verify_run(run)?;
    let dir = run.node_dir(node);
    if dir.run_json().exists() {
        return Ok(dir);
    }
    // All starts of a node are on one machine, where locks hold.
    let lock = run.node_lock(node);
    lock.create_folder().map_err(RunDirError::io("create", &lock))?;
    let Some(_lock) = lock::acquire_lock(&lock)? else {
        let busy = io::Error::new(io::ErrorKind::ResourceBusy, "another start of this node is at it");
        return Err(RunDirError::io("create", dir.path())(busy));
    };
    if dir.run_json().exists() {
        return Ok(dir);
    }
    remove_half_made(&dir)?;
    let info = discover::read_info(run)?;
    let whole = plans::read_first_plan(run)?;
    let spec = whole.nodes.iter().find(|spec| spec.id == *place).cloned();
    let lease = spec.as_ref().map(|spec| spec.lease);
    let plan = match &spec {
        Some(spec) => plan_for_node(whole, spec),
        None => Plan { nodes: Vec::new(), ..whole },
    };
    let sweep = records::read_text(&run.sweep_toml())?;
    let id = RunId(format!("{}.{node}", info.id));
    let info = here(RunInfo { id, created: Timestamp::now(), place: None, ..info });
    let parallel = plan.schedule.parallel.initial_limit(cores);
    let begun = Event::Node(Box::new(NodeEvent::Begun { node: node.clone(), lease }));
    create::create_run_dir(dir.path(), &info, &sweep, &plan, (parallel, vec![begun]))
}

/// A start that was cut off leaves a folder without `run.json`, from which nothing was done yet.
fn remove_half_made(dir: &RunDir) -> Result<(), RunDirError> {
    match fs::remove_dir_all(dir.path()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.map_err(RunDirError::io("remove", dir.path())),
    }
}

/// What is done once, with all results together, is not done at each node.
pub fn plan_for_node(plan: Plan, spec: &NodeSpec) -> Plan {
    let mut resources = plan.resources;
    if !spec.devices.is_empty() {
        resources.devices.clone_from(&spec.devices);
    }
    let mut results = plan.results;
    results.reporter = None;
    let mut expansion = plan.expansion;
    if let Some(expansion) = &mut expansion {
        // Files that come are values of the whole run, which deals their shards.
        expansion.watches.clear();
    }
    let analysis = AnalysisSpec::default();
    Plan { resources, results, analysis, expansion, hook: None, nodes: Vec::new(), ..plan }
}
