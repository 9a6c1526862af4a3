//! Values that are added to an axis, and axes that are watched for new files.

use crate::model::command::{ControlReply, RefusalKind};
use crate::model::state::fact::{Actor, Event};
use crate::model::state::run_state::RunStage;
use crate::model::state::watch_end::WatchEnd;
use crate::model::sweep::growth::Growth;
use crate::scheduler::decision_builder::DecisionBuilder;

/// Adds what a user asked for.
pub fn add_values(builder: &mut DecisionBuilder, growth: &Growth, by: &Actor) -> ControlReply {
    let stage = builder.stage();
    if let RunStage::Ended { .. } = stage {
        builder.record(Event::RunContinued { by: Some(by.clone()) });
    }
    record_growth(builder, Growth { by: Some(by.clone()), ..growth.clone() });
    let note = match stage {
        RunStage::Active => None,
        RunStage::Draining | RunStage::Stopping => {
            Some("the run is being stopped: nothing starts until it is continued".to_owned())
        }
        RunStage::Ended { .. } => Some("the run goes on".to_owned()),
    };
    ControlReply::Done { shards: growth.shards.len(), notes: note.into_iter().collect() }
}

/// Adds what a watched file brings; a run that is being stopped takes it up when it goes on.
pub fn take_up(builder: &mut DecisionBuilder, growth: &Growth) {
    if builder.stage() == RunStage::Active && builder.is_watched(&growth.axis) {
        record_growth(builder, growth.clone());
    }
}

fn record_growth(builder: &mut DecisionBuilder, growth: Growth) {
    builder.record(Event::ValuesAdded(Box::new(growth)));
    // The new shards are there once the fact is recorded.
    builder.wake_at(builder.now);
}

/// Ends the watch of an axis, or of all where none is named.
pub fn unwatch_axis(builder: &mut DecisionBuilder, axis: Option<&str>, by: &Actor) -> ControlReply {
    let watched: Vec<String> = builder.watched_axes().map(str::to_owned).collect();
    let meant: Vec<String> =
        watched.iter().filter(|name| axis.is_none_or(|axis| axis == *name)).cloned().collect();
    if meant.is_empty() {
        let message = match axis {
            Some(axis) if !watched.is_empty() => {
                format!("`{axis}` is not watched; watched is {}", watched.join(", "))
            }
            Some(axis) => format!("`{axis}` is not watched"),
            None => "no axis of this run is watched".to_owned(),
        };
        return ControlReply::Refused { kind: RefusalKind::Unusable, message };
    }
    for axis in meant {
        builder.record(Event::WatchEnded { axis, cause: WatchEnd::Asked, by: Some(by.clone()) });
    }
    ControlReply::Done { shards: 0, notes: Vec::new() }
}

/// A watch ended by its own rule.
pub fn end_watch(builder: &mut DecisionBuilder, axis: &str, cause: &WatchEnd) {
    if builder.stage() == RunStage::Active && builder.is_watched(axis) {
        builder.record(Event::WatchEnded { axis: axis.to_owned(), cause: cause.clone(), by: None });
    }
}
