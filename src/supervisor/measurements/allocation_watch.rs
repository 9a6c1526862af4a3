//! Asks Slurm again and again how long the job lasts in which this supervisor lives: its end may be put off.

use std::sync::mpsc::{SendError, channel};
use std::thread;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tracing::warn;

use crate::model::machine::allocation::Allocation;
use crate::process::slurm::own_job;
use crate::rundir::clock;
use crate::scheduler::input::SchedulerInput;
use crate::supervisor::event::SupervisorEvent;

/// Slurm is shared by many: it is asked this often.
const AGAIN: Duration = Duration::from_secs(600);

/// The same after it did not answer.
const AGAIN_AFTER_FAILURE: Duration = Duration::from_secs(60);

/// The first shards wait so long for the end of the job, which Slurm tells in milliseconds unless it is busy or down.
const FIRST_PATIENCE: Duration = Duration::from_secs(2);

/// Gives the job in which this supervisor lives, for its first decision, and reports to `event_tx` whenever its end is asked
/// for again. `None` where that changes nothing of what the journal knows.
pub(in crate::supervisor) fn find_allocation(
    known: Option<&Allocation>,
    event_tx: UnboundedSender<SupervisorEvent>,
) -> Option<SchedulerInput> {
    let Some(job) = own_job::find_own_job() else {
        return known.map(|_| SchedulerInput::Allocation(None));
    };
    let (answer, first) = channel();
    let asked = job.clone();
    let report = move |now: Allocation| {
        // The first answer, unless it comes too late for that.
        let Err(SendError(late)) = answer.send(now) else { return true };
        event_tx.send(SupervisorEvent::Input(SchedulerInput::Allocation(Some(late)))).is_ok()
    };
    if let Err(error) =
        thread::Builder::new().name("slurm".to_owned()).spawn(move || ask_again_and_again(&asked, report))
    {
        warn!("the end of the Slurm job is not known: {error}");
    }
    match first.recv_timeout(FIRST_PATIENCE) {
        Ok(now) => Some(SchedulerInput::Allocation(Some(now))),
        Err(_) if known.is_some_and(|known| known.job == job) => None,
        Err(_) => Some(SchedulerInput::Allocation(Some(Allocation { job, ends: None }))),
    }
}

/// Asks until nothing listens any more. A controller may take minutes to answer, or never do: only this thread waits.
fn ask_again_and_again(job: &str, report: impl Fn(Allocation) -> bool) {
    loop {
        let pause = match own_job::ask_time_left(job) {
            Ok(left) => {
                let ends = left.and_then(|left| clock::now().checked_add(left).ok());
                if !report(Allocation { job: job.to_owned(), ends }) {
                    return;
                }
                AGAIN
            }
            Err(error) => {
                warn!("{error}");
                AGAIN_AFTER_FAILURE
            }
        };
        thread::sleep(pause);
    }
}
