//! `screenshot`: one frame of the dashboard as a picture.

use super::args::ScreenshotArgs;
use super::error::CliError;
use super::exit_code::Exit;
use super::{output, target};
use crate::tui::svg;

/// Prints the frame as SVG.
pub fn run(args: &ScreenshotArgs) -> Result<Exit, CliError> {
    let run = target::run(&args.run)?;
    let picture = svg::render(&run, args.size, args.theme.as_deref())?;
    output::data(&picture)?;
    Ok(Exit::Done)
}
