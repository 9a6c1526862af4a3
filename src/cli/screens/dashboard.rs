//! The dashboard of a run, or one of the forms that replace it.

use std::io;

use super::print_frame;
use super::screen_args::ScreenArgs;
use crate::cli::addressing::control;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::overview::watch::exit_of;
use crate::cli::terminals::enter;
use crate::cli::verbs::add;
use crate::cli::{output, settings};
use crate::model::command::{Command, ControlReply};
use crate::model::ids::ShardId;
use crate::model::state::run_state::RunStage;
use crate::rundir::layout::RunDir;
use crate::rundir::proven_state;
use crate::tui::model::screen::ScreenAccess;
use crate::tui::options::{Actions, DashboardExit as Left, Options};
use crate::tui::{app, once, plain};

/// How the dashboard was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterDashboard {
    /// The program ends so.
    Over(CliExit),
    /// The user wants to see the home screen.
    Home,
}

/// Shows the run until the user leaves, or until its end where lines are printed.
pub fn show_run(run: &RunDir, read_only: bool, screen: &ScreenArgs) -> Result<AfterDashboard, CliError> {
    if screen.once {
        return print_frame(run, screen).map(AfterDashboard::Over);
    }
    // Lines can be read wherever nothing can be drawn.
    if screen.plain || !output::is_terminal() {
        plain::run_plain(run, &mut io::stdout().lock())?;
        return Ok(AfterDashboard::Over(exit_of(&proven_state::fold_journal(run)?)));
    }
    match run_dashboard(run, if read_only { ScreenAccess::ReadOnly } else { ScreenAccess::Acting }, screen)? {
        Left::Detached => {
            output::print_message(&detached_message(run)?);
            Ok(AfterDashboard::Over(CliExit::Done))
        }
        Left::Home => Ok(AfterDashboard::Home),
        Left::Signalled(signal) => Ok(AfterDashboard::Over(signal_exit(signal))),
    }
}

/// The code of a program that a signal ended.
pub fn signal_exit(signal: i32) -> CliExit {
    CliExit::Signalled(u8::try_from(signal).unwrap_or(0))
}

/// Shows the past of the run until the user leaves.
pub fn replay_run(run: &RunDir, screen: &ScreenArgs) -> Result<AfterDashboard, CliError> {
    proven_state::read_state(run)?;
    Ok(match run_dashboard(run, ScreenAccess::Replaying, screen)? {
        Left::Detached => AfterDashboard::Over(CliExit::Done),
        Left::Home => AfterDashboard::Home,
        Left::Signalled(signal) => AfterDashboard::Over(signal_exit(signal)),
    })
}

fn run_dashboard(run: &RunDir, access: ScreenAccess, screen: &ScreenArgs) -> Result<Left, CliError> {
    let options = Options {
        run: run.clone(),
        access,
        preferences: settings::resolve_preferences(screen),
        actions: Box::new(RunActions { run: run.clone() }),
    };
    Ok(app::run_dashboard(options)?)
}

fn print_frame(run: &RunDir, screen: &ScreenArgs) -> Result<CliExit, CliError> {
    print_frame::print_frame(once::render_frame(
        run,
        &print_frame::frame_options(settings::resolve_preferences(screen)),
    )?)?;
    Ok(CliExit::Done)
}

fn detached_message(run: &RunDir) -> Result<String, CliError> {
    let path = run.path().display();
    Ok(match proven_state::fold_journal(run)?.stage {
        RunStage::Ended { .. } => format!("the run is over: sweepdeck report {path}"),
        RunStage::Active | RunStage::Draining | RunStage::Stopping => {
            format!("the run goes on; come back with: sweepdeck attach {path}")
        }
    })
}

/// Actions that the keys of the dashboard take on the run.
struct RunActions {
    run: RunDir,
}

impl Actions for RunActions {
    fn send_command(&mut self, command: Command) -> Result<ControlReply, String> {
        if let Command::AddValues { axis, values } = &command {
            add::check_addition(&self.run, axis, values, false).map_err(|error| error.to_string())?;
        }
        control::send_command(&self.run, command).map_err(|error| error.to_string())
    }

    fn enter_shard(&mut self, shard: &ShardId) -> Result<(), String> {
        enter::drive_terminal(&self.run, shard).map(|_| ()).map_err(|error| error.to_string())
    }
}
