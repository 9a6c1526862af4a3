//! The processes behind a log, found by the file that they write or named by the user.

use std::path::{Path, PathBuf};

use super::adopt_args::AdoptArgs;
use crate::cli::error::CliError;
use crate::cli::output;
use crate::model::attempt::ProcessIdentity;
use crate::model::claims::foreign_work::ForeignWork;
use crate::process::{description, identity, open_files};
use crate::rundir::clock;

/// A log with its processes, and what was started to write it.
pub(in crate::cli) struct FoundWork {
    /// The log and its processes.
    pub(in crate::cli) work: ForeignWork,
    /// The command line of the first process.
    pub(in crate::cli) command: Option<String>,
    /// Its working directory, or the folder of the log.
    pub(in crate::cli) cwd: PathBuf,
}

/// Finds the processes of each log, and prints them.
pub(in crate::cli) fn find_works(args: &AdoptArgs) -> Result<Vec<FoundWork>, CliError> {
    let pids = pids_by_log(&args.pid, args.log.len())?;
    let mut found: Vec<FoundWork> = Vec::new();
    for (log, pid) in args.log.iter().zip(pids) {
        let path = log.canonicalize().map_err(CliError::for_file("read", log))?;
        if !path.is_file() {
            return Err(CliError::usage(format!("{} is no file", log.display())));
        }
        if found.iter().any(|known| known.work.log == path) {
            return Err(CliError::usage(format!("{} is named twice", log.display())));
        }
        found.push(find_work(log, path, pid)?);
    }
    Ok(found)
}

/// The process that was named for each log.
fn pids_by_log(pids: &[u32], logs: usize) -> Result<Vec<Option<u32>>, CliError> {
    match pids {
        [] => Ok(vec![None; logs]),
        [pid] => Ok(vec![Some(*pid); logs]),
        pids if pids.len() == logs => Ok(pids.iter().copied().map(Some).collect()),
        pids => Err(CliError::usage(format!("there are {} logs and {} processes", logs, pids.len()))
            .with_hint("give --pid once for each log, in their order, or once for all")),
    }
}

fn find_work(named: &Path, path: PathBuf, pid: Option<u32>) -> Result<FoundWork, CliError> {
    let (pids, hidden) = match pid {
        Some(pid) => (vec![pid], 0),
        None => {
            let writers = open_files::find_writers(&path).map_err(CliError::for_file("look at", &path))?;
            (writers.pids, writers.hidden)
        }
    };
    let processes: Vec<ProcessIdentity> =
        pids.iter().filter_map(|pid| identity::identify_process(*pid).ok()).collect();
    if let (Some(pid), true) = (pid, processes.is_empty()) {
        return Err(CliError::usage(format!("there is no process {pid}")));
    }
    let command = processes.first().and_then(|process| description::describe_process(process.pid));
    let command = command.map(|described| described.command);
    say_what_was_found(named, &processes, command.as_deref(), hidden);
    let cwd = processes.first().and_then(|process| description::working_directory(process.pid));
    let cwd = cwd.or_else(|| path.parent().map(Path::to_owned)).unwrap_or_default();
    let began = processes.iter().map(|process| process.start_ticks).min().map(clock::of_start);
    Ok(FoundWork { work: ForeignWork { log: path, processes, began }, command, cwd })
}

fn say_what_was_found(log: &Path, processes: &[ProcessIdentity], command: Option<&str>, hidden: usize) {
    let pids: Vec<String> = processes.iter().map(|process| process.pid.to_string()).collect();
    output::print_message(&match pids.as_slice() {
        [] if hidden > 0 => format!(
            "{}: no process that you may look into writes it ({hidden} others are hidden), so that it is judged as it is \
             now; name its process with --pid",
            log.display()
        ),
        [] => format!("{}: no process writes it any more, so that it is judged as it is now", log.display()),
        [pid] => format!("{}: process {pid} ({})", log.display(), command.unwrap_or_default()),
        pids => format!("{}: processes {} ({})", log.display(), pids.join(", "), command.unwrap_or_default()),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_belong_to_logs_in_their_order() {
        assert_eq!(pids_by_log(&[], 2).unwrap(), [None, None]);
        assert_eq!(pids_by_log(&[7], 2).unwrap(), [Some(7), Some(7)]);
        assert_eq!(pids_by_log(&[7, 8], 2).unwrap(), [Some(7), Some(8)]);
        assert!(pids_by_log(&[7, 8], 3).is_err());
    }
}
