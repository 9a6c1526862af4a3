//! The files of shards are gathered, merged and written: those of successful attempts only, none twice, none too old.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use serde_json::json;

use super::{ended_attempt, results_of_attempt};
use crate::config::templates::render;
use crate::model::ids::{AttemptKey, AttemptNumber, ShardId};
use crate::model::results::results_spec::Merge;
use crate::model::state::phase::{Ended, Phase};
use crate::model::state::run_state::RunState;
use crate::model::state::shard_state::ShardState;
use crate::model::sweep::plan::{Plan, ShardSpec};
use crate::results::merge::combos::{ComboShards, group_combos};
use crate::results::merge::merging::{Completeness, Gaps, Merged, merge_pieces};
use crate::results::merge::parts::join_parts;
use crate::results::merge::piece::{Piece, PieceFault, PieceRefusal, PieceWork};
use crate::results::merge::record::{MergedFile, MergedPiece};
use crate::rundir::error::RunDirError;
use crate::rundir::layout::RunDir;
use crate::rundir::records;
use crate::rundir::refusal::{open_foreign, read_bounded};

/// No piece is larger: all pieces of a combo are held in memory.
const MOST_BYTES: u64 = 256 << 20;

/// Files of the results that a merged one must not replace.
const TAKEN: [&str; 9] = [
    "pack_values.csv", "combined_results.csv", "summary.json", "junit.xml", "report.md", "report.html",
    "reporter.log", "reporter-setup-step", "merged.json",
];

/// `merged.json` of an earlier time: which merged files there were.
#[derive(Debug, Default, Deserialize)]
struct EarlierMerge {
    files: Vec<EarlierFile>,
}

#[derive(Debug, Deserialize)]
struct EarlierFile {
    file: String,
}

/// A shard's files to merge, one list for each template of the sweep.
struct ShardFiles<'a> {
    spec: &'a ShardSpec,
    shard: &'a ShardState,
    ended: &'a Ended,
    files: Vec<Vec<FoundFile>>,
}

/// A file, in several parts where attempts that continued one another have written it.
#[derive(Debug, Clone)]
struct FoundFile {
    name: String,
    /// Its parts, the oldest attempt first.
    parts: Vec<(AttemptNumber, PathBuf)>,
}

/// Merges what the shards of each combo have written.
pub(in crate::supervisor) fn write(
    run: &RunDir,
    plan: &Plan,
    state: &RunState,
    gaps: Gaps,
) -> Result<Vec<MergedFile>, RunDirError> {
    if plan.results.merge == Merge::None {
        return Ok(Vec::new());
    }
    let combos = group_combos(plan);
    let mut files = Vec::new();
    for combo in &combos {
        files.extend(of_combo(run, plan, state, gaps, combo, combos.len() == 1)?);
    }
    forget_others(run, plan, (&files, state))?;
    Ok(files)
}

/// A merged file that this time could not be made would be taken for the result.
fn forget_others(
    run: &RunDir,
    plan: &Plan,
    (files, state): (&[MergedFile], &RunState),
) -> Result<(), RunDirError> {
    let record = run.results_folder().join("merged.json");
    let made = files.iter().filter(|file| file.completeness != Completeness::Refused);
    let now: BTreeSet<&str> = made.map(|file| file.file.as_str()).collect();
    let before: EarlierMerge = records::read_if_there(&record)?.unwrap_or_default();
    for old in before.files.iter().filter(|old| !now.contains(old.file.as_str())) {
        let old = Path::new(&old.file);
        // Nothing of the record leads out of the folder.
        if old.components().all(|part| matches!(part, Component::Normal(_))) {
            let _ = run.results_folder().join(old).remove();
        }
    }
    let warnings: Vec<&str> =
        state.warnings.repeat_lines().chain(state.warnings.preflight.iter().map(String::as_str)).collect();
    let document = json!({"version": 1, "merge": plan.results.merge, "files": files, "warnings": warnings});
    records::write_atomic(&record, &document)
}

fn of_combo(
    run: &RunDir,
    plan: &Plan,
    state: &RunState,
    gaps: Gaps,
    combo: &ComboShards,
    only: bool,
) -> Result<Vec<MergedFile>, RunDirError> {
    let (mut found, mut refused) = (Vec::new(), Vec::new());
    for spec in combo.shards.iter().map(|position| &plan.shards[*position]) {
        match require_success(spec, state)
            .and_then(|(shard, ended)| find_files(run, plan, spec, (shard, ended)))
        {
            Ok(of_shard) => found.push(of_shard),
            Err(refusal) => refused.push(refusal),
        }
    }
    let mut files = Vec::new();
    for (name, chosen) in group_outputs(plan, &found) {
        let (mut pieces, mut sources, mut refused) = (Vec::new(), Vec::new(), refused.clone());
        let mut seen = BTreeMap::new();
        for (of_shard, path) in &chosen {
            match read_piece(run, plan, of_shard, (path.as_ref(), &name), &mut seen) {
                Ok((piece, of_piece)) => {
                    pieces.push(piece);
                    sources.extend(of_piece);
                }
                Err(refusal) => refused.push(refusal),
            }
        }
        let merged = merge_pieces(&plan.results, pieces, refused, gaps);
        let name = if TAKEN.contains(&name.as_str()) { format!("merged_{name}") } else { name };
        let folder = if only { String::new() } else { format!("{}/", combo.name) };
        let file = write_merged(run, &format!("{folder}{name}"), merged)?;
        let in_it = |source: &MergedPiece| !file.refused.iter().any(|refusal| refusal.shard == source.shard);
        let pieces = sources.into_iter().filter(in_it).collect();
        files.push(MergedFile { vars: combo.vars.clone(), pieces, ..file });
    }
    Ok(files)
}

