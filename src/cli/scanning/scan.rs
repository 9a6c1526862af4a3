//! `sweepdeck scan`: what sweepdeck reads from logs that it did not launch, and from the files written next to them.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use serde_json::Value;

use super::scan_args::ScanArgs;
use super::scan_plan::ScanPlan;
use super::scan_table;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::model::logs::printable::printable_json;
use crate::model::units::format_duration;
use crate::progress::reader::log_reader::LogReader;
use crate::progress::reader::rules::LogRules;
use crate::progress::reading::LogSummary;
use crate::progress::scan::reading::Scan;
use crate::progress::scan::suggest::{Suggester, Suggestion};
use crate::progress::scan::text::Frame;
use crate::progress::text::encoding::LogDecoder;
use crate::progress::text::lines::LineReducer;
use crate::progress::trouble::built_in::BuiltInRules;
use crate::supervisor::results::results_of_attempt;

/// Bytes read at once; so many that reading costs nothing compared with matching.
const CHUNK: usize = 1 << 20;

/// Prints what is read from the logs and their files, and which patterns did not do what they are there for.
pub fn run(args: &ScanArgs) -> Result<CliExit, CliError> {
    let is_one = matches!(args.log.as_slice(), [log] if !log.is_dir());
    let plan = ScanPlan::from_args(args)?;
    let rules = LogRules::compile(&plan.progress, &plan.metrics, &plan.rules)
        .and_then(|rules| rules.telling_values(&plan.values))
        .map_err(|error| CliError::usage(error.to_string()))?;
    let rules = Arc::new(rules);
    let logs = scan_table::logs_in(&args.log)?;
    if args.suggest {
        logs.iter().try_for_each(|log| print_suggestion(log))?;
        return Ok(CliExit::Done);
    }
    if is_one {
        return scan_one(&args.log[0], args, &plan, rules);
    }
    let mut documents = Vec::new();
    let mut rows = Vec::new();
    for log in logs {
        let scan = scan_log(&log, &plan, Arc::clone(&rules))?;
        if args.json {
            let mut document = scan.json();
            document["log"] = log.to_string_lossy().into();
            documents.push(document);
        } else {
            rows.push((scan.cells(), log));
        }
    }
    if args.json {
        output::print_data(&printable_json(format!("{}\n", Value::Array(documents))))?;
    } else {
        output::print_text(&scan_table::format_table(&rows, terminal_width(args)))?;
    }
    Ok(CliExit::Done)
}

fn scan_one(log: &Path, args: &ScanArgs, plan: &ScanPlan, rules: Arc<LogRules>) -> Result<CliExit, CliError> {
    let scan = scan_log(log, plan, rules)?;
    for fault in &scan.reading.pattern_faults {
        output::print_message(&fault.message);
    }
    if args.json {
        output::print_data(&printable_json(format!("{}\n", scan.json())))?;
        return Ok(CliExit::Done);
    }
    let looks_like = match scan.reading.preset {
        Some(_) => None,
        None => find_suggestion(log)?.map(|suggestion| suggestion.told),
    };
    let frame = Frame { width: terminal_width(args), age: log_age(log), looks_like };
    output::print_text(&scan.text(&frame))?;
    Ok(CliExit::Done)
}

fn scan_log(log: &Path, plan: &ScanPlan, rules: Arc<LogRules>) -> Result<Scan, CliError> {
    let reading = read_log(log, rules).map_err(CliError::for_file("read", log))?;
    Ok(if plan.results.is_empty() {
        Scan::of_log(reading)
    } else {
        let results = results_of_attempt::read_results(&plan.results, &plan.metrics, None);
        Scan::with_results(reading, results, &BuiltInRules::changed_by(&plan.rules))
    })
}

/// Prints a pattern for a log, and what it reads there.
fn print_suggestion(log: &Path) -> Result<(), CliError> {
    let name = log.to_string_lossy();
    let Some(suggestion) = find_suggestion(log)? else {
        return output::print_text(&format!("# {name}: no lines look like a count of the work\n"));
    };
    let rules = LogRules::counting(&suggestion.done).map_err(|error| CliError::usage(error.to_string()))?;
    let reading = read_log(log, Arc::new(rules)).map_err(CliError::for_file("read", log))?;
    let read = reading.progress_text().unwrap_or_else(|| "nothing".to_owned());
    output::print_text(&format!(
        "# {name}: {}; this pattern reads {read}\n[progress]\ndone = '{}'\n",
        suggestion.told, suggestion.done
    ))
}

pub(in crate::cli) fn find_suggestion(log: &Path) -> Result<Option<Suggestion>, CliError> {
    let mut suggester = Suggester::default();
    let mut lines = LineReducer::default();
    each_piece(log, |piece| lines.feed(piece, |line| suggester.take(line.text)))
        .map_err(CliError::for_file("read", log))?;
    lines.finish(|line| suggester.take(line.text));
    Ok(suggester.suggestion())
}

/// Reads a log in chunks.
pub fn read_log(path: &Path, rules: Arc<LogRules>) -> io::Result<LogSummary> {
    let mut reader = LogReader::new(rules);
    // No reader follows the marks of a finished log.
    let mut marks = Vec::new();
    each_piece(path, |piece| {
        reader.feed(piece, &mut marks);
        marks.clear();
    })?;
    reader.finish(&mut marks);
    Ok(reader.reading().clone())
}

fn each_piece(path: &Path, mut take: impl FnMut(&[u8])) -> io::Result<()> {
    let mut log = File::open(path)?;
    // A terminal carries UTF-8; a file may come from anywhere.
    let mut decoder = LogDecoder::default();
    let mut chunk = vec![0; CHUNK];
    loop {
        match log.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => take(decoder.feed(&chunk[..length])),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    take(decoder.finish());
    Ok(())
}

/// The columns of the terminal; nothing is cut for a file or a pipe.
fn terminal_width(args: &ScanArgs) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(rustix::stdio::stdout()).ok();
    size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0 && !args.full)
}

fn log_age(log: &Path) -> Option<String> {
    let written = std::fs::metadata(log).and_then(|about| about.modified()).ok()?;
    SystemTime::now().duration_since(written).ok().map(format_duration)
}
