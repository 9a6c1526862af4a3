//! `logs`: the bytes a shard wrote to its terminal, and on as they come. A file or a pipe gets them as they are; a
//! terminal gets text and colours, because it obeys whatever else a program or its data put there.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

use super::watch::block_on;
use crate::cli::addressing::target;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::cli::overview::overview_args::LogsArgs;
use crate::model::ids::{AttemptKey, AttemptNumber, ShardId};
use crate::model::logs::coloured::Coloured;
use crate::progress::text::lines::{LineReducer, PlainLine};
use crate::rundir::error::RunDirError;
use crate::rundir::layout::{AttemptDir, RunDir};
use crate::rundir::proven_state;
use crate::rundir::refusal::OpenRefusal;
use crate::tail::follower::Follower;
use crate::tail::lines::last_lines;
use crate::tail::watcher::Watcher;

/// Bytes read from a log at once; so many that only the disk limits how fast a log of gigabytes is read.
const CHUNK: usize = 256 * 1024;

/// A progress bar is one line of any length: so much of the end is read at most.
const LONGEST_END: u64 = 1 << 20;

/// A holder that was killed writes no exit record; the journal is looked at this often for its end.
const LOOK: Duration = Duration::from_secs(1);

/// Prints the log of a shard's attempt.
pub fn run(args: &LogsArgs) -> Result<CliExit, CliError> {
    let (run, shard) = target::find_shard(&args.shard)?;
    let key = select_attempt(&run, shard, args.attempt)?;
    let dir = run.attempt_dir(&key);
    let path = dir.output_log();
    let refused = |error: io::Error| match OpenRefusal::from_error(&error) {
        Some(_) => RunDirError::io("read", &path)(error).into(),
        None => CliError::for_file("read", &path)(error),
    };
    if let Some(lines) = args.tail {
        let file = path.open().map_err(refused)?;
        return print_end(&file, lines as usize);
    }
    let log = Follower::open(&path).map_err(refused)?;
    let mut copy = Copy { log, shown: io::stdout().is_terminal().then(Coloured::default) };
    if args.follow {
        block_on(follow_log(&run, &key, &dir, &mut copy))?;
    } else {
        copy.what_is_there()?;
    }
    copy.finish()?;
    Ok(CliExit::Done)
}

/// Prints the last lines as a person would read them.
fn print_end(file: &File, count: usize) -> Result<CliExit, CliError> {
    let end = last_lines(file, count, LONGEST_END).map_err(CliError::system("read the log"))?;
    // Of a bar that was drawn many times in one line the last drawing stays.
    let mut lines: BTreeMap<u64, String> = BTreeMap::new();
    let mut keep = |line: PlainLine<'_>| {
        lines.insert(line.number, String::from_utf8_lossy(line.text).into_owned());
    };
    let mut reducer = LineReducer::default();
    reducer.feed(&end.bytes, &mut keep);
    reducer.finish(&mut keep);
    output::print_text(&lines.values().map(|line| format!("{line}\n")).collect::<String>())?;
    Ok(CliExit::Done)
}

/// A log on its way to stdout.
struct Copy {
    log: Follower,
    /// Filter that keeps only what a terminal may be shown of the log.
    shown: Option<Coloured>,
}

impl Copy {
    fn what_is_there(&mut self) -> Result<(), CliError> {
        let mut buffer = vec![0; CHUNK];
        let mut clean = Vec::new();
        loop {
            let read = self.log.read_more(&mut buffer).map_err(CliError::system("read the log"))?;
            if read == 0 {
                return Ok(());
            }
            match &mut self.shown {
                None => output::write_bytes(&buffer[..read])?,
                Some(shown) => {
                    shown.feed(&buffer[..read], &mut clean);
                    output::write_bytes(&clean)?;
                    clean.clear();
                }
            }
        }
    }

    fn finish(&mut self) -> Result<(), CliError> {
        let mut clean = Vec::new();
        if let Some(shown) = &mut self.shown {
            shown.finish(&mut clean);
        }
        output::write_bytes(&clean)
    }
}

/// The attempt that is asked for, or the newest one.
fn select_attempt(run: &RunDir, shard: ShardId, wanted: Option<u32>) -> Result<AttemptKey, CliError> {
    let state = proven_state::read_state(run)?;
    let newest = state.shard(&shard).and_then(|shard| shard.attempt);
    match (newest, wanted.map(AttemptNumber)) {
        (None, _) => Err(CliError::not_found(format!("`{shard}` has not started yet, so it has no log"))),
        (Some(newest), Some(wanted)) if wanted > newest => {
            Err(CliError::not_found(format!("`{shard}` has no attempt {wanted}; the newest is {newest}")))
        }
        (Some(newest), wanted) => Ok(AttemptKey { shard, attempt: wanted.unwrap_or(newest) }),
    }
}

async fn follow_log(
    run: &RunDir,
    key: &AttemptKey,
    dir: &AttemptDir,
    copy: &mut Copy,
) -> Result<(), CliError> {
    let grown = Arc::new(Notify::new());
    let wake = Arc::clone(&grown);
    let mut watcher = Watcher::new(move |_| wake.notify_one());
    for path in [dir.output_log(), dir.exit_json()] {
        watcher.watch_file(&path).map_err(|error| CliError::unreachable(error.to_string()))?;
    }
    loop {
        // Asked before the last reading: what was written before the end is then read to its end.
        let ended = dir.exit_json().exists() || has_ended(run, key)?;
        copy.what_is_there()?;
        if ended {
            return Ok(());
        }
        // Elapsed is no error: it is the time to look at the journal.
        let _ = tokio::time::timeout(LOOK, grown.notified()).await;
    }
}

fn has_ended(run: &RunDir, key: &AttemptKey) -> Result<bool, CliError> {
    let state = proven_state::fold_journal(run)?;
    Ok(state
        .shard(&key.shard)
        .is_none_or(|shard| shard.attempt != Some(key.attempt) || !shard.phase.kind().is_active()))
}
