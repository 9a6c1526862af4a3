//! Home and dashboards in turn, until the user leaves.

use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::screens::dashboard::{self, AfterDashboard};
use crate::cli::screens::open;
use crate::cli::screens::screen_args::ScreenArgs;
use crate::cli::settings;
use crate::cli::start::launcher::Launching;
use crate::cli::start::{demo_sweep, launch, overrides};
use crate::model::state::fact::Event;
use crate::rundir::layout::RunDir;
use crate::supervisor::lifetime::start;
use crate::tui::home;
use crate::tui::model::overlays::sweep_plan::Start;
use crate::tui::options::{Chosen, HomeOptions};

/// Ends as the dashboard ended, or goes on at home.
pub fn continue_after(
    seen: AfterDashboard,
    read_only: bool,
    screen: &ScreenArgs,
) -> Result<CliExit, CliError> {
    match seen {
        AfterDashboard::Over(exit) => Ok(exit),
        AfterDashboard::Home => show_home(read_only, screen),
    }
}

/// Shows home, what is chosen there, and home again.
pub fn show_home(read_only: bool, screen: &ScreenArgs) -> Result<CliExit, CliError> {
    let mut notice = None;
    loop {
        let options = HomeOptions {
            read_only,
            preferences: settings::resolve_preferences(screen),
            notice: notice.take(),
            launcher: Box::new(Launching::default()),
        };
        let seen = match home::run_home(options)? {
            Chosen::Leave => return Ok(CliExit::Done),
            Chosen::Signalled(signal) => return Ok(dashboard::signal_exit(signal)),
            Chosen::Attach(dir) => open::show_run(&RunDir::at(&dir), read_only, screen),
            Chosen::Demo => demo_sweep::start_demo().and_then(|run| dashboard::show_run(&run, false, screen)),
            Chosen::Start(wish) => {
                start_chosen(&wish).and_then(|run| dashboard::show_run(&run, false, screen))
            }
        };
        match seen {
            Ok(AfterDashboard::Over(exit)) => return Ok(exit),
            Ok(AfterDashboard::Home) => {}
            // One run that cannot be opened or started is no reason to leave; the footer has one line.
            Err(error) => notice = Some(error.to_string().lines().collect::<Vec<_>>().join(" ")),
        }
    }
}

/// Starts what was chosen in a plan, by the same way as `run`.
fn start_chosen(start: &Start) -> Result<RunDir, CliError> {
    let (mut sweep, _) = overrides::read_sweep(&start.wish, false)?;
    if sweep.source != start.source {
        let path = start.wish.path.display();
        return Err(CliError::usage(format!("{path} has changed meanwhile; open its plan again")));
    }
    overrides::leave_out(&mut sweep.plan, &start.wish.left_out);
    let remark = || format!("differs from its sweep: {}", start.changes.join("; "));
    let remark = (!start.changes.is_empty()).then(|| Event::Remarked { about: None, text: remark() });
    let run = launch::create_with(&sweep, None, remark.into_iter().collect())?;
    start::ensure_supervisor(&run)?;
    Ok(run)
}
