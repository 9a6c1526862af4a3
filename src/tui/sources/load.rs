//! Opening a run: what never changes is read once.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::rundir::error::RunDirError;
use crate::rundir::layout::RunDir;
use crate::rundir::machine_wide::discover;
use crate::rundir::plans;
use crate::rundir::residence::{self, Residence};
use crate::tui::model::screen::{Model, ScreenAccess};

/// A model of a run of which only `run.json` and `plan.json` were read.
pub fn load_model(
    run: &RunDir,
    access: ScreenAccess,
    now: Timestamp,
    zone: TimeZone,
) -> Result<Model, RunDirError> {
    let mut info = discover::read_info(run)?;
    if let Residence::Elsewhere { place } = residence::find_residence(run)? {
        info.host = place;
    }
    let plan = plans::read_first_plan(run)?;
    let mut model = Model::new(info, plan, access, now, zone);
    model.users = read_users();
    Ok(model)
}

/// Returns the users of this machine. A user that is in no file is shown by number.
pub fn read_users() -> BTreeMap<u32, String> {
    let text = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let user = |line: &str| {
        let mut fields = line.split(':');
        let (name, uid) = (fields.next()?, fields.nth(1)?);
        Some((uid.parse().ok()?, name.to_owned()))
    };
    text.lines().filter_map(user).collect()
}
