//! What the home screen is told: runs, sweeps, and the plan of a sweep with what the machine says to it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::error::CliError;
use super::ls::{self, Listed};
use super::sweep::Sweep;
use super::{fit, launch, recall};
use crate::model::plan::{Plan, ShardSpec};
use crate::preflight::finding::{Finding, Severity};
use crate::rundir::discover;
use crate::rundir::layout::RunDir;
use crate::rundir::life;
use crate::telemetry::host::cores;
use crate::tui::model::home::{ComboLine, Gravity, Remark, RunLine, SweepLine, SweepPlan};
use crate::tui::options::Launcher;

/// Looks at this machine.
#[derive(Debug, Default)]
pub struct Launching {
    /// What was seen of each run, by its folder.
    seen: HashMap<PathBuf, Seen>,
}

/// A run and how long its journal was, with whether it had a supervisor: while both stay, it need not be read again.
#[derive(Debug)]
struct Seen {
    mark: (Option<u64>, bool),
    line: RunLine,
}

impl Launcher for Launching {
    fn runs(&mut self) -> Result<Vec<RunLine>, String> {
        let pointers = discover::list().map_err(|error| error.to_string())?;
        let mut lines = Vec::with_capacity(pointers.len());
        for pointer in pointers {
            let run = RunDir::at(&pointer.dir);
            let length = std::fs::metadata(run.journal()).ok().map(|journal| journal.len());
            let mark = (length, life::supervisor(&run).is_some());
            let known = self.seen.get(&pointer.dir).filter(|seen| seen.mark == mark);
            let line = known.map_or_else(|| line(ls::look_at(pointer)), |seen| seen.line.clone());
            self.seen.insert(line.dir.clone(), Seen { mark, line: line.clone() });
            lines.push(line);
        }
        Ok(lines)
    }

    fn sweeps(&mut self) -> Vec<SweepLine> {
        let line = |path: PathBuf| {
            let shards = Sweep::read(&path, false).ok().map(|sweep| sweep.plan.shards.len());
            SweepLine { path, shards }
        };
        found().into_iter().map(line).collect()
    }

    fn plan(&mut self, path: &Path) -> Result<SweepPlan, Vec<String>> {
        let lines = |error: CliError| error.to_string().lines().map(str::to_owned).collect::<Vec<_>>();
        let mut sweep = Sweep::read(path, false).map_err(lines)?;
        let fitted = fit::fit(&mut sweep).map_err(lines)?;
        let (report, inventory) = launch::look_at_machine(&sweep.plan, Path::new("results"));
        recall::recall(&mut sweep.plan, &inventory);
        Ok(SweepPlan {
            path: path.to_owned(),
            name: sweep.plan.name.clone(),
            combos: combos(&sweep.plan),
            parallel: sweep.plan.schedule.parallel.limit(cores()),
            because: fitted.parallel,
            preflight: report.findings.iter().map(remark).collect(),
            cursor: 0,
        })
    }
}

/// Sweep files in the current folder and in `configs/`, told from other TOML files by what every sweep has.
pub fn found() -> Vec<PathBuf> {
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

fn line(listed: Listed) -> RunLine {
    let Listed { id, name: _, dir, created, state, counts } = listed;
    RunLine { id, dir, created, state, counts }
}

fn remark(finding: &Finding) -> Remark {
    let gravity = match finding.severity {
        Severity::Refuse => Gravity::Refusal,
        Severity::Warning => Gravity::Warning,
        Severity::Note => Gravity::Note,
    };
    let hint = finding.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
    let text = format!("{}: {}: {}{hint}", finding.severity.as_str(), finding.what, finding.message);
    Remark { gravity, text }
}

/// Slices of one combo are one line; packs stay apart, because each holds other values.
fn combos(plan: &Plan) -> Vec<ComboLine> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut combos: Vec<ComboLine> = Vec::new();
    for shard in &plan.shards {
        let key = if shard.pack.is_some() { shard.id.to_string() } else { shard.combo() };
        let place = *places.entry(key).or_insert(combos.len());
        match combos.get_mut(place) {
            Some(combo) => {
                combo.shards.push(shard.id.clone());
                combo.foreseen = combo.foreseen.zip(shard.foreseen()).map(|(one, other)| one + other);
            }
            None => combos.push(ComboLine {
                name: name(plan, shard),
                shards: vec![shard.id.clone()],
                foreseen: shard.foreseen(),
                ticked: true,
            }),
        }
    }
    combos
}

/// `policy=flat env=stairs`, or the id of a shard without axes.
fn name(plan: &Plan, shard: &ShardSpec) -> String {
    if plan.axes.is_empty() {
        return shard.id.to_string();
    }
    plan.axes.iter().map(|axis| format!("{axis}={}", shard.value_of(axis))).collect::<Vec<_>>().join(" ")
}
