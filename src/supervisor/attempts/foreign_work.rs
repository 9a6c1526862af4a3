//! A run that only watches: what the end of its watchers means for the work, and what is refused.

use jiff::Timestamp;

use crate::model::attempt::{AttemptEnd, ExitRecord, StartRecord};
use crate::model::claims::foreign_work::ForeignWork;
use crate::model::command::{Command, ControlReply};
use crate::model::sweep::plan::Plan;

/// Why verbs that act are refused.
const ONLY_WATCHES: &str = "this run only watches processes that were started elsewhere: sweepdeck does not pause, end \
    or start any of them; `sweepdeck stop --now` ends the watching";

/// When the work began: before it was watched, where that is known.
pub(in crate::supervisor) fn work_start(work: Option<&ForeignWork>, started: &StartRecord) -> Timestamp {
    work.and_then(|work| work.began).unwrap_or(started.started)
}

/// The process that is shown: the work's own where there is one, and not its watcher's.
pub(in crate::supervisor) fn main_pid(work: Option<&ForeignWork>, started: &StartRecord) -> u32 {
    work.and_then(|work| work.processes.first()).map_or(started.child.pid, |process| process.pid)
}

/// Turns the end of a watcher into the end of the work: a watcher that ends by itself has seen the end of the
/// work, whose exit status is unknown. One that was ended has seen nothing.
pub(in crate::supervisor) fn see_end(work: &ForeignWork, exit: ExitRecord) -> ExitRecord {
    let end = match exit.end {
        AttemptEnd::Exited { status } if status.success() => AttemptEnd::Unseen,
        AttemptEnd::Exited { .. } => {
            AttemptEnd::Lost { message: "its watcher ended, and the work itself was left alone".to_owned() }
        }
        AttemptEnd::Unseen
        | AttemptEnd::LaunchError { .. }
        | AttemptEnd::PutBack { .. }
        | AttemptEnd::Lost { .. } => exit.end,
    };
    // What its watcher used is not what the work used.
    ExitRecord { end, started: work.began, usage: None, ..exit }
}

/// Refuses commands that act on shards, where a run only watches.
pub(in crate::supervisor) fn check_command(plan: &Plan, command: &Command) -> Result<(), ControlReply> {
    let is_refused = plan.only_watches() && acts_on_work(command);
    if is_refused { Err(ControlReply::unusable(ONLY_WATCHES)) } else { Ok(()) }
}

fn acts_on_work(command: &Command) -> bool {
    match command {
        Command::Pause { .. }
        | Command::Resume { .. }
        | Command::Kill { .. }
        | Command::Requeue { .. }
        | Command::Restart { .. }
        | Command::RequeueEdited { .. }
        | Command::Undo { .. }
        | Command::SetPriority { .. }
        | Command::SetParallel { .. }
        | Command::SetReserve { .. }
        | Command::SetGpus { .. }
        | Command::StartNow
        | Command::StartAt { .. }
        | Command::AddValues { .. }
        | Command::Unwatch { .. } => true,
        Command::Stop { .. } | Command::Continue | Command::Ping => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::outcome::ExitStatus;
    use crate::model::state::run_info::RUN_VERSION;

    fn seen(raw: i32) -> AttemptEnd {
        let work = ForeignWork { log: "/logs/a.log".into(), processes: Vec::new(), began: None };
        let exit = ExitRecord {
            version: RUN_VERSION,
            end: AttemptEnd::Exited { status: ExitStatus { raw } },
            started: Some(Timestamp::UNIX_EPOCH),
            ended: Timestamp::UNIX_EPOCH,
            usage: None,
            leftovers: Vec::new(),
            lost_log_bytes: 0,
        };
        let seen = see_end(&work, exit);
        assert_eq!(seen.started, None, "when the work began is not when its watcher did");
        seen.end
    }

    #[test]
    fn the_status_of_a_watcher_is_not_that_of_the_work() {
        assert_eq!(seen(0), AttemptEnd::Unseen);
        assert!(matches!(seen(2), AttemptEnd::Lost { .. }), "the watcher was interrupted");
        assert!(matches!(seen(1 << 8), AttemptEnd::Lost { .. }), "it could not read the log");
    }
}
