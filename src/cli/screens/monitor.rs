//! `monitor`: GPUs and host alone, without any run.

use super::dashboard::signalled;
use super::live_readings::LiveReadings;
use super::monitor_args::MonitorArgs;
use super::paper;
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
        return record_machine::record(path, args.interval);
    }
    if args.once || !output::is_terminal() {
        return print_frame(args);
    }
    let options = MonitorOptions {
        host: residence::host(),
        preferences: settings::preferences(&args.look.screen()),
        readings: Box::new(LiveReadings::start()),
    };
    Ok(match monitor::run(options)? {
        MonitorExit::ByKey => CliExit::Done,
        MonitorExit::BySignal(signal) => signalled(signal),
    })
}

fn print_frame(args: &MonitorArgs) -> Result<CliExit, CliError> {
    let now = LiveReadings::start().settled();
    paper::print(once::machine(
        residence::host(),
        now,
        &paper::look(settings::preferences(&args.look.screen())),
    ))?;
    Ok(CliExit::Done)
}
