//! Patterns of events that belong together, for matches that most events do not concern.

/// Pattern of all events of the named groups: `events!(attempts | queue)`.
///
/// A new event joins one group, and matches that handle no event of that group need no line for it.
macro_rules! events {
    (@attempts) => {
        Event::AttemptStarting { .. }
            | Event::AttemptStarted { .. }
            | Event::AttemptAdopted { .. }
            | Event::AttemptPaused { .. }
            | Event::AttemptResumed { .. }
            | Event::AttemptStopping { .. }
            | Event::AttemptPutBack { .. }
            | Event::ConditionChanged { .. }
    };
    (@outcomes) => {
        Event::AttemptEnded { .. } | Event::PackSplit(_)
    };
    (@queue) => {
        Event::ShardQueued { .. }
            | Event::RequeueUndone { .. }
            | Event::PriorityChanged { .. }
            | Event::ShardCancelled { .. }
    };
    (@plan) => {
        Event::ValuesAdded(_)
            | Event::WatchEnded { .. }
            | Event::ComparisonDecided(_)
    };
    (@services) => {
        Event::ServiceAdded { .. }
            | Event::ServiceReady { .. }
    };
    (@limits) => {
        Event::ParallelChanged { .. }
            | Event::ReserveChanged { .. }
            | Event::GpusChosen { .. }
            | Event::StartsClosed { .. }
            | Event::StartsOpened { .. }
    };
    (@holds) => {
        Event::GpuAvoided { .. }
            | Event::ShardsHeld { .. }
            | Event::RunHeld { .. }
            | Event::HoldsReleased { .. }
    };
    (@beginnings) => {
        Event::RunCreated { .. }
            | Event::SupervisorStarted { .. }
            | Event::AllocationChanged { .. }
    };
    (@stages) => {
        Event::StopRequested { .. }
            | Event::RunContinued { .. }
            | Event::RunEnded { .. }
    };
    (@nodes) => {
        Event::Node(_)
    };
    (@reports) => {
        Event::ReporterEnded { .. }
            | Event::RunWarned { .. }
            | Event::PreflightWarned { .. }
            | Event::EpisodesRepeated { .. }
            | Event::Remarked { .. }
    };
    ($($group:ident)|+) => {
        $($crate::model::state::event_groups::events!(@ $group))|+
    };
}
pub(crate) use events;
