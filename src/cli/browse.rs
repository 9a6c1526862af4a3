//! Home and dashboards in turn, until the user leaves.

use super::dashboard::{self, Seen};
use super::error::CliError;
use super::exit_code::Exit;
use super::launcher::Launching;
use super::screen_args::ScreenArgs;
use super::sweep::Sweep;
use super::{fit, launch, open};
use crate::model::plan::Parallel;
use crate::rundir::layout::RunDir;
use crate::supervisor::start;
use crate::tui::home;
use crate::tui::model::home::Start;
use crate::tui::options::{Chosen, HomeOptions};

/// Ends as the dashboard ended, or goes on at home.
pub fn after(seen: Seen, read_only: bool, screen: &ScreenArgs) -> Result<Exit, CliError> {
    match seen {
        Seen::Over(exit) => Ok(exit),
        Seen::Home => browse(read_only, screen),
    }
}

/// Shows home, what is chosen there, and home again.
pub fn browse(read_only: bool, screen: &ScreenArgs) -> Result<Exit, CliError> {
    let mut notice = None;
    loop {
        let options = HomeOptions {
            read_only,
            ascii: screen.ascii,
            theme: screen.theme.clone(),
            notice: notice.take(),
            launcher: Box::new(Launching::default()),
        };
        let seen = match home::run(options)? {
            Chosen::Leave => return Ok(Exit::Done),
            Chosen::Signalled(signal) => return Ok(dashboard::signalled(signal)),
            Chosen::Attach(dir) => open::show(&RunDir::at(&dir), read_only, screen),
            Chosen::Start(wish) => begin(&wish).and_then(|run| dashboard::show(&run, false, screen)),
        };
        match seen {
            Ok(Seen::Over(exit)) => return Ok(exit),
            Ok(Seen::Home) => {}
            // One run that cannot be opened or started is no reason to leave; the footer has one line.
            Err(error) => notice = Some(error.to_string().lines().collect::<Vec<_>>().join(" ")),
        }
    }
}

/// Starts what was chosen in a plan, by the same way as `run`.
fn begin(wish: &Start) -> Result<RunDir, CliError> {
    let mut sweep = Sweep::open(&wish.sweep)?;
    fit::fit(&mut sweep)?;
    sweep.plan.shards.retain(|shard| wish.shards.contains(&shard.id));
    if sweep.plan.shards.len() != wish.shards.len() {
        return Err(CliError::usage("the sweep has changed meanwhile; open its plan again"));
    }
    sweep.plan.schedule.parallel = Parallel::Fixed(wish.parallel);
    let run = launch::create(&sweep, None)?;
    start::ensure(&run)?;
    Ok(run)
}
