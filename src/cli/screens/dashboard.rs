//! The dashboard of a run, or one of the forms that replace it.

use std::io;

use super::paper;
use super::screen_args::ScreenArgs;
use crate::cli::addressing::control;
use crate::cli::error::CliError;
use crate::cli::exit_code::Exit;
use crate::cli::overview::watch::exit_of;
use crate::cli::terminals::enter;
use crate::cli::verbs::add;
use crate::cli::{output, settings};
use crate::model::command::{Command, ControlReply};
use crate::model::ids::ShardId;
use crate::model::state::run_state::RunStage;
use crate::rundir::layout::RunDir;
use crate::rundir::proven_state;
use crate::tui::model::screen::Access;
use crate::tui::options::{Actions, Exit as Left, Options};
use crate::tui::{app, once, plain};

/// How the dashboard was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// The program ends so.
    Over(Exit),
    /// The user wants to see the home screen.
    Home,
}

/// Shows the run until the user leaves, or until its end where lines are printed.
pub fn show(run: &RunDir, read_only: bool, screen: &ScreenArgs) -> Result<Seen, CliError> {
    if screen.once {
        return print_frame(run, screen).map(Seen::Over);
    }
    // Lines can be read wherever nothing can be drawn.
    if screen.plain || !output::is_terminal() {
        plain::run(run, &mut io::stdout().lock())?;
        return Ok(Seen::Over(exit_of(&proven_state::fold(run)?)));
    }
    match draw(run, if read_only { Access::ReadOnly } else { Access::Acting }, screen)? {
        Left::Detached => {
            output::say(&detached(run)?);
            Ok(Seen::Over(Exit::Done))
        }
        Left::Home => Ok(Seen::Home),
        Left::Signalled(signal) => Ok(Seen::Over(signalled(signal))),
    }
}

/// The code of a program that a signal ended.
pub fn signalled(signal: i32) -> Exit {
    Exit::Signalled(u8::try_from(signal).unwrap_or(0))
}

/// Shows the past of the run until the user leaves.
pub fn replay(run: &RunDir, screen: &ScreenArgs) -> Result<Seen, CliError> {
    proven_state::read(run)?;
    Ok(match draw(run, Access::Replaying, screen)? {
        Left::Detached => Seen::Over(Exit::Done),
        Left::Home => Seen::Home,
        Left::Signalled(signal) => Seen::Over(signalled(signal)),
    })
}

fn draw(run: &RunDir, access: Access, screen: &ScreenArgs) -> Result<Left, CliError> {
    let options = Options {
        run: run.clone(),
        access,
        preferences: settings::preferences(screen),
        actions: Box::new(Deeds { run: run.clone() }),
    };
    Ok(app::run(options)?)
}

fn print_frame(run: &RunDir, screen: &ScreenArgs) -> Result<Exit, CliError> {
    paper::print(once::frame(run, &paper::look(settings::preferences(screen)))?)?;
    Ok(Exit::Done)
}

fn detached(run: &RunDir) -> Result<String, CliError> {
    let path = run.path().display();
    Ok(match proven_state::fold(run)?.stage {
        RunStage::Ended { .. } => format!("the run is over: sweepdeck report {path}"),
        RunStage::Active | RunStage::Draining | RunStage::Stopping => {
            format!("the run goes on; come back with: sweepdeck attach {path}")
        }
    })
}

/// Actions that the keys of the dashboard take on the run.
struct Deeds {
    run: RunDir,
}

impl Actions for Deeds {
    fn send(&mut self, command: Command) -> Result<ControlReply, String> {
        if let Command::AddValues { axis, values } = &command {
            add::check_addition(&self.run, axis, values, false).map_err(|error| error.to_string())?;
        }
        control::send(&self.run, command).map_err(|error| error.to_string())
    }

    fn enter(&mut self, shard: &ShardId) -> Result<(), String> {
        enter::drive(&self.run, shard).map(|_| ()).map_err(|error| error.to_string())
    }
}
