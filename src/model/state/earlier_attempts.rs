//! The attempts of a shard whose work a later one continues.

use std::time::Duration;

use super::phase::Ended;
use super::shard_state::ShardState;
use crate::model::ids::AttemptNumber;
use crate::model::sweep::resume::Grants;

impl ShardState {
    /// The ended attempts whose work the attempt `of` continues, oldest first.
    pub fn earlier_of(&self, of: AttemptNumber) -> Vec<&Ended> {
        let ended = |number| self.ended_attempts().find(|ended| ended.attempt == number);
        let is_newest = self.attempt == Some(of);
        let first = ended(of).map_or_else(|| self.previous.filter(|_| is_newest), |ended| ended.previous);
        let mut earlier: Vec<&Ended> = std::iter::successors(first.and_then(ended), |ended_before| {
            // Numbers fall, so that a journal that names a later one cannot lead round.
            ended(ended_before.previous.filter(|number| *number < ended_before.attempt)?)
        })
        .collect();
        earlier.reverse();
        earlier
    }

    /// Returns the resources that the attempt `of` was given at its start.
    pub fn grants_of(&self, of: AttemptNumber) -> Grants {
        let earlier = self.earlier_of(of);
        let of_ended = self.ended_attempts().find(|ended| ended.attempt == of);
        Grants {
            gpus: of_ended.map_or_else(|| self.phase.gpus().to_vec(), |ended| ended.gpus.clone()),
            done: earlier.last().and_then(|ended| ended.outcome.progress),
            earlier: earlier.into_iter().map(|ended| ended.attempt).collect(),
        }
    }

    /// How long the attempts ran, without their pauses, whose work the attempt `of` continues.
    pub fn worked_before(&self, of: AttemptNumber) -> Duration {
        let worked = |ended: &Ended| ended.outcome.worked_time();
        self.earlier_of(of).into_iter().filter_map(worked).sum()
    }

    fn ended_attempts(&self) -> impl Iterator<Item = &Ended> + Clone {
        self.history.iter().chain(self.phase.ended())
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::model::claims::claim::Claim;
    use crate::model::ids::ShardId;
    use crate::model::needs::demand::Demand;
    use crate::model::outcome::{Failure, FailureReason, Outcome, Progress, Verdict};
    use crate::model::state::fact::Event;
    use crate::model::state::phase::QueueCause;
    use crate::model::sweep::edit::Edit;
    use crate::model::sweep::edit::EnvironmentEdit;

    fn id() -> ShardId {
        ShardId::new("s").unwrap()
    }

    /// Runs the attempt to its end; one that never ran took no time.
    fn run(shard: &mut ShardState, attempt: u32, verdict: Verdict, ran: bool) {
        let (at, attempt, previous) = (Timestamp::UNIX_EPOCH, AttemptNumber(attempt), shard.continues);
        let outcome = Outcome {
            elapsed: ran.then_some(Duration::from_secs(5)),
            progress: ran.then_some(Progress { done: u64::from(attempt.0), total: None }),
            ..Outcome::of_verdict(verdict)
        };
        let (gpus, claim) = (Vec::new(), Claim::default());
        shard.apply_event(at, &Event::AttemptStarting { shard: id(), attempt, gpus, claim, previous });
        shard.apply_event(at, &Event::AttemptEnded { shard: id(), attempt, outcome: Box::new(outcome) });
    }

    fn queue(shard: &mut ShardState, cause: QueueCause, edit: Option<Edit>) {
        let (demand, edit) = (Demand::default(), edit.map(Box::new));
        let queued =
            Event::ShardQueued { shard: id(), cause, by: None, not_before: None, demand, edit, step: None };
        shard.apply_event(Timestamp::UNIX_EPOCH, &queued);
    }

    #[test]
    fn attempts_that_ran_are_continued_until_one_succeeds_or_a_user_edits_the_shard() {
        let failed = || Verdict::Failed(Failure { reason: FailureReason::Timeout, message: String::new() });
        let mut shard = ShardState::new(id(), Timestamp::UNIX_EPOCH);
        for (attempt, ran) in [(1, true), (2, false), (3, true)] {
            run(&mut shard, attempt, failed(), ran);
            queue(&mut shard, QueueCause::Retry, None);
        }
        run(&mut shard, 4, failed(), true);
        let grants = shard.grants_of(AttemptNumber(4));
        assert_eq!(grants.earlier, [AttemptNumber(1), AttemptNumber(3)], "the second never ran");
        assert_eq!(grants.done.map(|progress| progress.done), Some(3));
        assert_eq!(shard.worked_before(AttemptNumber(4)).as_secs(), 10);
        let change = EnvironmentEdit { name: "A".into(), old: None, new: "b".into() };
        queue(&mut shard, QueueCause::User, Some(Edit { environment: vec![change], ..Edit::default() }));
        assert_eq!(shard.continues, None, "with other values it is other work");
        shard.apply_event(Timestamp::UNIX_EPOCH, &Event::RequeueUndone { shard: id(), by: None });
        assert_eq!(shard.continues, Some(AttemptNumber(4)));
        queue(&mut shard, QueueCause::User, None);
        run(&mut shard, 5, Verdict::Succeeded, true);
        assert_eq!(shard.continues, None);
    }
}