/// Only the attempt counts with which the shard has succeeded.
fn require_success<'a>(
    spec: &ShardSpec,
    state: &'a RunState,
) -> Result<(&'a ShardState, &'a Ended), PieceRefusal> {
    let shard = state.shard(&spec.id);
    match shard.map(|shard| (shard, &shard.phase)) {
        Some((shard, Phase::Succeeded(ended))) => Ok((shard, ended)),
        Some((_, Phase::Failed { failure, .. })) => {
            let why = format!("it failed: {}", failure.to_sentence());
            Err(PieceRefusal::new(&spec.id, PieceFault::Missing, why))
        }
        other => {
            let word = other.map_or("queued", |(_, phase)| phase.kind().as_str());
            Err(PieceRefusal::new(&spec.id, PieceFault::Missing, format!("it is {word}")))
        }
    }
}

fn find_files<'a>(
    run: &RunDir,
    plan: &Plan,
    spec: &'a ShardSpec,
    (shard, ended): (&'a ShardState, &'a Ended),
) -> Result<ShardFiles<'a>, PieceRefusal> {
    let key = AttemptKey { shard: spec.id.clone(), attempt: ended.attempt };
    let grants = shard.grants_of(ended.attempt);
    let starts = ended_attempt::starts_of_parts(run, plan.template.resume, &key, &grants);
    let mut patterns = Vec::new();
    let mut of_templates: Vec<Vec<(AttemptNumber, Vec<PathBuf>)>> = Vec::new();
    for start in &starts {
        patterns = render::merge_files(plan, spec, start)
            .map_err(|error| PieceRefusal::new(&spec.id, PieceFault::Missing, error.to_string()))?;
        of_templates.resize_with(patterns.len(), Vec::new);
        for (parts, pattern) in of_templates.iter_mut().zip(&patterns) {
            parts.push((start.attempt, results_of_attempt::find_matches(pattern)));
        }
    }
    let files: Vec<Vec<FoundFile>> = of_templates.into_iter().map(by_name).collect();
    if files.iter().all(Vec::is_empty) {
        let why = format!("it has written no file {}", patterns.join(" or "));
        return Err(PieceRefusal::new(&spec.id, PieceFault::Missing, why));
    }
    Ok(ShardFiles { spec, shard, ended, files })
}

/// Parts of the same name are one file; where every attempt has one file, they are one whatever their names.
fn by_name(parts: Vec<(AttemptNumber, Vec<PathBuf>)>) -> Vec<FoundFile> {
    let is_one = parts.iter().all(|(_, paths)| paths.len() <= 1);
    let newest = parts.iter().rev().find_map(|(_, paths)| paths.first()).map(|path| name_of(path));
    let mut files: Vec<FoundFile> = Vec::new();
    for (attempt, path) in
        parts.into_iter().flat_map(|(attempt, paths)| paths.into_iter().map(move |path| (attempt, path)))
    {
        let name = newest.clone().filter(|_| is_one).unwrap_or_else(|| name_of(&path));
        match files.iter_mut().find(|file| file.name == name) {
            // A file outside of the folders of attempts is one file.
            Some(file) if file.parts.iter().any(|(_, known)| *known == path) => {}
            Some(file) => file.parts.push((attempt, path)),
            None => files.push(FoundFile { name, parts: vec![(attempt, path)] }),
        }
    }
    files
}

/// A file to be made: its name, and the piece of each shard, where it has one.
type Output<'a, 'b> = (String, Vec<(&'b ShardFiles<'a>, Option<FoundFile>)>);

