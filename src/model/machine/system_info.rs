//! `telemetry/system.json`: the system on which a run ran, for a user who wants to repeat it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The version of this file's format.
pub const SYSTEM_VERSION: u32 = 1;

/// System on which a run began. Anything that could not be read is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemInfo {
    /// Version of the format, [`SYSTEM_VERSION`] when written by this program.
    pub version: u32,
    /// When these facts were read.
    pub at: Timestamp,
    /// The model of the processor.
    pub cpu: Option<String>,
    /// Release of the kernel, such as `6.8.0`.
    pub kernel: Option<String>,
    /// Name of the Linux distribution.
    pub os: Option<String>,
    /// The NVIDIA driver's version.
    pub driver: Option<String>,
    /// The newest version of CUDA that this driver serves.
    pub cuda: Option<String>,
    /// The work tree around the sweep file; none outside git.
    pub git: Option<GitState>,
}

/// State of a work tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitState {
    /// The commit that was checked out.
    pub commit: Option<String>,
    /// Files that git knows differ from it; `None` if git could not be asked.
    pub dirty: Option<bool>,
}

impl SystemInfo {
    /// Returns a line for people: `AMD EPYC 9654, Linux 6.8.0, driver 570.86, CUDA 12.8, commit 1a2b3c with changes`.
    pub fn to_text(&self) -> String {
        let named =
            |name: &str, value: &Option<String>| value.as_ref().map(|value| format!("{name} {value}"));
        let git = self.git.as_ref().and_then(|git| {
            let commit = git.commit.as_ref()?;
            let changes = if git.dirty == Some(true) { " with changes" } else { "" };
            Some(format!("commit {}{changes}", commit.get(..12).unwrap_or(commit)))
        });
        let parts = [
            self.cpu.clone(),
            self.os.clone(),
            named("Linux", &self.kernel),
            named("driver", &self.driver),
            named("CUDA", &self.cuda),
            git,
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}
