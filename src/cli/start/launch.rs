//! From a sweep to a run that runs: the machine is looked at, the folder made, and the supervisor started.

use std::io::Read;
use std::path::{Path, PathBuf};

use jiff::Zoned;

use super::recall::recall_for_run;
use super::sweep::Sweep;
use super::{git, headless, node_checks};
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::gpu_survey::GpuSurvey;
use crate::cli::output;
use crate::cli::screens::dashboard::{self, AfterDashboard};
use crate::cli::screens::screen_args::ScreenArgs;
use crate::model::ids::RunId;
use crate::model::state::fact::Event;
use crate::model::state::run_info::{RUN_VERSION, RunInfo};
use crate::model::sweep::plan::Plan;
use crate::preflight::finding::{Finding, FindingSeverity, Report};
use crate::preflight::inspect;
use crate::preflight::surroundings::{MachineTelemetry, Surroundings};
use crate::process::affinity;
use crate::rundir::layout::RunDir;
use crate::rundir::machine_wide::discover;
use crate::rundir::{create, environment, life, residence};
use crate::supervisor::lifetime::start;
use crate::telemetry::host::count_cores;

/// What is said of a sweep that this machine refuses.
pub const NOT_HERE: &str = "this machine cannot run the sweep";

/// Activity of the user while the run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stay {
    /// Goes away; the run continues alone.
    Detached,
    /// Waits in the foreground.
    Headless,
    /// Watches the dashboard of the run.
    Dashboard,
}

impl Stay {
    /// Returns what the flags ask for; a dashboard needs a terminal.
    pub fn from_flags(detach: bool, headless: bool, screen: &ScreenArgs) -> Self {
        if detach {
            Self::Detached
        } else if headless || !(output::is_terminal() || screen.once || screen.plain) {
            Self::Headless
        } else {
            Self::Dashboard
        }
    }
}

/// Makes a run of a sweep in `out`, or in a new folder under `results/`.
pub fn create_run(sweep: &Sweep, out: Option<&Path>) -> Result<RunDir, CliError> {
    create_with(sweep, out, Vec::new())
}

/// The same with more at the start of its journal: how it differs from its sweep, or when it starts.
pub fn create_with(sweep: &Sweep, out: Option<&Path>, more: Vec<Event>) -> Result<RunDir, CliError> {
    let place = NewRun::choose(sweep, out)?;
    let is_here = sweep.plan.nodes.is_empty();
    let (report, gpus) = match is_here {
        true => look_at_machine(&sweep.plan, &place.path),
        false => (node_checks::look_at_nodes(&sweep.plan, &place.path), GpuSurvey::for_plan(&sweep.plan)),
    };
    refuse_or_warn(&report, if is_here { NOT_HERE } else { "no node can run the sweep" })?;
    let warnings = list_warnings(&report);
    let mut more = more;
    if !warnings.is_empty() {
        more.push(Event::PreflightWarned { warnings });
    }
    let mut plan = sweep.plan.clone();
    recall_for_run(&mut plan, &gpus.permitted_gpus());
    if is_here {
        gpus.resolve_devices(&mut plan);
    }
    place.create(sweep, &plan, more)
}

/// Makes a run that only watches: nothing is asked of the machine for it, and earlier runs taught nothing of its work.
pub fn create_watching(sweep: &Sweep, out: Option<&Path>) -> Result<RunDir, CliError> {
    NewRun::choose(sweep, out)?.create(sweep, &sweep.plan, Vec::new())
}

/// The name and the folder of a run that comes.
struct NewRun {
    now: Zoned,
    id: RunId,
    path: PathBuf,
}

impl NewRun {
    fn choose(sweep: &Sweep, out: Option<&Path>) -> Result<Self, CliError> {
        let now = Zoned::now();
        let name = file_name(&sweep.plan.name);
        let stamp = now.strftime("%Y%m%d-%H%M%S");
        let id = run_id(&name, &now)?;
        let path = out.map_or_else(|| free_folder(&format!("{name}_{stamp}"), &id), Path::to_owned);
        Ok(Self { now, id, path })
    }

    /// Makes the folder, which is found by the run's name from now on.
    fn create(self, sweep: &Sweep, plan: &Plan, more: Vec<Event>) -> Result<RunDir, CliError> {
        let info = build_info(sweep, &self.path, self.id, &self.now);
        let parallel = plan.schedule.parallel.initial_limit(count_cores());
        let run = create::create_run_dir(&self.path, &info, &sweep.source, plan, (parallel, more))?;
        keep_findable(&run, &info, plan);
        Ok(run)
    }
}

fn keep_findable(run: &RunDir, info: &RunInfo, plan: &Plan) {
    // A run that cannot be found by name is found by its folder.
    if let Err(error) = discover::remember_run(run, info) {
        output::print_message(&format!("the run will not be listed: {error}"));
    }
    if let Err(error) = environment::save_environment(&info.id, &plan.template.secret) {
        output::print_message(&format!("a later supervisor may see another environment: {error}"));
    }
}

