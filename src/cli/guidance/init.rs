//! `init`: writes a first sweep, and never over a file that is there.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;

use super::init_args::InitArgs;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::cli::scanning::scan;
use crate::cli::start::own_formats;
use crate::cli::start::sweep::Sweep;
use crate::config::init::draft::{DraftAxis, DraftValues, SweepDraft};
use crate::config::init::script::read_script;
use crate::config::sections::log_rules::find_preset;
use crate::model::sweep::plan::ProgressSpec;
use crate::progress::formats::presets::table::AUTO;
use crate::progress::reader::rules::LogRules;

/// Command of a sweep whose own is not known: it says what to put in its place.
const PLACEHOLDER: &str =
    "echo put your evaluation here, such as: python eval.py --policy {{ policy }} --output {{ out }}";

/// Writes the sweep and says what is left to do.
pub fn run(args: &InitArgs) -> Result<CliExit, CliError> {
    let (draft, remarks) = match (&args.from_log, &args.from_script) {
        (Some(log), _) => draft_from_log(log)?,
        (None, Some(script)) => draft_from_script(script, args.preset.clone())?,
        (None, None) => (placeholder_draft(args.preset.clone()), Vec::new()),
    };
    if let Some(preset) = &args.preset {
        find_preset(preset, &own_formats::read_formats())
            .map_err(|(message, hint)| CliError::usage(format!("--preset: {message}")).with_hint(hint))?;
    }
    write_new(&args.file, &draft.to_toml())?;
    remarks.iter().for_each(|remark| output::print_message(remark));
    // Files of a glob may come later; what else is wrong would be a mistake of this program.
    let sweep = Sweep::open(&args.file)?;
    let shards = sweep.plan.shards.len();
    let noun = if shards == 1 { "shard" } else { "shards" };
    let file = args.file.display();
    output::print_message(&format!("{file} is written: {shards} {noun}; next: sweepdeck check {file}"));
    Ok(CliExit::Done)
}

fn placeholder_draft(preset: Option<String>) -> SweepDraft {
    let words = ["flat", "rough"].map(str::to_owned).to_vec();
    let axes = vec![DraftAxis { name: "policy".to_owned(), values: DraftValues::Words(words) }];
    SweepDraft { axes, command: PLACEHOLDER.to_owned(), preset, ..SweepDraft::default() }
}

fn draft_from_log(log: &Path) -> Result<(SweepDraft, Vec<String>), CliError> {
    let rules = LogRules::compile(&ProgressSpec::of_preset(AUTO), &[], &[])
        .map_err(|error| CliError::usage(error.to_string()))?;
    let reading = scan::read_log(log, Arc::new(rules)).map_err(CliError::for_file("read", log))?;
    let draft = placeholder_draft(reading.preset.as_ref().map(ToString::to_string));
    let name = log.display();
    if let Some(preset) = &draft.preset {
        let remark = format!("{name} has the format `{preset}`");
        return Ok((draft, vec![remark]));
    }
    Ok(match scan::find_suggestion(log)? {
        Some(found) => {
            let remark = format!("{name} has no format that is known: {}", found.told);
            (SweepDraft { done: Some(found.done), ..draft }, vec![remark])
        }
        None => (draft, vec![format!("{name} has no lines that look like a count of the work")]),
    })
}

fn draft_from_script(script: &Path, preset: Option<String>) -> Result<(SweepDraft, Vec<String>), CliError> {
    let source = std::fs::read_to_string(script).map_err(CliError::for_file("read", script))?;
    let read = read_script(&source).map_err(|why| {
        let error = CliError::usage(format!("{} cannot be read as a sweep: {why}", script.display()));
        error.with_hint("`sweepdeck init` without it writes a sweep to fill in")
    })?;
    Ok((SweepDraft { preset, ..read.draft }, read.remarks))
}

fn write_new(file: &Path, text: &str) -> Result<(), CliError> {
    let made = OpenOptions::new().write(true).create_new(true).open(file);
    let written = made.and_then(|mut made| made.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => CliError::usage(format!("{} is there already", file.display()))
            .with_hint("name another file; nothing was changed"),
        _ => CliError::for_file("write", file)(error),
    })
}
