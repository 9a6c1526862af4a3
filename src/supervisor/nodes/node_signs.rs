//! What the signs of a node mean: its beat, its journal, its job, and for how long there was none.

use std::time::Duration;

use super::job_desk::JobSign;
use super::node_task::Release;
use crate::model::nodes::node_phase::NodePhase;
use crate::model::state::run_state::RunStage;
use crate::process::slurm::jobs::JobStage;
use crate::rundir::beat::SILENCE;

/// Files are seen elsewhere some seconds late, and clocks do not run alike.
const MARGIN: Duration = Duration::from_secs(5);

/// A supervisor that outlived its job by a holder of its own would beat again within this time.
const OUTLIVES: Duration = Duration::from_secs(20);

/// Signs of a node at one look.
#[derive(Debug, Clone)]
pub(super) struct NodeSigns {
    /// Its beat goes on.
    pub(super) is_beating: bool,
    /// What it does by its journal; none before it has begun.
    pub(super) stage: Option<RunStage>,
    /// It was started so lately that its journal need not show it.
    pub(super) has_just_begun: bool,
    /// It has shards, or orders that it has not carried out.
    pub(super) has_work: bool,
    /// Shards wait for it.
    pub(super) is_wanted: bool,
    /// How long there was no beat.
    pub(super) silent: Duration,
    /// How long the order to end everything lies where it reads its orders.
    pub(super) released: Option<Duration>,
    /// How far it is with that order.
    pub(super) release: Option<Release>,
    /// How long it may be without the folder of the run.
    pub(super) lease: Duration,
    /// Its machine was asked to end everything of it, and has done so.
    pub(super) was_ended: bool,
    /// Why it could not be started.
    pub(super) problem: Option<String>,
    /// Its job, for a node by Slurm.
    pub(super) job: Option<JobSign>,
}

impl NodeSigns {
    /// Judges whether the node is at work, or whether nothing of it can be running any more.
    pub(super) fn judge_standing(&self) -> NodePhase {
        let is_over = self.stage.is_none_or(RunStage::is_over);
        if let Some(reason) = self.find_end(is_over) {
            return NodePhase::Gone { reason };
        }
        match (self.is_beating, is_over) {
            (true, _) if self.release.is_some() || self.job_is_over(true) => NodePhase::Expired,
            (true, false) if self.stage != Some(RunStage::Active) => NodePhase::Draining,
            // Slurm cannot reach it and it works: what it has may come to its end.
            (true, false) if self.job_is_over(false) => NodePhase::Draining,
            (true, false) => NodePhase::Up,
            (true, true) if self.has_just_begun => NodePhase::Up,
            (_, true) if !self.has_work => self.rest(),
            (true, true) => self.rest(),
            // The beat of one that lives is seen within that time.
            (false, _) if self.silent <= self.lease.max(SILENCE) && self.release.is_none() => {
                NodePhase::Silent
            }
            (false, _) => NodePhase::Expired,
        }
    }

    /// How it is known that nothing of it runs.
    fn find_end(&self, is_over: bool) -> Option<String> {
        let lasts = self.lease + self.lease / 10 + MARGIN;
        if self.was_ended {
            return Some("its machine has ended what was left of it".to_owned());
        }
        if self.release == Some(Release::Begun) && is_over {
            return Some("it has ended what it had".to_owned());
        }
        if self.is_beating {
            return None;
        }
        match &self.job {
            Some(JobSign::Known { id, stage: JobStage::Ended { state, is_certain: true } })
                if self.stage.is_none() || self.silent >= OUTLIVES || self.has_left_its_job(is_over) =>
            {
                return Some(format!("job {id} is over: {state}"));
            }
            // It has never had a shard.
            Some(JobSign::Known { id, stage: JobStage::Ended { state, is_certain: false } })
                if !self.has_work =>
            {
                return Some(format!("job {id} is over: {state}"));
            }
            Some(_) | None => {}
        }
        (self.released? >= lasts && self.silent >= lasts)
            .then(|| format!("no sign of life for {} s", self.silent.as_secs()))
    }

    /// It came to its own end before its job did, and cannot begin again without another one.
    fn has_left_its_job(&self, is_over: bool) -> bool {
        is_over && !self.has_work && self.is_wanted
    }

    /// Slurm says that its job is over, and is certain of it or not.
    fn job_is_over(&self, certainly: bool) -> bool {
        let Some(JobSign::Known { stage: JobStage::Ended { is_certain, .. }, .. }) = &self.job else {
            return false;
        };
        *is_certain == certainly
    }

