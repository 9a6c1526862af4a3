//! When the run is done: the rest of every shard, laid out over as many slots as run side by side.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use super::readings::Reading;
use crate::model::phase::{Phase, PhaseKind};
use crate::model::run_state::{RunStage, RunState};

/// How long the run still takes; unknown until something is known of one shard at least.
pub fn left<'a>(
    state: &RunState,
    readings: impl Iterator<Item = Reading<'a>> + Clone,
    expected: impl Fn(usize) -> Option<Duration>,
) -> Option<Duration> {
    if matches!(state.stage, RunStage::Ended { .. }) || state.all_final() {
        return None;
    }
    let usual = usual_length(readings.clone());
    let mut slots = BinaryHeap::new();
    for (position, reading) in readings.clone().enumerate() {
        if reading.state.phase.kind().is_active() {
            slots.push(Reverse(rest_of_active(reading, usual.or_else(|| expected(position)))?));
        }
    }
    if state.stage == RunStage::Active {
        let free = (state.parallel as usize).saturating_sub(slots.len());
        slots.extend(std::iter::repeat_n(Reverse(Duration::ZERO), free.max(usize::from(slots.is_empty()))));
        for (position, reading) in readings.enumerate() {
            if reading.state.phase.kind() == PhaseKind::Queued {
                let Reverse(start) = slots.pop()?;
                slots.push(Reverse(start + usual.or_else(|| expected(position))?));
            }
        }
    }
    slots.into_iter().map(|Reverse(end)| end).max()
}

/// The mean of what shards took that succeeded, else of what running ones will have taken.
fn usual_length<'a>(readings: impl Iterator<Item = Reading<'a>> + Clone) -> Option<Duration> {
    let done = readings.clone().filter(|reading| matches!(reading.state.phase, Phase::Succeeded(_)));
    mean(done.filter_map(|reading| reading.elapsed()))
        .or_else(|| mean(readings.filter_map(|reading| Some(reading.elapsed()? + reading.left()?))))
}

fn rest_of_active(reading: Reading<'_>, usual: Option<Duration>) -> Option<Duration> {
    let by_usual = || Some(usual?.saturating_sub(reading.elapsed().unwrap_or_default()));
    reading.left().or_else(by_usual)
}

fn mean(lengths: impl Iterator<Item = Duration>) -> Option<Duration> {
    let (count, sum) =
        lengths.fold((0_u32, Duration::ZERO), |(count, sum), length| (count + 1, sum + length));
    sum.checked_div(count)
}
