//! Opening a run: what never changes is read once.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::model::plan::Plan;
use crate::rundir::discover;
use crate::rundir::error::RunDirError;
use crate::rundir::layout::RunDir;
use crate::rundir::records;
use crate::tui::model::screen::{Access, Model};

/// A model of a run of which only `run.json` and `plan.json` were read.
pub fn load(run: &RunDir, access: Access, now: Timestamp, zone: TimeZone) -> Result<Model, RunDirError> {
    let info = discover::info(run)?;
    let plan: Plan = records::read(&run.plan_json())?;
    Ok(Model::new(info, plan, access, now, zone))
}
