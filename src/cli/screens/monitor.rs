//! `monitor`: GPUs and host alone, without any run.

use super::dashboard::signal_exit;
use super::live_readings::LiveReadings;
use super::monitor_args::MonitorArgs;
use super::print_frame;
use super::record_machine;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::cli::settings;
use crate::rundir::residence;
use crate::tui::monitor::{self, MonitorExit};
use crate::tui::once;
use crate::tui::options::MonitorOptions;

/// Shows the machine until the user leaves; one frame where there is no terminal to draw on.
pub fn run(args: &MonitorArgs) -> Result<CliExit, CliError> {
    if let Some(path) = &args.csv {
        return record_machine::record_readings(path, args.interval);
    }
    if args.once || !output::is_terminal() {
        return print_frame(args);
    }
    let options = MonitorOptions {
        host: residence::host_name(),
        preferences: settings::resolve_preferences(&args.look.to_screen_args()),
        readings: Box::new(LiveReadings::start()),
    };
    Ok(match monitor::run_monitor(options)? {
        MonitorExit::ByKey => CliExit::Done,
        MonitorExit::BySignal(signal) => signal_exit(signal),
    })
}

fn print_frame(args: &MonitorArgs) -> Result<CliExit, CliError> {
    let now = LiveReadings::start().read_settled();
    print_frame::print_frame(once::render_machine(
        residence::host_name(),
        now,
        &print_frame::frame_options(settings::resolve_preferences(&args.look.to_screen_args())),
    ))?;
    Ok(CliExit::Done)
}
