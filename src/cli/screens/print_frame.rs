//! What a frame looks like that is printed instead of drawn.

use crate::cli::error::CliError;
use crate::cli::output;
use crate::cli::terminals::raw_mode;
use crate::tui::once::FrameOptions;
use crate::tui::options::Preferences;
use crate::tui::terminal::terminal_style::speaks_unicode;
use crate::tui::theme::color::Depth;
use crate::tui::theme::store;

/// The size of a frame that is printed where there is no terminal.
const PAPER: (u16, u16) = (120, 40);

/// Returns a look as large as the terminal and in its colours; a reader at the end of a pipe gets characters only.
pub fn frame_options(preferences: Preferences) -> FrameOptions {
    let variable = |name: &str| std::env::var(name).ok();
    let (size, depth) = if output::is_terminal() {
        let size = raw_mode::terminal_size();
        ((size.columns, size.rows), Depth::from_environment(variable))
    } else {
        (PAPER, Depth::None)
    };
    let theme = preferences.theme.unwrap_or_else(|| store::fitting_theme(variable).to_owned());
    let ascii = preferences.ascii || !speaks_unicode(variable);
    FrameOptions { size, depth, preferences: Preferences { theme: Some(theme), ascii, ..preferences } }
}

/// Prints a frame, and what is wrong with the theme that was asked for.
pub fn print_frame((frame, warning): (String, Option<String>)) -> Result<(), CliError> {
    if let Some(warning) = warning {
        output::print_message(&warning);
    }
    // What the frame shows was made printable cell by cell; its colours must stay what they are.
    output::print_data(&frame)
}