/// Creates a run of its own in `path` that no name leads to: a trial of some shards, on this machine.
pub fn create_trial(sweep: &Sweep, plan: &Plan, path: &Path) -> Result<RunDir, CliError> {
    let plan = &Plan { nodes: Vec::new(), ..plan.clone() };
    let now = Zoned::now();
    let id = run_id(&format!("{}-autotune", file_name(&plan.name)), &now)?;
    let info = build_info(sweep, path, id, &now);
    let parallel = plan.schedule.parallel.initial_limit(count_cores());
    Ok(create::create_run_dir(path, &info, &sweep.source, plan, (parallel, Vec::new()))?)
}

fn run_id(name: &str, now: &Zoned) -> Result<RunId, CliError> {
    Ok(RunId(format!("{name}-{}-{:04x}", now.strftime("%Y%m%d-%H%M%S"), random_number()?)))
}

fn build_info(sweep: &Sweep, path: &Path, id: RunId, now: &Zoned) -> RunInfo {
    RunInfo {
        version: RUN_VERSION,
        id,
        name: sweep.plan.name.clone(),
        host: residence::host_name(),
        boot_id: life::boot_id().unwrap_or_default().to_owned(),
        pid_namespace: life::pid_namespace(),
        // Known once the folder is made.
        place: None,
        cores: affinity::own_cores(),
        created: now.timestamp(),
        sweepdeck: env!("CARGO_PKG_VERSION").to_owned(),
        git_commit: std::env::current_dir().ok().and_then(|folder| git::read_commit(&folder)),
        sweep: sweep.file.clone().unwrap_or_else(|| RunDir::at(path).sweep_toml().into()),
    }
}

/// Starts the supervisor and does what the user chose until the run ends or the user leaves.
pub fn start_run(
    run: &RunDir,
    plan: &Plan,
    stay: Stay,
    screen: &ScreenArgs,
) -> Result<AfterDashboard, CliError> {
    match stay {
        Stay::Headless => headless::run_to_end(run, plan).map(AfterDashboard::Over),
        Stay::Detached => {
            start::ensure_supervisor(run)?;
            output::print_data(&format!("{}\n", run.path().display()))?;
            output::print_message(&format!("attach with: sweepdeck attach {}", run.path().display()));
            Ok(AfterDashboard::Over(CliExit::Done))
        }
        Stay::Dashboard => {
            start::ensure_supervisor(run)?;
            dashboard::show_run(run, false, screen)
        }
    }
}

/// Returns what preflight finds on this machine, and the GPUs it has.
pub fn look_at_machine(plan: &Plan, output: &Path) -> (Report, GpuSurvey) {
    let gpus = GpuSurvey::for_plan(plan);
    let readings = MachineTelemetry { inventory: &gpus.inventory, gpus: &gpus.readings };
    let report = inspect::inspect_machine(plan, output, readings, &Surroundings::of_this_process());
    (report, gpus)
}

/// Looks at this machine as the node that runs shards of the plan.
pub fn look_at_node(plan: &Plan) -> Vec<Finding> {
    let gpus = GpuSurvey::for_plan(plan);
    let readings = MachineTelemetry { inventory: &gpus.inventory, gpus: &gpus.readings };
    inspect::inspect_node(plan, readings, &Surroundings::of_this_process())
}

/// Returns the findings that may harm the run, as text.
fn list_warnings(report: &Report) -> Vec<String> {
    let found = report.findings.iter().filter(|finding| finding.severity == FindingSeverity::Warning);
    found.map(|finding| format!("preflight: {}: {}", finding.what, finding.message)).collect()
}

/// Refuses the run if a finding forbids it, with all such findings at once; findings that may only harm it are printed.
pub fn refuse_or_warn(report: &Report, sentence: &str) -> Result<(), CliError> {
    let of = |wanted: FindingSeverity| {
        let found = report.findings.iter().filter(move |finding| finding.severity == wanted);
        found.map(ToString::to_string).collect::<Vec<_>>()
    };
    for warning in of(FindingSeverity::Warning) {
        output::print_message(&warning);
    }
    if report.refuses() {
        let refusals = of(FindingSeverity::Refuse).join("\n");
        return Err(CliError::new(CliExit::Refused, format!("{sentence}\n{refusals}")));
    }
    Ok(())
}

/// Two runs in one second get two folders.
fn free_folder(name: &str, id: &RunId) -> PathBuf {
    let folder = Path::new("results").join(name);
    if folder.exists() { Path::new("results").join(&id.0) } else { folder }
}

/// A name of a sweep as a part of file names.
fn file_name(name: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || matches!(c, '_' | '-' | '.') { c } else { '-' };
    let name: String = name.chars().map(safe).collect();
    // A leading dot would hide the folder, a leading dash would read as an option.
    name.trim_start_matches(['.', '-']).to_owned()
}

/// Returns a random number that distinguishes two runs of one sweep in the same second.
fn random_number() -> Result<u16, CliError> {
    let mut bytes = [0; 2];
    std::fs::File::open("/dev/urandom")
        .and_then(|mut source| source.read_exact(&mut bytes))
        .map_err(CliError::system("read /dev/urandom"))?;
    Ok(u16::from_ne_bytes(bytes))
}
