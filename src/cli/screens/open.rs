//! Opening the dashboard on a run that was started before.

use super::dashboard::{self, AfterDashboard};
use super::screen_args::ScreenArgs;
use crate::cli::addressing::control::{self, Ownership};
use crate::cli::error::CliError;
use crate::cli::verbs::wait::Keeping;
use crate::model::state::run_state::RunStage;
use crate::rundir::layout::RunDir;
use crate::rundir::{proven_state, trust};

/// Shows it; only the owner's may act, and only the owner's brings back a supervisor that is gone.
pub fn show_run(run: &RunDir, read_only: bool, screen: &ScreenArgs) -> Result<AfterDashboard, CliError> {
    let read_only = read_only || control::check_ownership(run)? != Ownership::Owner;
    let state = proven_state::read_state(run)?;
    if !read_only {
        match state.stage {
            RunStage::Active | RunStage::Draining | RunStage::Stopping => {
                trust::verify_run(run)?;
                Keeping::default().check_supervisor(run)?;
            }
            RunStage::Ended { .. } => {}
        }
    }
    dashboard::show_run(run, read_only, screen)
}