    /// It has nothing to do, or has not begun.
    fn rest(&self) -> NodePhase {
        let unreachable = |reason: &String| NodePhase::Unreachable { reason: reason.clone() };
        match &self.job {
            Some(JobSign::Refused(reason)) => unreachable(reason),
            Some(JobSign::Asked) => NodePhase::Waiting { reason: "asked".to_owned() },
            Some(JobSign::Known { stage: JobStage::Pending { reason }, .. }) => {
                NodePhase::Waiting { reason: reason.clone() }
            }
            Some(JobSign::Known { stage: JobStage::Running, .. }) if self.stage.is_none() => {
                NodePhase::Waiting { reason: "starting".to_owned() }
            }
            Some(JobSign::Nothing | JobSign::Known { .. }) | None => {
                self.problem.as_ref().map_or(NodePhase::Idle, unreachable)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::nodes::order::OrderNumber;

    const LEASE: Duration = Duration::from_secs(300);

    /// A node at work that was seen just now.
    fn at_work() -> NodeSigns {
        NodeSigns {
            is_beating: true,
            stage: Some(RunStage::Active),
            has_just_begun: false,
            has_work: true,
            is_wanted: true,
            silent: Duration::ZERO,
            released: None,
            release: None,
            lease: LEASE,
            was_ended: false,
            problem: None,
            job: None,
        }
    }

    fn silent_for(seconds: u64) -> NodeSigns {
        NodeSigns { is_beating: false, silent: Duration::from_secs(seconds), ..at_work() }
    }

    fn ended(state: &str, is_certain: bool) -> Option<JobSign> {
        let stage = JobStage::Ended { state: state.to_owned(), is_certain };
        Some(JobSign::Known { id: "17".to_owned(), stage })
    }

    #[test]
    fn a_silent_node_is_believed_alive_until_its_lease_can_no_longer_hold() {
        assert_eq!(at_work().judge_standing(), NodePhase::Up);
        assert_eq!(silent_for(299).judge_standing(), NodePhase::Silent);
        assert_eq!(silent_for(301).judge_standing(), NodePhase::Expired);
        // From the moment on at which the order lay there, the whole lease and a margin must pass.
        let asked = Some(Release::Asked(OrderNumber(4)));
        let released = |silent, since| NodeSigns {
            release: asked,
            released: Some(Duration::from_secs(since)),
            ..silent_for(silent)
        };
        assert_eq!(released(900, 334).judge_standing(), NodePhase::Expired);
        assert!(matches!(released(900, 335).judge_standing(), NodePhase::Gone { .. }));
        assert_eq!(released(5, 900).judge_standing(), NodePhase::Expired, "it was seen a moment ago");
        assert_eq!(NodeSigns { release: asked, ..at_work() }.judge_standing(), NodePhase::Expired);
    }

    #[test]
    fn a_node_that_has_ended_what_it_had_is_gone_at_once() {
        let over = Some(RunStage::Ended { at: jiff::Timestamp::UNIX_EPOCH, finished: false });
        let begun = NodeSigns { release: Some(Release::Begun), ..at_work() };
        assert_eq!(begun.judge_standing(), NodePhase::Expired);
        assert!(matches!(NodeSigns { stage: over, ..begun }.judge_standing(), NodePhase::Gone { .. }));
        let was_ended = NodeSigns { was_ended: true, ..silent_for(12) };
        assert!(matches!(was_ended.judge_standing(), NodePhase::Gone { .. }));
    }

    #[test]
    fn a_node_that_ended_with_its_job_makes_room_for_another_once_it_is_wanted() {
        let over = Some(RunStage::Ended { at: jiff::Timestamp::UNIX_EPOCH, finished: false });
        let ended =
            NodeSigns { stage: over, has_work: false, job: ended("COMPLETED", true), ..silent_for(0) };
        assert!(matches!(ended.judge_standing(), NodePhase::Gone { .. }));
        let unwanted = NodeSigns { is_wanted: false, ..ended.clone() };
        assert_eq!(unwanted.judge_standing(), NodePhase::Idle);
        let has_orders = NodeSigns { has_work: true, ..ended };
        assert_eq!(has_orders.judge_standing(), NodePhase::Silent, "its journal may lag behind its job");
    }

    #[test]
    fn the_end_of_a_job_is_believed_where_slurm_knows_it() {
        let gone = |signs: NodeSigns| matches!(signs.judge_standing(), NodePhase::Gone { .. });
        assert!(
            !gone(NodeSigns { job: ended("CANCELLED", true), ..silent_for(19) }),
            "a holder may outlive its job"
        );
        assert!(gone(NodeSigns { job: ended("CANCELLED", true), ..silent_for(20) }));
        assert!(
            !gone(NodeSigns { job: ended("NODE_FAIL", false), ..silent_for(200) }),
            "its processes may go on"
        );
        let escaped = NodeSigns { job: ended("TIMEOUT", true), ..at_work() };
        assert_eq!(escaped.judge_standing(), NodePhase::Expired, "it is asked to end what it has");
        let cut_off = NodeSigns { job: ended("NODE_FAIL", false), ..at_work() };
        assert_eq!(cut_off.judge_standing(), NodePhase::Draining, "Slurm does not reach it, and it works");
        let idle = NodeSigns { stage: None, has_work: false, ..silent_for(0) };
        assert!(gone(NodeSigns { job: ended("FAILED", true), ..idle.clone() }));
        assert_eq!(NodeSigns { job: Some(JobSign::Nothing), ..idle }.judge_standing(), NodePhase::Idle);
    }
}
