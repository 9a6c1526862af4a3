//! Content of the home screen: runs, sweeps, and the plan of a sweep with the findings of preflight.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::sweep::Sweep;
use super::{launch, overrides, recall};
use crate::cli::error::CliError;
use crate::cli::overview::run_summaries::RunSummaries;
use crate::config::plan::read_axes;
use crate::model::ids::RunId;
use crate::model::sweep::axis::AxisValues;
use crate::model::sweep::plan::{Pack, Plan};
use crate::preflight::finding::{Finding, FindingSeverity, Report};
use crate::results::time_left::forecast::Forecast;
use crate::rundir::machine_wide::discover;
use crate::telemetry::host::count_cores;
use crate::tui::model::home_screen::home::SweepLine;
use crate::tui::model::home_screen::run_line::RunLine;
use crate::tui::model::overlays::sweep_plan::{
    AxisLine, ComboLine, Gravity, PlanForecast, PlanList, PreflightRemark, SweepPlan, SweepRequest,
};
use crate::tui::options::HomeBackend;

/// Looks at this machine.
#[derive(Debug, Default)]
pub struct Launching {
    glances: RunSummaries,
}

impl HomeBackend for Launching {
    fn list_runs(&mut self, patience: Duration) -> Result<Vec<RunLine>, String> {
        self.glances.list_runs(patience).map_err(|error| error.to_string())
    }

    fn list_sweeps(&mut self) -> Vec<SweepLine> {
        let line = |path: PathBuf| {
            let shards = Sweep::read(&path, false).ok().map(|sweep| sweep.plan.shards.len());
            SweepLine { path, shards }
        };
        find_sweeps().into_iter().map(line).collect()
    }

    fn make_plan(&mut self, wish: &SweepRequest) -> Result<SweepPlan, Vec<String>> {
        build_plan(wish).map_err(|error| error.to_string().lines().map(str::to_owned).collect())
    }

    fn forget_run(&mut self, run: &RunId) -> Result<(), String> {
        discover::forget_run(run).map_err(|error| error.to_string())
    }
}

/// The plan of a wish. The machine is asked about what is ticked only; all combos are listed.
fn build_plan(wish: &SweepRequest) -> Result<SweepPlan, CliError> {
    let (mut sweep, fitted) = overrides::read_sweep(wish, false)?;
    let parallel = sweep.plan.schedule.parallel.initial_limit(count_cores());
    let mut chosen = sweep.plan.clone();
    overrides::leave_out(&mut chosen, &wish.left_out);
    let (report, gpus) = if chosen.shards.is_empty() {
        (Report::default(), None)
    } else {
        let (report, gpus) = launch::look_at_machine(&chosen, Path::new("results"));
        (report, Some(gpus))
    };
    if let Some(inventory) = gpus.map(|gpus| gpus.permitted_gpus()) {
        recall::recall_history(&mut sweep.plan, &inventory);
        recall::recall_history(&mut chosen, &inventory);
    }
    Ok(SweepPlan {
        wish: wish.clone(),
        name: sweep.plan.name.clone(),
        axes: axis_lines(&sweep, wish),
        combos: list_combos(&sweep.plan),
        parallel,
        because: fitted.parallel,
        outlook: PlanForecast::Told {
            preflight: report.findings.iter().map(to_remark).collect(),
            forecast: Forecast::of_plan(&chosen, parallel),
        },
        source: sweep.source,
        list: PlanList::Combos,
        cursor: 0,
        value: 0,
        typing: None,
        asked: false,
    })
}

fn axis_lines(sweep: &Sweep, wish: &SweepRequest) -> Vec<AxisLine> {
    let packed = sweep.plan.shards.iter().find_map(|shard| shard.pack.as_ref());
    let line = |given: AxisValues| {
        let now = wish.axes.iter().find(|axis| axis.name == given.name).unwrap_or(&given).clone();
        AxisLine { packed: packed.is_some_and(|pack| pack.axes.contains(&given.name)), now, given }
    };
    read_axes(&sweep.source, &sweep.found).into_iter().map(line).collect()
}

/// The sweep that is named, or else the only one in the current folder; with none there, the only one in `configs/`.
pub fn named_or_only(named: Option<&Path>) -> Result<PathBuf, CliError> {
    if let Some(path) = named {
        return Ok(path.to_owned());
    }
    let all = find_sweeps();
    let here: Vec<&PathBuf> = all.iter().filter(|path| !path.starts_with("configs")).collect();
    let choice = if here.is_empty() { all.iter().collect() } else { here };
    match &choice[..] {
        [only] => Ok((*only).clone()),
        [] => Err(CliError::usage("no sweep file here or in configs/".to_owned())
            .with_hint("name one, or try `sweepdeck demo`")),
        several => {
            let names: Vec<String> = several.iter().map(|path| format!("  {}", path.display())).collect();
            Err(CliError::usage(format!("{} sweep files are here:\n{}", names.len(), names.join("\n")))
                .with_hint("name the one to take"))
        }
    }
}

/// Lists the sweep files in the current folder and in `configs/`; other TOML files lack what every sweep has.
pub fn find_sweeps() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = ["*.toml", "configs/*.toml"]
        .iter()
        .filter_map(|pattern| glob::glob(pattern).ok())
        .flatten()
        .flatten()
        .filter(|path| has_shard_table(path))
        .collect();
    found.sort();
    found
}

fn has_shard_table(path: &Path) -> bool {
    std::fs::read_to_string(path)
        .is_ok_and(|text| text.lines().any(|line| line.trim_start().starts_with("[shard]")))
}

fn to_remark(finding: &Finding) -> PreflightRemark {
    let gravity = match finding.severity {
        FindingSeverity::Refuse => Gravity::Refusal,
        FindingSeverity::Warning => Gravity::Warning,
        FindingSeverity::Note => Gravity::Note,
    };
    let hint = finding.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
    let text = format!("{}: {}: {}{hint}", finding.severity.as_str(), finding.what, finding.message);
    PreflightRemark { gravity, text }
}

/// Slices of one combo are one line; packs stay apart, because each holds other values.
fn list_combos(plan: &Plan) -> Vec<ComboLine> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut combos: Vec<ComboLine> = Vec::new();
    for shard in &plan.shards {
        let name = overrides::combo_name(plan, shard);
        let place = *places.entry(name.clone()).or_insert(combos.len());
        match combos.get_mut(place) {
            Some(combo) => {
                combo.shards.push(shard.id.clone());
                combo.foreseen =
                    combo.foreseen.zip(shard.expected_duration()).map(|(one, other)| one + other);
            }
            None => {
                let single = shard.vars.iter().map(|(axis, value)| (axis.to_owned(), value.to_string()));
                let pairs = shard.pack.iter().flat_map(Pack::axis_values).flatten();
                let packed = pairs.map(|(axis, value)| (axis.to_owned(), value.to_string()));
                combos.push(ComboLine {
                    name,
                    values: single.chain(packed).collect(),
                    shards: vec![shard.id.clone()],
                    foreseen: shard.expected_duration(),
                });
            }
        }
    }
    combos
}
