//! The files under `results/`: what the run directory holds is read once, and each file is made of it.

use serde::de::DeserializeOwned;

use super::{artifact_files, merge_files, pack_files};
use crate::model::ids::AttemptKey;
use crate::model::state::run_info::RunInfo;
use crate::model::state::run_state::RunState;
use crate::model::sweep::node_spec::NodeId;
use crate::model::sweep::plan::Plan;
use crate::results::faces::{junit, markdown, pack_table, summary, table};
use crate::results::findings::{Findings, Records};
use crate::results::measured::attempts::Attempt;
use crate::results::measured::fold::Fold;
use crate::results::measured::gpu_place::GpuInventories;
use crate::results::merge::merging::Gaps;
use crate::results::merge::record::MergedFile;
use crate::results::paper::tables;
use crate::results::report::curves::Curve;
use crate::results::report::page;
use crate::results::status::document::RunWord;
use crate::rundir::beneath::PathBeneath;
use crate::rundir::error::RunDirError;
use crate::rundir::layout::RunDir;
use crate::rundir::marks::MarkReader;
use crate::rundir::{clock, csv_file, records, residence, telemetry};

/// The files that are written in addition to those that every run has.
#[derive(Debug)]
pub struct WrittenResults {
    /// Results of merging the files of shards.
    pub merged: Vec<MergedFile>,
}

/// Writes the results of a run that is at work, has ended, or died, according to its files.
pub fn write(
    run: &RunDir,
    info: &RunInfo,
    plan: &Plan,
    state: &RunState,
    gaps: Gaps,
) -> Result<WrittenResults, RunDirError> {
    let merged = merge_files::write(run, plan, state, gaps);
    let known = merged.as_ref().map(Vec::clone).unwrap_or_default();
    let (findings, unread) = gather_findings(run, info, plan, state, known)?;
    let folder = run.results_folder();
    records::write_text(&folder.join("combined_results.csv"), &table::build_table(&findings).to_csv())?;
    if !findings.pack_values.is_empty() {
        let table = pack_table::build_pack_table(&plan.axes, &findings.pack_values);
        records::write_text(&folder.join("pack_values.csv"), &table.to_csv())?;
    }
    records::write_atomic(&folder.join("summary.json"), &summary::build_summary(&findings))?;
    records::write_text(&folder.join("junit.xml"), &junit::render_junit(&findings))?;
    write_tables(run, &findings)?;
    write_reports(run, &findings)?;
    unread?;
    Ok(WrittenResults { merged: merged? })
}

/// Writes the reports of a run again, for what became known after its results were written.
pub(in crate::supervisor) fn write_reports_again(
    run: &RunDir,
    info: &RunInfo,
    plan: &Plan,
    state: &RunState,
    merged: Vec<MergedFile>,
) -> Result<(), RunDirError> {
    let (findings, unread) = gather_findings(run, info, plan, state, merged)?;
    write_reports(run, &findings).and(unread)
}

/// The content of all files of a run, and whether its telemetry could be read: that costs its numbers, never
/// the results.
fn gather_findings<'a>(
    run: &RunDir,
    info: &'a RunInfo,
    plan: &'a Plan,
    state: &'a RunState,
    merged: Vec<MergedFile>,
) -> Result<(Findings<'a>, Result<(), RunDirError>), RunDirError> {
    let records = records_of(run, info, plan, state)?;
    let mut unread = Ok(());
    let mut findings = Findings::new(records, |fold| unread = fold_telemetry(run, (plan, state), fold));
    unread = unread.and(read_inventories(run, (plan, state), &mut findings.inventories));
    findings.merged = merged;
    // A run that was too short for it, and one of an earlier version, have none; nodes are other systems.
    let system = plan.nodes.is_empty().then(|| records::read_if_there(&run.system_json()).ok());
    findings.system = system.flatten().flatten();
    findings.artifacts = artifact_files::read_artifacts(run, plan, state);
    findings.pack_values = pack_files::read_values(run, plan, state, &findings.outcomes);
    Ok((findings, unread))
}

/// Every table of the report, for papers and for programs.
fn write_tables(run: &RunDir, findings: &Findings<'_>) -> Result<(), RunDirError> {
    let folder = run.results_folder().join("tables");
    folder.create_dir_all().map_err(RunDirError::io("create", &folder))?;
    for table in tables::build_tables(findings) {
        records::write_text(&folder.join(format!("{}.csv", table.name)), &table.to_csv())?;
        records::write_text(&folder.join(format!("{}.tex", table.name)), &table.to_latex())?;
    }
    Ok(())
}

