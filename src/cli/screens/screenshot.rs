//! `screenshot`: one frame of the dashboard as a picture, or the course of a run as an animated one.

use crate::cli::addressing::target;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::cli::screens::screenshot_args::ScreenshotArgs;
use crate::tui::{film, svg};

/// Prints it as SVG.
pub fn run(args: &ScreenshotArgs) -> Result<CliExit, CliError> {
    let run = target::find_run(&args.run)?;
    let theme = args.theme.as_deref();
    let picture = match args.frames {
        None => svg::render_svg(&run, args.size, theme)?,
        Some(frames) => film::render_film(&run, args.size, theme, frames)?,
    };
    output::print_data(&picture)?;
    Ok(CliExit::Done)
}
