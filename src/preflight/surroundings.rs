//! What a look at the machine is given as values, so that tests can make their own: readings and the session.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::model::machine::sample::GpuInventory;
use crate::telemetry::gpu_source::GpuReadings;

/// Telemetry of the machine.
#[derive(Debug, Clone, Copy)]
pub struct MachineTelemetry<'a> {
    /// The GPUs, or why there are none.
    pub inventory: &'a GpuInventory,
    /// Their load, the processes on them already, and their faults.
    pub gpus: &'a GpuReadings,
}

/// The session a run is started from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surroundings {
    /// Its environment variables, as far as they are text.
    pub env: BTreeMap<String, String>,
    /// The user's number and name.
    pub user: Option<(u32, String)>,
    /// Root of the system's files; `/` except in tests.
    pub root: PathBuf,
}

impl Surroundings {
    /// Returns the surroundings of this process.
    pub fn of_this_process() -> Self {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        let env: BTreeMap<String, String> = std::env::vars_os().filter_map(text).collect();
        let root = PathBuf::from("/");
        let user = rustix::process::geteuid().as_raw();
        let user = user_name(&root, user).map(|name| (user, name));
        Self { env, user, root }
    }

    /// Returns the home folder, if `HOME` names one.
    pub(super) fn home_dir(&self) -> Option<PathBuf> {
        self.env.get("HOME").filter(|home| !home.is_empty()).map(PathBuf::from)
    }
}

/// The name that belongs to a number; users of a directory service are not in this file and have none.
fn user_name(root: &Path, user: u32) -> Option<String> {
    let accounts = std::fs::read_to_string(root.join("etc/passwd")).ok()?;
    accounts.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(user)).then(|| name.to_owned())
    })
}
