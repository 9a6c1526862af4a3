//! Several logs at once: which ones a folder holds, and one row for each.

use std::path::{Path, PathBuf};

use crate::cli::error::CliError;

/// The cells of a log, and its path.
pub(in crate::cli) type Row = ([String; 4], PathBuf);

/// Folders are entered so deep: `run/shard/attempt`.
const DEEPEST: usize = 4;

/// Most characters of a cause where the table is not cut to a terminal.
const LONGEST_CAUSE: usize = 60;

const HEADS: [&str; 4] = ["STATE", "PROGRESS", "RATE", "CAUSE"];

/// Returns the logs that these paths name: a folder means all logs in it.
pub(in crate::cli) fn logs_in(paths: &[PathBuf]) -> Result<Vec<PathBuf>, CliError> {
    let mut logs = Vec::new();
    for path in paths {
        if path.is_dir() {
            let known = logs.len();
            collect_logs(path, DEEPEST, &mut logs)?;
            logs[known..].sort();
        } else {
            logs.push(path.clone());
        }
    }
    if logs.is_empty() {
        return Err(CliError::not_found("no logs there: files that end in .log, .out, .err or .txt")
            .with_hint("name the files themselves"));
    }
    Ok(logs)
}

fn collect_logs(folder: &Path, deep: usize, logs: &mut Vec<PathBuf>) -> Result<(), CliError> {
    let entries = std::fs::read_dir(folder).map_err(CliError::for_file("read", folder))?;
    for entry in entries {
        let path = entry.map_err(CliError::for_file("read", folder))?.path();
        // A link may lead back here.
        if path.is_symlink() && path.is_dir() {
            continue;
        }
        if path.is_dir() {
            if deep > 0 {
                collect_logs(&path, deep - 1, logs)?;
            }
        } else if is_log(&path) {
            logs.push(path);
        }
    }
    Ok(())
}

fn is_log(path: &Path) -> bool {
    path.extension().is_some_and(|end| ["log", "out", "err", "txt"].iter().any(|known| end == *known))
}

/// Formats one row for each log: state, progress, rate, cause and path.
pub(in crate::cli) fn format_table(rows: &[Row], width: Option<usize>) -> String {
    let count = |text: &str| text.chars().count();
    let widest = |column: usize, head: &str| {
        rows.iter().map(|(cells, _)| count(&cells[column])).chain([count(head)]).max().unwrap_or_default()
    };
    let mut widths = [0; 4];
    for (column, head) in HEADS.iter().enumerate() {
        widths[column] = widest(column, head);
    }
    let paths: Vec<String> = rows.iter().map(|(_, path)| path.to_string_lossy().into_owned()).collect();
    let path = paths.iter().map(|path| count(path)).max().unwrap_or_default();
    let others = widths[..3].iter().sum::<usize>() + path + 2 * HEADS.len();
    let room = width.map_or(LONGEST_CAUSE, |width| width.saturating_sub(others)).max(count(HEADS[3]));
    widths[3] = widths[3].min(room);
    let mut text = format_line(&HEADS.map(str::to_owned), &widths, "LOG");
    for ((cells, _), path) in rows.iter().zip(&paths) {
        text.push_str(&format_line(cells, &widths, path));
    }
    text
}

fn format_line(cells: &[String; 4], widths: &[usize; 4], path: &str) -> String {
    let mut text = String::new();
    for (cell, width) in cells.iter().zip(widths) {
        let length = cell.chars().count();
        if length > *width {
            text.extend(cell.chars().take(width.saturating_sub(1)).chain(['…']));
        } else {
            text.push_str(cell);
            text.extend(std::iter::repeat_n(' ', width - length));
        }
        text.push_str("  ");
    }
    text.push_str(path);
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(state: &str, cause: &str, path: &str) -> Row {
        ([state.to_owned(), "2 of 4 episodes".to_owned(), "50.0 %".to_owned(), cause.to_owned()], path.into())
    }

    #[test]
    fn each_log_is_a_row_and_long_causes_are_cut() {
        let rows = [row("succeeded", "", "a.log"), row("failed", "gpu-oom: CUDA out of memory", "b.log")];
        let narrow = format_table(&rows, Some(60));
        let lines: Vec<&str> = narrow.lines().collect();
        assert!(lines.iter().all(|line| line.chars().count() <= 60), "{narrow}");
        assert_eq!(lines[2], "failed     2 of 4 episodes  50.0 %  gpu-oom: CUDA ou…  b.log");
        let places: Vec<_> = lines.iter().map(|line| line.rfind(' ')).collect();
        assert_eq!(places[0], places[1], "{narrow}");
        assert!(format_table(&rows, None).contains("gpu-oom: CUDA out of memory  b.log"));
    }
}
