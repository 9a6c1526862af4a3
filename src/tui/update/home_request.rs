//! What keys on the home screen ask of its surroundings.

use crate::tui::model::overlays::theme_chooser::ThemeRequest;
use std::path::PathBuf;

use crate::model::ids::RunId;
use crate::tui::model::overlays::sweep_plan::{Start, SweepRequest};

/// A request that the home screen makes of its surroundings.
#[derive(Debug, Clone, PartialEq)]
pub enum HomeRequest {
    /// Show the dashboard of the run in this folder.
    Attach(PathBuf),
    /// Make the plan of a wish and look at the machine for it.
    Plan(SweepRequest),
    /// Start a sweep as it was planned.
    Start(Box<Start>),
    /// Start the demo: there is nothing else yet.
    Demo,
    /// Take a run that is gone from the list.
    Forget(RunId),
    /// Use the next theme.
    Theme(ThemeRequest),
    /// Leave the home screen and the program.
    Leave,
    /// Stop this process as Ctrl-Z does.
    Suspend,
    /// Use the mouse, or leave it to the terminal.
    Mouse,
    /// Draw the whole screen from scratch.
    Redraw,
}
