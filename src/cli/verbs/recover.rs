//! `recover`: a run continues where it stood, all of them do, or a damaged journal is salvaged.

use super::act::print_done;
use crate::cli::addressing::control::{self, Ownership};
use crate::cli::addressing::target;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::cli::verbs::recover_args::RecoverArgs;
use crate::model::command::Command;
use crate::rundir::layout::RunDir;
use crate::rundir::machine_wide::discover;
use crate::rundir::{life, lock, proven_state, salvage, trust};
use crate::supervisor::lifetime::start;

/// Continues one run, or all of them.
pub fn run(args: &RecoverArgs) -> Result<CliExit, CliError> {
    if args.all {
        return recover_all();
    }
    let run = target::find_run(&args.run)?;
    if args.salvage {
        return salvage_run(&run);
    }
    if args.take_over {
        control::take_over(&run)?;
    }
    let done = control::ask_supervisor(&run, Command::Continue)?;
    print_done(&done, &format!("the run goes on in {}", run.path().display()));
    Ok(CliExit::Done)
}

/// Gives every run of this user that was at work here a supervisor. What a user had stopped stays stopped.
fn recover_all() -> Result<CliExit, CliError> {
    let runs: Vec<RunDir> = discover::list_runs()?.iter().map(|pointer| RunDir::at(&pointer.dir)).collect();
    // Side by side: after a reboot each is looked at for some seconds, for signs of life elsewhere.
    let recovered: Vec<Result<Option<String>, CliError>> = std::thread::scope(|scope| {
        let threads: Vec<_> = runs.iter().map(|run| scope.spawn(|| recover_one(run))).collect();
        let failed = |_| Err(CliError::unreachable("the thread of a run has panicked"));
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(failed)).collect()
    });
    let mut exit = CliExit::Done;
    let mut count = 0;
    for (run, recovered) in runs.iter().zip(recovered) {
        match recovered {
            Ok(Some(sentence)) => {
                count += 1;
                output::print_message(&sentence);
            }
            Ok(None) => {}
            Err(error) => {
                exit = CliExit::Unreachable;
                output::print_message(&format!("{}: {}", run.path().display(), error.message));
            }
        }
    }
    if count == 0 && exit == CliExit::Done {
        output::print_message("no run waits to be continued");
    }
    Ok(exit)
}

/// Says what was done; nothing where nothing was to do.
fn recover_one(run: &RunDir) -> Result<Option<String>, CliError> {
    let is_over = proven_state::read_state(run)?.stage.is_over();
    if is_over || life::listening_socket(run).is_some() {
        return Ok(None);
    }
    let path = run.path().display();
    Ok(match control::check_ownership(run)? {
        Ownership::Owner => {
            trust::verify_run(run)?;
            start::ensure_supervisor(run)?;
            Some(format!("the run goes on in {path}"))
        }
        Ownership::Elsewhere { place } => Some(format!("{path} lives on {place} and is left alone")),
        Ownership::Stranger | Ownership::Copy { .. } => None,
    })
}

/// Shows what is sound of a journal, and keeps it in place of the damaged one.
fn salvage_run(run: &RunDir) -> Result<CliExit, CliError> {
    match control::check_ownership(run)? {
        Ownership::Owner => trust::verify_run_but_journal(run)?,
        Ownership::Stranger => return Err(CliError::unreachable("the run belongs to another user")),
        Ownership::Elsewhere { place } => return Err(control::elsewhere_error(run, &place, false)),
        Ownership::Copy { of } => return Err(control::copy_error(run, &of)),
    }
    let Some(_lock) = lock::acquire_lock(&run.supervisor_lock())? else {
        return Err(CliError::unreachable(
            "a supervisor is at work for the run, which keeps its own journal",
        )
        .with_hint("where it is broken too: `sweepdeck stop --now`, then salvage"));
    };
    let found = salvage::salvage_journal(run)?;
    let sound = found.facts.len();
    if found.notes.is_empty() {
        output::print_message(&format!("the journal is sound: {sound} facts, nothing is changed"));
        return Ok(CliExit::Done);
    }
    for note in &found.notes {
        output::print_message(&format!("  {note}"));
    }
    let kept = salvage::replace_journal(run, found)?;
    output::print_message(&format!("{sound} facts are kept; the damaged journal is {}", kept.display()));
    output::print_message(&format!(
        "look at it with `sweepdeck status`, continue with `sweepdeck recover {}`",
        run.path().display()
    ));
    Ok(CliExit::Done)
}