/// Groups the files: one file of each shard becomes one file; of several, those of the same name do.
fn group_outputs<'a, 'b>(plan: &Plan, found: &'b [ShardFiles<'a>]) -> Vec<Output<'a, 'b>> {
    let templates = found.first().map_or(0, |found| found.files.len());
    let mut outputs = Vec::new();
    for template in 0..templates {
        let of = |found: &'b ShardFiles<'a>| found.files[template].as_slice();
        let names: BTreeSet<String> = found.iter().flat_map(of).map(|file| file.name.clone()).collect();
        if found.iter().all(|found| of(found).len() <= 1) {
            let name = match names.len() {
                1 => names.into_iter().next().unwrap_or_default(),
                _ => usual_name(plan.results.merge).to_owned(),
            };
            outputs.push((name, found.iter().map(|found| (found, of(found).first().cloned())).collect()));
            continue;
        }
        for name in names {
            let own = |found: &'b ShardFiles<'a>| of(found).iter().find(|file| file.name == name).cloned();
            let pieces = found.iter().map(|found| (found, own(found))).collect();
            outputs.push((name.clone(), pieces));
        }
    }
    if outputs.is_empty() {
        outputs.push((usual_name(plan.results.merge).to_owned(), Vec::new()));
    }
    outputs
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn usual_name(merge: Merge) -> &'static str {
    match merge {
        Merge::Lerobot => "eval_info.json",
        Merge::Jsonl => "episodes.jsonl",
        Merge::Csv => "episodes.csv",
        Merge::Json | Merge::None => "results.json",
    }
}

fn read_piece(
    run: &RunDir,
    plan: &Plan,
    found: &ShardFiles<'_>,
    (file, name): (Option<&FoundFile>, &str),
    seen: &mut BTreeMap<(u64, u64), ShardId>,
) -> Result<(Piece, Vec<MergedPiece>), PieceRefusal> {
    let shard = &found.spec.id;
    let Some(file) = file else {
        return Err(PieceRefusal::new(shard, PieceFault::Missing, format!("it has written no {name}")));
    };
    let (mut parts, mut sources) = (Vec::new(), Vec::new());
    for (attempt, path) in &file.parts {
        parts.push(read_part(run, found, path, seen)?);
        let path = path.strip_prefix(run.path()).unwrap_or(path).display().to_string();
        sources.push(MergedPiece { shard: shard.clone(), attempt: *attempt, path });
    }
    let work = PieceWork::from_spec(found.spec);
    let bytes = match parts.len() {
        1 => parts.pop().unwrap_or_default(),
        _ => join_parts(&plan.results, shard, &work, parts)?,
    };
    let newest = sources.last().map(|source| source.path.clone()).unwrap_or_default();
    Ok((Piece { shard: shard.clone(), work, file: newest, bytes }, sources))
}

/// Reads a part of a file, which no other shard may have written.
fn read_part(
    run: &RunDir,
    found: &ShardFiles<'_>,
    path: &Path,
    seen: &mut BTreeMap<(u64, u64), ShardId>,
) -> Result<Vec<u8>, PieceRefusal> {
    let shard = &found.spec.id;
    let refuse = |fault, why: String| Err(PieceRefusal::new(shard, fault, why));
    let opened = open_foreign(path).and_then(|file| Ok((file.metadata()?, file)));
    let (about, file) = match opened {
        Ok(opened) => opened,
        Err(error) => return refuse(PieceFault::Unreadable, format!("{}: {error}", path.display())),
    };
    // Also by another name, through a link.
    if let Some(other) = seen.insert((about.dev(), about.ino()), shard.clone()) {
        return refuse(PieceFault::Duplicate, format!("{} is also the file of {other}", path.display()));
    }
    // A link in the attempt's folder may lead to what was there before it.
    let writer = ended_attempt::ended_writer(run, found.shard, found.ended);
    if writer.is_older(&ended_attempt::real_path(path), &about) {
        return refuse(
            PieceFault::Stale,
            format!("{} is older than attempt {}", path.display(), found.ended.attempt),
        );
    }
    read_bounded(file, MOST_BYTES)
        .or_else(|error| refuse(PieceFault::Unreadable, format!("{}: {error}", path.display())))
}

/// Writes the file under its name; a partial one is marked by its name.
fn write_merged(run: &RunDir, file: &str, merged: Merged) -> Result<MergedFile, RunDirError> {
    let (completeness, made, refused) = match merged {
        Merged::Whole(made) => (Completeness::Whole, Some(made), Vec::new()),
        Merged::Partial { made, without } => (Completeness::Partial, Some(made), without),
        Merged::Refused(refused) => (Completeness::Refused, None, refused),
    };
    let file = match (completeness, file.rsplit_once('.')) {
        (Completeness::Partial, Some((stem, end))) => format!("{stem}.partial.{end}"),
        (Completeness::Partial, None) => format!("{file}.partial"),
        (Completeness::Whole | Completeness::Refused, _) => file.to_owned(),
    };
    if let Some(made) = &made {
        let path = run.results_folder().join(&file);
        path.create_folder().map_err(RunDirError::io("create", &path))?;
        records::write_text(&path, &made.text)?;
    }
    let notes = made.map(|made| made.notes).unwrap_or_default();
    Ok(MergedFile {
        vars: crate::model::value::Variables::default(),
        file,
        completeness,
        pieces: Vec::new(),
        refused,
        notes,
    })
}