fn write_reports(run: &RunDir, findings: &Findings<'_>) -> Result<(), RunDirError> {
    let folder = run.results_folder();
    records::write_text(&folder.join("report.md"), &markdown::render_markdown(findings))?;
    let page = page::render_report(findings, &read_curves(run, findings));
    records::write_text(&folder.join("report.html"), &page)
}

/// Renders the report of a run for a server, with what is on its disk; writes nothing.
pub fn render_live(
    run: &RunDir,
    info: &RunInfo,
    plan: &Plan,
    state: &RunState,
) -> Result<String, RunDirError> {
    let (findings, _) = gather_findings(run, info, plan, state, Vec::new())?;
    Ok(page::render_live_report(&findings, &read_curves(run, &findings)))
}

/// All that is known of a run, for those who write nothing; telemetry that cannot be read costs its numbers.
pub fn read_findings<'a>(
    run: &RunDir,
    info: &'a RunInfo,
    plan: &'a Plan,
    state: &'a RunState,
) -> Result<Findings<'a>, RunDirError> {
    let records = records_of(run, info, plan, state)?;
    let mut findings = Findings::new(records, |fold| _ = fold_telemetry(run, (plan, state), fold));
    let _ = read_inventories(run, (plan, state), &mut findings.inventories);
    Ok(findings)
}

fn records_of<'a>(
    run: &RunDir,
    info: &'a RunInfo,
    plan: &'a Plan,
    state: &'a RunState,
) -> Result<Records<'a>, RunDirError> {
    let word = RunWord::from_stage(state.stage, residence::is_served(run));
    let alive = match word {
        RunWord::Running | RunWord::Finished | RunWord::Stopped => clock::of_run(state.clock.as_ref()),
        // Of a run that died the host was read once a second up to its death.
        RunWord::Unsupervised => {
            let last = telemetry::read_latest(run)?.host.map(|sample| sample.timestamp);
            last.unwrap_or(info.created)
        }
    };
    Ok(Records::new(info, plan, state, word, alive))
}

/// The progress of each attempt; one whose marks cannot be read has no curve.
fn read_curves(run: &RunDir, findings: &Findings<'_>) -> Vec<Curve> {
    let marks = |attempt: &Attempt<'_>| {
        let shard = findings.outcomes[attempt.shard].id().clone();
        let key = AttemptKey { shard, attempt: attempt.number };
        MarkReader::new(&run.attempt_dir(&key).marks_path()).read_new()
    };
    let read = findings.attempts.iter().map(|attempt| marks(attempt).unwrap_or_default());
    read.map(|read| Curve::from_marks(&read.marks)).collect()
}

/// The GPUs of the machines on which shards were.
fn read_inventories(
    run: &RunDir,
    (plan, state): (&Plan, &RunState),
    inventories: &mut GpuInventories,
) -> Result<(), RunDirError> {
    let mut read = Ok(());
    for (node, dir) in machine_dirs(run, plan, state) {
        match telemetry::read_inventory(&dir) {
            Ok(known) => known.into_iter().for_each(|known| inventories.insert(node.cloned(), known)),
            Err(error) => read = Err(error),
        }
    }
    read
}

/// The telemetry of the machines on which shards were: that of the machine of the run says nothing where it has nodes.
fn fold_telemetry(
    run: &RunDir,
    (plan, state): (&Plan, &RunState),
    fold: &mut Fold,
) -> Result<(), RunDirError> {
    let mut read = Ok(());
    for (node, dir) in machine_dirs(run, plan, state) {
        node.into_iter().for_each(|node| fold.turn_to_node(node));
        // What does not read of one machine costs the numbers of that one alone.
        read = fold_machine(&dir, fold).and(read);
    }
    read
}

/// The run of each machine that took shards.
fn machine_dirs<'a>(run: &RunDir, plan: &'a Plan, state: &'a RunState) -> Vec<(Option<&'a NodeId>, RunDir)> {
    if plan.nodes.is_empty() {
        return vec![(None, run.clone())];
    }
    let nodes = plan.nodes.iter().flat_map(|node| state.nodes.at_place(&node.id));
    nodes.map(|node| (Some(node), run.node_dir(node))).collect()
}

fn fold_machine(run: &RunDir, fold: &mut Fold) -> Result<(), RunDirError> {
    let gpus = each(run.gpu_metrics(), |row| fold.add_gpu_sample(row));
    let host = each(run.host_metrics(), |row| fold.add_host_sample(row));
    let shards = each(run.shard_metrics(), |row| fold.add_shard_sample(row));
    gpus.and(host).and(shards)
}

fn each<T: DeserializeOwned>(path: PathBeneath, take: impl FnMut(&T)) -> Result<(), RunDirError> {
    csv_file::each_row(&path, take)
}
