//! What the marks of one attempt add up to.

use super::time_left::pace::Pace;
use crate::model::logs::mark::{Mark, MarkKind};
use crate::model::logs::stage::Stage;
use crate::model::outcome::{Metrics, Progress};
use crate::model::state::phase::Phase;

/// Progress, stage and metrics of an attempt that may still run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LiveReading {
    /// The last progress seen.
    pub progress: Option<Progress>,
    /// How much of the next one is done.
    pub part: Option<Progress>,
    /// Unit of the progress, in the plural, where that is not episodes.
    pub unit: Option<String>,
    /// Stage that the program is at.
    pub stage: Option<Stage>,
    /// The newest value of each metric.
    pub metrics: Metrics,
    /// How often its log reports anything.
    pub pace: Pace,
}

impl LiveReading {
    /// The reading after all of `marks` of the attempt in a phase.
    pub fn from_marks<'a>(phase: &Phase, marks: impl IntoIterator<Item = &'a Mark>) -> Self {
        let mut reading = Self { pace: Pace::of_live(phase), ..Self::default() };
        for mark in marks {
            reading.apply_mark(mark);
        }
        reading
    }

    fn apply_mark(&mut self, mark: &Mark) {
        self.pace.take(mark);
        match &mark.kind {
            MarkKind::Progress(progress) => (self.progress, self.part) = (Some(*progress), None),
            MarkKind::Part(part) => self.part = Some(*part),
            MarkKind::Metric { name, value: Some(value) } => {
                self.metrics.insert(name.to_string(), *value);
            }
            // NaN is no number: an older value would be a lie.
            MarkKind::Metric { name, value: None } => {
                self.metrics.remove(&**name);
            }
            MarkKind::Unit { name } => self.unit = Some(name.clone()),
            MarkKind::Stage(stage) => self.stage = Some(stage.clone()),
            MarkKind::Value { .. } | MarkKind::Alert(_) | MarkKind::Finished | MarkKind::Preset { .. } => {}
        }
    }
}
