//! Which shard an event is about.

use super::event_groups::events;
use super::fact::Event;
use super::phase::QueueCause;
use crate::model::ids::ShardId;
use crate::model::nodes::node_event::NodeEvent;
use crate::model::sweep::split::PackSplit;

impl Event {
    /// The shard may run with other values from its next attempt on.
    pub fn changes_values(&self) -> bool {
        let comes_with_its_edit =
            matches!(self, Self::Node(event) if matches!(**event, NodeEvent::ShardReceived(_)));
        comes_with_its_edit
            || matches!(
                self,
                Self::ShardQueued { cause: QueueCause::User, .. }
                    | Self::ShardQueued { edit: Some(_), .. }
                    | Self::RequeueUndone { .. }
                    | Self::PackSplit(_)
            )
    }

    /// The shard or the service whose state this changes; none for what happens to the run or changes nothing.
    pub fn shard(&self) -> Option<&ShardId> {
        match self {
            Self::AttemptStarting { shard, .. }
            | Self::AttemptStarted { shard, .. }
            | Self::AttemptAdopted { shard, .. }
            | Self::AttemptPaused { shard, .. }
            | Self::AttemptResumed { shard, .. }
            | Self::AttemptStopping { shard, .. }
            | Self::AttemptEnded { shard, .. }
            | Self::AttemptPutBack { shard, .. }
            | Self::ShardQueued { shard, .. }
            | Self::RequeueUndone { shard, .. }
            | Self::PriorityChanged { shard, .. }
            | Self::ShardCancelled { shard, .. }
            | Self::PackSplit(PackSplit { shard, .. })
            | Self::ServiceReady { shard, .. }
            | Self::ConditionChanged { shard, .. } => Some(shard),
            Self::Node(event) => event.shard(),
            events!(plan | limits | holds | beginnings | stages | reports) | Self::ServiceAdded { .. } => {
                None
            }
        }
    }
}
