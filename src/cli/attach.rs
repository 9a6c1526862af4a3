//! `attach`: the dashboard of a run that was started before.

use super::args::AttachArgs;
use super::control::{self, Standing};
use super::error::CliError;
use super::exit_code::Exit;
use super::wait::Keeping;
use super::{dashboard, target};
use crate::model::run_state::RunStage;
use crate::rundir::journal;

/// Shows the dashboard; only the owner's may act.
pub fn run(args: &AttachArgs) -> Result<Exit, CliError> {
    let run = target::run(&args.run)?;
    let read_only = args.read_only || control::standing(&run)? != Standing::Owner;
    if !read_only {
        match journal::fold(&run.journal())?.stage {
            RunStage::Active | RunStage::Draining | RunStage::Stopping => Keeping::default().look(&run)?,
            RunStage::Ended { .. } => {}
        }
    }
    dashboard::show(&run, read_only, &args.screen)
}
